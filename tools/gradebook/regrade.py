# SPDX-License-Identifier: MIT
"""Requests to grade again, as a file: `[files] requests` in the policy, with the columns

    student, lab, request    what a student asks
    decision                 open (or empty), kept, changed
    points                   of the lab, where it is changed: instead of the graded ones
    who, answer              of the teacher; with a decision both

What is open is counted and makes the exit status 1. `changed` is an override, of which the
student reads who and why; `kept` is a comment."""
import csv
import io

import table
import words
from translate import _

DECISIONS = OPEN, KEPT, CHANGED = "open", "kept", "changed"


def read_requests(reader, path):
    """Into the policy of a reader: policy.requests, and what is decided into policy.owns."""
    rows = table.Table(path)
    at = reader.columns(rows, "student", "lab", "request", "decision")
    for row in range(1, len(rows.rows)):
        found = {name: words.line(rows.value(row, at[name]).strip(), 1000) if name in at else ""
                 for name in ("student", "lab", "request", "decision", "points", "who", "answer")}
        if not any(found.values()):
            continue
        where = _("row {n}", n=row + 1)
        if not found["student"]:
            raise reader.wrong(where, _("whose it is does not stand there"))
        reader.lab(where, found["lab"])
        found["decision"] = found["decision"].casefold() or OPEN
        if found["decision"] not in DECISIONS:
            raise reader.wrong(where, 
                _("decision: '{text}' is none of {decisions}", text=found["decision"][:40],
                  decisions=", ".join(DECISIONS)))
        if found["decision"] != OPEN and not (found["who"] and found["answer"]):
            raise reader.wrong(where, _("a decision says `who` and `answer`"))
        if bool(found["points"]) != (found["decision"] == CHANGED):
            raise reader.wrong(where, _("`points` go with the decision changed, and only with it"))
        decide(reader, where, found)
        reader.policy.requests.append(found)


def decide(reader, where, found):
    if found["decision"] == OPEN:
        return
    own = reader.own(found["student"], found["lab"])
    if found["decision"] == KEPT:
        answer = _("asked again: {answer}", answer=found["answer"])
        own.comment = "; ".join(filter(None, [own.comment, answer]))
        return
    if own.override is not None:
        raise reader.wrong(where, _("{who} has an override of {lab} already", who=found["student"],
                                    lab=found["lab"]))
    reader.set(own, "student", where, "override", found["points"])
    own.who, own.why = found["who"], found["answer"]  # also where points were added before
    own.tell = True  # it answers the student


def listed(policy):
    """All of them, for the file requests.csv."""
    out = io.StringIO(newline="")
    rows = csv.writer(out, lineterminator="\n")
    names = ["student", "lab", "request", "decision", "points", "who", "answer"]
    rows.writerow(names)
    rows.writerows([words.cell(found[name]) for name in names]
                   for found in sorted(policy.requests, key=lambda f: (
                       DECISIONS.index(f["decision"]), f["student"], f["lab"])))
    return out.getvalue()
