# SPDX-License-Identifier: MIT
"""What was graded, for good: a result is in it, on the disk, or it is not.

The reports of a grade are whole once finished.json stands beside them; then the
result goes into the ledger, then the reports to their places. Each step can be
done again, so the next run does what a killed one has left."""
import json
import os
import sqlite3

from walled import Fault

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
"""


KEPT = "id", "kind", "status", "score", "max_score", "message"


def brief(grade):
    """What the gradebook needs: the whole is in the feedback, and ten thousand of
    those would not fit into memory. What a clock decides and no point depends on
    is not in it: it differs from run to run."""
    return {"score": grade["score"], "max_score": grade["max_score"],
            "labs": [{"id": lab["id"], "score": lab["score"], "max_score": lab["max_score"],
                      "checks": [{k: check[k] for k in KEPT} for check in lab["checks"]
                                 if check["kind"] != "fast" or check["max_score"] or
                                 check.get("bonus")]}
                     for lab in grade["labs"]]}


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


class Ledger:
    def __init__(self, path):
        self.path = path
        self.base = sqlite3.connect(path, isolation_level=None)
        try:
            self.base.execute("PRAGMA synchronous = FULL")
            self.base.executescript(TABLES)
        except sqlite3.DatabaseError as why:
            raise self.fault(why) from None

    def fault(self, why):
        if "disk is full" in str(why) or "disk I/O" in str(why):
            return Fault("No space left on the disk: " + str(why))
        return Fault(f"{self.path}: {why}; move it away to grade all again")

    def run(self, words, *values):
        try:
            return self.base.execute(words, values).fetchall()
        except sqlite3.DatabaseError as why:
            raise self.fault(why) from None

    def fact(self, name, new=None):
        """The fact's value; None: there is none. new: from now on this one."""
        if new is not None:
            self.run("INSERT OR REPLACE INTO fact VALUES (?, ?)", name, str(new))
        found = self.run("SELECT value FROM fact WHERE name = ?", name)
        return found[0][0] if found else None

    def put(self, finished):
        self.run("INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?)",
                 finished["submission"], finished["hash"],
                 json.dumps(finished["grade"]), json.dumps(finished["reports"]))

    def get(self, submission, wanted):
        """Grade and reports of a result with this hash, or None twice."""
        found = self.run("SELECT grade, reports FROM result "
                         "WHERE submission = ? AND hash = ?", submission, wanted)
        return [json.loads(text) for text in found[0]] if found else (None, None)
