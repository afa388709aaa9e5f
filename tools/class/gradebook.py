# SPDX-License-Identifier: MIT
"""The gradebook, as CSV and SQLite, and the feedback of those without a grade.
Made anew from the ledger each time, in one order, without times: the same
results give the same bytes. Words of reports are not in them: how far a program
came before its time was over, or what was in memory, differs from run to run."""
import csv
import html
import io
import json
import os
import sqlite3

import layouts
import words
from grading import remove
from ledger import REPORTS, sync, write_whole
from translate import N_, Spoken, _

# What a row's status says.
GRADED, NOT_HANDED_IN = N_("graded"), N_("not handed in")
LOOK_AT, FAULT = N_("needs a look"), N_("fault")
NOT_GRADED = N_("not graded")  # an attempt before the last one
MEANS = {
    GRADED: N_("graded"),
    NOT_HANDED_IN: N_("no file of a lab was handed in: 0 points"),
    LOOK_AT: N_("needs a look: it could not be read, or stands under another name, or twice"),
    FAULT: N_("not graded, the grader had a fault: run again"),
}
PERSON = ["submission", "id", "name", "email", "late", "status"]
TABLES = """
PRAGMA journal_mode = MEMORY;
CREATE TABLE student (submission TEXT, id TEXT, name TEXT, email TEXT, late INTEGER,
    status TEXT, score INTEGER, max_score INTEGER, points_version TEXT, note TEXT);
CREATE TABLE lab (submission TEXT, lab TEXT, state TEXT, score INTEGER,
    max_score INTEGER);
CREATE TABLE checks (submission TEXT, lab TEXT, id TEXT, kind TEXT, status TEXT,
    score INTEGER, max_score INTEGER, diagnosis TEXT);
CREATE TABLE came (submission TEXT, person INTEGER, form TEXT, handed_in TEXT, due TEXT,
    own_due TEXT);
CREATE TABLE attempt (submission TEXT, number INTEGER, key TEXT, handed_in TEXT, late INTEGER,
    status TEXT, note TEXT);
CREATE TABLE late (submission TEXT, lab TEXT, late INTEGER);
CREATE TABLE nobody (name TEXT, why TEXT);
CREATE TABLE fact (name TEXT, value TEXT);
"""


class Row:
    """A submission, and what came of it."""

    def __init__(self, submission, taken, status, note):
        self.submission, self.taken, self.status = submission, taken, status
        self.read, self.note = None, note  # what reads the grade

    def grade(self):
        """Read whenever it is needed: a class of ten thousand is too much to keep."""
        return self.read() if self.read else None

    def told(self):
        """What somebody has to look at, and notes, before anything is graded."""
        taken = self.taken
        if not taken:
            return [self.note], []
        if self.status != LOOK_AT:
            return taken.looks, taken.notes
        looks = taken.looks + [text for text in taken.not_read
                               if not any(text in look for look in taken.looks)]
        return looks or [self.note], [n for n in taken.notes if n not in taken.not_read]

    def looks(self):
        """What somebody has to look at, of what was graded."""
        return (self.taken.looks if self.taken else []) + [
            words.line(f"{lab['id']}: {lab.get('why', '')}") for lab in self.grade()["labs"]
            if lab.get("state") == LOOK_AT]

    def state_of(self, lab):
        """Of a lab of the grade: one that is missing, and of which there is something that
        somebody has to look at, is no lab that was not handed in."""
        held = self.taken and lab["id"] in self.taken.held
        return LOOK_AT if held else lab.get("state", GRADED)

    def scores(self, labs, grade):
        """In all, at most, and of each lab; None where there are none yet."""
        if grade:
            return [grade["score"], grade["max_score"], *(
                None if self.state_of(lab) == LOOK_AT else lab["score"]
                for lab in grade["labs"])]
        none = 0 if self.status == NOT_HANDED_IN else None
        return [none, None] + [none] * len(labs)

    def states(self, grade):
        """Of the labs that were not graded as they are."""
        return "; ".join(f"{lab['id']}: {self.state_of(lab)}" for lab in
                         (grade["labs"] if grade else [])
                         if self.state_of(lab) != GRADED)


def with_most(rows):
    """The full mark: of the first row that was graded, since it is the same for all."""
    return next((grade["max_score"] for r in rows if (grade := r.grade())), None)


def versions(rows):
    """Of the points of all grades: one, unless nodes of a cluster differ."""
    return sorted({grade["points"] for r in rows if (grade := r.grade())})


def write_csv(path, rows, labs):
    out, most = io.StringIO(newline=""), with_most(rows)
    # Words in quotes, so that no other separator of a country parts them.
    table = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC)
    table.writerow(PERSON + ["score", "max_score"] + labs +
                   ["states", "points_version", "note"])
    for row in rows:
        grade = row.grade()
        score, best, *of_labs = row.scores(labs, grade)
        for person in row.submission.persons:
            table.writerow([words.cell(w) for w in (
                row.submission.key, *person, "late" if row.submission.late else "",
                row.status)] + [score, best if best is not None else most] + of_labs +
                [words.cell(row.states(grade)), grade["points"] if grade else "",
                 words.cell(row.note)])
    write_whole(path, out.getvalue())


def earlier_rows(submission, earlier):
    """Of the attempts before the last one; those that nobody graded have no row."""
    for number, one in enumerate(submission.before(), 1):
        row = earlier.get(one.key)
        yield (submission.key, number, one.key, one.handed_in, int(one.late),
               row.status if row else NOT_GRADED, row.note if row else "")


def late_labs(rows):
    """Of files that a system has marked, some late and some not: (submission, lab, late)."""
    return [(row.submission.key, lab, int(late)) for row in rows if row and row.taken
            for lab, late in sorted(row.taken.late.items())]


def write_sqlite(path, rows, labs, nobody, facts, earlier=None):
    part, most = path + ".part", with_most(rows)
    if os.path.exists(part):
        os.unlink(part)
    base = sqlite3.connect(part, isolation_level=None)
    base.executescript(TABLES)
    base.execute("BEGIN")
    for row in rows:
        key, grade = row.submission.key, row.grade()
        score, best, *of_labs = row.scores(labs, grade)
        base.executemany(
            "INSERT INTO student VALUES (?,?,?,?,?,?,?,?,?,?)",
            [(key, *map(words.line, person), int(row.submission.late), row.status, score,
              best if best is not None else most, grade["points"] if grade else "",
              row.note)
             for person in row.submission.persons])
        base.executemany("INSERT INTO came VALUES (?,?,?,?,?,?)", layouts.came(row.submission))
        base.executemany("INSERT INTO attempt VALUES (?,?,?,?,?,?,?)",
                         earlier_rows(row.submission, earlier or {}))
        found = grade["labs"] if grade else []
        base.executemany("INSERT INTO lab VALUES (?,?,?,?,?)", [
            (key, lab["id"], row.state_of(lab), points, lab["max_score"])
            for lab, points in zip(found, of_labs)])
        base.executemany("INSERT INTO late VALUES (?,?,?)", late_labs(
            [row, *((earlier or {}).get(one.key) for one in row.submission.before())]))
        base.executemany("INSERT INTO checks VALUES (?,?,?,?,?,?,?,?)", [
            (key, lab["id"], c["id"], c["kind"], c["status"], c["score"], c["max_score"],
             " ".join(c.get("diagnosis", ()))) for lab in found for c in lab["checks"]])
    base.executemany("INSERT INTO nobody VALUES (?,?)",
                     [(words.line(name), words.line(why)) for name, why in nobody])
    base.executemany("INSERT INTO fact VALUES (?,?)", sorted(facts.items()))
    base.execute("COMMIT")
    base.close()
    sync(part)
    os.replace(part, path)
    sync(os.path.dirname(path))


def said_to_student(row):
    """Why there is no grade, in the three formats of a report."""
    title = _("Not graded yet") if row.status != NOT_HANDED_IN else _("Not handed in")
    lines = {NOT_HANDED_IN: [_("None of the labs' files was found in what was handed in.")],
             LOOK_AT: [_("Somebody has to look at what was handed in."),
                       _("If it is not what you meant to hand in, hand in the right file.")]}[row.status]
    lines = lines + (row.taken.looks + row.taken.notes if row.taken else [])
    page = "".join(f"<p>{html.escape(text)}</p>\n" for text in lines)
    return {"text": title + "\n\n" + "\n".join(lines) + "\n",
            "html": f"<!doctype html>\n<html lang=\"{Spoken.language}\"><meta charset=\"utf-8\">\n"
                    f"<title>{title}</title>\n<h1>{title}</h1>\n{page}</html>\n",
            "json": json.dumps({"schema": "scanlab/no-grade/v1", "status": row.status,
                                "notes": lines}, indent=1) + "\n"}


def write_feedback(folder, row):
    """What was taken; and without a grade, why. A fault says nothing to students,
    and leaves what was there of an earlier grade out."""
    os.makedirs(folder, exist_ok=True)
    if not row.read:
        said = said_to_student(row) if row.status != FAULT else {}
        for form, file in REPORTS.items():
            path = os.path.join(folder, file)
            if form in said:
                write_if_new(path, said[form])
            elif os.path.exists(path):
                os.unlink(path)
    taken = row.taken.files if row.taken else []
    notes, looks = (row.taken.notes, row.taken.looks) if row.taken else ([], [])
    write_if_new(os.path.join(folder, "taken.txt"), "".join(
        words.line(text) + "\n" for text in [_("Taken:"), *(taken or [_("nothing")])] +
        (["", _("Somebody has to look at this:"), *looks] if looks else []) +
        (["", _("Notes:"), *notes] if notes else [])))


def write_if_new(path, text):
    """Hundreds of files that are as they were cost no disk's time."""
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except (OSError, ValueError):
        pass
    write_whole(path, text)


def drop_others(feedback, keep):
    """Folders of those who are not in this class any more."""
    for name in os.listdir(feedback):
        if name not in keep:
            remove(os.path.join(feedback, name))
