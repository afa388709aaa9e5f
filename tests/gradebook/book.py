# SPDX-License-Identifier: MIT
"""What the tests of `scanlab gradebook` share: a class as `scanlab class` leaves it."""
import contextlib
import csv
import functools
import io
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "class"))
import classroom  # noqa: E402
from classroom import OUT, ROOT, SCANLAB, fresh, main, put  # noqa: E402,F401
sys.path[:0] = [str(ROOT / "tools/gradebook"), str(ROOT / "tools/stats")]
import subprocess  # noqa: E402

import gradebook  # noqa: E402
from layouts import Person, Submission  # noqa: E402
from versions import Attempt  # noqa: E402
from ledger import Ledger  # noqa: E402
import main as command  # noqa: E402

LABS = {"cpu-scan": "cpu_scan.c", "naive": "naive.cu"}


def grade(points, labs):
    """{lab: points} of 100 each, as ledger.brief keeps it; of all the labs."""
    points = dict.fromkeys(labs, 0) | points
    labs = [{"id": lab, "title": lab, "score": score, "max_score": 100, "timed": [],
             "checks": [{"id": "one", "title": "one", "kind": "correct", "status": "fail",
                         "score": score, "max_score": 100, "message": "",
                         "diagnosis": ["crashed", ""]}]} for lab, score in points.items()]
    return {"score": sum(points.values()), "max_score": 100 * len(labs), "points": "2-0",
            "device": "vgpu", "labs": labs}


def handed_in(key, points, *people, form="folder", status="graded", **more):
    """A row for a_class; people: (id, name, email)."""
    submission = Submission(key, form, [Person(*p) for p in people or [(key, "", "")]], **more)
    return submission, points, status


def before(row, *attempts, late=()):
    """The same row with earlier attempts: (when, points), points None: nobody graded it."""
    submission, points, status = row
    submission.earlier = [Attempt([], number, when, number in late)
                          for number, (when, _) in enumerate(attempts, 1)]
    return submission, points, status, [found for _, found in attempts]


def a_class(where, rows, nobody=()):
    """OUT of a class of these rows."""
    out, found, earlier = fresh(where), [], {}
    every = [[*row, []][:4] for row in rows]
    for submission, _, _, attempts in list(every):
        every += [[one, points, "graded", []] for one, points in zip(
            submission.before(), attempts) if points is not None]
    labs = [lab for lab in LABS if any(lab in points for _, points, *_ in every)]
    ledger = Ledger(str(out / "ledger.sqlite3"))
    for submission, points, status, _ in every:
        row = gradebook.Row(submission, None, status, "")
        if points:
            kept = grade(points, labs)
            row.read = functools.partial(grade, points, labs)
            ledger.put({"submission": submission.key, "hash": "h", "grade": kept,
                        "reports": {}, "attempt": ["sources", 0]})
            for lab in points:
                put(out / "taken" / submission.key / LABS[lab], "int x;\n")
            put(out / "feedback" / submission.key / "report.html", "<p>it is</p>\n")
            put(out / "feedback" / submission.key / "report.txt", f"of {submission.key}\n")
            put(out / "feedback" / submission.key / "taken.txt", "Taken:\n")
        if submission.of:
            earlier[submission.key] = row
        else:
            found.append(row)
    gradebook.write_sqlite(str(out / "gradebook.sqlite3"), found, list(LABS), nobody, {}, earlier)
    return out


def run(out, *words):
    """The command's program, here and now: hundreds of processes take minutes."""
    given = [f"from={out}"] + [f"lab={lab}/{source}" for lab, source in LABS.items()]
    short = {"-p": "policy", "-r": "roster", "-g": "give_back"}
    given += [f"{short.get(name) or name.strip('-').replace('-', '_')}={value}"
              for name, value in zip(words[::2], words[1::2])]
    said, told, before = io.StringIO(), io.StringIO(), os.umask(0o077)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(told):
        try:
            status = command.run(command.read(given))
        except command.TROUBLES as why:
            command.say(command.sentence(why))
            status = command.TROUBLE
        finally:
            os.umask(before)
    return subprocess.CompletedProcess(words, status, said.getvalue(), told.getvalue())


def scanlab(out, *words):
    """The same by scanlab itself."""
    return subprocess.run([SCANLAB, "gradebook", out, *words], text=True, errors="replace",
                          capture_output=True, check=False, timeout=300)


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def students(out, by="id"):
    """{id: row of gradebook.csv}"""
    return {row[by]: row for row in rows(out / "final/gradebook.csv")}


def lab(out, lab, by="id"):
    """{id: row of labs.csv} of one lab."""
    return {row[by]: row for row in rows(out / "final/labs.csv") if row["lab"] == lab}


def cells(data, **how):
    return list(csv.reader(io.StringIO(data, newline=""), **how))
