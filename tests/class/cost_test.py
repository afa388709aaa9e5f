# SPDX-License-Identifier: MIT
"""cost_test.py SCANLAB OUT N: a class of N of which every tenth is hostile costs at
most a tenth more than its rows alone: each in a class of one. Seconds of processors,
which a busy machine changes little; what grades alone take is printed beside it."""
import os
import random
import resource
import shutil
import subprocess
import sys

import classroom
from classroom import OUT, ROOT, SCANLAB, fresh, put, zipped
import graded
import hostile_rows

N = int(sys.argv[3])
ROWS = [row for row in hostile_rows.ROWS if row.__name__ not in (
    "odd_ends", "same_faults")]  # which speak to a grader that is not scanlab


def seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(*words, cache):
    """Seconds of processors, and what was said."""
    before = seconds()
    done = subprocess.run([SCANLAB, *words], capture_output=True, text=True, check=False,
                          errors="replace", env=os.environ | {"SCANLAB_CACHE": str(cache)})
    if "Traceback" in done.stderr or "ended early" in done.stderr:
        print(f"FAILED: {words}: {done.stderr}")
        sys.exit(1)
    return seconds() - before


def hand_in():
    """[[names in DIR]] of each who handed in: hostile ones by a few names."""
    where, whose, known = fresh("class"), [], set()
    right = fresh("right")
    shutil.copy(ROOT / "reference/cpu_scan.c", right)
    graded.handed_in(right)
    for number in range(N):
        source = right if number % 4 == 0 else ROOT / "student"
        text = (source / "cpu_scan.c").read_bytes() + b"/* %d */\n" % number
        if number % 10 == 9:
            ROWS[number // 10 % len(ROWS)](where, f"mal{number}", random.Random(number))
        elif number % 3:
            put(where / f"s{number}/cpu_scan.c", text)
        else:
            zipped({"work/cpu_scan.c": text}, where / f"s{number}.zip")
        new = set(os.listdir(where)) - known
        known |= new
        whose.append(sorted(new))
    return whose


def main():
    fresh()
    cache = {name: fresh(name) for name in ("cache", "cache-alone", "cache-grades")}
    for folder in cache.values():
        folder.chmod(0o700)
    whose, words = hand_in(), ("cpu-scan", "--seed", "3", "-j", "1")
    together = run("class", OUT / "class", *words, "-o", fresh("out"), cache=cache["cache"])
    alone = grades = 0
    for names in whose:
        one = fresh("one")
        for name in names:
            os.rename(OUT / "class" / name, one / name)
        alone += run("class", one, *words, "-o", fresh("out-one"), cache=cache["cache-alone"])
    for taken in sorted((OUT / "out/taken").iterdir()):
        if (taken / "cpu_scan.c").exists():
            grades += run("grade", "cpu-scan", "--device", "vgpu", "--seed", "3", "-s", taken,
                          cache=cache["cache-grades"])
    print(f"{N} rows, each tenth hostile: {together:.1f} s of processors; each in a class of "
          f"one {alone:.1f} s; only grading those with a source {grades:.1f} s")
    sys.exit(together > 1.1 * alone)


main()
