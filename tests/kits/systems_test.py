#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""systems_test.py BUILD WITHOUT: the kits for Autolab, PrairieLearn, GitHub and
Slurm, each as its system starts it."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

from play import (BUILD, ROOT, SECRET, Machine, check, kit, make_course, report, report_formats,
                  skip_unless_root, solution)
import asked

AUTOGRADE = 31415  # a user of no other process
JOB, GRADE = "/home/autograde/job", "/grade"


def autolab(machine, course):
    """Tango's autodriver: another user, 100 processes, files of 100 MB, one stream."""
    kit("autolab", machine.at("autolab.tar"), "cpu-scan", course=course)
    job = machine.at(JOB)
    with tarfile.open(machine.at("autolab.tar")) as archive:
        for name, to in ("autograde-Makefile", "Makefile"), ("autograde.tar", "autograde.tar"):
            (job / to).write_bytes(archive.extractfile(f"scanlabcpuscan/{name}").read())
    with tarfile.open(job / "autograde.tar") as archive:
        check(not any("reference" in name for name in archive.getnames()), "solutions")
    solution("cpu_scan.c", job)
    for path in job, *job.iterdir():
        os.chown(path, AUTOGRADE, AUTOGRADE)

    def make(**how):
        return machine.run("prlimit", "--nproc=100", "--fsize=104857600", "sh", "-c",
                           "exec make 2>&1", cwd=JOB, user=AUTOGRADE, **how)
    done = make(without="namespaces")
    check(done.returncode == 0 and report_formats.autolab(done.stdout)["cpu-scan"] == 100,
          "autolab", done)
    check(SECRET not in done.stdout, "autolab tells of the hidden check", done)
    # Students are users as good as the grader here, so a missing wall ends it.
    done = make(without="files")
    check(done.returncode != 0 and "scores" not in done.stdout and SECRET not in done.stdout,
          "autolab grades a hidden check without a wall around files", done)


def prairielearn(machine, course):
    """The grader's host: root, no network, the question's tests beside the student's files."""
    kit("prairielearn", machine.at("questions"), "cpu-scan", course=course)
    question = machine.at("questions/scanlab-cpu-scan")
    info = json.loads((question / "info.json").read_text())
    check("cpu_scan.c" in (question / "question.html").read_text(), "question.html")
    grade = machine.at(GRADE)
    shutil.copytree(question / "tests", grade / "tests")
    (grade / "student").mkdir()
    (grade / "data").mkdir()
    (grade / "data/data.json").write_text('{"variant_seed": 77, "params": {}}')
    solution("cpu_scan.c", grade / "student")
    entry = info["externalGradingOptions"]["entrypoint"].split()
    done = machine.run(*entry, without="namespaces")
    results = grade / "results/results.json"
    check(done.returncode == 0 and results.exists(), "prairielearn", done)
    points, text = report("prairielearn", results)
    check(sum(points.values()) == 100 and SECRET not in text, f"prairielearn: {points}", done)
    check("walls: build: files: Landlock" in done.stderr, "no word about walls", done)
    machine.at("opt/scanlab/lib/scanlab/libexec/scanlab-runner").unlink()
    done = machine.run(*entry)
    check(done.returncode == 2 and json.loads(results.read_text())["gradable"] is False,
          "a fault became a grade", done)


def workflow(text):
    """The commands of its steps, by name; without PyYAML nothing."""
    try:
        import yaml
    except ImportError:
        print("note: no PyYAML, so the workflow is not read")
        return {}
    steps = yaml.safe_load(text)["jobs"]["run-autograding-tests"]["steps"]
    return {step["name"]: step["run"] for step in steps if "run" in step}


def github(work):
    """The last step, where the one before has built; it says what a file says."""
    repository = work / "repository"
    for name in "student", "grader":
        (repository / name).mkdir(parents=True)
    kit("github", repository, "cpu-scan")
    steps = workflow((repository / ".github/workflows/scanlab.yml").read_text())
    if not steps:
        return
    (repository / "build").symlink_to(BUILD)
    shutil.copy(ROOT / "student/cpu_scan.c", repository / "student")
    summary = work / "summary"
    done = subprocess.run(["bash", "-e", "-c", steps["Grade"]], cwd=repository, text=True,
                          capture_output=True, check=False,
                          env={**os.environ, "GITHUB_STEP_SUMMARY": str(summary),
                               "RUNNER_TEMP": str(work)})
    check(done.returncode == 1, "points are missing, but GitHub sees no failure", done)
    check("::error file=student/cpu_scan.c" in done.stdout and "cpu-scan" in summary.read_text(),
          "github", done)
    refused = subprocess.run([ROOT / "tools/kit.py", "github", repository], text=True,
                             capture_output=True, check=False,
                             env={**os.environ, "COURSE": str(work)})
    check(refused.returncode == 2 and "students can read" in refused.stderr,
          "a course goes to students", refused)


def slurm(work):
    """What sbatch starts; a real Slurm is another test's."""
    student = work / "submissions/ann"
    student.mkdir(parents=True)
    shutil.copy(ROOT / "student/cpu_scan.c", student)
    done = subprocess.run([ROOT / "kits/slurm/class.sh", work / "submissions", "cpu-scan", "-o",
                           work / "graded"], capture_output=True, text=True, check=False,
                          env={**os.environ, "SCANLAB": str(BUILD / "bin/scanlab"),
                               "SLURM_CPUS_PER_TASK": "2"})
    check(done.returncode == 0 and "ann" in (work / "graded/gradebook.csv").read_text(), "slurm",
          done)


def main():
    with tempfile.TemporaryDirectory() as name:
        github(pathlib.Path(name))
        if asked.everything():
            slurm(pathlib.Path(name))
    skip_unless_root()
    with Machine(JOB, GRADE, "/opt/scanlab") as machine:
        machine.install("opt/scanlab")
        course = make_course(machine.at("their-course"), "00-cpu-scan", "inclusive")
        autolab(machine, course)
        prairielearn(machine, course)


if __name__ == "__main__":
    sys.exit(main())
