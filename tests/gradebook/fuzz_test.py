# SPDX-License-Identifier: MIT
"""fuzz_test.py SCANLAB OUT [SEED]: policies, rosters, marks, groups, requests and answers
with other bytes than a person would write: an answer or a sentence, never a traceback; and
twice as much takes no more than about twice as long."""
import os
import random
import sys
import time
import unittest

import book
from book import OUT, fresh, put
import main as command
import policy
import questions
import roster
import table

sys.argv = sys.argv[:3]
import roster_test  # noqa: E402
from policy_test import RULES  # noqa: E402

SEED = int(os.environ.get("SEED", "1"))
LABS = ["cpu-scan", "naive"]
POLICY = "[course]\nzone = +01:00\ngrace-days = 2\ndrop = 1\nmissing = zero\n" + RULES + \
    "[late naive]\npercent = 5\n[student lee@x.edu]\nextension = 2d\nnaive override = 82.5\n" \
    "naive who = Prof. Lee\nnaive why = by hand\n"
TABLES = {
    "students": "student,lab,handed_in,extension,add,comment\nann,naive,2026-12-01T09:30Z,2d,1,x\n"
                "bo,,,,-2,\"a, \"\"b\"\"\"\n",
    "questions": "code,lab,question,points,comment\nabcdef01,naive,1,0.5,Good\n",
    "groups": "group,student\n1,ann\n1,bo\n",
    "requests": "student,lab,request,decision,points,who,answer\nann,naive,x,changed,5,Lee,y\n"}
PIECES = [b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b'""', b",", b";", b"\t", b"\r", b"\n", b"=", b"[",
          b"]", b"[student ", b"%(x)s", b"\xf0\x9f\x98\x80", b"\xe2\x80\xae", b"9" * 400, b"-1", b"1e999",
          b"nan", b"2026-13-45T99:99", b"9999-12-31T23:59Z", b"0001-01-01T00:00Z", b"[lab naive]\n",
          b"zone = /etc/passwd\n", b"zone = ../../x\n", b"[files]\nstudents = .\n", b"[\0]\nx = 1\n"]


def mutated(data, chance):
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5])):
        at, how = chance.randrange(len(data) + 1), chance.randrange(6)
        if how == 0:
            data[at:at + chance.randrange(1, 20)] = b""
        elif how == 1:
            data[at:at] = chance.choice(PIECES)
        elif how == 2:
            data[at:at + 1] = bytes([chance.randrange(256)])
        elif how == 3:
            data[at:at] = data[:chance.randrange(len(data) + 1)]
        elif how == 4:
            data[at:] = b""
        else:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(30)))
    return bytes(data)


class Fuzz(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = fresh("fuzz")

    def survives(self, read, data, name):
        path = self.place / name
        path.write_bytes(data)
        try:
            return read(str(path))
        except command.TROUBLES as why:
            self.assertTrue(command.sentence(why))
        except Exception as why:
            kept = OUT / f"fuzz-{name}"
            kept.write_bytes(data)
            raise AssertionError(f"{type(why).__name__}: {why}: {kept}, SEED={SEED}") from why
        return None

    def test_rosters(self):
        chance = random.Random(SEED)
        for form, text in roster_test.ROSTERS.items():
            for n in range(150):
                data = mutated(text.encode(chance.choice(["utf-8", "utf-8", "utf-16"])), chance)
                found = self.survives(lambda path: roster.read(
                    path, chance.choice([None, form]), None), data, "roster.csv")
                if found:  # what is not changed is written back as it was
                    self.assertEqual(found[0].bytes(), data)

    def test_policies(self):
        chance = random.Random(SEED + 1)
        for n in range(500):
            self.survives(lambda path: policy.read([path], None, LABS),
                          mutated(POLICY.encode(), chance), "policy.ini")
        for name, text in TABLES.items():
            put(self.place / "rules.ini", f"[lab naive]\nquestions = 1 2\n[files]\n{name} = t.csv\n")
            for n in range(150):
                data = mutated(text.encode(), chance)
                self.survives(lambda path: policy.read(
                    [str(self.place / "rules.ini")], None, LABS), data, "t.csv")

    def test_answers(self):
        chance = random.Random(SEED + 2)
        text = b"## Lab 1: naive\n1. a\n2. b\n```\n3. c\n```\n# cpu-scan\n1) d\n"
        for n in range(500):
            data = mutated(text, chance)
            self.survives(lambda path: questions.of_labs(
                questions.read(path), [(0, "cpu-scan"), (1, "naive")]), data, "answers.md")

    def test_linear(self):
        """CPU time of n and of 4 n; a square would be 16 times as long."""
        def rows(n):
            return "id;email;name\n" + "1;a@x.edu;A\n" * n
        shapes = {
            "rows": rows, "cells": lambda n: "id,email\n" + ("," * 1900 + "\n") * (n // 200),
            "quotes": lambda n: 'id,email\n"' + '""' * n + '",x\n',
            "open quote": lambda n: 'id,email\n"' + 'a,"" ' * n,
            "wide": lambda n: "id," + ",".join(f"c{k}" for k in range(1900)) + "\n" + "1\n" * n,
            "blanks": lambda n: "id,email\n" + '"' + " " * n + "x" + " " * n + "\n",
            "sections": lambda n: "".join(f"[student s{k}]\nadd = 1\n" for k in range(n)),
            "keys": lambda n: "[student a]\n" + "".join(
                f"naive  {' ' * (k % 7)}x{k} = 1\n" for k in range(n)),
            "one line": lambda n: "[course]\nzone = " + "+" * n + "\n",
            "dots": lambda n: "[student a]\nadd = " + "1." * n + "\n"}
        for name, make in shapes.items():
            ini = make(1).startswith("[")
            def once(n, path=self.place / ("l.ini" if ini else "l.csv"), make=make, ini=ini):
                path.write_text(make(n))
                began = time.process_time()
                try:
                    policy.read([str(path)], None, LABS) if ini else roster.read(
                        str(path), None, None)
                except command.TROUBLES:
                    pass
                return time.process_time() - began
            few, many = min(once(4000) for _ in range(2)), min(once(16000) for _ in range(2))
            self.assertLess(many, 10 * few + 0.3, f"{name}: {few:.3f} s, {many:.3f} s")


if __name__ == "__main__":
    book.main()
