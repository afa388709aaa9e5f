# SPDX-License-Identifier: MIT
"""vgpu_test.py ROOT BUILD: the wheel `vgpu` in a fresh environment with pytest: a test of
a program that races fails with the finding, one of a right program passes; PTX is
loaded and launched from Python, with findings, counts and model time. nightly."""
import pathlib
import subprocess
import sys
import tempfile

import fresh
import samples

ROOT, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:])
SOURCE = r"""
#include <cstdio>
extern "C" __global__ void reversed(int *x, int together) {
    int i = threadIdx.x, n = blockDim.x, taken = x[n - 1 - i];
    if (!together) __syncthreads();
    x[i] = taken;
}
int main(int argc, char **) {
    int *d, h[64];
    for (int i = 0; i < 64; i++) h[i] = i;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    reversed<<<1, 64>>>(d, argc > 1);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("%d\n", h[0]);
}
"""
TESTS = r"""
import pytest
import vgpu as module

def test_right(vgpu):
    report = vgpu(["./program"], check="all", clock="teach")
    assert (report.status, report.output, report.findings) == (0, "63\n", [])
    assert report.counts["launches"] == 1 and report.model_ns > 0
    assert report.launches[0].block == (64, 1, 1)

def test_wrong(vgpu): # fails
    vgpu(["./program", "x"], check="all")

def test_wrong_and_known(vgpu):
    report = vgpu(["./program", "x"], check="all", findings="allowed")
    assert {one.kind for one in report.findings} == {"global-race"}
    assert {one.line for one in report.findings} == {4, 6}

def test_no_program():
    with pytest.raises(module.NotRun):
        module.run(["./nonesuch"])

def test_ptx():
    with module.Device(clock="teach") as device:
        numbers = device.array([1, 2, 3, 4], "i4", name="numbers")
        kernel = device.load(open("program.ptx").read()).kernel("reversed")
        kernel.launch(1, 4, numbers, 0)
        assert numbers.tolist() == [4, 3, 2, 1]
        assert device.findings() == [] and device.counts()["launches"] == 1
        assert device.launches()[0]["modelPs"] > 0
        with pytest.raises(module.Error):
            kernel.launch(1, 8, numbers, 0)
        [one] = device.findings()
        assert one["kind"] == "out-of-bounds" and "numbers" in one["text"]
"""


def main():
    nvcc = (BUILD / "nvcc-path").read_text().strip()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder).resolve()
        wheel = fresh.build(ROOT, work / "out")["vgpu"]
        commands = fresh.environment(work / "env", wheel, "pytest")
        (work / "program.cu").write_text(SOURCE)
        (work / "test_program.py").write_text(TESTS)
        for words in (["-cudart", "shared", "-o", "program"], ["-ptx", "-o", "program.ptx"]):
            subprocess.run([nvcc, "-arch=compute_75", "-lineinfo", *words, "program.cu"],
                           cwd=work, check=True)
        done = fresh.run([commands / "pytest", "-q", "test_program.py"], cwd=work)
        print(done.stdout)
        assert done.returncode == 1, done.returncode
        assert "1 failed, 4 passed" in done.stdout, "one of five tests is wrong on purpose"
        assert "global-race in reversed" in done.stdout
        done = fresh.run([commands / "vgpu", "--racecheck", "./program", "x"], cwd=work)
        assert done.returncode == 86, done.stdout
        (work / "samples").mkdir()
        wrong = samples.check(commands / "vgpu", nvcc, work / "samples")
        assert not wrong, wrong


if __name__ == "__main__":
    main()
