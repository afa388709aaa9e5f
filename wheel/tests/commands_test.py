# SPDX-License-Identifier: MIT
"""commands_test.py ROOT BUILD: what pip makes commands of, from an unpacked wheel with
the programs of an ordinary build: a course folder is made and graded, commands are
spelled as they are typed, a notebook's cells are graded (by an IPython that is none),
and where nothing is to be graded, that is said."""
import json
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
CALL = "import sys; sys.argv[0] = 'scanlab'; from scanlab.start import {0}; sys.exit({0}())"


class Unpacked(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp()).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.work)
        subprocess.run(["cmake", "--install", BUILD, "--component", "scanlab", "--prefix",
                        cls.work / "installed"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([ROOT / "wheel/make.py", cls.work / "out", "--programs",
                        cls.work / "installed/lib/scanlab", "cpu-scan", "naive"], check=True,
                       env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
                       capture_output=True)
        cls.packages = cls.work / "packages"
        for path in (cls.work / "out").glob("*.whl"):
            with zipfile.ZipFile(path) as wheel:
                wheel.extractall(cls.packages)
                for item in wheel.infolist(): # as pip does it
                    (cls.packages / item.filename).chmod(item.external_attr >> 16 & 0o777)
        sys.path.insert(0, str(cls.packages))
        cls.env = {name: value for name, value in os.environ.items()
                   if not name.startswith(("SCANLAB_", "XDG_", "PYTHON"))}
        cls.env |= {"PYTHONPATH": str(cls.packages), "HOME": str(cls.work),
                    "PYTHONDONTWRITEBYTECODE": "1"}

    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(dir=self.work))

    def call(self, *words, where=None, program="scanlab", **env):
        return subprocess.run([sys.executable, "-c", CALL.format(program), *words],
                              cwd=where or self.place, env={**self.env, **env}, text=True,
                              errors="replace", capture_output=True, check=False)

    def course(self):
        done = self.call("new", "my course")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.place / "my course"


class Commands(Unpacked):
    def test_new(self):
        course = self.course()
        self.assertEqual(sorted(path.name for path in course.iterdir()),
                         ["README.md", "docs", "labs", "student", "vgpu"])
        self.assertEqual(sorted(path.name for path in (course / "student").iterdir()),
                         ["cpu_scan.c", "naive.cu"])
        self.assertTrue(all(os.access(path, os.W_OK) for path in course.rglob("*")))
        for words in (["new", "my course"], ["new"], ["new", "-x"], ["new", "a", "b"]):
            self.assertEqual(self.call(*words).returncode, 2)
        self.assertEqual(self.call("new", "--help").returncode, 0)

    def test_grade(self):
        course = self.course()
        done = self.call("grade", "cpu-scan", where=course / "student")
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 1, said)
        self.assertRegex(said, r"hint +scanlab hint cpu-scan inclusive\n")
        self.assertNotIn("packages", said)
        cache = self.work / ".cache/scanlab/submissions"
        self.assertTrue(cache.is_dir(), "what is compiled is kept in the user's cache")

    def test_reproduce(self):
        course = self.course()
        source = course / "student/cpu_scan.c"
        source.write_text(re.sub(r"SCANLAB_TODO\w*\([^;]*\);|return \w*TODO\w*[^;]*;", "",
                                 source.read_text()))
        done = self.call("grade", "cpu-scan", "-f", "json", where=course)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        grade = json.loads(done.stdout)
        commands = [check["reproduce"] for lab in grade["labs"] for check in lab["checks"]
                    if check.get("reproduce")]
        self.assertTrue(commands, "nothing failed")
        for command in commands:
            self.assertTrue(command.startswith("scanlab grade cpu-scan "), command)

    def test_no_course(self):
        for words in (["grade", "naive"], ["watch", "naive"], ["trace", "naive"], ["progress"]):
            done = self.call(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn("`scanlab new DIR`", done.stderr)
        self.assertEqual(self.call("grade", "--help").returncode, 0)
        self.assertEqual(self.call("list").returncode, 0)

    def test_what_a_wheel_lacks(self):
        for words, why in ((["watch", "naive", "--serve"], "no server"),
                           (["watch", "naive", "--serve=8000"], "html=report.html"),
                           (["bench", "naive"], "scanlab bench --clock")):
            done = self.call(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(why, done.stderr)
            self.assertNotIn("apt-get", done.stderr)
        self.assertEqual(self.call("watch", "--serve", "--help").returncode, 0)
        self.assertNotIn("a wheel has", self.call("bench", "naive", "--clock").stderr)

    def test_help(self):
        done = self.call("--help")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"(?s)hint LAB.*new DIR")

    def test_a_class(self):
        course = self.course()
        (self.place / "in/ann").mkdir(parents=True)
        shutil.copy(course / "student/cpu_scan.c", self.place / "in/ann")
        done = self.call("class", "../in", "cpu-scan", "-o", "../out", where=course)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        text = "".join(path.read_text() for path in (self.place / "out/feedback").rglob("*.txt"))
        self.assertNotIn("build/bin", text)

    def test_without_compilers(self):
        """As where the system has no gcc: exit status 2, and what to type."""
        course = self.course()
        done = self.call("grade", "cpu-scan", where=course, PATH=str(self.place))
        self.assertEqual(done.returncode, 2)
        self.assertIn("no C compiler", done.stderr)

    def test_vgpu(self):
        done = self.call("--version", program="vgpu")
        self.assertEqual(done.returncode, 0, done.stderr)


class Notebook(Unpacked):
    def setUp(self):
        super().setUp()
        self.before = os.getcwd()
        os.chdir(self.place)
        self.addCleanup(os.chdir, self.before)
        kept = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(kept)))
        os.environ.clear()
        os.environ.update(self.env)
        from scanlab import notebook
        self.notebook = notebook
        self.shown = []
        notebook.show = lambda text, page: self.shown.append((text, page))

    def test_cell(self):
        class Shell:
            def register_magic_function(self, function, kind, name):
                self.magic, self.kind, self.name = function, kind, name

        import scanlab
        shell = Shell()
        scanlab.load_ipython_extension(shell)
        self.assertEqual((shell.kind, shell.name), ("line_cell", "scanlab"))
        stub = (ROOT / "student/cpu_scan.c").read_text()
        shell.magic("0 --seed 5", stub)
        text, page = self.shown.pop()
        self.assertIn("TODO  inclusive", text)
        self.assertIn("%scanlab hint cpu-scan inclusive", text)
        self.assertIn("</html>", page)
        self.assertEqual((self.place / "scanlab-cells/cpu_scan.c").read_text(), stub)
        frame = self.notebook.frame(page)
        self.assertRegex(frame, r'^<iframe srcdoc="&lt;!DOCTYPE[^"]*" sandbox="allow-scripts"')

    def test_lines(self):
        self.notebook.magic("hint cpu-scan 2")
        text, page = self.shown.pop()
        self.assertIn("next: %scanlab hint cpu-scan 3", text)
        self.assertIsNone(page)
        for line, cell in (("", "x"), ("nonesuch", "x")):
            self.notebook.magic(line, cell)
        self.assertIn("there is no lab 'nonesuch'; there are cpu-scan naive", self.shown.pop()[0])
        self.assertIn("%%scanlab LAB", self.shown.pop()[0])
        self.assertFalse((self.place / "scanlab-cells").exists())

    def test_a_cell_that_does_not_compile(self):
        self.notebook.magic("cpu-scan", "int cpu_inclusive_scan(")
        text, _ = self.shown.pop()
        self.assertIn("cpu_scan.c:1", text)


class Handouts(unittest.TestCase):
    def test_notebooks(self):
        with tempfile.TemporaryDirectory() as place:
            done = subprocess.run([ROOT / "wheel/notebooks.py", place, "naive", "3"], text=True,
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(path.name for path in pathlib.Path(place).iterdir()),
                             ["01-naive.ipynb", "03-bank-conflicts.ipynb"])
            book = json.loads((pathlib.Path(place) / "01-naive.ipynb").read_text())
        self.assertEqual((book["nbformat"], book["nbformat_minor"]), (4, 5))
        cells = book["cells"]
        self.assertEqual(len({cell["id"] for cell in cells}), len(cells))
        codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        self.assertEqual(codes[0], "%load_ext scanlab")
        self.assertEqual(codes[1], "%%scanlab naive\n" +
                         (ROOT / "student/naive.cu").read_text().rstrip())
        pictures = [name for cell in cells for name in cell.get("attachments", {})]
        self.assertIn("naive-steps.svg", pictures)
        for cell in cells:
            for target in re.findall(r"\]\(([^)\s]+)\)", "".join(cell["source"]))\
                    if cell["cell_type"] == "markdown" else []:
                self.assertRegex(target, r"^https?:|^attachment:")


if __name__ == "__main__":
    unittest.main()
