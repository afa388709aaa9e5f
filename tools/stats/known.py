# SPDX-License-Identifier: MIT
"""What is known of a class: what `scanlab class` has kept in OUT.

Two forms: with names, for staff; and anonymous(), for all, of which nothing can
be traced to a person: no names, keys or times, no hidden checks, and an order
that results alone decide. Both have numbers and ids of the grader's own tables;
sentences of reports, in which a submission may have words, are in neither."""
import contextlib
import dataclasses
import json
import os
import sqlite3

from translate import _

LEDGER, GRADEBOOK = "ledger.sqlite3", "gradebook.sqlite3"
UNFINISHED = "unfinished"
# A check's states, worst to best; TODO: not begun; WAITS: for another check.
TODO, WAITS, FAIL, PASS = "todo", "skip", "fail", "pass"
ABSENT = "absent"  # the lab was not handed in, or nobody could read it
# A lab's states in which nobody has made a mistake in it.
LOOK_AT, NOT_HANDED_IN = "needs a look", "not handed in"


class Unusable(Exception):
    """Why nothing can be shown."""


@dataclasses.dataclass
class Check:
    lab: str
    id: str
    title: str
    kind: str
    hidden: bool
    max_score: int


@dataclasses.dataclass
class Student:
    key: str = ""
    names: tuple = ()
    status: str = "graded"
    late: bool = False
    score: int = 0
    attempts: int = 1
    states: dict = dataclasses.field(default_factory=dict)     # (lab, check): state
    points: dict = dataclasses.field(default_factory=dict)     # (lab, check): points
    diagnoses: dict = dataclasses.field(default_factory=dict)  # (lab, check): [kind, id]
    counts: dict = dataclasses.field(default_factory=dict)     # (lab, check): [[...]]
    speeds: dict = dataclasses.field(default_factory=dict)     # (lab, check): (what, value)


@dataclasses.dataclass
class Known:
    students: list
    checks: list   # of all labs, in their order
    labs: list     # (id, title)
    others: dict   # status: how many have no grade
    device: str
    max_score: int = 0

    def anonymous(self):
        """For everybody's eyes."""
        checks = [c for c in self.checks if not c.hidden]
        shown = {(c.lab, c.id) for c in checks}
        students = []
        for s in self.students:
            kept = {field: {k: v for k, v in getattr(s, field).items() if k in shown}
                    for field in ("states", "points", "diagnoses", "counts")}
            students.append(Student(attempts=s.attempts, score=sum(
                kept["points"].values()), **kept))
        students.sort(key=lambda s: (-s.score, json.dumps(
            [sorted(f.items()) for f in (s.states, s.points, s.diagnoses, s.counts)] +
            [s.attempts])))
        return Known(students, checks, self.labs, self.others, self.device,
                     sum(c.max_score for c in checks))


def state(check):
    if check["status"] == "skip":
        return WAITS
    if check["status"] == "pass":
        return PASS
    return TODO if check["diagnosis"][0] == "not-implemented" else FAIL


def speed(check):
    """As the graders' own leaderboards have it (grader/report/measure.c)."""
    if check["status"] != "pass":
        return None
    if "ratio" in check:
        return "throughput", check["ratio"]
    return next((("model time", count) for counter, count, *_ in check.get("counts", [])
                 if counter == "model_ns"), None)


# ---- files ----

def rows(path, words):
    """Read only; nobody's table is made or changed."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{quoted(path)}?mode=ro",
                                                uri=True)) as base:
            return base.execute(words).fetchall()
    except sqlite3.OperationalError as why:  # no such table, or column
        raise Unusable(_("{path}: {why}; another version of ScanLab wrote it: run scanlab class "
                         "again, which keeps the grades", path=path, why=why)) from None
    except sqlite3.DatabaseError as why:
        raise Unusable(f"{path}: {why}") from None


def quoted(path):
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def is_unfinished(folder):
    """A run has begun that has written no results (tools/class/before.py)."""
    return os.path.exists(os.path.join(folder, UNFINISHED))


def folder_of(given):
    """OUT of scanlab class, given itself or by a file in it."""
    folder = given if os.path.isdir(given) else os.path.dirname(given) or "."
    for name in LEDGER, GRADEBOOK:
        if is_unfinished(folder) and not os.path.isfile(os.path.join(folder, GRADEBOOK)):
            raise Unusable(_("{folder}: `scanlab class` has not finished: run it again, it goes on",
                             folder=given))
        if not os.path.isfile(os.path.join(folder, name)):
            raise Unusable(_("{folder}: no {file} is there; `scanlab class` makes one in OUT",
                             folder=given, file=name))
    return folder


def read(folder, unranked=()):
    """All of it. A file that scanlab class has not written so is unusable. unranked: labs
    whose speeds are of a clock on the wall, which nobody is ranked by."""
    try:
        known = read_tables(folder)
        for student in known.students:
            student.speeds = {at: found for at, found in student.speeds.items()
                              if at[0] not in unranked}
        return known
    except (ValueError, KeyError, TypeError, IndexError, AttributeError,
            RecursionError) as why:
        raise Unusable(_("{folder}: not as scanlab class writes it ({kind}: {why})",
                         folder=folder, kind=type(why).__name__, why=why)) from None


def read_tables(folder):
    ledger, book = (os.path.join(folder, name) for name in (LEDGER, GRADEBOOK))
    grades = {key: json.loads(text) for key, text in rows(
        ledger, "SELECT submission, grade FROM result")}
    attempts = {key: max(several, version) for key, several, version in rows(
        ledger, "SELECT submission, count(*), max(version) FROM attempt "
        "GROUP BY submission")} if rows(
            ledger, "SELECT 1 FROM sqlite_master WHERE name = 'attempt'") else {}
    people, others = {}, {}
    graded = set()  # also of those who need a look, what could be graded
    for key, *person, late, status, score in rows(
            book, "SELECT submission, id, name, email, late, status, score FROM student "
            "ORDER BY rowid"):
        people.setdefault(key, Student(key, (), status, bool(late)))
        people[key].names += (tuple(person),)
        if key in grades and score is not None and status in ("graded", LOOK_AT):
            graded.add(key)
    for student in people.values():
        if student.key not in graded:
            others[student.status] = others.get(student.status, 0) + 1
    known = Known([], [], [], others, "")
    for key, student in people.items():
        if key in graded:
            add(known, student, grades[key])
            student.attempts = attempts.get(key, 1)
    known.max_score = max((g["max_score"] for g in grades.values()), default=0)
    return known


def add(known, student, grade):
    if "device" not in grade:
        raise Unusable(_("these grades are of an older ScanLab, which kept too little of them; "
                         "once more with: scanlab class --again"))
    known.device = grade["device"]
    student.score = grade["score"]
    there = {(c.lab, c.id): c for c in known.checks}
    for lab in grade["labs"]:
        if (lab["id"], lab["title"]) not in known.labs:
            known.labs.append((lab["id"], lab["title"]))
        handed_in = lab.get("state") not in (LOOK_AT, NOT_HANDED_IN)
        for check in lab["checks"]:
            at = lab["id"], check["id"]
            if at not in there:
                there[at] = Check(*at, check["title"], check["kind"], False,
                                  check["max_score"])
                known.checks.append(there[at])
            there[at].hidden |= check.get("hidden", False)
            if not handed_in:
                continue
            student.states[at], student.points[at] = state(check), check["score"]
            if student.states[at] == FAIL:
                student.diagnoses[at] = check["diagnosis"]
            student.counts[at] = [c for c in check.get("counts", []) if c[3]]
        for check in lab["checks"] + lab["timed"]:
            if speed(check):
                student.speeds[lab["id"], check["id"]] = speed(check)
    if student.states:
        known.students.append(student)
    else:  # of no lab there is anything to count
        known.others[student.status] = known.others.get(student.status, 0) + 1
