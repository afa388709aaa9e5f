# SPDX-License-Identifier: MIT
"""german_test.py SCANLAB OUT: under a course that speaks German, what `scanlab class` and
`scanlab gradebook` say to teachers and students is German; what programs read (columns,
states, points, keys) is as in English, byte for byte. That each sentence of these programs
is in the catalogue and has its German, course.german-whole asks of the sources."""
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import book
from book import ROOT, SCANLAB, a_class, fresh, handed_in, put

sys.path[:0] = [str(ROOT / name) for name in ("tests/course", "tools")]
import catalogue  # noqa: E402
from german_whole import WORDS  # noqa: E402

COURSE = ROOT / "courses/german"
GERMAN = dict(catalogue.entries(ROOT / "grader/po/de.po"))
ROSTER = "id,name,email\n1,Ann Lee,ann@x.edu\n2,Bo Roy,bo@x.edu\n3,Cy Ito,cy@x.edu\n" \
    "4,Di Fox,di@x.edu\n5,Ed Fox,ed@x.edu\n6,Flo Kim,flo@x.edu\n7,Gus Orr,gus@x.edu\n"
RULES = """[course]
missing = zero
drop = 1
grace-days = 1
out-of = 100
[late]
percent = 10
[lab naive]
due = 2026-11-30T23:59Z
cap = 90
[lab cpu-scan]
due = 2026-11-30T23:59Z
[student 1]
naive add = 5
naive who = Prof. Lee
naive why = Vortrag
naive tell = yes
comment = Danke.
[student 2]
naive override = 12
naive who = Prof. Lee
naive why = Papier
[student 7]
naive exempt = yes
[student 9]
extension = 2d
[files]
requests = requests.csv
"""
REQUESTS = "student,lab,request,decision,points,who,answer\n3,naive,Bitte,,,,\n" \
    "1,cpu-scan,Bitte,kept,,Prof. Lee,Nein.\n"
# Columns of people's words.
SAID = "note", "comment", "told the student"
# What is a key, an option, a file or a rule of the policy.
DATA = re.compile(r"\[[\w ]+\]|--[\w-]+|`[^`]*`|'[^']*'|\w+\.(?:csv|txt|cu|ini|rar|docx)|"
                  r"scanlab \w+")


def parts():
    """Of the sentences of these programs what stands between values, two words or more."""
    for said in catalogue.python_sentences():
        german = GERMAN.get(catalogue.as_written(said), "")
        for part in re.split(r"{\w*[^}]*}", said):
            part = part.strip(" ,;:.()")
            if len(re.findall(r"[A-Za-z]{2,}", part)) > 1 and part not in german:
                yield part


class German(unittest.TestCase):
    def read(self, name, text):
        """No English in it."""
        self.assertTrue(text, f"{name} is empty")
        for part in parts():
            self.assertNotIn(part, text, name)
        for word in WORDS.finditer(DATA.sub(" ", text)):
            near = text[max(0, word.start() - 60):word.end() + 60]
            self.fail(f"{name}: {word[0]!r} near {near!r}")

    def booked(self, where, *words):
        out = a_class(where, [
            handed_in("ann", {"naive": 80, "cpu-scan": 70}, ("1", "Ann Lee", ""),
                      form="gradescope", handed_in="2026-12-02T10:00Z"),
            handed_in("bo", {"naive": 50, "cpu-scan": 90}, ("", "Bo Roy", ""), form="gradescope",
                      handed_in="2026-11-29T10:00Z"),
            handed_in("cy", {"naive": 95, "cpu-scan": 20}, ("3", "Cy Ito", "")),
            handed_in("di", {}, ("4", "Di Fox", ""), status="needs a look"),
            handed_in("gus", {"naive": 40, "cpu-scan": 90}, ("7", "Gus Orr", ""),
                      form="gradescope", handed_in="2026-11-29T10:00Z"),
            handed_in("hal", {"naive": 40}, ("", "Hal Ude", ""))],
            nobody=[("stray.cu", "x")])
        put(out / "policy.ini", RULES)
        put(out / "requests.csv", REQUESTS)
        put(out / "roster.csv", ROSTER)
        done = subprocess.run([SCANLAB, "gradebook", out, "-p", out / "policy.ini", "-r",
                               out / "roster.csv", *words], text=True, capture_output=True,
                              check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return out, done

    def test_gradebook(self):
        out, done = self.booked("german", "--course", COURSE)
        summary = (out / "final/summary.txt").read_text()
        for name, text in (("stdout", done.stdout), ("stderr", done.stderr),
                           ("summary.txt", summary)):
            self.read(name, text)
        self.assertIn("8 Personen, 2 Labs", done.stdout)
        english, _ = self.booked("english")
        for file in "gradebook.csv", "labs.csv":
            said = ""
            with open(out / "final" / file, newline="") as one, \
                    open(english / "final" / file, newline="") as other:
                for ours, theirs in zip(csv.DictReader(one), csv.DictReader(other),
                                        strict=True):
                    said += "\n".join(ours.pop(c) for c in SAID if c in ours) + "\n"
                    self.assertEqual(ours, {k: v for k, v in theirs.items() if k not in SAID})
            self.read(file, said)
        ann = book.students(out)["1"]
        self.assertIn("5 Punkte von Hand dazugegeben von Prof. Lee (Vortrag)",
                      ann["told the student"])
        self.assertIn("zählt höchstens als 90 Punkte",
                      book.students(out)["3"]["told the student"])

    def test_refused(self):
        """What is wrong in a policy is said in German, and names its keys as they are."""
        out = a_class("refused", [handed_in("ann", {"naive": 80})])
        for text, said in (
                ("[late]\npercnt = 1\n",
                 "es gibt keinen Schlüssel 'percnt'; ist 'percent' gemeint?"),
                ("[lab naiv]\ncap = 1\n", "kein Lab 'naiv' wurde bewertet"),
                ("[student 1]\noverride = 3\n", "zu einem override gehören `who` und `why`"),
                ("[course]\nzone = mars\n", "ist keine Zeitzone"),
                ("[lab naive]\ndue = bald\n", "'bald' ist keine Zeit wie")):
            put(out / "policy.ini", text)
            done = subprocess.run([SCANLAB, "gradebook", out, "-p", out / "policy.ini",
                                   "--course", COURSE], text=True, capture_output=True,
                                  check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)

    def test_class(self):
        """Rows that nobody grades: what is said of them, and to whom handed them in."""
        where, out = fresh("class"), fresh("graded")
        put(where / "ann/work.rar", b"Rar!\x1a\x07")
        put(where / "bo/naive_final.cu", (ROOT / "student/naive.cu").read_bytes())
        put(where / "cy/readme.md", "x")
        put(where / "di/naive.cu", b"PK\3\4 word/document.xml")
        put(where / "ed/naive.docx", b"PK\3\4")
        put(where / "stray.cu", "x")
        done = subprocess.run([SCANLAB, "class", where, "naive", "-o", out, "--course", COURSE,
                               "--seed", "1"], text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.read("stdout", done.stdout)
        self.read("whose.txt", (out / "whose.txt").read_text())
        self.assertIn("es ist RAR, das nicht gelesen wird", done.stdout)
        for who in "ann", "bo", "cy", "di", "ed":
            for name in "taken.txt", "report.txt", "report.html":
                text = (out / "feedback" / who / name).read_text()
                self.read(f"{who}: {name}", re.sub(r"<[^>]*>", " ", text))
            self.assertIn('<html lang="de">', text)
        self.assertIn("ein Word-Dokument", (out / "feedback/di/taken.txt").read_text())
        with open(out / "gradebook.csv", newline="") as file:
            states = {row["submission"]: row["status"] for row in csv.DictReader(file)}
        self.assertEqual(states, {"ann": "needs a look", "bo": "needs a look",
                                  "cy": "not handed in", "di": "needs a look",
                                  "ed": "needs a look"})

    def test_nobodys_sentence(self):
        """A file is called as a sentence, or as a value in one: it stays what it is."""
        where, out = fresh("named"), fresh("named-graded")
        name = "{source} it is empty: it is encrypted.cu"
        put(where / "ann" / name, "void inclusive_scan(void);\n")
        put(where / "ann" / "nothing handed in.txt", "x")
        done = subprocess.run([SCANLAB, "class", where, "naive", "-o", out, "--course", COURSE,
                               "--list"], text=True, capture_output=True, check=False)
        self.assertIn("andere Dateien nicht angesehen", done.stdout, done.stderr)


if __name__ == "__main__":
    if not shutil.which("msgfmt") or not pathlib.Path(
            book.classroom.BUILD, "share/locale/de").exists():
        print("SKIP: no msgfmt, so no translations (Debian: gettext)")
        sys.exit(77)
    book.main()
