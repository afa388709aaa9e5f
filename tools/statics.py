#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""statics.py [--fix] [ROOT]: the name of a static function in the rooms of vgpu/ and
grader/ says where it stands: one that stands in three files or more gets its file's
or its room's name in front (spans_add), so that a stack trace can be read.

tools/statics.txt lists names that still stand in more, with the number of files: a
name may only get rarer. --fix writes the list, and refuses to where one got more,
unless there is no list.
Exit status 1: a name stands in more files than the list says, or in fewer."""
import pathlib
import re
import subprocess
import sys

MOST = 2
LIST = "tools/statics.txt"
HEAD = """# SPDX-License-Identifier: MIT
# Static functions' names that stand in three files or more, and in how many
# (tools/statics.py): a name may only get rarer.
"""
DEFINED = re.compile(r"^static\s(?:__attribute__\(\(.*?\)\)\s|[^;={}()])*?\b"
                     r"(?!__attribute__)(\w+)\s*\(", re.M)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
NOT_OURS = re.compile(r"vgpu/(tests|examples)/")


def names_in(text):
    return set(DEFINED.findall(COMMENT.sub("", text)))


def count(texts):
    """{name: in how many files}"""
    counts = {}
    for text in texts:
        for name in names_in(text):
            counts[name] = counts.get(name, 0) + 1
    return counts


def read_list(path):
    rows = [line.split() for line in path.read_text().splitlines()
            if line and not line.startswith("#")]
    return {name: int(n) for name, n in rows}


def complaints(found, listed):
    for name in sorted(found.keys() | listed.keys()):
        have, most = found.get(name, 0), listed.get(name, 0)
        if have > max(most, MOST):
            yield (f"static {name} stands in {have} files, {max(most, MOST)} may have it: "
                   f"give it its file's name, as spans_add")
        elif have < most:
            yield f"static {name} stands in {have} files, no longer {most}: {LIST}, --fix"


def main():
    words = [word for word in sys.argv[1:] if word != "--fix"]
    root = pathlib.Path(words[0] if words else ".")
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "vgpu/*.[ch]", "grader/*.[ch]"],
        cwd=root, check=True, text=True, capture_output=True).stdout.splitlines()
    paths = [root / name for name in names if not NOT_OURS.match(name)]
    found = count(path.read_text() for path in paths if path.exists())
    path = root / LIST
    listed = read_list(path) if path.exists() else {}
    wrong = list(complaints(found, listed))
    if "--fix" in sys.argv[1:] and (
            not listed or not any("may have it" in text for text in wrong)):
        rows = sorted(((name, n) for name, n in found.items() if n > MOST),
                      key=lambda row: (-row[1], row[0]))
        path.write_text(HEAD + "".join(f"{name} {n}\n" for name, n in rows))
        return 0
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
