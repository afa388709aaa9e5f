#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs suites of litmus tests that others publish, and reports per suite.

usage: suites.py VGPU [FOLDER[,EXPECTED.csv]...] [--runs N]

Without folders those in VGPU_LITMUS_SUITES, with spaces between them. A
folder is searched for *.litmus; EXPECTED.csv has lines PATH,0 or PATH,1. Exit
status: 1 when an outcome was seen that is forbidden; 77 when there is no suite.
"""
import collections
import os
import re
import subprocess
import sys


def lines_of(vgpu, folder, expected, runs):
    command = [vgpu, "litmus", "-q", "-n", str(runs)]
    if expected:
        command += ["--expected", expected]
    done = subprocess.run(command + [folder], stdout=subprocess.PIPE,
                          text=True, check=False)
    return done.stdout.splitlines()


def report(folder, lines):
    refused, unseen, forbidden, path = collections.Counter(), [], [], ""
    for line in lines:
        found = re.match(r"(.*): refused: (?:line \d+: )?(.*)", line)
        if found:
            refused[found.group(2)] += 1
        elif line.endswith(".litmus"):
            path = line
        elif line.endswith("FORBIDDEN, and seen"):
            forbidden.append(path)
        elif line.endswith("and not seen"):
            unseen.append(path)
    print(f"{folder}: {lines[-1] if lines else 'nothing was run'}")
    for title, paths in (("forbidden, and seen", forbidden),
                         ("allowed, and not seen", unseen)):
        for path in paths:
            print(f"  {title}: {os.path.relpath(path, folder)}")
    for why, n in refused.most_common():
        print(f"  {n} refused: {why}")
    return bool(forbidden) or not lines


def main(vgpu, *words):
    runs, folders = 2000, list(words)
    if "--runs" in folders:
        at = folders.index("--runs")
        runs = int(folders[at + 1])
        del folders[at:at + 2]
    folders = folders or os.environ.get("VGPU_LITMUS_SUITES", "").split()
    if not folders:
        print("SKIP: VGPU_LITMUS_SUITES names no folder of litmus tests")
        return 77
    wrong = False
    for word in folders:
        folder, _, expected = word.partition(",")
        wrong |= report(folder, lines_of(vgpu, folder, expected, runs))
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
