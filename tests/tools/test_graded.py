#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""graded.py objects: a grade by a scanlab that only pretends, a header, and what
must be said about the two."""
import contextlib
import copy
import io
import json
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
import graded  # noqa: E402

INI = """[lab]
id = one
source = one.c
[check first] ; the root
points = 60
schedules = in-order reverse
sizes = 7
[check second]
points = 30
schedules = in-order random
sizes = 7 20 100000
parent = first
[check extra]
points = 10
bonus = yes
[check timed]
kind = fast
points = 0
"""
PRETEND = """#!/bin/sh
for word; do
    [ "$last $word" != "--seed 30" ] || exit 2
    [ "$last $word" != "-n 100000" ] || exit 3
    [ "$last" != --output ] || cp "$0.json" "$word"
    [ "$last" != --submission ] || folder=$word
    case "$last $word" in
    "--seed 31") sleep 77 >/dev/null 2>&1 & ;;
    "--seed 32") : >"$TMPDIR/left" ;;
    "--seed 33") echo >>"$folder/one.c" ;;
    esac
    last=$word
done
exit $(cat "$0.exit")
"""
POINTS = {"first": 60, "second": 30, "extra": 10, "timed": 0}


def grade(score=None, error=None, **checks):
    """checks: id=(status, message, place, cause, about, points)"""
    rows = [{"id": name, "status": c[0], "message": c[1], "where": c[2],
             "cause": c[3] if len(c) > 3 else None,
             "about": c[4] if len(c) > 4 else None,
             "score": c[5] if len(c) > 5 else POINTS[name] if c[0] == "pass" else 0}
            for name, c in checks.items()]
    total = sum(row["score"] for row in rows)
    return {"labs": [{"id": "one", "checks": rows, "build_error": error,
                      "score": total if score is None else score}]}


PASS, SKIP, LATE = ("pass", "", None), ("skip", "", None), ("fail", "late", "")
WRONG = ("fail", "n = 3: wrong", "one.c:7")
FULL = grade(first=PASS, second=PASS, extra=PASS, timed=LATE)
STUCK = grade(first=WRONG, second=SKIP, extra=PASS, timed=PASS)
NAMED = 'expect: first fail "wrong" at "one.c:7"'
CAUSED = grade(first=("fail", "n = 3: wrong. It waits. Two. Late.", None, "hurry"),
               second=SKIP, extra=PASS, timed=PASS)
RULED = grade(first=("fail", "n = 3: wrong. It waits.", None, None, "a rule"),
              second=SKIP, extra=PASS, timed=PASS)
LATER = grade(first=("fail", "n = 3: no. It waits. Two.", None, None, "a rule"),
              second=SKIP, extra=PASS, timed=PASS)
MENDED = copy.deepcopy(STUCK)
MENDED["labs"][0]["checks"][0]["outcome"] = {
    "repair": {"said": {"id": "repair-compare"}, "line": 7}}
MARKED = copy.deepcopy(STUCK)
MARKED["labs"][0]["checks"][0]["source"] = [{"kind": "costly", "line": 7}]
BUILD = ("fail", "one.c does not compile", None)

# header, grade, exit status of scanlab, what must be said (None: nothing)
CASES = [
    ("expect: * pass", FULL, 0, None),
    (NAMED, STUCK, 1, None),
    ("expect: * fail\nexpect: extra pass", STUCK, 1, None),
    ('expect: build "error: x"', grade(None, "one.c:1: error: x", **dict.fromkeys(
        POINTS, BUILD)), 1, None),
    ("expect: extra fail", grade(first=PASS, second=PASS, extra=WRONG,
                                 timed=PASS), 0, None),
    ("", FULL, 0, "no expectations"),
    ("expct: * pass", FULL, 0, "no header line of this kind"),
    ("expect: * passes", FULL, 0, "no expectation"),
    ("expect: third fail", FULL, 0, "has no check third"),
    ("expect: two/first fail", FULL, 0, "two is not graded"),
    # a mutant that is right; one that fails or keeps more than is named
    (NAMED, FULL, 0, "first: expected fail, got pass"),
    # a cause: said early, and no other one
    ('expect: * fail\nexpect: extra pass\ncause: "wrong"', STUCK, 1, None),
    ('expect: first fail\ncause: "no" "It waits" "hurry"', CAUSED, 1, None),
    ('expect: first fail\ncause: "Late"', CAUSED, 1,
     "first does not name the cause early"),
    ('expect: first fail\ncause: "It waits"', CAUSED, 1,
     "first names another cause: hurry"),
    ('expect: first fail\ncause: wrong', STUCK, 1, "no cause in quotes"),
    ('expect: * pass\ncause: "wrong"', FULL, 0, "no check that fails"),
    # a repair that is found: which, and where
    ("expect: first fail\nrepair: first repair-compare at 7", MENDED, 1, None),
    ("expect: first fail\nrepair: first none", STUCK, 1, None),
    ("expect: first fail\nrepair: first none", MENDED, 1, "has the repair ('rep"),
    ("expect: first fail\nrepair: first repair-compare at 8", MENDED, 1, "the repair"),
    ("expect: first fail\nrepair: first repair-compare at 7", STUCK, 1, "repair None"),
    ("expect: first fail\nrepair: first", STUCK, 1, "no repair of a check"),
    # lines that are marked: which, and as what
    ("expect: first fail\nmarked: first costly at 7", MARKED, 1, None),
    ("expect: first fail\nmarked: first waits nowhere", MARKED, 1, None),
    ("expect: first fail\nmarked: first costly at 8", MARKED, 1, "marks [('costly', 7)]"),
    ("expect: first fail\nmarked: first waits at 7", MARKED, 1, "first marks"),
    ("expect: first fail\nmarked: first costly nowhere", MARKED, 1, "first marks"),
    ("expect: first fail\nmarked: first costly at 7", STUCK, 1, "first marks []"),
    ("expect: first fail\nmarked: first 7", STUCK, 1, "no marked line"),
    # a message that says it by its rule, not at all, or says another cause
    ('expect: first fail\nabout: "a rule"', RULED, 1, None),
    ('expect: first fail\nabout: "a law"', RULED, 1, "say early what it is about"),
    ('expect: first fail\nabout: "a rule"', LATER, 1, None),
    ('expect: first fail\nabout: "hurry"', CAUSED, 1, "say early what it is about"),
    ('expect: first fail\nmissed: "Two"', LATER, 1, None),
    ('expect: first fail\nmissed: "Three"', LATER, 1, "judge it anew"),
    ('expect: first fail\nmissed: "Two"', CAUSED, 1, "first misleads, or says"),
    ('expect: first fail\nmissed: "Two" "hurry"', CAUSED, 1, None),
    ('expect: first fail\nmisled: "hurry"', CAUSED, 1, None),
    ('expect: first fail\nmisled: "wait"', CAUSED, 1, "judge it anew"),
    ('expect: first fail\nmisled: "wait"', RULED, 1, "judge it anew"),
    ('expect: first fail\nmissed: "Two"\nmisled: "hurry"', CAUSED, 1,
     "missed and misled of one message"),
    ("expect: * pass", STUCK, 1, "first: expected pass, got fail"),
    (NAMED, grade(first=WRONG, second=PASS, extra=PASS, timed=PASS), 1, None),
    (NAMED, grade(first=(*WRONG, None, None, 59), second=PASS, extra=PASS,
                  timed=PASS), 1, None),
    (NAMED, grade(first=(*WRONG, None, None, 60), second=PASS, extra=PASS,
                  timed=PASS), 1, "first: fail, and 60 of 60 points"),
    (NAMED, grade(first=WRONG, second=(*SKIP, None, None, 1), extra=PASS,
                  timed=PASS), 1, "second: skip, and 1 of 30 points"),
    (NAMED, grade(first=WRONG, second=SKIP, extra=WRONG, timed=PASS), 1,
     "extra: expected pass, got fail"),
    ("expect: first any", grade(first=PASS, second=PASS, extra=WRONG,
                                timed=PASS), 0, "extra: expected pass"),
    # words, places, points, exit status, checks that are left out
    (NAMED.replace("wrong", "race"), STUCK, 1, "first says: n = 3: wrong"),
    (NAMED.replace(":7", ":8"), STUCK, 1, "first is at: one.c:7"),
    ('expect: build "y"', grade(None, "one.c:1: error: x", **dict.fromkeys(
        POINTS, BUILD)), 1, "the compiler says"),
    ("expect: * pass", grade(99, first=PASS, second=PASS, extra=PASS,
                             timed=PASS), 0, "99 points, not 100"),
    ("expect: * pass", FULL, 1, "exit status 1"),
    (NAMED, STUCK, 0, "exit status 0"),
    ("expect: * pass", FULL, 2, "scanlab ended with 2"),
    ("expect: * pass", grade(first=PASS, second=PASS), 0, "not the checks"),
    ("memory: 1\nexpect: * pass", FULL, 0, "more than the 1 MiB"),
    # what a grade leaves
    ("run: --seed 31\nexpect: * pass", FULL, 0, "is left: b'sleep"),
    ("run: --seed 32\nexpect: * pass", FULL, 0, "left: ["),
    ("run: --seed 33\nexpect: * pass", FULL, 0, "handed in has changed"),
    # 10 times as many at night, and the one that fails is among them
    ("seeds: 1\nexpect: * pass", FULL, 0, None),
    ("seeds: 5\nexpect: * pass", FULL, 0, "scanlab ended with 2"),
]
# With the word seeds only `second` runs, with small sizes in turn.
ONLY = grade(second=PASS)
SEEDS = [
    ("expect: * pass", ONLY, 0, None),
    ("expect: * pass", FULL, 0, "not the checks"),
    ("expect: * pass", grade(second=WRONG), 1, "second: expected pass, got fail"),
]
RANGES = ("19", "8-26")
# On a push each seed takes one size of each check that is named.
PUSH = [
    ("seeds: 29\nexpect: second pass", ONLY, 0, None),
    ("seeds: 30\nexpect: second pass", ONLY, 0, "scanlab ended with 2"),
    ("seeds: 29\nexpect: first pass", ONLY, 0, "not the checks"),
]
# Spread over the checks that vary: as many grades as seeds.
WORDS_THAT_ARE_NONE = "al", "all=1", "seed", "all,seeds=", "spread=3"
SPREAD = [("29", None), ("30", "scanlab ended with 2")]


def said(folder, header, answer, status, *options):
    """What graded.py prints, or the message that it ends with."""
    (folder / "cases").mkdir(exist_ok=True)
    path = folder / "cases/one.case.c"
    lines = ["course: ../labs", *header.splitlines()]
    path.write_text("".join(f"//: {line}\n" for line in lines))
    program = folder / "scanlab"
    program.with_suffix(".json").write_text(json.dumps(answer))
    program.with_suffix(".exit").write_text(str(status))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            graded.main([str(program), str(path), str(folder / "out"), *options])
            return None
        except SystemExit as end:
            return out.getvalue() + str(end)


def differs(folder, header, answer, status, must, *options):
    got = said(folder, header, answer, status, *options)
    if (must is None) == (got is None) and (not must or must in got):
        return False
    print(f"--- {header}\nmust say: {must}\nsays: {got}")
    return True


def main():
    os.environ["SCANLAB_TEST"] = "all"
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "labs/01-one").mkdir(parents=True)
        (folder / "labs/01-one/lab.ini").write_text(INI)
        (folder / "scanlab").write_text(PRETEND)
        (folder / "scanlab").chmod(0o755)
        for header, answer, status, must in CASES:
            bad += differs(folder, header, answer, status, must)
        for seeds in RANGES:
            os.environ["SCANLAB_TEST"] = f"all,seeds={seeds}"
            for header, answer, status, must in SEEDS:
                bad += differs(folder, header, answer, status, must)
        del os.environ["SCANLAB_TEST"]
        for header, answer, status, must in PUSH:
            bad += differs(folder, header, answer, status, must)
        for seeds, must in SPREAD:
            bad += differs(folder, "expect: * pass", ONLY, 0, must, "--spread", seeds)
        for words in WORDS_THAT_ARE_NONE:
            os.environ["SCANLAB_TEST"] = words
            bad += differs(folder, "expect: * pass", ONLY, 0, "is none of its words")
    n = len(WORDS_THAT_ARE_NONE) + len(CASES) + len(SEEDS) * len(RANGES) + len(PUSH) + len(SPREAD)
    print(f"{bad} of {n} are not as they must be")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
