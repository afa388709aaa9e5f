#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pictures.py SCANLAB OUT: what pages draw of a leak and of a barrier in a branch, from
graded submissions: the line that asked for memory, the lines that gave back the rest,
the lanes that wait, those that went another way, and the line where they part. The
references have neither picture."""
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))
import page_data  # noqa: E402
from graded import handed_in  # noqa: E402

SCANLAB, OUT = sys.argv[1], pathlib.Path(sys.argv[2])


def require(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


def check(lab, name, mutant=None):
    """The check of a page, and the lines of its source."""
    where = OUT / f"{lab}.{mutant}"
    where.mkdir(parents=True)
    source = next((ROOT / "reference").glob(lab.replace("-", "_") + ".c*"))
    shutil.copy(source, where)
    if mutant:
        subprocess.run(["patch", "--silent", where / source.name,
                        ROOT / f"tests/mutants/{lab}/{mutant}.patch"], check=True)
    handed_in(where)
    page = OUT / f"{lab}.{mutant}.html"
    done = subprocess.run(
        [SCANLAB, "grade", lab, "--check", name, "--submission", where, "--seed", "1",
         "--device", "vgpu", "--report", f"html={page}"], cwd=ROOT, check=False,
        stdout=subprocess.PIPE, text=True)
    require(done.returncode == (1 if mutant else 0), f"{lab} {mutant}: {done.stdout}")
    grade = page_data.data(page.read_text())
    found = next(c for c in grade["labs"][0]["checks"] if c["id"] == name)
    return found, ["", *(where / source.name).read_text().split("\n")]


def leak():
    for name in "clean", "errors":
        seen, lines = check("naive", name, "scratch-leaked")
        rows = seen["view"]["lives"]["rows"]
        require(len(rows) == 1 and not rows[0]["is_freed"] and not rows[0]["freed"],
                json.dumps(rows))
        made = rows[0]["made"]
        require("cudaMalloc(&scratch" in lines[made["line"]] and
                made["text"] == lines[made["line"]].strip(), json.dumps(made))
        shutil.rmtree(OUT / "naive.scratch-leaked")
    seen, lines = check("lookback", "clean-tickets", "ticket-counter-leaked")
    rows = seen["view"]["lives"]["rows"]
    require([row["is_freed"] for row in rows][:1] == [False], json.dumps(rows))
    require("counter" in rows[0]["made"]["text"], json.dumps(rows))
    require(all(not row["freed"] or "cudaFree" in lines[row["freed"]["line"]]
                for row in rows), json.dumps(rows))


def divergence():
    seen, lines = check("shared-tiled", "totals", "barrier-for-some")
    said = seen["outcome"]["finding"]["said"]
    require((said["id"], said["lanes"], said["arrived"]) ==
            ("barrier-of-lanes", "0x0000ffff", "0xffff0000"), json.dumps(said))
    require("if (t < half)" in lines[said["parted"]], json.dumps(said))
    require("__syncthreads" in lines[seen["outcome"]["place"]["line"]], "where")
    require(seen["view"]["lines"][str(said["parted"])] ==
            lines[said["parted"]].strip(), json.dumps(seen["view"]["lines"]))


def honest():
    for lab, name in ("naive", "clean"), ("shared-tiled", "totals"):
        seen, _ = check(lab, name)
        require(seen["status"] == "pass" and not seen["view"]["lives"] and
                not seen["view"]["lines"], json.dumps(seen["view"]))


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    leak()
    divergence()
    honest()


if __name__ == "__main__":
    main()
