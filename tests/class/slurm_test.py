# SPDX-License-Identifier: MIT
"""slurm_test.py SCANLAB OUT: `scanlab class --slurm` with a real Slurm of one
machine (own_slurm.py): the gradebook is that of a run without, byte by byte, also
when tasks are lost and when scanlab is killed; what Slurm refuses is no points."""
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import classroom
from classroom import OUT, ROOT, SCANLAB, fresh, gradebook, put, scanlab_class
import graded
import left
import own_slurm

N = 8


def hand_in():
    where, right = fresh("class"), fresh("right")
    shutil.copy(ROOT / "reference/cpu_scan.c", right)
    graded.handed_in(right)
    stub = (ROOT / "student/cpu_scan.c").read_bytes()
    put(where / "ann lee/cpu_scan.c", (right / "cpu_scan.c").read_bytes())
    put(where / "bo/cpu_scan.c", b"this is not C\n")
    put(where / "cy/notes.txt", b"I was ill.")
    put(where / "dan/cpu_scan.c", (ROOT / "tests/cheats/cpu-scan.forks.c").read_bytes())
    for number in range(4, N):
        put(where / f"s{number}/cpu_scan.c", stub + b"/* %d */\n" % number)


def books(out):
    return [(out / name).read_bytes() for name in ("gradebook.csv", "gradebook.sqlite3")]


class WithSlurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        left.adopt_orphans()
        hand_in()
        cls.slurm = own_slurm.Slurm()
        cls.addClassCleanup(cls.slurm.end)
        cls.words = [OUT / "class", "cpu-scan", "--seed", "5", "-o"]
        fresh("cache").chmod(0o700)
        cls.environment = cls.slurm.environment | {"SCANLAB_CACHE": str(OUT / "cache")}
        cls.undisturbed = fresh("undisturbed")
        done = scanlab_class(*cls.words, cls.undisturbed, env=cls.environment)
        assert done.returncode == 0, done.stderr

    def queued(self, state=""):
        return self.slurm.say("squeue", "-h", "-r", "-o", "%i %T", *(
            ["-t", state] if state else [])).split("\n")[:-1]

    @contextlib.contextmanager
    def run_of(self, out):
        with open(out.with_suffix(".said"), "w+", encoding="utf-8") as said:
            child = subprocess.Popen([SCANLAB, "class", *self.words, out, "--slurm"],
                                     env=self.environment, stdout=said, stderr=said)
            try:
                yield child
            finally:
                child.kill()
                child.wait()

    def wait_for(self, holds, seconds=120):
        latest = time.monotonic() + seconds
        while not (found := holds()):
            self.assertLess(time.monotonic(), latest, "it does not come")
            time.sleep(0.02)
        return found

    def check(self, out, status):
        self.assertEqual(status, 0, out.with_suffix(".said").read_text()[-3000:])
        self.assertEqual(books(out), books(self.undisturbed))
        self.assertEqual(self.queued(), [])
        self.wait_for(lambda: all(not words or words.startswith((b"munged", b"slurm"))
                                  for words in left.children().values()))

    def test_same(self):
        out = fresh("same")
        with self.run_of(out) as child:
            status = child.wait(400)
        self.check(out, status)
        for key in gradebook(out):
            self.assertEqual(sorted(os.listdir(out / "feedback" / key)),
                             sorted(os.listdir(self.undisturbed / "feedback" / key)))

    def test_a_shared_gpu(self):
        """kits/gpu.sh with a partition: of three that come at once one at a time has the GPU,
        and each one's exit status comes back."""
        log = fresh("gpu") / "log"
        one = f"echo begin >>{log}; sleep 1; echo end >>{log}; exit 7"
        several = [subprocess.Popen([ROOT / "kits/gpu.sh", "sh", "-c", one],
                                    env=self.environment | {"SCANLAB_PARTITION": "all"})
                   for _ in range(3)]
        self.assertEqual([child.wait(200) for child in several], [7, 7, 7])
        self.assertEqual(log.read_text(), "begin\nend\n" * 3)

    def test_lost_tasks(self):
        """One that never began, and one killed while it ran."""
        out = fresh("lost")
        with self.run_of(out) as child:
            running = self.wait_for(lambda: self.queued("R"))[0].split()[0]
            waits = self.wait_for(lambda: self.queued("PD"))[-1].split()[0]
            self.slurm.say("scancel", waits)
            self.slurm.say("scancel", "--signal=KILL", "--full", running)
            status = child.wait(400)
        self.check(out, status)

    def test_killed(self):
        """The next run ends the array that it has left, and keeps what that made."""
        out = fresh("killed")
        with self.run_of(out) as child:
            self.wait_for(lambda: (out / "slurm/done").is_dir() and
                          os.listdir(out / "slurm/done") or
                          (out / "feedback").is_dir() and os.listdir(out / "feedback"))
            child.send_signal(signal.SIGKILL)
            child.wait()
        with self.run_of(out) as child:
            status = child.wait(400)
        self.check(out, status)

    def test_interrupted(self):
        """^C takes its jobs out of the queue."""
        out = fresh("interrupted")
        with self.run_of(out) as child:
            self.wait_for(lambda: self.queued("R"))
            child.send_signal(signal.SIGINT)
            child.wait(60)
        self.wait_for(lambda: not self.queued(), 30)

    def test_always_lost(self):
        """Who makes Slurm kill his task has a fault, no points, and stops no one."""
        out, stop = fresh("always"), time.monotonic() + 300
        with self.run_of(out) as child:
            while child.poll() is None and time.monotonic() < stop:
                for row in self.queued():
                    index = row.split()[0]
                    if index.endswith("_0"):
                        self.slurm.say("scancel", index)
                time.sleep(0.05)
        book = gradebook(out)
        ann = next(key for key, row in book.items() if row["id"] == "ann lee")
        self.assertEqual(book[ann]["status"], "fault")
        self.assertEqual(book[ann]["score"], "")
        self.assertIn("Slurm lost the task", book[ann]["note"])
        undisturbed = gradebook(self.undisturbed)
        self.assertEqual({k: r for k, r in book.items() if k != ann},
                         {k: r for k, r in undisturbed.items() if k != ann})

    def test_refused(self):
        done = scanlab_class(*self.words, fresh("refused"), "--slurm",
                             env=self.environment | {"SBATCH_PARTITION": "none"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("ended early: sbatch: ", done.stderr)


if lacking := own_slurm.missing():
    print("SKIP: no", ", ".join(lacking), "here; tools/setup.sh slurm installs Slurm")
    sys.exit(77)
classroom.main()
