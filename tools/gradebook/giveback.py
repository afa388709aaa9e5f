# SPDX-License-Identifier: MIT
"""Files that learning systems take back: their own, filled in, with all other cells as
they were, byte by byte; or new ones, for those that read such.

Which columns each reads, and where its maker says so: docs/running-a-course.md (Giving
back)."""
import io
import os
import re
import zipfile

import moodle
import report
import table
import words
from table import Unusable
from translate import _

REPORTS = "report.html", "report.txt", "taken.txt"
MOST_REPORT, MOST_REPORTS = 8 << 20, 512 << 20
DATE = (1980, 1, 1, 0, 0, 0)  # so that the same reports make the same bytes
# Cells that say something else than points: exempt, not assigned.
KEPT = ("EX", "N/A")
NEW = "autolab", "brightspace", "gradescope", "prairielearn"


def value_of(student, lab):
    """Final points, of a lab or of all; None: nothing is decided."""
    if not lab:
        return student.final
    return next((line.final for line in student.lines if line.lab == lab), None)


def most_of(students, lab):
    found = [line.most for s in students for line in s.lines if line.lab == lab] if lab else \
        [s.most for s in students]
    return max(found, default=None)


def safe(text):
    """Words that no spreadsheet computes; lines stay."""
    text = "\n".join(words.line(row, 1000) for row in str(text).split("\n"))
    return "'" + text if words.FORMULA.match(text) else text


def comment(student, lab):
    """What a student may read, a line each."""
    return safe("\n".join(report.told(student, lab)))


# ---- a system's own file, filled in ----

def assignments(called, rows):
    """Columns of a file that may have points: {what they are called: column}."""
    if called == "moodle":
        return {rows.header[at]: at for at in (rows.column("Grade"),) if at is not None}
    if called == "gradescope":
        return {n: rows.column(n) for n in ("Total Score",) if rows.column(n) is not None}
    shape = {"canvas": r"(?s).* \([0-9]+\)", "blackboard": r"(?s).*\[Total Pts: .*",
             "brightspace": r"(?s).* Points Grade\b.*"}.get(called)
    return {name: at for at, name in enumerate(rows.header)
            if shape and re.fullmatch(shape, name)}


def is_called(wanted, name):
    """Naive; Naive (123); 123 of "Naive (123)", "Naive Points Grade <...>", "Naive [Total
    Pts: 100 Score] |123"."""
    bare = re.sub(r" \([0-9]+\)$| Points Grade\b.*$| \[Total Pts: .*$", "", name)
    number = re.search(r"\(([0-9]+)\)$|\|([0-9]+)$", name)
    wanted = moodle.GRADE if wanted == "Grade" and name == moodle.GRADE else wanted
    return wanted in (name, bare) or bool(number) and wanted in number.groups()


def column_of(called, rows, wanted):
    there = assignments(called, rows)
    if wanted is not None:
        there = {name: at for name, at in
                 (there or {n: i for i, n in enumerate(rows.header)}).items()
                 if is_called(wanted, name)}
    if len(there) == 1:
        return next(iter(there.values()))
    names = ", ".join(list(there or assignments(called, rows))[:20])
    raise Unusable(words.line(
        _("{path}: which column is to be filled in? Give --column, one of: {names}",
          path=rows.path, names=names) if names else
        _("{path}: which column is to be filled in? Give --column, as the file calls it",
          path=rows.path), 1000))


def points_row(called, rows, column):
    """The maximum that a file says, or ""."""
    if called == "canvas":
        return next((rows.value(n, column) for n in range(1, min(4, len(rows.rows)))
                     if rows.value(n, 0).strip().casefold() == "points possible"), "")
    if called == "moodle":
        return rows.value(1, rows.column("Maximum Grade")) if len(rows.rows) > 1 else ""
    found = re.search(r"Total Pts: ([0-9.,]+)|MaxPoints:([0-9.,]+)", rows.header[column])
    return (found[1] or found[2]) if found else ""


def fill(called, rows, students, lab, wanted, put):
    """Fills the points in. Sentences: what was left as it was, and why. put: a given.Given."""
    column, told = column_of(called, rows, wanted), []
    put.begin(rows.header[column])
    feedback = rows.column("Feedback comments") if called == "moodle" else None
    locked = rows.column("Grade can be changed") if called == "moodle" else None
    for student in students:
        if student.person is None:
            continue
        row, value = student.person.row, value_of(student, lab)
        there = rows.value(row, column).strip()
        if there in KEPT or rows.value(row, locked).strip() in moodle.LOCKED:
            if value is not None:
                told.append(
                    _("{who}: the file says {cell}: left as it is", who=student.called(),
                      cell=there) if there in KEPT else
                    _("{who}: the file says that it cannot be changed: left as it is",
                      who=student.called()))
            continue
        if value is not None:
            if not put.takes(student, there, report.number(value)):
                continue  # our comment would speak of another grade
            rows.put(row, column, report.number(value))
        elif put.takes_out(student, there):
            rows.put(row, column, "")
        if feedback is not None:
            old = rows.value(row, feedback)
            if (new_one := put.comment(student, old, comment(student, lab))) != old:
                rows.put(row, feedback, new_one)
    told += put.told + another_lab(rows.header[column], lab, put.labs)
    if not lab:
        told += several_maxima(students)
    most, says = most_of(students, lab), points_row(called, rows, column)
    if most is not None and says and not same(says, most):
        told.append(_("{column}: the maximum is {says} in the file, and it is {most} here",
                      column=rows.header[column], says=says, most=report.number(most)))
    return told


def another_lab(column, lab, labs):
    """A column that is called as another lab than the one whose points go into it."""
    called = [name for name in labs if name in column.casefold()]
    return [_("the column {column} is called as {other}, and is given the points of {lab}",
              column=column, other=called[0], lab=lab)] if lab and called and \
        lab not in called else []


def several_maxima(students):
    """A column of a system has one maximum. Where students' totals have several, because of
    drops or exemptions, points are given back that say another thing of each: told."""
    outs = report.totals(students)
    return [_("totals are given back, and they are out of {outs} points: write [course] out-of "
              "= POINTS into the policy, the column's maximum", outs=outs)] if outs else []


def same(text, number):
    try:
        return float(text.replace(",", ".")) == float(number)
    except ValueError:
        return True


# ---- Moodle's folders of feedback ----

def folder_name(rows, student):
    """Ann Lee_123_assignsubmission_file_: Moodle reads the number."""
    name = rows.value(student.person.row, rows.column("Full name")) or "Participant"
    name = re.sub(r'[_/\\:*?"<>|]+', " ", words.line(name, 80)).strip(" .") or "Participant"
    return f"{name}_{student.person.ids[0]}_assignsubmission_file_"


def feedback(folder, rows, students, lab):
    """A zip for Moodle's "Upload multiple feedback files in a zip"; who has none."""
    out, told, left = io.BytesIO(), [], MOST_REPORTS
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for student in students:
            if not (student.person and student.work and student.person.ids) or \
                    not student.person.ids[0].isdigit():
                continue
            there = False
            for name, data in reports(folder, student, lab):
                there = True
                left -= len(data)
                if left < 0:
                    raise Unusable(_("all reports have more than {n} MiB",
                                     n=MOST_REPORTS >> 20))
                archive.writestr(entry(f"{folder_name(rows, student)}/{name}"), data)
            if not there:
                told.append(_("{who}: there is no feedback", who=student.called()))
    return out.getvalue(), told


def reports(folder, student, lab):
    """(name, bytes) of each report of the attempts that count."""
    keys = {line.key: line.attempt for line in student.lines
            if line.key and lab in (None, line.lab)} or {student.work.key: 0}
    for key, number in sorted(keys.items(), key=lambda item: item[1]):
        before = f"attempt-{number}-" if len(keys) > 1 else ""
        for name in REPORTS:
            path = os.path.join(folder, "feedback", key, name)
            if os.path.isfile(path):
                yield before + name, table.read_bytes(path, MOST_REPORT)


def entry(name):
    made = zipfile.ZipInfo(name, DATE)
    made.compress_type, made.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
    return made


# ---- new files ----

def new(called, students, labs, lab, item):
    """The text of a file, and sentences: who is not in it."""
    make = {"autolab": autolab, "brightspace": brightspace, "gradescope": gradescope,
            "prairielearn": prairielearn}[called]
    text, told = make(students, [lab] if lab else list(labs), lab, item)
    if called == "brightspace" and not lab:
        told = told + several_maxima(students)
    return text, told


def some(student, field):
    person, work = student.person, student.work
    found = report.first(person, field)
    own = {"emails": "email", "ids": "id", "names": "name"}.get(field)
    return found or (getattr(work, own) if work and own else "")


def left_out(student, what):
    return _("{who}: has no {what}, and is left out", who=student.called(), what=what)


def autolab(students, labs, given_alone, _item):
    """No header: the e-mail address, then the points of each problem."""
    rows, told = [], []
    for student in students:
        email = some(student, "emails")
        if not re.fullmatch(r"[\w.][^\s@,;\"]*@[^\s@,;\"]+", email):
            told.append(left_out(student, _("e-mail address that Autolab could know")))
            continue
        rows.append([email] + [report.number(value_of(student, lab)) for lab in labs])
    if not given_alone:
        told += other_totals(students, labs)
    return table.written(rows, "\n"), told


def other_totals(students, labs):
    """The file has points for each lab and no total. Sentences: for how many students the
    policy makes another total than the sum, by additions, drops, caps or overrides."""
    other = [s for s in students if s.final is not None and s.final != sum(
        value_of(s, lab) or 0 for lab in labs)]
    return [_("the file has the labs' points, whose sum is not the total of {students}: what is "
              "added, dropped, capped or set in all is not in it",
              students=words.many(len(other), "student"))] * bool(other)


def brightspace(students, _labs, lab, item):
    if not item:
        raise Unusable(_("brightspace: give --column, what the grade item is called there"))
    rows, told = [["OrgDefinedId", "Username", f"{item} Points Grade",
                   "End-of-Line Indicator"]], []
    for student in students:
        id, login, value = some(student, "ids"), some(student, "logins"), \
            value_of(student, lab)
        if not id and not login:
            told.append(left_out(student, "id"))
        elif value is not None:
            # A # before them keeps leading zeros, and is no formula.
            rows.append(["#" + id if id else "", "#" + login if login else "",
                         report.number(value), "#"])
    return table.written(rows), told


def prairielearn(students, _labs, lab, _item):
    """Percent of the whole assessment, for "Upload new total scores". PrairieLearn knows a
    student by the UID, as which it wrote an address."""
    rows, told = [["uid", "instance", "score_perc"]], []
    for student in students:
        uid, value, most = some(student, "emails"), value_of(student, lab), most_of([student], lab)
        if not re.fullmatch(r"[^\s@,;\"=+-][^\s@,;\"]*@[^\s@,;\"]+", uid):
            told.append(left_out(student, "UID"))
        elif value is not None and most:
            rows.append([uid, 1, report.number(100 * value / most)])
    return table.written(rows, "\n"), told


def gradescope(students, _labs, lab, _item):
    """The columns of Gradescope's own export of scores."""
    rows = [["Name", "SID", "Email", "Total Score", "Max Points", "Status"]]
    for student in students:
        value = value_of(student, lab)
        most = most_of([student], lab)
        rows.append([safe(some(student, "names")), safe(some(student, "ids")),
                     safe(some(student, "emails")), report.number(value),
                     report.number(most), "Graded" if value is not None else
                     "Missing" if student.state() == report.NONE else "Ungraded"])
    return table.written(rows), []
