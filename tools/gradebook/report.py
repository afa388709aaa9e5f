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

STUDENT = ["submission", "id", "login", "email", "name", "section", "state", "matched by"]
RULES = ["points", "max points", "late", "cost of lateness", "added", "override", "who", "why",
         "final", "comment", "note"]
LAB = ["lab", "state", "points", "max points", "handed in", "said by", "due", "late",
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
    found = [student.doubt] + [f"{line.lab}: {line.doubt}" for line in student.lines
                               if line.doubt]
    found += [f"{line.lab}: override {number(line.override)} by {line.who}: {line.why}"
              for line in student.lines if line.override is not None]
    found += [f"{line.lab}: {line.state}" for line in student.lines
              if line.state != student.state() and line.state != "graded"]
    found += [f"{line.lab}: dropped" for line in student.lines if line.dropped]
    if student.work:
        found.append(student.work.note)
    return "; ".join(filter(None, found))


def row(student, labs):
    own = student.own()
    finals = {line.lab: line.final for line in student.lines}
    return who(student) + [
        number(student.points), number(student.most), lateness(student),
        number(student.cost), number(own.add), number(own.override), own.who, own.why,
        number(student.final), own.comment, notes(student)] + [
            number(finals.get(lab)) for lab in labs]


def time(value):
    return times.shown(value) if isinstance(value, int) else value or ""


def lab_row(student, line):
    return who(student)[:6] + [
        line.lab, line.state, number(line.points), number(line.most), time(line.handed_in),
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


WORDS = {*STUDENT, *LAB[:2], "handed in", "said by", "due", "late", "who", "why", "dropped",
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

def count(students, labs):
    yield ", ".join(f"{len(of)} {word}{'s' * (len(of) != 1)}"
                    for of, word in ((students, "student"), (labs, "lab")))
    states = collections.Counter(s.state() for s in students)
    for state, many in sorted(states.items(), key=lambda item: (-item[1], item[0])):
        yield f"{many:6}  {state}"
    lines = [line for s in students for line in s.lines]
    for what, many in (
            ("labs came late", sum(line.late_s > 0 and line.late not in ("no", UNKNOWN)
                                   for line in lines)),
            ("labs are late, by how much is UNKNOWN: the rule was not applied",
             sum(line.late == UNKNOWN for line in lines)),
            ("labs are marked late, and no rule is for that",
             sum(line.late == MARKED for line in lines)),
            ("labs are on time as the learning system's mark says",
             sum(line.source.endswith("mark") for line in lines)),
            ("written answers that nobody has marked", sum(line.not_marked for line in lines)),
            ("grace days used", sum(line.grace_days for line in lines)),
            ("labs dropped", sum(line.dropped for line in lines)),
            ("overrides", sum(line.override is not None for line in lines) +
             sum(s.own().override is not None for s in students))):
        if many:
            yield f"{many:6}  {what}"
    lost = sum((s.cost for s in students), decimal.Decimal(0))
    if lost:
        yield f"{number(lost):>6}  points lost by lateness, of all"


def summary(students, labs, told, matched):
    lines = [*count(students, labs)]
    lines += ["", "Not applied, or in doubt:", *("  " + text for text in told)] if told else []
    unknown = [s for s in students if lateness(s) == UNKNOWN]
    if unknown:
        lines += ["", "Late: unknown. Their points are without any rule of lateness:"]
        lines += [f"  {s.called()}: " + "; ".join(
            f"{line.lab}: {line.doubt}" for line in s.lines if line.doubt) for s in unknown]
    by_name = [s for s in students if s.how == "name"]
    if matched:
        hows = collections.Counter(s.how for s in students if s.how)
        lines += ["", "Matched by: " + (", ".join(
            f"{how} {hows[how]}" for how in match.HOW if hows[how]) or "nothing")]
        lines += ["By name alone, look at these:"] * bool(by_name)
        lines += [f"  {words.line(s.work.key, 80)} is {s.called()}" for s in by_name]
    return "".join(words.line(text, 1000) + "\n" for text in lines)
