#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""faults.py SCANLAB INJECT ALLOCATE OUT [--some N] [--each N] [--only CASE,...]
            [--part K/N] [-j N] [--seed N]

Trouble is never points: grades small submissions, right and wrong ones, again and
again, and a class of two, and each time another system call fails, of scanlab, its
walls, the runner, a compiler, or Python (inject.c), or an allocation of scanlab's
(allocate.c). Each grade must be the one that it is without, or none: exit status 2
and a sentence. In a class, each row; and a second run must grade what the first
could not. --each N: at most N calls of each kind of each program; --some N: so many
of all injections, chosen by the seed; --part K/N: of these the K-th of N parts, in
which all kinds are mixed, for what takes hours.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import os
import pathlib
import random
import re
import shutil
import sys
import time

ROOT = pathlib.Path(os.environ.get("SCANLAB_ROOT", pathlib.Path(__file__).parents[2]))
sys.path[1:1] = [str(ROOT / "tests/tools"), str(ROOT / "vgpu/tests/tools")]
import asked  # noqa: E402
import hanging  # noqa: E402
JUDGES = 3000  # of a grade's allocations, the last are the judge's

# What can go wrong with a call of each kind of calls.def.
ERRORS = {
    "process": ["EAGAIN", "ENOMEM", "KILL"], "thread": ["EAGAIN"],
    "open": ["EMFILE", "ENFILE", "ENOMEM", "EIO", "ENOSPC"], "read": ["EIO", "ENOMEM", "KILL"],
    "receive": ["ENOMEM", "KILL"], "write": ["ENOSPC", "EIO", "KILL"],
    "send": ["ENOMEM", "KILL"], "memory": ["ENOMEM"], "pipe": ["EMFILE", "ENFILE", "ENOMEM"],
    "copy": ["EMFILE"], "folder": ["ENOSPC", "EIO", "ENOMEM"], "name": ["ENOSPC", "EIO"],
    "look": ["EIO", "ENOMEM", "SLOW"], "room": ["ENOSPC", "ENOMEM", "EIO"],
    "lock": ["ENOMEM", "EIO"], "begin": ["ENOMEM", "EIO", "EAGAIN"],
    "wall": ["ENOMEM", "EAGAIN"], "allocation": ["ENOMEM"]}


def solution(path):
    return "#define SOLUTION 1\n" + (ROOT / path).read_text(encoding="utf-8")


RIGHT_C, RIGHT = solution("reference/cpu_scan.c"), solution("reference/naive.cu")
WRONG_C = RIGHT_C.replace("out[i] = sum;", "out[i] = sum ^ 1;")
WRONG = RIGHT.replace("src[i - offset], src[i]", "src[i - offset], src[0]")
BROKEN_C = '#include "cpu_scan.h"\nint no_semicolon\n}\n'
WITH_CUB = "#include <cub/version.cuh>\n" + RIGHT
C, CUDA = "cpu_scan.c", "naive.cu"

# name: lab, check, the file handed in, is what was compiled kept from before?
CASES = {
    "c": ("cpu-scan", "wrap-around", C, RIGHT_C, True),
    "c-cold": ("cpu-scan", "wrap-around", C, RIGHT_C, False),
    "c-threads": ("cpu-scan", "threads-in-place", C, RIGHT_C, True),
    "c-errors": ("cpu-scan", "errors-threads", C, RIGHT_C, True),
    "c-watched": ("cpu-scan", "clean-inclusive", C, RIGHT_C, True),
    "c-wrong": ("cpu-scan", "wrap-around", C, WRONG_C, True),
    "c-broken": ("cpu-scan", "wrap-around", C, BROKEN_C, False),
    "cuda": ("naive", "full-range", CUDA, RIGHT, True),
    "cuda-again": ("naive", "again", CUDA, RIGHT, True),
    "cuda-errors": ("naive", "errors", CUDA, RIGHT, True),
    "cuda-wrong": ("naive", "full-range", CUDA, WRONG, True),
    "cuda-cold": ("naive", "full-range", CUDA, RIGHT, False),
    "cuda-cub": ("naive", "full-range", CUDA, WITH_CUB, False),
}


def run(command, place):
    """Status and last line of what was said; None, and how: it hangs."""
    status, said, hangs = hanging.run(
        command, env=os.environ | {"SCANLAB_ROOT": str(ROOT)}, cwd=place)
    said = [row for row in said.splitlines() if row.strip()]
    return (None, hangs) if hangs else (status, said[-1] if said else "")


class Grade:
    """A grade of one check. Of a result, [:-1] is what must be the same."""
    fault = "scanlab: "

    def __init__(self, name, scanlab, inject, allocate, out):
        self.name, self.inject, self.allocate, self.out = name, inject, allocate, out / name
        self.scanlab, self.cache, self.counts = scanlab, None, []
        shutil.rmtree(self.out, ignore_errors=True)
        self.hand_in()
        self.expected = self.grade([], self.out / "before")
        if self.is_warm():
            self.cache = self.out / "cache"
            shutil.copytree(self.out / "before/cache", self.cache)
        shutil.rmtree(self.out / "before")
        told = self.out / "counts"
        for counting in ([inject, "-o", told, "--"], self.allocating(0, told)):
            self.grade(counting, self.out / "counted")
            self.counts += [row.split() for row in told.read_text().splitlines()]

    def hand_in(self):
        file, text = CASES[self.name][2:4]
        (self.out / "submission").mkdir(parents=True)
        (self.out / "submission" / file).write_text(text, encoding="utf-8")

    def is_warm(self):
        return CASES[self.name][4]

    def allocating(self, k, told):
        return ["env", f"LD_PRELOAD={self.allocate}", f"ALLOCATE_FAILS={k}",
                f"ALLOCATE_TOLD={told}"]

    def before(self, injection, told):
        """The words before the command."""
        _, program, kind, k, error = injection
        if kind == "allocation":
            return self.allocating(k, told)
        return [self.inject, "-p", program, "-c", kind, "-k", str(k), "-e", error,
                "-o", str(told), "--"]

    def grade(self, before, place, keep=False):
        if not keep:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            if self.cache:
                shutil.copytree(self.cache, place / "cache")
        lab, check = CASES[self.name][:2]
        report = place / "grade.json"
        report.unlink(missing_ok=True)
        status, said = run(
            [*before, self.scanlab, "grade", lab, "--check", check, "--device", "vgpu",
             "--seed", "1", "--repairs", "0", "--submission",
             str(self.out / "submission"), "--cache", str(place / "cache"), "--report", f"json={report}"], ROOT)
        if status not in (0, 1):
            return status, said
        try:
            grade = json.loads(report.read_text(encoding="utf-8"))
        except (OSError, ValueError) as why:
            return status, f"no report: {why}"
        return (status, grade["score"], [
            (lab["score"], bool(lab["build_error"]),
             [(c["id"], c["status"], c["score"]) for c in lab["checks"]])
            for lab in grade["labs"]],
            [c.get("message") for lab in grade["labs"] for c in lab["checks"]])

    def injections(self, most):
        """Of each kind of call of each program at most so many, evenly spread."""
        for program, kind, n in self.counts:
            for i, error in enumerate(ERRORS.get(kind, [])):
                # Most allocations are those of reading the labs, all alike.
                n, shift = int(n), i * 0.37 % 1
                from_k = max(0, n - JUDGES) if kind == "allocation" else 0
                few = min(n - from_k, most)
                for k in range(few if program != "?" else 0):  # the injector's own
                    yield (self, program, kind,
                           from_k + int((k + shift) * (n - from_k) / few) + 1, error)

    def verdict(self, got, injection, place):
        """How it ended, and what is wrong with that; None: nothing."""
        _, program, kind, k, error = injection
        if got[0] is None:
            return "hangs", got[1]
        # It is gone, or the system could not load it: no grade. (glibc's loader has
        # a SIGSEGV where its first mapping fails, of every program.)
        if (program, kind, k, got) == ("scanlab", "memory", 1, (139, "")):
            return "no start", None
        if program in ("scanlab", "python3") and got[1:2] != ("",) and (
                got[0] == 127 or (error == "KILL" and got[0] == 137)) or got == (137, ""):
            return "no start", None
        if got[0] == 2:
            is_sentence = len(got[1]) > 20 and got[1].startswith(self.fault)
            return "fault", None if is_sentence else f"no sentence: {got}"
        if got[:-1] != self.expected[:-1]:
            return "wrong", str(got)
        # What is kept is what a grade without trouble would find.
        after = got if self.cache else self.grade([], place, True)
        is_same = after[:-1] == self.expected[:-1]
        return "same", None if is_same else f"the next grade: {after}"


class Class(Grade):
    """A class of two, under a lab with two checks."""
    fault = "scanlab class: "
    STATES = "graded", "fault"

    def hand_in(self):
        for who, text in ("ann", RIGHT_C), ("bob", WRONG_C):
            (self.out / "class" / who).mkdir(parents=True)
            (self.out / "class" / who / C).write_text(text, encoding="utf-8")
        shutil.copytree(ROOT / "labs/common", self.out / "labs/common")
        lab = shutil.copytree(ROOT / "labs/00-cpu-scan", self.out / "labs/00-cpu-scan")
        parts = re.split(r"(?m)^(?=\[)", (lab / "lab.ini").read_text(encoding="utf-8"))
        wanted = "[check inclusive]", "[check wrap-around]"
        (lab / "lab.ini").write_text("".join(
            p for p in parts if not p.startswith("[check ") or p.startswith(wanted)),
            encoding="utf-8")

    def is_warm(self):
        return False

    def grade(self, before, place, keep=False):
        if not keep:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
        book = place / "out/gradebook.csv"
        status, said = run(
            [*before, self.scanlab, "class", str(self.out / "class"), "--labs",
             str(self.out / "labs"), "-o", str(place / "out"), "--seed", "1", "-j", "1"],
            ROOT)
        try:
            with open(book, encoding="utf-8", newline="") as file:
                rows = {r["submission"]: (r["status"], r["score"])
                        for r in csv.DictReader(file)}
        except (OSError, KeyError):
            rows = None
        return status, rows, said

    def verdict(self, got, injection, place):
        status, rows, said = got
        if status is None:
            return "hangs", said
        for key, row in (rows or {}).items():
            if row != self.expected[1][key] and row != ("fault", ""):
                return "wrong", f"{key} {row}"
        if status in (0, 1) and rows != self.expected[1]:
            return "wrong", str(got)
        # Killed outright, or a fault: the next run does what it left.
        after = self.grade([], place, True)
        if after[:2] != self.expected[:2]:
            return "wrong", f"the next run: {after}"
        if status in (0, 1):
            return "same", None
        if status < 0 or status in (127, 137) or \
                injection[1:4] == ("scanlab", "memory", 1) and status == 139:
            return "no start", None
        told = status == 2 and (len(said) > 20 or rows is not None)
        return "fault", None if told else f"no sentence: {got}"


def one(injection):
    """How a grade ended in which this fails, and what is wrong with it."""
    case, program, kind, k, error = injection
    place = case.out / f"{program}-{kind}-{k}-{error}"
    told = case.out / f"{place.name}.told"
    got = case.grade(case.before(injection, told), place)
    came = told.exists() and "injected" in told.read_text()
    ended, wrong = case.verdict(got, injection, place)
    shutil.rmtree(place, ignore_errors=True)
    told.unlink(missing_ok=True)
    return injection, ended if came or wrong else "did not come", wrong, \
        got[-1] if ended == "fault" else ""


def read_words():
    parser = argparse.ArgumentParser()
    for name in "scanlab", "inject", "allocate":
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--some", type=int)
    parser.add_argument("--each", type=int, default=1 << 30)
    parser.add_argument("--only", default="")
    parser.add_argument("--part", type=lambda text: tuple(map(int, text.split("/"))),
                        default=(1, 1))
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("--seed", type=int, default=int(asked.value("seed", 1)))
    return parser.parse_args()


def main():
    given = read_words()
    names = [n for n in given.only.split(",") if n] or [*CASES, "class"]
    cases = [(Class if n == "class" else Grade)(
        n, given.scanlab, given.inject, given.allocate, given.out.resolve()) for n in names]
    for case in cases:
        print(f"{case.name}: without trouble {case.expected}")
    every = [i for case in cases for i in case.injections(given.each)]
    random.Random(given.seed).shuffle(every)
    part, parts = given.part
    chosen = every[:given.some] if given.some else every
    chosen = chosen[len(chosen) * (part - 1) // parts:len(chosen) * part // parts]
    print(f"{len(chosen)} of {len(every)} injections, seed {given.seed}", flush=True)
    began = time.monotonic()
    ends, complaints, sentences = collections.Counter(), 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(given.j) as pool:
        for job in concurrent.futures.as_completed([pool.submit(one, i) for i in chosen]):
            injection, ended, wrong, said = job.result()
            ends[ended] += 1
            if sum(ends.values()) % 100 == 0:  # it takes hours
                print(dict(ends), f"{time.monotonic() - began:.0f} s", flush=True)
            sentences[re.sub(r"/\S+|-\d+-", "…", said)] += said != ""
            if wrong:
                complaints += 1
                case, program, kind, k, error = injection
                print(f"WRONG {case.name}: {program} {kind} {k} {error}: {wrong}", flush=True)
    print(dict(ends))
    for said, n in sentences.most_common(30):
        print(f"{n:6} {said}")
    sys.exit(complaints > 0)


if __name__ == "__main__":
    main()
