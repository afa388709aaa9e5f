#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""leaks.py REFERENCE FOLDER [NVCC]: what FOLDER has of the solutions in REFERENCE.

A solution is what stands in a source between #ifdef SOLUTION and its #else or
#endif, and a page such as answers.md, whole. Solutions and files are taken as
their words (names and numbers) only: layout, operators, comment marks, diff marks,
quoting in a string or in HTML change nothing, nor do a file's name and type. A run
of 12 words that stands in a solution and in a file is a leak. That is longer than
a trivial line, such as this one of 9:

    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

Where NVCC is given, solutions are compiled, too: a run of 24 instructions that
stands in their PTX and in a file is a leak. Other names of registers do not hide it.

What a file or a page has as base64, and what gzip has packed, is searched as well.
Not a leak: what the same sources give away in their stubs. Not found: code whose
names were changed, machine code, and what is packed in other ways.

Prints "FILE:LINE: SOURCE:LINE: words" for each; exit status 1: there are some.
"""
import base64
import binascii
import collections
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

WORDS = 12
INSTRUCTIONS = 24
WORD = re.compile(r"[A-Za-z_]\w*|\d\w*")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# An escape in a string, and HTML's names of < > & and quotes.
WRAPPED = re.compile(r"\\[nt]|&(?:lt|gt|amp|quot|#\d+);")
MARK = re.compile(r"\s*#\s*(if|else|elif|endif)")
SOURCE = (".c", ".cu", ".h", ".cuh")

# An instruction of PTX, without its predicate; also in a string of JSON.
INSTRUCTION = re.compile(r"(?<![\w/+.%$])([a-z][a-z0-9]{1,11}(?:(?:\.|::)\w+)*)[ \t]*([^;{}\n]{0,160});")
ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})|\\([nt])")
OPERAND = re.compile(r"%\w+|\$?\b[A-Za-z_$][\w$]*")
PACKED = re.compile(rb"[A-Za-z0-9+/]{200,}={0,2}")
DEEPEST, MOST_UNPACKED = 3, 64 << 20

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


# ---- PTX ----

class Trouble(Exception):
    """Why the solutions could not be compiled."""


def unescaped(text):
    """A string of JSON as it is read: its lines, and < > &."""
    return ESCAPED.sub(lambda e: {"n": "\n", "t": "\t"}[e[2]] if e[2] else chr(int(e[1], 16)), text)


def instructions_of(text):
    """[(instruction, where it begins)]: operands are registers, names or numbers."""
    def operand(word):
        return "%" if word[0].startswith("%") else "name"
    return [(found[1] + " " + OPERAND.sub(operand, found[2]).replace(" ", ""), found.start())
            for found in INSTRUCTION.finditer(text)]


def instruction_runs(text):
    """Each run of INSTRUCTIONS in a row, and where its first begins."""
    found = instructions_of(text)
    for k in range(len(found) - INSTRUCTIONS + 1):
        yield tuple(words for words, _ in found[k:k + INSTRUCTIONS]), found[k][1]


def compile_all(sources, nvcc, root, solved):
    """{name: PTX}"""
    made = {}
    with tempfile.TemporaryDirectory() as work:
        for path in sources:
            done = subprocess.run(
                [nvcc, "-ptx", "-arch=compute_75", *(["-DSOLUTION"] if solved else []),
                 *(f"-I{folder}" for folder in sorted(root.glob("labs/*/"))),
                 "-o", pathlib.Path(work, "it.ptx"), path],
                capture_output=True, text=True, check=False)
            if done.returncode:
                raise Trouble(f"{path.name} is not compiled: {done.stderr.strip()}")
            made[path.name] = pathlib.Path(work, "it.ptx").read_text()
    return made


def machine_secrets(reference, nvcc):
    """{run: (source, 0)} of what PTX of solutions has, and that of stubs has not."""
    reference = pathlib.Path(reference).absolute()
    sources = sorted(reference.glob("*.cu"))
    given = {run for text in compile_all(sources, nvcc, reference.parent, False).values()
             for run, _ in instruction_runs(text)}
    secret = {}
    for name, text in compile_all(sources, nvcc, reference.parent, True).items():
        for run, _ in instruction_runs(text):
            if run not in given:
                secret.setdefault(run, (name, 0))
    return secret


def machine_leaks_in(text, secret):
    """[(line, (source, 0), words)]: the first of each source."""
    text, found = unescaped(text), {}
    for run, at in instruction_runs(text) if secret else ():
        if run in secret and secret[run] not in found:
            found[secret[run]] = (text.count("\n", 0, at) + 1, secret[run],
                                  ["PTX:", *run[:4]])
    return list(found.values())


# ---- files ----

def unpacked(data):
    """What gzip has packed, or None."""
    if not data.startswith(b"\x1f\x8b"):
        return None
    try:
        return zlib.decompressobj(31).decompress(data, MOST_UNPACKED)
    except zlib.error:
        return None


def contents_of(data, depth=0):
    """The bytes of a file, and what is packed in them."""
    yield data
    if depth == DEEPEST:
        return
    inner = unpacked(data)
    if inner is not None:
        yield from contents_of(inner, depth + 1)
    for found in PACKED.finditer(data):
        try:
            text = found[0].rstrip(b"=")
            inner = base64.b64decode(text + b"=" * (-len(text) % 4))
        except binascii.Error:
            continue
        yield from contents_of(inner, depth + 1)


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


def search(folder, secret, machine=None):
    """The leaks in all files under the folder, of any type; .git is not one.
    machine: what PTX is not to have (machine_secrets)."""
    folder, seen = pathlib.Path(folder), set()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if name.parts[0] == ".git" or not path.is_file():
            continue
        for number, data in enumerate(contents_of(path.read_bytes())):
            if number and data in seen: # what several pages have packed
                continue
            seen.update([data] if number else [])
            text = data.decode(errors="replace")
            for line, (source, at), words in (leaks_in(text, secret) +
                                              machine_leaks_in(text, machine)):
                yield Leak(str(name), line, source, at, " ".join(words))


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: tools/leaks.py REFERENCE FOLDER [NVCC]")
    secret = secrets(sys.argv[1])
    machine = machine_secrets(sys.argv[1], sys.argv[3]) if sys.argv[3:] else None
    found = list(search(sys.argv[2], secret, machine))
    for leak in found:
        print(f"{leak.path}:{leak.line}: {leak.source}:{leak.source_line}: {leak.text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
