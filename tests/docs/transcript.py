#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""transcript.py SCANLAB OUT README: does the grader say what README.md shows?

Grades the submission that README.md's first screen speaks of, and looks for the
lines of its transcript in what the grader prints, in their order. A line "..." stands
for any lines, "..." at the end of a line for the rest of it; times are not compared.
Exit status: 0 it does, 1 not."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/points"))
import points  # noqa: E402

SUBMISSION, SEED = "tests/mutants/naive/in-place.patch", "7"


def shown(page):
    """The transcript's lines behind its command."""
    block = re.search(r"^```\n\$ make grade LAB=naive SEED=7\n(.*?)^```$", page,
                      re.M | re.S)
    if not block:
        sys.exit("README.md has no transcript of make grade LAB=naive SEED=7")
    return block[1].splitlines()


def printed(scanlab, out):
    line = points.Line(SUBMISSION, "mistake", "seen", 0, 100, "", 0)
    lab = points.make(line, out / "student")
    run = subprocess.run([scanlab, "grade", lab, "--labs", ROOT / "labs",
                          "--device", "vgpu", "--submission", "student",
                          "--seed", SEED], cwd=out, capture_output=True, text=True)
    text = re.sub(r"[^ ]*bin/scanlab\b", "build/bin/scanlab", run.stdout)
    return text.replace(f" --labs {ROOT}/labs", "").replace(f"{ROOT}/", "").splitlines()


def without_time(text):
    return re.sub(r"\d+\.\d s", "TIME", re.sub(r" +", " ", text.rstrip()))


def main():
    scanlab, out, page = pathlib.Path(sys.argv[1]).resolve(), *map(
        pathlib.Path, sys.argv[2:4])
    out.mkdir(parents=True, exist_ok=True)
    lines, at = printed(scanlab, out), 0
    for want in shown(page.read_text()):
        part = without_time(want)
        if part.strip() == "...":
            continue
        start = part.endswith("...")
        part = part[:-3].rstrip() if start else part
        while at < len(lines) and not (
                without_time(lines[at]).startswith(part) if start
                else without_time(lines[at]) == part):
            at += 1
        if at == len(lines):
            print("README.md shows this, the grader does not say it (there):", want,
                  "", *lines, sep="\n")
            return 1
        at += 1
    return 0


sys.exit(main())
