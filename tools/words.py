#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""words.py [ROOT]: private words in identifiers and comments.

docs/glossary.md, "Words of the code", has a table: words, what the field says, and
in which files. Looked at are C, CUDA, headers, tables, Python and shell that git
tracks, without texts in quotation marks: those are for people, who see pages. A word
is found as a whole part of an identifier, as in taken_marks, or alone. Prints each
line that has one; exit status 1: there is one."""
import fnmatch
import pathlib
import re
import subprocess
import sys

PAGE, HEADING = "docs/glossary.md", "## Words of the code"
KINDS = (".c", ".h", ".def", ".cu", ".cuh", ".py", ".sh")
TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"')
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def rows(page):
    """(words, what to use, patterns of files) of each row of the table."""
    table = page.partition(HEADING)[2].partition("\n## ")[0]
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 3:
            yield (set(re.findall(r"`(\w+)`", cells[0])), cells[1],
                   re.findall(r"`([^`]+)`", cells[2]))


def found_in(text, words):
    """(line, word) of each place."""
    for at, line in enumerate(text.splitlines(), 1):
        parts = {part.lower() for part in PART.findall(TEXT.sub('""', line))}
        for word in sorted(parts & words):
            yield at, word


def check(root, paths, table):
    for path in paths:
        own = [(words, use) for words, use, where in table
               if any(fnmatch.fnmatch(path, pattern) for pattern in where)]
        if not own or not path.endswith(KINDS):
            continue
        text = (root / path).read_text(errors="replace")
        for words, use in own:
            for at, word in found_in(text, words):
                yield f"{path}:{at}: '{word}' is private here: {use} ({PAGE})"


def main():
    root = pathlib.Path(sys.argv[1] if sys.argv[1:] else ".")
    table = list(rows((root / PAGE).read_text()))
    if len(table) < 8:
        sys.exit(f"{PAGE}: {len(table)} rows under '{HEADING}'")
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root,
                           check=True, text=True, capture_output=True).stdout
    paths = [name for name in sorted(set(names.splitlines())) if (root / name).exists()]
    wrong = list(check(root, paths, table))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
