#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""real_grades.py SCANLAB OUT c|cuda: grades one submission for each kind of
outcome, looks at the numbers and holds every grade against the schema."""
import html
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))
from graded import handed_in  # noqa: E402
SCANLAB, OUT = sys.argv[1], pathlib.Path(sys.argv[2])


def folder(name, source, patch=None, more=""):
    """A submission of one file."""
    where = OUT / name
    where.mkdir(parents=True)
    target = where / ("cpu_scan.c" if name.startswith("c-") else "naive.cu")
    shutil.copy(ROOT / source, target)
    if patch:
        subprocess.run(["patch", "--silent", target, ROOT / patch], check=True)
    handed_in(where)
    with target.open("a") as file:
        file.write(more)
    return where


def grade(lab, where, *options):
    path = OUT / f"{where.name}.json"
    subprocess.run([SCANLAB, "grade", lab, *options, "--submission", where,
                    "--seed", "1", "--device", "vgpu", "--format", "json", "-v",
                    "-o", path, "--report",
                    f"html={path.with_suffix('.html')}"], cwd=ROOT, check=False)
    return path


def outcomes(path):
    """Those of the checks that did not pass, by kind."""
    whole = json.loads(path.read_text())
    return {check["outcome"]["kind"]: check
            for lab in whole["labs"] for check in lab["checks"]
            if check["outcome"]}


def same(name, got, wanted):
    if got != wanted:
        sys.exit(f"{name}: {got}, expected {wanted}")


def in_c():
    right = "reference/cpu_scan.c"
    cases = {
        "c-right": (right, None, ""),
        "c-stub": ("student/cpu_scan.c", None, ""),
        "c-broken": (right, None, "this is not C;\n"),
        "c-wrong": (right, "tests/mutants/cpu-scan/"
                    "inclusive-leaves-itself-out.patch", ""),
        "c-forks": ("tests/cheats/cpu-scan.forks.c", None, ""),
        "c-crashes": ("tests/cheats/cpu-scan.stack-overflow.c", None, ""),
        "c-writes": ("tests/cheats/cpu-scan.writes-past-the-end.c", None, ""),
    }
    only = {"c-right": "speed-threads", "c-wrong": "inclusive"}
    paths = {name: grade("cpu-scan", folder(name, *what),
                         *(["--check", only[name]] if name in only else []))
             for name, what in cases.items()}
    found = {name: outcomes(path) for name, path in paths.items()}
    # Beside other work its threads may be slow: a check without points.
    same("right", set(found["c-right"]) - {"ratio"}, set())
    check = json.loads(paths["c-right"].read_text())["labs"][0]["checks"][0]
    same("turns", check["measured"]["ratio"]["turns"] > 0, True)
    same("stub", "not-implemented" in found["c-stub"], True)
    same("skipped", found["c-stub"]["needs"]["status"], "skip")
    same("broken", list(found["c-broken"]), ["not-compiled"])
    same("refused", "refused" in json.dumps(found["c-forks"]), True)
    same("crash", "crashed" in found["c-crashes"], True)
    past = found["c-writes"]["crashed"]["outcome"]
    same("past the end", [past["case"]["n"], *(f["id"] for f in past["facts"])],
         [0, "crashed", "past-end", "nothing-there"])
    same("its line", [past["place"]["file"], past["place"]["line"] > 0],
         ["cpu_scan.c", True])
    line = past["place"]["line"]
    words = (OUT / "c-writes/cpu_scan.c").read_text().split("\n")[line - 1]
    same("its words", f' here" data-line="{line}">{html.escape(words, False)}\n'
         in paths["c-writes"].with_suffix(".html").read_text(), True)
    wrong = found["c-wrong"]["difference"]["outcome"]["difference"]
    window, first = wrong["window"], wrong["first"]
    at = first["index"] - window["from"]
    same("shape", wrong["shape"]["id"], "exclusive-for-inclusive")
    same("expected", window["expected"][at], first["expected"])
    same("got", window["got"][at], first["got"])
    same("input", (first["expected"] - first["got"] - window["in"][at]) % 2**32,
         0)
    return list(paths.values())


def in_cuda():
    naive = "tests/mutants/naive/"
    slow = grade("naive", folder("many", "reference/naive.cu",
                                 naive + "copies-back.patch"))
    race = grade("naive", folder("race", "reference/naive.cu",
                                 naive + "in-place.patch"))
    check = outcomes(slow)["bound"]
    broken = [b for b in check["measured"]["bounds"] if not b["holds"]]
    same("bound", "global_read_sectors" in [b["counter"] for b in broken], True)
    same("over it", broken[0]["count"] > broken[0]["bound"], True)
    same("variables", broken[0]["variables"]["n"], check["outcome"]["case"]["n"])
    found = outcomes(race)["finding"]["outcome"]
    same("finding", found["finding"]["kind"], "global-race")
    for place in found["place"], found["finding"]["other_access"]:
        same("place", place["file"], "naive.cu")
        same("line", place["line"] > 0, True)
        same("thread", len(place["thread"]), 3)
    return [slow, race]


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    grades = in_c() if sys.argv[3] == "c" else in_cuda()
    return subprocess.run([ROOT / "tools/grade_schema.py", *grades],
                          check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
