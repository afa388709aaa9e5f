# SPDX-License-Identifier: MIT
"""requests_test.py SCANLAB OUT: groups, one submission and each one's own rules; requests
to grade again, as a file; what either file has wrong is refused."""
import csv
import unittest

import book
from book import a_class, handed_in, lab, put, run

ROSTER = "id,name,email\nann,Ann,ann@x.edu\nbo,Bo,bo@x.edu\ncy,Cy,cy@x.edu\ndi,Di,di@x.edu\n"
RULES = "[lab naive]\ndue = 2026-11-30T23:59Z\n[late]\npercent = 10\n[student bo]\n" \
    "extension = 2d\n[files]\n"


class Requests(unittest.TestCase):
    def made(self, files, status, policy=RULES):
        out = a_class("class", [
            handed_in("ann", {"naive": 80}, ("ann", "Ann", ""), form="gradescope",
                      handed_in="2026-12-01T10:00Z"),
            handed_in("cy", {"naive": 50}, ("cy", "Cy", ""), form="gradescope",
                      handed_in="2026-11-01T10:00Z")])
        put(out / "roster.csv", ROSTER)
        for name, text in files.items():
            put(out / f"{name}.csv", text)
            policy += f"{name} = {name}.csv\n"
        put(out / "policy.ini", policy)
        self.done = run(out, "-p", out / "policy.ini", "-r", out / "roster.csv")
        self.assertEqual(self.done.returncode, status, self.done.stdout + self.done.stderr)
        return out

    def finals(self, out):
        return {key: row["final"] for key, row in lab(out, "naive").items()}

    def test_groups(self):
        """Ann came late; Bo, who is in her group, has an extension."""
        out = self.made({"groups": "group,student\n1,ann\n1,bo@x.edu\n2,cy\n2,di\n"}, 0)
        self.assertEqual(self.finals(out), {"ann": "72", "bo": "80", "cy": "50", "di": "50"})
        self.assertEqual(book.students(out)["bo"]["matched by"], "group")

    def test_when_a_group_handed_in(self):
        """The roster, or the policy, says it of the one who did; it is so of all."""
        by_hand = "[student ann]\nhanded-in = 2026-12-03T10:00Z\n[files]"
        for policy, time, final in ((RULES, "2026-12-01T10:00Z", "72"),
                                    (RULES.replace("[files]", by_hand), "", "56")):
            out = a_class("class", [handed_in("k", {"naive": 80}, ("ann", "Ann", ""))])
            put(out / "roster.csv", f"id,name,handed_in\nann,Ann,{time}\ncy,Cy,\n")
            put(out / "groups.csv", "group,student\n1,ann\n1,cy\n")
            put(out / "policy.ini", policy.replace("[student bo]\nextension = 2d\n", "") +
                "groups = groups.csv\n")
            done = run(out, "-p", out / "policy.ini", "-r", out / "roster.csv")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            found = lab(out, "naive")
            self.assertEqual(found["cy"]["late"], found["ann"]["late"])
            self.assertEqual(self.finals(out), {"ann": final, "cy": final})

    def test_groups_in_doubt(self):
        out = self.made({"groups": "group,student\n1,ann\n1,cy\n2,cy\n2,nobody\n2,di\n"}, 1)
        for why in ("group 1 has several submissions, so each keeps the own one: ann, cy",
                    "group 2: cy is in group 1 as well", "group 2: nobody is nobody here"):
            self.assertIn(why, self.done.stderr)
        self.assertEqual(self.finals(out), {"ann": "72", "bo": "", "cy": "50", "di": ""})

    def test_requests(self):
        rows = "student,lab,request,decision,points,who,answer\n" \
            "ann,naive,\"=1+1, please\",,,,\n" \
            "bo,naive,x,kept,,Prof. Lee,As the page says.\n" \
            "cy,naive,my barrier is right,changed,77.5,Prof. Lee,It is.\n"
        out = self.made({"requests": rows}, 1)
        self.assertIn("1 request to grade again is open", self.done.stderr)
        found = lab(out, "naive")
        self.assertEqual((found["cy"]["final"], found["cy"]["who"], found["cy"]["why"]),
                         ("77.5", "Prof. Lee", "It is."))
        self.assertEqual(found["bo"]["comment"], "asked again: As the page says.")
        with open(out / "final/requests.csv", newline="", encoding="utf-8") as file:
            listed = list(csv.DictReader(file))
        self.assertEqual([r["decision"] for r in listed], ["open", "kept", "changed"])
        self.assertEqual(listed[0]["request"], "'=1+1, please")  # no spreadsheet computes it
        self.made({"requests": rows.replace("please\",,,,", "please\",kept,,Lee,No.")}, 0)
        # Also of whom points were added to before, by somebody else.
        out = self.made({"requests": rows}, 1, "[student cy]\nnaive add = 1\nnaive who = Roy\n"
                        "naive why = a talk\n" + RULES)
        found = lab(out, "naive")["cy"]
        self.assertEqual((found["final"], found["who"]), ("77.5", "Prof. Lee"))

    def test_refused(self):
        head = "student,lab,request,decision,points,who,answer\n"
        for name, text, why in (
                ("requests", head + "ann,naive,x,maybe,,,\n", "'maybe' is none of open, kept"),
                ("requests", head + "ann,naive,x,kept,,,\n", "says `who` and `answer`"),
                ("requests", head + "ann,naive,x,kept,5,a,b\n", "`points` go with"),
                ("requests", head + "ann,nave,x,,,,\n", "no lab 'nave' was graded"),
                ("requests", head + "ann,naive,x,changed,5,a,b\nann,naive,y,changed,6,a,b\n",
                 "has an override of naive already"),
                ("requests", "student,lab\n", "no column 'request'"),
                ("groups", "group\n1\n", "no column 'student'"),
                ("groups", "group,student\n1,\n", "a row has a group and a student")):
            self.made({name: text}, 2)
            self.assertIn(why, self.done.stderr)


if __name__ == "__main__":
    book.main()
