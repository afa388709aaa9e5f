# SPDX-License-Identifier: MIT
"""Course folders: what `scanlab new DIR` makes, and which one is meant."""
import pathlib
import shutil
import sys

from . import HOME

# What a student reads and writes.
PARTS = "labs", "student", "docs", "vgpu/docs"
README = """# ScanLab

Edit the stubs in `student/`. Each lab has a handout, `README.md` in its folder of `labs/`.

    scanlab grade naive       grades lab 1 of this folder
    scanlab grade             grades all labs
    scanlab watch naive       grades again whenever the file is saved
    scanlab hint naive        gives a hint
    scanlab --help            lists the other commands

A command works here and in any folder below.
"""


def find(start="."):
    """The nearest course folder at or above `start`; None."""
    here = pathlib.Path(start).resolve()
    for folder in (here, *here.parents):
        if (folder / "labs").is_dir() and (folder / "student").is_dir():
            return folder
    return None


def make(folder):
    """Why it could not; None: it is made."""
    to = pathlib.Path(folder)
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        return f"{folder} is there already, and not empty"
    try:
        to.mkdir(parents=True, exist_ok=True)
        for part in PARTS:
            if (HOME / part).is_dir():
                shutil.copytree(HOME / part, to / part)
        (to / "README.md").write_text(README)
        for path in [to, *to.rglob("*")]: # an environment may be read-only
            path.chmod(path.stat().st_mode | 0o200)
    except OSError as why:
        return str(why)
    return None


def new(words):
    """`scanlab new DIR`; its exit status."""
    if len(words) != 1 or words[0].startswith("-"):
        asked = words in (["--help"], ["-h"])
        print("Usage: scanlab new DIR\n\nMakes the folder DIR: the labs' handouts in "
              "DIR/labs, stubs to be filled in in\nDIR/student.",
              file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    why = make(words[0])
    if why:
        print(f"scanlab: {why}", file=sys.stderr)
        return 2
    print(f"{words[0]}: handouts in labs/, stubs in student/; now:\n\n"
          f"  cd {words[0]}\n  scanlab grade naive")
    return 0
