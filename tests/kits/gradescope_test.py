#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gradescope_test.py BUILD WITHOUT: the kit for Gradescope in a container as
Gradescope's: root with Docker's capabilities, half a processor, 768 MB.

Installed is what was built here; setup.sh itself runs at night (setup_test.py)."""
import os
import shutil
import zipfile

from play import (ROOT, SECRET, Limits, Machine, check, gradescope_meta, kit, make_course,
                  report, skip_unless_root, solution)

# Puts the course into its own bytes, and prints it: what a submission prints in a
# check that fails stands in the report.
THIEF = r'''#include "cpu_scan.h"
#include <stdio.h>
__asm__(".pushsection .rodata\n.global stolen\nstolen: .incbin \"@PATH@\"\n.byte 0\n.popsection");
extern const char stolen[];
int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    printf("stolen: %s\n", stolen);
    return 0;
}
'''
SECRET_FILE = "/autograder/course/01-naive/lab.ini"
PUBLIC = "/autograder/scanlab/lib/scanlab/labs/01-naive/lab.ini"


def unpack(machine):
    kit("gradescope", machine.at("kit.zip"), "naive", "0",
        course=make_course(machine.at("their-course"), "01-naive", "any-size"))
    source = machine.at("autograder/source")
    with zipfile.ZipFile(machine.at("kit.zip")) as archive:
        archive.extractall(source)
    names = "".join(str(p) for p in source.rglob("*"))
    check("reference" not in names and "tests" not in names, "solutions or tests are in the zip")
    shutil.copy(source / "run_autograder", machine.at("autograder/run_autograder"))
    os.chmod(machine.at("autograder/run_autograder"), 0o755)
    # In place of setup.sh, which builds the same.
    machine.install("autograder/scanlab")
    labs = machine.at("autograder/scanlab/lib/scanlab/labs")
    shutil.rmtree(labs)
    shutil.move(source / "scanlab/labs", labs)
    shutil.rmtree(source / "scanlab")
    shutil.copytree(source / "course", machine.at("autograder/course"))


def grade(machine, without, limits=None):
    results = machine.at("autograder/results")
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir()
    machine.at("autograder/submission_metadata.json").write_text(gradescope_meta())
    done = machine.run("/autograder/run_autograder", cwd="/autograder", without=without,
                       limits=limits)
    check(done.returncode == 0 and (results / "results.json").exists(), "no result", done)
    return *report("gradescope", results / "results.json"), done


def hand_in(machine):
    folder = machine.at("autograder/submission")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def grade_small(machine):
    """In half a processor and 768 MB, in which nothing may be killed."""
    limits = Limits(768, 0.5)
    try:
        points, text, done = grade(machine, "namespaces", limits)
        print(f"at most {limits.most_mib()} MiB")
        check(not limits.killed(), "a process was ended for lack of memory", done)
    finally:
        limits.close()
    return points, text, done


def reach_limits(machine):
    """What asks for more than the container has: memory of host and device, time."""
    folder = hand_in(machine)
    for source, name in (("cheats/cpu-scan.memory-bomb.c", "cpu_scan.c"),
                         ("hostile/naive.fills-the-device.cu", "naive.cu")):
        shutil.copy(ROOT / "tests" / source, folder / name)
    points, text, done = grade_small(machine)
    check(points and not any(points.values()), f"points for nothing: {points}", done)
    check("Cannot allocate memory" in text, "it does not say that memory was asked for", done)

    # Nine minutes would be a test of that length: here it has one second, in which
    # lab 1 is not compiled and graded (four were enough for all, in half a processor).
    program = machine.at("autograder/scanlab/lib/scanlab/kits/grade.py")
    whole = program.read_text()
    short = whole.replace('"gradescope": 540', '"gradescope": 1')
    check(short != whole, "grade.py has another limit than 540 s")
    solution("naive.cu", hand_in(machine))
    program.write_text(short)
    points, text, done = grade_small(machine)
    program.write_text(whole)
    check("not reached within the 1 s" in text and sum(points.values()) < 107,
          f"time is over, and yet {points}", done)


def main():
    skip_unless_root()
    with Machine("/autograder") as machine:
        unpack(machine)
        folder = hand_in(machine) / "my work" / "student"
        folder.mkdir(parents=True)
        solution("naive.cu", folder)
        points, text, done = grade_small(machine)
        check(sum(points.values()) == 107, f"the reference has {points}", done)
        check(f'"naive {SECRET}: {SECRET}"' in text and '"visibility": "hidden"' in text,
              "the hidden check is not there", done)
        check("walls: build: files: Landlock" in done.stderr and
              "walls: run: files:" in done.stderr, "no word about walls", done)
        reach_limits(machine)

        # No wall around files at all: only its owner keeps the course.
        for path in PUBLIC, SECRET_FILE:
            folder = hand_in(machine)
            (folder / "cpu_scan.c").write_text(THIEF.replace("@PATH@", path))
            points, text, done = grade(machine, "files")
            check("walls: build: files: MISSING" in done.stderr, "a wall stands", done)
            check(not any(points.values()), f"points for nothing: {points}", done)
            check(("kind = correct" in text) == (path == PUBLIC), f"{path} was read, or the one "
                  f"that anybody may read was not:\n{text}", done)

        hand_in(machine)
        points, text, done = grade(machine, "namespaces")
        check(points and not any(points.values()) and all(
            f"{name} was not handed in" in text for name in ("naive.cu", "cpu_scan.c")),
              "nothing handed in is not said", done)

        # A grader that does not work is no result, and not the last one either.
        machine.at("autograder/scanlab/lib/scanlab/libexec/scanlab-runner").unlink()
        done = machine.run("/autograder/run_autograder", cwd="/autograder")
        check(done.returncode == 2 and not machine.at("autograder/results/results.json").exists(),
              "a fault became a result", done)


if __name__ == "__main__":
    main()
