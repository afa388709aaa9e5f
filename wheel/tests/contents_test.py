# SPDX-License-Identifier: MIT
"""contents_test.py ROOT BUILD: what a wheel holds, here with the programs of an
ordinary build: each file with its hash, nothing of solutions and tests, the pinned
compiler, one date; twice the same bytes; nothing of a solution that was planted; and
what the check of programs refuses."""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

BUILD = pathlib.Path(sys.argv.pop(2)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "wheel"))
import elf  # noqa: E402

ABSENT = re.compile(r"(^|/)(reference|tests|timing|research|slides|courses|kits|mutants|cheats|"
                    r"hidden[^/]*)(/|$)|\.(patch|cmake|o|a|po|pyc)$|answers\.md$")
PRESENT = """bin/scanlab bin/vgpu libexec/scanlab-runner libexec/scanlab-walls
lib/vgpu/libcudart.so.13 lib/vgpu/libcudart.so.12 labs/01-naive/lab.ini
labs/01-naive/README.md labs/common/scanlab.h student/naive.cu tools/class/main.py
tools/start.py share/pages/class.html grader/judge/gpu/worker.cu LICENSE""".split()


def make(out, home, *words):
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1700000001"}
    return subprocess.run([ROOT / "wheel/make.py", out, "--programs", home, *words],
                          text=True, capture_output=True, check=False, env=env)


class Contents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.work)
        subprocess.run(["cmake", "--install", BUILD, "--component", "scanlab", "--prefix",
                        cls.work / "installed"], check=True, stdout=subprocess.DEVNULL)
        cls.home = cls.work / "installed/lib/scanlab"
        done = make(cls.work / "first", cls.home)
        assert done.returncode == 0, done.stderr
        [path] = (cls.work / "first").glob("scanlab-*.whl")
        cls.wheel = zipfile.ZipFile(path)
        cls.addClassCleanup(cls.wheel.close)
        cls.names = cls.wheel.namelist()

    def info(self, name):
        [found] = [one for one in self.names if re.fullmatch(r"scanlab-[^/]*/" + name, one)]
        return self.wheel.read(found).decode()

    def test_record(self):
        rows = [row.rsplit(",", 2) for row in self.info("RECORD").splitlines()]
        self.assertEqual(sorted(row[0] for row in rows), sorted(self.names))
        self.assertEqual(rows[-1][1:], ["", ""])
        for name, digest, size in rows[:-1]:
            data = self.wheel.read(name)
            kind, _, value = digest.partition("=")
            self.assertEqual(kind, "sha256")
            self.assertEqual(base64.urlsafe_b64decode(value + "="),
                             hashlib.sha256(data).digest(), name)
            self.assertEqual(int(size), len(data))

    def test_names(self):
        self.assertEqual([name for name in self.names if ABSENT.search(name)], [])
        self.assertEqual([name for name in PRESENT
                          if f"scanlab/home/{name}" not in self.names], [])
        for item in self.wheel.infolist():
            mode = item.external_attr >> 16
            runs = re.search(r"/(bin|libexec|lib/vgpu)/", item.filename)
            self.assertEqual(mode, 0o100755 if runs or mode & 0o111 else 0o100644)
            self.assertEqual(item.date_time, (2023, 11, 14, 22, 13, 20))

    def test_metadata(self):
        text = self.info("METADATA")
        pinned = re.findall(r"^(nvidia-[\w-]+==[\d.]+) ",
                            (ROOT / "tools/cuda-wheels.txt").read_text(), re.M)
        self.assertEqual(len(pinned), 5)
        self.assertEqual(re.findall(r"^Requires-Dist: (nvidia.*)", text, re.M), pinned)
        version = re.search(r"^Version: (.*)", text, re.M)[1]
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text())
        for name in re.findall(r"^License-File: (.*)", text, re.M):
            self.info("licenses/" + re.escape(name))
        self.assertIn("scanlab = scanlab.start:scanlab", self.info(r"entry_points\.txt"))

    def test_pages_say_what_is_typed(self):
        for name in self.names:
            if re.search(r"home/labs/.*\.md$", name):
                self.assertNotRegex(self.wheel.read(name).decode(),
                                    r"build/bin|\./scanlab|make (grade|watch|progress)\b")
        self.assertIn("`scanlab grade naive`", self.wheel.read(
            "scanlab/home/labs/01-naive/README.md").decode())

    def test_twice_the_same(self):
        done = make(self.work / "second", self.home)
        self.assertEqual(done.returncode, 0, done.stderr)
        first = sorted((self.work / "first").iterdir())
        self.assertEqual(len(first), 2)
        for path in first:
            self.assertEqual(path.read_bytes(),
                             (self.work / "second" / path.name).read_bytes(), path.name)

    def test_a_planted_solution_is_found(self):
        home = self.work / "planted"
        shutil.copytree(self.home, home, symlinks=True)
        page = home / "tools/class/main.py"
        page.write_text(page.read_text() + "\n".join(
            (ROOT / "reference/naive.cu").read_text().splitlines()[20:60]))
        done = make(self.work / "none", home, "naive")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("tools/class/main.py", done.stderr)
        self.assertIn("a solution, reference/naive.cu", done.stderr)
        self.assertEqual(list((self.work / "none").iterdir()), [])

    def test_some_labs(self):
        done = make(self.work / "one", self.home, "naive")
        self.assertEqual(done.returncode, 0, done.stderr)
        [path] = (self.work / "one").glob("scanlab-*.whl")
        with zipfile.ZipFile(path) as wheel:
            labs = {name.split("/")[3] for name in wheel.namelist() if "/home/labs/" in name}
        self.assertEqual(labs, {"01-naive", "common"})


class Programs(unittest.TestCase):
    """elf.py, by programs of this machine."""

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)

    def compiled(self, source, *words):
        (self.work / "a.c").write_text(source)
        subprocess.run(["gcc", "-o", self.work / "a", self.work / "a.c", *words], check=True)
        return (self.work / "a").read_bytes()

    def mistakes(self, data, machine=os.uname().machine, glibc="99.0"):
        return list(elf.mistakes(data, machine, glibc))

    def test_what_runs_everywhere(self):
        data = self.compiled('#include <stdio.h>\nint main(void) { return puts("a") < 0; }\n')
        self.assertEqual(self.mistakes(data), [])
        self.assertGreater(elf.newest(data), (2,))

    def test_what_does_not(self):
        data = self.compiled("int main(void) { return 0; }\n", "-Wl,-rpath,/opt/own")
        self.assertIn("it looks for libraries in /opt/own", self.mistakes(data))
        [wrong] = set(re.sub(r"\d+\.[\d.]+", "N", line)
                      for line in self.mistakes(data, glibc="1.0")) - {
                          "it looks for libraries in /opt/own"}
        self.assertEqual(wrong, "it needs GLIBC_N of libc.so.N, newer than N"
                         if "libc.so.N" in wrong else wrong)
        self.assertIn(f"it is for {os.uname().machine}, not other",
                      self.mistakes(data, machine="other"))

    def test_another_library(self):
        self.compiled("int own(void) { return 0; }\n", "-shared", "-fPIC",
                      "-Wl,-soname,libown.so.1")
        (self.work / "a").rename(self.work / "libown.so")
        data = self.compiled("int own(void);\nint main(void) { return own(); }\n",
                             f"-L{self.work}", "-lown")
        self.assertEqual(self.mistakes(data), ["it needs libown.so.1"])

    def test_no_program(self):
        self.assertEqual(len(self.mistakes(b"#!/bin/sh\n")), 1)
        self.assertEqual(len(self.mistakes(b"\x7fELF\x02\x01" + bytes(20))), 1)


if __name__ == "__main__":
    unittest.main()
