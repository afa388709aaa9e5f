# SPDX-License-Identifier: MIT
"""trace_events.py: is a file what the Trace Event Format describes, as far as
we write it? Complete events (X), flows (s, f) and metadata (M) of the JSON
object format, by the format's description: required members and their types;
spans of one track nest or follow each other, in order of their starts; flows
have one start and one end, in that order, each inside a span of its track."""
import json
import sys

NUMBER = (int, float)
REQUIRED = {  # besides ph, pid, tid
    "X": {"name": str, "cat": str, "ts": NUMBER, "dur": NUMBER},
    "s": {"name": str, "cat": str, "ts": NUMBER, "id": (int, str)},
    "f": {"name": str, "cat": str, "ts": NUMBER, "id": (int, str)},
    "M": {"name": str, "args": dict},
}
METADATA = {"process_name": ("name", str), "thread_name": ("name", str),
            "thread_sort_index": ("sort_index", int)}


class Wrong(Exception):
    pass


def need(holds, *words):
    if not holds:
        raise Wrong(*words)


def nanoseconds(microseconds):
    """Perfetto keeps no more: spans that touch, with a rest, would overlap."""
    ns = round(microseconds * 1000)
    need(abs(ns - microseconds * 1000) < 1e-4, "no whole ns", microseconds)
    return ns


def check_members(event):
    ph = event.get("ph")
    need(ph in REQUIRED, "unknown phase", event)
    for name, kind in {**REQUIRED[ph], "pid": int, "tid": int}.items():
        need(isinstance(event.get(name), kind), name, event)
        need(not isinstance(event[name], bool), name, event)
    if ph == "M":
        need(event["name"] in METADATA, "unknown metadata", event)
        member, kind = METADATA[event["name"]]
        need(isinstance(event["args"].get(member), kind), member, event)
    else:
        need(event["ts"] >= 0 and event.get("dur", 0) >= 0, "negative", event)
    if ph == "f":
        need(event.get("bp", "e") == "e", "bp", event)


def check_track(spans):
    """Spans in the file's order: starts do not go back, and a span ends in the
    one that it starts in."""
    opened, last = [], -1
    for start, end, event in spans:
        need(start >= last, "starts before the one in front of it", event)
        last = start
        while opened and opened[-1] <= start:
            opened.pop()
        need(not opened or end <= opened[-1], "overlaps", event)
        opened.append(end)


def check_flows(flows, tracks):
    for key, events in flows.items():
        phases = [event["ph"] for event in events]
        need(phases == ["s", "f"], "no start and end", key, phases)
        start, end = events
        need(start["ts"] <= end["ts"], "ends before it starts", end)
        for event in events:
            at = nanoseconds(event["ts"])
            track = tracks.get((event["pid"], event["tid"]), [])
            need(any(a <= at <= b for a, b, _ in track), "in no span", event)


def check(text):
    """The events by phase."""
    trace = json.loads(text)
    need(isinstance(trace, dict) and isinstance(trace.get("traceEvents"), list),
         "no object with traceEvents")
    need(trace.get("displayTimeUnit") in ("ms", "ns"), "displayTimeUnit")
    tracks, flows, names, by_phase = {}, {}, set(), {}
    for event in trace["traceEvents"]:
        check_members(event)
        by_phase.setdefault(event["ph"], []).append(event)
        track = event["pid"], event["tid"]
        if event["ph"] == "X":
            start = nanoseconds(event["ts"])
            end = start + nanoseconds(event["dur"])
            tracks.setdefault(track, []).append((start, end, event))
        elif event["ph"] in "sf":
            key = event["cat"], event["name"], event["id"]
            flows.setdefault(key, []).append(event)
        else:
            name = event["name"], event["pid"], event["tid"]
            need(name not in names, "named twice", event)
            names.add(name)
    for track, spans in tracks.items():
        need(("thread_name", *track) in names, "a track without a name", track)
        check_track(spans)
    check_flows(flows, tracks)
    return trace, by_phase


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        check(file.read())
