# SPDX-License-Identifier: MIT
"""dozen_test.py SCANLAB OUT: a class of twelve, with real grades: undisturbed;
killed (-9) again and again; with a full disk; with a compiler that does not work.
The same gradebook comes of it, byte by byte, or faults that are no points."""
import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

import classroom
from classroom import (OUT, ROOT, SCANLAB, fresh, gradebook, put, scanlab_class, takes_yaml,
                       tarred, zipped)
import graded
import left

def right(name):
    """A reference as students hand solutions in."""
    where = fresh("right")
    shutil.copy(ROOT / "reference" / name, where)
    graded.handed_in(where)
    return (where / name).read_bytes()


def hand_in():
    """{submission: (status, points)}. Most are stubs: what is right takes a second
    each time."""
    where, scan = fresh("class"), right("cpu_scan.c")
    stub = (ROOT / "student/cpu_scan.c").read_bytes()
    put(where / "ann/cpu_scan.c", scan)
    zipped({"bo/CPU_SCAN.C": stub + b"/* bo */\n"}, where / "bo.zip")
    put(where / "cy/cpu_scan.c", stub)
    tarred([("work/cpu_scan.c", stub + b"/* dora */\n")], path=where / "dora.tar.gz")
    put(where / "eve/cpu_scan.c",
        (ROOT / "tests/cheats/cpu-scan.writes-files.c").read_bytes())
    put(where / "fay/cpu_scan.c", stub + b"/* fay */\n")
    put(where / "gus/README.md", b"I was ill.")
    put(where / "hal.zip", b"Rar!\x1a\x07")
    put(where / "ida/cpu_scan.c", stub + b"/* ida */\n")
    put(where / "jo/cpu_scan.c", stub.replace(b"TODO", b"todo") + b"/* jo */\n")
    put(where / "=1+1/cpu_scan.c", stub + b"/* kim */\n")
    put(where / "lea/repo/student/cpu_scan.c", stub + b"/* lea */\n")
    return {"ann": ("graded", "100"), "gus": ("not handed in", "0"),
            "hal": ("needs a look", "")} | dict.fromkeys(
                ("bo", "cy", "dora", "fay", "ida", "jo", "lea"), ("graded", "0"))


def books(out):
    return [(out / name).read_bytes() for name in ("gradebook.csv", "gradebook.sqlite3")]


def results(out):
    """How many the ledger has; 0 as well while it is being made."""
    path = out / "ledger.sqlite3"
    try:
        base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        with contextlib.closing(base):
            return base.execute("SELECT count(*) FROM result").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


class Dozen(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        left.adopt_orphans()
        cls.expected = hand_in()
        fresh("cache").chmod(0o700)
        cls.environment = os.environ | {"SCANLAB_CACHE": str(OUT / "cache")}
        cls.words = [OUT / "class", "cpu-scan", "-j", "2", "--seed", "5", "-o"]
        cls.undisturbed = fresh("undisturbed")
        cls.done = scanlab_class(*cls.words, cls.undisturbed, env=cls.environment)

    def test_points(self):
        self.assertEqual(self.done.returncode, 1, self.done.stdout + self.done.stderr)
        self.assertIn("hal: needs a look: hal.zip: it is RAR", self.done.stdout)
        book = gradebook(self.undisturbed)
        self.assertEqual(len(book), 12)
        for name, points in self.expected.items():
            row = book[name]
            self.assertEqual((row["status"], row["score"]), points, name)
            self.assertEqual(row["score"], row["cpu-scan"])
        self.assertLess(int(book["eve"]["score"]), 100)
        kim = next(row for row in book.values() if row["id"] == "'=1+1")
        self.assertEqual(kim["status"], "graded")
        for key, row in book.items():
            files = os.listdir(self.undisturbed / "feedback" / key)
            self.assertEqual(sorted(files), ["grade.json", "report.html", "report.txt",
                                             "taken.txt"])
            for file in files:
                text = (self.undisturbed / "feedback" / key / file).read_text()
                for secret in str(OUT), str(ROOT) + "/":
                    self.assertNotIn(secret, text, f"{key}/{file}")
        self.assertEqual(os.listdir(self.undisturbed / "work"), [])

    def test_stats(self):
        """Of real grades; how they are counted class.stats tests."""
        out = OUT / "stats"
        done = subprocess.run([SCANLAB, "stats", self.undisturbed, "-o", out], text=True,
                              capture_output=True, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        page = (out / "lecture.html").read_text()
        self.assertIn("\n10 graded submissions\n", page)
        self.assertIn("1 more: no file of a lab was handed in", page)
        self.assertIn("It asked the system for what a submission may not have.", page)
        self.assertNotIn("ann", re.sub(r"(?s)<(style|script).*?</\1>", "", page))
        self.assertIn("ann", (out / "staff.html").read_text())

    def test_killed(self):
        out, at = fresh("killed"), []
        for wanted in 1, 5, 99:
            child = subprocess.Popen(
                [SCANLAB, "class", *self.words, out], env=self.environment,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            while child.poll() is None and results(out) < wanted:
                time.sleep(0.01)
            child.send_signal(signal.SIGKILL)
            child.communicate()
            at.append(results(out))
            self.assertEqual(left.processes(), {}, "a grade outlives its class")
        self.assertEqual(child.returncode, 1)
        self.assertEqual(at, sorted(at), "no result is lost")
        self.assertEqual(len({*at}), 3, f"killed meanwhile, and not at the end: {at}")
        self.assertEqual(books(out), books(self.undisturbed))

    # Somebody fills the disk once there is a result; later there is room again.
    SMALL = """mount -t tmpfs -o size=16m,mode=755 tmpfs "$1" || exit 77
shift; out=$1; shift
(until ls "$out"/feedback/*/report.html; do sleep 0.02; done; cat /dev/zero) \\
    >"$out"/filler 2>/dev/null &
"$@" -j 1; echo "first $?"
wait; rm "$out"/filler; cp "$out"/ledger.sqlite3 "$out"/../full-then/
"$@"; echo "second $?"; cp "$out"/gradebook.* "$out"/../full-then/
"""

    def test_full_disk(self):
        out, kept = fresh("full"), fresh("full-then")
        begin = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-rm"]
        done = subprocess.run(
            [*begin, "sh", "-c", self.SMALL, "sh", out, out, SCANLAB, "class",
             *self.words, out], env=self.environment, text=True, capture_output=True,
            check=False)
        if done.returncode == 77 or "unshare" in done.stderr:
            self.skipTest("no file system of our own can be mounted: " + done.stderr[-200:])
        self.assertIn("first 2", done.stdout, done.stderr)
        self.assertIn("No space left", done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertIn("second 1", done.stdout, done.stderr)
        self.assertIn(results(kept), range(1, 10), done.stdout + done.stderr)
        self.assertEqual(books(kept), books(self.undisturbed))

    def test_course(self):
        """Hidden points are in the gradebook and in no feedback; what came late
        loses some."""
        takes_yaml(self)
        where, out, course = fresh("course-class"), fresh("course"), fresh("my-course")
        shutil.copytree(OUT / "class/ann", where / "submission_1")
        shutil.copytree(OUT / "class/ann", where / "submission_2")
        put(where / "submission_metadata.yml", "".join(
            f"submission_{n}:\n  :submitters:\n  - :name: N{n}\n"
            f"  :created_at: 2026-11-0{n} 12:00:00.000000000 Z\n" for n in (1, 2)))
        put(course / "course.ini", "[course]\nseed = 4\nseeds = student\n"
            "[lab cpu-scan]\ndue = 2026-11-02T00:00Z\n[late]\neach = 24h\npercent = 10\n")
        put(course / "00-cpu-scan/lab.ini", "[check wrap-around]\nvisibility = hidden\n")
        done = scanlab_class(where, "cpu-scan", "-o", out, "--course", course,
                             env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        book = gradebook(out)
        self.assertEqual([r["score"] for r in book.values()], ["100", "90"])
        feedback = out / "feedback/submission_1/grade.json"
        self.assertEqual(json.loads(feedback.read_text())["score"], 96)
        self.assertNotIn('"wrap-around"', feedback.read_text())
        self.assertEqual(scanlab_class(where, "cpu-scan", "-o", out, "--course", course,
                                       env=self.environment).stderr, "")

    def test_cuda(self):
        """Without its compiler nobody has 0 points; with it a right scan has all."""
        where, out = fresh("cuda-class"), fresh("cuda")
        put(where / "ann/my work/naive.cu", right("naive.cu"))
        put(where / "gus/notes.txt", b"I was ill.")
        words = [where, "naive", "-o", out, "--seed", "5"]
        done = scanlab_class(*words, env=self.environment | {
            "SCANLAB_NVCC": shutil.which("false")})
        self.assertEqual(done.returncode, 2)
        self.assertIn("the compiler does not work here", done.stderr)
        book = gradebook(out)
        self.assertEqual([(r["status"], r["score"]) for r in book.values()],
                         [("fault", ""), ("not handed in", "0")])
        done = scanlab_class(*words, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        book = gradebook(out)
        self.assertEqual((book["ann"]["score"], book["ann"]["max_score"]), ("100", "100"))


classroom.main()
