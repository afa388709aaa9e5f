# SPDX-License-Identifier: MIT
"""slow_machine.py ROOT SCANLAB: a machine that is twenty times as slow: the judge, and
with it the virtual GPU, runs in valgrind. A right submission has its points there, and
a loop that does not end, in a kernel or on the host, is ended by the limit (which a
copy of the labs makes 0.3 s: the usual one would take minutes here). nightly."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT, SCANLAB = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
SLOWLY = "valgrind", "-q", "--tool=memcheck", "--undef-value-errors=no", "--trace-children=no"
LIMIT = "time_limit_ms = 300"


def grade(check, submission, *words):
    done = subprocess.run([*SLOWLY, SCANLAB, "grade", "naive", "--check", check, "--seed", "20",
                           "-s", submission, *words], cwd=ROOT, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return re.sub(r"^--\d+-- .*\n", "", done.stdout, flags=re.M) # valgrind's own words


def right():
    for check in "any-size", "large":
        said = grade(check, ROOT / "reference")
        if not re.search(rf"^  pass  {check} ", said, re.M):
            sys.exit(f"the reference on a slow machine:\n{said}")


def labs_in(work):
    shutil.copytree(ROOT / "labs", work / "labs")
    ini = work / "labs/01-naive/lab.ini"
    text, n = re.subn(r"^time_limit_ms = \d+", LIMIT, ini.read_text(), count=1, flags=re.M)
    assert n == 1, "lab 1 has no limit"
    ini.write_text(text)
    return work / "labs"


def solution(place, before, put):
    """The reference with `put` in front of the first `before`."""
    done = subprocess.run(["unifdef", "-DSOLUTION", ROOT / "reference/naive.cu"], text=True,
                          capture_output=True, check=False)
    assert before in done.stdout, before
    place.mkdir()
    (place / "naive.cu").write_text(done.stdout.replace(before, put + before, 1))
    return place


def endless(work):
    labs = labs_in(work)
    for name, before, put, expected in (
            ("kernel", "    dst[i] = i < offset",
             "    for (size_t k = 1; k < n + 1; k = 1) ((volatile int32_t *)dst)[i] = 0;\n",
             "until its time was over"),
            ("host", "    if (n == 0) return cudaSuccess;",
             "    for (volatile int k = 1; k == 1;) {}\n", "did not return within")):
        start = time.monotonic()
        said = " ".join(grade("tiny", solution(work / name, before, put),
                              "--labs", labs).split())
        if "FAIL tiny" not in said or expected not in said:
            sys.exit(f"a loop without end ({name}) on a slow machine:\n{said}")
        print(f"a loop without end ({name}) was ended; the grade took "
              f"{time.monotonic() - start:.0f} s", flush=True)


def main():
    for program, package in (("valgrind", "valgrind"), ("unifdef", "unifdef")):
        if not shutil.which(program):
            print(f"SKIP: {program} is missing (Debian: {package})")
            sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        endless(pathlib.Path(folder).resolve())
    right()


if __name__ == "__main__":
    main()
