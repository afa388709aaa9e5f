# SPDX-License-Identifier: MIT
"""whole_test.py SCANLAB OUT: six submissions as Gradescope gives them are graded once;
then three policies, in seconds: nothing is graded again, the same policy gives the same
bytes, and what the class had is untouched."""
import hashlib
import os
import shutil
import unittest

import book
from book import OUT, ROOT, classroom, fresh, put, scanlab
import graded

SUBMITTERS = {1: ("ann",), 2: ("bo", "cy"), 3: ("di",), 4: ("fay",), 5: ("gus",), 6: ("hal",)}
CREATED = {1: "2026-11-30 20:00:00 Z", 6: "2026-11-30 23:00:00.5 -0600"}
LATE = "2026-12-01 12:00:00 +0000"
ROSTER = "Student,ID,SIS User ID,SIS Login ID,Section,Lab 0 (9)\n    Points Possible,,,,,100\n" + \
    "".join(f'"X, {who}",{n},s-{who},{who}@x.edu,,\n' for n, who in enumerate(
        ("ann", "bo", "cy", "di", "fay", "gus", "hal", "ivy"), 1))
POLICIES = ["", """[lab cpu-scan]
due = 2026-11-30T23:59Z
[late]
percent = 10
""", """[course]
missing = zero
[lab cpu-scan]
due = 2026-11-30T23:59Z
[late]
percent = 50
[student bo@x.edu]
extension = 2d
[student s-fay]
cpu-scan override = 12
cpu-scan who = Prof. Lee
cpu-scan why = unpacked by hand
"""]


def right(name):
    where = fresh("right")
    shutil.copy(ROOT / "reference" / name, where)
    graded.handed_in(where)
    return (where / name).read_bytes()


def hand_in(where):
    lines = []
    for number, who in SUBMITTERS.items():
        lines += [f"submission_{number}:", "  :submitters:"]
        for name in who:
            lines += [f"  - :name: X {name}", f"    :sid: s-{name}", f"    :email: {name}@x.edu"]
            if name == "cy":
                lines += ["    :assignment:", "      :due_date: 2026-12-03 00:00:00 Z"]
        lines.append(f"  :created_at: {CREATED.get(number, LATE)}")
    put(where / "submission_metadata.yml", "\n".join(lines) + "\n")
    scan = right("cpu_scan.c")
    stub = (ROOT / "student/cpu_scan.c").read_bytes()
    put(where / "submission_1/cpu_scan.c", scan)
    put(where / "submission_2/cpu_scan.c", scan + b"/* two of them */\n")
    put(where / "submission_3/cpu_scan.c", stub)
    put(where / "submission_4/work.zip", b"Rar!\x1a\x07")
    put(where / "submission_5/README.md", b"I was ill.")
    put(where / "submission_6/cpu_scan.c", scan + b"/* hal */\n")


def state(out):
    """{file: hash} of what the class has, but for what gradebook writes."""
    return {path: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(out.rglob("*"))
            if path.is_file() and "final" not in path.relative_to(out).parts}


class Whole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        where = fresh("class")
        hand_in(where)
        cls.out = fresh("out")
        fresh("cache").chmod(0o700)
        cls.done = classroom.scanlab_class(
            where, "cpu-scan", "-j", "2", "--seed", "5", "-o", cls.out,
            env=os.environ | {"SCANLAB_CACHE": str(OUT / "cache")})
        put(OUT / "canvas.csv", ROSTER)

    def setUp(self):
        classroom.takes_yaml(self)
        self.assertEqual(self.done.returncode, 1, self.done.stdout + self.done.stderr)

    def files(self):
        """But for what it remembers of earlier runs."""
        return {p.name: p.read_bytes() for p in (self.out / "final").iterdir()
                if p.name != "given-back.json"}

    def policy(self, number, status):
        put(OUT / "policy.ini", POLICIES[number])
        before = state(self.out)
        done = scanlab(self.out, "-p", OUT / "policy.ini", "-r", OUT / "canvas.csv", "-g",
                   OUT / "canvas.csv", "--points", "cpu-scan")
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(state(self.out), before, "it only reads")
        files = self.files()
        shutil.rmtree(self.out / "final")
        scanlab(self.out, "-p", OUT / "policy.ini", "-r", OUT / "canvas.csv", "-g",
            OUT / "canvas.csv", "--points", "cpu-scan")
        self.assertEqual(self.files(), files)
        found = {r["email"].partition("@")[0]: r for r in
                 book.rows(self.out / "final/gradebook.csv")}
        return found, {who: (r["cpu-scan"], r["late"]) for who, r in found.items()}

    def test_no_policy(self):
        # fay's cannot be read; Gradescope says when it was due for cy
        found, points = self.policy(0, 1)
        self.assertEqual(points, {
            "ann": ("100", ""), "bo": ("100", ""), "cy": ("100", "no"), "di": ("0", ""),
            "fay": ("", ""), "gus": ("", ""), "hal": ("100", ""), "ivy": ("", "")})
        self.assertEqual({who: r["state"] for who, r in found.items()}, {
            "ann": "graded", "bo": "graded", "cy": "graded", "di": "graded",
            "fay": "needs a look", "gus": "not handed in", "hal": "graded",
            "ivy": "not handed in"})
        # As graded: what the class's own gradebook says.
        own = classroom.gradebook(self.out)
        self.assertEqual(own["submission_1"]["cpu-scan"], found["ann"]["cpu-scan"])

    def test_ten_percent(self):
        _, points = self.policy(1, 1)
        self.assertEqual(points, {
            "ann": ("100", "no"), "bo": ("90", "12h 1m"), "cy": ("100", "no"),
            "di": ("0", "12h 1m"), "fay": ("", ""), "gus": ("", ""),
            "hal": ("90", "5h 1m"), "ivy": ("", "")})

    def test_fifty_percent(self):
        found, points = self.policy(2, 0)  # fay's are decided by hand
        self.assertEqual(points, {
            "ann": ("100", "no"), "bo": ("100", "no"), "cy": ("100", "no"),
            "di": ("0", "12h 1m"), "fay": ("12", ""), "gus": ("0", ""), "hal": ("50", "5h 1m"),
            "ivy": ("0", "")})
        self.assertIn("override 12 by Prof. Lee: unpacked by hand", found["fay"]["note"])
        canvas = (self.out / "final/canvas.csv").read_text().splitlines()
        self.assertEqual(canvas[1], ROSTER.splitlines()[1])
        self.assertEqual([row.rpartition(",")[2] for row in canvas[2:]],
                         ["100", "100", "100", "0", "12", "0", "50", "0"])


book.main()
