# SPDX-License-Identifier: MIT
"""test_refused.py ROOT SCANLAB: release.py in a copy of the repository: it makes a
hand-out of two labs; with a solution planted, a stub that has points or another
fault it makes none, and says why."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SCANLAB = pathlib.Path(sys.argv.pop(2)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools"))
import markdown  # noqa: E402

COPIED = "reference labs student tools docs vgpu/docs README.md LICENSE .gitignore".split()
STEP = ("size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;"
        " dst[i] = i < offset ? src[i] : scan_add(src[i - offset], src[i]);")

COURSE = """; my note
[check tiny]
points = 30   ; my note
sizes = 0 1 31
[check work]
visibility = hidden
[check more]
kind = correct
title = Sizes of my own
function = inclusive
points = 15
parent = tiny
sizes = 77 9999
inputs = random
[check only-later]
kind = correct
title = What nobody sees
function = inclusive
points = 5
sizes = 78
inputs = random
visibility = after-deadline
"""


def git(where, *words):
    return subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *words],
                          cwd=where, check=True, text=True, capture_output=True).stdout


def broken_links(folder):
    here = os.getcwd()
    os.chdir(folder)
    try:
        return [(page, link) for page in markdown.tracked("*.md")
                for line, is_code in markdown.lines_of(page) if not is_code
                for link in markdown.LINK.findall(re.sub(r"`[^`]*`", "``", line))
                if markdown.trouble_with_link(page, link) or not re.match("[a-z]+:", link)
                and not pathlib.Path(page).parent.joinpath(link.split("#")[0]).exists()]
    finally:
        os.chdir(here)


def missing_tools(folder):
    """Files of tools/ that its scripts name, and that are not in it."""
    named = {name for path in folder.glob("tools/*.sh")
             for name in re.findall(r"\btools/([\w-]+\.\w+)", path.read_text())}
    return {name for name in named if not (folder / "tools" / name).exists()}


class Release(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)
        self.repo, self.out = self.work / "repo", self.work / "out"
        self.repo.mkdir()
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, self.repo / name)

    def release(self, *labs, late=None):
        git(self.repo, "init", "-q")
        git(self.repo, "add", "-A")
        git(self.repo, "commit", "-qm", "all")
        if late:
            (self.repo / late).write_text(STEP)
        done = subprocess.run(
            [sys.executable, self.repo / "tools/release.py", self.out, *labs],
            text=True, capture_output=True, check=False,
            env={"PATH": "/usr/bin:/bin", "SCANLAB": str(SCANLAB),
                 "SCANLAB_ROOT": str(ROOT), "HOME": str(self.work),
                 "PYTHONDONTWRITEBYTECODE": "1"})
        return done.returncode, done.stderr

    def refused(self, words, *labs):
        status, said = self.release(*labs)
        self.assertIn(words, said)
        self.assertEqual(status, 2)
        self.assertEqual([p.name for p in self.work.iterdir()], ["repo"])

    def test_two_labs(self):
        (self.repo / "student/naive.cu").write_text(STEP)  # what the teacher tried
        status, said = self.release("1", "chained", late="labs/01-naive/mine.h")
        self.assertEqual(status, 0, said)
        self.assertIn("note: naive requires cpu-scan, not handed out", said)
        self.assertIn("2 labs, no solution found, graded 0 of 200", said)
        self.assertEqual(git(self.out, "rev-list", "--count", "HEAD"), "1\n")
        self.assertEqual(git(self.out, "status", "--porcelain"), "")
        names = set(git(self.out, "ls-files").split())
        self.assertLessEqual({"LICENSE", "README.md", "student/naive.cu",
                              "labs/05-chained/chained.h"}, names)
        self.assertFalse([name for name in names if name.startswith(
            ("reference", "tests", "vgpu/tests", "timing", "research", "slides", "labs/06", "student/sam"))])
        readme = (self.out / "README.md").read_text()
        self.assertIn("1 naive", readme)
        for text in ("instructors", "make test", "reference/", "lookback"):
            self.assertNotIn(text, readme)
        self.assertNotIn("requires", (self.out / "labs/01-naive/lab.ini").read_text())
        self.assertIn("not in git, so left out: labs/01-naive/mine.h\n", said)
        self.assertNotIn("labs/01-naive/mine.h", names)
        self.assertNotIn("tree[right]", (self.out / "vgpu/docs/vgpu.md").read_text())
        self.assertEqual(broken_links(self.out), [])
        self.assertEqual(missing_tools(self.out), {"check_format.sh", "check_tidy.sh", "axe-wheel.txt"})

    def test_translated(self):
        """A course's handouts take the place of ours, and are searched as all is."""
        course = self.repo / "courses/german"
        shutil.copytree(ROOT / "courses/german", course)
        status, said = self.release("0", "--course", course)
        self.assertEqual(status, 0, said)
        page = (self.out / "labs/00-cpu-scan/README.md").read_text()
        self.assertIn("## Zwei Scans", page)
        self.assertNotIn("## Two scans", page)
        self.assertEqual(broken_links(self.out), [])
        shutil.rmtree(self.out)
        with open(course / "00-cpu-scan/README.md", "a", encoding="utf-8") as file:
            file.write(STEP)
        self.refused("labs/00-cpu-scan/README.md:", "0", "--course", course)

    def course(self, rules, naive):
        """A folder that is laid over the labs."""
        folder = self.work / "my-course"
        (folder / "01-naive").mkdir(parents=True)
        (folder / "course.ini").write_text(rules)
        (folder / "01-naive/lab.ini").write_text(naive)
        return folder

    def test_course(self):
        """What students see of a course is in it, and nothing of what they do not;
        its checks are those of a grade with the course itself."""
        course = self.course("[course]\nseed = 4\n[lab naive]\n"
                             "due = 2026-11-30T00:00Z\n", COURSE)
        status, said = self.release("1", "--course", course)
        self.assertEqual(status, 0, said)
        self.assertIn("It speaks of `tiny`, which is another", said)
        lab = (self.out / "labs/01-naive/lab.ini").read_text()
        for secret in "nobody sees", "only-later", "visibility", "check work", "my note":
            self.assertNotIn(secret, lab)
        page = (self.out / "labs/01-naive/GRADING.md").read_text()
        self.assertIn("| `tiny` | 30 |", page)
        self.assertIn("| `more` | 15 | Sizes of my own |", page)
        self.assertNotIn("| `work` |", page)
        self.assertEqual(self.checks("--labs", self.out / "labs"),
                         self.checks("--course", course))

    def checks(self, *words):
        """What students are told of the stub's checks."""
        report = self.work / "grade.json"
        told = ["--student", "a", "--handed-in", "2026-11-01T00:00Z"]
        subprocess.run([SCANLAB, "grade", "naive", "-s", self.out / "student", "--report",
                        f"json={report}", *words, *(told if "--course" in words else [])],
                       check=False, capture_output=True)
        keys = "id", "title", "points", "max_score", "kind", "message"
        return [{k: check.get(k) for k in keys}
                for check in json.loads(report.read_text())["labs"][0]["checks"]]

    def test_course_that_does_not_fit(self):
        course = self.course("[course]\nvisibility = visble\n", "[check tiny]\npoints = 3\n")
        status, said = self.release("1", "--course", course)
        self.assertEqual(status, 2)
        self.assertIn("the course does not fit: ", said)
        self.assertFalse(self.out.exists())

    def test_course_with_links(self):
        """Whoever may write in its folder leads nobody's file into the hand-out."""
        secret = self.work / "secret"
        secret.mkdir()
        (secret / "README.md").write_text("what nobody may see\n")
        for name, target in ("01-naive/README.md", secret / "README.md"), ("01-naive", secret), \
                ("01-naive/plan.svg", "/etc/passwd"):
            course = self.course("[course]\nseed = 4\n", "[check tiny]\npoints = 30\n")
            if name == "01-naive":
                shutil.rmtree(course / name)
            (course / name).symlink_to(target)
            (self.repo / "docs/turn.txt").write_text(name)
            status, said = self.release("1", "--course", course)
            self.assertEqual(status, 2, said)
            self.assertIn("a link, which is not followed", said)
            self.assertFalse(self.out.exists())
            shutil.rmtree(course)

    def test_a_comment(self):
        with open(self.repo / "labs/01-naive/naive.h", "a", encoding="utf-8") as file:
            file.write(f"/* {STEP} */\n")
        self.refused("labs/01-naive/naive.h:", "naive")

    def test_a_renamed_file(self):
        shutil.copy(self.repo / "reference/sam.cu", self.repo / "docs/steps.svg")
        self.refused("a solution, reference/sam.cu:", "naive")

    def test_a_solution_outside_of_its_block(self):
        path = self.repo / "reference/naive.cu"
        path.write_text(path.read_text().replace("#ifdef SOLUTION", "#if 1"))
        self.refused("stubs are not graded 0 with TODOs", "naive")

    def test_no_such_lab(self):
        self.refused("there is no lab 'nave' in git; there are cpu-scan naive", "nave")


if __name__ == "__main__":
    unittest.main()
