#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""files.py SCANLAB_WALLS FILES OUT

Runs FILES (files.c) in each of the three walls around files: by all of them it may
do the same."""
import os
import pathlib
import shutil
import subprocess
import sys

WALLS, FILES, OUT = sys.argv[1:]
OUT = pathlib.Path(OUT).resolve()
SYSTEM = [w for p in ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache")
          for w in ("-r", p)]
PLACE = os.path.dirname(WALLS)


def run(wall):
    """What it says; nothing where all is right."""
    shutil.rmtree(OUT, ignore_errors=True)
    own, other = OUT / "own", OUT / "other"
    own.mkdir(parents=True)
    other.mkdir()
    (other / "secret").write_text("secret")
    shutil.copy("/bin/true", other / "run")
    before = {p: p.read_bytes() for p in other.iterdir()}
    done = subprocess.run(
        [WALLS, *SYSTEM, "-r", FILES, "-w", own, "-o", "/dev/null", *wall, "-t", "60",
         "--", FILES, own, other], capture_output=True, text=True, timeout=100)
    said = done.stdout + done.stderr
    if {p: p.read_bytes() for p in other.iterdir()} != before:
        said += "another's folder was changed\n"
    # A name that was read while it changed is half of each: it may be made in own.
    torn = len("other/secret") - len("own/")
    left = [p for p in own.iterdir() if len(p.name) != torn or p.stat().st_size]
    if left or done.returncode:
        said += f"exit status {done.returncode}, left: {left}\n"
    return said


def main():
    stand = subprocess.run([WALLS, "-r", "/usr", "-n", PLACE, "-p", "1"],
                           capture_output=True, text=True).stdout
    wrong = 0
    for name, words, there in (
            ("Landlock", ["-l", "1"], "files Landlock" in stand),
            ("mount namespace", ["-n", PLACE], "unseen" in stand),
            ("supervisor", ["-s", "1"], True)):
        said = run(words) if there else ""
        print(f"{name}: {(said or 'as it must be') if there else 'not here'}")
        wrong += bool(said)
    sys.exit(wrong)


main()
