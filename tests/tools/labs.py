# SPDX-License-Identifier: MIT
"""What the tests need of lab.ini: labs, their checks, points, parents, sizes."""
import hashlib
import pathlib
import re

SIZE = re.compile(r"(2\^)?(\d+)(?:\.\.(\d+))?(?:\*(\d+))?([+-]\d+)?")


class Size:
    """A size as lab.ini writes it (grader/course/lab.h)."""

    def __init__(self, text):
        power, least, most, unit, beside = SIZE.fullmatch(text).groups()
        self.power, self.unit = bool(power), int(unit or 1)
        self.least, self.most = int(least), int(most or least)
        self.beside = int(beside or 0)

    def of(self, value):
        n = 2 ** value if self.power else value * self.unit
        return max(0, n + self.beside)

    def at(self, turn):
        """One of those that may be drawn, another for another turn."""
        digest = hashlib.sha256(f"{turn} {vars(self)}".encode()).digest()
        part = int.from_bytes(digest[:6], "big") / 2 ** 48
        if self.power or self.least == self.most:
            return self.of(self.least + int(part * (self.most - self.least + 1)))
        return self.of(int(self.least * (self.most / self.least) ** part))


def sizes_of(value):
    """Of a line: without the name of its group."""
    return [Size(word) for word in value.split(":")[-1].split()]


class Check:
    def __init__(self, name):
        self.id, self.parent, self.points, self.bonus = name, None, 0, False
        self.kind = self.function = None
        self.sizes = []
        self.varies = self.weak = False  # by the order of blocks, weak memory


class Lab:
    def __init__(self, ini):
        self.id = self.source = at = check = last = None
        self.checks, self.symbols = {}, {}
        for line in ini.read_text().splitlines():
            section = re.match(r"\[(\w+) ?([^]]*)\]", line)
            goes_on = line[:1].isspace() and last == "sizes"
            if goes_on:
                check.sizes += sizes_of(re.sub(" *;.*", "", line))
                continue
            key, _, value = re.sub(" *;.*", "", line).partition(" = ")
            last = key
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
                check.sizes = sizes_of(value)
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
