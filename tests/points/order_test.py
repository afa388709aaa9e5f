#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""order_test.py SCANLAB OUT: what counts of wrong answers earn.

A look-back over words that nobody has cleared is right under the clock, where all
tiles go at once, and wrong in another order. In a whole grade its efficiency check
fails by that order; the report's command shows the same; asked alone, without an
order, the check passes. A right look-back passes in every order.

Where an algorithm is there and a slip makes every answer wrong, counts earn half;
they earn nothing where sums never leave their block.

One word read past the end, which all functions of a lab do, costs the clean checks and
the first one their points, and each of five others one.
Exit status: 0 as it must be, 1 not."""
import json
import pathlib
import subprocess
import sys

import points

SCANLAB, OUT = sys.argv[1], pathlib.Path(sys.argv[2])
WRONG = "tests/points/lookback/clears-a-byte-per-tile.patch"
# Submission, an efficiency check of it, its points.
COUNTS = (("tests/mutants/work-efficient/children-swapped.patch", "depth", 5),
          ("tests/mutants/naive/block-local.patch", "depth", 0))
SLIP, ITS_POINTS = "tests/mutants/chained/guard-lets-one-more.patch", range(78, 90)


def grade(submission, *words, lab="lookback"):
    to = OUT / "grade.json"
    subprocess.run([SCANLAB, "grade", lab, "--device", "vgpu", "--seed", "1",
                    "--submission", submission, "--format", "json", "--output", to,
                    *words], cwd=points.ROOT, check=False, capture_output=True)
    return {c["id"]: c for c in json.loads(to.read_text())["labs"][0]["checks"]}


def made(path, name):
    line = next(l for l in points.read(points.ROOT / "tests/points/readings.txt")
                if l.path == path)
    return OUT / name, points.make(line, OUT / name)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    wrong, _ = made(WRONG, "wrong")
    bad = []

    def must(what, is_so):
        if not is_so:
            bad.append(what)
    whole = grade(wrong)
    failed = whole["decoupled"]
    must("orders fails", whole["orders"]["status"] == "fail")
    must("decoupled fails, and has half of its 9 points",
         (failed["status"], failed["score"]) == ("fail", 5))
    for path, check, score in COUNTS:
        submission, lab = made(path, "counts")
        result = grade(submission, "--check", check, lab=lab)[check]
        must(f"{path}: {check} fails, and has {score} points, not {result['score']}",
             (result["status"], result["score"]) == ("fail", score))
    words = failed["reproduce"].split()
    must("the command names the order", "--schedule" in words)
    if not bad:
        n, order = words[words.index("-n") + 1], words[words.index("--schedule") + 1]
        these = ("--check", "decoupled", "-n", n)
        must("the command shows it", grade(wrong, *these, "--schedule", order)
             ["decoupled"]["status"] == "fail")
        must("under the clock alone it is right",
             grade(wrong, *these)["decoupled"]["status"] == "pass")
    line = points.Line(SLIP, "mistake", "seen", 0, 100, "", 0)
    checks = grade(OUT / "slip", lab=points.make(line, OUT / "slip"))
    score = sum(c["score"] for c in checks.values() if not c.get("bonus"))
    must(f"{SLIP} has one of {ITS_POINTS}, not {score}", score in ITS_POINTS)
    must("at most five checks lose one of several points", 5 >= sum(
        c["score"] + 1 == c["max_score"] > 1 for c in checks.values()))
    must("the next says that it loses none", "no points" in checks["orders"]["lost"])
    for order in "reverse", "random:7":
        right = grade("reference", "--check", "decoupled", "--schedule", order)
        must(f"the reference passes, {order}", right["decoupled"]["status"] == "pass")
    for what in bad:
        print(f"not so: {what}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
