#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""answers.py FILE: each question of a handout has an answer in FILE, which is
reference/answers.md, and no answer stands in a file that students get."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HANDED_OUT = ("labs", "student", "docs", "slides", "plots", "grader", "vgpu")


def sections(text):
    return dict(re.findall(r"(?ms)^## ([^\n]*)\n(.*?)(?=^## |\Z)", text))


def items(text):
    """The numbered items, each as one line of words."""
    return [" ".join(item.split())
            for item in re.split(r"(?m)^\d+\. ", text)[1:]]


def handed_out():
    for folder in HANDED_OUT:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file():
                yield path, " ".join(path.read_text(errors="ignore").split())


def main():
    wrong, answers = [], sections(pathlib.Path(sys.argv[1]).read_text())
    begins = set()
    for handout in sorted((ROOT / "labs").glob("*/README.md")):
        number, name = handout.parent.name.split("-", 1)
        asked = items(sections(handout.read_text())["Questions"])
        given = items(answers.get(f"Lab {int(number)}: {name}", ""))
        begins.update(answer[:60] for answer in given)
        if not asked or len(asked) != len(given):
            wrong.append(f"{handout}: {len(asked)} questions, "
                         f"{len(given)} answers")
        wrong += [f"{handout}: {answer!r} is no answer"
                  for answer in given if len(answer) < 40]
    for path, text in handed_out():
        wrong += [f"{path} holds an answer: {begin}"
                  for begin in begins if begin in text]
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
