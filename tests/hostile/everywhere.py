#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""everywhere.py SCANLAB WITHOUT WHERE OUT

Grades the attacks and honest twins of tests/cheats and tests/hostile on a machine
WHERE (tests/tools/surroundings.py): each must get the verdict that it gets
elsewhere. A push tries FEW, which ask the kernel; nights try them all.
SCANLAB_TEST=only=WORD: those whose names hold the word."""
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve()
TOOLS = HERE.parents[1] / "tools"
sys.path[1:1] = [str(TOOLS), str(TOOLS.parents[1] / "vgpu/tests/tools")]
import asked  # noqa: E402
import surroundings  # noqa: E402

SCANLAB, WITHOUT, WHERE, OUT = sys.argv[1:]
OUT = pathlib.Path(OUT).resolve()
FEW = ("asks-for-files asks-for-others asks-the-kernel hands-on-descriptors "
       "honest-asks-for-itself opens-the-network forks")


def chosen():
    words = asked.value("only", "." if asked.everything() else None)
    return [path for folder in ("cheats", "hostile")
            for path in sorted((HERE.parents[1] / folder).glob("*.c*"))
            if path.suffix in (".c", ".cu") and
            any(word in path.name for word in (words or FEW).split())]


def verdict(path):
    """As expected?"""
    environment = {k: v for k, v in os.environ.items() if k != "SCANLAB_TEST"}
    done = subprocess.run(
        [sys.executable, TOOLS / "graded.py", SCANLAB, path, OUT / "case",
         "--where", WHERE, "--without", WITHOUT],
        env=environment, capture_output=True, text=True)
    if done.returncode:
        print(f"FAILED: {path.name}, {WHERE}\n{done.stdout}{done.stderr}",
              flush=True)
    return done.returncode == 0


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    if not surroundings.reached(WHERE, SCANLAB, OUT):
        print("SKIP: another user cannot reach this folder")
        return 77
    if subprocess.run([*surroundings.inside(WHERE, WITHOUT), "true"],
                      **surroundings.user(WHERE)).returncode != 0:
        print("SKIP: no user namespace can be made here")
        return 77
    begun, files = time.monotonic(), chosen()
    wrong = [path.name for path in files if not verdict(path)]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{WHERE}: {len(files) - len(wrong)} of {len(files)} as expected, "
          f"{time.monotonic() - begun:.0f} s, of processors "
          f"{used.ru_utime + used.ru_stime:.0f} s; not: {wrong}")
    return bool(wrong) or not files


sys.exit(main())
