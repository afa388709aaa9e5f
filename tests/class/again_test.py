# SPDX-License-Identifier: MIT
"""again_test.py SCANLAB OUT: an OUT that is another class's, or has other labs; a run that was
cut; a folder that is no class; --accept in vain. Nothing is lost, and nothing is unsaid."""
import shutil
import subprocess
import unittest

import classroom
from classroom import OUT, ROOT, SCANLAB, fresh, gradebook, put, scanlab_class

SCAN, NAIVE = (ROOT / "student/cpu_scan.c").read_text(), (ROOT / "student/naive.cu").read_text()


class Again(unittest.TestCase):
    def setUp(self):
        self.dir, self.out = fresh("class"), fresh("out")
        for n, who in enumerate(("ann", "bo", "cy"), 1):
            put(self.dir / f"{who}lee_{n}_{n}_cpu_scan.c", SCAN)

    def run_class(self, *words, status=0, where=None, labs=("cpu-scan",)):
        done = scanlab_class(str(where or self.dir), *labs, "-o", str(self.out), "--seed", "1", *words)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def scanlab(self, command, status):
        done = subprocess.run([SCANLAB, command, self.out], text=True, capture_output=True,
                              check=False, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr

    def test_another_class(self):
        self.run_class()
        before = {p: p.read_bytes() for p in self.out.rglob("*") if p.is_file()}
        # Fewer labs, other labs, other students: refused, and nothing is changed.
        said = self.run_class(status=2, labs=("naive",))
        self.assertIn("has the results of cpu-scan, which this run does not grade", said)
        put(OUT / "other/dilee_9_9_cpu_scan.c", SCAN)
        said = self.run_class(status=2, where=OUT / "other")
        self.assertIn("another class, 3 submissions, of which none is in DIR", said)
        self.run_class("--list", status=2, where=OUT / "other")
        self.assertEqual({p: p.read_bytes() for p in self.out.rglob("*") if p.is_file()}, before)
        # A lab more; one student less, which is said.
        (self.dir / "cylee_3_3_cpu_scan.c").unlink()
        said = self.run_class(labs=("cpu-scan", "naive"))
        self.assertIn("in the last run, and not in DIR any more, so without row and feedback: 1 sub", said)
        self.assertIn("cylee_3", said)
        self.assertEqual(list(gradebook(self.out)), ["annlee_1", "bolee_2"])
        self.assertNotIn("last run", self.run_class(labs=("cpu-scan", "naive")))
        # As the message says.
        (self.out / "gradebook.sqlite3").unlink()
        self.run_class(where=OUT / "other")
        self.assertEqual(list(gradebook(self.out)), ["dilee_9"])
        shutil.rmtree(OUT / "other")

    def test_cut(self):
        """The gradebook is that of the run before one that did not end: it says so."""
        put(self.out / "unfinished", "")
        self.assertIn("has not finished", self.scanlab("gradebook", 2))
        self.run_class()
        self.assertFalse((self.out / "unfinished").exists())
        self.assertEqual(self.scanlab("gradebook", 0), "")
        put(self.dir / "dilee_4_4_cpu_scan.c", SCAN)
        process = subprocess.Popen([SCANLAB, "class", self.dir, "cpu-scan", "-o", self.out, "--again"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not (self.out / "unfinished").exists():
            pass
        process.terminate()
        process.wait()
        self.assertIn("has not finished", self.scanlab("gradebook", 1))
        self.run_class()
        self.assertEqual(self.scanlab("gradebook", 0), "")
        # A list changes no results; one in vain, either.
        self.run_class("--list")
        self.run_class("--accept", "zed", status=2)
        self.assertEqual(self.scanlab("gradebook", 0), "")

    def test_folders(self):
        around = fresh("around")
        shutil.copytree(self.dir, around / "submissions")
        put(around / "gradebook.csv", "x")
        said = self.run_class(status=2, where=around)
        self.assertIn("the class lies in submissions, by the names of 3 students there", said)
        self.run_class()
        said = scanlab_class(str(self.out), "cpu-scan", "-o", str(OUT / "o2"))
        self.assertEqual(said.returncode, 2)
        self.assertIn("DIR is an OUT of scanlab class", said.stderr)
        # A student's folder may have anything in it, where others are there.
        put(around / "zoe/cpu_scan.c", SCAN)
        done = scanlab_class(str(around), "cpu-scan", "--list", "-o", str(OUT / "o3"))
        self.assertIn("zoe: zoe (folder)", done.stdout)

    def test_accept_in_vain(self):
        put(self.dir / "weissmax_1006_7_last.cpp", NAIVE)
        labs = {"labs": ("cpu-scan", "naive"), "status": 2}
        for words, said in (("weissmx_1006", "there is no such submission; did you mean weissmax_1006?"),
                            ("1006", "did you mean weissmax_1006?"),
                            ("weissmax", "did you mean weissmax_1006?"),
                            ("weissmax_1006=naive.cpp", "there is last.cpp"),
                            ("zzzzzz", "there is no such submission\n")):
            self.assertIn(said, self.run_class("--accept", words, **labs))
        labs["status"] = 1
        self.assertIn("note: --accept annlee_1: nothing of it", self.run_class(
            "--accept", "annlee_1", "--list", **labs))
        labs["status"] = 0
        for words in "weissmax_1006=last.cpp", "weissmax_1006", "all":
            self.assertNotIn("note: --accept", self.run_class("--accept", words, "--list", **labs))


if __name__ == "__main__":
    classroom.main()
