#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""setup_test.py BUILD WITHOUT: the zip for Gradescope in a Debian that has nothing:
setup.sh builds and installs, run_autograder grades a reference of two labs in half
a processor and 768 MB."""
import pathlib
import shutil
import subprocess
import tempfile
import zipfile

from containerfile import copy_of_debian, run, size_mib
from play import BUILD, Limits, ROOT, check, gradescope_meta, kit, report, solution


def grade(stage):
    limits = Limits(768, 0.5)
    try:
        done = run(stage, ["/autograder/run_autograder"], {}, "/autograder", text=True,
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limits.enter)
        print(f"a grade of two labs took at most {limits.most_mib()} MiB")
    finally:
        limits.close()
    results = stage / "autograder/results/results.json"
    check(done.returncode == 0 and results.exists(), "no result", done)
    points, _ = report("gradescope", results)
    check(sum(points.values()) == 200, f"the references have {points}", done)


def main():
    work = pathlib.Path(tempfile.mkdtemp(dir=BUILD))
    try:
        stage = copy_of_debian(work / "image")
        autograder = stage / "autograder"
        for name in "source", "submission", "results":
            (autograder / name).mkdir(parents=True)
        kit("gradescope", work / "kit.zip", "naive", "cpu-scan")
        print(f"the zip has {(work / 'kit.zip').stat().st_size >> 10} KiB")
        with zipfile.ZipFile(work / "kit.zip") as archive:
            archive.extractall(autograder / "source")
        # Gradescope unpacks it, and starts both by what they are.
        for name in "setup.sh", "run_autograder":
            (autograder / "source" / name).chmod(0o755)
        shutil.copy(autograder / "source/run_autograder", autograder)
        done = run(stage, ["/autograder/source/setup.sh"], stdout=subprocess.PIPE,
                   stderr=subprocess.STDOUT, text=True, errors="replace")
        check(done.returncode == 0, "setup.sh", done)
        print(f"the image has {size_mib(stage)} MiB, of which /autograder {size_mib(autograder)}")
        (autograder / "submission_metadata.json").write_text(gradescope_meta())
        for source in "naive.cu", "cpu_scan.c":
            solution(source, autograder / "submission")
        grade(stage)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
