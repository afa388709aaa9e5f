# SPDX-License-Identifier: MIT
"""What was graded, for good: a result is in it, on the disk, or it is not.

The reports of a grade are whole once finished.json stands beside them; then the
result goes into the ledger, then the reports to their places. Each step can be
done again, so the next run does what a killed one has left."""
import json
import os
import sqlite3

from translate import _
from walled import DiskFull, Fault, fullness

# What SQLite says of a file that something has spoiled, or Python of the words in it.
SPOILED = (sqlite3.Error, sqlite3.Warning, ValueError, TypeError, OverflowError,
           RecursionError)
SQLITE_FULL = 13  # Python knows errors of SQLite by number from 3.11 on

REPORTS = {"text": "report.txt", "html": "report.html", "json": "grade.json"}
FINISHED = "finished.json"
TABLES = """
CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS result (
    submission TEXT PRIMARY KEY,
    hash TEXT NOT NULL,   -- of all that the result depends on
    grade TEXT NOT NULL,  -- what brief() keeps of it
    reports TEXT NOT NULL -- {file: SHA-256}
);
CREATE TABLE IF NOT EXISTS attempt (
    submission TEXT NOT NULL,
    sources TEXT NOT NULL,    -- hash of what was handed in
    version INTEGER NOT NULL, -- the LMS's number of it; 0: it gives none
    PRIMARY KEY (submission, sources)
);
"""


KEPT = "id", "kind", "status", "score", "max_score", "message"


def brief(grade):
    """What the gradebook and `scanlab stats` need: the whole is in the feedback, and
    ten thousand of those would not fit into memory. What a clock decides and no point
    depends on stands apart, and is not in the gradebook: it differs from run to run."""
    return {"score": grade["score"], "max_score": grade["max_score"],
            "points": grade["points"], "device": grade["device"], "labs": [brief_lab(lab) for lab in grade["labs"]]}


def brief_lab(lab):
    timed = [c for c in lab["checks"] if c["kind"] == "fast" and not c["max_score"] and
             not c.get("bonus")]
    return {"id": lab["id"], "title": lab["title"], "score": lab["score"],
            "max_score": lab["max_score"], "state": lab.get("state", "graded"),
            "why": (lab.get("build_error") or "")[:300]
            if lab.get("state") == "needs a look" else "",
            "checks": [brief_check(c) for c in lab["checks"] if c not in timed],
            "timed": [brief_check(c) for c in timed if c["measured"]]}


def brief_check(check):
    kept = {k: check[k] for k in KEPT} | {"title": check["title"]}
    if check.get("hidden"):
        kept["hidden"] = True
    if check["outcome"]:
        kept["diagnosis"] = diagnosis(check)
    measured = check["measured"] or {}
    if measured.get("bounds"):
        kept["counts"] = [[b["counter"], b["count"], b["relation"], b["bound"]]
                          for b in measured["bounds"]]
    if measured.get("ratio"):
        kept["ratio"] = measured["ratio"]["median"]
    return kept


def diagnosis(check):
    """What went wrong, in ids that the grader has and a submission cannot choose."""
    outcome = check["outcome"]
    kind = outcome["kind"]
    if kind == "finding":
        return [kind, outcome["finding"]["kind"]]
    if kind == "difference":
        shapes = [outcome["difference"]["shape"], *outcome["facts"]]
        return [kind, next((s["id"] for s in shapes if s["id"] != "none"), "")]
    if kind == "bound":
        return [kind, next((b["counter"] for b in check["measured"]["bounds"]
                            if not b["holds"]), "")]
    return [kind, ""]


def sync(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_whole(path, data):
    """Nobody ever sees half of it, also after a power cut."""
    part = path + ".part"
    with open(part, "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    sync(os.path.dirname(path))


class Broken(Fault):
    """Nothing can be kept any more."""


class FullDisk(Broken, DiskFull):
    pass


class Ledger:
    def __init__(self, path):
        self.path = path
        try:
            self.base = sqlite3.connect(path, isolation_level=None)
            self.base.execute("PRAGMA synchronous = FULL")
            self.base.executescript(TABLES)
        except SPOILED as why:
            raise self.fault(why) from None

    def fault(self, why):
        full = fullness(os.path.dirname(self.path) or ".")
        if full or getattr(why, "sqlite_errorcode", 0) & 0xff == SQLITE_FULL:
            return FullDisk(f"{full or _('No space left on the disk')}: {why}")
        return Broken(_("{path}: {why}; move it away to grade all again", path=self.path,
                        why=why))

    def run(self, words, *values):
        try:
            return self.base.execute(words, values).fetchall()
        except SPOILED as why:
            raise self.fault(why) from None

    def fact(self, name, new=None):
        """The fact's value; None: there is none. new: from now on this one."""
        if new is not None:
            self.run("INSERT OR REPLACE INTO fact VALUES (?, ?)", name, str(new))
        found = self.run("SELECT value FROM fact WHERE name = ?", name)
        return found[0][0] if found else None

    def put(self, finished):
        self.run("INSERT OR REPLACE INTO attempt VALUES (?, ?, ?)", finished["submission"],
                 *finished["attempt"])
        self.run("INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?)",
                 finished["submission"], finished["hash"],
                 json.dumps(finished["grade"]), json.dumps(finished["reports"]))

    def grade(self, submission, wanted):
        """Of a result with this hash, or None."""
        return self.get("grade", submission, wanted)

    def reports(self, submission, wanted):
        return self.get("reports", submission, wanted)

    def get(self, column, submission, wanted):
        found = self.run(f"SELECT {column} FROM result "
                         "WHERE submission = ? AND hash = ?", submission, wanted)
        try:
            value = json.loads(found[0][0]) if found else None
        except SPOILED as why:
            raise self.fault(why) from None
        if value is not None and not isinstance(value, dict):
            raise self.fault(_("the {what} of {submission} is none", what=column,
                               submission=submission))
        return value
