#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_device.py LIBRARY EXAMPLE NVCC: vgpu.device as a test would use it: what a kernel
computes, what is found in a wrong one, and what a slip is told."""
import array
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import vgpu  # noqa: E402
from vgpu import device  # noqa: E402

CALLS = DOUBLE = RACE = None
SOURCE = """__global__ void sums(const int *in, int *out, unsigned n, float by) {
    __shared__ int cells[64];
    cells[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;
    if (threadIdx.x < n) out[threadIdx.x] = (int)(by * cells[63 - threadIdx.x]);
}
"""


def gpu(**options):
    return vgpu.Device(calls=CALLS, **options)


class Use(unittest.TestCase):
    def test_a_kernel_computes_and_is_counted(self):
        with gpu() as d:
            out = d.zeros(8, "i4", name="d_out")
            d.load(DOUBLE).kernel("double_index").launch(2, 4, out)
            self.assertEqual(out.tolist(), [0, 2, 4, 6, 8, 10, 12, 14])
            self.assertEqual(d.findings(), [])
            self.assertEqual(d.counts()["thread_instructions"], 80)
            self.assertEqual(d.launches()[0]["grid"], [2, 1, 1])

    def test_a_race_is_found_at_its_line(self):
        with gpu(schedule="reverse") as d:
            into, out = d.array(range(64), "i4"), d.zeros(64, "i4")
            d.load(RACE).kernel("sums").launch(1, 64, into, out, 64, 0.5)
            found = d.findings()
            self.assertEqual({f["kind"] for f in found}, {"shared-race", "uninitialised-read"})
            self.assertEqual({f["line"] for f in found}, {3, 4})

    def test_arguments_of_each_kind(self):
        with gpu(checks="none", schedule="reverse", contents="zeros") as d:
            kernel = d.load(RACE).kernel("sums")
            into, out = d.array(array.array("i", [6] * 64), "i4"), d.empty(64, "i4")
            kernel.launch([1], (64, 1, 1), into.address, out, 64, 1.5)
            self.assertEqual(out.tolist()[:32], [9] * 32)
            out.write([1, 2])
            out.fill(255)
            self.assertEqual(set(out.tolist()), {-1})

    def test_model_time_is_the_same_each_time(self):
        times = set()
        for _ in range(2):
            with gpu(clock="h200", profile="h200", why=True) as d:
                d.load(DOUBLE).kernel("double_index").launch(2, 4, d.zeros(8, "i4"))
                times.add(d.launches()[0]["modelPs"])
                self.assertIn("launch", d.model()["path"])
        self.assertEqual(len(times), 1)
        self.assertGreater(times.pop(), 0)

    def test_after_a_fault_every_launch_says_so(self):
        with gpu() as d:
            kernel = d.load(DOUBLE).kernel("double_index")
            for _ in range(2):
                with self.assertRaisesRegex(vgpu.Error, "no device memory"):
                    kernel.launch(1, 4, 0)
            self.assertEqual(d.findings()[0]["kind"], "out-of-bounds")


class Slips(unittest.TestCase):
    def told(self, words, call, *arguments, **options):
        with self.assertRaisesRegex(vgpu.Error, words):
            call(*arguments, **options)

    def test_options(self):
        self.told("schedule cannot be 'sideways'", gpu, schedule="sideways")
        self.told("no option colour: one of schedule", gpu, colour=1)
        self.told("no such profile or clock", gpu, profile="gtx9")

    def test_launches(self):
        with gpu() as d:
            self.told("expected '.version'", d.load, "rubbish")
            module = d.load(RACE)
            self.told("no kernel called 'sum': _Z4sums", module.kernel, "sum")
            kernel = module.kernel("sums")
            self.told("has 4 parameters, not 1", kernel.launch, 1, 64, 0)
            self.told("parameter 2 has 4 bytes, too few", kernel.launch, 1, 64, 0, 0, 2**33, 0.0)
            self.told("one to three numbers", kernel.launch, (1, 1, 1, 1), 64, 0, 0, 0, 0.0)
            self.told("grid|block", kernel.launch, 0, 64, 0, 0, 0, 0.0)

    def test_memory(self):
        with gpu(memory_bytes=1 << 20) as d:
            self.told("cannot allocate 4194304 bytes", d.zeros, 1 << 20, "i4")
            self.told("no type 'int': one of i1", d.zeros, 4, "int")
            self.told("i1: ", d.array, [1000], "i1")
            self.told("8 bytes for an array of 4", d.zeros(1, "i4").write, [1, 2])
            self.told("not the start of a live allocation", d.call, "free", 12345)
        self.told("is closed", d.zeros, 1, "i4")


def main():
    global CALLS, DOUBLE, RACE
    library, example, nvcc = sys.argv[1:]
    CALLS = device.library(library)
    DOUBLE = (pathlib.Path(example) / "double.ptx").read_text()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "sums.cu"
        source.write_text(SOURCE)
        subprocess.run([nvcc, "-ptx", "-lineinfo", "-arch=compute_75", "-o",
                        f"{folder}/sums.ptx", source], check=True)
        RACE = (pathlib.Path(folder) / "sums.ptx").read_text()
    unittest.main(argv=sys.argv[:1])


main()
