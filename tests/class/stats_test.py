# SPDX-License-Identifier: MIT
"""stats_test.py SCANLAB OUT: `scanlab stats` of a class of twelve, whose results
are written here as `scanlab class` writes them: what is counted is counted again;
the page for the class is the same whatever anybody is called; names are words."""
import collections
import csv
import functools
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import unittest

import classroom
from classroom import BUILD, OUT, ROOT, SCANLAB, fresh, put
import gradebook
from gradebook import GRADED, NOT_HANDED_IN, Row
from layouts import Person, Submission
from ledger import Ledger, brief

import sys
sys.path += [str(ROOT / "tests/report"), str(ROOT / "tools/stats")]
import html_page  # noqa: E402
import page_data  # noqa: E402
import known  # noqa: E402
import nicknames  # noqa: E402
import numbers_of  # noqa: E402
import others  # noqa: E402
import similar  # noqa: E402
import walled  # noqa: E402

CHECKS = {"naive": ["any-size", "races", "work", "traffic", "secret"], "lookback": ["speed"]}
EVIL = ["</style><script>alert(1)</script>", "\"onload=alert(1) x=\"", "=1+1", "%s%s%n",
        "\u202egnp.exe", "a\nb\x1b[31m", "&amp;<b>", "'; DROP TABLE student; --",
        "<img src=http://x.example/>", "x" * 5000, "{first}", "</title>"]
PLAIN = [f"student{n}" for n in range(12)]


# ---- grades, as scanlab writes them ----

def check(id, status, outcome=None, bounds=(), points=20, **more):
    return {"id": id, "title": f"Check {id}", "kind": "correct", "status": status,
            "score": points * (status == "pass"), "max_score": points,
            "message": "words of EVILSTUDENT", "outcome": outcome, "measured": {
                "bounds": [{"counter": c, "count": n, "relation": "<=", "bound": b,
                            "holds": n <= b} for c, n, b in bounds], "ratio": None}} | more


def wrong(kind, id=None):
    return {"kind": kind, "facts": [{"id": kind}],
            "finding": {"kind": id} if kind == "finding" else None,
            "difference": {"shape": {"id": id}} if kind == "difference" else None}


def grade(n):
    """Of student n, who is 0 to 10: each has another mixture."""
    size = check("any-size", "pass") if n % 3 else check(
        "any-size", "fail", wrong("difference", "restarts-every-block"))
    if n in (0, 3):
        size = check("any-size", "fail", wrong("not-implemented"))
    needs = size["status"] == "fail"
    races = check("races", "pass") if n % 4 else check(
        "races", "fail", wrong("finding", "shared-race"))
    work = check("work", "skip", wrong("needs")) if needs else check(
        "work", "pass" if n % 2 else "fail", None if n % 2 else wrong("bound"),
        [("data_ops", 900 + 100 * (n % 2 == 0) + n, 950)])
    traffic = check("traffic", "skip", wrong("needs")) if needs else check(
        "traffic", "pass", None, [("global_read_sectors", 10 * n, 200)])
    secret = check("secret", "fail", wrong("crashed"), hidden=True)
    speed = check("speed", "pass" if n > 4 else "fail", None if n > 4 else wrong("late"),
                  [("model_ns", 70000 - 1000 * n, 90000)])
    labs = [{"id": lab, "title": f"Lab {lab}", "score": sum(c["score"] for c in checks),
             "max_score": sum(c["max_score"] for c in checks), "checks": checks}
            for lab, checks in (("naive", [size, races, work, traffic, secret]),
                                ("lookback", [speed]))]
    return {"points": "2-0", "device": "vgpu (teach)", "labs": labs, "score": sum(
        lab["score"] for lab in labs), "max_score": 120}


# What students write; two have the same with other names, one is longer than the rest.
LOOP = """int n{v}; for (int i{v} = 0; i{v} < n{v}; i{v}++) {{ if (in[i{v}] > 3 && i{v} % 2) {{
    out[i{v}] += in[i{v}] * (2 + n{v}) - helper(i{v}, n{v}); }} else {{ swap(&in, &out); }} }}
while (n{v} --> 0) {{ put(n{v}); get(in, out, n{v} ^ 5); }} do {{ n{v}++; }} while (n{v} < 9);
"""
OTHER = "switch (x) { case 1: return y[z](); default: goto end; } end: p->q.r = s ? t : u[v];\n" \
        "struct a { int b : 3; } *c = (struct a *)malloc(sizeof *c); f(g(h(1, 2), 3) << 4);\n"


def source(n):
    stub = (ROOT / "student/naive.cu").read_text()
    return stub + (LOOP.format(v="") * 3 if n == 1 else LOOP.format(v="_mine") * 3 + "/* x */"
                   if n == 2 else OTHER * 4 if n == 5 else "")


def hand_in(where, names, seed=1, absent=lambda n, lab: False):
    """What scanlab class leaves in OUT; the last one has handed in nothing. absent: who
    handed in something, and not that lab."""
    out, found = fresh(where), []
    ledger = Ledger(str(out / "ledger.sqlite3"))
    for n, name in enumerate(names):
        key = f"key-{seed * n % 13:02}-{seed}"
        s = Submission(key, "canvas", [Person(f"id{seed}{n}", name, name + "@x.edu")])
        row = Row(s, None, GRADED if n < 11 else NOT_HANDED_IN, "note")
        if n < 11:
            whole = grade(n)
            for lab in whole["labs"]:
                lab["state"] = NOT_HANDED_IN if absent(n, lab["id"]) else "graded"
            kept = brief(whole)
            row.read = functools.partial(brief, whole)
            for attempt in range(1 + n % 3):
                ledger.put({"submission": key, "hash": "h", "grade": kept, "reports": {},
                            "attempt": [f"sources {attempt}", 0]})
            put(out / "taken" / key / "naive.cu", source(n))
        found.append(row)
    found.sort(key=lambda row: row.submission.key)
    gradebook.write_sqlite(str(out / "gradebook.sqlite3"), found, list(CHECKS), [], {})
    return out


def stats(*words, **options):
    return subprocess.run([SCANLAB, "stats", *words], text=True, capture_output=True,
                          check=False, timeout=100, errors="replace", **options)


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [{k: v for k, v in row.items()} for row in csv.DictReader(file)]


class Stats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plain, cls.evil = hand_in("plain", PLAIN), hand_in("evil", EVIL, 5)
        cls.done = {out: stats(out) for out in (cls.plain, cls.evil)}
        cls.lecture = (cls.plain / "stats/lecture.html").read_text()
        cls.tools = bool(shutil.which("gnuplot"))
        cls.path = fresh("bin")  # without it
        for name in "python3", "env":
            os.symlink(shutil.which(name), cls.path / name)

    def test_status(self):
        for done in self.done.values():
            self.assertEqual(done.returncode, 0 if self.tools else 1, done.stderr)

    def test_numbers(self):
        """From the gradebook's own tables, without the tool's code."""
        base = sqlite3.connect(self.plain / "gradebook.sqlite3")
        points = [p for p, in base.execute(
            "SELECT sum(score) FROM checks WHERE id != 'secret' GROUP BY submission")]
        self.assertEqual(len(points), 11)
        bins = collections.Counter(min(9, p // 10) for p in points)
        self.assertEqual([int(r["submissions"]) for r in rows(self.plain / "stats/scores.csv")],
                         [bins[n] for n in range(10)])
        self.assertEqual([int(r["submissions"]) for r in
                          rows(self.plain / "stats/attempts.csv")], [4, 4, 3] + [0] * 7)
        ratios = sorted((r["name"], float(r["ratio"]), int(r["submissions"]))
                        for r in rows(self.plain / "stats/traffic-1.csv"))
        expected = [("traffic: global_read_sectors", n / 20, 1) for n in range(11) if n % 3]
        expected += [("work: data_ops", round((900 + n + 100 * (n % 2 == 0)) / 950, 3), 1)
                     for n in range(11) if n % 3]
        self.assertEqual(ratios, sorted(expected))

    def tables(self, section, page=None):
        """Rows of the page's tables in a section."""
        at = next(s for s in page_data.data(page or self.lecture)["sections"]
                  if s["id"] == section)
        return [row for part in at["parts"] if part[0] == "table" for row in part[3]]

    def test_mistakes(self):
        found = [(many, what["words"]) for many, _, what, _ in self.tables("mistakes")]
        failed = collections.Counter(
            (lab["id"], c["outcome"]["kind"]) for n in range(11) for lab in grade(n)["labs"]
            for c in lab["checks"] if c["status"] == "fail" and not c.get("hidden")
            and c["outcome"]["kind"] != "not-implemented")
        for lab, rows_of in ("naive", found[:-1]), ("lookback", found[-1:]):
            self.assertEqual([n for n, _ in rows_of], sorted(
                (n for (of, _), n in failed.items() if of == lab), reverse=True))
        with open(self.plain / "stats/causes-1.csv", encoding="utf-8", newline="") as file:
            self.assertEqual([int(row["submissions"]) for row in csv.DictReader(file)],
                             [n for n, _ in found[:-1]])
        race = next(n for n, what in found if what.startswith("Two threads access a shared"))
        self.assertEqual(race, sum(grade(n)["labs"][0]["checks"][1]["status"] == "fail"
                                   for n in range(11)))
        self.assertIn(2, [n for n, what in found if "scan starts again every" in what])
        self.assertNotIn("not implemented", self.lecture)

    def test_not_handed_in_counts_nowhere(self):
        """Of eleven, n = 5 to 10 handed in lookback; one who handed in nothing that
        could be read is among the others."""
        out = hand_in("lacking", PLAIN, absent=lambda n, lab: lab == "lookback" and n < 5
                      or n == 9)
        stats(out)
        page = (out / "stats/lecture.html").read_text()
        labs = {row[0]: row for row in self.tables("points", page)}
        self.assertEqual(labs["Lab lookback"][6:], ["5", "5"])
        self.assertEqual(labs["Lab naive"][6], "10")
        self.assertEqual(labs["Lab lookback"][2:5], ["20"] * 3)  # no zeros of others
        row = next(r for r in self.tables("checks", page) if r[0] == "Check speed")
        self.assertEqual(row[1:], [5, 0, 0, ["pass"] * 5])
        self.assertIn("10 graded submissions", page_data.without_scripts(page))
        self.assertNotIn("absent", json.dumps(page_data.data(page)))
        staff = page_data.data((out / "stats/staff.html").read_text())
        strips = [cells[-1] for section in staff["sections"] if section["id"] == "students"
                  for part in section["parts"] if part[0] == "table" for cells in part[3]]
        self.assertEqual(sum(strip[-1] == "absent" for strip in strips), 5)

    def test_heat(self):
        row = next(r for r in self.tables("checks") if r[0] == "Check any-size")
        self.assertEqual(row[1:4], [7, 2, 2])
        self.assertEqual(collections.Counter(row[4]), {"pass": 7, "fail": 2, "todo": 2})

    def test_anonymous(self):
        """Names, keys and their order change no byte of what the class sees."""
        names = sorted(p.name for p in (self.plain / "stats").iterdir()
                       if p.name not in ("staff.html", "similar.csv"))
        self.assertEqual(names, sorted(
            p.name for p in (self.evil / "stats").iterdir()
            if p.name not in ("staff.html", "similar.csv")))
        for name in names:
            self.assertEqual((self.plain / "stats" / name).read_bytes(),
                             (self.evil / "stats" / name).read_bytes(), name)
        for secret in "student", "key-", "id1", "EVILSTUDENT", "secret", "Crashed":
            self.assertNotIn(secret, re.sub(r"(?s)<(style|script)>.*?</\1>", "", self.lecture))
            self.assertNotIn(secret, page_data.without_scripts(self.lecture))
        self.assertIn("key-", (self.plain / "stats/staff.html").read_text())

    def test_pages(self):
        """Same markup whatever words; loads nothing; names are shown as they are."""
        trees = []
        for out in self.plain, self.evil:
            for name in "lecture", "staff":
                tree = html_page.parsed(out / f"stats/{name}.html")
                html_page.policy_fits(name, tree, img_src="data:")
                html_page.loads_nothing(name, tree)
                trees.append(html_page.shape(tree))
        self.assertEqual(trees[0], trees[2])
        self.assertEqual(collections.Counter(trees[1]), collections.Counter(trees[3]))
        page = (self.evil / "stats/staff.html").read_text()
        for shown in "".join(page_data.texts(page_data.data(page))), page_data.without_scripts(page):
            for name in EVIL[0], EVIL[3], EVIL[6], "a?b?[31m", "?gnp.exe":
                self.assertIn(name, shown)
            self.assertNotIn("\x1b", shown)

    def test_in_words(self):
        """Where scripts are stripped: the same rows, one below the other."""
        said = page_data.without_scripts(self.lecture)
        self.assertRegex(said, r"(?m)^ +Check any-size +7 +2 +2  [+x.-]{11}$")
        self.assertIn("11 graded submissions", said)
        self.assertIn("(A figure: How many submissions have how many of 100 points.)"
                      if self.tools else "Figures are missing.", said)

    def test_similar(self):
        found = {(r["one"], r["other"]): int(r["percent"]) for r in
                 rows(self.plain / "stats/similar.csv")}
        self.assertEqual(list(found), [("key-01-1", "key-02-1")])
        self.assertGreater(found["key-01-1", "key-02-1"], 90)

    def tokens(self, texts):
        found, not_read = similar.Similar(str(ROOT), str(BUILD)).read_all(b"", texts)
        self.assertEqual(not_read, {})
        return found

    def test_utf16_is_compared(self):
        """Its mark tells; without one it is what it is."""
        source = (ROOT / "reference/cpu_scan.c").read_text()
        taken = fresh("utf16")
        for key, data in (("ann", source.encode()), ("bo", source.encode("utf-16")),
                          ("cy", b"\xfe\xff" + source.encode("utf-16-be"))):
            put(taken / key / "cpu_scan.c", data)
        texts, not_read = similar.texts_of(str(taken), ["ann", "bo", "cy"], "cpu_scan.c")
        self.assertEqual(not_read, {})
        self.assertEqual(texts, dict.fromkeys(("ann", "bo", "cy"), source.encode()))

    def test_similar_beside_hostile(self):
        """Also beyond what each is compared with each other; whoever else is there."""
        tool, each = similar.Similar(str(ROOT), str(BUILD)), similar.EACH
        texts = {f"s{n}": source(n).encode() for n in (1, 2, 5)}
        draw = random.Random(5)
        hostile = [b"a;" * 9999, b"(" * 9999, b"int t[] = {" + b"0, " * 6000,
                   b"/*" * 9999, b'\\"' * 9999, bytes(draw.choices(b"a; ", k=29999))]
        honest = tool.pairs(self.tokens(texts))
        for similar.EACH in 9, 2:
            self.assertEqual(tool.pairs(self.tokens(texts)), honest)
            self.assertEqual([names for _, *names in honest], [["s1", "s2"]])
            for text in hostile:
                found = tool.pairs(self.tokens(texts | {"h1": text, "h2": text + b"b;"}))
                self.assertEqual([p for p in found if p[1][0] == p[2][0] == "s"], honest)
        similar.EACH = each

    def test_hides_nothing(self):
        """What begins a comment, a string, a character, and ends nowhere."""
        text = source(1).replace("\n", " ").encode()
        for before in (b'char *s = "/*";\n', b"char c = '\"';\n", b'char *s = "//"; ',
                       b"#if 0\nit's \"\n#endif\n", b"long n = 1'000'000;\n"):
            found = self.tokens({"one": text, "other": before + text})
            at = found["other"].find(found["one"][-200:])
            self.assertGreater(at, 0, before)

    def test_one_cannot_be_read(self):
        """The others are compared, and it is told."""
        told = (ROOT / "tools/stats/compared.py").read_text()
        changed = told.replace("    for text in given:\n", "    for text in given:\n"
                               "        while b'DIE' in text:\n            pass\n")
        self.assertNotEqual(told, changed)
        put(fresh("dies") / "compared.py", changed)
        taken, keys = fresh("dies/taken"), ["one", "evil", "two", "link", "fifo", "large"]
        for key in keys[:3]:
            put(taken / key / "naive.cu", source(1))
        put(taken / "evil/more.h", "DIE")
        for key in keys[3:]:
            (taken / key).mkdir()
        (taken / "link/naive.cu").symlink_to(ROOT / "reference/naive.cu")
        os.mkfifo(taken / "fifo/naive.cu")
        put(taken / "large/naive.cu", "x" * (similar.MOST_BYTES + 1))
        tool, seconds = similar.Similar(str(ROOT), str(BUILD)), similar.READ_S
        tool.program, similar.READ_S = str(OUT / "dies/compared.py"), 1
        pairs, not_read = tool.of_lab(str(taken), [*keys, "nobody"], "naive.cu")
        similar.READ_S = seconds
        self.assertEqual(pairs, [(100, "one", "two")])
        self.assertEqual(sorted(not_read), sorted(keys[3:] + ["evil"]))
        for key, why in ("evil", "too long"), ("link", "a link"), ("fifo", "not a file"), \
                ("large", "larger than"):
            self.assertIn(why, not_read[key])
        put(OUT / "dies/compared.py", "import os; os._exit(1)")
        with self.assertRaises(walled.Fault):  # nobody's: the grader's
            tool.of_lab(str(taken), keys, "naive.cu")

    def test_wrong_answers(self):
        """Whoever takes over the process that reads has its words for numbers."""
        where = fresh("answers")
        for said in ("[[99, 0, 7]]", "[[1e9, 0, 1]]", "[[99, -1, 1]]", "[[99, 1, 1]]", "{",
                     "[[99, 0, 1, 2]]", "[" * 9999, '[["99", 0, 1]]', "[[99, 0.5, 1]]"):
            put(where / "compared.py", f"print({said!r})")
            tool = similar.Similar(str(ROOT), str(BUILD))
            tool.program = str(where / "compared.py")
            try:
                self.assertEqual(tool.pairs({"a": b"x", "b": b"x"}), [], said)
            except walled.Fault:
                pass

    def test_absent(self):
        out = OUT / "absent"
        done = stats(self.plain, "-o", out, env={"PATH": str(self.path)})
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no gnuplot", done.stderr)
        self.assertIn("Figures are missing", (out / "lecture.html").read_text())

    def test_leaderboard(self):
        chosen, out = fresh("board") / "chosen.csv", OUT / "board"
        put(chosen, "id,nickname\nid19,<b>Zed</b>\nstudent5@x.edu,Ada\nid12,Slow\n"
                    "nobody,Eve\nstudent7,student8\nkey-08-1,ada\n")
        done = stats(self.plain, "-o", out, "--leaderboard", chosen,
                     env={"PATH": str(self.path)})
        page = (out / "lecture.html").read_text()
        for n, why in (5, "nobody"), (6, "somebody else's"), (7, "stands there before"):
            self.assertIn(f"chosen.csv:{n}:", done.stderr)
            self.assertIn(why, done.stderr)
        board = self.tables("leaderboard", page)
        self.assertEqual(board, [[1, {"words": "<b>Zed</b>", "name": True}, "61.0"],
                                 [2, {"words": "Ada", "name": True}, "65.0"]])
        self.assertNotIn("leaderboard", [s["id"] for s in page_data.data(self.lecture)["sections"]])

    def chosen(self, text):
        """What a file of nicknames comes to, in a class of Ann Lee and Bo."""
        path = fresh("nicknames") / "chosen.csv"
        put(path, text)
        ann, bo = known.Student("ann", (("1", "Ann Lee", "ann@x.edu"),)), \
            known.Student("bo", (("2", "Bo", ""),))
        return nicknames.read(str(path), [ann, bo])

    def test_hostile_nicknames(self):
        """Nobody's row ends another's, makes another's, or looks like another."""
        begin = "id,nickname\r\n"
        for name in ("\u0410nn L\u0435\u0435", "\uff21nn \uff2cee", "Lee, Ann", "A\u200bnn Lee",
                     "Ann_Lee", "ANN LEE", "Ann L\u0435e\u0301", "ann@x.edu", "An\u2060n Lee",
                     "e" + "\u0301" * 9, "x" * 33, "\u200b", " ", ""):
            taken, wrong = self.chosen(f'{begin}2,"{name}"\r\n1,Zed\r\n')
            self.assertEqual((taken, len(wrong)), ({"ann": "Zed"}, 1), name)
        for cell in ('"x\r\n1,Evil"', '"' + "x" * 200000 + '"', "a\0b" * 20, "\x1b" * 40,
                     '"a""b\n1,Evil\n"', "a,b,c,1,Evil" + "x" * 40, '"' + "\n" * 99999 + '"'):
            taken, wrong = self.chosen(f"{begin}2,{cell}\r\n1,Zed\r\n")
            self.assertEqual(taken.get("ann"), "Zed", cell[:40])
        self.assertEqual(self.chosen((begin + "2,\udcff\n1,Zed").encode(
            "utf-8", "surrogateescape"))[0], {"bo": "\ufffd", "ann": "Zed"})
        # One that never ends takes the rest with it, and no more.
        self.assertEqual(self.chosen(begin + '1,Zed\n2,"x')[0].get("ann"), "Zed")
        self.assertLess(len(self.chosen(begin + "3,x\n" * 9999)[1]), 200)
        for honest in "Ada", "\u0411\u043e\u0433\u0434\u0430\u043d", "\u9648", "Nguy\u1ec5n", \
                "\U0001f389", "O'Neil-3":
            self.assertEqual(self.chosen(begin + f"2,{honest}\n")[0], {"bo": honest})

    def test_nobody_is_ranked_by_a_clock_on_the_wall(self):
        """A C lab's ratio is of one: known.read leaves its speeds out."""
        kept = known.read(str(self.plain), ["lookback"])
        self.assertEqual([s.speeds for s in kept.students if s.speeds], [])
        self.assertTrue(any(s.speeds for s in known.read(str(self.plain)).students))

    def test_copies_for_other_programs(self):
        """By codes; what everybody was given beside them; no link is followed."""
        to = OUT / "copies"
        os.symlink("/etc/passwd", self.plain / "taken/evil.cu")
        said = others.write(str(to), str(self.plain), str(ROOT / "student"),
                            [s.key for s in known.read(str(self.plain)).students],
                            {"naive": "naive.cu", "sam": "../evil.cu"})
        os.unlink(self.plain / "taken/evil.cu")
        found = sorted(to.glob("naive/submissions/*/naive.cu"))
        self.assertEqual(len(found), 11)
        self.assertEqual((to / "naive/base/naive.cu").read_bytes(),
                         (ROOT / "student/naive.cu").read_bytes())
        codes = {row["code"]: row["submission"] for row in rows(to / "codes.csv")}
        for path in found:
            self.assertEqual(path.read_bytes(), (
                self.plain / "taken" / codes[path.parent.name] / "naive.cu").read_bytes())
        self.assertEqual(len(said), 2)
        self.assertNotIn("key-", "".join(said) + "".join(map(str, found)))

    def test_hidden_checks_on_the_board(self):
        """A hidden check that measures is not on the page for the class."""
        check = known.Check("lookback", "quick", "THE HIDDEN ONE", "fast", True, 9)
        shown = known.Check("lookback", "speed", "Speed", "fast", False, 9)
        student = known.Student("ann", speeds={("lookback", "quick"): ("model time", 5),
                                               ("lookback", "speed"): ("model time", 6)})
        board = numbers_of.board(known.Known([student], [check, shown], [], {}, ""),
                                 {"ann": "Zed"})
        self.assertEqual(board, [("lookback", "Speed", "model time", [("Zed", 6)])])

    def test_refused(self):
        old = fresh("old")
        shutil.copytree(self.plain, old, dirs_exist_ok=True)
        base = sqlite3.connect(old / "ledger.sqlite3")
        (text,), *_ = base.execute("SELECT grade FROM result")
        kept = json.loads(text)
        del kept["device"]
        base.execute("UPDATE result SET grade = ?", (json.dumps(kept),))
        base.commit()
        put(fresh("junk") / "ledger.sqlite3", "no database at all" * 100)
        put(OUT / "junk/gradebook.sqlite3", "")
        other = fresh("other")
        shutil.copytree(self.plain, other, dirs_exist_ok=True)
        base = sqlite3.connect(other / "ledger.sqlite3")
        base.execute("UPDATE result SET grade = '[[' || grade")
        base.commit()
        before = fresh("before")  # of a version that kept less
        shutil.copytree(self.plain, before, dirs_exist_ok=True)
        base = sqlite3.connect(before / "gradebook.sqlite3")
        base.execute("ALTER TABLE student DROP COLUMN score")
        base.commit()
        for where, why in (other, "not as scanlab class writes it"), \
                (before, "no such column: score; another version of ScanLab"), \
                (old, "scanlab class --again"), (OUT, "no ledger.sqlite3"), \
                (OUT / "junk", "not a database"), (OUT / "nothing", "is there"):
            done = stats(where)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(why, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    if sys.argv[3:] == ["browser"]:  # the pages, as a browser shows them
        import browser
        import webdriver
        written, looks = [], fresh("looks")
        for where, names in ("plain", PLAIN), ("evil", EVIL):
            out = hand_in(where, names, 5)
            stats(out)
            written += sorted((out / "stats").glob("*.html"))
        try:
            with webdriver.Browser() as window:
                for page in written:
                    browser.looks_right(window, page, looks)
                    loaded = window.run("return [...document.images].every("
                                        "(i) => i.complete && i.naturalWidth)")
                    browser.require(loaded, f"{page}: a picture is not shown")
        except webdriver.Missing as why:
            print(f"SKIP: {why}")
            sys.exit(77)
    else:
        classroom.main()
