#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sweep_test.py SCANLAB ROOT: scanlab sweep.

A constant takes each value, the times and what a multiprocessor holds follow,
and the submission stays as it is. A value that breaks the scan is named and has
no curve. Ranges that are none are refused. What a submission names and prints
stays text in the picture and the page.
"""

import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

scanlab, root = sys.argv[1], pathlib.Path(sys.argv[2])
failures = 0


def object_to(words):
    global failures
    failures += 1
    print("FAILED:", words)


def sweep(*words):
    done = subprocess.run([scanlab, "sweep", *words], capture_output=True, text=True,
                          env={**os.environ, "SCANLAB_ROOT": str(root), "LC_ALL": "C.UTF-8"})
    return done.returncode, done.stdout, done.stderr


def expect(status, words, *arguments):
    got, out, err = sweep(*arguments)
    if got != status or words not in out + err:
        object_to(f"sweep {arguments}: {got}, not {status}, or no '{words}' in:\n{out}{err}")


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def usage():
    for words, said in (("B", "is no NAME=VALUES"), ("B=", "there is no number"), ("2B=3", "is no NAME"),
                        ("B=0", "with numbers from 1"), ("B=9..3", "is none of"),
                        ("B=1..99999999999", "is none of"), ("B;rm=1", "is no NAME"),
                        ("B=" + ",".join(map(str, range(1, 40))), "more than 32")):
        expect(2, said, "naive", "--define", words)
    expect(2, "is none of 256", "naive", "-n", "x")
    expect(2, "is none of 256", "naive", "-n", "2^80")
    expect(2, "ends in none of", "naive", "-o", "x.png")
    expect(2, "runs on the host", "cpu-scan")
    expect(2, "counts steps", "naive", "--clock=pram")
    expect(2, "no file of the submission gives NOT_THERE a value", "naive", "-s", str(root / "reference"),
           "--define", "NOT_THERE=1")


def solved(to, name, change=lambda text: text):
    to.mkdir(parents=True, exist_ok=True)
    text = (root / "reference" / name).read_text()
    (to / name).write_text("#define SOLUTION 1\n#line 1\n" + change(text))


def by_value(work):
    solved(work / "mine", "naive.cu")
    before = (work / "mine/naive.cu").read_text()
    files = [work / f"s.{ending}" for ending in ("csv", "svg", "html")]
    status, out, err = sweep("naive", "-s", str(work / "mine"), "--define", "BLOCK_THREADS=32..128,1024", "-n",
                             "2^8..2^10,1000", *(word for file in files for word in ("-o", str(file))))
    if status:
        object_to(f"status {status}: {out}{err}")
        return
    got = rows(files[0])
    if [row["n"] for row in got[:4]] != ["256", "512", "1000", "1024"] or len(got) != 16:
        object_to(f"other sizes: {got}")
    for row in got:
        if row["result"] != "right" or row["threads"] != row["value"] or int(row["model_ns"]) < 1000:
            object_to(f"a row: {row}")
    limits = {row["value"]: (row["blocks_per_sm"], row["warps_per_sm"], row["limited_by"]) for row in got}
    if limits["32"] != ("32", "32", "blocks") or limits["1024"] != ("2", "64", "warps"):
        object_to(f"another occupancy: {limits}")
    if (work / "mine/naive.cu").read_text() != before or len(list((work / "mine").iterdir())) != 1:
        object_to("the submission was changed")
    for words in ("BLOCK_THREADS = 1024", "n = 1000: "):
        for file in files[1:]:
            if words not in file.read_text():
                object_to(f"{file.name} has no '{words}'")
    if len(re.findall(r"^ +2\^8 .* us", out, re.M)) != 1 or "*" not in out:
        object_to(f"another table:\n{out}")


def a_wrong_value(work):
    """Blocks of 32 only: larger ones leave elements out."""
    solved(work / "wrong", "naive.cu",
           lambda text: text.replace("if (i >= n) return;", "if (i >= n || threadIdx.x >= 32) return;"))
    status, out, _ = sweep("naive", "-s", str(work / "wrong"), "--define", "BLOCK_THREADS=32,64", "-n", "256..1024",
                           "-o", str(work / "w.csv"), "-o", str(work / "w.svg"))
    got = rows(work / "w.csv")
    if status != 1 or {row["result"] for row in got if row["value"] == "32"} != {"right"}:
        object_to(f"status {status}, {got}")
    if [row["result"] for row in got if row["value"] == "64"] != ["wrong", "not run", "not run"]:
        object_to(f"a wrong value: {got}")
    if "64: n = 256: " not in out or "BLOCK_THREADS = 64" in (work / "w.svg").read_text():
        object_to(f"a wrong value is not named, or has a curve:\n{out}")


def hostile(work):
    """A folder's name and the compiler's words are the submission's."""
    folder = work / "<b>x"
    solved(folder, "naive.cu", lambda text: text + "\n#error </pre><script>alert(1)</script>\n")
    status, out, _ = sweep("naive", "-s", str(folder), "-n", "256", "-o", str(work / "h.html"), "-o",
                           str(work / "h.csv"))
    page = (work / "h.html").read_text()
    if status != 1 or "alert(1)" not in out:
        object_to(f"status {status}:\n{out}")
    if "<script>alert" in page or "<b>x" in page or "alert(1)" not in page:
        object_to("what the compiler quotes became markup, or is gone")


usage()
with tempfile.TemporaryDirectory() as folder:
    for test in (by_value, a_wrong_value, hostile):
        test(pathlib.Path(folder))
sys.exit(failures != 0)
