#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""push.py [--fix] [FOLDER]: which mutants a push runs, and which the night.

A mutant decides that a check passes or fails, and that a message holds certain
words; sizes and places in these are data. A push runs mutants that together
decide all that any mutant decides: every verdict on every check of each lab, and
every kind of words once. The others say "when: nightly". Says where that is not
so, or writes these lines: as few mutants as a greedy choice finds. SPARE of those
that are new may run on pushes though others decide the same."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/tools"), str(ROOT / "vgpu/tests/tools")]
sys.dont_write_bytecode = True
import case  # noqa: E402
import expected  # noqa: E402
import graded  # noqa: E402
import labs  # noqa: E402

DATA = re.compile(r"\b(n|op|threads|bit) = \w+|out\[.*|\b\d+\b|\W+|"
                  r"\b(allowed|elements differ|expected)\b")
NIGHTLY = "#: when: nightly\n"
SPARE = 20


class Mutant:
    def __init__(self, path):
        header = case.read(path, graded.KEYS)[0]
        self.path, self.name = path, f"{path.parent.name}/{path.stem}"
        self.nightly = header.one("when") == "nightly"
        self.decides = set()
        for line in header.all("expect"):
            _, check, status, part, _ = expected.EXPECT.fullmatch(line).groups()
            words = " ".join(DATA.sub(" ", part or "").split())
            if status != "any":
                self.decides.add((path.parent.name, check, status or "error"))
            if words:
                self.decides.add(words)


def union(of):
    return set().union(*(m.decides for m in of))


def said(decided):
    return decided if isinstance(decided, str) else "{0}: {1} {2}".format(*decided)


def chosen(mutants):
    """Who decides most that is still open comes first; those that run on a push
    today before others; then all that became superfluous are left out."""
    open_, found = union(mutants), []
    while open_:
        best = max(mutants, key=lambda m: (len(m.decides & open_), not m.nightly))
        found.append(best)
        open_ -= best.decides
    for mutant in found[:]:
        rest = [m for m in found if m is not mutant]
        if mutant.decides <= union(rest):
            found = rest
    return found


def fix(mutants):
    push = chosen(mutants)
    for m in mutants:
        if m.nightly == (m in push):
            text = m.path.read_text()
            first, rest = text.split("\n", 1)
            m.path.write_text(text.replace(NIGHTLY, "") if m.nightly else
                              f"{first}\n{NIGHTLY}{rest}")
            print(m.name, "on a push" if m.nightly else "at night")


def complaints(mutants, course):
    push = [m for m in mutants if not m.nightly]
    decided = union(push)
    for m in mutants:
        for what in sorted(map(said, m.decides - decided)):
            yield f"{m.name}: only nights show: {what}"
    spare = [m.name for m in push
             if m.decides <= union(o for o in push if o is not m)]
    if len(spare) > SPARE:
        yield f"others decide the same, run --fix: {' '.join(spare)}"
    failed = {d[:2] for d in decided if d[2:] == ("fail",)}
    checks = {(lab.id, check.id) for lab in course.values()
              for check in lab.checks.values() if check.kind != "fast"}
    for lab, check in sorted(checks - failed):
        yield f"{lab}: no mutant fails {check}"


def main(arguments):
    fixing = arguments[:1] == ["--fix"]
    folder = pathlib.Path((arguments[fixing:] or [ROOT / "tests/mutants"])[0])
    mutants = [Mutant(path) for path in sorted(folder.glob("*/*.patch"))
               if not path.name.startswith("honest-")]
    if fixing:
        fix(mutants)
        return
    found = list(complaints(mutants, labs.read(ROOT / "labs")))
    print(*found, sep="\n")
    push = sum(not m.nightly for m in mutants)
    print(f"{push} of {len(mutants)} mutants on a push, {len(found)} complaints")
    sys.exit(bool(found))


main(sys.argv[1:])
