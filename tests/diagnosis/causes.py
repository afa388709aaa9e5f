#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds unseen.csv, what a reader thought of each message, to the messages.

    causes.py [--every N] [--only TEXT] [-j N] [--alone] SCANLAB OUT

unseen.csv has a row for each submission in unseen/: which check a student reads of
first, does the message name the true cause (VERDICTS), the words that decided, and
where it does not, what a teacher would have said. This grades the submissions and
writes OUT/told.txt: of each its cause, and what a student reads first. It fails
where the words do not stand there, where another check comes first, or where a
submission has no row, or a row no submission: then somebody has to read that message
and write its row anew.
--alone: each in the named check only, which a push has time for.
Exit status: 0 the table is true, 1 not."""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/tools"), str(ROOT / "tests/points"),
                str(ROOT / "vgpu/tests/tools")]
sys.dont_write_bytecode = True
import case  # noqa: E402
import graded  # noqa: E402
import points  # noqa: E402

UNSEEN = ROOT / "tests/diagnosis/unseen"
TABLE = UNSEEN.with_suffix(".csv")
VERDICTS = "yes", "by rule", "partly", "no", "misleading"
SENTENCES = 3  # after them a student begins to guess himself
AND, OR = " ... ", " || "  # between words of several places, of several runs
PASSES = "passes"  # what is read of one that no check finds out in some runs


def readings():
    """The rows, by submission."""
    with TABLE.open(newline="") as file:
        rows = {row["submission"]: row for row in csv.DictReader(file)}
    for name, row in rows.items():
        if row["verdict"] not in VERDICTS or not row["words"] or \
                (row["verdict"] == "yes") == bool(row["teacher"]):
            sys.exit(f"{TABLE.name}: {name}: no verdict, no words, or what a "
                     "teacher would have said of a 'yes' or not of another")
    return rows


def told(check):
    """What is read of a check at first: its first sentences, and below the first
    the line "cause", or "about"."""
    why = bool(check["cause"] or check.get("about"))
    return graded.lines_of(check)[:SENTENCES + why]


def grade(scanlab, path, out, check):
    """The first check that fails, and the whole text report."""
    lab = path.parent.name
    folder = out / f"{lab}.{path.stem}"
    points.make(points.Line(str(path), "mistake", "unseen", 0, 100, "", 0), folder)
    report, text = folder / "report.json", out / f"{lab}.{path.stem}.txt"
    done = subprocess.run(
        [scanlab, "grade", lab, "--submission", folder, "--device", "vgpu",
         "--seed", "1", "--repairs", "0", *(["--check", check] if check else []),
         "-o", text, "--report", f"json={report}"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{path}: {done.stderr}")
    checks = json.loads(report.read_text())["labs"][0]["checks"]
    shutil.rmtree(folder)
    return next((c for c in checks if c["status"] == "fail"), None)


def show(name, header, check, file):
    print(f"== {name}: {header.one('what')}\n   CAUSE: {header.one('cause')}",
          file=file)
    if check:
        print(f"   [{check['id']}]", *told(check), sep="\n   | ", file=file)
    else:
        print("   passes", file=file)
    file.flush()


def says(words, text):
    """Are these words there?"""
    return any(all(part in text for part in either.split(AND))
               for either in words.split(OR))


def complaint(name, row, check):
    """What is no longer true of the row, or nothing."""
    if not row:
        return f"{name}: nobody has read its message"
    text = " ".join(told(check)) if check else PASSES
    if not says(row["words"], text):
        return f"{name}: does not say '{row['words']}' but: {text}"
    if check and check["id"] != row["check"]:
        return f"{name}: {check['id']} comes first, not {row['check']}"
    return None


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--only", default="")
    p.add_argument("-j", type=int, default=1)
    p.add_argument("--alone", action="store_true")
    p.add_argument("scanlab")
    p.add_argument("out", type=pathlib.Path)
    a = p.parse_args()
    rows = readings() if TABLE.exists() else {}
    paths = {f"{path.parent.name}/{path.stem}": path
             for path in sorted(UNSEEN.glob("*/*.*"))}
    bad = [f"{name}: there is no such submission" for name in rows.keys() - paths]
    names = [name for name in paths if a.only in name][::a.every]
    a.out.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(a.j) as pool, \
            (a.out / "told.txt").open("w") as file:
        checks = pool.map(
            lambda name: grade(a.scanlab, paths[name], a.out.resolve(),
                               a.alone and rows.get(name, {}).get("check")), names)
        for name, check in zip(names, checks):
            show(name, case.read(paths[name], graded.KEYS + " lines")[0], check, file)
            bad += filter(None, [complaint(name, rows.get(name), check)])
    print(*bad, f"{len(names)} messages, {len(bad)} not as they were read", sep="\n")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
