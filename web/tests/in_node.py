#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""in_node.py TEST BUILD: the virtual GPU as WebAssembly, in node, beside the same
on this machine: BUILD has the programs for it. What `make web` leaves (build/web,
build/wasm) is tested as it is; only the test `build`, at night, builds it. 77,
with "SKIP: why": emscripten, node, or the build is not there."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "web/tests"
WEB, WASM = ROOT / "build/web", ROOT / "build/wasm"
HOUSE = ROOT / "vgpu/tests"
# emscripten 3.1.6 takes any `fetch` for a browser's.
NODE = ["node", "--no-experimental-fetch", "--stack-size=4000"]
RACES = "2 0 500 4 0".split()  # 500 random programs, four ways each
LITMUS = "1000"
FUZZ = {"quick": ("40", "1"), "fuzz": ("400", "7")}


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=False,
                          text=True, **more)


def said(*command):
    """Exit status and both outputs."""
    done = run(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def script(name, *words):
    """A test in JavaScript."""
    if run(*NODE, HERE / f"{name}.mjs", WEB, WASM, *words).returncode:
        sys.exit(f"{name}.mjs failed")


def same(name, native, here):
    """A program of the virtual GPU's tests says in node what it says here, and
    both pass."""
    ours = said(*native)
    theirs = said(*NODE, *here)
    if ours[0] or theirs[0]:
        sys.exit(f"{name}: status {ours[0]} here, {theirs[0]} in node\n"
                 f"{theirs[1][-2000:]}")
    if ours[1] != theirs[1]:
        for a, b in zip(ours[1].splitlines(), theirs[1].splitlines()):
            if a != b:
                print(f"here:    {a}\nin node: {b}")
        sys.exit(f"{name}: they differ")
    return ours[1]


def tests_in(build):
    return WASM / "web/tests", build / "bin"


def conformance(build):
    node, here = tests_in(build)
    programs = sorted(p for p in HOUSE.glob("conformance/*/*.ptx")
                      if p.parent.name != "wrong")
    same("conform", [here / "conform", *programs],
         [node / "conform.js", *programs])
    wrong = sorted(HOUSE.glob("conformance/wrong/*.ptx"))
    for program in wrong:  # the suite can fail, there too
        ours = said(here / "conform", program)
        theirs = said(*NODE, node / "conform.js", program)
        if ours != theirs or not ours[0]:
            sys.exit(f"{program.name}: {ours} here, {theirs} in node")
    print(f"{len(programs)} programs conform, {len(wrong)} that are wrong do "
          "not, here and in node")


def races(build):
    node, here = tests_in(build)
    cases = sorted((HOUSE / "races/cases").glob("*.race"))
    same("races.cases", [here / "races", "run", *cases],
         [node / "races.js", "run", *cases])
    text = same("races.random", [here / "races", "check", *RACES],
                [node / "races.js", "check", *RACES])
    print(f"{len(cases)} cases; {text.strip().splitlines()[-1]}: the same")


def litmus(build):
    node, here = tests_in(build)
    cases = HOUSE / "litmus/cases"
    text = same("litmus", [here / "vgpu", "litmus", "-n", LITMUS, cases],
                [node / "litmus.js", "-n", LITMUS, cases])
    print(f"litmus: {text.strip().splitlines()[-1]}: the same")
    status, words = said(*NODE, node / "litmus_units.js")
    print(words.strip().splitlines()[-1])
    if status:
        sys.exit(words)


def alu(build):
    node = tests_in(build)[0]
    for name in ("forms", "hardware", "recorded", "approximate"):
        status, words = said(*NODE, node / f"alu_{name}.js")
        if status:
            sys.exit(f"alu_{name}: {words}")
        print(f"alu_{name}: {words.strip().splitlines()[-1]}")


def browser(_):
    done = run("python3", HERE / "browser.py", WEB)
    if done.returncode == 77:
        sys.exit(77)
    if done.returncode:
        sys.exit("browser.py failed")


def site(build):
    """`make site`, and each of its pages in a browser."""
    out = build / "site-tested"
    nvcc = (build / "nvcc-path").read_text().strip()
    if run("python3", ROOT / "web/site/make.py", out, "--built", WASM / "web", "--nvcc",
           nvcc).returncode:
        sys.exit("web/site/make.py failed")
    done = run("python3", HERE / "site.py", out)
    shutil.rmtree(out)
    if done.returncode:
        sys.exit(77 if done.returncode == 77 else "site.py failed")


def fuzz(_):
    script("fuzz", *FUZZ["fuzz"])


def build_all(_):
    """Anew where something has changed."""
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith("MAKE") and k != "SCANLAB_FROM"}
    if run(ROOT / "tools/build.sh", "wasm", "web_tests",
           env=environment).returncode:
        sys.exit("tools/build.sh wasm web_tests failed")


TESTS = {
    "build": build_all,
    "quick": lambda build: (script("equal", build / "bin/web_native", "few"),
                            script("limits"), script("stop"),
                            script("fuzz", *FUZZ["quick"])),
    "types": lambda _: script("types"),
    "kernels": lambda build: script("equal", build / "bin/web_native"),
    "limits": lambda _: script("limits"),
    "stop": lambda _: script("stop"),
    "fuzz": fuzz, "conformance": conformance, "races": races, "alu": alu,
    "litmus": litmus, "browser": browser, "site": site,
}


def main():
    name, build = sys.argv[1], pathlib.Path(sys.argv[2])
    for program, package in (("emcc", "emscripten"), ("node", "nodejs")):
        if not shutil.which(program):
            skip(f"there is no {program} (Debian: {package}); make web "
                 "installs it")
    version = run("node", "--version", stdout=subprocess.PIPE).stdout
    if int(re.match(r"v(\d+)", version).group(1)) < 18:
        skip(f"node is {version.strip()}; its tests want 18")
    if name != "build" and not (WEB / "vgpu.wasm").exists():
        skip("build/web is not there; make web makes it")
    TESTS[name](build)


if __name__ == "__main__":
    main()
