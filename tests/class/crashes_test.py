# SPDX-License-Identifier: MIT
"""crashes_test.py SCANLAB OUT: `scanlab class` ends without a word before each of
its steps in turn (on a push every ninth), as by kill -9; the next run loses no result, makes none twice,
and its gradebook has the same bytes as one that nobody disturbed. The grades are
those of a program that needs no time (own_grader.py); dozen_test.py has real ones."""
import errno
import io
import os
import pathlib
import re
import sys
import unittest

import classroom
from classroom import OUT, fresh, gradebook, put
import asked
import apart
import grading
import jobs
import layouts
import ledger
import main as tool
import own_grader
import walled

NAMES = ["ann", "bo", "cy", "eve"]


class Crashes(unittest.TestCase):
    def setUp(self):
        self.build, self.dir, self.out = fresh("build"), fresh("class"), OUT / "out"
        own_grader.build(self.build)
        for name in NAMES:
            put(self.dir / name / "naive.cu", name)
        put(self.dir / "dora/notes.txt", "no source")
        fresh("out")

    def words(self, out, *more):
        return own_grader.words(self.build, self.dir, out, *more)

    def run_class(self, out=None, *more, steps=None):
        """The exit status, in a process of its own. steps: it dies before so many
        more; -1 then."""
        child = os.fork()
        if child:
            status = os.waitpid(child, 0)[1]
            return -1 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        try:
            quiet = os.open(OUT / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            if steps is not None:
                self.die_after(steps)
            grading.TICK_S = 0.005
            try:
                status = tool.run(self.words(out or self.out, *more))
            except walled.Fault as why:
                print(why)
                status = 2
            sys.stdout.flush()
            os._exit(status)
        except BaseException:
            import traceback
            traceback.print_exc()
        os._exit(99)

    def die_after(self, steps):
        """Each call that changes a file that stays is a step."""
        left = [steps]

        def dying(call):
            def counted(*words, **named):
                if left[0] == 0:
                    os.kill(os.getpid(), 9)
                left[0] -= 1
                return call(*words, **named)
            return counted
        os.replace, os.fsync = dying(os.replace), dying(os.fsync)
        os.makedirs, os.unlink = dying(os.makedirs), dying(os.unlink)
        ledger.Ledger.run = dying(ledger.Ledger.run)
        grading.remove = dying(grading.remove)
        grading.Grading.start = dying(grading.Grading.start)

    def log(self):
        path = self.build / "bin/scanlab.log"
        found = path.read_text().split() if path.exists() else []
        path.write_text("")
        return [name for name in found if name != "trial"]

    def finished(self):
        """Whose results are on the disk."""
        made = {grading.read_json(path)["submission"]
                for path in self.out.glob("work/*/finished.json")}
        if (self.out / "ledger.sqlite3").exists():
            made |= {row[0] for row in ledger.Ledger(str(self.out / "ledger.sqlite3")).run(
                "SELECT submission FROM result")}
        return made

    def books(self, out):
        return [(out / name).read_bytes() for name in ("gradebook.csv", "gradebook.sqlite3")]

    def feedback(self, out):
        return {str(p.relative_to(out)): re.sub(rb'\d+"', b'"', p.read_bytes())
                for p in (out / "feedback").rglob("*") if p.is_file()}

    def test_every_step(self):
        fresh("undisturbed")
        self.assertEqual(self.run_class(OUT / "undisturbed"), 0)
        self.assertEqual(sorted(self.log()), NAMES)
        most, once_more = 0, 0
        for step in range(0, 1000, 1 if asked.everything() else 9):
            fresh("out")
            ended = self.run_class(steps=step)
            first, safe = self.log(), self.finished()
            self.assertEqual(self.run_class(), 0, f"after step {step}")
            second = self.log()
            self.assertFalse(safe & set(second), f"step {step}: graded twice")
            self.assertEqual(set(first) | set(second), set(NAMES))
            self.assertEqual(self.books(self.out), self.books(OUT / "undisturbed"), f"step {step}")
            self.assertEqual(self.feedback(self.out), self.feedback(OUT / "undisturbed"))
            self.assertEqual(list(self.out.rglob("*.part")), [])
            self.assertEqual(os.listdir(self.out / "work"), [])
            once_more += len(first) + len(second) - len(NAMES)
            if ended == 0:
                break
            most = max(most, len(safe))
        print(f"{step} steps, {once_more} grades begun again")
        self.assertGreater(step, 60)
        self.assertEqual(most, len(NAMES))
        self.assertEqual(self.run_class(), 0)
        self.assertEqual(self.log(), [], "nothing has changed")

    def fault(self, words):
        put(self.build / "bin/scanlab.fault", words)

    def test_faults_are_no_points(self):
        self.fault("bo=out of memory")
        self.assertEqual(self.run_class(), 2)
        self.assertEqual(self.log().count("bo"), 2, "tried again")
        book = gradebook(self.out)
        self.assertEqual([book["bo"][k] for k in ("status", "score", "naive")],
                         ["fault", "", ""])
        self.assertIn("out of memory", book["bo"]["note"])
        self.assertEqual((book["ann"]["status"], book["ann"]["score"]), ("graded", "3"))
        self.assertEqual((book["dora"]["status"], book["dora"]["score"]), ("not handed in", "0"))
        os.unlink(self.build / "bin/scanlab.fault")
        self.assertEqual(self.run_class(), 0)
        self.assertEqual(self.log(), ["bo"])

    def test_versions_of_the_points_are_told_apart(self):
        put(self.dir / "bo/naive.cu", "newer")
        self.assertEqual(self.run_class(), 1)
        self.assertIn("2-0, 2-1", (OUT / "said").read_text())
        book = gradebook(self.out)
        self.assertEqual([book[who]["points_version"] for who in ("ann", "bo", "dora")],
                         ["2-0", "2-1", ""])

    def test_nothing_works(self):
        self.fault("all=no CUDA compiler: nvcc is not in PATH")
        self.assertEqual(self.run_class(), 2)
        self.assertEqual(self.log(), [], "the trial says so")
        self.assertEqual({row["status"] for row in gradebook(self.out).values()},
                         {"fault", "not handed in"})

    def test_full_disk_ends_the_run(self):
        """By what the disk says; a real one is full in class.dozen."""
        self.fault("bo=cannot write the report")
        self.addCleanup(setattr, apart, "cannot_write", apart.cannot_write)
        apart.cannot_write = lambda _: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.assertEqual(self.run_class(None, "jobs=1"), 2)
        self.assertEqual(self.log(), ["ann", "bo"])
        self.assertIn("No space left", gradebook(self.out)["cy"]["note"])

    def test_words_of_a_full_disk(self):
        """There is room: whatever a grader says, the others are graded."""
        for sentence in ("No space left on device", "Disk quota exceeded",
                         "File too large"):
            self.fault(f"bo=x.cu: error: #error {sentence}")
            self.assertEqual(self.run_class(fresh("words"), "jobs=1"), 2)
            book = gradebook(OUT / "words")
            self.assertEqual({key: book[key]["status"] for key in NAMES}, {
                "ann": "graded", "bo": "fault", "cy": "graded", "eve": "graded"})

    def test_compiler_breaks_meanwhile(self):
        """The first grades are right; then nothing compiles. A submission that
        does not compile is one in which the stub does."""
        put(self.dir / "bo/naive.cu", "does not compile")
        self.assertEqual(self.run_class(), 0)
        self.assertEqual(gradebook(self.out)["bo"]["status"], "graded")
        put(self.dir / "cy/naive.cu", "new")
        real = grading.Grading.start

        def breaking(*words):
            put(self.build / "bin/scanlab.broken", "")
            return real(*words)
        grading.Grading.start = breaking
        self.addCleanup(setattr, grading.Grading, "start", real)
        self.assertEqual(self.run_class(), 2)
        book = gradebook(self.out)
        self.assertEqual((book["cy"]["status"], book["cy"]["score"]), ("fault", ""))
        self.assertEqual(book["ann"]["status"], "graded")

    def test_what_changed(self):
        self.run_class()
        self.log()
        put(self.dir / "bo/naive.cu", "bob")
        put(self.dir / "fay/naive.cu", "fay")
        self.assertEqual(self.run_class(), 0)
        self.assertEqual(sorted(self.log()), ["bob", "fay"])
        put(self.build / "bin/scanlab", own_grader.GRADER + "# A new version.\n")
        self.assertEqual(self.run_class(), 0)
        self.assertEqual(len(self.log()), 5)
        self.assertEqual(self.run_class(None, "seed=2"), 0)
        self.assertEqual(len(self.log()), 5)
        os.unlink(self.out / "feedback/ann/report.html")
        put(self.out / "feedback/cy/grade.json", "{}")
        self.assertEqual(self.run_class(None, "seed=2"), 0)
        self.assertEqual(sorted(self.log()), ["ann", "cy"], "their feedback was changed")
        self.assertEqual(self.run_class(None, "seed=2", "again=1"), 0)
        self.assertEqual(len(self.log()), 5)

    def test_progress(self):
        """On a terminal one line that is written again; elsewhere lines, few."""
        for terminal in True, False:
            said, before = io.StringIO(), sys.stderr
            said.isatty = lambda: terminal
            sys.stderr = said
            try:
                progress = tool.Progress(3, 7, jobs.Jobs(2, ""))
                for fault in "", "bad", "":
                    task = grading.Task("x", "", "")
                    task.fault = fault
                    progress.done(task, False)
                progress.end()
            finally:
                sys.stderr = before
            text = said.getvalue()
            self.assertIn("3 of 3 graded, 0 running, 7 as before, faults: 1", text)
            self.assertEqual(text.count("\r"), 4 if terminal else 0)
            self.assertEqual(text.count("\n"), 0 if terminal else 1)

    def test_names_of_out(self):
        put(OUT / "all.tar.gz", "")
        for folder, out in (OUT / "all.tar.gz", "all.graded"), (self.dir, "class.graded"):
            words = [w for w in self.words("") if not w.startswith(("folder", "output"))]
            request = tool.Request([*words, f"folder={folder}/" if folder == self.dir
                                    else f"folder={folder}"])
            self.assertEqual(pathlib.Path(request.out), OUT / out)
        done = self.run_class(self.dir / "inside")
        self.assertEqual(done, 2)
        self.assertIn("which is only read", (OUT / "said").read_text())

    def test_names_alike(self):
        """Nobody gets another's folder by a name that is written otherwise."""
        where = fresh("alike")
        for name in "Ann Lee", "ann lee", "ann_lee":
            put(where / name / "naive.cu", name)
        given = [w for w in self.words(self.out) if not w.startswith("folder")]
        a_class = tool.Class(tool.Request([*given, f"folder={where}"]))
        a_class.place()
        keys = {s.persons[0].id: s.key for s in a_class.submissions}
        self.assertEqual(keys["ann_lee"], "ann_lee")
        self.assertEqual(len(set(keys.values())), 3)
        a_class.lock.close()

    def test_course(self):
        """Seed, student and time are handed on; another course is another grade."""
        course = fresh("course")
        for rules, words, seed in (
                ("[course]\nseed = 7 ; ours\n", [], None), ("", ["seed=9"], "9"),
                ("[course]\nseed = 7\n", ["seed=9"], "9"), ("[lab naive]\n", [], "1")):
            put(course / "course.ini", rules)
            given = [w for w in self.words(self.out) if not w.startswith("seed")]
            request = tool.Request([*given, *words, f"course={course}", "handed_in=86400"])
            base = ledger.Ledger(":memory:")
            base.fact("seed", "1")
            request.settle(base)
            self.assertEqual(request.seed, seed)
            made = [request.seed_of(taken) for taken in ("one", "one", "other")]
            self.assertEqual([made[0] == made[1], made[1] == made[2]], [True, seed is None])
            s = layouts.Submission("ann", "folder", [])
            self.assertEqual(request.of_student(s), ["--student", "ann", "--handed-in",
                                                     "1970-01-02T00:00Z"])
            s.handed_in = layouts.time_of("2026-11-20 10:00:59.5 Z")
            self.assertEqual(request.of_student(s)[-1], "2026-11-20T10:00:59+00:00")
        self.assertEqual(layouts.time_of("2026-11-20 10:00:00 -0800"),
                         "2026-11-20T10:00:00-08:00")
        self.assertEqual(layouts.time_of("yesterday"), "")

    def test_one_at_a_time(self):
        first = tool.Class(tool.Request(self.words(self.out)))
        self.assertEqual(self.run_class(), 2)
        first.lock.close()
        self.assertEqual(self.run_class(), 0)

    def test_spreadsheets(self):
        import words
        for text in "=1+1", "+1", "-1", "@x", "\t=1", " =1", "\uff1d1", "|x", "%x", "\"=1":
            self.assertTrue(words.cell(text).startswith("'") or
                            words.cell(text)[0] == "?", text)
        self.assertEqual(words.cell("Ann-Lee = 1"), "Ann-Lee = 1")
        self.assertEqual(words.line("a\nb\x1b[1m\u202e\udc80"), "a?b?[1m??")
        put(self.dir / "=cmd|'!A1;\"x/naive.cu", "evil")
        self.assertEqual(self.run_class(), 0)
        book = gradebook(self.out)
        self.assertEqual([r["id"] for r in book.values() if "cmd" in r["id"]],
                         ["'=cmd|'!A1;'\"x"])

    def test_library_errors(self):
        self.assertIsInstance(tool.trouble(OSError(errno.ENOSPC, "x")), walled.DiskFull)
        self.assertNotIsInstance(tool.trouble(OSError(errno.EACCES, "x")), walled.DiskFull)
        self.run_class()
        put(self.out / "ledger.sqlite3", b"no database" * 100)
        before = self.books(self.out)
        self.assertEqual(self.run_class(), 2)
        self.assertEqual(self.books(self.out), before, "left as it was")
        self.assertIn("move it away", pathlib.Path(OUT / "said").read_text() or "")


classroom.main()
