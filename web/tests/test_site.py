# SPDX-License-Identifier: MIT
"""test_site.py ROOT SCANLAB [NVCC]: the site (web/site/make.py) without its engine: all
pages are there, each link and anchor leads somewhere, the policy's hashes are those of
what stands in the page, explorables and tables have their places, formulas are those of
lab.ini; a course's hidden checks are in no page; a solution that is planted in a
handout, as text or as PTX, is found. With NVCC: no teaching kernel is a solution."""
import base64
import gzip
import hashlib
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, SCANLAB = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
NVCC = sys.argv[3] if sys.argv[3:] else None
sys.argv[1:] = []
os.environ["SCANLAB"] = str(SCANLAB)
sys.path += [str(ROOT / "web/site"), str(ROOT / "tools")]
import explore  # noqa: E402
import leaks  # noqa: E402
import make  # noqa: E402
import page  # noqa: E402
import words  # noqa: E402

LABS = sorted(path.name for path in (ROOT / "labs").glob("[0-9]*"))
STEP = ("size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;"
        " dst[i] = i < offset ? src[i] : scan_add(src[i - offset], src[i]);")
COURSE = """[check tiny]
points = 11
[check quite-secret]
kind = correct
title = What nobody sees
function = inclusive
points = 5
sizes = 7193
inputs = random
visibility = hidden
"""


def write(out, *labs, course=None):
    """The site, and what is wrong; solutions are searched as text alone."""
    given = type("Given", (), {"out": out, "labs": list(labs), "course": course,
                               "built": None, "nvcc": None})
    saved, make.release.nvcc = make.release.nvcc, lambda: None
    try:
        return make.make(given)
    finally:
        make.release.nvcc = saved


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp())
        cls.out = cls.work / "site"
        write(cls.out)
        cls.pages = {path.name: path.read_text() for path in cls.out.glob("*.html")}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def test_all_pages(self):
        wanted = {f"{lab}{more}.html" for lab in LABS for more in ("", "-grading")}
        self.assertEqual(set(self.pages), wanted | {"index.html", "glossary.html"})
        for name, text in self.pages.items():
            self.assertIn("<h1", text, name)

    def test_links(self):
        for name, text in self.pages.items():
            for link in re.findall(r'href="([^"]*)"', text):
                target, _, anchor = html.unescape(link).partition("#")
                if re.match("https?:", target):
                    continue
                self.assertIn(target or name, self.pages, f"{name}: {link}")
                if anchor:
                    self.assertIn(f'id="{anchor}"', self.pages[target or name],
                                  f"{name}: {link}")
            for src in re.findall(r'src="([^"]{0,20})', text):
                self.assertTrue(src.startswith("data:image/"), f"{name}: {src}")

    def test_policy(self):
        for name, text in self.pages.items():
            for kind, tag in ("style", "style"), ("script", "script"):
                stands = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.S)[1]
                digest = base64.b64encode(hashlib.sha256(stands.encode()).digest())
                self.assertIn(f"{kind}-src 'sha256-{digest.decode()}'", text, name)
            self.assertIn("default-src 'none'", text)

    def test_tables(self):
        for lab in LABS:
            data = json.loads(re.search(r'id="data">(.*?)</script>',
                                        self.pages[f"{lab}.html"], re.S)[1])["site"]
            self.assertEqual("bounds" in data, lab != "00-cpu-scan", lab)  # which has none
            for name in "depths", "bounds", "kModel":
                place = {"depths": "depth", "kModel": "t"}.get(name, name)
                self.assertEqual(name in data,
                                 f'id="explore-{place}"' in self.pages[f"{lab}.html"], lab)
            ini = (ROOT / "labs" / lab / "lab.ini").read_text()
            for check in data.get("bounds", []):
                for _, _, formula, _ in check["lines"]:
                    self.assertIn(formula, ini)
        text = self.pages["03-bank-conflicts.html"]
        self.assertIn('id="explore-t"', text)
        self.assertIn("n/k - 1 + log2(k)*(max(1, n/(k*k)))", text)

    def test_explorables_have_places(self):
        """Of each lab but the last, whose kernels need several GPUs."""
        kernels = explore.kernels(None)
        self.assertEqual({k["lab"] for k in kernels}, set(LABS[:9]))
        for k in kernels:
            folder = ROOT / "labs" / k["lab"]
            text = page.with_pictures(page.to_html((folder / "README.md").read_text()), folder)
            self.assertIn(f'id="explore-{k["name"]}"',
                          page.with_places(text, [(k["name"], k["at"])]))
            with self.assertRaises(page.Trouble):
                page.with_places(text, [(k["name"], "no-such.svg")])

    def test_no_graded_function(self):
        """No kernel has a graded function's name, nor its parameters' types and order."""
        symbols, calls = set(), set()
        for lab in LABS:
            folder = ROOT / "labs" / lab
            symbols |= set(re.findall(r"^symbol *= *(\w+)", (folder / "lab.ini").read_text(),
                                      re.M))
            for head in folder.glob("*.h"):
                calls |= set(re.findall(r"\b(\w+)\(([^()]*)\);", head.read_text()))
        types = {self.types(words) for name, words in calls if name in symbols}
        self.assertTrue(types)
        for path in (ROOT / "web/site/kernels").glob("*.cu"):
            name, words = re.search(r"void (\w+)\(([^)]*)\)", path.read_text()).groups()
            self.assertNotIn(name, symbols)
            self.assertNotIn(self.types(words), types, path.name)

    @staticmethod
    def types(words):
        return tuple(" ".join(re.sub(r"\w+$", "", one.strip()).replace("*", " * ").split())
                     for one in words.split(","))

    @unittest.skipUnless(shutil.which("node"), "no node")
    def test_formulas(self):
        """The page reads formulas as the grader does; every one that it has."""
        cases = [["2*n - 2", {"n": 8}, False, 14], ["7/2", {}, False, 3],
                 ["7/2", {}, True, 3.5], ["-7/2", {}, False, -4], ["-7%3", {}, False, 2],
                 ["clog2(n)", {"n": 9}, False, 4], ["log2(9)", {}, False, 3],
                 ["pow2ceil(9) - ceildiv(7,2)", {}, False, 12], ["kept", {"n": 1}, False, None],
                 ["1/0", {}, False, None], ["min(1,", {}, False, "mistake"],
                 ["sqrt(2)", {}, False, "mistake"], ["constructor(1)", {}, False, "mistake"],
                 ["if(less(1, 2), 5, 6) * bit_and(6, 3)", {}, False, 10]]
        for lab in LABS:
            for check in explore.bounds(ROOT / "labs" / lab / "lab.ini"):
                for _, _, formula, zero in check["lines"]:
                    cases += [[f, {"n": 64}, False, "any"] for f in (formula, zero) if f]
            for row in explore.depths(re.sub(r"^\d+-", "", lab)).values():
                cases += [[row[key], {"n": 4096}, False, "any"] for key in
                          ("work_formula", "steps_formula") if row[key]]
        for kernel in explore.kernels(None):
            cases += [[f, {}, False, "any"] for _, f in kernel["formula"]]
        done = subprocess.run(
            ["node", ROOT / "web/tests/formulas.mjs", ROOT / "web/site/js/formulas.js",
             json.dumps(cases)], text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_german(self):
        """A course's own German handout is a German page; the others stay English."""
        write(self.work / "german", "cpu-scan", "naive", course=ROOT / "courses/german")
        pages = {path.name: path.read_text() for path in (self.work / "german").iterdir()}
        mine, other = pages["00-cpu-scan.html"], pages["01-naive.html"]
        self.assertIn('<html lang="de">', mine)
        self.assertIn('aria-label="Aufgabe 1"', mine)
        self.assertIn("two-passes.svg", mine)
        said = json.loads(re.search(r'id="data">(.*?)</script>', mine, re.S)[1])
        self.assertEqual(said["words"]["Replay"], "Ablauf")
        self.assertIn("Threads", said["site"]["causes"]["shared-race"])
        self.assertIn('<html lang="en">', other)
        self.assertNotIn('"words"', re.search(r'id="data">(.*?)</script>', other, re.S)[1])

    def test_every_word_is_translated(self):
        """What scripts, kernels and tables of the site say, in each language."""
        scripts = [*(ROOT / "web/site/js").glob("*.js"), ROOT / "web/page/recorded.js",
                   *(ROOT / "grader/report/html").glob("replay*.js"),
                   ROOT / "grader/report/html/base.js"]
        said = {w for path in scripts for w in re.findall(
            rf"\b_\(\s*{words.STRING}\)", path.read_text())}
        own = set()
        for k in explore.kernels(None):
            own |= {k["title"], k["what"], *(s["label"] for s in k["slider"] + k["switch"]),
                    *(label for label, _ in k["formula"])}
        for lab in LABS:
            for name, of in explore.depths(re.sub(r"^\d+-", "", lab)).items():
                own |= {w for w in (name, of["work"], of["steps"])
                        if re.search("[a-z]{4}", w)}
        self.assertGreater(len(said), 60)
        for language in words.languages():
            all_words, found = words.Words(language).data()
            self.assertEqual(sorted(said - set(all_words)), [], language)
            self.assertEqual(sorted(own - set(words.Words(language).own)), [], language)
            self.assertIn("leak", found["kinds"])
            for english, other in words.Words(language).own.items():
                self.assertEqual(english.count("%s"), other.count("%s"), english)
            same = {e for e, o in all_words.items() if e == o and len(e.split()) > 2}
            self.assertEqual(same, set(), language)

    def test_no_words_without_translation(self):
        """Strings of several words in the site's scripts are arguments of _()."""
        for path in (ROOT / "web/site/js").glob("*.js"):
            text = re.sub(r"^\s*//.*$|\s// .*$", "", path.read_text(), flags=re.M)
            text = re.sub(r"new Error\(`[^`]*`\)", "", text)  # of the course's authors
            for found in re.finditer(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`', text):
                before = text[:found.start()].rstrip()
                plain = found[1] if found[1] is not None else re.sub(
                    r"\$\{(?:[^{}]|\{[^{}]*\})*\}", "", found[2])
                is_said = re.search("[A-Za-z]{2,} +[A-Za-z]{2,}", plain) or (
                    found[2] is not None and re.search("[a-z]{3,} | [a-z]{3,}", plain))
                if is_said and not before.endswith(("_(", "class:")):
                    self.fail(f"{path.name}: {found[0]}")

    def test_course(self):
        course = self.work / "course"
        (course / "01-naive").mkdir(parents=True)
        (course / "course.ini").write_text("[course]\nseed = 4711\n")
        (course / "01-naive/lab.ini").write_text(COURSE)
        write(self.work / "own", "naive", course=course)
        text = "".join(path.read_text() for path in (self.work / "own").iterdir())
        for secret in "quite-secret", "7193", "nobody sees", "4711":
            self.assertNotIn(secret, text)
        self.assertRegex(text, r"<code>tiny</code></td>\s*<td>11</td>")

    def test_solution_in_a_handout(self):
        """As text: in a course's own handout; the old site stays."""
        course = self.work / "leaky"
        (course / "01-naive").mkdir(parents=True)
        (course / "course.ini").write_text("[course]\n")
        (course / "01-naive/README.md").write_text(f"# Lab 1\n\n```\n{STEP}\n```\n")
        out = self.work / "kept"
        write(out, "naive")
        before = sorted(path.name for path in out.iterdir())
        with self.assertRaises(make.release.Trouble):
            write(out, "naive", course=course)
        self.assertEqual(sorted(path.name for path in out.iterdir()), before)

    def test_other_folders_stay(self):
        mine = self.work / "mine"
        mine.mkdir()
        (mine / "thesis.txt").write_text("mine")
        with self.assertRaises(make.Trouble):
            write(mine, "naive")
        self.assertTrue((mine / "thesis.txt").exists())


@unittest.skipUnless(NVCC, "no nvcc")
class Machine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.secret = leaks.machine_secrets(ROOT / "reference", NVCC)
        cls.solved = leaks.compile_all([ROOT / "reference/naive.cu"], NVCC, ROOT, True)

    def planted(self, text):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "page.html").write_bytes(
                text if isinstance(text, bytes) else text.encode())
            return list(leaks.search(folder, {}, self.secret))

    def test_planted_ptx_is_found(self):
        ptx = self.solved["naive.cu"]
        renamed = re.sub(r"%(r|rd|p)(\d+)", r"%my\1\2", ptx).replace("\n", "\n\n")
        packed = base64.b64encode(gzip.compress(ptx.encode())).decode()
        for how, text in (("as it is", ptx), ("other registers", renamed),
                          ("a string in a page", page.in_script({"ptx": ptx})),
                          ("HTML", f"<pre>{html.escape(ptx)}</pre>"),
                          ("base64", base64.b64encode(ptx.encode()).decode()),
                          ("gzip in base64", json.dumps({"wasm": packed})),
                          ("gzip", gzip.compress(ptx.encode()))):
            with self.subTest(how):
                found = self.planted(text)
                self.assertTrue(found)
                self.assertEqual(found[0].source, "naive.cu")

    def test_no_teaching_kernel_is_a_solution(self):
        for folder in "web/site/kernels", "web/kernels":
            for path in sorted((ROOT / folder).glob("*.cu")):
                self.assertEqual(self.planted(explore.compiled(path, NVCC)), [], path.name)
        stubs = leaks.compile_all(sorted((ROOT / "student").glob("*.cu"))[:2], NVCC, ROOT, False)
        for name, text in stubs.items():
            self.assertEqual(self.planted(text), [], name)

    def test_kernels_are_compiled_without_a_path(self):
        for kernel in explore.kernels(NVCC):
            self.assertIn(f".visible .entry {kernel['entry']}", kernel["ptx"])
            self.assertNotIn(str(ROOT), kernel["ptx"])


if __name__ == "__main__":
    unittest.main()
