# SPDX-License-Identifier: MIT
"""cost_test.py SCANLAB OUT N [own]: a class of N of which every tenth is hostile costs at
most a tenth more than its rows alone: each in a class of one. Seconds of processors,
which a busy machine changes little. own: graded by own_grader.py, so that what is left is
all that a class costs besides grading; a grade costs the same in both.

Printed beside it is what grades alone take: the same class may not cost more than that
and what it costs to collect and write each row."""
import os
import random
import re
import resource
import shutil
import subprocess
import sys

import classroom
from classroom import OUT, ROOT, SCANLAB, TOOL, fresh, put, zipped
import graded
import hostile_rows
import own_grader

N, OWN = int(sys.argv[3]), sys.argv[4:] == ["own"]
SOURCE = "naive.cu" if OWN else "cpu_scan.c"
NOT_ALONE = ["lms_beside"]  # a damaged list of a whole class: in a class of one it ends the run
NOT_SCANLAB = ["odd_ends", "same_faults"]  # their sources are orders to own_grader.py
ROWS = [row for row in hostile_rows.ROWS
        if row.__name__ not in NOT_ALONE + (not OWN) * NOT_SCANLAB]


def seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(words, cache):
    """Seconds of processors, and what was said."""
    before = seconds()
    done = subprocess.run(words, capture_output=True, text=True, check=False,
                          errors="replace", env=os.environ | {"SCANLAB_CACHE": str(cache)})
    if "Traceback" in done.stderr or "ended early" in done.stderr:
        print(f"FAILED: {words}: {done.stderr}")
        sys.exit(1)
    return seconds() - before, done.stdout


def grade_class(where, out, cache):
    words = own_grader.words(OUT / "build", where, out, "jobs=1") if OWN else \
        ["cpu-scan", "--seed", "3", "-j", "1", "-o", out]
    begin = [sys.executable, "-B", TOOL / "main.py"] if OWN else [SCANLAB, "class", where]
    took, said = run([*begin, *words], cache)
    if not re.search(" submissions?, seed ", said):
        print(f"FAILED: {where} was not graded: {said}")
        sys.exit(1)
    return took


def grade(folder, cache):
    return run([OUT / "build/bin/scanlab" if OWN else SCANLAB, "grade",
                "naive" if OWN else "cpu-scan", "--device", "vgpu", "--seed", "3", "-s",
                folder, *(["--report", "text=/dev/null"] if OWN else [])], cache)[0]


def hand_in():
    """[[names in DIR]] of each who handed in: hostile ones by a few names."""
    where, whose, known = fresh("class"), [], set()
    right = fresh("right")
    shutil.copy(ROOT / "reference" / SOURCE, right)
    graded.handed_in(right)
    for number in range(N):
        source = right if number % 4 == 0 else ROOT / "student"
        text = (source / SOURCE).read_bytes() + b"/* %d */\n" % number
        if number % 10 == 9:
            ROWS[number // 10 % len(ROWS)](where, f"mal{number}", random.Random(number))
        elif number % 3:
            put(where / f"s{number}" / SOURCE, text)
        else:
            zipped({"work/" + SOURCE: text}, where / f"s{number}.zip")
        new = set(os.listdir(where)) - known
        known |= new
        whose.append(sorted(new))
    return whose


def main():
    fresh()
    own_grader.build(fresh("build"))
    cache = {name: fresh(name) for name in ("cache", "cache-alone", "cache-grades")}
    for folder in cache.values():
        folder.chmod(0o700)
    whose = hand_in()
    together = grade_class(OUT / "class", fresh("out"), cache["cache"])
    print(f"{N} rows together: {together:.1f} s of processors", flush=True)
    alone = grades = 0
    for done, names in enumerate(whose):
        if not names: # a hostile one's names were there before
            continue
        one = fresh("one")
        for name in names:
            os.rename(OUT / "class" / name, one / name)
        alone += grade_class(one, fresh("out-one"), cache["cache-alone"])
        if done % 30 == 29:
            print(f"the first {done + 1} alone: {alone:.1f} s", flush=True)
    for taken in sorted((OUT / "out/taken").iterdir()):
        if (taken / SOURCE).exists():
            grades += grade(taken, cache["cache-grades"])
    print(f"{N} rows, each tenth hostile: {together:.1f} s of processors; each in a class of "
          f"one {alone:.1f} s; only grading those with a source {grades:.1f} s")
    sys.exit(together > 1.1 * alone)


main()
