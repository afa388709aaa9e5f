#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""why.py VGPU PROGRAM [ARGUMENT...]: where a CUDA program's model time went,
as JSON and as text. On each profile: every launch's path adds up to its model
time, the lines to the launches, the pieces of the longest path follow each
other from its start to its end; and a run that keeps none of it has the same
counts."""
import json
import subprocess
import sys
import tempfile

vgpu, *program = sys.argv[1:]


def run(*options):
    with tempfile.NamedTemporaryFile("r") as out:
        done = subprocess.run([vgpu, "--check=none", *options, "-o", out.name,
                               *program], stdout=subprocess.DEVNULL,
                              check=False)
        assert done.returncode == 0, done
        return out.read()


def total(times):
    return sum(times.values())


def check(clock):
    seen = json.loads(run(f"--clock={clock}", "--profile", "--format=json"))
    plain = json.loads(run(f"--clock={clock}", "--format=json"))
    assert seen["counts"] == plain["counts"]
    assert "clock" not in plain and "path_ps" not in plain["launches"][0]
    why, launches = seen["clock"], seen["launches"]
    assert why["paths_cut"] == 0 and why["profile"] == clock
    for launch in launches:
        assert total(launch["path_ps"]) == launch["model_ps"], launch
        assert "unknown" not in launch["path_ps"]
        assert launch["model_ps"] // 1000 == launch["counts"]["model_ns"]
    whole = sum(launch["model_ps"] for launch in launches)
    assert total(why["path_ps"]) == why["launches_ps"] == whole
    lines = sum(total(line["path_ps"]) for line in seen["lines"])
    assert lines + why["path_ps"].get("processors", 0) == whole
    host = why["device_ps"] - why["launches_ps"] - why["between_ps"]
    assert host >= 0
    if len(launches) > 1 and clock in ("teach", "h200"):
        assert why["between_ps"] > 0
    warps = sum(total(line["warps_ps"]) for line in seen["lines"])
    assert warps == total(why["warps_ps"])
    longest, at = why["longest_launch"], 0
    assert longest["left_out"] == 0
    for piece in longest["pieces"]:
        assert piece["from_ps"] == at < piece["to_ps"], piece
        at = piece["to_ps"]
    launch = launches[longest["launch"] - 1]
    assert longest["kernel"] == launch["kernel"]
    assert at + launch["path_ps"].get("processors", 0) == launch["model_ps"]
    return seen


for profile in "teach", "h200", "pram", "kmodel":
    check(profile)
text = run("--clock=teach", "--profile")
for part in "Where model time went", "cause", "The path of launch", "launch":
    assert part in text, text
assert max(map(len, text.splitlines())) <= 100, text
assert "model time went" not in run("--clock=teach")
assert "model time went" not in run("--profile")
