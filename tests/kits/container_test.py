#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""container_test.py BUILD WITHOUT: the Containerfile's lines, run in chroots, make a
root folder that grades: a reference has all points, a stub none, and neither
solutions nor tests are in it. Prints how long each RUN takes and how large it gets."""
import pathlib
import shutil
import subprocess
import tempfile

from containerfile import Build, containerfile, run
from play import BUILD, ROOT, check, solution


def main():
    work = pathlib.Path(tempfile.mkdtemp(dir=BUILD))
    try:
        stage = Build(work, ROOT).all(containerfile())
        names = {p.name for p in (stage / "opt/scanlab").rglob("*")}
        check(not names & {"reference", "tests", "mutants", "answers.md"}, "solutions are in it")
        for name, status, total in ("solved", 0, "100/100"), ("stub", 1, "0/100"):
            folder = stage / "work" / name
            folder.mkdir(parents=True)
            if name == "solved":
                solution("naive.cu", folder)
            else:
                shutil.copy(ROOT / "student/naive.cu", folder)
            done = run(stage, ["/opt/scanlab/bin/scanlab", "grade", "naive", "-s", name], {},
                       "/work", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            check(done.returncode == status and total in done.stdout, name, done)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
