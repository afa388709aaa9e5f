#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""device.py SCANLAB OUT

As attacks.py, for CUDA: what a source does to nvcc's passes for the host and for
the device, to the linker, and to the process that loads the library. Nothing is
told, and nothing gained."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

SCANLAB, OUT = sys.argv[1:]
OUT = pathlib.Path(OUT).resolve()
ROOT = pathlib.Path(os.environ["SCANLAB_ROOT"])
ALICE = OUT / "alice"
CANARY = "canary-77c1e0"
CUDA = "#define SOLUTION 1\n#line 1\n" + (ROOT / "reference/naive.cu").read_text()
STUB = (ROOT / "student/naive.cu").read_text()


def in_kernel(text, qualifier="volatile"):
    return (CUDA + "__global__ void other(int *p) {\n    asm %s(%s);\n}\n" %
            (qualifier, json.dumps(text)))


def on_host(text):
    return CUDA + "".join("__asm__(%s);\n" % json.dumps(line + "\n")
                          for line in text.splitlines())


# A scan by the host, in a library that brings the runtime and libc with it.
INTERPOSED = r"""
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include "naive.h"
extern "C" void *malloc(size_t n) { (void)n; return nullptr; }
extern "C" void *memcpy(void *to, const void *from, size_t n) {
    for (size_t i = 0; i < n; i++) ((char *)to)[i] = ((const char *)from)[i];
    return to;
}
extern "C" int memcmp(const void *, const void *, size_t) { return 0; }
extern "C" int strcmp(const char *, const char *) { return 0; }
extern "C" cudaError_t cudaMalloc(void **p, size_t n) {
    static char pool[1 << 20];
    (void)n;
    *p = pool;
    return cudaSuccess;
}
extern "C" cudaError_t cudaMemcpy(void *to, const void *from, size_t n,
                                  cudaMemcpyKind) {
    memcpy(to, from, n);
    return cudaSuccess;
}
extern "C" cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t,
                                        cudaStream_t) { return cudaSuccess; }
extern "C" cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }
"""
# name: a source, or files; they do not compile, or have no point
ATTACKS = {
    "embeds a secret": f"#embed \"{ALICE}/secret.h\"\n" + CUDA,
    "includes a secret on the device":
        f'#ifdef __CUDA_ARCH__\n#include "{ALICE}/secret.h"\n#endif\n' + CUDA,
    "assembles a secret for the host":
        on_host(f'.pushsection .rodata\n.incbin "{ALICE}/secret.h"\n.popsection'),
    "includes a secret in PTX": in_kernel(f'.include "{ALICE}/secret.h"'),
    "asserts that a file is there":
        f'#if !__has_include("{ALICE}/secret.h")\n#error\n#endif\n' + CUDA,
    "has libc and the runtime within": INTERPOSED +
        STUB.replace('#include <cuda_runtime.h>', ""),
    "resolves a function while it is loaded": CUDA +
        "#include <unistd.h>\nextern \"C\" void *resolve(void) { _exit(0); }\n"
        "extern \"C\" int chosen(void) __attribute__((ifunc(\"resolve\")));\n"
        "int (*volatile kept)(void) = chosen;\n",
}
HARMLESS = {
    "file and line of a secret in PTX":
        in_kernel(f'.file 99 \\"{ALICE}/secret.h\\"') .replace('\\\\', ''),
    "lines of a secret": CUDA + f'#line 1 "{ALICE}/secret.h"\nint other;\n',
    "asks the linker for a path":
        '#pragma comment(linker, "-rpath /tmp")\n#pragma comment(lib, "x.so")\n'
        + CUDA,
    "names a library that it needs":
        on_host('.section .dynstr2,"a"\n.string "/tmp/x.so"\n.text'),
    "options as names": {"naive.cu": '#include "x.h"\n' + CUDA, "x.h": "",
                         "-x.h": "#error\n", "@options.h": "#error\n"},
}
HONEST = {
    "alone": CUDA,
    "own names": CUDA + 'static_assert(__FILE__[0] != \'/\', "");\n'
        'const char *when = __DATE__ __TIME__ __TIMESTAMP__ __BASE_FILE__;\n',
    "own assembly": in_kernel("membar.gl;"),
    "a function of its own while it is loaded": CUDA +
        "static int one;\n__attribute__((constructor)) static void first() "
        "{ one = 1; }\n",
    "looks for the lab's header":
        '#if !__has_include("naive.h")\n#error\n#endif\n' + CUDA,
}
complaints = []


def grade(name, what, **environment):
    mine, report = OUT / "mine", OUT / "grade.json"
    shutil.rmtree(mine, ignore_errors=True)
    shutil.rmtree(OUT / "cache", ignore_errors=True)
    mine.mkdir()
    for file, text in (what if isinstance(what, dict) else
                       {"naive.cu": what}).items():
        (mine / file).write_text(text)
    done = subprocess.run(
        [SCANLAB, "grade", "naive", "--check", "tiny", "--device", "vgpu", "-s",
         str(mine), "--cache", str(OUT / "cache"), "--report", "text=-",
         "--report", f"json={report}", "-v"], capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=120, env=os.environ | environment)
    said = done.stdout + done.stderr
    told = said + report.read_text() if report.exists() else said
    for library in (OUT / "cache").glob("*/library.so"):
        told += library.read_bytes().decode("latin-1")
    if CANARY in told or (list((OUT / "cache").glob("*.*"))):
        complaints.append(f"{name}: told, or left something:\n{said}")
    return done.returncode, said


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    ALICE.mkdir(parents=True)
    (ALICE / "secret.h").write_text(f'"{CANARY}"\n')
    for group, wanted in (ATTACKS, 1), (HARMLESS, 0), (HONEST, 0):
        for name, what in group.items():
            status, said = grade(name, what)
            if status != wanted:
                complaints.append(f"{name}: exit status {status}\n{said}")
    flags = f'-include "{ALICE}/secret.h"'
    status, said = grade("options in the environment", CUDA,
                         NVCC_APPEND_FLAGS=flags, NVCC_PREPEND_FLAGS=flags,
                         CPATH=str(ALICE), CUDAFE_FLAGS="--bad")
    if status != 0:
        complaints.append(f"options in the environment: {status}\n{said}")
    for line in complaints:
        print("FAILED:", line)
    sys.exit(bool(complaints))


main()
