#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""timeline.py VGPU PROGRAM [ARGUMENT...]: a timeline is valid by the format's
description (trace_events.py), and says what the report says: as many blocks
and launches as are counted, from the launch's start to its end, each warp's
phases without a gap; a run without one has the same counts. With the argument
`self` the checker itself is checked: it refuses what is wrong."""
import json
import os
import subprocess
import sys
import tempfile

import trace_events


def refused(events):
    names = [{"ph": "M", "pid": 1, "tid": 1, "name": "thread_name",
              "args": {"name": "a"}}]
    text = json.dumps({"displayTimeUnit": "ns", "traceEvents": names + events})
    try:
        trace_events.check(text)
    except trace_events.Wrong:
        return True
    return False


def check_checker():
    def span(ts, dur, **more):
        return {"ph": "X", "pid": 1, "tid": 1, "name": "a", "cat": "c",
                "ts": ts, "dur": dur, **more}

    def flow(ph, ts, **more):
        return {"ph": ph, "pid": 1, "tid": 1, "name": "m", "cat": "m",
                "ts": ts, "id": 1, **more}
    good = [span(0, 4), span(1, 2), span(4, 1)]
    assert not refused(good)
    assert not refused(good + [flow("s", 1), flow("f", 4.5, bp="e")])
    assert refused([span(0, 4), span(3, 2)])  # overlap
    assert refused([span(3, 1), span(0, 1)])  # back in time
    assert refused([span(0, -1)])
    assert refused([span(0, 1.0005)])  # half a ns
    assert refused([span("0", 1)])
    assert refused([span(0, 1, tid=2)])  # no name
    assert refused([{"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 1}])
    assert refused([span(0, 1, ph="Q")])
    assert refused(good + [flow("s", 1)])
    assert refused(good + [flow("f", 1)])
    assert refused(good + [flow("s", 3), flow("f", 1)])
    assert refused(good + [flow("s", 1), flow("f", 9)])  # in no span


def run(vgpu, program, *options):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        trace = os.path.join(folder, "trace")
        options = [option.replace("TRACE", trace) for option in options]
        done = subprocess.run(
            [vgpu, "--check=none", "--format=json", *options, "-o", report,
             *program], stdout=subprocess.DEVNULL, check=False)
        assert done.returncode == 0, done
        with open(report, encoding="utf-8") as file:
            seen = json.load(file)
        if not os.path.exists(trace):
            return seen, None
        with open(trace, encoding="utf-8") as file:
            return seen, file.read()


def check_program(vgpu, program, clock):
    seen, text = run(vgpu, program, f"--clock={clock}", "--timeline=TRACE")
    plain, none = run(vgpu, program, f"--clock={clock}")
    assert none is None and plain["counts"] == seen["counts"]
    trace, events = trace_events.check(text)
    assert trace["otherData"]["profile"] == clock
    assert not any(trace["otherData"]["left_out"].values())
    of = {cat: [e for e in events["X"] if e["cat"] == cat]
          for cat in ("block", "command", "call", "run", "wait")}
    assert len(of["block"]) == seen["counts"]["blocks"]
    kernels = [e for e in of["command"] if "args" in e]
    assert len(kernels) == seen["counts"]["launches"]
    for kernel, launch in zip(kernels, seen["launches"]):
        assert kernel["name"] == launch["kernel"]
        ns = trace_events.nanoseconds(kernel["dur"])
        assert abs(1000 * ns - launch["model_ps"]) < 1000
        end = kernel["ts"] + kernel["dur"] + 1e-6
        for block in of["block"]:
            if block["args"] == kernel["args"]:
                assert kernel["ts"] < block["ts"]
                assert block["ts"] + block["dur"] <= end
    phases = of["run"] + of["wait"]
    warps = sum(sum(launch["warps_ps"].values()) for launch in seen["launches"])
    spans = sum(trace_events.nanoseconds(e["dur"]) for e in phases)
    # A warp's phases follow each other: it is off by less than a ns.
    ran = seen["counts"]["blocks"] * 32
    assert abs(1000 * spans - warps) < 1000 * ran
    data = seen["timeline"]
    assert [(int(from_ps / 1000), int(to_ps / 1000))
            for *_, from_ps, to_ps in data["blocks"]] == \
        [(a, a + trace_events.nanoseconds(e["dur"])) for e in of["block"]
         for a in [trace_events.nanoseconds(e["ts"])]]
    assert len(data["messages"]) == len(events.get("s", []))
    return events


def main():
    if sys.argv[1] == "self":
        check_checker()
        return
    vgpu, *program = sys.argv[1:]
    check_program(vgpu, program, "h200")
    check_program(vgpu, program, "teach")
    steps = subprocess.run([vgpu, "--clock=pram", "--timeline=x", *program],
                           capture_output=True, text=True, check=False)
    assert steps.returncode == 2 and "steps" in steps.stderr, steps


main()
