# SPDX-License-Identifier: MIT
"""byhand_test.py SCANLAB OUT: what somebody has written by hand: grades and comments in a
system's file, entries of one student under several names. Nothing of it is lost unsaid."""
import unittest

import book
from book import OUT, a_class, cells, handed_in, put, run, scanlab, students

CANVAS = "Student,ID,SIS Login ID,Section,Lab 1 (77)\n    Points Possible,,,,100\n"
MOODLE = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed," \
    "Last modified (submission),Last modified (grade),Feedback comments\n"


class ByHand(unittest.TestCase):
    def setUp(self):
        self.out = a_class("class", [handed_in(f"k{n}", {"naive": 50 + n}, (str(n), "", ""))
                                     for n in (1, 2, 3)])

    def fill(self, text, *words, status=0, back="canvas", how=run):
        put(self.out / "theirs.csv", text)
        self.done = how(self.out, "-r", self.out / "theirs.csv", "-g", self.out / "theirs.csv",
                        *words)
        self.assertEqual(self.done.returncode, status, self.done.stdout + self.done.stderr)
        return cells((self.out / f"final/{back}.csv").read_text())

    def test_grades(self):
        """A grade of an earlier run is replaced, one by hand stays, and is said."""
        sheet = CANVAS + "A,1,,,{}\nB,2,,,{}\nC,3,,,{}\n"
        rows = self.fill(sheet.format("", 75, "53.00"), status=1)
        self.assertEqual([row[-1] for row in rows[2:]], ["51", "75", "53"])
        self.assertIn("2 B: the file has 75, which was not put there by this, and not 52: left",
                      self.done.stderr)
        self.assertNotIn("3 C", self.done.stderr)
        # Uploaded, exported again; one has other points now, and one was changed there.
        put(self.out / "p.ini", "[student 1]\nadd = 5\n[student 3]\nadd = 1\n")
        rows = self.fill(sheet.format("51.00", 75, "60"), "-p", self.out / "p.ini", status=1)
        self.assertEqual([row[-1] for row in rows[2:]], ["56", "75", "60"])
        self.assertIn("3 C: the file has 60", self.done.stderr)

    def test_overwrite(self):
        """By scanlab itself, whose option it is."""
        rows = self.fill(CANVAS + "A,1,,,7\nB,2,,,EX\nC,3,,,\n", "--overwrite", status=1,
                         how=scanlab)
        self.assertEqual([row[-1] for row in rows[2:]], ["51", "EX", "53"])
        self.assertNotIn("has 7", self.done.stderr)

    def test_a_column_of_another_lab(self):
        out = a_class("class", [handed_in("k1", {"naive": 50, "cpu-scan": 40}, ("1", "A", ""))])
        put(out / "c.csv", CANVAS.replace("Lab 1", "Lab 0 cpu-scan") + "A,1,,,\n")
        for lab, status in ("naive", 1), ("cpu-scan", 0):
            done = run(out, "-r", out / "c.csv", "-g", out / "c.csv", "--points", lab, "--column", "77")
            self.assertEqual(done.returncode, status, done.stderr)
        put(out / "c.csv", CANVAS.replace("Lab 1", "Lab 0 cpu-scan") + "A,1,,,\n")
        done = run(out, "-r", out / "c.csv", "-g", out / "c.csv", "--points", "naive")
        self.assertIn("is called as cpu-scan, and is given the points of naive", done.stderr)

    def sheet(self, *comments):
        return MOODLE + "".join(
            f"Participant {n},S{n},,Submitted,,100.00,Yes,-,-,{text}\n"
            for n, text in enumerate(comments, 1))

    def test_comments(self):
        """One by hand stays before ours; ours of before goes, also where there is none now."""
        rows = self.fill(self.sheet("<p>old</p>", "naive: 20h 3m late: 10 points lost",
                                    "Well done.<br />naive: 1h late: 5 points lost"),
                         back="moodle")
        self.assertEqual([row[-1] for row in rows[1:]], ["<p>old</p>", "", "Well done."])
        text = self.sheet("Bravo", "", "").replace("Submitted,,", "Submitted,99,", 1)
        put(self.out / "p.ini", "[student 1]\nnaive add = 1\n")
        rows = self.fill(text, "-p", self.out / "p.ini", back="moodle", status=1)
        self.assertEqual([row[-1] for row in rows[1:]], ["Bravo", "", ""], "nor beside its grade")
        put(self.out / "p.ini", "[student 1]\ncomment = a < b\n[student 2]\nnaive add = 1\n")
        rows = self.fill(self.sheet("<p>old</p>", "", ""), "-p", self.out / "p.ini", back="moodle")
        self.assertEqual([row[-1] for row in rows[1:]], [
            "<p>old</p><br>a &lt; b", "naive: 1 point added by hand", ""])
        put(self.out / "p.ini", "[student 1]\ncomment = Hello\n")
        rows = self.fill(self.sheet(*(row[-1] for row in rows[1:])), "-p", self.out / "p.ini",
                         back="moodle")
        self.assertEqual([row[-1] for row in rows[1:]], ["<p>old</p><br>Hello", "", ""])

    def test_one_student_by_several_names(self):
        out = a_class("class", [handed_in("ann", {"naive": 50, "cpu-scan": 40},
                                          ("7", "Ann Lee", "ann@x.edu"))])
        put(out / "r.csv", "id,email,name\n7,ann@x.edu,Ann Lee\n")
        put(out / "p.ini", "[student ann@x.edu]\ncomment = one\nnaive add = 2\n[files]\n"
            "students = more.csv\nrequests = requests.csv\n")
        put(out / "more.csv", "student,lab,add,override,who,why,comment\n7,,3,,,,two\n"
            "7,naive,,,Lee,talk,\n")
        put(out / "requests.csv", "student,lab,request,decision,points,who,answer\n"
            "Ann Lee,cpu-scan,please,changed,44,Wu,right\n")
        done = run(out, "-r", out / "r.csv", "-p", out / "p.ini")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        row = students(out)["7"]
        self.assertEqual((row["final"], row["comment"]), ("99", "one; two"))  # 50+2, 44, +3
        # Two that say different things: the first one holds, and it is said which.
        put(out / "more.csv", "student,lab,add\n7,naive,4\n")
        done = run(out, "-r", out / "r.csv", "-p", out / "p.ini")
        self.assertEqual(done.returncode, 1)
        self.assertIn("7 Ann Lee stands in the policy as ann@x.edu and as 7, with different "
                      "values: naive add (7) is not applied", done.stderr)
        self.assertEqual(students(out)["7"]["final"], "96")


book.main()
