# SPDX-License-Identifier: MIT
"""moodle_test.py SCANLAB OUT: what Moodle alone does: a worksheet in another language,
extensions and drafts in its Status, teams, numbers of participants that are those of one
assignment."""
import unittest

import book
from book import OUT, a_class, cells, handed_in, put, run, students
import times

HEADER = "Identifier,Full name,Email address,Status,Group,Grade,Maximum Grade,Grade can be changed," \
    "Last modified (submission),Last modified (grade),Feedback comments\n"
GERMAN = "ID,Vollständiger Name,E-Mail-Adresse,Status,Gruppe,Bewertung,Bestwertung,Bewertung kann " \
    "geändert werden,Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar\n"
FRENCH = "Identifiant,Nom complet,Adresse de courriel,Statut,Groupe,Note,Note maximale,La note peut " \
    "être modifiée,Dernière modification (travail remis),Dernière modification (note),Feedback\n"
DONE, AT = "Submitted for grading", '"Tuesday, 1 December 2026, 8:02 PM"'
POLICY = "[course]\nzone = +01:00\nmissing = zero\n[lab naive]\ndue = 2026-11-30T23:59\n" \
    "[lab cpu-scan]\ndue = 2026-11-16T23:59\n[late]\npercent = 10\n"


def row(number, name, status=DONE, at=AT, group="", prefix="Participant", yes="Yes", grade=""):
    return f'{prefix} {number},{name},{name.replace(" ", "")}@x.edu,"{status}",{group},{grade},' \
        f"100.00,{yes},{at},-,\n"


def work(number, name, points=90, lab="naive"):
    """As `scanlab class` calls what Moodle calls so."""
    return handed_in(f"{name.lower().replace(' ', '_')}_{number}", {lab: points},
                     (str(number), name, ""), form="moodle")


class Moodle(unittest.TestCase):
    def made(self, works, sheet, *more, policy=POLICY, status=0, fill=True):
        """{id: row of gradebook.csv}"""
        self.out = out = a_class("class", works)
        put(out / "p.ini", policy)
        put(out / "sheet.csv", sheet)
        words = ("-g", out / "sheet.csv", *(more or ("--points", "naive"))) if fill else more
        self.done = run(out, "-p", out / "p.ini", "-r", out / "sheet.csv", *words)
        self.assertEqual(self.done.returncode, status, self.done.stdout + self.done.stderr)
        return students(out) if status < 2 else {}

    def cell(self, at=5):
        return [r[at] for r in cells((self.out / "final/moodle.csv").read_text())[1:]]

    def test_german(self):
        """Columns, status, times; what cannot be changed stays. Another language is refused."""
        at = '"Dienstag, 1. Dezember 2026, 20:02"'
        sheet = GERMAN + row(1, "Ann Lee", "Zur Bewertung abgegeben", at, prefix="Teilnehmer/in") + row(
            2, "Bo Diaz", "Zur Bewertung abgegeben - Verlängertes Abgabeende bis: Mittwoch, 2. "
            "Dezember 2026, 23:59", at, prefix="Teilnehmer/in") + row(
            3, "Cy Ito", "Keine Abgabe", "-", prefix="Teilnehmer/in", yes="Nein")
        works = [work(1, "Ann Lee"), work(2, "Bo Diaz")]
        found = self.made(works, sheet, status=1)
        self.assertEqual([found[n]["final"] for n in "123"], ["81", "90", "0"])
        self.assertEqual(self.cell(), ["81", "90", ""])
        self.assertEqual((self.out / "final/moodle.csv").read_text().splitlines()[0] + "\n", GERMAN)
        self.made(works, sheet, "--column", "Bewertung", "--points", "naive", status=1)
        self.made(works, sheet.replace(GERMAN, FRENCH), status=2)
        self.assertIn("in a language other than English and German", self.done.stderr)
        self.assertFalse((self.out / "final").exists())
        # No worksheet: logins that end with numbers.
        put(self.out / "sheet.csv", "login,name,a,b,c,d,e\nab12,Ann Lee,,,,,\ncd34,Bo Diaz,,,,,\n")
        self.assertIn(run(self.out, "-r", self.out / "sheet.csv").returncode, (0, 1))

    def test_nobody_matches(self):
        """A file of another class: nothing is filled in, and nothing written."""
        works = [work(n, f"Student {'abcdef'[n]}xyz") for n in range(6)]
        other = HEADER + "".join(row(100 + n, f"Other {'abcdef'[n]}uvw", "") for n in range(6))
        self.made(works, other, status=2)
        self.assertIn("of 6 submissions 0 are of somebody in it, so nothing is written",
                      self.done.stderr)
        self.assertFalse((self.out / "final").exists())
        right = HEADER + "".join(row(n, f"Student {'abcdef'[n]}xyz") for n in range(6))
        put(self.out / "right.csv", right)
        done = run(self.out, "-p", self.out / "p.ini", "-r", self.out / "right.csv",
                   "-g", self.out / "sheet.csv", "--points", "naive")
        self.assertEqual(done.returncode, 2, "nor into another file than the roster")
        # One section of a large class is no other class; nor is a class without work.
        self.made(works, HEADER + row(0, "Student axyz") + row(7, "New Here", "No submission", "-"),
                  status=1)
        self.made([], right.replace(DONE, "No submission"), "--column", "Grade", status=1)

    def test_extension(self):
        until = DONE + " - Extension granted until: {}"
        sheet = HEADER + row(1, "Ann Lee", until.format("Wednesday, 2 December 2026, 11:59 PM")) + \
            row(2, "Bo Diaz", DONE + " - 20 hours 3 mins late") + \
            row(3, "Cy Ito", until.format("Wednesday, December 2, 2026, 11:59 PM")) + \
            row(4, "Di Roy", until.format("Monday, 16 November 2026, 11:59 PM"))
        works = [work(n, name) for n, name in enumerate(("Ann Lee", "Bo Diaz", "Cy Ito", "Di Roy"), 1)]
        found = self.made(works, sheet)
        self.assertEqual([found[n]["final"] for n in "1234"], ["90", "81", "90", "81"])
        self.assertEqual(book.lab(self.out, "naive")["1"]["due"], "2026-12-02T22:59:00Z")
        # Words of the policy win.
        found = self.made(works, sheet, policy=POLICY + "[student 1]\ndue = 2026-11-30T23:59\n")
        self.assertEqual(found["1"]["final"], "81")
        self.made(works, HEADER + row(1, "Ann Lee", until.format("2/12/26, 23:59")) + sheet[
            sheet.index("Participant 2"):], status=1)
        self.assertIn("1 time that cannot be used", self.done.stderr)

    def test_times(self):
        day = times.seconds("2026-11-30T20:02Z")
        for text in ("Monday, 30 November 2026, 8:02 PM", "Monday, November 30, 2026, 8:02 PM",
                     "Montag, 30. November 2026, 20:02", "30 November 2026, 20:02",
                     "Monday, November 30, 2026, 8:02\u202fPM"):
            self.assertEqual(times.seconds(text, times.zone_of("Z")), day, text)
        self.assertEqual(times.seconds("4. März 2026, 8:02", times.zone_of("Z")),
                         times.seconds("2026-03-04T08:02Z"))
        for text in ("11/30/26, 20:02", "30 Novembre 2026, 20:02", "Monday, November 31, 2026, 8:02 PM",
                     "Monday, November 30, 2026, 20:02 PM"):
            self.assertRaises(times.NoTime, times.seconds, text, times.zone_of("Z"))

    def test_draft(self):
        sheet = HEADER + row(1, "Ann Lee", "Draft (not submitted)", '"30 November 2026, 20:02"')
        found = self.made([work(1, "Ann Lee")], sheet, status=1)
        self.assertEqual(found["1"]["final"], "90")
        self.assertIn("Moodle has it as a draft", found["1"]["note"])
        self.assertIn("1 Ann Lee: Moodle has it as a draft", self.done.stderr)
        self.made([work(1, "Ann Lee")], sheet, policy=POLICY +
                  "[student 1]\nnaive handed-in = 2026-11-30T12:00\n")

    def team(self, groups=("Group A", "Group A", "Group B", "Group B", "")):
        names = "Ann Lee", "Bo Diaz", "Cy Ito", "Di Roy", "Ed Ng"
        return HEADER + "".join(row(2001 + n, name, group=group, at='"30 November 2026, 20:02"')
                                for n, (name, group) in enumerate(zip(names, groups)))

    def test_names_that_are_nearly_one(self):
        """Two of one family name have each other's numbers in another assignment."""
        works = [work(1002, "Ann Lee", 30), work(1001, "Bo Lee", 90)]
        sheet = HEADER + row(1001, "Ann Lee") + row(1002, "Bo Lee")
        self.made(works, sheet, policy="[course]\nzone = +01:00\nmissing = zero\n")
        self.assertEqual(self.cell(), ["30", "90"])

    def test_teams(self):
        """The number in the name of a team's folder is another student's."""
        works = [work(2003, "Group A", 90), work(88, "Group B", 40), work(2005, "Ed Ng", 70)]
        found = self.made(works, self.team())
        self.assertEqual(self.cell(), ["90", "90", "40", "40", "70"])
        self.assertEqual({found[f"200{n}"]["matched by"] for n in range(1, 5)}, {"group"})
        self.assertEqual(found["2003"]["submission"], "group_b_88")
        # A participant who has called himself as a team is does not get its work.
        called = self.team() + row(2006, "Group A", "No submission", "-")
        self.made(works, called)
        self.assertEqual(self.cell(), ["90", "90", "40", "40", "70", "0"])
        # Whose team it is, a file of groups says where the worksheet does not.
        groups = "group,student\nGroup A,2001\nGroup A,BoDiaz@x.edu\nGroup B,2003\nGroup B,2004\n"
        put(OUT / "groups.csv", groups)
        self.made(works, self.team([""] * 5), policy=POLICY + f"[files]\ngroups = {OUT}/groups.csv\n")
        self.assertEqual(self.cell(), ["90", "90", "40", "40", "70"])
        # Nobody says it: nobody gets it, and who has submitted has no 0.
        found = self.made(works, self.team([""] * 5), status=1)
        self.assertEqual(self.cell(), ["", "", "", "", "70"])
        self.assertIn("group_a_2003: its number is that of 2003 Cy Ito, whose name is another one",
                      self.done.stderr)
        self.assertIn("Moodle has a submission of theirs", found["2001"]["note"])
        # The policy can say it, too, of a student whose number a team's is.
        put(OUT / "groups.csv", groups.replace("Group A", "A").replace("Group B", "B"))
        self.made(works, self.team([""] * 5), policy=POLICY + "[student 2001]\nsubmission = group_a_2003\n"
                  f"[student 2003]\nsubmission = group_b_88\n[files]\ngroups = {OUT}/groups.csv\n")
        self.assertEqual(self.cell(), ["90", "90", "40", "40", "70"])

    def test_names_that_moodle_changes(self):
        """Honest names are no others'."""
        people = [("Jo_Ann Lee", "Jo Ann Lee"), ('"Bo ""Bob"" Diaz"', "Bo Bob Diaz"), ("Lee Zoë", "Zoe Lee"),
                  ("李 明", "李明 "), ("Participant 5", "Participant"), ("Ann-Marie O'Neil", "Ann-Marie ONeil")]
        sheet = HEADER + "".join(row(n, name) for n, (name, _) in enumerate(people, 1))
        works = [work(n, name) for n, (_, name) in enumerate(people, 1)]
        found = self.made(works, sheet)
        self.assertEqual({found[str(n)]["matched by"] for n in range(1, 7)}, {"id"})

    def term(self, *, lab0=True):
        """Two labs in one OUT, with other numbers in each; two students of one name."""
        names = ["Ann Lee", "Bo Diaz", "Anna Schmidt", "Anna Schmidt", "Di Roy"]
        works = [work(415 + n, name, 90 - n) for n, name in enumerate(names)]
        works += [work(301 + n, name, 40 - n, "cpu-scan") for n, name in enumerate(names[:4])] * lab0
        sheet = HEADER + "".join(row(415 + n, name) for n, name in enumerate(names))
        return works, sheet.replace("AnnaSchmidt@", "a@", 1)

    def test_a_term(self):
        """Numbers of an assignment say nothing in another one; nobody has a 0 by that."""
        works, sheet = self.term()
        found = self.made(works, sheet, status=1)
        labs = book.lab(self.out, "cpu-scan")
        self.assertEqual([labs[n]["final"] for n in ("415", "416", "417", "418", "419")],
                         ["40", "39", "", "", "0"])
        for number in "417", "418":
            self.assertRegex(labs[number]["note"], "anna_schmidt_30[34] may be theirs")
        self.assertEqual(found["417"]["state"], "needs a look")
        self.assertEqual([found[n]["final"] for n in ("415", "416", "419")], ["121", "120", "78"])
        self.assertEqual(self.cell(), ["81", "81", "80", "79", "78"])  # 10 % of late naive
        # When lab 0 came this worksheet does not say.
        self.assertEqual((labs["415"]["handed in"], labs["415"]["late"]), ("", "unknown"))
        # The two of one name are told apart by hand, by number or by address.
        policy = POLICY.replace("percent = 10", "percent = 0") + \
            "[student 417]\nsubmission = anna_schmidt_303\n" \
            "[student AnnaSchmidt@x.edu]\nsubmission = anna_schmidt_304\n"
        self.made(works, sheet, policy=policy)
        labs = book.lab(self.out, "cpu-scan")
        self.assertEqual([labs[n]["final"] for n in ("417", "418")], ["38", "37"])
        self.assertEqual(labs["417"]["attempt"], "")

    def test_a_number_of_two(self):
        """301 is Ann in lab 0 and Bo in lab 1."""
        works = [work(301, "Ann Lee", 40, "cpu-scan"), work(301, "Bo Diaz", 90), work(302, "Ann Lee", 80)]
        found = self.made(works, HEADER + row(301, "Bo Diaz") + row(302, "Ann Lee"),
                          policy=POLICY.replace("percent = 10", "percent = 0"))
        self.assertEqual([found[n]["final"] for n in ("301", "302")], ["90", "120"])

    def test_names_alone(self):
        """A roster without numbers: each lab by name, and no other system's is joined so."""
        works, _ = self.term()
        roster = "First name,Last name,Email address\nAnn,Lee,a@x\nBo,Diaz,b@x\nDi,Roy,d@x\n"
        found = self.made(works[:2] + works[4:7], roster, fill=False, status=1)
        self.assertEqual([r["points"] for r in book.rows(self.out / "final/gradebook.csv")],
                         ["130", "128", "86"])
        twice = [handed_in(key, {lab: 50}, (key, "Ann Lee", "")) for key, lab in (
            ("x", "naive"), ("y", "cpu-scan"))]
        found = self.made(twice, roster, fill=False, status=1)
        self.assertIn("a@x Ann Lee has several submissions: x, y", self.done.stderr)
        self.assertTrue(found)

    def test_two_of_one_lab(self):
        """Two submissions of one lab are never one."""
        self.made([work(301, "Ann Lee", 40), work(302, "Ann Lee", 50)],
                  HEADER + row(415, "Ann Lee"), status=1, fill=False)
        self.assertIn("Ann Lee has several submissions", self.done.stderr)


book.main()
