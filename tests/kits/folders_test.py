#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""folders_test.py: where kits/grade.py looks for a lab's files in what a system hands
over: not behind links, and not without end; honest folders are found."""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "kits"))
import grade  # noqa: E402

NAMES = {"naive.cu", "cpu_scan.c"}


def put(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("int x;\n", encoding="utf-8")


def deep(top):
    """2000 folders, one in the other: more than Python's stack, or a path, can hold."""
    here = os.open(top, os.O_RDONLY)
    for _ in range(2000):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("naive.cu", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


def main():
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        put(work / "secret/naive.cu")
        cases = {  # what is prepared: the folder that is found
            "top": (lambda top: put(top / "naive.cu"), "."),
            "below": (lambda top: (put(top / "a/naive.cu"), put(top / "b/naive.cu"),
                                   put(top / "b/cpu_scan.c")), "b"),
            "hidden": (lambda top: put(top / ".git/naive.cu"), "."),
            "link": (lambda top: (top / "x").symlink_to(work / "secret"), "."),
            "deep": (deep, "."),
            "many": (lambda top: [put(top / f"{n}/{n}.h") for n in range(100)] +
                     [put(top / "z/naive.cu")], "z"),
        }
        for case, (prepare, found) in cases.items():
            top = work / case
            top.mkdir()
            prepare(top)
            got = grade.best_folder(top, NAMES)
            subprocess.run(["rm", "-rf", top], check=True)  # shutil goes no deeper
            if got != top / found:
                sys.exit(f"FAILED: {case}: {got}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
