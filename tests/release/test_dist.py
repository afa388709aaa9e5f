# SPDX-License-Identifier: MIT
"""test_dist.py ROOT BUILD: what tools/dist.py packs, here with the programs of an
ordinary build: nothing of solutions, tests and hidden checks, all of it with one
date and no owner, its links lead somewhere, it grades where it is unpacked and
where it is moved to; with a solution planted nothing is packed."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(2)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools"))
import markdown  # noqa: E402

DATE = 1700000000
# No name like this, whatever it is in: solutions, wrong submissions, sources of
# programs, courses with their hidden checks.
ABSENT = re.compile(r"(^|/)(reference|tests|timing|research|slides|courses|kits|class|mutants|"
                    r"cheats|hidden[^/]*)(/|$)|\.(patch|cmake|o|a)$|answers\.md$|"
                    r"^grader/(?!judge(/gpu|/?$)|contract|$)")
PRESENT = ("Makefile scanlab student/naive.cu labs/01-naive/lab.ini labs/01-naive/given.txt "
           "labs/01-naive/README.md "
           "labs/common/nvcc12.h build/bin/scanlab build/bin/vgpu "
           "build/libexec/scanlab-runner build/libexec/scanlab-walls "
           "build/lib/vgpu/libcudart.so.12 build/lib/vgpu/libcudart.so.13 "
           "tools/setup.sh tools/cuda-wheels.txt docs/macbook.md LICENSE").split()


def dist(root, out):
    out.mkdir(exist_ok=True)
    return subprocess.run([root / "tools/dist.py", BUILD, out], text=True, check=False,
                          capture_output=True, env={**os.environ, "SOURCE_DATE_EPOCH": str(DATE)})


def broken_links(folder):
    for page in sorted(folder.rglob("*.md")):
        for line, is_code in markdown.lines_of(page):
            for link in [] if is_code else markdown.LINK.findall(re.sub(r"`[^`]*`", "``", line)):
                if not re.match(r"[a-z]+:|#", link) and \
                        not (page.parent / link.split("#")[0]).exists():
                    yield page.relative_to(folder), link


class Dist(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.work)
        done = dist(ROOT, cls.work / "out")
        assert done.returncode == 0, done.stderr
        [archive] = (cls.work / "out").glob("scanlab-*-linux-*.tar.gz")
        with tarfile.open(archive) as tar:
            cls.members = tar.getmembers()
            tar.extractall(cls.work)
        cls.top = archive.name.removesuffix(".tar.gz")
        cls.there = cls.work / cls.top

    def names(self):
        self.assertEqual({m.name.split("/")[0] for m in self.members}, {self.top})
        return [m.name.partition("/")[2] for m in self.members]

    def test_contents(self):
        names = self.names()
        self.assertEqual([name for name in names if ABSENT.search(name)], [])
        self.assertEqual([name for name in PRESENT if name not in names], [])
        self.assertEqual(names, sorted(names))

    def test_the_same_for_everybody(self):
        for m in self.members:
            self.assertEqual((m.mtime, m.uid, m.gid, m.uname, m.gname), (DATE, 0, 0, "", ""))
            self.assertIn(m.mode, (0o755, 0o777) if not m.isreg() else (0o644, 0o755))

    def test_links_lead_somewhere(self):
        self.assertEqual(list(broken_links(self.there)), [])
        links = [path for path in self.there.rglob("*") if path.is_symlink()]
        self.assertIn("libcudart.so", [path.name for path in links])
        for path in links:
            self.assertTrue(path.exists() and not os.path.isabs(os.readlink(path)), path)

    def test_asks_for_nothing_that_builds(self):
        table = (self.there / "tools/packages.txt").read_text()
        packages = re.findall(r"^grade *\|[^|]*\| *(\S+)", table, re.M)
        self.assertEqual(packages, "gcc g++ libc6-dev util-linux".split())

    def test_grades_wherever_it_is(self):
        for place in ("unpacked", "moved on/to here"):
            folder = self.work / place / self.top
            folder.parent.mkdir(parents=True)
            shutil.copytree(self.there, folder, symlinks=True)
            env = {k: v for k, v in os.environ.items()
                   if not k.startswith(("SCANLAB_", "MAKE", "MFLAGS"))}
            env |= {"SCANLAB_APT": "0", "HOME": str(self.work), "SCANLAB_NVCC":
                    (ROOT / "build/nvcc-path").read_text().strip()}
            for words in (["make", "grade", "LAB=cpu-scan"],
                          ["./scanlab", "grade", "cpu-scan", "-s", "student"]):
                done = subprocess.run(words, cwd=folder, env=env,
                                      text=True, capture_output=True, check=False)
                said = done.stdout + done.stderr
                self.assertEqual(done.returncode, 1, said)
                self.assertIn("TODO  inclusive", said)
            done = subprocess.run(["make", "docs"], cwd=folder, env=env, text=True,
                                  capture_output=True, check=False)
            self.assertIn("this copy of ScanLab has no docs/Doxyfile.in", done.stderr)

    def test_a_planted_solution_is_found(self):
        repo = self.work / "repo"
        subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{ROOT}", repo], check=True)
        for name in ("tools", "reference", "labs"): # as they are now
            shutil.copytree(ROOT / name, repo / name, dirs_exist_ok=True)
        page = repo / "labs/01-naive/README.md"
        page.write_text(page.read_text() + "\n".join(
            (ROOT / "reference/naive.cu").read_text().splitlines()[20:60]))
        done = dist(repo, self.work / "none")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("a solution, reference/naive.cu", done.stderr)
        self.assertEqual(list((self.work / "none").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
