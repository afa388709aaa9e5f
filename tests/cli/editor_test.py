#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""editor_test.py SCANLAB ROOT: what editors are told. clangd, where there is
one, objects to no line of student/ and to a wrong one; each problem matcher
of .vscode/tasks.json finds file and line in what scanlab prints."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

scanlab, root = (pathlib.Path(p).resolve() for p in sys.argv[1:])
failures = 0


def expect(holds, what):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", what)


def matched(pattern, text):
    """(file, line, message) of each line, as VS Code reads them."""
    found = []
    for line in text.splitlines():
        m = re.search(pattern["regexp"], line)
        if m:
            found.append((m[pattern["file"]], int(m[pattern["line"]]),
                          m[pattern["message"]]))
    return found


def grade(folder, lab, name, text):
    """As a task of VS Code runs it."""
    (folder / name).write_text(text)
    done = subprocess.run([scanlab, "grade", lab, "-s", folder], text=True,
                          stdout=subprocess.PIPE, timeout=300, check=False,
                          env={**os.environ, "SCANLAB_MARKS": "1"})
    return done.stdout


def line_of(text, part):
    return text[:text.index(part)].count("\n") + 1


CALL = """try_it<<<2, 64>>>(d_in, d_out, (int)n);
    return cudaGetLastError();"""
HEAD = "__global__ void try_it(const int *in, int *out, int n) {"
# What is found, by a kernel, and where in it.
KINDS = {
    "out-of-bounds": (HEAD + """
    out[1 << 20] = in[0];
}""", "out[1 << 20]"),
    "global-race": (HEAD + """
    out[0] = threadIdx.x;
}""", "out[0] = "),
    "difference": (HEAD + """
    if (threadIdx.x + 64 * blockIdx.x < n)
        out[threadIdx.x + 64 * blockIdx.x] = 77;
}""", " = 77"),
    "misaligned": (HEAD + """
    *(int *)((char *)out + 1) = n;
}""", "*(int *)"),
    "uninitialised-read": (HEAD + """
    __shared__ int cells[64];
    if (threadIdx.x < n) out[threadIdx.x] = cells[threadIdx.x];
}""", "out[threadIdx.x] = cells"),
    "barrier-divergence": (HEAD + """
    if (threadIdx.x < 7) __syncthreads();
    else if (threadIdx.x < 9) __syncthreads();
}""", "__syncthreads"),
}


def two_failures(folder, plain, mark):
    """Each has its mark, also the one that the report tells in a line."""
    wrong = plain.replace("#include", "#include <cuda_runtime.h>\n" + """
__global__ void one(const int *in, int *out) { out[0] = in[0] + 1; }
__global__ void two(const int *in, int *out) { out[1 << 20] = in[0]; }
#include""", 1)
    for kernel in "one", "two":
        wrong = wrong.replace("return SCANLAB_TODO;", f"{kernel}<<<1, 1>>>(d_in, d_out);\n"
                              "    return cudaGetLastError();", 1)
    said = grade(folder, "naive", "naive.cu", wrong)
    found = matched(mark, said)
    lines = [line_of(wrong, f"void {kernel}(") for kernel in ("one", "two")]
    expect([m[1] for m in found] == lines, f"two failures, {found}\n{said}")


def matchers(folder):
    tasks = json.loads((root / ".vscode/tasks.json").read_text())["tasks"]
    for name in ("extensions.json", "../.devcontainer/devcontainer.json"):
        json.loads((root / ".vscode" / name).read_text())
    nvcc, gcc, mark = (m["pattern"] for m in tasks[0]["problemMatcher"])
    for task in tasks:
        expect([m["pattern"] for m in task["problemMatcher"]] ==
               [nvcc, gcc, mark], task["label"] + " has other matchers")
    plain = (root / "student/cpu_scan.c").read_text()
    wrong = plain + "\nint wrong(void) { return nothing; }\n"
    said = grade(folder, "cpu-scan", "cpu_scan.c", wrong)
    expect([m[:2] for m in matched(gcc, said)][:1] ==
           [("cpu_scan.c", line_of(wrong, "int wrong"))], "gcc: " + said)
    plain = (root / "student/naive.cu").read_text()
    wrong = plain + "\nint wrong() { return nothing; }\n"
    said = grade(folder, "naive", "naive.cu", wrong)
    expect([m[:2] for m in matched(nvcc, said)] ==
           [("naive.cu", line_of(wrong, "int wrong"))], "nvcc: " + said)
    for kind, (kernel, marked) in KINDS.items():
        wrong = plain.replace("#include", "#include <cuda_runtime.h>\n" + kernel +
                              "\n#include", 1)
        wrong = wrong.replace("return SCANLAB_TODO;", CALL, 1)
        said = grade(folder, "naive", "naive.cu", wrong)
        found = matched(mark, said)
        expect(any(m[:2] == ("naive.cu", line_of(wrong, marked)) and
                   m[2].startswith(kind + ": ") for m in found),
               f"mark of {kind} at {marked}: {found}\n{said[:1500]}")
        own = {tuple(m) for m in found}
        expect("SCANLAB" in os.environ or len(own) == len(found) > 0,
               f"{kind}: marks twice: {found}\n{said}")
    two_failures(folder, plain, mark)
    watch = tasks[2]["problemMatcher"][0]["background"]
    expect(re.search(watch["beginsPattern"], "12:03:04  naive.cu"), "begins")
    expect(re.search(watch["endsPattern"], "  naive 10/100, was 4"), "ends")


def clangd(folder):
    if not shutil.which("clangd"):
        return "no clangd here"
    for name in ("student", "labs", "tools"):
        shutil.copytree(root / name, folder / name)
    nvcc = pathlib.Path(scanlab.parents[1] / "nvcc-path").read_text().strip()
    subprocess.run([folder / "tools/editor.sh", nvcc], check=True)

    def objects(path):
        done = subprocess.run(["clangd", f"--check={path}"], text=True,
                              stderr=subprocess.PIPE, cwd=folder, timeout=300,
                              check=False)
        return re.findall(r"^E.*\] (Line .*)$", done.stderr, re.M)

    for path in sorted(folder.glob("student/*.c*")):
        if path.suffix in (".c", ".cu"):
            expect(objects(path) == [], f"{path.name}: {objects(path)}")
    path = folder / "student/naive.cu"
    path.write_text(path.read_text() + "\nint wrong() { return nothing; }\n")
    expect(len(objects(path)) == 1, "clangd objects to nothing")
    return None


with tempfile.TemporaryDirectory() as name:
    scratch = pathlib.Path(name)
    matchers(scratch)
    skipped = clangd(scratch)
if failures:
    sys.exit(1)
if skipped:
    print("SKIP:", skipped)
    sys.exit(77)
