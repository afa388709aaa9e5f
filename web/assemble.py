#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""assemble.py OUT BUILT WEB VERSION: puts together what build/web has: the
engine for other pages and for node (vgpu.mjs, vgpu.wasm, vgpu.d.ts), and
index.html, one file that has the engine, the teaching kernels and their PTX in
it and loads nothing. BUILT has core.js, core.wasm, kernels/*.ptx and page.html
(cmake/Pages.cmake); WEB is the folder web/."""
import base64
import gzip
import hashlib
import json
import pathlib
import re
import shutil
import sys

EXPORTS = "openCore, Device, VgpuError, run, Engine, Stopped, workerText"


def engine(built, web):
    """The scripts of vgpu.mjs: what a worker runs, and what uses it."""
    core = (built / "core.js").read_text()
    script = {p.stem: p.read_text() for p in (web / "js").glob("*.js")}
    worker = "\n".join([core, script["device"], script["worker"]])
    here = "\n".join([core, script["device"], script["engine"]])
    return worker, (f"{here}\nvgpu.workerText = {json.dumps(worker)};\n"
                    f"export const {{{EXPORTS}}} = vgpu;\n")


def kernel(source, built):
    """A teaching kernel: its header's words, its text as shown, its PTX."""
    text = source.read_text()
    keys = {}
    for key, words in re.findall(r"^//: (\w+): (.*)$", text, re.M):
        keys[key] = f"{keys[key]} {words}" if key in keys else words
    ptx = (built / "kernels" / f"{source.stem}.ptx").read_text()
    # No path of the machine that made it.
    ptx = re.sub(r'(\.file\s+\d+\s+")[^"]*/', r"\1", ptx)
    entry = re.findall(r"^\.visible \.entry (\w+)", ptx, re.M)
    if len(entry) != 1 or not {"title", "what", "args", "result"} <= set(keys):
        sys.exit(f"{source}: one kernel, and title, what, args, result")
    return {"name": source.stem, "file": source.name, "entry": entry[0],
            "source": text, "ptx": ptx, **keys}


def in_script(data):
    """JSON that no reader of HTML takes for markup."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    for one in "<>&":
        text = text.replace(one, f"\\u{ord(one):04x}")
    return text


def page(built, web, worker, version):
    wasm = (built / "core.wasm").read_bytes()
    packed = gzip.compress(wasm, 9, mtime=0)
    kernels = [kernel(p, built) for p in sorted((web / "kernels").glob("*.cu"))]
    data = {"view": "web", "web": {
        "version": version, "kernels": kernels, "worker": worker,
        "wasm": base64.b64encode(packed).decode()}}
    text = ("This page runs CUDA kernels on a virtual GPU. It needs a browser "
            "with WebAssembly (any since 2023) and its scripts.\n")
    filled = (built / "page.html").read_text()
    for name, value in (("LANGUAGE", "en"), ("TEXT", text),
                        ("TITLE", "ScanLab: the virtual GPU in a page"),
                        ("DATA", in_script(data))):
        filled = filled.replace(f"@{name}@", value)
    return filled


def part_of_report(built, web, worker, version):
    """What a report gets: a line with the version, a line of what its policy
    then allows, and the engine (grader/report/html_page.c)."""
    packed = gzip.compress((built / "core.wasm").read_bytes(), 9, mtime=0)
    data = {"worker": worker, "wasm": base64.b64encode(packed).decode()}
    parts = ("js/device", "js/engine", "page/recorded", "page/report")
    text = "\n".join((web / f"{p}.js").read_text() for p in parts)
    script = f"{{\n{text}\n}}"  # its names are not the page's
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest())
    return (f"{version}\n 'sha256-{digest.decode()}' 'wasm-unsafe-eval'; "
            "worker-src blob:\n"
            f'<script type="application/json" id="engine">{in_script(data)}'
            f"</script>\n<script>{script}</script>\n")


def main():
    out, built, web = map(pathlib.Path, sys.argv[1:4])
    out.mkdir(parents=True, exist_ok=True)
    worker, module = engine(built, web)
    (out / "vgpu.mjs").write_text(module)
    shutil.copy(built / "core.wasm", out / "vgpu.wasm")
    shutil.copy(web / "js/vgpu.d.ts", out / "vgpu.d.ts")
    (out / "report.part").write_text(
        part_of_report(built, web, worker, sys.argv[4]))
    (out / "index.html").write_text(page(built, web, worker, sys.argv[4]))


if __name__ == "__main__":
    main()
