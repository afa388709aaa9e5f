#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the grader's points to those that teachers give.

    points.py [--every N] [--only TEXT] [-j N] [--seeds N] SCANLAB OUT

readings.txt has a line for each submission of the corpus:

    path | kind | group | teacher's range | reading A | reading B | reason

Each reading was made from the source, by somebody who had not seen the grader's
answer. This grades each submission (its lab alone), writes OUT/points.csv, prints
how far the grader is from the teacher's range, and fails unless 95 of 100 lie
within NEAR points of it, none is more than FAR away, and nothing dishonest has
more than NEAR above it. --every N: each N-th line only, which a push runs; then
one of 20 may lie outside. --seeds N: each under so many seeds; the points of each
may then differ by NEAR, those of an honest one not at all.
Exit status: 0 as it must be, 1 not.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEAR, FAR, SHARE, WIDEST = 5, 15, 95, 6
DISHONEST = "cheat", "laundered", "size-specific", "serial"
KINDS = "mistake", "honest", *DISHONEST
SOURCES = {ini.parent.name.split("-", 1)[1]:
           re.search(r"(?m)^source = (\S+)", ini.read_text())[1]
           for ini in ROOT.glob("labs/*/lab.ini")}
Line = collections.namedtuple("Line", "path kind group low high reason number")


def range_of(text, where):
    found = re.fullmatch(r"(\d+)\.\.(\d+)", text)
    if not found or not int(found[1]) <= int(found[2]) <= 100 or \
            int(found[2]) - int(found[1]) > WIDEST:
        sys.exit(f"{where}: '{text}' is no range of at most {WIDEST} points")
    return int(found[1]), int(found[2])


def read(path):
    lines = []
    for number, text in enumerate(path.read_text().splitlines(), 1):
        if not text or text.startswith("#"):
            continue
        where, parts = f"{path.name}:{number}", [p.strip() for p in text.split("|")]
        if len(parts) != 7 or not parts[6]:
            sys.exit(f"{where}: not seven parts")
        if parts[1] not in KINDS or parts[2] not in ("seen", "unseen"):
            sys.exit(f"{where}: no kind or group: {parts[1]}, {parts[2]}")
        if not (ROOT / parts[0]).is_file():
            sys.exit(f"{where}: {parts[0]} is not there")
        for reading in parts[3:6]:
            range_of(reading, where)
        lines.append(Line(*parts[:3], *range_of(parts[3], where), parts[6], number))
    return lines


def lab_of(path):
    """tests/points/LAB/NAME.patch, tests/cheats/LAB.NAME.cu"""
    parent = path.parent.name
    return parent if parent in SOURCES else path.name.split(".")[0]


def make(line, folder):
    """The submission, as a student hands it in; its lab."""
    path = ROOT / line.path
    lab = lab_of(path)
    source = folder / SOURCES[lab]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for header in path.parent.glob("*.h"):
        shutil.copy(header, folder)
    if path.suffix == ".patch":
        shutil.copy(ROOT / "reference" / source.name, source)
        for header in (ROOT / "reference").glob("*.h"):
            shutil.copy(header, folder)
        subprocess.run(["patch", "--silent", "--no-backup-if-mismatch", "--fuzz=0",
                        source, path], check=True)
    else:
        shutil.copy(path, source)
    subprocess.run(["unifdef", "-b", "-DSOLUTION", "-o", source, source])
    return lab


def grade(scanlab, line, out, seed):
    """Its points without bonus; and what they were lost for."""
    folder = out / f"{line.number}"
    lab = make(line, folder)
    report = folder.with_suffix(f".{seed}.json")
    done = subprocess.run([scanlab, "grade", lab, "--submission", folder, "--device",
                           "vgpu", "--seed", str(seed), "--repairs", "0",
                           "--format", "json", "--output", report], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return None, done.stderr.strip()
    checks = json.loads(report.read_text())["labs"][0]["checks"]
    lost = [f"{c['id']} {c['score'] - c['max_score']}" for c in checks
            if c["score"] < c["max_score"]]
    return sum(c["score"] for c in checks if not c.get("bonus")), ", ".join(lost)


def distance(line, points):
    return max(line.low - points, points - line.high, 0)


class Judgement:
    def __init__(self):
        self.n = self.near = 0
        self.bad = []

    def take(self, line, points, lost, all_points):
        far = distance(line, points)
        self.n += 1
        self.near += far <= NEAR
        if far > NEAR:
            sign = "above" if points > line.high else "below"
            print(f"{line.path}: {points}, {far} {sign} {line.low}..{line.high} "
                  f"({line.kind}: {line.reason}) lost: {lost}", flush=True)
        if far > FAR:
            self.bad.append(f"{line.path}: {far} points away")
        if line.kind in DISHONEST and points > line.high + NEAR:
            self.bad.append(f"{line.path}: {line.kind}, and {points} points")
        spread = max(all_points) - min(all_points)
        if spread > (0 if line.kind == "honest" else NEAR):
            self.bad.append(f"{line.path}: {sorted(set(all_points))} under seeds")

    def end(self):
        least = self.n * SHARE // 100 if self.n >= 20 else self.n - 1
        print(f"{self.n} submissions, {self.near} within {NEAR} points of the "
              f"teacher's range ({100 * self.near / max(self.n, 1):.1f} %)")
        if self.near < least:
            self.bad.append(f"only {self.near} of {self.n} are near")
        print(*self.bad, sep="\n")
        return 1 if self.bad or not self.n else 0


def main():
    words = argparse.ArgumentParser(usage=__doc__)
    words.add_argument("scanlab")
    words.add_argument("out", type=pathlib.Path)
    words.add_argument("--every", type=int, default=1)
    words.add_argument("--only", default="")
    words.add_argument("--seeds", type=int, default=1)
    words.add_argument("-j", type=int, default=1)
    given = words.parse_args()
    lines = [l for l in read(ROOT / "tests/points/readings.txt")
             if given.only in f"{l.path} {l.kind} {l.group}"][::given.every]
    given.out.mkdir(parents=True, exist_ok=True)
    judgement = Judgement()
    with concurrent.futures.ThreadPoolExecutor(given.j) as pool, \
            open(given.out / "points.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["path", "kind", "group", "low", "high", "points", "lost"])
        seeds = range(1, given.seeds + 1)
        for line, found in zip(lines, pool.map(
                lambda l: [grade(given.scanlab, l, given.out.resolve(), s)
                           for s in seeds], lines)):
            if any(points is None for points, _ in found):
                judgement.bad.append(f"{line.path}: {found[0][1]}")
                continue
            points, lost = found[0]
            table.writerow([line.path, line.kind, line.group, line.low, line.high,
                            points, lost])
            judgement.take(line, points, lost, [p for p, _ in found])
    return judgement.end()


if __name__ == "__main__":
    sys.exit(main())
