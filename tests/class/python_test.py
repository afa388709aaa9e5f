# SPDX-License-Identifier: MIT
"""python_test.py SCANLAB OUT: what fails of Python itself is no result of a class:
exit status 2 and a sentence, whichever status Python ends with. It is missing,
killed, ends by itself; a module cannot be read; there is no memory. And signals
reach it, it does not outlive scanlab, and an honest class is what it was."""
import fcntl
import os
import shutil
import signal
import subprocess
import threading
import unittest

import classroom
import asked
from classroom import OUT, ROOT, SCANLAB, fresh, put
import left

REAL = shutil.which("python3")
ALL = asked.everything()


class Python(unittest.TestCase):
    def setUp(self):
        self.dir = fresh("class")
        put(self.dir / "ann/cpu_scan.c")
        put(self.dir / "bo/cpu_scan.c")
        self.words = [SCANLAB, "class", self.dir, "cpu-scan", "--list", "-o", OUT / "out"]
        fresh("out").chmod(0o700)

    def run_with(self, script=None, words=None, **more):
        """A program in python3's place."""
        place = fresh("bin")
        if script is not None:
            put(place / "python3", "#!/bin/sh\n" + script)
            (place / "python3").chmod(0o755)
        environment = os.environ | {"PATH": str(place)} | more.pop("env", {})
        return subprocess.run(words or self.words, text=True, capture_output=True,
                              timeout=300, check=False, env=environment, **more)

    def is_trouble(self, done, *said):
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        last = done.stderr.strip().splitlines()[-1]
        self.assertRegex(last, r"^scanlab( class| stats)?: .{20}")
        for text in said:
            self.assertIn(text, done.stderr)

    def copy_of_tools(self):
        """A root whose programs may be spoiled."""
        root = fresh("root")
        for name in "labs", "student", "tools/class", "tools/stats", "grader/report/html", \
                "plots":
            shutil.copytree(ROOT / name, root / name, symlinks=True,
                            ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "tools/start.py", root / "tools")
        return root, {"env": {"SCANLAB_ROOT": str(root)}}

    def test_too_old(self):
        """Also what an old Python can still read is not begun."""
        done = self.run_with(f"exec {REAL} -c \"import runpy, sys; sys.version_info = (3, 8, 10)\n"
                             "while not sys.argv[0].endswith('start.py'): del sys.argv[0]\n"
                             "runpy.run_path(sys.argv[0], run_name='__main__')\" \"$@\"\n")
        self.is_trouble(done, "Python 3.8 is too old: 3.9 or newer is needed")

    def test_honest(self):
        done = subprocess.run(self.words, text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("ann", done.stdout)
        put(self.dir / "cy.zip", "no archive")
        self.assertEqual(subprocess.run(self.words, capture_output=True,
                                        check=False).returncode, 1)
        root, where = self.copy_of_tools()
        done = self.run_with(f'exec {REAL} "$@"', **where)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("ann", done.stdout)

    def test_not_there(self):
        self.is_trouble(self.run_with(), "there is no python3 that runs")
        place = fresh("bin")
        for name, data in ("gone", b"#!/no/such/program\n"), ("spoiled", b"\x7fELF"):
            with self.subTest(name):
                shutil.rmtree(place)
                put(place / "python3", data)
                (place / "python3").chmod(0o755)
                self.is_trouble(subprocess.run(
                    self.words, text=True, capture_output=True, check=False,
                    env=os.environ | {"PATH": str(place)}))

    def test_ends_by_itself(self):
        for status in (0, 1, 2, 3, 63, 67, 120, 126) if ALL else (0, 1, 67, 126):
            self.is_trouble(self.run_with(f"exit {status}"))
        for number in "KILL", "SEGV", "ABRT":
            self.is_trouble(self.run_with(f"kill -{number} $$"), "was killed")

    def test_module(self):
        """Each module in turn: gone, spoiled, or not to be read; at night all three."""
        root, where = self.copy_of_tools()
        modules = sorted((root / "tools/class").glob("*.py"))
        self.assertGreater(len(modules), 10)
        hows = "gone", "spoiled", "a folder"
        for n, module in enumerate(modules):
            kept = module.read_bytes()
            for how in hows if ALL else [hows[n % 3]]:
                module.unlink()
                if how == "spoiled":
                    module.write_bytes(kept[:len(kept) // 2] + b"\n  (")
                elif how == "a folder":
                    module.mkdir()
                done = self.run_with(f'exec {REAL} "$@"', **where)
                if module.name not in ("node.py", "unpack.py", "slurm.py") or \
                        done.returncode:
                    self.is_trouble(done)
                    self.assertNotIn("Traceback", done.stderr, module)
                if how == "a folder":
                    module.rmdir()
                module.write_bytes(kept)
        (root / "tools/start.py").unlink()
        self.is_trouble(self.run_with(f'exec {REAL} "$@"', **where))

    def test_stats(self):
        root, where = self.copy_of_tools()
        (root / "tools/stats/known.py").write_text("raise OSError(5, 'Input/output error')\n")
        done = self.run_with(f'exec {REAL} "$@"', [SCANLAB, "stats", OUT / "out"], **where)
        self.is_trouble(done, "Input/output error", "known.py:1")

    def test_memory(self):
        """So little that Python does not start, and so little that it does."""
        ends = set()
        for mib in (4, 8, 16, 24, 32, 40, 48, 64, 80) if ALL else (4, 16, 32, 64):
            done = self.run_with(f'ulimit -v {mib << 10}; exec {REAL} "$@"')
            ends.add(done.returncode)
            if done.returncode:
                self.is_trouble(done)
        self.assertIn(2, ends)

    def test_said_nothing(self):
        """What it says cannot be written."""
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(self.words, stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("No space left", done.stderr)

    # ---- signals ----

    def started(self, **options):
        """A class whose Python waits, and says so."""
        place = fresh("bin")
        put(place / "python3", f"#!/bin/sh\nexec {REAL} {place}/waits.py\n")
        (place / "python3").chmod(0o755)
        put(place / "waits.py", "import sys, time; sys.path.insert(0, "
            f"{str(classroom.TOOL)!r})\nimport grading\ngrading.end_by_signals()\n"
            "try:\n    print('waits', flush=True)\n    time.sleep(100)\nfinally:\n"
            "    print('tidies up', flush=True)\n")
        child = subprocess.Popen(
            self.words, stdout=subprocess.PIPE, text=True, start_new_session=True,
            env=os.environ | {"PATH": f"{place}:{os.environ['PATH']}"}, **options)
        self.assertEqual(child.stdout.readline(), "waits\n")
        return child

    def test_signals(self):
        left.adopt_orphans()
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            for whom in os.kill, os.killpg:  # by a program; by a terminal
                child = self.started()
                whom(child.pid, number)
                said = child.communicate(timeout=60)[0]
                self.assertEqual(said, "tidies up\n", number)
                self.assertIn(child.returncode, (-number, 128 + number, 128 + signal.SIGTERM))
                self.assertEqual(left.processes(), {})

    def test_killed(self):
        left.adopt_orphans()
        child = self.started()
        child.kill()
        self.assertEqual(child.communicate(timeout=60)[0], "", "Python, too")
        self.assertEqual(left.processes(), {})

    def test_in_use(self):
        """By one that stays, and by one that is about to go."""
        for seconds, status in (3000, 2), (1, 0):
            with open(OUT / "out/lock", "w", encoding="utf-8") as held:
                fcntl.flock(held, fcntl.LOCK_EX)
                timer = threading.Timer(seconds, fcntl.flock, (held, fcntl.LOCK_UN))
                timer.start()
                done = subprocess.run(self.words, text=True, capture_output=True,
                                      check=False)
                timer.cancel()
                timer.join()
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual("in use" in done.stderr, status == 2)


classroom.main()
