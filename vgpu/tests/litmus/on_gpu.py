#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The litmus tests on a GPU, and what it shows against the virtual one.

usage: on_gpu.py run PTX TABLE [SECONDS]    on the GPU: the kernels of a folder
       on_gpu.py compare TABLE VGPU CASES [RUNS]   anywhere

`vgpu litmus --ptx PTX CASES` writes the kernels; `run` needs the driver alone
(libcuda.so.1), takes SECONDS (90) for all of them, and writes lines
TEST,COUNT,OUTCOME. A kernel that does not end (some tests wait for ever on
purpose) is given up after half a minute: TEST,0,no end. `compare` exits with 1
when the GPU has shown an outcome that a test's file does not allow, or that the
virtual GPU does not show and the file does not list as unseen, in RUNS (20000)
runs or, where that is too few, in 15 times as many. It looks for the tests in
all of CASES; a name that several files have is left out, and said.
"""
import array
import collections
import ctypes
import glob
import itertools
import os
import random
import re
import select
import signal
import subprocess
import sys
import time

RUNS = 1 << 14  # instances of a test in one launch
PATIENCE = 30  # seconds beyond its share until a kernel is given up
WORDS, APART, THREADS, REGISTERS = 32, 32, 16, 32  # litmus.h, in words


def words(pattern, times):
    """An array of 32-bit words for the driver: the pattern, again and again."""
    bytes_ = bytearray(array.array("i", pattern).tobytes() * times)
    return (ctypes.c_int32 * (len(bytes_) // 4)).from_buffer(bytes_)


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), device)
        self.call("cuCtxSetCurrent", self.context)

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status:
            sys.exit(f"{name}: CUDA error {status}")

    def allocate(self, words):
        at = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(4 * words))
        return at

    def kernel(self, text):
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), text.encode() + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(kernel), module, b"litmus")
        return kernel

    def write(self, to, source):
        self.call("cuMemcpyHtoD_v2", to, source, ctypes.c_size_t(ctypes.sizeof(source)))

    def read(self, to, source):
        self.call("cuMemcpyDtoH_v2", to, source, ctypes.c_size_t(ctypes.sizeof(to)))

    def launch(self, kernel, blocks, threads, arguments):
        pointers = (ctypes.c_void_p * len(arguments))(
            *(ctypes.cast(ctypes.pointer(a), ctypes.c_void_p) for a in arguments))
        self.call("cuLaunchKernel", kernel, blocks, 1, 1, threads, 1, 1, 0, None,
                  pointers, None)
        self.call("cuCtxSynchronize")


class Test:
    def __init__(self, path):
        with open(path) as file:
            self.text = file.read()
        self.name = os.path.basename(path)[:-len(".ptx")]
        shape = re.search(r"^// blocks (\d+) warps (\d+)$", self.text, re.M)
        self.blocks, self.warps = (int(n) for n in shape.groups())
        self.first = [int(n) for n in re.findall(r"^// word \d+ (-?\d+)$", self.text, re.M)]
        self.observed = [(name, register == "1", int(at)) for name, register, at in
                         re.findall(r"^// observe (\S+) ([01]) (\d+)$", self.text, re.M)]

    def run(self, driver, buffers, until):
        memory, results, waits = buffers
        kernel, counts = driver.kernel(self.text), collections.Counter()
        one = [0] * (WORDS * APART)
        for k, value in enumerate(self.first):
            one[k * APART] = value
        template = words(one, RUNS)
        ends, values = words(one, RUNS), words([0] * THREADS * REGISTERS, RUNS)
        for launch in itertools.count():
            longest = 0 if not launch else 1 << launch % 12
            delays = [random.randrange(longest + 1) for _ in range(8192)]
            driver.write(memory, template)
            driver.write(waits, words(delays, RUNS * THREADS // len(delays)))
            driver.launch(kernel, RUNS * self.blocks, 32 * self.warps, buffers)
            driver.read(ends, memory)
            driver.read(values, results)
            columns = []
            for _, register, at in self.observed:
                columns.append(values[at::THREADS * REGISTERS] if register
                               else ends[at * APART::WORDS * APART])
            counts.update(zip(*columns))
            if time.time() > until:
                break
        return counts


def work(paths, table, seconds, done):
    """Runs the tests in turn; says after each, through the pipe, that it has."""
    driver = Driver()
    buffers = [driver.allocate(RUNS * n) for n in
               (WORDS * APART, THREADS * REGISTERS, THREADS)]
    begin = time.time()
    with open(table, "a") as out:
        for k, path in enumerate(paths):
            test = Test(path)
            counts = test.run(driver, buffers, begin + seconds * (k + 1))
            for values, n in counts.most_common():
                ends = " ".join(f"{o[0]}={v}" for o, v in zip(test.observed, values))
                out.write(f"{test.name},{n},{ends}\n")
            out.flush()
            os.write(done, b".")


def run(folder, table, seconds="90"):
    paths = sorted(glob.glob(os.path.join(folder, "*.ptx")))
    open(table, "w").close()
    share = float(seconds) / max(1, len(paths))
    while paths:
        ready, done = os.pipe()
        worker = os.fork()
        if not worker:
            os.close(ready)
            work(paths, table, share, done)
            os._exit(0)
        os.close(done)
        said = b"."
        while said and select.select([ready], [], [], share + PATIENCE)[0]:
            said = os.read(ready, 1)
            paths = paths[len(said):]
        os.close(ready)
        os.kill(worker, signal.SIGKILL)
        if os.waitpid(worker, 0)[1] not in (0, signal.SIGKILL):
            return 1  # it has said why
        if said and paths:  # a kernel dies with its process: the next has a new one
            with open(table, "a") as out:
                out.write(f"{os.path.basename(paths[0])[:-len('.ptx')]},0,no end\n")
            paths = paths[1:]
    return 0


def files(cases):
    """Every test's file by the name in its first line; None: several have it."""
    found = {}
    for path in sorted(glob.glob(os.path.join(cases, "**", "*.litmus"), recursive=True)):
        with open(path) as file:
            name = file.readline().split()[1]
        found[name] = None if name in found else path
    return found


def shown(vgpu, path, runs):
    done = subprocess.run([vgpu, "litmus", "-n", str(runs), path],
                          stdout=subprocess.PIPE, text=True, check=False)
    return {frozenset(m.group(1).split()) for m in
            re.finditer(r"^ +[1-9]\d* [* ] (\S.*?)(?:  not allowed)?$", done.stdout, re.M)}


def listed(path, key):
    with open(path) as file:
        lists = re.findall(rf"^{key}=(.*)$", file.read(), re.M)
    return {frozenset(o.split()) for line in lists for o in line.split(";")}


def here_too(vgpu, path, ends, runs):
    """What the virtual GPU shows; more runs where it has not shown all of ends."""
    here = listed(path, "Unseen")
    for times in (1, 15):
        if not ends <= here:
            here |= shown(vgpu, path, times * runs)
    return here


def compare(table, vgpu, cases, runs="20000"):
    of_gpu = collections.defaultdict(dict)
    with open(table) as file:
        for line in file:
            name, n, ends = line.rstrip("\n").split(",")
            of_gpu[name][frozenset(ends.split())] = int(n)
    wrong, compared, where = 0, 0, files(cases)
    for name, ends in sorted(of_gpu.items()):
        path = where[name]
        if not path or not sum(ends.values()):
            print(f"{name}: " + ("did not end on the GPU" if path else
                                 "left out: several files have this name"))
            continue
        may, here = listed(path, "Allowed"), here_too(vgpu, path, set(ends), int(runs))
        bad = [e for e in ends if may and e not in may]
        missing = [e for e in ends if e not in here]
        compared += 1
        wrong += bool(bad) + bool(missing)
        print(f"{name}: {sum(ends.values())} runs, {len(ends)} outcomes, the virtual "
              f"GPU {len(here)}" + (f" of {len(may)} allowed" if may else ""))
        for what, list_ in (("not allowed", bad), ("not shown here", missing)):
            for e in list_:
                print(f"  {what}: {' '.join(sorted(e))} ({ends[e]} times)")
    print(f"{compared} tests, {wrong} differences")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    commands = {"run": (run, 2, 3), "compare": (compare, 3, 4)}
    command, least, most = commands.get(sys.argv[1] if sys.argv[1:] else "", (None, 0, 0))
    if not command or not least <= len(sys.argv) - 2 <= most:
        sys.exit(__doc__)
    sys.exit(command(*sys.argv[2:]))
