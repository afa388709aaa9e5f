#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py VGPU PROGRAM RECORDED: clusters.cu on the virtual GPU prints, word for word, what it printed on a GPU.

Whatever the schedule, the memory model and the profile are; and no check finds anything but the launches that are
refused on a GPU, too.
"""
import json
import subprocess
import sys
import tempfile

RUNS = [
    ["--device", "h200"],
    ["--device", "teach90", "--schedule", "reverse"],
    ["--clock=h200"],
    *(["--device", "teach90", "--schedule", f"random:{s}", "--memory-model", f"weak:{s}"] for s in (1, 2, 3)),
]


def main(vgpu, program, recorded):
    expected = [line for line in open(recorded, encoding="utf-8").read().splitlines() if not line.startswith("#")]
    bad = False
    for options in RUNS:
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            all_options = ["--racecheck", "--ordercheck", *options, "--format", "json", "-o", report.name]
            run = subprocess.run([vgpu, *all_options, program], capture_output=True, text=True, check=False)
            found = json.load(open(report.name, encoding="utf-8"))["findings"]
        got = run.stdout.splitlines()
        for a, b in zip(expected, got):
            if a != b:
                print(" ".join(options), "\n  on a GPU:", a[:400], "\n  here:    ", b[:400])
                bad = True
        bad |= len(got) != len(expected)
        others = [f for f in found if f["kind"] != "bad-launch"]
        for f in others:
            print(" ".join(options), f["kind"], f.get("message", "")[:300])
        bad |= bool(others) or not found
    print(f"{len(expected)} lines, {len(RUNS)} runs")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
