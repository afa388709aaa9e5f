# SPDX-License-Identifier: MIT
"""What comes of a policy, for people: gradebook.csv, a row for each student; labs.csv, a
row for each student and lab; summary.txt. The same input gives the same bytes."""
import collections
import csv
import decimal
import io

import match
import times
import words
from compute import MARKED, UNKNOWN
from results import FAULT, LOOK, NONE
from translate import N_, _

STUDENT = ["submission", "id", "login", "email", "name", "section", "state", "matched by"]
RULES = ["points", "max points", "late", "cost of lateness", "added", "override", "who", "why",
         "final", "comment", "told the student", "note"]
LAB = ["lab", "state", "attempt", "points", "max points", "handed in", "said by", "due", "late",
       "grace days", "percent lost", "cost of lateness", "added", "questions", "override", "who",
       "why", "dropped", "final", "comment", "note"]


def number(value):
    """82, 82.5; "" where nothing is decided."""
    if value is None:
        return ""
    shown = format(value.quantize(decimal.Decimal("0.01")), "f")
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def first(person, field):
    return next(iter(getattr(person, field)), "") if person else ""


def who(student):
    """Key, id, login, e-mail, name, section, state, how it was matched."""
    work, person = student.work, student.person
    return [work.key if work else "",
            first(person, "ids") or (work.id if work else ""), first(person, "logins"),
            first(person, "emails") or (work.email if work else ""),
            first(person, "names") or (work.name if work else ""),
            person.section if person else "", student.state(), student.how]


def lateness(student):
    """Of all labs: unknown, where one is; else the longest."""
    found = [line.late for line in student.lines]
    if UNKNOWN in found or MARKED in found:
        return UNKNOWN if UNKNOWN in found else MARKED
    late = max(student.lines, key=lambda line: line.late_s, default=None)
    if late and late.late not in ("", "no"):
        return late.late
    return "no" if "no" in found else ""


def notes(student):
    found = [student.doubt, student.remark] + [f"{line.lab}: {line.doubt}" for line in student.lines
                               if line.doubt]
    found += [_("{lab}: override {points} by {who}: {why}", lab=line.lab,
                points=number(line.override), who=line.who, why=line.why)
              for line in student.lines if line.override is not None]
    found += [f"{line.lab}: {_(line.state)}" for line in student.lines
              if line.state != student.state() and line.state != "graded"]
    found += [_("{lab}: dropped", lab=line.lab) for line in student.lines if line.dropped]
    found += [f"{line.lab}: {words.many(line.grace_days, 'grace day')}"
              for line in student.lines if line.grace_days]
    found += [_("{lab}: attempt {attempt} counts", lab=line.lab, attempt=attempt(line))
              for line in student.lines if line.attempt < line.attempts]
    if student.work:
        found += [work.note for work in student.works()]
    return "; ".join(filter(None, found))


def of_points(value):
    """1 point, 2.5 points."""
    return words.many(value, "point", number(value))


def attempt(line):
    """2 of 3; "" where there is one."""
    return f"{line.attempt} of {line.attempts}" if line.attempts > 1 else ""


# ---- what a student reads ----

def came_late(line):
    """What lateness cost, where it did."""
    if line.late in ("", "no", UNKNOWN, MARKED) or line.override is not None:
        return ""
    days = _(", {days} used", days=words.many(line.grace_days, "grace day")) \
        if line.grace_days else ""
    cost = _(": {points} lost", points=of_points(line.cost)) if line.counts() else ""
    return _("{time} late{days}{cost}", time=line.late, days=days, cost=cost)


def by_hand(own, told):
    """Points that somebody gave; who and why where the policy says tell = yes: a reason
    may be another student's, or an illness."""
    found, why = [], ""
    if own.tell and own.who:
        why = _(" by {who} ({why})", who=own.who, why=own.why) if own.why else \
            _(" by {who}", who=own.who)
    if own.override is not None:
        found.append(_("set by hand to {points}{why}{told}", points=of_points(own.override),
                       why=why, told=told))
        why = ""
    elif own.add:
        points = of_points(abs(own.add))
        found.append(_("{points} added by hand{why}", points=points, why=why) if own.add > 0
                     else _("{points} taken off by hand{why}", points=points, why=why))
    return found


def told_of_lab(line):
    """Sentences about one lab for the student: all that made other points of the graded."""
    found = [came_late(line)]
    if line.attempt < line.attempts:
        found.append(_("attempt {attempt} counts", attempt=attempt(line)))
    if line.state == "exempt":
        return [_("you are exempt: it does not count")]
    graded = "" if line.points is None else \
        _("; graded were {points}", points=number(line.points))
    found += by_hand(line, graded)
    if line.asked is not None and line.marked and line.override is None:
        found.append(_("{points} for written answers", points=of_points(line.asked)))
    if line.capped:
        found.append(_("counts as {points} at most", points=of_points(line.final)))
    if line.dropped:
        found.append(_("dropped: it does not count in the total"))
    return [text for text in (*found, line.comment) if text]


def told(student, lab=None):
    """What the student reads, of one lab or of all."""
    found = [f"{line.lab}: {text}" for line in student.lines if lab in (None, "", line.lab)
             for text in told_of_lab(line)]
    own = student.own()
    if not lab:
        found += [_("in all: {text}", text=text) for text in by_hand(own, "")]
        if student.capped:
            found.append(_("in all: {text}", text=_("{points} at most", points=of_points(
                student.final))))
    return found + [own.comment] * bool(own.comment)


def row(student, labs):
    own = student.own()
    finals = {line.lab: line.final for line in student.lines}
    return who(student) + [
        number(student.points), number(student.most), lateness(student),
        number(student.cost), number(own.add), number(own.override), own.who, own.why,
        number(student.final), own.comment, "; ".join(told(student)), notes(student)] + [
            number(finals.get(lab)) for lab in labs]


def time(value):
    return times.shown(value) if isinstance(value, int) else value or ""


def lab_row(student, line):
    return who(student)[:6] + [
        line.lab, line.state, attempt(line), number(line.points), number(line.most), time(line.handed_in),
        line.source, time(line.due), line.late, line.grace_days or "",
        line.percent or "", number(line.cost), number(line.add), number(line.asked),
        number(line.override),
        line.who, line.why, "dropped" if line.dropped else "", number(line.final),
        line.comment, line.doubt]


def table(header, rows):
    """As CSV that no spreadsheet computes; numbers are without quotes."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(header)
    for cells in rows:
        writer.writerow([cell_of(name, cell) for name, cell in zip(header, cells)])
    return out.getvalue()


class Number(float):
    """Written as it was, and not in quotes."""

    def __new__(cls, text):
        made = super().__new__(cls, text)
        made.text = text
        return made

    def __str__(self):
        return self.text

    __repr__ = __str__


WORDS = {*STUDENT, *LAB[:3], "told the student", "handed in", "said by", "due", "late", "who", "why", "dropped",
         "comment", "note"}


def cell_of(name, cell):
    if name in WORDS:
        return words.cell(cell)
    return Number(str(cell)) if str(cell) else ""


def gradebook(students, labs):
    return table(STUDENT + RULES + list(labs), [row(s, labs) for s in students])


def of_labs(students):
    return table(STUDENT[:6] + LAB, [lab_row(s, line) for s in students for line in s.lines])


# ---- in words ----

COUNTED = (  # of lines: which, how many, and what about them
    (lambda line: line.late_s > 0 and line.late not in ("no", UNKNOWN),
     N_("lab came late"), N_("labs came late")),
    (lambda line: line.late == UNKNOWN,
     N_("lab late by an UNKNOWN time: the rule was not applied"),
     N_("labs late by an UNKNOWN time: the rule was not applied")),
    (lambda line: line.late == MARKED, N_("lab marked late, with no rule for that"),
     N_("labs marked late, with no rule for that")),
    (lambda line: line.source.endswith("mark"),
     N_("lab on time as the learning system's mark says"),
     N_("labs on time as the learning system's mark says")),
    (lambda line: line.attempt < line.attempts,
     N_("lab of which an attempt before the last counts"),
     N_("labs of which an attempt before the last counts")),
    (lambda line: line.not_marked, N_("written answer that nobody has marked"),
     N_("written answers that nobody has marked")),
    (lambda line: line.grace_days, N_("grace day used"), N_("grace days used")),
    (lambda line: line.dropped, N_("lab dropped"), N_("labs dropped")))


def counted(students):
    """(how many, of what)"""
    lines = [line for s in students for line in s.lines]
    for of, one, more in COUNTED:
        many = sum(map(of, lines))
        yield many, one if many == 1 else more
    many = sum(line.override is not None for line in lines) + sum(
        s.own().override is not None for s in students)
    yield many, N_("override") if many == 1 else N_("overrides")


def totals(students):
    """How many points students' totals are out of, where that differs."""
    found = collections.Counter(s.most for s in students if s.final is not None and s.most and
                                s.own().override is None)
    return ", ".join(f"{number(most)} ({words.many(many, 'student')})"
                     for most, many in sorted(found.items())) if len(found) > 1 else ""


def count(students, labs):
    yield f"{words.many(len(students), 'student')}, {words.many(len(labs), 'lab')}"
    states = collections.Counter(s.state() for s in students)
    for state, many in sorted(states.items(), key=lambda item: (-item[1], item[0])):
        yield f"{many:6}  {_(state)}"
    for many, what in counted(students):
        if many:
            yield f"{many:6}  {_(what)}"
    lost = sum((s.cost for s in students), decimal.Decimal(0))
    if lost:
        yield f"{number(lost):>6}  " + (
            _("point lost by lateness, all students together") if lost == 1 else
            _("points lost by lateness, all students together"))
    if outs := totals(students):
        yield (_("students' totals have different maxima ({outs} points): the policy's out-of "
                 "gives all of them one", outs=outs))


def undecided(students):
    """Who has no points yet, or not the last word on them, and why; but for submissions of
    nobody on the roster, which are told already."""
    return [f"{s.called()}: {_(s.state())}: {notes(s) or _('nothing says why')}" for s in students
            if s.state() in (LOOK, FAULT) and not s.is_decided() and
            (s.person or not s.doubt)]


def summary(students, labs, told_of, matched, nobody=()):
    lines = [*count(students, labs)]
    if open_ones := undecided(students):
        lines += ["", _("Without the last word on their points:"), *("  " + o for o in open_ones)]
    if missing := [s.called() for s in students if s.state() == NONE]:
        lines += ["", _("Not handed in:"), *("  " + who for who in missing)]
    lines += ["", _("Not applied, or in doubt:"), *("  " + text for text in told_of)] \
        if told_of else []
    lines += ["", _("Of nobody, and not graded:")] * bool(nobody)
    lines += [f"  {name}: {why}" for name, why in nobody]
    unknown = [s for s in students if lateness(s) == UNKNOWN]
    if unknown:
        lines += ["", _("Late: unknown. Their points are without any rule of lateness:")]
        lines += [f"  {s.called()}: " + "; ".join(
            f"{line.lab}: {line.doubt}" for line in s.lines if line.doubt) for s in unknown]
    by_name = [s for s in students if s.how == "name"]
    if matched:
        hows = collections.Counter(s.how for s in students if s.how)
        lines += ["", _("Matched by: {how}", how=", ".join(
            f"{_(how)} {hows[how]}" for how in (*match.HOW, *match.ELSE) if hows[how])
            or _("nothing"))]
        lines += [_("By name alone, look at these:")] * bool(by_name)
        lines += ["  " + _("{key} is {who}", key=words.line(s.work.key, 80), who=s.called())
                  for s in by_name]
    return "".join(words.line(text, 1000) + "\n" for text in lines)
