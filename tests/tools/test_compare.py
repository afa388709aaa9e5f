# SPDX-License-Identifier: MIT
"""tools/compare-builds sees differences, and compiles the same thing once;
tools/compare-speed fails where one is slower.

    test_compare.py ROOT [BUILD]      with BUILD: grades a CUDA lab, too
"""
import gzip
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
BUILD = sys.argv.pop(1) if sys.argv[1:] else None
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools/compare"))
from compiler import compile_once  # noqa: E402
from difference import Explained, comparable, differences  # noqa: E402

NVCC = """#!/bin/sh
echo run >>"$RUNS"
[ "$1" != --broken ] || { echo "$PWD/a.cu: no"; exit 3; }
cat a.cu >program
"""
BENCH = """#!/bin/sh
while [ $# -gt 1 ]; do
    case $1 in --kernel) kernel=$2 ;; --engine) mode=$2 ;; -o) out=$2 ;; esac
    shift
done
time=1.0
[ $kernel != lookback ] || [ $mode != judged ] || time=TIME
printf 'name,engine,cpu_s_min\\n%s,%s,%s\\n' $kernel $mode $time >$out
"""


class Differences(unittest.TestCase):
    def test_a_verdict(self):
        before = {"seconds": 1, "checks": [{"id": "tiny", "status": "pass"}]}
        after = {"seconds": 2, "checks": [{"id": "tiny", "status": "fail"}]}
        self.assertEqual(list(differences(before, before)), [])
        self.assertEqual(list(differences(before, after)),
                         [("/checks/tiny/status", '"pass" -> "fail"')])

    def test_a_line_more_and_a_count(self):
        before = {"lines": [{"file": "a.cu", "line": 3, "reads": 1}]}
        after = {"lines": [{"file": "a.cu", "line": 2, "reads": 1},
                           {"file": "a.cu", "line": 3, "reads": 4}]}
        self.assertEqual([path for path, _ in differences(before, after)],
                         ["/lines/a.cu:3/reads", "/lines/a.cu:2"])

    def test_a_later_schema_may_say_more(self):
        before = {"schema": "v1", "checks": [{"id": "tiny", "score": 1}]}
        after = {"schema": "v2", "machine": {},
                 "checks": [{"id": "tiny", "score": 1, "n": 5}, {"id": "x"}]}
        self.assertEqual([path for path, _ in differences(before, after)],
                         ["/schema", "/checks/x"])
        after["schema"] = "v1"
        self.assertEqual(len(list(differences(before, after))), 3)

    def test_lines_of_output(self):
        self.assertEqual(list(differences("a\nb\n", "a\nc\n", "/stdout")),
                         [("/stdout", "-b / +c")])

    def test_two_runs_that_may_differ(self):
        step = {"exit": 0, "stdout": "", "report": "1"}
        other = dict(step, report="2")
        self.assertEqual(comparable(step, True), comparable(other, True))
        self.assertNotEqual(comparable(step, False), comparable(other, False))

    def test_explained(self):
        with tempfile.TemporaryDirectory() as work:
            path = Path(work, "explained")
            path.write_text("# comment\n^grade.*/read: => moved pages\n")
            explained = Explained(path)
            self.assertEqual(explained.reason("grade.x /read: a -> b"),
                             "moved pages")
            self.assertIsNone(explained.reason("grade.x /status: a -> b"))


class Compiler(unittest.TestCase):
    def compile(self, work, folder, *words):
        cwd = Path(work, folder)
        cwd.mkdir(exist_ok=True)
        (cwd / "a.cu").write_text("int a;\n")
        done = compile_once(Path(work, "cache"), str(Path(work, "nvcc")),
                            [*words, "-o", "program", "a.cu"], cwd)
        return cwd, done

    def test_once_for_two_folders(self):
        with tempfile.TemporaryDirectory() as work:
            nvcc = Path(work, "nvcc")
            nvcc.write_text(NVCC.replace("$RUNS", f"{work}/runs"))
            nvcc.chmod(0o755)
            self.compile(work, "one")
            two, (status, _, _) = self.compile(work, "two")
            self.assertEqual(status, 0)
            self.assertEqual((two / "program").read_text(), "int a;\n")
            self.assertEqual(Path(work, "runs").read_text(), "run\n")
            self.compile(work, "one", "--broken")
            _, (status, said, _) = self.compile(work, "two", "--broken")
            self.assertEqual((status, said), (3, f"{two}/a.cu: no\n"))
            self.assertEqual(Path(work, "runs").read_text(), "run\nrun\n")


class Command(unittest.TestCase):
    def test_a_folder_that_is_no_build(self):
        done = subprocess.run([ROOT / "tools/compare-builds", "/", "/"],
                              capture_output=True, text=True)
        self.assertIn("is no build folder", done.stderr)

    @unittest.skipUnless(BUILD, "nothing is built")
    def test_cuda_is_compiled_and_graded(self):
        with tempfile.TemporaryDirectory() as work:
            done = subprocess.run(
                [ROOT / "tools/compare-builds", BUILD, BUILD, "--cache", work,
                 "-f", r"^grade\.(reference|stub)\.naive\.1$"],
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done)
            self.assertIn("2 cases: 2 the same", done.stdout)
            scores = []
            for kept in Path(work, "results").iterdir():
                result = json.loads(gzip.decompress(kept.read_bytes()))
                report = json.loads(result["grade"]["report"])
                scores.append(report["score"])
                self.assertIsNone(report["labs"][0]["build_error"])
            self.assertEqual(sorted(scores), [0, 100])

    def speeds(self, before, after):
        with tempfile.TemporaryDirectory() as work:
            for name, time in (("before", before), ("after", after)):
                for part in ("bin/bench_vgpu", "bench/vgpu/kernels.ptx",
                             "bench/vgpu/module.ptx", "bench/vgpu/launch"):
                    path = Path(work, name, part)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(BENCH.replace("TIME", time))
                    path.chmod(0o755)
            return subprocess.run(
                [ROOT / "tools/compare-speed", "--mode", "judged", "--pairs",
                 "1", "--most", "2", f"{work}/before", f"{work}/after"],
                capture_output=True, text=True)

    def test_speed(self):
        same = self.speeds("1.0", "1.02")
        self.assertEqual(same.returncode, 0, same)
        slow = self.speeds("1.0", "1.04")
        self.assertEqual(slow.returncode, 1, slow)
        self.assertIn("lookback judged: 1.040", slow.stdout)


if __name__ == "__main__":
    unittest.main()
