# SPDX-License-Identifier: MIT
"""forms_test.py SCANLAB OUT: kits are as their systems' own programs read them; these are
not here, so their rules are, with where they stand:

  Autolab       one folder, called as its .yml and .rb, in front of what is in it; small
                letters and digits (assessments_controller.rb, valid_asmt_tar)
  PrairieLearn  elements and their attributes (docs.prairielearn.com/elements)
  nbgrader      nbgraderformat/v3.json and v3.py; a locked cell whose last value is a number
                is partial credit (utils.py, determine_grade)
  GitHub        autograding-grading-reporter (main.js, notify-classroom.js)
  Gradescope    submission_metadata.json (gradescope-autograders.readthedocs.io)"""
import base64
import contextlib
import html.parser
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCANLAB, OUT = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "kits"), str(ROOT / "tests/class")]
import grade  # noqa: E402


def kit(name, to, lab, course=None):
    subprocess.run(["rm", "-rf", OUT / to], check=True)
    OUT.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([ROOT / "tools/kit.py", name, OUT / to, lab], text=True, check=False,
                          capture_output=True, env={**os.environ, "COURSE": str(course or "")})
    if done.returncode:
        raise AssertionError(done.stderr)
    return OUT / to


def a_grade(folder):
    """The reference's, of lab 0."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cpu_scan.c").write_text("#define SOLUTION\n" + (
        ROOT / "reference/cpu_scan.c").read_text())
    return folder


class Elements(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs), list(self.open)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise AssertionError(f"</{tag}> closes nothing")


class Forms(unittest.TestCase):
    # What Autolab's importer takes: one folder, before what is in it, and columns of its
    # tables (app/controllers/assessments_controller.rb, app/models/assessment.rb, April 2025).
    TAKEN = {
        "general": {"name", "description", "display_name", "handin_filename", "handin_directory",
                    "max_grace_days", "handout", "writeup", "max_submissions",
                    "disable_handins", "max_size", "category_name", "has_svn", "group_size",
                    "version_threshold"},
        "problems": {"name", "description", "max_score", "optional"},
        "autograder": {"autograde_timeout", "autograde_image", "release_score"}}

    def test_autolab_imports(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no Python module yaml: apt-get install python3-yaml")
        with tarfile.open(kit("autolab", "imported.tar", "naive")) as archive:
            members = archive.getmembers()
            name = members[0].name
            self.assertTrue(members[0].isdir())
            self.assertRegex(name, r"\A[A-Za-z][A-Za-z0-9_-]*\Z")
            for member in members[1:]:
                self.assertTrue(member.isfile() and member.name.startswith(name + "/"), member)
            read = yaml.safe_load(archive.extractfile(f"{name}/{name}.yml").read())
            self.assertIn(f"{name}/{read['general']['handout']}", archive.getnames())
        self.assertEqual(read["general"]["name"], name)
        self.assertTrue(read["general"]["display_name"] and read["general"]["handin_filename"])
        self.assertLessEqual(set(read), set(self.TAKEN))
        for section, taken in self.TAKEN.items():
            for row in read[section] if section == "problems" else [read[section]]:
                self.assertLessEqual(set(row), taken)
        self.assertTrue(10 <= read["autograder"]["autograde_timeout"] <= 900)
        self.assertEqual(len({p["name"].lower() for p in read["problems"]}),
                         len(read["problems"]))
        long = subprocess.run([ROOT / "tools/kit.py", "autolab", OUT / "long.tar", "naive"],
                              text=True, check=False, capture_output=True,
                              env={**os.environ, "COURSE": "", "IMAGE": "x" * 65})
        self.assertEqual(long.returncode, 2)
        self.assertIn("above 64 letters", long.stderr)

    def test_autolab(self):
        with tarfile.open(kit("autolab", "autolab.tar", "cpu-scan")) as archive:
            names = archive.getnames()
            read = {m.name: archive.extractfile(m).read() for m in archive if m.isfile()}
        name = names[0]
        self.assertRegex(name, r"\A[a-z0-9]+\Z")
        self.assertTrue(all(n.startswith(name + "/") for n in names[1:]), names)
        yml = read[f"{name}/{name}.yml"].decode()
        for line in (f"  name: {name}", "  handin_filename: cpu_scan.c", "- name: cpu-scan",
                     "  max_score: 100.0", "  autograde_image: scanlab"):
            self.assertIn(line + "\n", yml)
        self.assertIn(f"module {name.capitalize()}\n", read[f"{name}/{name}.rb"].decode())
        self.assertIn(f"{name}/autograde-Makefile", read)
        with tarfile.open(fileobj=io.BytesIO(read[f"{name}/{name}-handout.tar"])) as handout:
            self.assertIn(f"{name}-handout/cpu_scan.c", handout.getnames())
            self.assertIn(f"{name}-handout/README.md", handout.getnames())

    def test_prairielearn(self):
        question = kit("prairielearn", "questions", "naive") / "scanlab-naive"
        page = (question / "question.html").read_text()
        self.assertNotIn("{{", page)
        hints, files = [], []
        for tag, attrs, within in Elements(page).found:
            if tag == "pl-hint":
                self.assertEqual(within[-1], "pl-hidden-hints")
                self.assertLessEqual(set(attrs), {"show-after-submission", "hint-name"})
                hints.append(int(attrs["show-after-submission"]))
            if tag == "pl-file-download":
                files.append(attrs["file-name"])
        self.assertEqual((min(hints), max(hints) > 1), (1, True))  # one after the other
        self.assertEqual(sorted(files), sorted(os.listdir(question / "clientFilesQuestion")))
        for name in "README.md", "naive.h", "naive.cu", "scanlab.h":
            self.assertIn(name, files)

    def test_a_course_shows_no_secret(self):
        """Hidden checks' hints stay out; a lab that is not offered is no question."""
        course = OUT / "course"
        subprocess.run(["rm", "-rf", course], check=True)
        (course / "01-naive").mkdir(parents=True)
        (course / "course.ini").write_text("[course]\nseed = 1\n[lab sam]\noffered = no\n")
        (course / "01-naive/lab.ini").write_text("[check races]\nvisibility = hidden\n")
        page = kit("prairielearn", "hidden", "naive", course) / "scanlab-naive/question.html"
        self.assertNotIn('hint-name="races"', page.read_text())
        with self.assertRaisesRegex(AssertionError, "does not offer sam"):
            kit("prairielearn", "hidden", "sam", course)

    def test_nbgrader(self):
        book = json.loads((kit("nbgrader", "source", "cpu-scan") /
                           "scanlab-cpu-scan/cpu-scan.ipynb").read_text())
        self.assertEqual((book["nbformat"], book["nbformat_minor"]), (4, 4))
        ids, points = set(), {}
        for cell in book["cells"]:
            own = cell["metadata"].get("nbgrader")
            if not own:
                continue
            self.assertEqual(own["schema_version"], 3)
            self.assertLessEqual({"grade", "solution", "locked"}, set(own))
            self.assertRegex(own["grade_id"], r"\A[a-zA-Z0-9_-]+\Z")
            self.assertNotIn(own["grade_id"], ids)
            ids.add(own["grade_id"])
            self.assertEqual("points" in own, own["grade"])
            if cell["cell_type"] == "markdown":
                self.assertEqual(own["grade"], own["solution"])
            elif own["grade"]:
                points["".join(cell["source"])] = own["points"]
        self.assertEqual(sum(points.values()), 100)
        # As nbgrader runs it: the file's cell, the grader's, then each that is graded.
        code = ["".join(c["source"]) for c in book["cells"] if c["cell_type"] == "code"]
        self.assertTrue(code[1].startswith("%%writefile cpu_scan.c\n"))
        here, names = os.getcwd(), {}
        os.environ["SCANLAB"] = str(SCANLAB)
        os.chdir(a_grade(OUT / "notebook"))
        try:
            exec(code[0], names)
            with contextlib.redirect_stdout(io.StringIO()):
                earned = {text: eval(text.split("\n")[1], names) for text in points}
        finally:
            os.chdir(here)
        self.assertEqual(earned, points)

    def test_github(self):
        """Committed; what the reporter decodes has the grade's points."""
        hand_out = OUT / "hand-out"
        subprocess.run(["rm", "-rf", hand_out], check=True)
        for name in "student", "grader":
            (hand_out / name).mkdir(parents=True)
            (hand_out / name / "x").touch()
        git = ["git", "-C", hand_out, "-c", "user.name=a", "-c", "user.email=a@x"]
        for words in ["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]:
            subprocess.run([*git, *words], check=True)
        for _ in range(2):  # again changes nothing
            subprocess.run([ROOT / "tools/kit.py", "github", hand_out, "cpu-scan"], check=True,
                           stderr=subprocess.DEVNULL, env={**os.environ, "COURSE": ""})
        said = subprocess.run([*git, "status", "--porcelain"], capture_output=True, check=True)
        self.assertEqual(said.stdout, b"")
        workflow = (hand_out / ".github/workflows/scanlab.yml").read_text()
        runner = re.search(r"runners: (\w+)", workflow)[1]
        self.assertIn(f"{runner.upper()}_RESULTS: ${{{{ steps.{runner}.outputs.result }}}}",
                      workflow)
        self.assertIn(f"id: {runner}\n", workflow)
        report, out = OUT / "grade.json", OUT / "output"
        subprocess.run([SCANLAB, "grade", "cpu-scan", "-s", ROOT / "student", "--report",
                        f"json={report}"], check=False, capture_output=True, cwd=ROOT)
        out.unlink(missing_ok=True)
        for path in report, OUT / "nothing":
            subprocess.run([sys.executable, hand_out / ".github/classroom.py", path], check=True,
                           env={**os.environ, "GITHUB_OUTPUT": str(out)})
        told = [json.loads(base64.b64decode(line.removeprefix("result=")))
                for line in out.read_text().split()]
        made = json.loads(report.read_text())
        self.assertEqual(sum(t["score"] for t in told[0]["tests"]), made["score"])
        self.assertEqual((told[0]["max_score"], told[0]["status"]), (made["max_score"], "fail"))
        self.assertEqual((told[1]["status"], "max_score" in told[1]), ("error", False))

    def test_gradescope(self):
        """The due date is the student's own in Gradescope; the rest of the course stays."""
        rules = "[course]\nseed = 1\n[lab naive]\nvisibility = visible\ndue = " \
            "2030-01-01T00:00Z\n[late]\npercent = 10\n"
        for n, (text, late) in enumerate(((rules, "10"), (rules.replace("[lab naive]", "[lab sam]"),
                                                        "10"), ("", None))):
            course, to = OUT / f"rules{n}", OUT / f"due{n}"
            subprocess.run(["rm", "-rf", course, to], check=True)
            course.mkdir(parents=True)
            if text:
                (course / "course.ini").write_text(text)
            grade.rules_with_due(course, grade.utc("2026-11-30T23:59:00.5-08:00"), ["naive"], to)
            made = (to / "course.ini").read_text()
            self.assertIn("[lab naive]\ndue = 2026-12-01T07:59Z\n", made)
            self.assertEqual(made.count("[lab naive]"), 1)
            self.assertEqual("percent = 10" in made, late is not None)
            done = subprocess.run([SCANLAB, "list", "--course", to], cwd=ROOT, text=True,
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        with self.assertRaises(ValueError):
            grade.utc("2026-11-30T23:59:00")

    def test_hints_one_at_a_time(self):
        """What a system shows: so many hints as it was told; without a number all."""
        many = {}
        for n in "1", "2", None:
            report = OUT / "gradescope.json"
            subprocess.run([SCANLAB, "grade", "cpu-scan", "-s", ROOT / "student", "--check",
                            "inclusive", "--report", f"gradescope={report}",
                            *(["--hints", n] if n else [])], check=False, capture_output=True,
                           cwd=ROOT)
            many[n] = report.read_text().count("Hint ")
        self.assertEqual((many["1"], many["2"]), (1, 2))
        self.assertGreaterEqual(many[None], 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
