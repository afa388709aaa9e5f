#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs labs' functions with a scanlab that costs each access again (recount.h).

  recount.py SCANLAB few            some functions of the references, under pram
  recount.py SCANLAB lab LAB OUT    every function of LAB's reference and of its
                                    honest variants, under every clock below; OUT:
                                    a folder to work in

An access that is not charged what it costs alone ends the process. At its end it
says how many were compared: without any, nothing was tested."""
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))
sys.dont_write_bytecode = True
import graded  # noqa: E402
import labs  # noqa: E402

SAID = re.compile(r"(?m)^recount: (\d+) accesses to shared memory, "
                  r"(\d+) to global memory, (\d+) of waits$")
# Accesses of lab 3's trees change shape from level to level.
FEW = (("bank-conflicts", "scan", 1024), ("shared-tiled", "reduce", 9001),
       ("chained", "inclusive", 9001), ("lookback", "i32", 9001),
       ("sam", "scan", 9001), ("applications", "select", 9001),
       ("applications", "sort", 9001))
# More elements are more of the same tiles; lab 3's are one block's.
MOST = {"bank-conflicts": 4096, "": 70000}
CLOCKS = "pram", "kmodel", "teach", "h200"
MAPS = "plain", "padding", "leftright"


def run(scanlab, lab, function, submission, n, clock, words=(), variant=False):
    """How many accesses to shared and global memory were compared, and waits. A
    variant's answer may be another (digits of 4 bits); its grade says so."""
    command = [scanlab, "run", lab, "--function", function, "-s", submission,
               "-n", str(n), "--seed", "1", "--clock=" + clock, *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode not in ((0, 1) if variant else (0,)):
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}\n"
                 f"{done.stdout}{done.stderr}")
    said = SAID.search(done.stderr)
    return [int(k) for k in said.groups()] if said else [0, 0, 0]


def parameters(lab):
    """A parameter that decides where words lie in shared memory."""
    return [("--set", "map=" + m) for m in MAPS] if lab == "bank-conflicts" else [()]


def few(scanlab):
    counts = [run(scanlab, lab, function, ROOT / "reference", n, clock, words)
              for lab, function, n in FEW for clock in ("pram", "teach")
              for words in parameters(lab)]
    return [sum(column) for column in zip(*counts)]


def cases(lab):
    """Each function with the two largest sizes of its checks up to MOST: what a
    function need not do (a tree of any n) no check asks."""
    sizes, most = {}, MOST.get(lab, MOST[""])
    for check in labs.read(ROOT / "labs")[lab].checks.values():
        sizes.setdefault(check.function, set()).update(
            n.of(n.least) for n in check.sizes if n.of(n.most) <= most)
    for function, of_it in sizes.items():
        for n in sorted(of_it)[-2:]:
            yield function, n


def submissions(scanlab, lab, out):
    yield "reference", ROOT / "reference"
    os.environ["SCANLAB_TEST"] = "all"  # or all but a few functions are left out
    for path in sorted((ROOT / "tests/mutants" / lab).glob("honest-*.patch")):
        yield path.stem, graded.Graded(scanlab, path, fresh(out)).submission()


def fresh(out):
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    return out


def whole(scanlab, lab, out):
    sums = [0, 0, 0]
    for name, submission in submissions(scanlab, lab, out):
        of_this = [0, 0, 0]
        for (function, n), words, clock in itertools.product(
                cases(lab), parameters(lab), CLOCKS):
            found = run(scanlab, lab, function, submission, n, clock, words,
                        name != "reference")
            of_this = [a + b for a, b in zip(of_this, found)]
        if not of_this[1]:
            sys.exit(f"{name}: nothing was compared")
        print(name, *of_this, flush=True)
        sums = [a + b for a, b in zip(sums, of_this)]
    return sums


def main(words):
    if words[1:] == ["few"]:
        sums = few(words[0])
        if not all(sums):
            sys.exit(f"nothing of one kind was compared: {sums}")
    elif words[1:2] == ["lab"] and len(words) == 4:
        if words[2] not in labs.read(ROOT / "labs"):
            sys.exit(f"there is no lab {words[2]}")
        sums = whole(words[0], words[2], pathlib.Path(words[3]).resolve())
    else:
        sys.exit(__doc__)
    print("compared: {} accesses to shared memory, {} to global memory, {} of waits"
          .format(*sums))


main(sys.argv[1:])
