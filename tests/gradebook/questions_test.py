# SPDX-License-Identifier: MIT
"""questions_test.py SCANLAB OUT: answers to written questions are taken with what was
handed in, shown beside the reference's without a name, and their points, filled in by
hand, are merged; whatever students write is text."""
import csv
import html.parser
import os
import re
import subprocess
import time
import unittest

import book
from book import ROOT, SCANLAB, a_class, fresh, handed_in, lab, put, run
import questions

HANDOUTS = {"cpu-scan": ROOT / "labs/00-cpu-scan", "naive": ROOT / "labs/01-naive"}
POLICY = "[lab cpu-scan]\nquestions = 2 2 2 2 2\n[lab naive]\nquestions = 1 1 1 1 1.5\n"
ANN = """My answers.

## Lab 0: cpu-scan
1. As many as n.
   1. not a question of its own
2) Two.
```
3. code
```
## naive
1. <script>alert(1)</script> & 12
3. Three \x1b[31m
"""


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)


class Questions(unittest.TestCase):
    def made(self, answers, policy=POLICY, sheet=None, status=1):
        people = [handed_in(key, {"cpu-scan": 50, "naive": 60}, (key, key.title(), ""))
                  for key in ("ann", "bo", "cy")]
        out = a_class("class", people)
        for key, text in answers.items():
            put(out / "answers" / key / "answers.md", text)
        if sheet:
            put(out / "marks.csv", sheet)
            policy += "[files]\nquestions = marks.csv\n"
        put(out / "policy.ini", policy)
        words = [w for name, at in HANDOUTS.items() for w in ("handout", f"{name}/{at}")]
        self.done = run(out, "-p", out / "policy.ini", "root", ROOT, *words)
        self.assertEqual(self.done.returncode, status, self.done.stdout + self.done.stderr)
        return out

    def test_shown_and_merged(self):
        out = self.made({"ann": ANN, "bo": "## Lab 1\n1. 240 bytes\n"})
        self.assertIn("5 written answers have no points yet", self.done.stderr)
        told = {key: row["told the student"] for key, row in book.students(out).items()}
        self.assertEqual(set(told.values()), {""}, "of what nobody has marked nothing is told")
        page = Page((out / "final/questions.html").read_text())
        self.assertNotIn("script", [tag for tag, _ in page.tags])
        said = "".join(page.words)
        for text in "A serial inclusive scan makes", "<script>alert(1)</script> & 12", \
                "1. not a question of its own", "3. code", "240 bytes", "2n \u2212 3 that are needed":
            self.assertIn(text, said)
        self.assertNotIn("\x1b", said)
        self.assertNotRegex(said, r"\b(ann|Ann|bo)\b")
        with open(out / "final/questions.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        codes = {key: questions.code_of(key) for key in ("ann", "bo")}
        self.assertEqual([(r["lab"], r["question"], r["code"]) for r in rows], sorted(
            [("cpu-scan", "1", codes["ann"]), ("cpu-scan", "2", codes["ann"]),
             ("naive", "1", codes["ann"]), ("naive", "1", codes["bo"]),
             ("naive", "3", codes["ann"])]))
        self.assertEqual(lab(out, "naive")["bo"]["max points"], "105.5")
        sheet = (out / "final/questions.csv").read_text()
        for row in rows:
            sheet = sheet.replace(f"{row['code']},{row['lab']},{row['question']},,",
                                  f"{row['code']},{row['lab']},{row['question']},0.5,Good")
        out = self.made({"ann": ANN, "bo": "## Lab 1\n1. 240 bytes\n"}, sheet=sheet, status=0)
        found = {key: (row["questions"], row["final"]) for key, row in lab(out, "naive").items()}
        self.assertEqual(found, {"ann": ("1", "61"), "bo": ("0.5", "60.5"), "cy": ("0", "60")})
        told = {key: row["told the student"] for key, row in book.students(out).items()}
        self.assertIn("naive: 1 point for written answers", told["ann"])
        self.assertEqual(told["cy"], "")
        self.assertEqual(lab(out, "naive")["ann"]["comment"],
                         "question 1: Good; question 3: Good")
        self.assertEqual((out / "final/questions.csv").read_text(), sheet)  # it stays

    def test_an_answer_that_changed(self):
        """Points are for what was marked: another answer has none yet, an answer that is
        gone has none, and neither is passed over."""
        out = self.made({"ann": ANN, "bo": "## Lab 1\n1. 240 bytes\n"})
        sheet = (out / "final/questions.csv").read_text().replace(",,,", ",1,,")
        sheet += "ffffffff,naive,1,1,,\n"
        out = self.made({"ann": ANN, "bo": "## Lab 1\n1. 12 bytes\n"}, sheet=sheet)
        code = questions.code_of("bo")
        self.assertIn("points for 1 written answer are not counted, another text has been handed "
                      f"in since: {code} naive 1; questions.csv asks", self.done.stderr)
        self.assertIn("that nobody has handed in are not counted: ffffffff naive 1",
                      self.done.stderr)
        self.assertIn("1 written answer has no points yet", self.done.stderr)
        self.assertEqual(lab(out, "naive")["bo"]["questions"], "0")
        self.assertEqual(lab(out, "naive")["ann"]["questions"], "2")
        out = self.made({"ann": ANN}, sheet=sheet)
        self.assertIn(f"{code} naive 1", self.done.stderr)
        # A table of before, without the column, holds for whatever stands there.
        old = "code,lab,question,points\n" + f"{code},naive,1,1\n"
        out = self.made({"bo": "## Lab 1\n1. 12 bytes\n"}, sheet=old, status=0)
        self.assertEqual(lab(out, "naive")["bo"]["questions"], "1")

    def test_refused(self):
        code = questions.code_of("ann")
        for row, why in ((f"{code},naive,9,1,", "question '9': [lab naive] questions has points "
                          "for 5"), (f"{code},nave,1,1,", "no lab 'nave' was graded"),
                         (f"{code},naive,1,2,", "points 2, and question 1 has at most 1"),
                         (f"{code},naive,1,x,", "'x' is no number of points"),
                         (f"{code},naive,1,1,\n{code},naive,1,1,", "has points already")):
            self.made({}, sheet="code,lab,question,points,comment\n" + row + "\n", status=2)
            self.assertIn(why, self.done.stderr)

    def test_whatever_it_says(self):
        """Linear, and no file is a traceback."""
        labs = [(0, "cpu-scan"), (1, "naive")]
        for text in ("#" * 200000, "# " + " " * 200000 + "x", "1." + " " * 200000, "1. a\n" * 50000,
                     "```\n" * 60000, "## naive\n" * 30000, "\x00\xff", "999999. x"):
            began = time.process_time()
            questions.of_labs(text, labs)
            self.assertLess(time.process_time() - began, 5, text[:10])  # not quadratic
        self.assertEqual(questions.of_labs("1. a\n2. b", labs, "naive"),
                         {"naive": {1: "a", 2: "b"}})
        self.assertEqual(questions.of_labs("1. a", labs), {})

    def test_taken(self):
        """By scanlab class, from each place where it may lie; never graded."""
        where, out = fresh("in"), book.OUT / "out"
        put(where / "ann/naive.cu", "int x;")
        put(where / "ann/Answers.md", "1. a")
        put(where / "bo_1_2_naive.cu", "int x;")
        put(where / "bo_1_3_answers.txt", b"\xff\xfe" + "1. b\n".encode("utf-16-le"))
        put(where / "cy/naive.cu", "int x;")
        put(where / "cy/answers.md", "x" * (300 << 10))
        os.symlink("/etc/passwd", where / "cy/answers.txt")
        done = subprocess.run([SCANLAB, "class", where, "naive", "--list", "-o", out], text=True,
                              capture_output=True, check=False, timeout=100)
        self.assertIn("Answers.md: taken, for who marks written questions", done.stdout)
        self.assertIn("answers.md: not taken, it has more than 256 KiB", done.stdout)
        found = {path.parent.name: path.read_text() for path in out.glob("answers/*/answers.md")}
        self.assertEqual(sorted(found.values()), ["1. a", "1. b\n"], done.stdout + done.stderr)
        self.assertFalse([p for p in out.glob("taken/*/*") if re.search("(?i)answer", p.name)])


if __name__ == "__main__":
    book.main()
