# SPDX-License-Identifier: MIT
"""What `scanlab class` has kept of a class, as one Work for each person who handed in.

Points are those of the checks, before any rule of lateness: these are applied here, so
what a course's own rules took off is not counted twice."""
import dataclasses
import json
import os

import known
import times
import words
from known import GRADEBOOK, LEDGER, Unusable
from translate import N_, _

GRADED, NONE, LOOK, FAULT = "graded", "not handed in", "needs a look", "fault"
BROKEN = N_("does not compile")
UNGRADED = "not graded"  # an attempt before the last one
# What a status of the gradebook is here; one that is not known needs a look.
STATES = {"graded": GRADED, "does not compile": BROKEN, "empty": NONE, "not handed in": NONE,
          "unreadable": LOOK, "needs a look": LOOK, "fault": FAULT}


@dataclasses.dataclass
class Part:
    """One lab of a work."""
    state: str
    points: object = None  # None: not decided
    most: int = 0


@dataclasses.dataclass
class Work:
    key: str
    id: str = ""
    name: str = ""
    email: str = ""
    late: bool = False  # as the system has marked it: some file, or each of some labs
    state: str = GRADED
    note: str = ""
    form: str = ""      # of the system; "": unknown
    handed_in: object = None
    local: str = ""  # the same, where the system does not say in which zone
    due: object = None  # as the system says it of all
    own_due: object = None  # an extension that the system gave this person
    labs: dict = dataclasses.field(default_factory=dict)
    number: int = 1  # of the attempt
    earlier: list = dataclasses.field(default_factory=list)  # Works, the first one first
    late_of: dict = dataclasses.field(default_factory=dict)  # lab: whether its file is late
    own: str = ""  # Canvas' number of the person, where it stands beside another id
    joined: bool = False  # earlier ones are no attempts, but works of other labs (parts.py)


    def is_late(self, lab):
        return self.late_of.get(lab, self.late)


def state_of(status):
    return STATES.get(str(status).replace("_", " ").replace("-", " "), LOOK)


def part_of(lab, handed_in):
    """Of a lab that was graded. Its file is missing: it was not handed in."""
    most = lab["max_score"]
    state = state_of(lab["state"]) if "state" in lab else GRADED if handed_in else NONE
    if state not in (GRADED, BROKEN):
        return Part(state, None, most)
    return Part(state, sum(c["score"] for c in lab["checks"]), most)


def was_taken(folder, key, source):
    """Whether a lab's file was graded; True where that is not known any more."""
    taken = os.path.join(folder, "taken", key)
    return not source or not os.path.isdir(taken) or \
        os.path.isfile(os.path.join(taken, source))


def marks(folder):
    """({submission: {lab: whether its file was marked late}}, where files differ in that;
    (submission, lab) of which somebody has to look at something first)."""
    book, late = os.path.join(folder, GRADEBOOK), {}
    if known.rows(book, "SELECT 1 FROM sqlite_master WHERE name = 'late'"):
        for key, lab, is_late in known.rows(book, "SELECT submission, lab, late FROM late"):
            late.setdefault(key, {})[lab] = bool(is_late)
    return late, {(key, lab) for key, lab, state in known.rows(
        book, "SELECT submission, lab, state FROM lab") if state_of(state) == LOOK}


def add_labs(work, grade, folder, sources, labs, marked):
    late, held = marked
    work.late_of = late.get(work.key, {})
    for lab in grade["labs"]:
        part = part_of(lab, was_taken(folder, work.key, sources.get(lab["id"], "")))
        if part.state == NONE and (work.key, lab["id"]) in held:
            part = Part(LOOK, None, lab["max_score"])
        work.labs[lab["id"]] = part
        labs.setdefault(lab["id"], lab["max_score"])
    if work.state != LOOK and work.labs and all(
            p.state == NONE for p in work.labs.values()):
        work.state = NONE


def came(folder):
    """{(submission, number of its person): (form, handed in, due, own due)}, where it is kept."""
    book = os.path.join(folder, GRADEBOOK)
    if not known.rows(book, "SELECT 1 FROM sqlite_master WHERE name = 'came'"):
        return {}
    return {(key, number): rest for key, number, *rest in known.rows(
        book, "SELECT submission, person, form, handed_in, due, own_due FROM came")}


def nobody(folder):
    """[(name, why)] of what was handed in and is of nobody that is known."""
    return known.rows(os.path.join(folder, GRADEBOOK), "SELECT name, why FROM nobody")


def time_of(text):
    try:
        return times.seconds(text) if text else None
    except times.NoTime:
        return None


def give_zone(works, zone):
    """Times of systems that name no zone are in the policy's; what is lacking, told."""
    bad = ""
    for work in (one for work in works for one in (*work.earlier, work)):
        try:
            work.handed_in = times.seconds(work.local, zone) if work.local else work.handed_in
        except times.NoTime as why:
            bad = str(why)
    return [_("when it was handed in: {why}", why=bad)] if bad else []


def read(folder, sources):
    """All works, and {lab: most points} in the order of the grades."""
    try:
        return read_tables(folder, sources)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError,
            RecursionError) as why:
        raise Unusable(_("{folder}: not as scanlab class writes it ({kind}: {why})",
                         folder=folder, kind=type(why).__name__, why=why)) from None


def read_tables(folder, sources):
    grades = {key: json.loads(text) for key, text in known.rows(
        os.path.join(folder, LEDGER), "SELECT submission, grade FROM result")}
    before = attempts_before(folder)
    # The ledger also has results of before; the gradebook, what counts now.
    now = {key for key, in known.rows(os.path.join(folder, GRADEBOOK),
                                      "SELECT DISTINCT submission FROM lab")}
    works, labs, numbers, when, marked = [], {}, {}, came(folder), marks(folder)
    for key, id, name, email, late, status, note in known.rows(
            os.path.join(folder, GRADEBOOK),
            "SELECT submission, id, name, email, late, status, note FROM student "
            "ORDER BY rowid"):
        number = numbers[key] = numbers.get(key, -1) + 1
        work = Work(key, id, name, email, bool(late), state_of(status), note or "")
        work.form, *said = when.get((key, number), ("", "", "", ""))
        work.handed_in, work.due, work.own_due = map(time_of, said)
        work.local = said[0] if said[0] and work.handed_in is None else ""
        if work.own_due == work.due:  # it stands there of everyone
            work.own_due = None
        if key in grades and key in now:  # also of who needs a look: what could be graded
            add_labs(work, grades[key], folder, sources, labs, marked)
        elif work.state in (GRADED, BROKEN):
            work.state, work.note = FAULT, _("the ledger has no grade of it")
        for attempt in before.get(key, ()):
            add_earlier(work, attempt, grades, folder, sources, labs, marked)
        works.append(work)
    return works, labs


def attempts_before(folder):
    """{submission: rows of its earlier attempts}, where they are kept."""
    found, book = {}, os.path.join(folder, GRADEBOOK)
    if known.rows(book, "SELECT 1 FROM sqlite_master WHERE name = 'attempt'"):
        for submission, *rest in known.rows(
                book, "SELECT submission, key, handed_in, late, status, note FROM attempt "
                "ORDER BY submission, number"):
            found.setdefault(submission, []).append(rest)
    return found


def add_earlier(work, attempt, grades, folder, sources, labs, marked):
    """One that was handed in before: graded, or known alone."""
    key, said, late, status, note = attempt
    one = Work(key, late=bool(late), state=status if status == UNGRADED else state_of(status),
               note=note, form=work.form, handed_in=time_of(said), number=work.number)
    one.local = said if said and one.handed_in is None else ""
    if key in grades and one.state in (GRADED, BROKEN, LOOK):
        add_labs(one, grades[key], folder, sources, labs, marked)
    elif one.state in (GRADED, BROKEN):
        one.state = FAULT
    work.earlier.append(one)
    work.number += 1
