#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""faults.py SCANLAB INJECT OUT [--some N] [--only WORD] [-j N] [--seed N]

Trouble is never points: grades small submissions, right and wrong ones, again and
again, and each time another system call fails, of scanlab, its walls, the runner,
or of a compiler (inject.c). Each grade must be the one that it is without, or none:
exit status 2 and a sentence. --some N: a choice of N of all injections; else all.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("SCANLAB_ROOT", pathlib.Path(__file__).parents[2]))
LATEST_S = 60  # a hang; a grade takes one

# What can go wrong with a call of each kind of calls.def.
ERRORS = {
    "process": ["EAGAIN", "ENOMEM", "KILL"], "thread": ["EAGAIN"],
    "open": ["EMFILE", "ENFILE", "ENOMEM", "EIO", "ENOSPC"], "read": ["EIO", "ENOMEM", "KILL"],
    "receive": ["ENOMEM", "KILL"], "write": ["ENOSPC", "EIO", "KILL"],
    "send": ["ENOMEM", "KILL"], "memory": ["ENOMEM"], "pipe": ["EMFILE", "ENFILE", "ENOMEM"],
    "copy": ["EMFILE"], "folder": ["ENOSPC", "EIO", "ENOMEM"], "name": ["ENOSPC", "EIO"],
    "look": ["EIO", "ENOMEM", "SLOW"], "room": ["ENOSPC", "ENOMEM", "EIO"],
    "lock": ["ENOMEM", "EIO"], "begin": ["ENOMEM", "EIO", "EAGAIN"],
    "wall": ["ENOMEM", "EAGAIN"]}


def solution(path):
    return "#define SOLUTION 1\n" + (ROOT / path).read_text(encoding="utf-8")


RIGHT_C, RIGHT = solution("reference/cpu_scan.c"), solution("reference/naive.cu")
WRONG_C = RIGHT_C.replace("out[i] = sum;", "out[i] = sum ^ 1;")
BROKEN_C = '#include "cpu_scan.h"\nint no_semicolon\n}\n'
WITH_CUB = "#include <cub/version.cuh>\n" + RIGHT

# name: lab, check, the files handed in, is what was compiled kept from before?
CASES = {
    "c": ("cpu-scan", "wrap-around", {"cpu_scan.c": RIGHT_C}, True),
    "c-cold": ("cpu-scan", "wrap-around",
               {"cpu_scan.c": RIGHT_C}, False),
    "c-threads": ("cpu-scan", "threads-in-place",
                  {"cpu_scan.c": RIGHT_C}, True),
    "c-errors": ("cpu-scan", "errors-threads",
                 {"cpu_scan.c": RIGHT_C}, True),
    "c-watched": ("cpu-scan", "clean-inclusive",
                  {"cpu_scan.c": RIGHT_C}, True),
    "c-wrong": ("cpu-scan", "wrap-around", {"cpu_scan.c": WRONG_C}, True),
    "c-broken": ("cpu-scan", "wrap-around", {"cpu_scan.c": BROKEN_C}, False),
    "cuda": ("naive", "full-range", {"naive.cu": RIGHT}, True),
    "cuda-again": ("naive", "again", {"naive.cu": RIGHT}, True),
    "cuda-cold": ("naive", "full-range", {"naive.cu": RIGHT}, False),
    "cuda-cub": ("naive", "full-range", {"naive.cu": WITH_CUB}, False),
}


class Case:
    def __init__(self, name, scanlab, inject, out):
        self.name, self.inject, self.out = name, inject, out / name
        self.lab, self.check, files, self.warm = CASES[name]
        self.command = [scanlab, "grade", self.lab, "--check", self.check, "--device", "vgpu",
                        "--seed", "1", "--submission", str(self.out / "submission")]
        shutil.rmtree(self.out, ignore_errors=True)
        (self.out / "submission").mkdir(parents=True)
        for file, text in files.items():
            (self.out / "submission" / file).write_text(text, encoding="utf-8")
        self.expected = self.grade([], self.out / "before")
        if self.warm:
            self.cache = self.out / "cache"
            shutil.copytree(self.out / "before/cache", self.cache)
        shutil.rmtree(self.out / "before")
        self.grade([inject, "-o", str(self.out / "counts")], self.out / "counted")
        self.counts = [row.split() for row in (self.out / "counts").read_text().splitlines()]

    def grade(self, before, place):
        """What a grade says: status, and points and state of all, or a sentence."""
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        if self.warm and hasattr(self, "cache"):
            shutil.copytree(self.cache, place / "cache")
        report = place / "grade.json"
        process = subprocess.Popen(
            [*before, *(["--"] if before else []), *self.command, "--cache",
             str(place / "cache"), "--report", f"json={report}"],
            env=os.environ | {"SCANLAB_ROOT": str(ROOT)}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True, errors="replace")
        try:
            _, said = process.communicate(timeout=LATEST_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return ("hangs",)
        status = process.returncode
        if status not in (0, 1):
            said = [row for row in said.splitlines() if row.strip()]
            return (status, said[-1] if said else "")
        try:
            grade = json.loads(report.read_text(encoding="utf-8"))
        except (OSError, ValueError) as why:
            return (status, f"no report: {why}")
        return (status, grade["score"], [
            (lab["score"], bool(lab["build_error"]),
             [(c["id"], c["status"], c["score"]) for c in lab["checks"]])
            for lab in grade["labs"]], why_of(grade))

    def injections(self, most):
        """Of each kind of call of each program at most so many, evenly spread."""
        for program, kind, n in self.counts:
            if program == "?":  # the injector's own
                continue
            for i, error in enumerate(ERRORS.get(kind, [])):
                n, shift = int(n), i * 0.37 % 1
                few = min(n, most)
                for k in range(few):
                    yield self, program, kind, int((k + shift) * n / few) + 1, error


def why_of(grade):
    """The sentences of a grade's checks, for who reads a complaint."""
    return [c.get("message") for lab in grade["labs"] for c in lab["checks"]]


def one(injection):
    """What is wrong with a grade in which this fails; None: nothing."""
    case, program, kind, k, error = injection
    place = case.out / f"{program}-{kind}-{k}-{error}"
    told = case.out / f"{place.name}.told"
    got = case.grade([case.inject, "-p", program, "-c", kind, "-k", str(k), "-e", error,
                      "-o", str(told)], place)
    came = told.read_text().startswith("injected") if told.exists() else False
    wrong = None
    if got[0] == 2 and len(got[1]) > 20 and got[1].startswith("scanlab:"):
        ended = "fault"
    elif got[:3] == case.expected[:3]:
        ended = "same"
        # What is kept is what a grade without trouble would find.
        if not case.warm and (after := again(case, place)) [:3] != case.expected[:3]:
            wrong = f"the next grade: {after}"
    else:
        # scanlab itself is gone, or the system could not load it: no grade.
        gone = program == "scanlab" and (
            got[0] == 137 if error == "KILL" else
            got[0] == 127 and got[1])
        ended, wrong = "no start" if gone else "wrong", None if gone else str(got)
    shutil.rmtree(place, ignore_errors=True)
    told.unlink(missing_ok=True)
    said = got[1] if ended == "fault" else ""
    return injection, came, ended, wrong, said


def again(case, place):
    kept = place.parent / (place.name + ".again")
    shutil.rmtree(kept, ignore_errors=True)
    os.rename(place, kept)
    case.cache, case_warm = None, case.warm
    command = [*case.command, "--cache", str(kept / "cache"), "--report",
               f"json={kept}/again.json"]
    done = subprocess.run(command, env=os.environ | {"SCANLAB_ROOT": str(ROOT)},
                          capture_output=True, text=True, check=False, timeout=LATEST_S)
    try:
        grade = json.loads((kept / "again.json").read_text(encoding="utf-8"))
        return (done.returncode, grade["score"], [
            (lab["score"], bool(lab["build_error"]),
             [(c["id"], c["status"], c["score"]) for c in lab["checks"]])
            for lab in grade["labs"]])
    except (OSError, ValueError):
        return (done.returncode, done.stderr[-300:])
    finally:
        shutil.rmtree(kept, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scanlab")
    parser.add_argument("inject")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--some", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--each", type=int, default=1 << 30)
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SCANLAB_TEST_SEED", 1)))
    given = parser.parse_args()
    wanted = [w for w in given.only.split(",") if w]
    cases = [Case(name, given.scanlab, given.inject, given.out.resolve()) for name in CASES
             if not wanted or name in wanted]
    for case in cases:
        print(f"{case.name}: without trouble {case.expected}")
    every = [i for case in cases for i in case.injections(given.each)]
    random.Random(given.seed).shuffle(every)
    chosen = every[:given.some] if given.some else every
    print(f"{len(chosen)} of {len(every)} injections, seed {given.seed}", flush=True)
    ends, complaints, sentences = collections.Counter(), 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(given.j) as pool:
        for injection, came, ended, wrong, said in pool.map(one, chosen):
            ends[ended if came else "did not come"] += 1
            sentences[said] += 1
            if wrong:
                complaints += 1
                case, program, kind, k, error = injection
                print(f"WRONG {case.name}: {program} {kind} {k} {error}: {wrong}", flush=True)
    print(dict(ends))
    for said, n in sentences.most_common(40):
        if said:
            print(f"{n:6} {said}")
    sys.exit(complaints > 0)


if __name__ == "__main__":
    main()
