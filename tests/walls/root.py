#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""root.py SCANLAB WITHOUT OUT

Whose work a real GPU takes, where nvidia-smi names one (here a program that says
so, for nothing gets as far as the GPU): as root no other's, and no class; without
a wall around files nobody's, unless weaker ones are asked for. 77: not root, or
no CUDA runtime beside nvcc."""
import os
import pathlib
import shutil
import subprocess
import sys

SCANLAB, WITHOUT, OUT = sys.argv[1:]
OUT = pathlib.Path(OUT).resolve()
ROOT = pathlib.Path(os.environ["SCANLAB_ROOT"])
NOBODY = 65534
complaints = []


def run(*words, before=()):
    done = subprocess.run([*before, SCANLAB, *words], capture_output=True, text=True, timeout=200,
                          stdin=subprocess.DEVNULL,
                          env=os.environ | {"PATH": f"{OUT}/bin:{os.environ['PATH']}"})
    return done.returncode, done.stdout + done.stderr


def grade(folder, *words, before=()):
    return run("grade", "naive", "--check", "tiny", "-s", str(OUT / folder), "--cache",
               str(OUT / "cache"), *words, before=before)


def expect(name, result, status, said):
    if result[0] != status or said not in result[1]:
        complaints.append(f"{name}: exit status {result[0]}\n{result[1]}")


def fill(folder, *owners):
    """Of the folder, then of its source."""
    (OUT / folder).mkdir()
    shutil.copy(OUT / "naive.cu", OUT / folder)
    for path, owner in zip((OUT / folder, OUT / folder / "naive.cu"), owners):
        os.chown(path, owner, owner)


if os.getuid() != 0:
    print("SKIP: not root, and it is root that is refused here")
    sys.exit(77)
shutil.rmtree(OUT, ignore_errors=True)
(OUT / "bin").mkdir(parents=True)
(OUT / "bin/nvidia-smi").write_text("#!/bin/sh\necho '9.0, NVIDIA H200'\n")
os.chmod(OUT / "bin/nvidia-smi", 0o755)
(OUT / "naive.cu").write_text("#define SOLUTION 1\n#line 1\n" +
                              (ROOT / "reference/naive.cu").read_text())
fill("roots", 0, 0)
fill("others", NOBODY, NOBODY)
fill("others-file", 0, NOBODY)
status, said = grade("roots", "--device", "gpu")
if "not found beside nvcc" in said or "no nvcc" in said:
    print("SKIP: no CUDA runtime beside nvcc, so no real GPU is ever used")
    sys.exit(77)
# Without a GPU its process cannot be started; with one it is graded.
if (status, "as root" in said) not in ((0, True), (2, False)) or "root's own" in said:
    complaints.append(f"root's own: exit status {status}\n{said}")
if status == 2 and "the runner" not in said:
    complaints.append(f"root's own, no driver: {said}")
for folder in "others", "others-file":
    expect(folder, grade(folder, "--device", "gpu"), 2, "as root the real GPU")
    expect(f"{folder}, unasked", grade(folder), 0, ", the real GPU left out")
    expect(f"{folder}, virtual", grade(folder, "--device", "vgpu"), 0, "on vgpu (teach),")
both = (WITHOUT, "both")
expect("no wall", grade("roots", "--device", "gpu", before=both), 2, "add --weaker-walls")
expect("no wall, unasked", grade("roots", before=both), 0, ", the real GPU left out")
for word in ("--fast",), ("--device", "gpu"):
    expect(f"class {word}", run("class", str(OUT / "others"), "naive", "-o", str(OUT / "class"),
                                *word), 2, "as root a real GPU")
expect("class, auto", run("class", str(OUT / "others"), "naive", "-o", str(OUT / "class"),
                          "--device", "auto", "--list", "--weaker-walls"), 1, "left out: this is root")
for line in complaints:
    print("FAILED:", line)
sys.exit(bool(complaints))
