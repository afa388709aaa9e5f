# SPDX-License-Identifier: MIT
"""jobs_test.py SCANLAB OUT: as a client of GNU make's job server: never more
than make allows, every token given back, and what stands where there is none;
where there is no Slurm."""
import os
import shutil
import subprocess
import sys
import unittest

import classroom
from classroom import OUT, TOOL, fresh, gradebook, put, scanlab_class
from jobs import Jobs


class Tokens(unittest.TestCase):
    def pipe(self, tokens):
        ends = os.pipe()
        for fd in ends:
            self.addCleanup(os.close, fd)
        os.write(ends[1], tokens)
        return ends

    def test_pipe(self):
        ends = self.pipe(b"ab")
        jobs = Jobs(None, f" -j3 --jobserver-auth={ends[0]},{ends[1]}")
        self.assertEqual([jobs.take() for _ in range(5)], [True] * 3 + [False] * 2)
        jobs.give()
        self.assertTrue(jobs.take())
        for _ in range(3):
            jobs.give()
        os.set_blocking(ends[0], False)
        self.assertEqual(sorted(os.read(ends[0], 9)), sorted(b"ab"), "the same ones")

    def test_ours_does_not_make_others_wait_or_not(self):
        """The pipe is make's: whether it blocks stays as it was."""
        ends = self.pipe(b"")
        jobs = Jobs(None, f"--jobserver-fds={ends[0]},{ends[1]} -j")
        self.assertEqual([jobs.take(), jobs.take()], [True, False])
        self.assertTrue(os.get_blocking(ends[0]))

    def test_named_pipe(self):
        fifo = fresh("fifo") / "tokens"
        os.mkfifo(fifo)
        held = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, held)
        os.write(held, b"+")
        jobs = Jobs(8, f" -j2 --jobserver-auth=fifo:{fifo}")
        self.assertEqual([jobs.take() for _ in range(3)], [True, True, False])

    def test_limit_of_both(self):
        ends = self.pipe(b"abcdef")
        jobs = Jobs(2, f"--jobserver-auth={ends[0]},{ends[1]}")
        self.assertEqual([jobs.take() for _ in range(3)], [True, True, False])
        self.assertEqual(len(os.read(ends[0], 9)), 5)

    def test_without(self):
        self.assertEqual(Jobs(None, "").most, len(os.sched_getaffinity(0)))
        self.assertEqual(Jobs(7, "-k").most, 7)

    def test_closed(self):
        jobs = Jobs(None, " -j3 --jobserver-auth=198,199")
        self.assertEqual((jobs.most, bool(jobs.note)), (1, True))
        ordinary = os.open(OUT / "x", os.O_RDWR | os.O_CREAT)
        self.addCleanup(os.close, ordinary)
        self.assertTrue(Jobs(None, f"--jobserver-auth={ordinary},{ordinary}").note)


class Make(unittest.TestCase):
    PROGRAM = (f"import sys, os; sys.path.insert(0, {str(TOOL)!r}); from jobs import Jobs; "
               "j = Jobs(None, os.environ.get('MAKEFLAGS', '')); "
               "print(sum(j.take() for _ in range(9)), bool(j.note)); "
               "[j.give() for _ in range(j.running)]")

    def make(self, plus, *words):
        folder = fresh("make")
        put(folder / "program.py", self.PROGRAM)
        put(folder / "Makefile", f"all:\n\t{plus}@{sys.executable} -I program.py\n")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
        return subprocess.run(["make", "-s", *words], cwd=folder, env=environment,
                              check=True, text=True, capture_output=True).stdout.strip()

    def test_make(self):
        self.assertEqual(self.make("+", "-j4"), "4 False")
        self.assertEqual(self.make("+", "-j1"), f"{min(9, len(os.sched_getaffinity(0)))} False")

    def test_recipe_that_make_does_not_share_with(self):
        self.assertIn(self.make("", "-j4"), ("1 True", "4 False"))  # make 4.4 has a fifo


class WithoutSlurm(unittest.TestCase):
    def test_no_slurm(self):
        """Nobody has points of it, and the message says what is missing."""
        where, out, programs = fresh("no-slurm"), fresh("no-slurm.out"), fresh("programs")
        put(where / "ann/cpu_scan.c")
        for name in "python3", "cc":
            (programs / name).symlink_to(shutil.which(name))
        done = scanlab_class(where, "cpu-scan", "-o", out, "--slurm",
                             env=os.environ | {"PATH": str(programs)})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("ended early: there is no sbatch here", done.stderr)
        self.assertEqual(gradebook(out)["ann"]["status"], "fault")


OUT.mkdir(parents=True, exist_ok=True)
classroom.main()
