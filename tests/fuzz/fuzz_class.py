#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fuzz_class.py SECONDS [SEED [TARGET...]] [--out FOLDER]: changes what strangers hand
to tools/class and tools/stats, at random and again the same from the same seed, and
keeps what reaches lines that nothing reached before. What must hold stands with each
target. What breaks it is kept in FOLDER, and this program ends with 1:

    tests/fuzz/fuzz_class.py --replay TARGET FILE

Every input of tests/fuzz/regressions/class-TARGET is tried first. SECONDS are of a
processor, for each target: `make test` gives a few, a night an hour."""
import io
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import sqlite3
import sys
import tarfile
import tempfile
import time
import traceback
import types
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = [str(ROOT / "tools/class"), str(ROOT / "tools/stats")]
sys.dont_write_bytecode = True
sys.path[:0] = TOOLS
import compared  # noqa: E402
import grading  # noqa: E402
import known  # noqa: E402
import layouts  # noqa: E402
import ledger  # noqa: E402
import nicknames  # noqa: E402
import request  # noqa: E402
import unpack  # noqa: E402
import words  # noqa: E402
from walled import Fault  # noqa: E402

MOST_INPUT, EACH_S, MEMORY = 1 << 16, 20, 3 << 30
KEY = re.compile(r"[a-z0-9.@_-]{1,120}")


class Broken(Exception):
    """A property that does not hold."""


def must(holds, what):
    if not holds:
        raise Broken(what)


# ---- targets: a function of bytes and a folder; the inputs that it begins with ----

NAMES = ["Ann Lee_1234_assignsubmission_file_", "Ann_12_assignsubmission_file_scan.cu",
         "leeann_LATE_123_4567_scan.cu", "anon_X1y2Z_9_a.cu", "ann_1_2_text.html",
         "ann@cs.edu_3_handin.tar", "ann", "ann.zip", "Ann", "a" * 250, "submission_1",
         "submission_metadata.yml", "ann-0123456789abcdef", "con", "\u0435nn", "x\udcff"]


def entries_of(data):
    """A name in each line; its first character says what it is."""
    found = {}
    for row in data.decode("utf-8", "surrogateescape").split("\n")[:300]:
        name = row[1:].replace("/", "_").replace("\0", "_")[:255]
        if name and name not in (".", ".."):
            found[name] = ("file", "folder", "link", "other")[ord(row[0]) % 4]
    return sorted(found.items())


def names(data, _):
    """Whatever entries are called: each is a piece of one row, or told; keys are
    names of folders, and nobody has another's."""
    entries = layouts.without_litter(entries_of(data))
    layouts.only_folder(entries)
    layouts.has_list(entries)
    found, nobody = layouts.by_names(entries)
    keys_of(found)
    pieces = [piece.entry for s in found for piece in s.pieces] + [name for name, _ in nobody]
    must(len(pieces) == len(set(pieces)), "an entry that has two rows")
    must(set(pieces) <= {name for name, _ in entries}, "a row of nothing")


def keys_of(found):
    layouts.settle_keys(found)
    layouts.rows_of_one(found)
    keys = [s.key for s in found]
    must(len(keys) == len(set(keys)), "a key that two rows have")
    for key in keys:
        must(KEY.fullmatch(key) and key.strip(".") and len(key.encode()) < 200,
             f"the key {key!r}")
    for s in found:
        for text in [*(part for person in s.persons for part in person), *s.notes]:
            shown = words.cell(text)
            must(len(shown) <= words.MOST_IN_A_LINE + 1 and shown.isprintable() or
                 not re.search(r"[\x00-\x1f\x7f\u2028\u2029]", shown), f"the cell {shown!r}")
            shown.encode()
            must(not any(words.FORMULA.match(part) and part[0] != "'"
                         for part in shown.split(";")), f"the cell {shown!r}")


def yaml_list(data, _):
    """Gradescope's list, and entries beside it."""
    answer = json.loads(json.dumps(unpack.yaml_list(io.BytesIO(data))))
    if "refused" in answer:
        must(len(answer["refused"]) < 300, "a long sentence")
        return
    listed = answer["yaml"]
    entries = sorted({name: "folder" for name in ("submission_1", "submission_2")}.items())
    found, _ = layouts.gradescope(entries, listed)
    must(len(found) == len(listed), "a row too many")
    keys_of(found)


def archive(data, folder, what="sources"):
    """Only regular files and folders, below the folder, within bounds."""
    to = folder / "a/to"
    to.mkdir(parents=True)
    try:
        answer = unpack.archive(io.BytesIO(data), str(to), what, 2, 500)
    except (unpack.Unwritable, MemoryError):
        return
    json.dumps(answer)
    total, many = 0, 0
    for path in sorted(folder.rglob("*")):
        must(not path.is_symlink() and (path.is_dir() or path.is_file()), f"{path}: what?")
        must(path.is_relative_to(folder / "a"), f"{path} lies outside")
        if path.is_file():
            must(path.is_relative_to(to), f"{path} lies beside")
            total, many = total + path.stat().st_size, many + 1
    must(what == "all" or total <= 2 << 20 and many <= 500, "more than it may")


def archives(data, folder):
    archive(data, folder, "all")


def asked(data, folder):
    """What scanlab class was asked for, and a course's file."""
    text = data.decode("utf-8", "surrogateescape").replace("\0", "")
    rows, _, course = text.partition("\n\n")
    (folder / "course.ini").write_text(course, encoding="utf-8", errors="surrogateescape")
    given = []  # as scanlab has read them
    for name, _, value in (row.partition("=") for row in rows.split("\n")):
        if name not in ("jobs", "handed_in") and (name != "lab" or "/" in value):
            given.append(f"{name}={value}")
    request.Request(["folder=x", "build=b", "root=r", "labs=l", *given])
    request.course_has_seed(str(folder))


def kept(data, folder):
    """A ledger that something has spoiled: a fault, or what was in it."""
    (folder / "ledger.sqlite3").write_bytes(data)
    try:
        book = ledger.Ledger(str(folder / "ledger.sqlite3"))
        for key in "ann", "bo":
            book.grade(key, "h")
            book.reports(key, "h")
        book.fact("seed")
        book.put({"submission": "ann", "hash": "h", "grade": {}, "reports": {},
                  "attempt": ["s", 1]})
    except Fault:
        pass
    finally:
        if "book" in locals():
            book.base.close()
    shutil.copy(folder / "ledger.sqlite3", folder / "gradebook.sqlite3")
    try:
        known.read(str(folder)).anonymous()
    except known.Unusable:
        pass


def finished(data, folder):
    """What a killed run has left: another's result is never taken."""
    (folder / "work/0").mkdir(parents=True)
    (folder / "work/0/finished.json").write_bytes(data)
    book = ledger.Ledger(str(folder / "ledger.sqlite3"))
    try:
        work = grading.Grading(types.SimpleNamespace(build=str(folder / "build")), book,
                               None, str(folder))
        work.adopt([grading.Task("ann", "h", "s")])
        rows = book.run("SELECT submission FROM result")
        must(rows in ([], [("ann",)]), f"results of {rows}")
        must({p.name for p in folder.iterdir()} <= {
            "work", "feedback", "ledger.sqlite3", "ledger.sqlite3-journal"}, "files beside")
    except Fault:
        pass
    finally:
        book.base.close()


def board(data, folder):
    """Nicknames: nobody is on it twice, or as somebody else."""
    (folder / "chosen.csv").write_bytes(data)
    class_ = [known.Student("ann", (("1", "Ann Lee", "a@x.edu"),)),
              known.Student("bo", (("2", "Bo", ""),))]
    try:
        taken, wrong = nicknames.read(str(folder / "chosen.csv"), class_)
    except known.Unusable:
        return
    seen = [nicknames.looks(name) for name in taken.values()]
    must(len(seen) == len(set(seen)) and set(taken) <= {"ann", "bo"}, f"{taken}")
    must(nicknames.looks(taken.get("bo", "")) != nicknames.looks("Ann Lee"), f"{taken}")
    must(len(wrong) < 200, "sentences without end")


def tokens(data, _):
    """Sources to compare: no more tokens than bytes; like itself, and that is all."""
    own = compared.tokens_of(data, set())
    must(len(own) <= len(data), "tokens of nothing")
    found = compared.pairs([own, own, b"(;" * 50], 30, 30, 5)
    must(all(0 <= a < b <= 2 and 30 <= p <= 100 for p, a, b in found), f"{found}")
    must(len(own) < 30 or [100, 0, 1] in found, "it is not like itself")


def zipped():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name in "naive.cu", "a/b.h", "../evil.cu", "a", "ann/in.zip":
            made.writestr(name, "int x;\n" * 9)
    return out.getvalue()


def tarred(mode):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=tarfile.PAX_FORMAT) as made:
        for name, kind in (("naive.cu", tarfile.REGTYPE), ("l.h", tarfile.SYMTYPE),
                           ("\u00e4/b.h", tarfile.REGTYPE), ("d", tarfile.DIRTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd" * (kind == tarfile.SYMTYPE)
            member.size = 7 * (kind == tarfile.REGTYPE)
            made.addfile(member, io.BytesIO(b"int x;\n"))
    return out.getvalue()


def books():
    """A small ledger with a gradebook's table in it."""
    with tempfile.TemporaryDirectory() as place:
        path = place + "/ledger.sqlite3"
        book = ledger.Ledger(path)
        check = {"id": "c", "title": "C", "kind": "correct", "status": "fail", "score": 0,
                 "max_score": 5, "diagnosis": ["bound", "x"], "counts": [["x", 1, "<=", 2]]}
        lab = {"id": "naive", "title": "N", "checks": [check], "timed": []}
        grade = {"score": 1, "max_score": 5, "points": "1", "device": "vgpu", "labs": [lab]}
        book.put({"submission": "ann", "hash": "h", "grade": grade,
                  "reports": {"report.txt": "0"}, "attempt": ["s", 1]})
        book.run("CREATE TABLE student (submission TEXT, id TEXT, name TEXT, email TEXT, "
                 "late INTEGER, status TEXT)")
        book.run("INSERT INTO student VALUES ('ann', '1', 'Ann', '', 0, 'graded')")
        book.run("VACUUM")
        book.base.close()
        return pathlib.Path(path).read_bytes()


LIST = b"""---
submission_1:
  :submitters:
  - :name: Ann Lee
    :sid: 007
    :email: ann@x.edu
  :created_at: 2026-11-20 10:00:00.123 Z
submission_2: &a
  :submitters: [{:name: Bo}]
submission_3: *a
? [x]
: !ruby/object:X {y: 1}
"""
TARGETS = {
    "names": (names, lambda: ["\n".join("b" + n for n in NAMES).encode(
        "utf-8", "surrogateescape"), "\n".join("a" + n for n in NAMES).encode(
            "utf-8", "surrogateescape")]),
    "yaml": (yaml_list, lambda: [LIST]),
    "archive": (archive, lambda: [zipped(), *map(tarred, ("w", "w:gz", "w:bz2", "w:xz"))]),
    "archives": (archives, lambda: [zipped(), *map(tarred, ("w", "w:gz"))]),
    "request": (asked, lambda: [b"lab=naive/naive.cu\noutput=o\nseed=1\n\n[course]\nseed = 1\n"]),
    "ledger": (kept, lambda: [books()]),
    "finished": (finished, lambda: [json.dumps(
        {"submission": "ann", "hash": "h", "grade": {"score": 1}, "attempt": ["s", 1],
         "reports": {"report.txt": None, "../x": "0"}}).encode()]),
    "board": (board, lambda: [b'id,nickname\r\n1,Zed\r\n2,"A\nnn"\r\nbo,\xd0\x90nn Lee\r\n']),
    "tokens": (tokens, lambda: [(ROOT / "student/naive.cu").read_bytes()]),
}
PIECES = [b"\0", b"\n", b"_", b"..", b"/", b"\\", b'"', b"'", b",", b"-1", b"999999999999",
          b"\xff", b"\xf0\x9f\x8e\x89", b"\xcc\x81", b"*a", b"&a", b"- ", b": ", b"{", b"[",
          b"PK\x01\x02", b"PK\x03\x04", b"\x7f\xff\xff\xff\xff\xff\xff\xff", b"null", b"[[[[",
          b"_assignsubmission_file_", b"_LATE_", b"@", b".zip", b"1e999", b"NaN", b"/*", b"=cmd"]


# ---- the search ----

def changed(draw, data, corpus):
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 4, 16))):
        at, n = draw.randrange(len(data) + 1), draw.choice((1, 1, 2, 4, 8, 64))
        how = draw.randrange(7)
        if how == 0 and data:
            data[at % len(data)] ^= 1 << draw.randrange(8)
        elif how == 1:
            del data[at:at + n]
        elif how == 2:
            data[at:at] = draw.choice(PIECES) * draw.choice((1, 1, 1, 3, 100))
        elif how == 3:
            data[at:at + n] = draw.randbytes(n)
        elif how == 4:
            data[at:at] = data[at:at + 16 * n]
        elif how == 5:
            other = draw.choice(corpus)
            begin = draw.randrange(len(other) + 1)
            data[at:at + n] = other[begin:begin + 8 * n]
        else:
            data[at:at + n] = draw.choice(PIECES)
    return bytes(data[:MOST_INPUT])


def lines_of(work):
    """The lines of tools/ that some work reaches."""
    reached = set()

    def within(frame, event, _):
        if event == "line":
            reached.add((frame.f_code.co_filename, frame.f_lineno))
        return within

    def call(frame, *_):
        return within if frame.f_code.co_filename.startswith(tuple(TOOLS)) else None
    sys.settrace(call)
    try:
        work()
    finally:
        sys.settrace(None)
    return reached


def late(*_):
    raise Broken(f"more than {EACH_S} s")


def tried(target, data, place, trace=True):
    """The lines that were reached. An exception is what was looked for."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    signal.setitimer(signal.ITIMER_VIRTUAL, EACH_S)
    try:
        if trace:
            return lines_of(lambda: TARGETS[target][0](data, place))
        TARGETS[target][0](data, place)
        return set()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def search(target, seconds, seed, place, out):
    """Whether nothing was found."""
    draw, seen, many = random.Random(f"{seed} {target}"), set(), 0
    first = TARGETS[target][1]()
    kept_before = ROOT / f"tests/fuzz/regressions/class-{target}"
    first += [path.read_bytes() for path in sorted(kept_before.glob("*"))]
    corpus, until = [], time.process_time() + seconds
    while many < len(first) or time.process_time() < until:
        data = first[many] if many < len(first) else changed(
            draw, draw.choice(corpus), corpus)
        many += 1
        try:
            reached = tried(target, data, place)
        except Exception:
            path = out / f"{target}-{words.digest(data)[:12]}"
            path.write_bytes(data)
            traceback.print_exc()
            print(f"FOUND: tests/fuzz/fuzz_class.py --replay {target} {path}", flush=True)
            return False
        if many <= len(first) or not reached <= seen:
            corpus.append(data)
            seen |= reached
    print(f"{target}: {seconds} s, seed {seed}: {many} inputs, {len(corpus)} kept, "
          f"{len(seen)} lines reached: clean", flush=True)
    return True


def main():
    given, out = sys.argv[1:], None
    if "--out" in given:
        at = given.index("--out")
        out = pathlib.Path(given[at + 1])
        out.mkdir(parents=True, exist_ok=True)
        del given[at:at + 2]
    signal.signal(signal.SIGVTALRM, late)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="fuzz-class.", dir=shm) as work:
        place = pathlib.Path(work) / "one"
        if given[:1] == ["--replay"]:
            tried(given[1], pathlib.Path(given[2]).read_bytes(), place, False)
            return 0
        seconds = float(given[0])
        seed = given[1] if len(given) > 1 else str(random.SystemRandom().randrange(1 << 32))
        return 0 if all([search(target, seconds, seed, place, out or pathlib.Path("."))
                         for target in given[2:] or TARGETS]) else 1


if __name__ == "__main__":
    sys.exit(main())
