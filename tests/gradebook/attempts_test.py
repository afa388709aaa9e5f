# SPDX-License-Identifier: MIT
"""attempts_test.py SCANLAB OUT: which of several attempts counts, as the policy says, of each
system that gives several; lateness is that of the attempt that counts; where the rule cannot
be applied it is refused, or told. The last test grades for real."""
import os
import unittest
import zipfile

import book
from book import OUT, ROOT, a_class, before, classroom, fresh, handed_in, lab, put, run, students

DUE = "2026-11-30T23:59+00:00"
RULES = f"[lab naive]\ndue = {DUE}\n[lab cpu-scan]\ndue = {DUE}\n[late]\npercent = 10\nmost = 50\n"
EARLY, IN_TIME, LATE = "2026-11-29T12:00+00:00", "2026-11-30T12:00+00:00", \
    "2026-12-01T12:00+00:00"


class Attempts(unittest.TestCase):
    def made(self, rows, text, *words, status=0):
        out = a_class("class", rows)
        put(out / "policy.ini", text)
        self.done = run(out, "-p", out / "policy.ini", *words)
        self.assertEqual(self.done.returncode, status, self.done.stdout + self.done.stderr)
        return out

    def rule(self, rule, where="[course]"):
        return f"{where}\nattempt = {rule}\n" + RULES

    def three(self, form="brightspace", **more):
        """60 and 90 in time, 95 late."""
        return before(handed_in("ann", {"naive": 95}, ("ann", "Ann", ""), form=form,
                                handed_in=LATE, **more), (EARLY, {"naive": 60}),
                      (IN_TIME, {"naive": 90}))

    def of(self, out, name="naive"):
        row = lab(out, name)["ann"]
        return row["attempt"], row["points"], row["late"], row["final"]

    def test_rules(self):
        for rule, wanted in (("last", ("3 of 3", "95", "12h 1m", "86")),
                             ("in-time", ("2 of 3", "90", "no", "90")),
                             ("best", ("2 of 3", "90", "no", "90"))):
            out = self.made([self.three()], self.rule(rule))
            self.assertEqual(self.of(out), wanted, rule)
        self.assertIn("1  lab of which an attempt before the last counts", self.done.stdout)
        self.assertIn("attempt 2 of 3 counts", students(out)["ann"]["told the student"])
        # Without a rule the last one counts.
        self.assertEqual(self.of(self.made([self.three()], RULES))[0], "3 of 3")

    def test_best_is_after_lateness_and_grace_days(self):
        """One day makes the late 95 whole: then it is the best."""
        out = self.made([self.three()], self.rule("best\ngrace-days = 1"))
        self.assertEqual(self.of(out), ("3 of 3", "95", "12h 1m", "95"))
        out = self.made([self.three()], self.rule("in-time\ngrace-days = 1"))
        self.assertEqual(self.of(out)[0], "2 of 3", "days buy no time")

    def test_none_in_time(self):
        row = before(handed_in("ann", {"naive": 80}, ("ann", "", ""), form="blackboard",
                               handed_in="2026-12-02T12:00+00:00"), (LATE, {"naive": 90}))
        self.assertEqual(self.of(self.made([row], self.rule("in-time")))[:2], ("2 of 2", "80"))
        self.assertEqual(self.of(self.made([row], self.rule("best")))[:2], ("1 of 2", "90"))

    def test_an_attempt_that_cannot_be_read(self):
        """The last one, late, needs a look: nothing for who counts what is in time; for who
        counts the best it may be that one."""
        row = before(handed_in("ann", {}, ("ann", "", ""), form="blackboard", status="needs a look",
                               handed_in=LATE), (IN_TIME, {"naive": 70}))
        out = self.made([row], self.rule("in-time"))
        self.assertEqual((self.of(out), students(out)["ann"]["state"]),
                         (("1 of 2", "70", "no", "70"), "graded"))
        self.made([row], self.rule("best"), status=1)
        self.assertIn("attempt 2 may be the best, and it is 'needs a look'", self.done.stderr)
        out = self.made([row], self.rule("last"), status=1)
        self.assertEqual(self.of(out)[::3], ("2 of 2", ""))

    def test_by_lab(self):
        """Each lab its rule; an attempt counts for the labs that it has."""
        row = before(handed_in("ann", {"naive": 40}, ("ann", "", ""), form="autolab"),
                     ("", {"naive": 70, "cpu-scan": 30}), ("", {"cpu-scan": 20}))
        out = self.made([row], "[lab naive]\nattempt = best\n")
        self.assertEqual([self.of(out, name)[:2] for name in ("naive", "cpu-scan")],
                         [("1 of 3", "70"), ("2 of 3", "20")])
        out = self.made([row], "[course]\nattempt = best\n[lab naive]\nattempt = last\n")
        self.assertEqual([self.of(out, name)[:2] for name in ("naive", "cpu-scan")],
                         [("3 of 3", "40"), ("1 of 3", "30")])

    def test_not_graded_is_refused(self):
        row = before(handed_in("ann", {"naive": 95}, ("ann", "", ""), form="autolab"),
                     (EARLY, None))
        for rule in "best", "in-time":
            self.made([row], self.rule(rule), status=2)
            self.assertIn("run scanlab class with --attempts", self.done.stderr)
        # The last one has no naive, and nobody knows what the first one has: no silent 0.
        row = before(handed_in("ann", {"cpu-scan": 9}, ("ann", "", ""), form="autolab"),
                     (EARLY, None))
        other = handed_in("bo", {"naive": 1, "cpu-scan": 1}, ("bo", "", ""))
        out = self.made([row, other], "[course]\nmissing = zero\n", status=1)
        self.assertEqual(lab(out, "naive")["ann"]["state"], "needs a look")
        self.assertEqual(lab(out, "naive")["ann"]["final"], "")
        self.assertIn("--attempts", self.done.stderr)

    def test_what_grows(self):
        """Canvas' last attempt has all files: a lab that is not in it is in none, so one that
        was handed in twice says nothing of another one that never was."""
        other = handed_in("bo", {"naive": 1, "cpu-scan": 1}, ("bo", "", ""))
        for form, state, status in (("canvas", "not handed in", 0), ("autolab", "needs a look", 1)):
            row = before(handed_in("ann", {"naive": 9}, ("ann", "", ""), form=form), (EARLY, None))
            out = self.made([row, other], "[course]\nmissing = zero\n", status=status)
            self.assertEqual((lab(out, "cpu-scan")["ann"]["state"], students(out)["ann"]["final"]),
                             (state, "9"))

    def test_times_that_nobody_says(self):
        """Autolab's versions have no times: in-time is told, but where the last was in time."""
        row = before(handed_in("ann", {"naive": 80}, ("ann", "", ""), form="autolab"),
                     ("", {"naive": 90}))
        out = self.made([row], self.rule("in-time"), status=1)
        self.assertIn("whether attempt 2 came in time nothing says",
                      lab(out, "naive")["ann"]["note"] + self.done.stderr)
        out = self.made([row], self.rule("in-time") + f"[student ann]\nhanded-in = {IN_TIME}\n")
        self.assertEqual(self.of(out)[:2], ("2 of 2", "80"))
        out = self.made([row], self.rule("best") + f"[student ann]\nhanded-in = {IN_TIME}\n")
        self.assertEqual(self.of(out), ("1 of 2", "90", "no", "90"))
        out = self.made([row], self.rule("in-time") + f"[student ann]\nhanded-in = {LATE}\n",
                        status=1)
        self.assertIn("whether attempt 1 came in time nothing says", self.done.stderr)

    def test_marks_of_canvas(self):
        """The second file is marked late, the first one is not."""
        row = before(handed_in("ann", {"naive": 80}, ("ann", "", ""), form="canvas", late=True),
                     ("", {"naive": 70}))
        self.assertEqual(self.of(self.made([row], self.rule("in-time"))),
                         ("1 of 2", "70", "no", "70"))

    def test_systems_with_one_attempt(self):
        """Moodle's download has the last one: best is told, in-time where that was late."""
        for rule, when, status in (("best", IN_TIME, 1), ("in-time", IN_TIME, 0),
                                   ("in-time", LATE, 1), ("last", LATE, 0)):
            self.made([handed_in("ann", {"naive": 80}, form="moodle", handed_in=when)],
                      self.rule(rule), status=status)
            self.assertEqual("not applied to 1 hand-in" in self.done.stderr, status == 1)

    def test_feedback_is_that_of_the_attempt(self):
        out = a_class("class", [self.three()])
        put(out / "policy.ini", self.rule("best"))
        put(out / "sheet.csv", "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade "
            "can be changed,Last modified (submission),Last modified (grade),Feedback comments\n"
            "Participant 7,Ann,a@x.edu,Submitted,,100.00,Yes,-,-,\n")
        done = run(out, "-p", out / "policy.ini", "-r", out / "sheet.csv", "-g", out / "sheet.csv",
                   "--points", "naive")
        self.assertEqual(done.returncode, 0, done.stderr)
        with zipfile.ZipFile(out / "final/moodle-feedback.zip") as archive:
            folder = "Ann_7_assignsubmission_file_/"
            self.assertEqual(archive.namelist(), [
                folder + name for name in ("report.html", "report.txt", "taken.txt")])
            self.assertEqual(archive.read(folder + "report.txt"), b"of ann+2\n")
        self.assertIn("naive: attempt 2 of 3 counts", (out / "final/moodle.csv").read_text())

    def test_refused(self):
        out = a_class("class", [self.three()])
        put(out / "policy.ini", "[course]\nattempt = first\n")
        done = run(out, "-p", out / "policy.ini")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'first' is none of last, in-time, best", done.stderr)

    def test_graded(self):
        """By scanlab class --attempts, of three systems' names: a right one in time, then the
        stub late."""
        scan = b"#define SOLUTION\n" + (ROOT / "reference/cpu_scan.c").read_bytes()
        stub = (ROOT / "student/cpu_scan.c").read_bytes()
        where = fresh("handed")
        for name, data in (
                ("12-34 - Ann Lee - Nov 30, 2026 802 PM/cpu_scan.c", scan),
                ("12-34 - Ann Lee - Dec 1, 2026 802 PM/cpu_scan.c", stub),
                ("Lab 0_bo_attempt_2026-11-30-20-02-00_cpu_scan.c", scan),
                ("Lab 0_bo_attempt_2026-12-01-20-02-00_cpu_scan.c", stub),
                ("diazcy_1003_77_cpu_scan.c", scan), ("diazcy_LATE_1003_99_cpu_scan-1.c", stub),
                ("di@x.edu_1_cpu_scan.c", stub)):
            put(where / name, data)
        out = fresh("out")
        fresh("cache").chmod(0o700)

        def graded(*more):
            return classroom.scanlab_class(
                where, "cpu-scan", "-j", "2", "--seed", "5", "-o", out, *more,
                env=os.environ | {"SCANLAB_CACHE": str(OUT / "cache")})
        put(out / "policy.ini", "[course]\nzone = +00:00\nattempt = in-time\n[lab cpu-scan]\n"
            "due = 2026-11-30T23:59\n[late]\npercent = 10\n[student di@x.edu]\n"
            "handed-in = 2026-11-30T10:00\n")
        done = graded()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual({r["points"] for r in lab(self.final(out, 2), "cpu-scan").values()},
                         set(), "refused")
        done = graded("--attempts")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("     3  more, handed in before the last one", done.stdout)
        whose = (out / "whose.txt").read_text()
        self.assertRegex(whose, r"diazcy_1003\+1: .*an attempt before diazcy_1003")
        self.assertNotIn("is not graded", whose)
        found = lab(self.final(out, 0), "cpu-scan", "submission")
        self.assertEqual({row["attempt"]: row["points"] for row in found.values()},
                         {"1 of 2": "100", "": "0"})
        self.assertEqual([row["late"] for row in found.values()], ["no"] * 4)
        # Without the option again: what was graded before counts no more, and says so.
        graded()
        self.final(out, 2)

    def final(self, out, status):
        (out / "final/labs.csv").unlink(missing_ok=True)
        done = book.scanlab(out, "-p", out / "policy.ini")
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        if status == 2:
            put(out / "final/labs.csv", "lab,id,points\n")
        return out


book.main()
