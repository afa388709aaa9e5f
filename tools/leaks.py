#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""leaks.py REFERENCE FOLDER: what FOLDER has of the solutions in REFERENCE.

A solution is what stands in a source between #ifdef SOLUTION and its #else or
#endif, and a page such as answers.md, whole. Solutions and files are taken as
their words (names and numbers) only: layout, operators, comment marks, diff marks,
quoting in a string or in HTML change nothing, nor do a file's name and type. A run
of 12 words that stands in a solution and in a file is a leak. That is longer than
a trivial line, such as this one of 9:

    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

Not a leak: what the same sources give away in their stubs. Not found: code whose
names were changed, or that is packed or encoded.

Prints "FILE:LINE: SOURCE:LINE: words" for each; exit status 1: there are some.
"""
import collections
import pathlib
import re
import sys

WORDS = 12
WORD = re.compile(r"[A-Za-z_]\w*|\d\w*")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# An escape in a string, and HTML's names of < > & and quotes.
WRAPPED = re.compile(r"\\[nt]|&(?:lt|gt|amp|quot|#\d+);")
MARK = re.compile(r"\s*#\s*(if|else|elif|endif)")
SOURCE = (".c", ".cu", ".h", ".cuh")

Leak = collections.namedtuple("Leak", "path line source source_line text")


def split(text):
    """(solution, stub): lines of both; in solution, empty where it has none."""
    solution, stub, stack = [], [], []
    for line in text.split("\n"):
        mark = MARK.match(line)
        kind, ours = mark[1] if mark else "", False
        if kind == "if":
            ours = re.match(r"\s*#\s*ifdef\s+SOLUTION\b", line) is not None
            stack.append("solution" if ours else "other")
        elif kind == "endif":
            ours = stack.pop() != "other"
        elif kind == "else" and stack[-1] != "other":
            ours, stack[-1] = True, "stub"
        secret = "solution" in stack and not ours
        solution.append(line if secret else "")
        if not secret and not ours:
            stub.append(line)
    return "\n".join(solution), "\n".join(stub)


def words_of(text):
    """[(word, number of its line)]"""
    return [(word, at) for at, line in enumerate(text.split("\n"), 1)
            for word in WORD.findall(WRAPPED.sub(" ", line))]


def runs(words):
    """Each run of WORDS words, and the number of its first."""
    for k in range(len(words) - WORDS + 1):
        yield tuple(word for word, _ in words[k:k + WORDS]), k


def secrets(reference):
    """{run: (source, line)} of what solutions have, and stubs have not."""
    secret, given = {}, set()
    for path in sorted(pathlib.Path(reference).iterdir()):
        text = path.read_text(errors="replace")
        if path.suffix in SOURCE:
            solution, stub = split(text)
            text = COMMENT.sub(lambda c: re.sub(r"[^\n]", " ", c[0]), solution)
            given.update(run for run, _ in runs(words_of(stub)))
        words = words_of(text)
        for run, k in runs(words):
            secret.setdefault(run, (path.name, words[k][1]))
    return {run: at for run, at in secret.items() if run not in given}


def leaks_in(text, secret):
    """[(line, (source, line), words)]: runs that overlap are one."""
    words, found, last = words_of(text), [], None
    for run, k in runs(words):
        if run not in secret:
            continue
        if last is None or k > last + 1:
            found.append((words[k][1], secret[run], list(run)))
        else:
            found[-1][2].append(run[-1])
        last = k
    return found


def search(folder, secret):
    """The leaks in all files under the folder, of any type; .git is not one."""
    folder = pathlib.Path(folder)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if name.parts[0] == ".git" or not path.is_file():
            continue
        text = path.read_text(errors="replace")
        for line, (source, at), words in leaks_in(text, secret):
            yield Leak(str(name), line, source, at, " ".join(words))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: tools/leaks.py REFERENCE FOLDER")
    secret = secrets(sys.argv[1])
    found = list(search(sys.argv[2], secret))
    for leak in found:
        print(f"{leak.path}:{leak.line}: {leak.source}:{leak.source_line}: {leak.text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
