# SPDX-License-Identifier: MIT
"""giveback_test.py SCANLAB OUT: files as systems export them, with drawn odd names: each
is filled in where it is to be, and the same everywhere else, byte by byte."""
import io
import random
import re
import unittest
import zipfile

import book
from book import OUT, a_class, cells, fresh, handed_in, put, run
import giveback
import table

NAMES = ['Lee, Ann', 'O"Neil', "Zoë Ñ", "=1+1", "two\nlines", "\u05d0\u05d1", "a;b", " lead",
         "Bo", "Bo", "\u202egnp", "x\ty", "'q", "-5", "A_B/C", "\u4e2d\u6587", "end ", ""]


def quoted(text, draw):
    """As some system might write it."""
    if any(sign in text for sign in ',;\t"\r\n') or text != text.strip() or draw.random() < .3:
        return '"' + text.replace('"', '""') + '"'
    return text


class GiveBack(unittest.TestCase):
    def setUp(self):
        self.draw = random.Random(39)

    def a_class(self, n=len(NAMES), form="folder"):
        """Every third has handed in nothing; the id is the number."""
        return a_class("class", [
            handed_in(f"k{i}", {"naive": i, "cpu-scan": 10}, (str(100 + i), NAMES[i], ""), form=form)
            for i in range(n) if i % 3])

    def filled(self, out, called, header, make, column, *words, n=len(NAMES), between=",",
               end="\n", before=(), mark=b"", encoding="utf-8", status=0):
        """Rows of a file, and of what came back, as cells; other cells are compared here."""
        lines = [[quoted(name, self.draw) for name in header], *before]
        lines += [[quoted(c, self.draw) for c in make(i, NAMES[i])] for i in range(n)]
        data = "".join(between.join(row) + end for row in lines)
        path = out / "theirs.csv"
        put(path, mark + data.encode(encoding))
        done = run(out, "-r", path, "-g", path, *words)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.done = done
        back = (out / f"final/{called}.csv").read_bytes()
        self.assertTrue(back.startswith(mark))
        old = cells(data, delimiter=between)
        new = cells(back[len(mark):].decode(encoding), delimiter=between)
        self.assertEqual(len(new), len(old))
        at = header.index(column)
        kept = {header.index("Feedback comments")} if "Feedback comments" in header else set()
        for a, b in zip(old, new):
            self.assertEqual([c for i, c in enumerate(a) if i not in kept | {at}],
                             [c for i, c in enumerate(b) if i not in kept | {at}])
        # The same again, and with the old points put back the same bytes.
        again = run(out, "-r", path, "-g", path, *words)
        self.assertEqual((out / f"final/{called}.csv").read_bytes(), back, again.stderr)
        theirs, ours = table.Table(str(path)), table.Table(str(out / f"final/{called}.csv"))
        for row in range(len(ours.rows)):
            for column in kept | {at}:
                if column < len(theirs.rows[row]):
                    ours.rows[row][column] = theirs.rows[row][column]
        self.assertEqual(ours.bytes(), mark + data.encode(encoding))
        return new, at

    def points(self, new, at, first, lab=True, empty=""):
        for i, row in enumerate(new[first:]):
            wanted = str(i if lab else i + 10) if i % 3 else empty
            self.assertEqual(row[at], wanted, row)

    CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Other (5)",
              "Naive, \"lab\" 1 (77)", "Final Score"]

    def canvas(self, i, name):
        return [name, str(100 + i), f"s{i}", f"u{i}@x.edu", "A and B", "7.5", "", "88.1"]

    def test_canvas(self):
        before = [["", "", "", "", "", "", "Manual Posting", ""],
                  ["    Points Possible", "", "", "", "", "10", "100", "(read only)"]]
        for options in ({}, {"between": ";", "end": "\r\n", "mark": b"\xef\xbb\xbf"}):
            new, at = self.filled(self.a_class(), "canvas", self.CANVAS, self.canvas,
                                  self.CANVAS[6], "--column", "Naive, \"lab\" 1", "--points",
                                  "naive", before=before, **options)
            self.assertEqual([new[1][at], new[2][at]], ["Manual Posting", "100"])
            self.points(new, at, 3)

    def test_canvas_exempt(self):
        """What Canvas says of a student stays; another maximum is told."""
        out = self.a_class()

        def make(i, name):
            return self.canvas(i, name)[:6] + [{1: "EX", 2: "N/A"}.get(i, "")] + ["1"]
        new, at = self.filled(out, "canvas", self.CANVAS, make, self.CANVAS[6], "--column", "77",
                              before=[["    Points Possible", "", "", "", "", "10", "50", ""]],
                              status=1)
        self.assertEqual([new[3][at], new[4][at], new[6][at]], ["EX", "N/A", "14"])
        self.assertIn("left as it is", self.done.stderr)
        self.assertIn("the maximum is 50 in the file, and it is 200 here", self.done.stderr)
        done = run(out, "-r", out / "theirs.csv", "-g", out / "theirs.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--column, one of: Other (5), Naive", done.stderr)

    MOODLE = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade",
              "Grade can be changed", "Last modified (submission)", "Last modified (grade)",
              "Feedback comments"]

    def moodle(self, i, name):
        return [f"Participant {100 + i}", name, f"u{i}@x.edu", "Submitted", "", "200.00", "Yes",
                "-", "Monday, 1 June 2026, 9:00 AM", "old"]

    def test_moodle(self):
        out = self.a_class()
        put(out / "p.ini", "[student 101]\ncomment = <b>good</b>\nnaive comment = =1\n")
        new, at = self.filled(out, "moodle", self.MOODLE, self.moodle, "Grade", "-p", out / "p.ini")
        self.points(new, at, 1, lab=False)
        self.assertEqual(new[2][-1], "old<br>naive: =1<br>&lt;b&gt;good&lt;/b&gt;")
        self.assertEqual(new[3][-1], "old")
        with zipfile.ZipFile(out / "final/moodle-feedback.zip") as archive:
            names = archive.namelist()
            self.assertEqual(archive.read(names[0]), b"<p>it is</p>\n")
            self.assertEqual([name.partition("/")[2] for name in names[:3]],
                             ["report.html", "report.txt", "taken.txt"])
        folders = {name.partition("/")[0] for name in names}
        self.assertEqual(len(folders), sum(1 for i in range(len(NAMES)) if i % 3))
        for folder in folders:
            # As Moodle parts it: name, number, kind of plugin, plugin.
            parts = folder.split("_", 4)
            self.assertEqual(parts[2:], ["assignsubmission", "file", ""], folder)
            self.assertTrue(100 <= int(parts[1]) < 100 + len(NAMES))
            self.assertNotRegex(folder, r"[\x00-\x1f\u202e/\\]")

    def comments(self, policy, points, *words, status=0, **more):
        """What Moodle's worksheet says to the one student, line by line."""
        out = a_class("class", [handed_in("ann", points, ("7", "Ann", ""), **more)])
        put(out / "p.ini", policy)
        put(out / "sheet.csv", ",".join(self.MOODLE) + "\nParticipant 7,Ann,,Submitted,,200,Yes,-,-,\n")
        done = run(out, "-r", out / "sheet.csv", "-g", out / "sheet.csv", "-p", out / "p.ini", *words)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        found = cells((out / "final/moodle.csv").read_text())[1]
        self.points_given = found[4]
        if words:
            return found[-1].split("<br>")
        row = book.students(out)["7"]
        self.assertEqual(row["told the student"].replace("; graded", ", graded"),
                         found[-1].replace("<br>", "; ").replace("; graded", ", graded"))
        return found[-1].split("<br>")

    BY_HAND = ("[course]\ndrop = 1\nout-of = 200\n[lab naive]\ncap = 90\n[student 7]\n"
               "naive add = 5\nnaive who = Dr. Wu\nnaive why = her sister was ill\n"
               "cpu-scan override = 12\ncpu-scan who = Prof. Lee\ncpu-scan why = copied from Bo\n")

    def test_a_comment_says_all_that_was_done(self):
        """An override, a drop, a cap, points by hand: each is told, as points alone; who and
        why stay with the teacher, who may have written another student's name."""
        found = self.comments(self.BY_HAND, {"naive": 88, "cpu-scan": 40})
        self.assertEqual(found, [
            "cpu-scan: set by hand to 12 points; graded were 40",
            "cpu-scan: dropped: it does not count in the total",
            "naive: 5 points added by hand", "naive: counts as 90 points at most"])
        self.assertEqual(self.points_given, "180")

    def test_who_and_why_where_the_policy_says_so(self):
        found = self.comments(self.BY_HAND + "naive tell = yes\n", {"naive": 80, "cpu-scan": 40})
        self.assertIn("naive: 5 points added by hand by Dr. Wu (her sister was ill)", found)
        self.assertNotIn("copied", " ".join(found))
        self.assertNotIn("Lee", " ".join(found))

    def test_totals_by_hand(self):
        whole = "[course]\ncap = 60\n[student 7]\nadd = -2\n"
        self.assertEqual(self.comments(whole, {"naive": 88}, status=1), [
            "in all: 2 points taken off by hand", "in all: 60 points at most"])
        self.assertEqual(self.comments(whole, {"naive": 88}, "--points", "naive", status=1), [""])
        whole = "[student 7]\noverride = 3\nwho = Lee\nwhy = x\ntell = yes\ncomment = See me.\n"
        self.assertEqual(self.comments(whole, {"naive": 88}, status=1), [
            "in all: set by hand to 3 points by Lee (x)", "See me."])

    def test_exempt_and_late(self):
        late = "[lab naive]\ndue = 2026-11-30T12:00Z\n[lab cpu-scan]\ndue = never\n[late]\n" \
            "percent = 10\n[course]\ngrace-days = 1\n[student 7]\ncpu-scan exempt = yes\n"
        found = self.comments(late, {"naive": 80, "cpu-scan": 40}, form="gradescope", status=1,
                              handed_in="2026-12-02T11:00+00:00")
        self.assertEqual(found, ["cpu-scan: you are exempt: it does not count",
                                 "naive: 1d 23h late, 1 grace day used: 8 points lost"])
        found = self.comments(late.replace("days = 1", "days = 2"), {"naive": 80, "cpu-scan": 40},
                              form="gradescope", status=1, handed_in="2026-12-02T11:00+00:00")
        self.assertIn("naive: 1d 23h late, 2 grace days used: 0 points lost", found)

    def test_several_maxima(self):
        """Totals out of 100 and of 200 in one column are told, until they have one scale."""
        rows = [handed_in(k, {"naive": 50, "cpu-scan": 90}, (k, "", "")) for k in "78"]
        text = "[student 7]\nnaive exempt = yes\n"
        for more, status in (("", 1), ("[course]\nout-of = 100\n", 0)):
            out = a_class("class", rows)
            put(out / "p.ini", more + text)
            put(out / "c.csv", "Student,ID,Section,Lab (1)\n    Points Possible,,,100\nA,7,,\nB,8,,\n")
            done = run(out, "-r", out / "c.csv", "-g", out / "c.csv", "-p", out / "p.ini")
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual("totals are given back, and they are out of 100" in done.stderr,
                             bool(status))
        self.assertEqual((out / "final/canvas.csv").read_text().splitlines()[2:],
                         ["A,7,,90", "B,8,,70"])

    def test_moodle_locked(self):
        def make(i, name):
            return [*self.moodle(i, name)[:6], "No", *self.moodle(i, name)[7:]]
        new, at = self.filled(self.a_class(), "moodle", self.MOODLE, make, "Grade", status=1)
        self.assertEqual({row[at] for row in new[1:]}, {""})

    def test_brightspace(self):
        header = ["OrgDefinedId", "Username", "Last Name", "First Name",
                  "Lab 1 Points Grade <Numeric MaxPoints:200 Weight:10>", "End-of-Line Indicator"]
        new, at = self.filled(
            self.a_class(), "brightspace", header, lambda i, name: [
                f"#{100 + i}", f"#u{i}", name, "X", "", "#"], header[4], "--column", "Lab 1",
            end="\r\n")
        self.points(new, at, 1, lab=False)

    def test_blackboard(self):
        """Tab-separated UTF-16, as it exports for spreadsheets; and CSV."""
        header = ["Last Name", "First Name", "Username", "Student ID",
                  "Lab 1 [Total Pts: 200 Score] |5512", "Other [Total Pts: 9 Score] |7"]
        for options in ({"between": "\t", "mark": b"\xff\xfe", "encoding": "utf-16-le"}, {}):
            new, at = self.filled(
                self.a_class(), "blackboard", header, lambda i, name: [
                    name, "X", f"u{i}", str(100 + i), "", "3"], header[4], "--column", "5512",
                **options)
            self.points(new, at, 1, lab=False)

    def test_gradescope(self):
        header = ["First Name", "Last Name", "SID", "Email", "Sections", "Total Score",
                  "Max Points", "Status", "Submission ID", "Submission Time", "Lateness (H:M:S)"]
        new, at = self.filled(
            self.a_class(), "gradescope", header, lambda i, name: [
                "X", name, str(100 + i), f"u{i}@x.edu", "", "", "200", "Graded", "1",
                "2026-06-25 13:16:26 -0600", "00:00:00"], "Total Score")
        self.points(new, at, 1, lab=False)

    def test_zero_students(self):
        for header, called, column in ((self.CANVAS, "canvas", self.CANVAS[6]),
                                       (self.MOODLE, "moodle", "Grade")):
            self.filled(a_class("class", []), called, header, None, column, "--column",
                        column, n=0)

    def test_another_roster(self):
        """The class's roster is GitHub's, the grades go to Canvas."""
        out = a_class("class", [handed_in("hw-ann", {"naive": 5}), handed_in("hw-bo", {"naive": 6})])
        put(out / "github.csv", "identifier,github_username,github_id,name\n1,ann,,Ann Lee\n"
            "2,bo,,Bo Ny\n")
        put(out / "canvas.csv", "Student,ID,SIS Login ID,Section,Lab (1)\n\"Ny, Bo\",2,,,\n"
            "\"Lee, Ann\",1,,,\n")
        done = run(out, "-r", out / "github.csv", "-g", out / "canvas.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((out / "final/canvas.csv").read_text().splitlines()[1:],
                         ['"Ny, Bo",2,,,6', '"Lee, Ann",1,,,5'])

    def test_a_name_in_another_file(self):
        """Canvas' number in the file says that it is somebody else of that name."""
        out = a_class("class", [handed_in("k", {"naive": 5}, ("103", "Wei Lee", ""), form="canvas")])
        for name, number in ("roster", 103), ("canvas", 104):
            put(out / f"{name}.csv", "Student,ID,SIS Login ID,Section,Lab (1)\n"
                f"\"Lee, Wei\",{number},w{number},,\n")
        done = run(out, "-r", out / "roster.csv", "-g", out / "canvas.csv")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("nothing is written", done.stderr)

    def test_nothing_is_written_over(self):
        out = a_class("class", [handed_in("ann", {"naive": 5})])
        before = (out / "gradebook.sqlite3").read_bytes()
        put(out / "canvas.csv", "Student,ID,SIS Login ID,Section,Lab (1)\nAnn,1,ann,,\n")
        for words, why in ((("output", out), "has what `scanlab class` wrote"),
                           (("-g", fresh("mine") / "canvas.csv", "output", OUT / "mine"),
                            "would be written over")):
            if "-g" in words:
                put(OUT / "mine/canvas.csv", (out / "canvas.csv").read_bytes())
            done = run(out, *words)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(why, done.stderr)
        self.assertEqual((out / "gradebook.sqlite3").read_bytes(), before)
        self.assertFalse((out / "gradebook.csv").exists())

    def test_points_that_are_none_now(self):
        """What an earlier run had put there goes again; what somebody else did, stays."""
        out = a_class("class", [handed_in("ann", {"naive": 5}), handed_in("bo", {"naive": 6})])
        put(out / "canvas.csv", "Student,ID,SIS User ID,SIS Login ID,Section,Lab (1)\n"
            "Ann,1,ann,,,\nBo,2,bo,,,\n")
        put(out / "p.ini", "[student ann]\nexempt = yes\n[student bo]\nexempt = yes\n")
        done = run(out, "-r", out / "canvas.csv", "-g", out / "canvas.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        filled = (out / "final/canvas.csv").read_text()
        put(out / "canvas.csv", filled.replace(",6", ",7"))
        done = run(out, "-r", out / "canvas.csv", "-g", out / "canvas.csv", "-p", out / "p.ini")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("Ann: the file has 5 from an earlier run, and the student has no points now", done.stderr)
        self.assertEqual([r[-1] for r in cells((out / "final/canvas.csv").read_text())[1:]],
                         ["", "7"])

    def test_totals_that_a_file_has_not(self):
        out = a_class("class", [handed_in("k", {"naive": 40, "cpu-scan": 2}, ("1", "A", "a@x.edu")),
                                handed_in("l", {}, ("2", "B", "b@x.edu"), status="fault")])
        put(out / "p.ini", "[student 1]\nadd = 5\n")
        done = run(out, "-p", out / "p.ini", "export", "autolab")
        self.assertIn("whose sum is not the total of 1 student", done.stderr)
        done = run(out, "-p", out / "p.ini", "export", "autolab", "points", "naive")
        self.assertNotIn("whose sum", done.stderr)
        run(out, "export", "gradescope")
        self.assertEqual([r[-1] for r in cells((out / "final/gradescope.csv").read_text())[1:]],
                         ["Graded", "Ungraded"])

    def test_who_handed_in_nothing(self):
        """Has the points that the policy gives, also in another file than the roster; and
        what an earlier run has left beside the new files is named."""
        out = a_class("class", [handed_in("hw-ann", {"naive": 5})])
        put(out / "github.csv", "identifier,github_username,github_id,name\n1,ann,,Ann Lee\n"
            "2,bo,,Bo Ny\n3,cy,,Cy Ito\n")
        put(out / "canvas.csv", "Student,ID,SIS Login ID,Section,Lab (1)\n\"Ny, Bo\",2,,,\n"
            "\"Lee, Ann\",1,,,\n")
        put(out / "p.ini", "[course]\nmissing = zero\n")
        for policy, points, status, told in ((("-p", out / "p.ini"), "0", 1, "3 Cy Ito is not in it"),
                                             ((), "", 0, "")):
            done = run(out, "-r", out / "github.csv", "-g", out / "canvas.csv", *policy)
            self.assertEqual((done.returncode, told in done.stderr), (status, True), done.stderr)
            self.assertEqual((out / "final/canvas.csv").read_text().splitlines()[1:],
                             [f'"Ny, Bo",2,,,{points}', '"Lee, Ann",1,,,5'])
        self.assertNotIn("earlier run", done.stdout)
        done = run(out, "-r", out / "github.csv")
        self.assertIn("of an earlier run, and not made anew: canvas.csv", done.stdout)

    def test_new_files(self):
        people = [("007", "=1+1", "a@x.edu"), ("8", 'B, "B"', "b@x.edu"), ("9", "C", ""),
                  ("10", "D", "-1+1@x.edu")]
        out = a_class("class", [handed_in(f"k{p[0]}", {"naive": 40, "cpu-scan": 2}, p)
                                for p in people])
        self.assertEqual(run(out, "--export", "autolab").returncode, 1)
        self.assertEqual((out / "final/autolab.csv").read_text(),
                         "a@x.edu,2,40\nb@x.edu,2,40\n", "cpu-scan stands first")
        self.assertEqual(run(out, "--export", "brightspace", "--column", "Lab 1", "--points",
                             "naive").returncode, 0)
        self.assertEqual((out / "final/brightspace.csv").read_bytes().decode().split("\r\n")[:2],
                         ["OrgDefinedId,Username,Lab 1 Points Grade,End-of-Line Indicator",
                          "#007,,40,#"])
        self.assertEqual(run(out, "--export", "gradescope").returncode, 0)
        found = cells((out / "final/gradescope.csv").read_text())
        self.assertEqual(found[1][:4], ["'=1+1", "007", "a@x.edu", "42"])
        self.assertEqual(run(out, "--export", "brightspace").returncode, 2)
        self.assertEqual(run(out, "--export", "prairielearn").returncode, 1)
        self.assertEqual((out / "final/prairielearn.csv").read_text(),
                         "uid,instance,score_perc\na@x.edu,1,21\nb@x.edu,1,21\n")

    def test_tables(self):
        """Whatever a file is like: read and written again it is the same; cells are those
        that Python's csv finds, where the file is as RFC 4180 has it."""
        place = fresh("tables")
        for turn in range(150):
            end, between = self.draw.choice(("\n", "\r\n", "\r")), self.draw.choice(",;\t")
            rows = [["id", "name", "x"]] + [
                [self.draw.choice(NAMES) for _ in range(self.draw.randrange(1, 5))]
                for _ in range(self.draw.randrange(5))]
            data = "".join(between.join(quoted(c, self.draw) for c in row) + end for row in rows)
            data = data[:-len(end)] if self.draw.random() < .3 and not data.endswith(
                (between + end, end * 2)) else data
            put(place / "t.csv", data)
            found = table.Table(str(place / "t.csv"))
            self.assertEqual(found.bytes(), data.encode(), turn)
            if end != "\r":
                self.assertEqual([[table.plain(c) for c in row] for row in found.rows],
                                 [row or [""] for row in cells(data, delimiter=between)], data)
        for _ in range(400):  # no cell at all may be lost
            data = "id,name\n" + "".join(self.draw.choice('",;\n\r\t ax') for _ in range(30))
            put(place / "t.csv", data)
            try:
                self.assertEqual(table.Table(str(place / "t.csv")).bytes(), data.encode())
            except table.Unusable as why:
                self.assertRegex(str(why), "quote")

    def test_safe(self):
        for text in "=1", "+1", " -1", "@a", "a\n=b":
            self.assertRegex(giveback.safe(text), r"^('|a)")
        self.assertTrue(re.match("'", giveback.safe("=1")))
        self.assertEqual(io.StringIO(giveback.safe("a\nb")).readlines(), ["a\n", "b"])


book.main()
