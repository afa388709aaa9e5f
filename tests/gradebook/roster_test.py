# SPDX-License-Identifier: MIT
"""roster_test.py SCANLAB OUT: rosters of each system; who is matched by what; doubts are
told and never guessed; odd names, hostile files."""
import time
import unittest

import book
from book import OUT, a_class, handed_in, put, run, students
import roster
import table

ROSTERS = {
    "canvas": "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Lab 1 (77),Final Score\n"
              ",,,,,Manual Posting,\n    Points Possible,,,,,100,(read only)\n"
              "\"Lee, Ann\",1,s1,ann@x.edu,A,,\n\"Ñuñez, Bo \"\"B\"\"\",2,s2,bo@x.edu,A,,\n",
    "moodle": "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade can"
              " be changed\",\"Last modified (submission)\",\"Last modified (grade)\",\"Feedback "
              "comments\"\nParticipant 1,\"Ann Lee\",ann@x.edu,Submitted,,100.00,Yes,\"Monday, 30"
              " November 2026, 4:59 PM\",-,\nParticipant 2,\"Bo \"\"B\"\" Ñuñez\",bo@x.edu,No,,"
              "100.00,Yes,-,-,\n",
    "moodle-participants": "\"First name\",\"Last name\",\"ID number\",\"Email address\",Groups\n"
                           "Ann,Lee,1,ann@x.edu,\"A, B\"\n\"Bo \"\"B\"\"\",Ñuñez,2,bo@x.edu,\n",
    "gradescope": "First Name,Last Name,SID,Email,Role,Section\r\nAnn,Lee,1,ann@x.edu,Student,A\r\n"
                  "\"Bo \"\"B\"\"\",Ñuñez,2,bo@x.edu,Student,A\r\nPat,Prof,9,pat@x.edu,Instructor,\r\n",
    "github": "\"identifier\",\"github_username\",\"github_id\",\"name\"\n\"1\",\"ann-l\",\"7\",\"Ann Lee\"\n"
              "\"2\",\"\",\"\",\"Bo \"\"B\"\" Ñuñez\"\n",
    "brightspace": "OrgDefinedId,Username,Last Name,First Name,Email,Lab 1 Points Grade <Numeric "
                   "MaxPoints:100>,End-of-Line Indicator\n#1,#ann,Lee,Ann,ann@x.edu,,#\n"
                   "#2,#bo,Ñuñez,\"Bo \"\"B\"\"\",bo@x.edu,,#\n",
    "blackboard": "\"Last Name\",\"First Name\",\"Username\",\"Student ID\",\"Lab 1 [Total Pts: 100 Score]"
                  " |55\"\n\"Lee\",\"Ann\",\"ann\",\"1\",\"\"\n\"Ñuñez\",\"Bo \"\"B\"\"\",\"bo\",\"2\",\"\"\n",
    "prairielearn": "UID,UIN,Username,Name,Role,Assessment,Instance,Started,Score (%)\n"
                    "ann@x.edu,1,ann,Ann Lee,Student,Homework 1,1,2026-11-01T10:00:00-06,0\n"
                    "bo@x.edu,2,bo,\"Bo \"\"B\"\" Ñuñez\",Student,Homework 1,1,,\n"
                    "pat@x.edu,9,pat,Pat,Staff,Homework 1,1,,\n",
    "plain": "id;email;name\n1;ann@x.edu;Lee, Ann\n2;bo@x.edu;\"Ñuñez; Bo \"\"B\"\"\"\n",
}


def work(key, id="", name="", email="", **more):
    return handed_in(key, {"naive": 50}, (id or key, name, email), **more)


class Rosters(unittest.TestCase):
    def made(self, rows, text, *words, status=0, encoding="utf-8"):
        out = a_class("class", rows)
        put(out / "roster.csv", text.encode(encoding))
        self.done = run(out, "-r", out / "roster.csv", *words)
        self.assertEqual(self.done.returncode, status, self.done.stdout + self.done.stderr)
        self.assertNotIn("Traceback", self.done.stderr)
        return out

    def test_formats(self):
        """Known by the header; the one who handed in nothing has a row, and no points."""
        for called, text in ROSTERS.items():
            for encoding in ("utf-8", "utf-16") if called == "blackboard" else ("utf-8",):
                path = OUT / "roster.csv"
                put(path, text.encode(encoding))
                self.assertEqual(roster.detect(table.Table(str(path))), called)
                status = int(called == "moodle")  # its time has no zone
                out = self.made([work("ann", "1")], text, status=status, encoding=encoding)
                found = students(out)
                self.assertEqual(list(found), ["1", "2"], called)
                self.assertEqual([found[k]["state"] for k in "12"], ["graded", "not handed in"])
                self.assertEqual((found["1"]["final"], found["2"]["final"]), ("50", ""), called)
                self.assertEqual(sorted(roster.name_key(found["2"]["name"]).split()),
                                 ["b", "bo", roster.name_key("Ñuñez")], called)

    def test_forced(self):
        text = ROSTERS["gradescope"].replace("SID", "Number")
        self.made([work("ann", "ann@x.edu")], text, "--roster-format", "gradescope")
        self.made([work("ann")], text.replace("Email", "Post"), status=2)
        self.assertIn("--roster-format", self.done.stderr)

    def test_levels(self):
        text = "id,email,login,name\n01,ann@x.edu,annl,Ann Lee\n02,bo@x.edu,bob,Bo Ny\n" \
               "03,cy@x.edu,cyz,Cy Zed\n04,di@x.edu,diana,Di Ann O'Neil\n05,e@x.edu,e,Zoë Çelik\n"
        out = self.made([work("k1", "01"), work("k2", "", "", "BO@x.edu"), work("hw1-cyz"),
                         work("k4", "x4", "o'neil, di ann"), work("k5", "x5", "C\u0327elik Zoe\u0308")],
                        text)
        self.assertEqual({k: (r["submission"], r["matched by"]) for k, r in students(out).items()}, {
            "01": ("k1", "id"), "02": ("k2", "e-mail"), "03": ("hw1-cyz", "login"),
            "04": ("k4", "name"), "05": ("k5", "name")})
        summary = (out / "final/summary.txt").read_text()
        self.assertIn("By name alone, look at these:\n  k4 is 04", summary)

    def test_doubts(self):
        """Two fit: nobody gets it, and it is told with both."""
        text = "id,email,name\n1,ann@x.edu,Ann Lee\n2,ann2@x.edu,\"Lee, Ann\"\n3,c@x.edu,Cy\n" \
               "4,d@x.edu,Di\n"
        out = self.made([work("who", "x", "ann lee"), work("both", "3", "", "d@x.edu"),
                         work("one", "4"), work("two", "4"), work("none", "77", "Nobody")],
                        text, status=1)
        found = {r["submission"]: r for r in students(out, "submission").values()}
        for key, why in (("who", "may be of 1 Ann Lee or of 2 Lee, Ann"),
                         ("both", "may be of 3 Cy or of 4 Di"),
                         ("one", "several submissions: one, two"),
                         ("two", "several submissions"), ("none", "nobody on the roster")):
            self.assertEqual(found[key]["state"], "needs a look", key)
            self.assertIn(why, found[key]["note"])
            self.assertIn(f"{key}: ", self.done.stderr)
        rows = book.rows(out / "final/gradebook.csv")
        # What may be theirs is no 0 for them, whatever the policy says of what is missing.
        self.assertEqual([(r["state"], r["final"]) for r in rows[:4]], [("needs a look", "")] * 4)
        put(OUT / "settled.ini", "[course]\nmissing = zero\n[student 1]\nsubmission = who\n"
            "[student 3]\nsubmission = both\n[student 4]\nsubmission = two\n"
            "[student 2]\nsubmission = gone\n")
        out = self.made([work("who", "", "Ann Lee"), work("both", "3", email="d@x.edu"),
                         work("one", "4"), work("two", "4")], text, "-p", OUT / "settled.ini",
                        status=1)
        found = {r["submission"]: r for r in students(out, "submission").values()}
        self.assertEqual([found[key]["id"] for key in ("who", "both", "two")], ["1", "3", "4"])
        self.assertEqual(found["two"]["matched by"], "policy")
        self.assertEqual(found["one"]["state"], "needs a look")
        self.assertIn("there is no such submission", self.done.stderr)

    def test_doubles(self):
        """Who stands in two sections is one; two of one name and other ids are two."""
        text = "id,email,name,section\n1,a@x.edu,Ann Lee,A\n1,A@x.edu,Ann Lee,B\n2,b@x.edu,Ann Lee,A\n"
        out = self.made([work("k1", "1"), work("k2", "2")], text, status=1)
        self.assertEqual({k: r["submission"] for k, r in students(out).items()},
                         {"1": "k1", "2": "k2"})
        self.assertIn("roster.csv: row 3 is 1 of row 2 once more: left out", self.done.stderr)
        self.assertNotIn("may be of", self.done.stderr)

    def test_a_name_takes_nothing(self):
        """Who is called as another one does not take that one's place."""
        text = "id,name\n1,Ann Lee\n2,Mal\n"
        out = self.made([work("k1", "1", "Ann Lee"), work("k2", "x", "Ann Lee")], text, status=1)
        found = students(out)
        self.assertEqual(found["1"]["submission"], "k1")
        self.assertEqual(found["x"]["state"], "needs a look")

    def test_a_canvas_id_that_is_anothers_sis_id(self):
        """Names of Canvas' files have ids of Canvas alone."""
        text = "Student,ID,SIS User ID,SIS Login ID,Section\nA,1001,1002,a,X\nB,1002,1003,b,X\n" \
            "C,1003,77,c,X\n"
        put(OUT / "own.ini", "[student 1002]\nnaive add = 1\n[student 77]\nnaive add = 2\n")
        out = self.made([work(f"k_{n}", str(n), form="canvas") for n in (1001, 1002, 1003)], text,
                        "-p", OUT / "own.ini")
        self.assertEqual([students(out)[n]["final"] for n in ("1001", "1002", "1003")],
                         ["50", "51", "52"])
        # Of no system the id may be either one's.
        self.made([work("k", "1002")], text, status=1)

    def test_a_name_beside_other_ids(self):
        """Whoever has the name and another number at Canvas, or another id and another
        address, is somebody else; one of the two alone may be of another system."""
        text = "Student,ID,SIS User ID,SIS Login ID,Section\n\"Lee, Wei\",104,s104,wei4,X\n"
        found = students(self.made([work("leewei_103", "103", "Wei Lee", form="canvas")], text,
                                   status=1))
        self.assertEqual(found["104"]["submission"], "")
        self.assertIn("its name is that of 104 Lee, Wei, whose id is another one",
                      self.done.stderr)
        text = "First Name,Last Name,SID,Email,Role,Section\r\nWei,Lee,104,wei4@x.edu,Student,\r\n"
        for id, email, state in (("103", "wei3@x.edu", "not handed in"),
                                 ("103", "", "graded"), ("103", "wei4@x.edu", "graded")):
            found = students(self.made([work("k", id, "Wei Lee", email, form="gradescope")], text,
                                       status=int(state != "graded")))
            self.assertEqual(found["104"]["state"], state, (id, email))

    def test_a_submission_for_two(self):
        """The policy gives each to one; what is another's by its id is told."""
        text = "id,name\n1,Ann\n2,Bo\n"
        put(OUT / "two.ini", "[student 1]\nsubmission = anon\n[student 2]\nsubmission = anon\n")
        found = students(self.made([work("anon", "x")], text, "-p", OUT / "two.ini", status=1))
        self.assertEqual([found[n]["submission"] for n in "12"], ["", ""])
        self.assertIn("the policy gives anon to 1 Ann and to 2 Bo: not applied", self.done.stderr)
        put(OUT / "two.ini", "[student 2]\nsubmission = k\n")
        found = students(self.made([work("k", "1")], text, "-p", OUT / "two.ini", status=1))
        self.assertEqual([found[n]["submission"] for n in "12"], ["", "k"])
        self.assertIn("the policy gives k, which is 1 Ann's by its id, to 2 Bo", self.done.stderr)

    def test_logins_that_end_as_another_one(self):
        """A repository's login begins where repositories differ, at the latest; Blackboard's
        may have lost what all logins begin with."""
        text = "identifier,github_username,github_id,name\nann,,,Ann\nbo,bo,7,Bo\nlee,lee,8,Lee\n"
        works = [work(key, key, form="folder") for key in ("naive-ann-lee", "naive-bo")]
        found = students(self.made(works, text, status=1))
        self.assertEqual(found["lee"]["submission"], "")
        self.assertEqual(found["bo"]["submission"], "naive-bo")
        text = "id,login,name\n1,stu_ann,Ann\n2,stu_bo,Bo\n3,ann,Another\n"
        works = [work(key, key, form="blackboard") for key in ("ann", "bo")]
        found = students(self.made(works, text, status=1))
        self.assertEqual([found[n]["submission"] for n in "123"], ["", "bo", ""])
        self.assertIn("may be of 3 Another or of 1 Ann", self.done.stderr)

    def test_moodle_times(self):
        text = "[course]\nzone = +01:00\n[late]\npercent = 10\n[lab naive]\n" \
               "due = 2026-11-30T16:00\n[lab cpu-scan]\ndue = never\n"
        put(OUT / "zone.ini", text)
        out = self.made([work("ann_1", "1", "Ann Lee", form="moodle", late=False)],
                        ROSTERS["moodle"], "-p", OUT / "zone.ini")
        self.assertEqual((students(out)["1"]["late"], students(out)["1"]["final"]), ("59m", "45"))

    def test_odd_names(self):
        """No formula, no control sign, no second row comes into our tables."""
        names = ['=cmd|"/c calc"!A0', "+1", "@x", "-1", "a,b", 'say "hi"', "two\nlines",
                 "\u202egnp.exe", "\u05d0\u05d1\u05d2", "x" * 5000, ";=1", "'; DROP TABLE", "\ufeff"]
        text = "id,name\n" + "".join('%d,"%s"\n' % (n, name.replace('"', '""'))
                                     for n, name in enumerate(names))
        out = self.made([work(f"k{n}", str(n), name) for n, name in enumerate(names)], text)
        for name in "gradebook.csv", "labs.csv":
            found = book.rows(out / "final" / name)
            self.assertEqual(len({r["id"] for r in found}), len(names))
            for row in found:
                for cell in row.values():
                    self.assertNotRegex(cell, r"^[=+@\t]|[\x00-\x1f\u202e]")
        self.assertNotRegex((out / "final/summary.txt").read_text(), "\u202e")

    def test_names_that_are_joined(self):
        """A sign that nobody sees is a part of a name in Persian, and of nothing else."""
        persian, odd = "\u0639\u0644\u06cc\u200c\u0632\u0627\u062f\u0647", "A\u200cnn"
        out = self.made([work("k1", "1", persian), work("k2", "2", odd)], f"id,name\n1,{persian}\n2,{odd}\n")
        found = students(out)
        self.assertEqual([found[n]["name"] for n in "12"], [persian, "A?nn"])

    def test_hostile_files(self):
        out = a_class("class", [work("ann", "1")])
        for data, why in ((b"", "empty"), (b'id,name\n1,"x', "quote"), (b"\xff\xfe\x00", "UTF-8"),
                          (b"id,name\n\xe9,x\n", "UTF-8"), (b"a,b\n1,2\n", "--roster-format"),
                          (b"id" + b"," * 99999 + b"\n", "cells"), (b"id\n" * 100002, "rows"),
                          (b"x" * (table.MOST_BYTES + 1), "MiB")):
            put(out / "roster.csv", data)
            begun = time.process_time()
            done = run(out, "-r", out / "roster.csv")
            self.assertEqual((done.returncode, done.stdout), (2, ""), data[:20])
            self.assertIn(why, done.stderr, data[:20])
            self.assertNotIn("Traceback", done.stderr)
            self.assertLess(time.process_time() - begun, 20)
        done = run(out, "-r", out / "none.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("none.csv: No such file", done.stderr)

    def test_nobody(self):
        out = self.made([], "id,name\n")
        self.assertEqual(students(out), {})
        out = self.made([], "id,name\n7,Ann\n")
        self.assertEqual(students(out)["7"]["state"], "not handed in")


if __name__ == "__main__":
    book.main()
