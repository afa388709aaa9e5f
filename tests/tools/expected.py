# SPDX-License-Identifier: MIT
"""The lines "expect" of a submission's header (tests/README.md)."""
import re

EXPECT = re.compile(r"(?:([\w-]+)/)?([\w-]+|\*)(?: (pass|fail|any))?"
                    r'(?: "(.*?)"(?: at "(.*)")?)?')


class Expectation:
    """LAB/CHECK STATUS "part of the message" at "part of the place"; CHECK may
    be *, every check that nothing else decides. LAB/build "part": the file does
    not compile."""

    def __init__(self, case_, line, text, course, graded):
        found = EXPECT.fullmatch(text)
        if not found or (found[2] != "build") != bool(found[3]):
            case_.wrong(line, f"no expectation: {text}")
        lab, self.check, self.status, self.part, self.place = found.groups()
        self.line, self.labs = line, [lab] if lab else graded
        for lab in self.labs:
            if lab not in graded:
                case_.wrong(line, f"{lab} is not graded")
            if self.check not in ("*", "build", *course[lab].checks):
                case_.wrong(line, f"{lab} has no check {self.check}")


class Rule:
    """What follows from the expectations: expected by nobody by name."""

    def __init__(self, status, part=None):
        self.status, self.part, self.place, self.line = status, part, None, 0
