#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bombs.py SCANLAB OUT c|cuda

Sources that make a compiler take all the time, memory, disk or paper there is:
each ends with one line that says why, with no points and nothing left; and what
is nearly one, and honest, keeps full marks."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

SCANLAB, OUT = sys.argv[1:3]
OUT = pathlib.Path(OUT).resolve()
ROOT = pathlib.Path(os.environ["SCANLAB_ROOT"])
LIMIT_S = 2


def right(name):
    return "#define SOLUTION 1\n#line 1\n" + (ROOT / "reference" / name).read_text()


def as_asm(text):
    return "\n".join("__asm__(%s);" % json.dumps(line + "\n")
                     for line in text.splitlines()) + "\n"


def macros(levels, width, end):
    return "#define A0 0\n" + "".join(
        f"#define A{i} {' + '.join([f'A{i - 1}'] * width)}\n"
        for i in range(1, levels)) + f"int a = A{levels - 1}{end};\n"


def includes(depth, times):
    return ("#if __INCLUDE_LEVEL__ < %d\n" % depth +
            '#include "a.h"\n' * times + "#endif\n")


LATE = f"takes more than {LIMIT_S} s (--compile-limit)"
TALK = "it said more than 256 KiB"
SIZE = "may take 2048 MiB of memory, and write files of 256 MiB"
CROWD = "it took more than 2048 MiB of memory"
C = right("cpu_scan.c")
TREE = ".macro m n\n.if \\n\n" + "m \\n-1\n" * 2 + ".endif\n.endm\nm %d"
# name: the source, what the message says (one of these), headers
BOMBS_C = {
    "warnings": ("#warning x\n" * 30000 + C, [TALK], {}),
    "headers": ('#include "a.h"\n' + C, [LATE], {"a.h": includes(150, 2)}),
    "macros": (macros(12, 8, "") + C, [LATE, SIZE, CROWD], {}),
    "assembler macros": (C + as_asm(TREE % 40), [LATE], {}),
    "a section of 256 MiB": (C + as_asm(".data\n.fill 1<<28, 1, 1\n.text"),
                             [SIZE], {}),
    "repeated by the assembler":
        (C + as_asm(".data\n.rept 1<<28\n.byte 1\n.endr\n.text"), [SIZE], {}),
    "slowly more memory":
        (C + as_asm(".data\n.rept 1<<27\n.quad x%s\n.endr\n.text" % ("x" * 99)),
         [SIZE, CROWD, LATE], {}),
}
NEARLY_C = (
    "#warning x\n" * 200 + macros(4, 8, "") + '#include "a.h"\n' + C +
    as_asm(TREE % 8) + as_asm(".data\n.fill 1<<16, 1, 1\n"
                              ".rept 1<<10\n.byte 1\n.endr\n.text"),
    {"a.h": includes(120, 1)})
CUDA = right("naive.cu") if sys.argv[3] == "cuda" else ""
TEMPLATE = """template<int N, int M> struct f {
    static const int v = f<N - 1, 2 * M>::v + f<N - 1, 2 * M + 1>::v; };
template<int M> struct f<0, M> { static const int v = M; };
int x = f<%d, 0>::v;
"""
LOOP = """#define T(n) constexpr int t##n() { int s = 0; \\
    for (int i = 0; i < %d; i++) s ^= i; return s; } constexpr int v##n = t##n();
"""
BOMBS_CUDA = {
    "templates": (TEMPLATE % 40 + CUDA, [LATE, SIZE, CROWD], {}),
    "constant functions":
        (LOOP % 1000000 + "".join(f"T({i})\n" for i in range(1000)) + CUDA,
         [LATE, SIZE, CROWD, "excessive constexpr"], {}),
    "device macros": (macros(12, 8, "") + CUDA, [LATE, SIZE, CROWD, TALK], {}),
    "device code":
        (CUDA + "__global__ void big(int *p) {\n" +
         "p[p[0]] += p[p[1]];\n" * 150000 + "}\n", [LATE, SIZE, CROWD], {}),
}
NEARLY_CUDA = (TEMPLATE % 8 + LOOP % 100 + "T(0)\n" + CUDA +
               "__global__ void big(int *p) {\n" + "p[p[0]] += p[p[1]];\n" * 50
               + "}\n", {})


def grade(lab, name, source, headers, *options):
    folder, cache = OUT / "mine", OUT / "cache"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / name).write_text(source)
    for header, text in headers.items():
        (folder / header).write_text(text)
    done = subprocess.run(
        [SCANLAB, "grade", lab, "--device", "vgpu", "-s", str(folder), "--cache",
         str(cache), *options], capture_output=True, text=True, timeout=250)
    left = [p.name for p in cache.glob("*.*")]
    return done.returncode, done.stdout + done.stderr, left


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    lab = ("naive", "naive.cu", "tiny") if CUDA else (
        "cpu-scan", "cpu_scan.c", "inclusive")
    wrong = 0
    for name, (source, words, headers) in (BOMBS_CUDA if CUDA else
                                           BOMBS_C).items():
        status, said, left = grade(*lab[:2], source, headers,
                                   "--compile-limit", str(LIMIT_S))
        if status != 1 or left or not any(w in said for w in words):
            print(f"FAILED: {name}: exit status {status}, left {left}:\n{said}")
            wrong += 1
    source, headers = NEARLY_CUDA if CUDA else NEARLY_C
    status, said, left = grade(*lab[:2], source, headers, "--check", lab[2])
    if status != 0 or left:
        print(f"FAILED: honest: exit status {status}, left {left}:\n{said}")
        wrong += 1
    sys.exit(wrong > 0)


main()
