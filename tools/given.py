#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""given.py REFERENCE LABS: writes LABS/NN-name/given.txt, the code that a lab gives
to students: of the reference what stands outside of #ifdef SOLUTION, a line of it
each, without comments and blanks around it. The judge does not point at these lines:
nobody but us can have written a mistake there. --check: it must be as it is."""
import pathlib
import re
import sys

WORDS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                   re.DOTALL)


def without_comments(found):
    text = found[0]
    return "\n" * text.count("\n") if text.startswith("/") else text


def shared(text):
    """What the stub and the solution have in common."""
    depth, inside = 0, 0
    for line in text.splitlines():
        bare, was_inside = line.strip(), inside
        if bare.startswith("#if"):
            depth += 1
            if bare == "#ifdef SOLUTION":
                inside = depth
        elif bare.startswith("#endif"):
            if inside == depth:
                inside = 0
            depth -= 1
        yield "" if inside or was_inside else line


def main(reference, labs, check):
    old = []
    for ini in sorted(labs.glob("*/lab.ini")):
        source = re.search(r"(?m)^source = (\S+)", ini.read_text())[1]
        text = WORDS.sub(without_comments, (reference / source).read_text())
        lines = [" ".join(line.split()) for line in shared(text)]
        lines = [line for line in lines if re.search(r"\w", line)]
        target = labs / ini.parent.name / "given.txt"
        text = "".join(line + "\n" for line in lines)
        if not check:
            target.write_text(text)
        elif not target.is_file() or target.read_text() != text:
            old.append(str(target))
    if old:
        sys.exit("given.py: not as the references say: " + ", ".join(old))


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--check"]
    if len(words) != 2:
        sys.exit(__doc__)
    main(*map(pathlib.Path, words), "--check" in sys.argv)
