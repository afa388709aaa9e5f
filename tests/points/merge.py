#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes readings.txt of two independent readings.

    merge.py A B [SETTLED] >readings.txt

Each file has lines "path | lo..hi | reason". The teacher's range is both ranges
together where that is at most WIDEST wide. Else SETTLED must have a line: a third
reading by somebody who has seen both reasons and the source, and not the grader's
answer; it says why. Until it has one, the middle of both stands, and a line on
standard error says so."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDEST = 6


def read(name):
    found = {}
    for text in pathlib.Path(name).read_text().splitlines():
        if not text.strip() or text.startswith("#"):
            continue
        path, points, reason = (part.strip() for part in text.split("|", 2))
        low, high = map(int, re.fullmatch(r"(\d+)\.\.(\d+)", points).groups())
        found[path] = min(low, 100), min(high, 100), reason.replace("|", "/")
    return found


def header(path):
    text = (ROOT / path).read_text()
    return {key: re.search(rf"(?m)^(?://|#): {key}: (\S+)$", text)
            for key in ("kind", "group")}


def kind_of(path):
    found, name = header(path), path.rsplit("/", 1)[1]
    if found["kind"]:
        return found["kind"][1]
    if "honest-" in name:
        return "honest"
    if path.startswith("tests/cheats"):
        return "cheat"
    return "serial" if name.startswith("serial") else "mistake"


def group_of(path):
    found = header(path)["group"]
    return found[1] if found else "seen"


def main(a, b, settled=None):
    first, second = read(a), read(b)
    third = read(settled) if settled else {}
    for path in sorted(first.keys() & second.keys()):
        (low_a, high_a, why_a), (low_b, high_b, why_b) = first[path], second[path]
        low, high, why = min(low_a, low_b), max(high_a, high_b), why_a
        if path in third:
            low, high, why = third[path]
        elif high - low > WIDEST:
            middle = (low_a + high_a + low_b + high_b) // 4
            print(f"{path}: A {low_a}..{high_a} {why_a}; B {low_b}..{high_b} {why_b}",
                  file=sys.stderr)
            low, high = max(0, middle - 3), min(100, middle + 3)
        print(f"{path} | {kind_of(path)} | {group_of(path)} | {low}..{high} | "
              f"{low_a}..{high_a} | {low_b}..{high_b} | {why}")
    for path in sorted(first.keys() ^ second.keys()):
        print(f"{path}: one reading only", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
