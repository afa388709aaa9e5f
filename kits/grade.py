#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""grade.py SYSTEM [-o FOLDER] [-c COURSE] [LAB...]: grades one submission as a
learning system hands it over, and leaves the result where it looks for it.
docs/running-a-course.md says how it gets there.

    gradescope    /autograder  submission/, submission_metadata.json -> results/
    prairielearn  /grade       student/, data/data.json -> results/
    autolab       .            the file that was handed in -> standard output

FOLDER stands in place of the system's. COURSE is laid over the labs. What the
student's code must not read is out of its reach in one of two ways: by the wall
`files` (docs/robustness.md), or because it belongs to another user, and only
this program, which is root, may pass that by; the submission's code and what
compiles it have given that right up. Where neither can be had nothing is graded.

Exit status: 0 there is a result; 2 the grader could not do its work, which is no
result: it is said on standard error, and it is nobody's 0 points.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HOME = pathlib.Path(__file__).resolve().parent.parent  # PREFIX/lib/scanlab
SCANLAB = HOME / "bin/scanlab"
MOST_ENTRIES, MOST_DEEP = 20000, 16
KEEPER = 65533  # owns what is secret; no process runs as this user
# A minute less than what the system gives, so that what was reached by then counts.
SECONDS = {"gradescope": 540, "prairielearn": 540, "autolab": 540}
NEVER_LATE = "1970-01-01T00:00Z"


# The hints that a submission is shown: one more for each that was handed in before.
MOST_HINTS = 1000


class Fault(Exception):
    """The grader could not do its work."""


def sources(labs):
    """The files of the labs that are graded; those of all, where none is named."""
    found = set()
    for ini in (HOME / "labs").glob("*/lab.ini"):
        keys = dict(re.findall(r"^(id|source) *= *(\S+)", ini.read_text(encoding="utf-8"), re.M))
        if not labs or keys["id"] in labs:
            found.add(keys["source"])
    if len(found) < len(labs):
        raise Fault(f"not all of these are labs: {' '.join(labs)}")
    return found


def best_folder(top, names):
    """Where the most of the files lie, the highest one first; top: nowhere. By
    descriptors, through no link, and no further than scanlab would look."""
    best, most, left = top, 0, MOST_ENTRIES
    for where, folders, files, _ in os.fwalk(top):
        left -= len(folders) + len(files)
        deep = len(pathlib.Path(where).relative_to(top).parts)
        folders[:] = sorted(f for f in folders if not f.startswith(".")) \
            if deep < MOST_DEEP and left > 0 else []
        found = len(names & set(files))
        if found > most:
            best, most = pathlib.Path(where), found
    return best


# ---- secrets ----

def is_root_that_may_pass_by():
    """CAP_DAC_OVERRIDE and CAP_CHOWN are in effect."""
    with open("/proc/self/status", encoding="ascii") as status:
        caps = next(int(line.split()[1], 16) for line in status if line.startswith("CapEff"))
    return os.geteuid() == 0 and caps & 0b11 == 0b11


def put_away(folders):
    """Gives them to a user that nobody is. False: we may not."""
    if not is_root_that_may_pass_by():
        return False
    try:
        for folder in folders:
            os.chmod(folder, 0o700)
            os.chown(folder, KEEPER, KEEPER)
    except OSError:
        return False
    return True


# ---- systems: what was handed in, by whom, when ----

def utc(text):
    when = datetime.datetime.fromisoformat(text)
    if when.tzinfo is None:
        raise ValueError(f"{text} has no zone")
    return when.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ")


def rules_with_due(course, due, labs, to):
    """A copy of the course in which this is when the labs are due: the system's time,
    which is a student's own where it gave an extension. Without [late] it says nothing."""
    shutil.copytree(course, to)
    path = to / "course.ini"
    text = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    for lab in labs:
        section = next((found for found in re.finditer(r"(?m)^\[lab[ \t]([^]\n]*)\][^\n]*\n", text)
                        if found[1].strip() == lab), None)
        if not section:
            text = text.rstrip("\n") + f"\n[lab {lab}]\ndue = {due}\n"
            continue
        at = section.end()
        body, bracket, rest = text[at:].partition("\n[")
        body = re.sub(r"(?m)^due[ \t]*=[^\n]*\n?", "", body)
        text = text[:at] + f"due = {due}\n" + body + bracket + rest
    path.write_text(text, encoding="utf-8")
    return to


def metadata(top):
    try:
        return json.loads((top / "submission_metadata.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as why:
        raise Fault(f"submission_metadata.json: {why}") from why


def gradescope(top):
    meta = metadata(top)
    who = "+".join(sorted(user.get("email") or str(user["id"]) for user in meta["users"]))
    return top / "submission", who, utc(meta["created_at"])


def prairielearn(top):
    """A variant's seed is the student's; deadlines are PrairieLearn's."""
    data = json.loads((top / "data/data.json").read_text(encoding="utf-8"))
    return top / "student", f"variant {data.get('variant_seed', '')}", NEVER_LATE


def autolab(top):
    """One file beside what the kit has brought; deadlines are Autolab's."""
    return top, "autolab", NEVER_LATE


# Where it all lies, where the result goes, which folders are secret besides COURSE.
SYSTEMS = {"gradescope": (gradescope, "/autograder", "results/results.json", ["source"]),
           "prairielearn": (prairielearn, "/grade", "results/results.json",
                            ["tests", "serverFilesCourse", "data"]),
           "autolab": (autolab, ".", None, [])}


# ---- a grade ----

def command(system, top, course, labs, work):
    find, _, _, secret = SYSTEMS[system]
    folder, who, when = find(top)
    folder = best_folder(folder, sources(labs))
    hints, given = 1, [course] if course else [] # the copy lies in a folder of its own
    if system == "gradescope":
        meta = metadata(top)
        hints = min(MOST_HINTS, 1 + len(meta.get("previous_submissions") or ()))
        if course and (due := (meta.get("assignment") or {}).get("due_date")):
            course = rules_with_due(course, utc(due), labs, work / "course")
    secret = [top / name for name in secret if (top / name).is_dir()] + given
    words = [SCANLAB, "grade", *labs, "--submission", folder, "--called", "student",
             "--hints", str(hints), "--device", "vgpu", "--time-limit", str(SECONDS[system]), "--cache",
             work / "cache", "--report", f"{system}={work / 'report'}",
             "--staff" if course else "--report", f"json={work / 'grade.json'}"]
    if course:
        words += ["--course", course, "--student", who, "--handed-in", when]
    if secret and not put_away(secret):
        words.append("--require-walls")
    return words


def say_walls(grade):
    """Which walls stood, for whoever reads the log."""
    for place, walls in json.loads(grade.read_text(encoding="utf-8"))["walls"].items():
        for name, by in walls.items():
            print(f"walls: {place}: {name}: {by or 'MISSING'}", file=sys.stderr)


def grade(system, top, course, labs, work):
    result = SYSTEMS[system][2]
    # Autolab shows students all that is printed, so what is wrong with the course is not.
    done = subprocess.run(command(system, top, course, labs, work), stdin=subprocess.DEVNULL,
                          env={"SCANLAB_PROGRAM": "build/bin/scanlab", **os.environ},
                          stdout=subprocess.DEVNULL,
                          stderr=None if result else subprocess.DEVNULL, check=False)
    if done.returncode not in (0, 1):
        raise Fault(f"scanlab grade ended with {done.returncode}")
    report = (work / "report").read_text(encoding="utf-8")
    if result:
        say_walls(work / "grade.json")
        place = top / result
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_suffix(".part")
        part.write_text(report, encoding="utf-8")
        part.rename(place)
    else:
        sys.stdout.write(report)


def fault(system, top, why):
    """No points, and no zero: PrairieLearn can be told so."""
    print(f"grade.py: {why}", file=sys.stderr)
    words = "The grader could not do its work; nothing is wrong with what you handed in " \
        "for all that is known. Tell your teacher."
    result = SYSTEMS[system][2]
    if result:
        place = top / result
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        if system == "prairielearn":
            place.write_text(json.dumps({"gradable": False, "message": words,
                                         "format_errors": [words]}), encoding="utf-8")
    else:
        print(words)
    return 2


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    arguments.add_argument("system", choices=sorted(SYSTEMS))
    arguments.add_argument("-o", "--folder", type=pathlib.Path)
    arguments.add_argument("-c", "--course", type=pathlib.Path)
    arguments.add_argument("labs", nargs="*")
    given = arguments.parse_intermixed_args()
    top = (given.folder or pathlib.Path(SYSTEMS[given.system][1])).resolve()
    course = given.course if given.course and given.course.is_dir() else None
    work = pathlib.Path(tempfile.mkdtemp(prefix="scanlab."))
    try:
        grade(given.system, top, course, given.labs, work)
        return 0
    except (Fault, OSError, ValueError, KeyError, TypeError, AttributeError) as why:
        return fault(given.system, top, why)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
