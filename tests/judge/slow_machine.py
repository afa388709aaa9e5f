# SPDX-License-Identifier: MIT
"""slow_machine.py ROOT SCANLAB: a right submission has its points on a machine that
is twenty times as slow: the judge, and with it the virtual GPU, runs in valgrind.
nightly."""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT, SCANLAB = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
SLOWLY = "valgrind", "-q", "--tool=memcheck", "--undef-value-errors=no", "--trace-children=no"


def grade(check):
    done = subprocess.run([*SLOWLY, SCANLAB, "grade", "naive", "--check", check, "--seed", "20",
                           "-s", ROOT / "reference"], cwd=ROOT, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout


def main():
    if not shutil.which("valgrind"):
        print("SKIP: valgrind is missing (Debian: valgrind)")
        sys.exit(77)
    for check in "any-size", "large":
        said = grade(check)
        if not re.search(rf"^  pass  {check} ", said, re.M):
            sys.exit(f"the reference on a slow machine:\n{said}")


if __name__ == "__main__":
    main()
