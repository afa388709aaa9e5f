#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""words.py SCANLAB OUT [cuda]

Submissions whose compiler says what a machine's faults are called: each is a
source that does not compile, 0 points for its lab; the others are graded, in a
class too. A folder called cub is a student's, a copy of CUB in it is not."""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

SCANLAB, OUT = sys.argv[1:3]
OUT = pathlib.Path(OUT).resolve()
ROOT = pathlib.Path(os.environ["SCANLAB_ROOT"])
SENTENCES = ["No space left on device", "Disk quota exceeded", "Killed",
             "Cannot allocate memory", "internal compiler error: out of memory"]
complaints = []


def right(name):
    return "#define SOLUTION 1\n#line 1\n" + (ROOT / "reference" / name).read_text()


def put(name, files):
    folder = OUT / name
    for file, text in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def expect(what, wanted, found):
    if wanted != found:
        complaints.append(f"{what}: {found}, wanted {wanted}")


def grade(what, labs, files, *options):
    shutil.rmtree(OUT / "mine", ignore_errors=True)
    done = subprocess.run(
        [SCANLAB, "grade", *labs, "--device", "vgpu", "-s", put("mine", files),
         "--cache", OUT / "cache", "--report", f"json={OUT / 'grade.json'}", *options],
        capture_output=True, text=True, timeout=250)
    if done.returncode not in (0, 1):
        complaints.append(f"{what}: exit status {done.returncode}: {done.stderr}")
        return {}
    found = json.loads((OUT / "grade.json").read_text())["labs"]
    return {lab["id"]: lab for lab in found}


def alone(cuda):
    """A lab does not compile; with CUDA, another lab is right."""
    bad, lab = ("naive.cu", "naive") if cuda else ("cpu_scan.c", "cpu-scan")
    others = {"cpu_scan.c": right("cpu_scan.c")} if cuda else {}
    for sentence in SENTENCES[:1] if cuda else SENTENCES:
        found = grade(sentence, ["cpu-scan", "naive"] if cuda else ["cpu-scan"],
                      others | {bad: f"#error {sentence}\n"})
        of = found.get(lab, {})
        expect(sentence, (0, True), (of.get("score"),
                                     sentence in (of.get("build_error") or "")))
        if cuda:
            expect(f"{sentence}: the other lab", 100, found.get("cpu-scan", {}).get("score"))


def in_a_class():
    where, scan = OUT / "class", right("cpu_scan.c")
    for n, sentence in enumerate(SENTENCES):
        put(f"class/bad{n}", {"cpu_scan.c": f"#error {sentence}\n"})
    put("class/ann", {"cpu_scan.c": scan})
    put("class/zoe", {"cpu_scan.c": scan + "/* zoe */\n"})
    done = subprocess.run(
        [SCANLAB, "class", where, "cpu-scan", "-o", OUT / "graded", "--seed", "5"],
        capture_output=True, text=True, timeout=250,
        env=os.environ | {"SCANLAB_CACHE": str(OUT / "cache")})
    expect("the class: " + done.stdout + done.stderr, 0, done.returncode)
    with open(OUT / "graded/gradebook.csv", encoding="utf-8", newline="") as file:
        book = {row["submission"]: row for row in csv.DictReader(file)}
    wanted = {"ann": "100", "zoe": "100"} | {
        f"bad{n}": "0" for n in range(len(SENTENCES))}
    expect("the class's points", {key: ("graded", score) for key, score in wanted.items()},
           {key: (row["status"], row["score"]) for key, row in book.items()})
    expect("bad0's report", True, "does not compile" in
           (OUT / "graded/feedback/bad0/report.txt").read_text())


def folders():
    """Of a name that the toolkit has below cub; of another."""
    mine = re.sub(r'#include "naive.h"', '#include "naive.h"\n#include "cub/HEADER"',
                  right("naive.cu"))
    tiny = ("--check", "tiny")
    found = grade("a folder called cub", ["naive"], {
        "naive.cu": mine.replace("HEADER", "mine.cuh"), "cub/mine.cuh": "// mine\n"}, *tiny)
    expect("a folder called cub", [None, "pass"],
           [found["naive"]["build_error"], found["naive"]["checks"][0]["status"]])
    found = grade("a copy", ["naive"], {"naive.cu": mine.replace("HEADER", "version.cuh"),
                                        "cub/version.cuh": "// a copy\n"}, *tiny)
    expect("a copy of CUB's header", True,
           "without CUB or Thrust" in (found["naive"]["build_error"] or ""))
    # Within one pass of the two only, by a name that a macro makes.
    for test in "ifdef", "ifndef":
        found = grade("a hidden include", ["naive"], {"naive.cu": (
            f"#{test} __CUDA_ARCH__\n#define NAME(x) <x/version.cuh>\n"
            "#include NAME(cub)\n#endif\n") + right("naive.cu")}, *tiny)
        expect("a hidden include", True,
               "without CUB or Thrust" in (found["naive"]["build_error"] or ""))


def main():
    cuda = "cuda" in sys.argv[3:]
    shutil.rmtree(OUT, ignore_errors=True)
    (OUT / "cache").mkdir(parents=True, mode=0o700)
    alone(cuda)
    if cuda:
        folders()
    else:
        in_a_class()
    for line in complaints:
        print("FAILED:", line)
    sys.exit(bool(complaints))


main()
