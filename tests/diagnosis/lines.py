#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is the line of the mistake marked? Grades wrong submissions, and looks where the
report points.

    lines.py [--every N] [--first N] [--one-of N] [--only TEXT] [-j N] [--csv FILE]
             SCANLAB OUT FOLDER...

FOLDER has LAB/NAME.patch, changes of the references. The lines of a mistake are
those of the header "lines" (numbers in the patched file), or else what the patch
changes: the statements in which it adds a line, and the lines on both sides of what
it takes away. A submission is graded whole, or with --alone in the check alone that
its header says fails first; what counts is the first check that fails.

Of each submission: "first" if the first line that the report shows is one of them,
"marked" if a later one is, "other" if only other lines are shown, "none".
"given": a line of the stub, which the student did not write, is shown.
Exit status: 0, or 1 where fewer than --least LEAST percent are marked, more than
--given GIVEN show the stub's lines, or more than --most MOST lines are shown on
average."""
import argparse
import collections
import concurrent.futures
import csv
import difflib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/tools"), str(ROOT / "tests/points"),
                str(ROOT / "vgpu/tests/tools"), str(ROOT / "tools")]
sys.dont_write_bytecode = True
import case  # noqa: E402
import given  # noqa: E402
import graded  # noqa: E402
import points  # noqa: E402

HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)")
VERDICTS = "first", "marked", "other", "none"
KEYS = graded.KEYS + " lines"
Seen = collections.namedtuple("Seen", "path lab check verdict given true spots message")


def is_code(text):
    bare = text.strip()
    return bool(bare) and not bare.startswith(("//", "/*", "*", "#"))


def ends(text):
    """Does no statement go on behind this line?"""
    bare = re.sub(r"//.*|/\*.*?\*/", "", text).rstrip()
    return not is_code(text) or bare.endswith((";", "{", "}", ":"))


def statement(lines, at):
    """The numbers of the lines that line `at` is one statement with."""
    first = last = at
    while first > 1 and not ends(lines[first - 2]):
        first -= 1
    while last < len(lines) and not ends(lines[last - 1]):
        last += 1
    return set(range(first, last + 1))


def beside(lines, at, step):
    """The next line of code from `at` on, in this direction."""
    while 1 <= at <= len(lines) and not is_code(lines[at - 1]):
        at += step
    return statement(lines, at) if 1 <= at <= len(lines) else set()


def changed(patch, lines):
    """The lines of the mistake, by the patch that makes it."""
    true, at, gone, added = set(), 0, False, False
    for text in patch.splitlines():
        hunk = HUNK.match(text)
        if hunk:
            at, gone, added = int(hunk[1]), False, False
        elif at and text.startswith("+"):
            added = True
            if is_code(text[1:]):
                true |= statement(lines, at)
            at += 1
        elif at and text.startswith("-"):
            gone = gone or is_code(text[1:])
        elif at:
            if gone and not added:
                true |= beside(lines, at - 1, -1) | beside(lines, at, 1)
            gone = added = False
            at += 1
    return true


def added(patch):
    """The numbers of the lines that the patch adds."""
    numbers, at = set(), 0
    for text in patch.splitlines():
        hunk = HUNK.match(text)
        if hunk:
            at = int(hunk[1])
        elif at and text[:1] in " +":
            numbers |= {at} if text[0] == "+" else set()
            at += 1
    return numbers


def given_lines(source, lab):
    """The numbers of the lines that a student is given: outside of what is to be
    written, and in the lab's list."""
    listed = next(ROOT.glob(f"labs/*-{lab}/given.txt")).read_text()
    stub = {" ".join(text.split()) for text in listed.splitlines()}
    return {number for number, text in enumerate(given.shared(source), 1)
            if " ".join(text.split()) in stub - {""}}


def fresh(text, lab):
    """The patch that makes this text of the reference: the numbers of one that was
    written for an older reference are those of other lines."""
    of = (ROOT / "reference" / points.SOURCES[lab]).read_text()
    return "\n".join(difflib.unified_diff(of.splitlines(), text.splitlines(), lineterm=""))


def patched(path, lab):
    """The reference with the change, and its file's name."""
    name = points.SOURCES[lab]
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch, name)
        shutil.copy(ROOT / "reference" / name, source)
        subprocess.run(["patch", "--silent", "--no-backup-if-mismatch", "--fuzz=0",
                        source, path], check=True)
        return source.read_text(), name


def look(scanlab, path, out, alone):
    header = case.read(path, KEYS)[0]
    lab = path.parent.name
    text, name = patched(path, lab)
    lines = text.splitlines()
    named = header.one("lines", "")
    true = {int(word) for word in named.split(",")} if named else \
        changed(fresh(text, lab), lines)
    fails = [words[0] for words in map(str.split, header.all("expect"))
             if words[1:2] == ["fail"]]
    only = ["--check", fails[0]] if alone and fails and fails[0] != "*" else []
    folder = out / f"{lab}.{path.stem}"
    points.make(points.Line(str(path.resolve()), "mistake", "seen", 0, 100, "", 0),
                folder)
    report = folder.parent / (folder.name + ".json")
    done = subprocess.run([scanlab, "grade", lab, "--submission", folder, "--device",
                           "vgpu", "--seed", "1", *only, "-f", "json", "-o", report],
                          capture_output=True, text=True)
    shutil.rmtree(folder)
    if done.returncode not in (0, 1):
        sys.exit(f"{path}: {done.stderr}")
    failed = [c for c in json.loads(report.read_text())["labs"][0]["checks"]
              if c["status"] == "fail"]
    if not failed:
        return Seen(path, lab, "", "right", "", true, [], "")
    spots = [s for s in failed[0].get("source") or []]
    at = [s["line"] for s in spots if s["file"] == name]
    hit = [n in true for n in at]
    verdict = "none" if not spots else "first" if hit[:1] == [True] else \
        "marked" if any(hit) else "other"
    own = true | added(fresh(text, lab))
    strange = [n for n in at if n in given_lines(text, lab) - own]
    kinds = [f"{s['kind']}:{s['line']}" for s in spots]
    return Seen(path, lab, failed[0]["id"], verdict, strange, true, kinds,
                failed[0]["message"])


def table(seen):
    print("| lab | submissions | first | marked | another line | none | stub's |")
    print("|---|---|---|---|---|---|---|")
    by = collections.defaultdict(list)
    for s in seen:
        by[s.lab].append(s)
    for lab, of in [*by.items(), ("all", seen)]:
        print(f"| {lab} | {len(of)} | " +
              " | ".join(str(sum(s.verdict == v for s in of)) for v in VERDICTS) +
              f" | {sum(bool(s.given) for s in of)} |")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--one-of", type=int, default=1,
                   help="those whose name's sum is a multiple: others that come change nothing")
    p.add_argument("--only", default="")
    p.add_argument("--alone", action="store_true")
    p.add_argument("-j", type=int, default=1)
    p.add_argument("--csv", type=pathlib.Path)
    p.add_argument("--least", type=float, default=0)
    p.add_argument("--given", type=int, default=10 ** 9)
    p.add_argument("--most", type=float, default=10 ** 9)
    p.add_argument("scanlab")
    p.add_argument("out", type=pathlib.Path)
    p.add_argument("folders", nargs="+", type=pathlib.Path)
    a = p.parse_args()
    paths = sorted(path for folder in a.folders for path in folder.glob("*/*.patch")
                   if a.only in str(path) and path.parent.name in points.SOURCES)
    paths = [path for path in paths if not path.name.startswith("honest")]
    paths = [path for path in paths if not zlib.crc32(
        f"{path.parent.name}/{path.stem}".encode()) % a.one_of]
    a.out.mkdir(parents=True, exist_ok=True)
    seen = []
    with concurrent.futures.ThreadPoolExecutor(a.j) as pool:
        for s in pool.map(lambda path: look(a.scanlab, path, a.out, a.alone),
                          paths[a.first - 1::a.every]):
            if s.verdict == "right":
                continue
            seen.append(s)
            if s.verdict != "first" or s.given:
                print(f"{s.lab}/{s.path.stem}: {s.check}: {s.verdict}: shown "
                      f"{' '.join(s.spots) or 'nothing'}; true "
                      f"{sorted(s.true)}{' STUB' if s.given else ''}", flush=True)
    if a.csv:
        with a.csv.open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(Seen._fields)
            rows.writerows([s.path.relative_to(ROOT) if s.path.is_relative_to(ROOT)
                            else s.path, s.lab, s.check, s.verdict, bool(s.given),
                            " ".join(map(str, sorted(s.true))), " ".join(s.spots),
                            s.message] for s in seen)
    table(seen)
    marked = sum(s.verdict in ("first", "marked") for s in seen)
    given = sum(bool(s.given) for s in seen)
    shown = sum(len(s.spots) for s in seen) / max(1, len(seen))
    print(f"{marked} of {len(seen)} marked ({100 * marked / max(1, len(seen)):.1f} %), "
          f"{given} with a line of the stub, {shown:.1f} lines on average")
    if 100 * marked < a.least * len(seen) or given > a.given or shown > a.most:
        sys.exit(1)


if __name__ == "__main__":
    main()
