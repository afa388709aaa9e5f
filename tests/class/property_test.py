# SPDX-License-Identifier: MIT
"""property_test.py SCANLAB OUT [ROUNDS [SEED]]: the same input gives the same row,
whatever stands beside it. Honest rows are graded alone, then among hostile ones of
hostile_rows.py, drawn by chance: their rows in both gradebooks, their results and
their feedback are the same, byte by byte. Grades are those of own_grader.py; `real`
for ROUNDS: one round of scanlab's own.

As root every second round is another user's, who cannot read everything."""
import difflib
import os
import random
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import time

import classroom
from classroom import OUT, ROOT, SCANLAB, TOOL, fresh, put, tarred, zipped
import graded
import hostile_rows
import own_grader

ROUNDS = (sys.argv[3:] or ["4"])[0]
SEED = int((sys.argv[4:] or [int(time.time())])[0])
REAL = ROUNDS == "real"
NOBODY = 65534
HONEST = ["ann", "Ann Lee", "bo b", "cy", "Dora_7_assignsubmission_file_", "eve", "fay", "gus"]
complaints = []


def complain(text):
    print("FAILED:", text, flush=True)
    complaints.append(text)


# ---- who hands in ----

def source(number):
    """What honest number N has written."""
    if not REAL:
        return b"x" * (number + 1)
    if number:
        return (ROOT / "student/naive.cu").read_bytes() + b"/* %d */\n" % number
    folder = fresh("right")
    shutil.copy(ROOT / "reference/naive.cu", folder)
    graded.handed_in(folder)
    return (folder / "naive.cu").read_bytes()


def honest(where):
    for number, name in enumerate(HONEST):
        files = {"naive.cu": source(number), "parts/add.cuh": b"// mine\n"}
        if name == "cy":
            zipped({"work/" + k: v for k, v in files.items()}, where / "cy.zip")
        elif name == "eve":
            tarred([(k, v) for k, v in files.items()], path=where / "eve.tar.gz")
        elif name == "gus":
            put(where / "gus/README.md", "I was ill.")
        else:
            for file, data in files.items():
                put(where / name / "repo" / file, data)
    put(where / "hal_9_44_naive.cu", source(8))


def hostile(where, chance):
    """Which ones."""
    rows = chance.sample(hostile_rows.ROWS, 7)
    for n, row in enumerate(rows):
        row(where, chance.choice(("a", "mal", "zz", "Mal ")) + str(n), chance)
    return [row.__name__ for row in rows]


# ---- graded ----

def python(user):
    """root's may be another one's secret."""
    return "/usr/bin/python3" if user else sys.executable


def grade(where, out, user):
    """Exit status and what was said. The user is root or nobody."""
    command = [SCANLAB, "class", where, "naive", "-o", out, "--seed", "1", "-j", "2"] if REAL \
        else [python(user), "-B", TOOL / "main.py",
              *own_grader.words(OUT / "build", where, out)]
    done = subprocess.run(command, text=True, errors="replace", capture_output=True, user=user,
                          group=user, extra_groups=[] if user else None,
                          env=os.environ | {"SCANLAB_CACHE": str(OUT / f"cache{user}"),
                                            "OWN_GRADER_IS": "me"},
                          timeout=3000, check=False)
    return done.returncode, done.stdout + done.stderr


def rows_of(out, keys=None):
    """{key: all that there is of a row}; of these keys only."""
    rows = {}
    lines = (out / "gradebook.csv").read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        rows.setdefault(re.match('"([^"]*)"', line)[1], []).append(line)
    for name, tables in ("gradebook", ("student", "lab", "checks")), ("ledger", (
            "result", "attempt")):
        base = sqlite3.connect(f"file:{out}/{name}.sqlite3?mode=ro", uri=True)
        for table in tables:
            for row in base.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3"):
                if not REAL or table != "result":  # reports have times in them
                    rows[row[0]].append(repr(row))
        base.close()
    for key in keys or rows:
        folder = out / "feedback" / key
        for file in sorted(folder.iterdir()):
            if REAL and file.name.startswith("report"):
                continue
            rows[key].append(file.name + ": " + re.sub(
                r'"seconds": [-+.0-9e]+', "", file.read_text(encoding="utf-8")))
    return {key: rows.get(key) for key in keys or rows}


def give(folder, user):
    """A folder, and all that is in it, through no link."""
    if user:
        subprocess.run(["chown", "-hR", f"{user}:{user}", folder], check=True)


def play(number, alone, users):
    chance, user = random.Random(f"{SEED}-{number}"), users[number % len(users)]
    where, out = fresh("class"), fresh("graded")
    honest(where)
    kinds = hostile(where, chance)
    give(where, user)
    give(out, user)
    begun = time.monotonic()
    status, said = grade(where, out, user)
    print(f"round {number}, user {user}, {time.monotonic() - begun:.0f} s, exit status "
          f"{status}: {' '.join(kinds)}", flush=True)
    if status not in (1, 2) or "Traceback" in said or "ended early" in said:
        complain(f"exit status {status}: {said[-2000:]}")
        return
    among = rows_of(out, alone)
    for key, row in alone.items():
        if among[key] != row:
            complain(f"{key} is another row:\n" + "\n".join(difflib.unified_diff(
                row, among[key] or [], "alone", "among others", n=0, lineterm="")))
    text = b"".join(p.read_bytes() for p in out.rglob("*") if stat.S_ISREG(p.lstat().st_mode))
    if b"root:" in text:
        complain("a file of root's was taken")


def main():
    print(f"seed {SEED}", flush=True)
    fresh()
    own_grader.build(fresh("build"))
    users = [0, NOBODY] if os.getuid() == 0 else [None]
    if users[-1] and subprocess.run(["test", "-x", OUT, "-a", "-r", SCANLAB], user=NOBODY,
                                    group=NOBODY, extra_groups=[], check=False).returncode:
        print("nobody cannot reach this folder: all rounds are root's", flush=True)
        users = [0]
    where, out = fresh("class"), fresh("alone")
    honest(where)
    for user in users:
        fresh(f"cache{user}").chmod(0o700)
        give(OUT / f"cache{user}", user)
    os.chmod(OUT, 0o1777)
    os.chmod(OUT / "build/bin", 0o777)  # the grader keeps a log
    status, said = grade(where, out, users[0])
    alone = rows_of(out)
    if status != 0 or len(alone) != len(HONEST) + 1:
        complain(f"honest ones alone: {status}: {said}: {list(alone)}")
    (OUT / "build/bin/scanlab.log").chmod(0o666) if not REAL else None
    for number in range(1 if REAL else int(ROUNDS)):
        play(number, alone, users)
    if complaints:
        print(f"again: python3 {' '.join(sys.argv[:3])} {ROUNDS} {SEED}")
    sys.exit(bool(complaints))


main()
