# SPDX-License-Identifier: MIT
"""What the tests need of lab.ini: labs, their checks, points, parents."""
import pathlib
import re


class Check:
    def __init__(self, name):
        self.id, self.parent, self.points, self.bonus = name, None, 0, False
        self.kind = self.function = None
        self.sizes = []
        self.varies = self.weak = False  # by the order of blocks, weak memory


class Lab:
    def __init__(self, ini):
        self.id = self.source = at = check = None
        self.checks, self.symbols = {}, {}
        for line in ini.read_text().splitlines():
            section = re.match(r"\[(\w+) ?([^]]*)\]", line)
            key, _, value = re.sub(" *;.*", "", line).partition(" = ")
            if section:
                at = section[1]
                check = Check(section[2])
                if at == "check":
                    self.checks[check.id] = check
            elif key == "symbol":
                self.symbols[check.id] = value
            elif at == "lab" and key in ("id", "source"):
                setattr(self, key, value)
            elif key == "points":
                check.points = int(value)
            elif key in ("parent", "kind", "function"):
                setattr(check, key, value)
            elif key == "sizes":
                check.sizes = value.split()
            elif (key, value) == ("memory_model", "weak") or (
                    key == "schedules" and "random" in value.split()):
                check.varies = True
                check.weak |= value == "weak"
            elif key == "bonus":
                check.bonus = value == "yes"

    def graded(self):
        """The checks of every grade: all but what is timed on a GPU."""
        return {c.id for c in self.checks.values()
                if c.kind != "fast" or self.source.endswith(".c")}

    def varied(self):
        """Where a seed is most likely to show something: the checks under weak
        memory, all of which have random orders, or those with such orders."""
        varied = [c for c in self.checks.values() if c.varies]
        return [c.id for c in varied if c.weak] or [c.id for c in varied]

    def others(self):
        """The other checks with random orders."""
        varied = self.varied()
        return [c.id for c in self.checks.values()
                if c.varies and c.id not in varied]


def read(folder):
    found = map(Lab, sorted(pathlib.Path(folder).glob("*/lab.ini")))
    return {lab.id: lab for lab in found}
