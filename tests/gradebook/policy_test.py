# SPDX-License-Identifier: MIT
"""policy_test.py SCANLAB OUT: what a policy makes of points that are known; what it
refuses; when a rule cannot be applied; the sample that the page prints."""
import re
import subprocess
import unittest

import book
from book import OUT, ROOT, a_class, fresh, handed_in, lab, put, run, students
import gittime
import policy
import times
import tree

DUE = "2026-11-30T23:59+00:00"
RULES = f"""[lab naive]
due = {DUE}
[lab cpu-scan]
due = never
[late]
grace = 15m
percent = 10
most = 50
until = 7d
"""


def at(text):
    return {"handed_in": text}


def came(key, when, points=83):
    return handed_in(key, {"naive": points}, (key, key.title(), key + "@x.edu"),
                     form="gradescope", **at(when))


class Policy(unittest.TestCase):
    def made(self, rows, text, *words, status=0):
        out = a_class("class", rows)
        put(out / "policy.ini", text)
        done = run(out, "-p", out / "policy.ini", *words)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.done = done
        return out

    def test_lateness(self):
        """As grader/course/rules.c: 10 % of 83 is 8, in the student's favour."""
        out = self.made([
            came("ann", "2026-11-30T23:00+00:00"), came("bo", "2026-12-01T00:14+00:00"),
            came("cy", "2026-12-01T00:15+00:00"), came("di", "2026-12-02T00:00+00:00"),
            came("ed", "2026-12-07T23:59+00:00"), came("fay", "2026-12-08T00:00+00:00")],
            RULES)
        found = {k: (r["late"], r["percent lost"], r["cost of lateness"], r["final"])
                 for k, r in lab(out, "naive").items()}
        self.assertEqual(found, {
            "ann": ("no", "", "0", "83"), "bo": ("no", "", "0", "83"),
            "cy": ("16m", "10", "8", "75"), "di": ("1d 1m", "20", "16", "67"),
            "ed": ("7d", "50", "41", "42"), "fay": ("7d 1m", "100", "83", "0")})
        row = students(out)["di"]
        self.assertEqual((row["points"], row["cost of lateness"], row["final"], row["late"]),
                         ("83", "16", "67", "1d 1m"))

    def test_as_scanlab_grade(self):
        """The same rule, in C, over many seconds."""
        late = policy.Late(grace=900, percent=10, most=50, until=7 * times.DAY)
        for seconds, lost in ((900, 0), (901, 10), (86400, 10), (86401, 20), (604800, 50),
                              (604801, 100)):
            self.assertEqual(late.lost(seconds), lost, seconds)

    def test_a_lab_of_its_own(self):
        out = self.made([came("ann", "2026-12-02T12:00+00:00")],
                        RULES + "[late naive]\neach = 1h\npercent = 1\n")
        self.assertEqual(lab(out, "naive")["ann"]["percent lost"], "37")

    def test_extensions_and_own_times(self):
        late = "2026-12-02T12:00+00:00"  # 36 h: 20 %
        out = self.made([came(key, late, 100) for key in ("ann", "bo", "cy", "di", "ed")], RULES + f"""
[student ann]
extension = 2d
[student bo@x.edu]
naive extension = 1d
[student cy]
handed-in = {DUE}
[student Di]
naive due = 2026-12-02T11:00+00:00
""")
        self.assertEqual({k: r["final"] for k, r in lab(out, "naive").items()},
                         {"ann": "100", "bo": "90", "cy": "100", "di": "90", "ed": "80"})
        self.assertEqual(lab(out, "naive")["cy"]["said by"], "policy")

    def test_grace_days(self):
        """The fewest with which the least is lost; in the order of due times."""
        two = {"naive": 100, "cpu-scan": 100}
        rows = [handed_in(key, two, form="gradescope", **at("2026-12-02T12:00+00:00"))
                for key in ("ann", "bo")]
        out = self.made(rows, RULES.replace("never", "2026-12-01T12:00+00:00") +
                        "[course]\ngrace-days = 2\n[student bo]\ngrace-days = 3\n")
        found = {(k, name): (r["grace days"], r["final"]) for name in two
                 for k, r in lab(out, name).items()}
        self.assertEqual(found, {("ann", "naive"): ("2", "100"), ("ann", "cpu-scan"): ("", "90"),
                                 ("bo", "naive"): ("2", "100"), ("bo", "cpu-scan"): ("1", "100")})

    def test_by_hand(self):
        two = {"naive": 60, "cpu-scan": 100}
        out = self.made([handed_in(key, two) for key in ("ann", "bo", "cy", "di", "ed")], """
[lab naive]
cap = 90
[student ann]
naive override = 82.5
naive who = Prof. Lee
naive why = "=1+1" was graded by hand
[student bo]
naive add = 45
comment = well done
[student cy]
naive add = -70
add = 5
[student di]
naive exempt = yes
[student ed]
override = 1
who = Lee
why = cheated
""")
        rows = students(out)
        self.assertEqual({k: (r["points"], r["final"], r["max points"]) for k, r in rows.items()},
                         {"ann": ("160", "182.5", "200"), "bo": ("160", "190", "200"),
                          "cy": ("160", "105", "200"), "di": ("160", "100", "100"),
                          "ed": ("160", "1", "200")})
        one = lab(out, "naive")["ann"]
        self.assertEqual((one["points"], one["override"], one["who"]), ("60", "82.5", "Prof. Lee"))
        self.assertTrue(one["why"].startswith("'\""), one["why"])
        self.assertEqual(rows["bo"]["comment"], "well done")
        self.assertEqual((rows["ed"]["override"], rows["ed"]["why"]), ("1", "cheated"))

    def test_drops_and_caps(self):
        two = {"naive": 60, "cpu-scan": 100}
        text = "[course]\ndrop = 5\ncap = 95\n"
        row = students(self.made([handed_in("ann", two)], text))["ann"]
        self.assertEqual((row["final"], row["max points"]), ("95", "100"))
        self.assertIn("naive: dropped", row["note"])
        row = students(self.made([handed_in("ann", two)],
                                 text + "[lab naive]\ndrop = no\n"))["ann"]
        # 60 % alone are less than 80 % of both: nothing is dropped.
        self.assertEqual((row["final"], row["max points"]), ("95", "200"))
        self.assertNotIn("dropped", row["note"])

    def test_drops_of_what_is_not_decided(self):
        """Not handed in and open is nothing as yet: dropped before what has points, as it is
        where it is 0. With more labs missing than drops the others count as before."""
        rows = [handed_in("ann", {"naive": 60}), handed_in("bo", {"naive": 70, "cpu-scan": 9}),
                handed_in("cy", {}, status="empty")]
        for text, cy in (("", ""), ("missing = zero\n", "0")):
            out = self.made(rows, "[course]\ndrop = 1\n" + text)
            self.assertEqual({k: (r["final"], r["max points"]) for k, r in students(out).items()},
                             {"ann": ("60", "100"), "bo": ("70", "100"), "cy": (cy, "100")})
            self.assertIn("cpu-scan: dropped", students(out)["ann"]["note"])

    def test_missing(self):
        """Not handed in: no points are decided, unless the policy says zero."""
        rows = [handed_in("ann", {"naive": 50}), handed_in("bo", {"naive": 70, "cpu-scan": 9}),
                handed_in("cy", {}, status="empty")]
        found = students(self.made(rows, ""))
        self.assertEqual({k: (r["state"], r["final"], r["cpu-scan"]) for k, r in found.items()},
                         {"ann": ("graded", "50", ""), "bo": ("graded", "79", "9"),
                          "cy": ("not handed in", "", "")})
        found = students(self.made(rows, "[course]\nmissing = zero\n"))
        self.assertEqual({k: (r["final"], r["cpu-scan"]) for k, r in found.items()},
                         {"ann": ("50", "0"), "bo": ("79", "9"), "cy": ("0", "0")})

    def test_states(self):
        """What a later scanlab class may call them; what is unknown needs a look."""
        for status, state, end in (
                ("unreadable", "needs a look", 1), ("fault", "fault", 1),
                ("not_handed_in", "not handed in", 0), ("does not compile", "fault", 1),
                ("something new", "needs a look", 1)):
            out = self.made([handed_in("ann", {"naive": 1}), handed_in("bo", {}, status=status)],
                            "", status=end)
            self.assertEqual((students(out)["bo"]["state"], students(out)["bo"]["final"]),
                             (state, ""), status)
            # Who that is stands on the terminal and in the summary.
            told = f"bo: {state}: " if end else "Without the last word"
            for text in self.done.stderr, (out / "final/summary.txt").read_text():
                self.assertEqual(told in text, bool(end), (status, text))

    def test_two_versions(self):
        """What could be graded has points, and somebody has to look all the same."""
        rows = [handed_in("ann", {"naive": 60}, status="needs a look")]
        out = self.made(rows, "", status=1)
        self.assertEqual((students(out)["ann"]["state"], students(out)["ann"]["final"]),
                         ("needs a look", "60"))
        self.made(rows, "[student ann]\nnaive override = 60\nnaive who = Lee\n"
                  "naive why = the first one\n")

    def test_unknown_is_loud(self):
        """On stderr, in the row, in the summary, by the exit status; points stay."""
        rows = [handed_in("lee_1", {"naive": 80}, ("1", "leeann", ""), form="canvas", late=True),
                handed_in("bo_2", {"naive": 70}, ("2", "bo", ""), form="canvas"),
                handed_in("cy", {"naive": 60}), came("di", "2026-11-01T00:00+00:00")]
        out = self.made(rows, RULES, status=1)
        found = students(out)
        self.assertEqual([(found[k]["late"], found[k]["final"]) for k in ("1", "2", "cy", "di")],
                         [("unknown", "80"), ("no", "70"), ("unknown", "60"), ("no", "83")])
        self.assertIn("late: unknown, for 2 students", self.done.stderr)
        self.assertIn("by how much nothing says", found["1"]["note"])
        text = (out / "final/summary.txt").read_text()
        self.assertIn("UNKNOWN", self.done.stdout)
        self.assertRegex(text, r"(?m)^  1 leeann: naive: marked late")
        self.assertEqual(lab(out, "naive")["2"]["said by"], "canvas's mark")
        # One time for all is no time of who is marked late.
        out = self.made(rows, RULES, "--handed-in", "2026-11-30T10:00+00:00", status=1)
        self.assertEqual([students(out)[k]["late"] for k in ("1", "cy")], ["unknown", "no"])
        out = self.made(rows, RULES + "[student 1]\nhanded-in = 2026-12-01T12:00Z\n"
                        "[student cy]\nhanded-in = 2026-11-30T12:00Z\n")
        self.assertEqual([students(out)[k]["final"] for k in ("1", "cy")], ["72", "60"])

    def test_one_of_each_is_one(self):
        """1 lab, 2 labs: in what is printed, in the summary, in sentences."""
        rule = RULES + "[course]\ngrace-days = 2\ndrop = 1\n[student ann]\nnaive override = 5\n" \
            "naive who = L\nnaive why = x\n"
        late = {"form": "gradescope", "handed_in": "2026-12-01T12:00+00:00"}
        rows = [handed_in("ann", {"naive": 90, "cpu-scan": 9}, **late)]
        self.made([*rows, handed_in("bo", {"naive": 90, "cpu-scan": 9}, **late)], rule)
        two = self.done.stdout
        self.assertIn("     2  labs came late\n     1  grace day used\n     2  labs dropped\n"
                      "     1  override\n", two)
        self.made(rows + [came("cy", "2026-12-03T12:00+00:00", 10)], rule, "--handed-in",
                  "2026-11-01T00:00Z")
        for text in self.done.stdout, self.done.stderr:
            self.assertNotRegex(text, r"(?<![\d.])1 +(\w+ ){0,2}(labs|days|students|points|overrides|"
                                r"answers|requests|times|hand-ins)\b")

    def test_nobodys_are_in_the_summary(self):
        out = a_class("class", [handed_in("ann", {"naive": 5})], [
            ("comments.csv", "its name does not say whose it is")])
        done = run(out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 hand-in of nobody, not graded: comments.csv: its name", done.stderr)
        self.assertIn("\nOf nobody, and not graded:\n  comments.csv: its name does not say",
                      (out / "final/summary.txt").read_text())
        out = a_class("class", [handed_in("ann", {"naive": 5})])
        self.assertEqual(run(out).returncode, 0)
        self.assertNotIn("nobody", (out / "final/summary.txt").read_text())

    def test_a_rule_without_a_due_time(self):
        text = RULES.replace(f"due = {DUE}\n", "")
        self.out = self.made([came("ann", "2026-12-01T12:00+00:00")], text, status=1)
        self.assertIn("[late] is for naive, which has no due time", self.done.stderr)
        self.assertEqual(students(self.out)["ann"]["late"], "unknown")
        out = self.made([handed_in("ann", {"naive": 5}, late=True)], "")
        self.assertEqual(students(out)["ann"]["late"], "marked")

    def test_gradescope_extension(self):
        """Each of a group has one's own, from the system's list."""
        late, due = "2026-12-02T12:00+00:00", "2026-12-01T12:00+00:00"
        rows = [handed_in("s1", {"naive": 100}, ("1", "Ann", ""), ("2", "Bo", ""),
                          ("3", "Cy", ""), form="gradescope", handed_in=late,
                          dues=[(due, late), ("", ""), (due, due)])]
        out = self.made(rows, RULES)
        self.assertEqual({k: r["final"] for k, r in students(out).items()},
                         {"1": "100", "2": "80", "3": "80"})
        # Where the policy has none, the system's of all counts.
        out = self.made(rows, RULES.replace(f"due = {DUE}\n", ""), status=1)
        self.assertEqual({k: (r["final"], r["late"]) for k, r in students(out).items()},
                         {"1": ("100", "no"), "2": ("100", "unknown"), "3": ("90", "1d")})

    def test_course(self):
        """course.ini where the policy says nothing."""
        course = fresh("course")
        put(course / "course.ini", f"[course]\nseed = 5\n[lab naive]\ndue = {DUE}\n"
            "visibility = hidden\n[lab sam]\ndue = 2026-11-01T00:00Z\n[late]\npercent = 25\n")
        rows = [came("ann", "2026-12-01T12:00+00:00", 100)]
        out = self.made(rows, "[lab cpu-scan]\ndue = never\n", "--course", course)
        self.assertEqual(students(out)["ann"]["final"], "75")
        out = self.made(rows, "[late]\npercent = 5\n", "--course", course)
        self.assertEqual(students(out)["ann"]["final"], "95")

    def test_csv(self):
        late = "2026-12-02T12:00+00:00"
        out = a_class("csv", [came(k, late, 100) for k in ("ann", "bo", "cy")])
        put(out / "more/late.csv", "student,lab,extension,override,who,why,comment\r\n"
            "ann,,2d,,,,\r\nbo,naive,,50,Lee,\"ill, \"\"very\"\"\",get well\r\n,,,,,,\r\n")
        put(out / "more/policy.ini", RULES + "[files]\nstudents = late.csv\n")
        self.assertEqual(run(out, "-p", out / "more/policy.ini").returncode, 0)
        self.assertEqual({k: r["final"] for k, r in students(out).items()},
                         {"ann": "100", "bo": "50", "cy": "80"})
        self.assertEqual(lab(out, "naive")["bo"]["why"], 'ill, "very"')

    def test_refused(self):
        out = a_class("refused", [handed_in("ann", {"naive": 5})])
        for text, why in (
                ("[lte]\n", "did you mean 'late'?"), ("[late]\nprcent = 5\n", "did you mean"),
                ("[lab nave]\ndue = never\n", "did you mean 'naive'?"),
                ("[late]\npercent = 5x\n", "5x"), ("[late]\npercent = 60\nmost = 50\n", "most"),
                ("[late]\ngrace = 2d\nuntil = 1d\n", "until"),
                ("[lab naive]\ndue = 2026-11-30T23:59\n", "no zone"),
                ("[course]\nzone = Nowhere/Atlantis\n", "no zone"),
                ("[student ann]\noverride = 5\n", "who"),
                ("[student ann]\nnaive override = 5\nwho = Lee\nwhy = x\n", "naive who"),
                ("[student ann]\noverride = -5\n", "negative"),
                ("[student ann]\noverride = nan\n", "no number"),
                ("[student ann]\nnaive grace-days = 2\n", "not of a lab"),
                ("[late]\npercent = 5\n[late]\npercent = 6\n", "already exists"),
                ("percent = 5\n", "no section"), ("[lab naive]\ndue\n", "due"),
                ("[files]\nstudents = none.csv\n", "No such file"), ("\xff", "UTF-8")):
            put(out / "p.ini", text.encode("latin-1"))
            done = run(out, "-p", out / "p.ini")
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertIn(why, done.stderr, text)
            self.assertNotIn("Traceback", done.stderr, text)
            self.assertFalse((out / "final").exists())

    def test_nobody_has_points(self):
        """Where all rows need somebody, that is told, too."""
        out = a_class("class", [handed_in("ann", {}, status="fault"),
                                handed_in("bo", {}, status="needs a look")])
        done = run(out)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("ann: fault", done.stderr)
        self.assertIn("bo: needs a look", done.stderr)
        done = run(out, "course", out / "nosuch")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("nosuch: there is no such folder of a course", done.stderr)

    def test_a_cap_of_points_by_hand(self):
        out = self.made([handed_in("ann", {}, status="needs a look"),
                         handed_in("bo", {"naive": 5})],
                        "[lab naive]\ncap = 50\n[student ann]\nnaive add = 60\n", status=1)
        self.assertEqual(lab(out, "naive")["ann"]["final"], "50")

    def test_who_is_meant(self):
        rows = [handed_in("s1", {"naive": 1}, ("1", "Ann Lee", "a@x.edu")),
                handed_in("s2", {"naive": 1}, ("2", "Lee, Ann", "b@x.edu"))]
        add = "\nnaive add = 7\n"
        out = self.made(rows, f"[student A@X.edu]{add}[student s2]{add}")
        self.assertEqual([r["final"] for r in students(out).values()], ["8", "8"])
        out = self.made(rows, f"[student ann lee]{add}[student zed]{add}", status=1)
        self.assertEqual([r["final"] for r in students(out).values()], ["1", "1"])
        self.assertIn("may be 1 Ann Lee or 2 Lee, Ann: not applied", self.done.stderr)
        self.assertIn("zed is nobody here", self.done.stderr)
        out = self.made(rows, f"[student 1]{add}[student s1]{add}")
        self.assertEqual(students(out)["1"]["final"], "8")

    def test_nobody(self):
        self.assertEqual(students(self.made([], RULES)), {})

    def test_times(self):
        for text, seconds in (("2026-11-30T23:59+01:00", 1796079540),
                              ("2026-11-30 22:59:00.5 UTC", 1796079540),
                              ("2026-11-30T22:59Z", 1796079540)):
            self.assertEqual(times.seconds(text), seconds)
        zone = times.zone_of("-06:00")
        for text in "Monday, 30 November 2026, 4:59 PM", "30 November 2026, 16:59", \
                "2026-11-30T16:59":
            self.assertEqual(times.seconds(text, zone), 1796079540)
        for text in "", "soon", "2026-02-30T00:00Z", "2026-11-30T25:00Z", "30 Smarch 2026, 1:00", \
                "1 May 2026, 13:00 PM", "9" * 5000, "2026-11-30T16:59", "0001-01-01T00:00+23:00":
            self.assertRaises(times.NoTime, times.seconds, text)

    def test_clocks_set_back(self):
        """Berlin, 25 October 2026, 3:00 is 2:00: a night of 25 hours makes nobody later; nor
        does one of 23, 29 March 2026."""
        rule = "[course]\nzone = Europe/Berlin\n[late]\npercent = 10\n[lab cpu-scan]\n" \
            "due = never\n[lab naive]\ndue = "
        more = "\n[student bo]\nextension = 2d\n[student cy]\ngrace-days = 2\n"
        rows = [came("ann", "2026-10-25T23:59", 100), came("bo", "2026-10-26T23:59", 100),
                came("cy", "2026-10-26T23:59", 100), came("di", "2026-10-26T00:00", 100)]
        out = self.made(rows, rule + "2026-10-24T23:59" + more)
        self.assertEqual({k: (r["late"], r["final"]) for k, r in lab(out, "naive").items()}, {
            "ann": ("1d", "90"), "bo": ("no", "100"), "cy": ("2d", "100"), "di": ("1d 1m", "80")})
        self.assertEqual(lab(out, "naive")["bo"]["due"], "2026-10-26T22:59:00Z")
        rows = [came("ann", "2026-03-29T03:01", 100), came("bo", "2026-03-30T23:59", 100)]
        out = self.made(rows, rule + "2026-03-29T01:59" + more.partition("[student cy]")[0])
        self.assertEqual([r["late"] for r in lab(out, "naive").values()], ["2m", "no"])
        # 2:30 is twice: a deadline is the second one, what was handed in came at the first.
        rows = [came("ann", "2026-10-25T02:40"), came("bo", "2026-10-25T02:40+01:00")]
        out = self.made(rows, rule + "2026-10-25T02:30\n")
        self.assertEqual([r["late"] for r in lab(out, "naive").values()], ["no", "10m"])
        # Seconds of a time with a zone, and shorter extensions, are as they are.
        zone = times.zone_of("Europe/Berlin")
        early = times.seconds("2026-10-25T02:30+02:00")
        self.assertEqual((times.later(early, 0, zone), times.later(early, 7200, zone)),
                         (early, early + 7200))

    def test_late_without_a_rule(self):
        """A due time alone costs nothing; by how much it was late is shown all the same."""
        out = self.made([came("ann", "2026-12-01T12:00Z"), came("bo", "2026-11-01T12:00Z")],
                        f"[lab naive]\ndue = {DUE}\n")
        self.assertEqual({k: (r["late"], r["cost of lateness"], r["final"])
                          for k, r in lab(out, "naive").items()},
                         {"ann": ("12h 1m", "0", "83"), "bo": ("no", "0", "83")})

    def test_said_twice(self):
        """Two rows that say different things of one student and lab: nothing is chosen."""
        rows = [came("ann", "2026-11-01T12:00Z")]
        for name, text, ends in (("same", "ann,naive,1d\nann,naive,1d\n", 0),
                                 ("other", "ann,naive,1d\nann,naive,2d\n", 2),
                                 ("ini", "ann,naive,3d\n", 2), ("labs", "ann,,3d\n", 0)):
            put(OUT / f"{name}.csv", "student,lab,extension\n" + text)
            more = "[student ann]\nnaive extension = 1d\n" if name in ("ini", "labs") else ""
            self.made(rows, RULES + more + f"[files]\nstudents = {OUT}/{name}.csv\n",
                      status=ends)
            if ends:
                self.assertIn("elsewhere for the same student and lab", self.done.stderr)

    def test_times_without_a_zone(self):
        """Names of Brightspace's and Blackboard's say a time and no zone: the policy does."""
        rows = [came("ann", "2026-12-01T00:30:00"), came("bo", "2026-11-30T23:00+00:00")]
        rule = RULES
        out = self.made(rows, rule, status=1)
        self.assertEqual(students(out)["ann"]["late"], "unknown")
        self.assertEqual(students(out)["bo"]["late"], "no")
        self.assertIn("has no zone; give one in the policy", (
            out / "final/summary.txt").read_text())
        out = self.made(rows, "[course]\nzone = +01:00\n" + rule)
        self.assertEqual(students(out)["ann"]["late"], "no")

    def test_git(self):
        """Loose and packed; what is hostile gives no time, and starts nothing."""
        where = fresh("git")
        made = {"GIT_COMMITTER_DATE": "1796079540 +0100", "GIT_AUTHOR_DATE": "@1 +0000",
                "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(where), "PATH": "/usr/bin:/bin"}

        def git(*words):
            return subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@x", *words],
                                  cwd=where / "ann", env=made, check=True, capture_output=True)
        put(where / "ann/naive.cu", "int x;\n" * 99)
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one\n\ncommitter A "
                                                     "<a> 5 +0000"]):
            git(*words)

        def found(name="ann"):
            with tree.Folder.open(where / name) as folder:
                return gittime.of_repository(folder)
        self.assertEqual(found(), 1796079540)
        for number in range(5):  # so that a pack has deltas
            put(where / "ann/naive.cu", f"int x{number};\n" * 99)
            git("commit", "-q", "-a", "-m", "more words, " * 30)
        git("gc", "-q", "--aggressive")
        self.assertEqual(list((where / "ann/.git/refs/heads").iterdir()), [])
        self.assertEqual(found(), 1796079540)
        put(where / "bo/.git/HEAD", "ref: refs/heads/../../../ann\n")
        put(where / "cy/.git/HEAD", "f" * 40)
        put(where / ("cy/.git/objects/ff/" + "f" * 38), b"\x78\x9cjunk")
        (where / "di").mkdir()
        (where / "di/.git").symlink_to(where / "ann/.git")
        for name in "bo", "cy", "di":
            self.assertRaises(gittime.NoTime, found, name)
        out = self.made([handed_in("ann", {"naive": 100}), handed_in("bo", {"naive": 100})],
                        RULES, "--git", where, status=1)
        self.assertEqual((students(out)["ann"]["late"], lab(out, "naive")["ann"]["said by"]),
                         ("no", "git"))
        self.assertEqual(students(out)["bo"]["late"], "unknown")

    def test_sample(self):
        """policy.ini, as docs/running-a-course.md prints it."""
        page = (ROOT / "docs/running-a-course.md").read_text()
        sample = re.search(r"```ini\n(; policy\.ini\n.*?)```", page, re.S)[1]
        found = policy.Policy()
        put(OUT / "sample/policy.ini", sample)
        put(OUT / "sample/extensions.csv", "student,lab,extension\nann,naive,2d\n")
        found = policy.read([str(OUT / "sample/policy.ini")], None, ["cpu-scan", "naive"])
        self.assertEqual((found.late_of("naive").percent, found.late_of("cpu-scan").percent),
                         (10, 1))
        self.assertTrue(any(own.override is not None for rules in found.owns.values()
                            for own in rules.values()))
        self.assertEqual(found.owns["ann"]["naive"].extension, 2 * times.DAY)


if __name__ == "__main__":
    book.main()
