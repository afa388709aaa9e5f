# SPDX-License-Identifier: MIT
"""stats_test.py SCANLAB OUT: `scanlab stats` of a class of twelve, whose results
are written here as `scanlab class` writes them: what is counted is counted again;
the page for the class is the same whatever anybody is called; names are words."""
import collections
import csv
import functools
import json
import os
import re
import shutil
import sqlite3
import subprocess
import unittest

import classroom
from classroom import BUILD, OUT, ROOT, SCANLAB, fresh, put
import gradebook
from gradebook import EMPTY, GRADED, Row
from layouts import Person, Submission
from ledger import Ledger, brief

import sys
sys.path.append(str(ROOT / "tests/report"))
import html_page  # noqa: E402

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


def hand_in(where, names, seed=1):
    """What scanlab class leaves in OUT; the last one has handed in nothing."""
    out, found = fresh(where), []
    ledger = Ledger(str(out / "ledger.sqlite3"))
    for n, name in enumerate(names):
        key = f"key-{seed * n % 13:02}-{seed}"
        s = Submission(key, "canvas", [Person(f"id{seed}{n}", name, name + "@x.edu")])
        row = Row(s, None, GRADED if n < 11 else EMPTY, "note")
        if n < 11:
            kept = brief(grade(n))
            row.read = functools.partial(brief, grade(n))
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
        cls.tools = bool(shutil.which("sim_c") and shutil.which("gnuplot"))
        cls.path = fresh("bin")  # with neither tool
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

    def table(self, section):
        """Rows of the lecture page's table, as texts of cells."""
        tree = html_page.parsed(self.plain / "stats/lecture.html")
        at = next(e for e in tree.iter("section") if e.get("id") == section)
        return [["".join(cell.itertext()).strip() for cell in row]
                for row in at.iter("tr")][1:]

    def test_mistakes(self):
        found = [(int(many), what) for many, what, _ in self.table("mistakes")]
        failed = collections.Counter(
            (lab["id"], c["outcome"]["kind"]) for n in range(11) for lab in grade(n)["labs"]
            for c in lab["checks"] if c["status"] == "fail" and not c.get("hidden")
            and c["outcome"]["kind"] != "not-implemented")
        self.assertEqual([n for n, _ in found], sorted(failed.values(), reverse=True))
        race = next(n for n, what in found if what.startswith("Two threads access a shared"))
        self.assertEqual(race, sum(grade(n)["labs"][0]["checks"][1]["status"] == "fail"
                                   for n in range(11)))
        self.assertIn(2, [n for n, what in found if "scan starts again every" in what])
        self.assertNotIn("not implemented", self.lecture)

    def test_heat(self):
        row = next(r for r in self.table("checks") if r[0] == "Check any-size")
        self.assertEqual(row[1:4], ["7", "2", "2"])
        svg = re.search(r"Check any-size</th>.*?<svg.*?</svg>", self.lecture, re.S)[0]
        cells = collections.Counter()
        for state, width in re.findall(r'class="(\w+)" x="\d+" width="(\d+)"', svg):
            cells[state] += int(width)
        self.assertEqual(cells, {"pass": 7, "fail": 2, "todo": 2})

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
        shown = "".join(tree.text or "" for tree in html_page.parsed(
            self.evil / "stats/staff.html").iter() if tree.tag == "bdi")
        for name in EVIL[0], EVIL[3], EVIL[6], "a?b?[31m", "?gnp.exe":
            self.assertIn(name, shown)
        self.assertNotIn("\x1b", shown)

    @unittest.skipUnless(shutil.which("sim_c"), "no sim_c (tools/setup.sh stats installs it)")
    def test_similar(self):
        found = {(r["one"], r["other"]): int(r["percent"]) for r in
                 rows(self.plain / "stats/similar.csv")}
        self.assertEqual(list(found), [("key-01-1", "key-02-1")])
        self.assertGreater(found["key-01-1", "key-02-1"], 90)

    @unittest.skipUnless(shutil.which("sim_c"), "no sim_c (tools/setup.sh stats installs it)")
    def test_similar_of_many(self):
        """Beyond what each is compared with each other, the pair is found as well."""
        sys.path.append(str(ROOT / "tools/stats"))
        import similar
        tool = similar.Similar(str(ROOT), str(BUILD), str(OUT / "many"))
        texts = {f"s{n}": source(n).encode() for n in (1, 2, 5)}
        for similar.EACH in 3, 2:
            (percent, *names), *others = tool.pairs(texts)
            self.assertEqual((names, others), (["s1", "s2"], []))
            self.assertGreater(percent, 90)
        # What would take sim_c hours, and hide the others.
        for text in b"a;" * 99999, b"(" * 99999, b"int t[] = {" + b"0, " * 60000, b"/*" * 9999:
            hostile = {"h1": similar.unrepeated(text), "h2": similar.unrepeated(text + b"b;")}
            self.assertIn(["s1", "s2"], [list(p[1:]) for p in tool.pairs(texts | hostile)])

    def test_absent(self):
        out = OUT / "absent"
        done = stats(self.plain, "-o", out, env={"PATH": str(self.path)})
        self.assertEqual(done.returncode, 1)
        for tool in "sim_c", "gnuplot":
            self.assertIn(f"there is no {tool}", done.stderr)
        self.assertIn("there is no sim_c", (out / "staff.html").read_text())
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
        board = page[page.index('<section id="leaderboard"'):]
        self.assertEqual(re.findall(r"<bdi>(.*?)</bdi></td><td>(.*?)<", board),
                         [("&lt;b&gt;Zed&lt;/b&gt;", "61.0"), ("Ada", "65.0")])
        self.assertNotIn("student", board.split("</section>")[0])
        self.assertNotIn("leaderboard", self.lecture)

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
        for where, why in (old, "scanlab class --again"), (OUT, "no ledger.sqlite3"), \
                (OUT / "junk", "not a database"), (OUT / "nothing", "is there"):
            done = stats(where)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(why, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    if sys.argv[3:] == ["browser"]:  # the pages, as a browser shows them
        import browser
        import webdriver
        pages, looks = [], fresh("looks")
        for where, names in ("plain", PLAIN), ("evil", EVIL):
            out = hand_in(where, names, 5)
            stats(out)
            pages += sorted((out / "stats").glob("*.html"))
        try:
            with webdriver.Browser() as window:
                for page in pages:
                    browser.looks_right(window, page, looks)
                    loaded = window.run("return [...document.images].every("
                                        "(i) => i.complete && i.naturalWidth)")
                    browser.require(loaded, f"{page}: a picture is not shown")
        except webdriver.Missing as why:
            print(f"SKIP: {why}")
            sys.exit(77)
    else:
        classroom.main()
