# SPDX-License-Identifier: MIT
"""of_300.py SCANLAB OUT N [SEED]: a class of N: right ones, mutants, stubs, cheats,
hostile programs, odd archives. There are two labs, and each hands in one of them:
more would take hours. Graded in peace, and then with kills at random (-9) and a disk
that becomes full. Both gradebooks are the same, nobody's result is lost or made
twice, and who is hostile gains nothing."""
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import classroom
from classroom import OUT, ROOT, SCANLAB, fresh, gradebook, put, tarred, zipped
import graded
import left

N, SEED = int(sys.argv[3]), int((sys.argv[4:] or [int(time.time())])[0])
LABS = {"cpu-scan": "cpu_scan.c", "naive": "naive.cu"}
CHEATS = sorted(p for folder in ("cheats", "hostile")
                for p in (ROOT / "tests" / folder).glob("*.c*")
                if p.name.split(".")[0] in LABS and "honest" not in p.name)
JOBS = str(len(os.sched_getaffinity(0)))
FULL = 100  # points of a lab
complaints = []


def complain(text):
    print("FAILED:", text, flush=True)
    complaints.append(text)


# ---- the class ----

def patches(lab):
    """Wrong solutions, and other right ones."""
    return [patch for patch in sorted((ROOT / "tests/mutants" / lab).glob("*.patch"))
            # What reads freed memory is told another number each time.
            if not patch.stem.endswith("frees-early")]


def sources(number):
    """{name: bytes} of a student, and what sort of one it is."""
    sort, of = number % 5, number // 5
    lab = list(LABS)[of % len(LABS)]
    folder = fresh("made")
    if sort == 4:
        cheat = CHEATS[of % len(CHEATS)]
        lab = cheat.name.split(".")[0]
        shutil.copy(cheat, folder / LABS[lab])
        shutil.copy(ROOT / "tests/hostile/channel.h", folder)
    else:
        shutil.copy(ROOT / ("student" if sort == 1 else "reference") / LABS[lab], folder)
        if sort in (2, 3):
            all_of = patches(lab)
            subprocess.run(["patch", "--silent", "--no-backup-if-mismatch", "--fuzz=0",
                            folder / LABS[lab], all_of[(of + sort) % len(all_of)]],
                           check=True)
        graded.handed_in(folder)
        with open(folder / LABS[lab], "a", encoding="utf-8") as file:
            file.write(f"/* student {number} */\n")
    made = {p.name: p.read_bytes() for p in folder.iterdir()}
    return made, ("right", "stub", "mutant", "mutant", "hostile")[sort]


def hand_in(number):
    """In one of the ways in which LMSs hand out. What sort, and what is unreadable."""
    where, way = OUT / "class", number % 7
    files, sort = sources(number)
    if number % 50 == 49:
        bomb = {"naive.cu": bytes(40 << 20)}
        zipped(bomb, where / f"s{number}.zip")
        return "needs a look"
    if way == 0:
        zipped({f"work/{k}": v for k, v in files.items()} | {"../evil.cu": b""},
               where / f"s{number}.zip")
    elif way == 1:
        tarred([("./" + k, v) for k, v in files.items()], path=where / f"s{number}.tar.gz")
    for name, data in files.items() if way > 1 else ():
        put(where / {2: f"name{number}_{1000 + number}_{number}_{name}",
                     3: f"Ann {number}_{number}_assignsubmission_file_/{name}",
                     4: f"a{number}@x.edu_{number}_{name}",
                     5: f"s{number}/student/{name}",
                     6: f"s{number}/{name.upper()}" if name != "channel.h" else
                        f"s{number}/{name}"}[way], data)
    return sort


# ---- runs ----

def start(out):
    return subprocess.Popen(
        [SCANLAB, "class", OUT / "class", *LABS, "-o", out, "-j", JOBS, "--seed", "3"],
        env=os.environ | {"SCANLAB_CACHE": str(OUT / "cache")}, text=True,
        stdout=open(OUT / "said", "a"), stderr=subprocess.STDOUT)


def finish(out):
    begun = time.monotonic()
    status = start(out).wait()
    print(f"{out.name}: exit status {status}, {time.monotonic() - begun:.0f} s", flush=True)
    return status


def results(out):
    """{submission: (row of the ledger that it is, hash)}"""
    try:
        base = sqlite3.connect(f"file:{out}/ledger.sqlite3?mode=ro", uri=True)
        found = {s: (n, h) for n, s, h in base.execute(
            "SELECT rowid, submission, hash FROM result")}
        base.close()
        return found
    except sqlite3.OperationalError:
        return {}


def disturbed(out):
    """Killed ten times, and once without room on the disk. A result that is
    replaced gets another row, so one that is made twice shows."""
    chance, known = random.Random(SEED), {}
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2g,mode=700", "tmpfs", out], check=True)
    for turn in range(11):
        child, until = start(out), len(known) + chance.randrange(1, max(2, N // 10))
        while child.poll() is None and len(results(out)) < until:
            time.sleep(0.05)
        if turn == 5:
            with open(out / "filler", "wb", 0) as file:
                try:
                    while True:
                        file.write(bytes(1 << 16))
                except OSError:
                    pass
            if child.wait() not in (2,):
                complain(f"full disk: exit status {child.returncode}")
            os.unlink(out / "filler")
        elif child.poll() is None:
            time.sleep(chance.random())
            child.send_signal(signal.SIGKILL)
            child.wait()
        if left.processes(60):
            complain("a grade outlives its class")
        now = results(out)
        if lost := [s for s, row in known.items() if now.get(s) != row]:
            complain(f"turn {turn}: lost or made twice: {lost}")
        known = now
        print(f"turn {turn}: {len(now)} results", flush=True)
    status = finish(out)
    if lost := [s for s, row in known.items() if results(out).get(s) != row]:
        complain(f"at the end: lost or made twice: {lost}")
    return status


def check_points(book, sorts):
    """By the number that every way of handing in has in its name."""
    for row in book.values():
        number = int(re.findall(r"\d+", row["submission"])[-1])
        if "@" in row["submission"]:
            number = int(re.findall(r"\d+", row["submission"])[0])
        elif row["submission"].startswith("name"):
            number -= 1000
        sort, score = sorts[number], row["score"]
        if sort == "needs a look":
            good = (row["status"], score) == ("needs a look", "")
        elif sort in ("right", "stub"):
            good = score == str(FULL if sort == "right" else 0)
        elif sort == "hostile":
            good = int(score) < FULL
        else:
            good = row["status"] == "graded"
        if not good:
            complain(f"{row['submission']}, {sort}: {row['status']}, {score} points")


def main():
    print(f"seed {SEED}", flush=True)
    left.adopt_orphans()
    fresh()
    for name in "class", "peace", "storm":
        fresh(name)
    fresh("cache").chmod(0o700)
    sorts = {number: hand_in(number) for number in range(N)}
    before = left.state(OUT / "class")
    statuses = finish(OUT / "peace"), disturbed(OUT / "storm")
    if set(statuses) != {1 if "needs a look" in sorts.values() else 0}:
        complain(f"exit statuses {statuses}")
    book = gradebook(OUT / "peace")
    if len(book) != N:
        complain(f"{len(book)} rows for {N} students")
    check_points(book, sorts)
    for name in "gradebook.csv", "gradebook.sqlite3":
        if (OUT / "peace" / name).read_bytes() != (OUT / "storm" / name).read_bytes():
            shutil.copy(OUT / "storm" / name, OUT / ("storm-" + name))
            complain(f"{name} is another after kills: compare storm-{name}")
    if left.state(OUT / "class") != before:
        complain("what was handed in has changed")
    if list(pathlib.Path("/").glob("*evil*")) or list(OUT.rglob("evil*")):
        complain("a file came out of an archive")
    sys.exit(bool(complaints))


if os.environ.get("SCANLAB_OF_300") != "inside":  # a mount of our own
    begin = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-rm"]
    if subprocess.run([*begin, "true"], check=False).returncode:
        print("SKIP: no file system of our own can be mounted")
        sys.exit(77)
    sys.exit(subprocess.run([*begin, sys.executable, *sys.argv], check=False,
                            env=os.environ | {"SCANLAB_OF_300": "inside"}).returncode)
main()
