# SPDX-License-Identifier: MIT
"""The one reader of test headers; vgpu/tests/README.md has the grammar.

A header line is a comment that begins with a colon, "//:" or "#:", then a key, a
colon and a value. A file is one case, or has several, each beginning with a line
"case: NAME ARGUMENTS"; what stands before the first belongs to the file."""
import re
import sys

MARK = re.compile(r"(?://|#):(.*)")
LINE = re.compile(r" ([a-z]+):(?: +(.*))?")


class Case:
    """Lines (number, key, value) of one case."""

    def __init__(self, path, name="", arguments=""):
        self.path, self.name, self.arguments = path, name, arguments
        self.lines = []

    def all(self, key):
        return [value for _, k, value in self.lines if k == key]

    def one(self, key, default=None):
        return (self.all(key) or [default])[0]

    def wrong(self, line, why):
        sys.exit(f"{self.path}:{line}: {why}")


def read(path, keys):
    """The file's own lines as a case without a name, then its cases. A line
    that looks like a header line and has none of these keys (of any, if there
    are none) ends the program: a misspelled expectation must not pass."""
    found = [Case(path)]
    with open(path, errors="replace") as file:
        for number, text in enumerate(file, 1):
            mark = MARK.match(text.rstrip())
            if not mark:
                continue
            line = LINE.fullmatch(mark[1])
            key, value = line.groups() if line else (None, None)
            value = (value or "").strip()
            if key == "case" and value:
                name, _, arguments = value.partition(" ")
                found.append(Case(path, name, arguments))
            elif key is None or keys and key not in keys.split():
                found[-1].wrong(number, f"no header line of this kind: {text}")
            else:
                found[-1].lines.append((number, key, value))
    return found


def pick(path, keys, name):
    """One case of a file: its own lines, and those of the file whose keys it
    does not have itself. A file without cases is one."""
    first, *others = read(path, keys)
    for case in others:
        if case.name == name:
            own = {key for _, key, _ in case.lines}
            case.lines[:0] = [l for l in first.lines if l[1] not in own]
            return case
    if others:
        sys.exit(f"{path} has no case {name}")
    first.name = name
    return first
