#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes readings.txt of the readings in readings/.

    merge.py          is readings.txt what the readings make?
    merge.py --fix    writes it

A-*.txt and B-*.txt are two readings of each submission, by two people who have
seen neither each other's nor the grader's answer; each file has lines
"path | lo..hi | reason". The teacher's range is both together where that is at
most WIDEST wide, and the middle WIDEST points of both where they are close by.
Where they are FAR apart, settled.txt must have a line: a third reading, by
somebody who has seen both reasons and the source, and not the grader's answer."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/points"
sys.path[1:1] = [str(ROOT / "tests/tools"), str(ROOT / "vgpu/tests/tools")]
import case  # noqa: E402
WIDEST, CLOSE = 6, 12


def read(pattern):
    found = {}
    for name in sorted((HERE / "readings").glob(pattern)):
        for text in name.read_text().splitlines():
            if not text.strip() or text.startswith("#"):
                continue
            path, points, reason = (part.strip() for part in text.split("|", 2))
            low, high = map(int, re.fullmatch(r"(\d+)\.\.(\d+)", points).groups())
            found[path] = min(low, 100), min(high, 100), reason.replace("|", "/")
    return found


def header(path):
    return case.read(ROOT / path, "")[0]


def kind_of(path):
    kind, name = header(path).one("kind"), path.rsplit("/", 1)[1]
    if kind:
        return kind
    if "honest-" in name:
        return "honest"
    if path.startswith("tests/cheats"):
        return "cheat"
    return "serial" if name.startswith("serial") else "mistake"


def group_of(path):
    return header(path).one("group", "seen")


def merged():
    """The lines, and what is missing."""
    first, second, third = read("A-*.txt"), read("B-*.txt"), read("settled.txt")
    lines, missing = [], [f"{path}: one reading only"
                          for path in sorted(first.keys() ^ second.keys())]
    for path in sorted(first.keys() & second.keys()):
        (low_a, high_a, why_a), (low_b, high_b, why_b) = first[path], second[path]
        low, high, why = min(low_a, low_b), max(high_a, high_b), why_a
        if path in third:
            low, high, why = third[path]
        elif high - low > CLOSE:
            missing.append(f"{path}: A {low_a}..{high_a} {why_a}; "
                           f"B {low_b}..{high_b} {why_b}")
            continue
        elif high - low > WIDEST:
            low = (low_a + high_a + low_b + high_b) // 4 - WIDEST // 2
            high = low + WIDEST
        lines.append(f"{path} | {kind_of(path)} | {group_of(path)} | {low}..{high} | "
                     f"{low_a}..{high_a} | {low_b}..{high_b} | {why}")
    return lines, missing


def main(fix):
    lines, missing = merged()
    text = ("# SPDX-License-Identifier: MIT\n"
            "# path | kind | group | teacher's range | reading A | reading B | reason\n"
            "# Made from readings/ by merge.py --fix.\n" + "\n".join(lines) + "\n")
    whole = HERE / "readings.txt"
    if fix:
        whole.write_text(text)
    elif whole.read_text() != text:
        missing.append("readings.txt is not what the readings make: merge.py --fix")
    print(*missing, sep="\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] == ["--fix"]))
