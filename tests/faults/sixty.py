#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sixty.py SCANLAB OUT [LAB|class]...

As another user than root who may have sixty processes (ulimit -u 60), those of all
his programs counted: whole labs, each by its reference, and a class of five. Each
grade has the points that it has without the limit, or there is none: status 2 and a
sentence. A second run of the class, without the limit, has them all. What needs as
many threads as a lab's checks ask for is a fault where they cannot be had.
(processes.py has limits that are smaller, and single checks.)"""
import csv
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("SCANLAB_ROOT", pathlib.Path(__file__).parents[2]))
sys.path.insert(1, str(ROOT / "tests/tools"))
import surroundings  # noqa: E402

SCANLAB, OUT = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
LIMIT, LATEST_S = 60, 1800
WHERE = "nobody" if os.getuid() == 0 else "plain"
complaints = []


def fresh(name):
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    surroundings.give(folder, WHERE)
    return folder


def labs():
    """{name: its source}, of those that can be compiled here."""
    nvcc = (SCANLAB.parents[1] / "nvcc-path").exists() or shutil.which("nvcc")
    found = {}
    for folder in sorted((ROOT / "labs").glob("[0-9][0-9]-*")):
        name = folder.name[3:]
        source = name.replace("-", "_") + (".c" if name == "cpu-scan" else ".cu")
        if nvcc or source.endswith(".c"):
            found[name] = source
    return found


def solution(source):
    return "#define SOLUTION 1\n" + (ROOT / "reference" / source).read_text("utf-8")


def run(words, limit):
    """Status and the last line of what was said."""
    def narrow():
        resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
    environment = os.environ | {"SCANLAB_ROOT": str(ROOT), "HOME": str(OUT / "home"),
                                "SCANLAB_CACHE": str(OUT / "cache")}
    done = subprocess.run(
        [SCANLAB, *words], env=environment, text=True, capture_output=True,
        errors="replace", timeout=LATEST_S, check=False,
        preexec_fn=narrow if limit else None, **surroundings.user(WHERE))
    said = [row for row in done.stderr.splitlines() if row.strip()]
    return done.returncode, said[-1] if said else ""


# ---- a lab ----

def grade(lab, folder, limit):
    """Status, points by check, what was said."""
    report = fresh("report") / "grade.json"
    status, said = run(["grade", lab, "--submission", folder, "--device", "vgpu",
                        "--repairs", "0", "--seed", "3", "--report", f"json={report}"], limit)
    points = None
    if status in (0, 1):
        grades = json.loads(report.read_text("utf-8"))["labs"]
        points = [(c["id"], c["status"], c["score"]) for g in grades for c in g["checks"]]
    return status, points, said


def try_lab(lab, source):
    folder = fresh("right")
    (folder / source).write_text(solution(source), "utf-8")
    before = grade(lab, folder, None)
    if before[0] != 0:
        complaints.append(f"{lab} without a limit: {before}")
    after = grade(lab, folder, LIMIT)
    is_fault = after[0] == 2 and after[2].startswith("scanlab: ") and len(after[2]) > 20
    print(f"{lab}: {'a fault: ' + after[2] if is_fault else 'graded'}", flush=True)
    if not is_fault and after[:2] != before[:2]:
        complaints.append(f"{lab}: {after}, not {before}")


# ---- a class ----

def hand_in(given):
    """Right, wrong, untouched, half of it, and one that does not compile."""
    where, first = fresh("class"), next(iter(given.values()))
    texts = {source: solution(source) for source in given.values()}
    other = solution(first).replace(
        '#include "scanlab.h"', '#include "scanlab.h"\n#define scan_add(a, b) ((a) ^ (b))')
    for who, files in {
            "ann": texts, "bo": texts | {first: other}, "dora": {first: texts[first]},
            "cy": {s: (ROOT / "student" / s).read_text("utf-8") for s in texts},
            "eve": texts | {first: "int no_semicolon\n}\n"}}.items():
        (where / who).mkdir()
        for source, text in files.items():
            (where / who / source).write_text(text, "utf-8")
    return where


def grade_class(where, names, out, limit):
    """Status, {row: what it has}, what was said."""
    status, said = run(["class", where, *names, "-o", out, "--seed", "3", "-j", "2"], limit)
    rows = {}
    try:
        with open(out / "gradebook.csv", encoding="utf-8", newline="") as file:
            rows = {r["submission"]: (r["status"], r["score"], *(r[n] for n in names))
                    for r in csv.DictReader(file)}
    except FileNotFoundError:
        pass
    return status, rows, said


def try_class(given):
    names = list(given)
    where = hand_in(given)
    undisturbed = grade_class(where, names, fresh("undisturbed"), None)
    if undisturbed[0] != 0 or [row[0] for row in undisturbed[1].values()] != ["graded"] * 5 or \
            len({row[1] for row in undisturbed[1].values()}) < 4:
        complaints.append(f"class without a limit: {undisturbed}")
    out = fresh("limited")
    ended = grade_class(where, names, out, LIMIT)
    print(f"class: status {ended[0]}, {ended[1]}, {ended[2]}", flush=True)
    faults = 0
    for key, row in ended[1].items():
        faults += row[0] == "fault"
        if row != undisturbed[1][key] and row[:2] != ("fault", ""):
            complaints.append(f"class: {key} {row}, not {undisturbed[1][key]}")
    if ended[0] != (2 if faults or not ended[1] else undisturbed[0]):
        complaints.append(f"class: {ended}")
    again = grade_class(where, names, out, None)
    if again[:2] != undisturbed[:2]:
        complaints.append(f"class, the next run: {again}")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    OUT.chmod(0o755)
    if not surroundings.reached(WHERE, SCANLAB, ROOT / "labs"):
        print("SKIP: another user cannot reach this build")
        return 77
    every, wanted = labs(), sys.argv[3:]
    fresh("home")
    fresh("cache").chmod(0o700)
    for lab, source in every.items():
        if not wanted or lab in wanted:
            try_lab(lab, source)
    if not wanted or "class" in wanted:
        try_class({lab: every[lab] for lab in ("cpu-scan", "naive") if lab in every})
    print("\n".join(complaints))
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
