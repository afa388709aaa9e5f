#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""heldout.py [--every K] [--first N] [-j N] [--csv FILE] SCANLAB OUT: of the submissions in heldout.tar.xz,
whole files by somebody who had seen neither grader nor tests, how often the line of the
mistake (heldout.csv) is marked. Whoever reads one of them while he writes rules makes
it useless: it shows what rules do where nobody looked."""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import subprocess
import sys
import tarfile

import lines

HERE = pathlib.Path(__file__).resolve().parent


def submissions():
    """(lab, name, its text, the lines of the mistake)"""
    with tarfile.open(HERE / "heldout.tar.xz") as archive, \
            open(HERE / "heldout.csv", newline="") as rows:
        for row in csv.DictReader(rows):
            text = archive.extractfile(f"{row['lab']}/{row['file']}").read().decode()
            yield row["lab"], row["file"], text, {int(n) for n in row["lines"].split()}


def look(scanlab, out, lab, name, text, true):
    source = lines.points.SOURCES[lab]
    folder = out / f"{lab}.{pathlib.Path(name).stem}"
    report = folder.with_suffix(folder.suffix + ".json")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / source).write_text(text)
    done = subprocess.run([scanlab, "grade", lab, "--submission", folder, "--device",
                           "vgpu", "--seed", "1", "-f", "json", "-o", report],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{lab}/{name}: {done.stderr}")
    path = pathlib.Path(lab, name)
    failed = [c for c in json.loads(report.read_text())["labs"][0]["checks"]
              if c["status"] == "fail"]
    if not failed:
        return lines.Seen(path, lab, "", "right", [], true, [], "")
    spots = failed[0].get("source") or []
    at = [s["line"] for s in spots if s["file"] == source]
    of_mistake = set().union(*(lines.statement(text.splitlines(), n) for n in true))
    hit = [n in of_mistake for n in at]
    verdict = "none" if not spots else "first" if hit[:1] == [True] else \
        "marked" if any(hit) else "other"
    strange = [n for n in at if n in lines.given_lines(text, lab) - of_mistake]
    return lines.Seen(path, lab, failed[0]["id"], verdict, strange, true,
                      [f"{s['kind']}:{s['line']}" for s in spots], failed[0]["message"])


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--first", type=int, default=1, help="begin with that one")
    p.add_argument("-j", type=int, default=1)
    p.add_argument("--csv", type=pathlib.Path)
    p.add_argument("scanlab")
    p.add_argument("out", type=pathlib.Path)
    a = p.parse_args()
    seen = []
    with concurrent.futures.ThreadPoolExecutor(a.j) as pool:
        for s in pool.map(lambda one: look(a.scanlab, a.out, *one),
                          list(submissions())[a.first - 1::a.every]):
            seen.append(s)
            print(f"{s.path}: {s.verdict}", file=sys.stderr, flush=True)
    fail = [s for s in seen if s.verdict != "right"]
    lines.table(fail)
    print(f"{len(seen) - len(fail)} of {len(seen)} fail no check")
    shown = sum(len(s.spots) for s in fail) / max(1, len(fail))
    marked = sum(s.verdict in ("first", "marked") for s in fail)
    print(f"{marked} of {len(fail)} marked, {shown:.1f} lines on average")
    if a.csv:
        with open(a.csv, "w", newline="") as f:
            rows = csv.writer(f)
            rows.writerow(lines.Seen._fields)
            rows.writerows(seen)


if __name__ == "__main__":
    main()
