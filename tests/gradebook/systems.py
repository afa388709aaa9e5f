# SPDX-License-Identifier: MIT
"""systems.py SCANLAB OUT PAGE [--fix]: from what a system gives to what it takes back; then
what is odd (odd.py).

Four students hand in lab 0 by each system that docs/learning-systems.md names: Ann in
time, Bo a day late, Cy the stub, Di nothing. The page has what was typed and what came;
this test types it again and fails where something else comes. --fix writes the page."""
import difflib
import os
import pathlib
import re
import subprocess
import sys

import odd
from book import OUT, ROOT, SCANLAB, fresh, put

PAGE = pathlib.Path(sys.argv[3])
STUDENTS = {"ann": ("Ann", "Lee", "1001"), "bo": ("Bo", "Diaz", "1002"), "cy": ("Cy", "Ito", "1003"),
            "di": ("Di", "Roy", "1004")}
AT = {"ann": "2026-11-30 20:02", "bo": "2026-12-01 20:02", "cy": "2026-11-30 21:30"}
POLICY = """[course]
zone = +00:00
missing = zero
[lab cpu-scan]
due = 2026-11-30T23:59
[late]
percent = 10
"""
COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def sources():
    scan = (ROOT / "reference/cpu_scan.c").read_bytes()
    right = b"#define SOLUTION\n" + scan
    return {"ann": right, "bo": right + b"/* Bo's */\n",
            "cy": (ROOT / "student/cpu_scan.c").read_bytes()}


def english(text):
    """Nov 30, 2026 802 PM"""
    day, time = text.split(" ")
    year, month, date = day.split("-")
    hour, minute = map(int, time.split(":"))
    name = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[int(month) - 1]
    return f"{name} {int(date)}, {year} {hour % 12 or 12}{minute:02} {'AP'[hour > 11]}M"


# ---- what each system gives: (name of a file, bytes), and the files of its own ----

def canvas(here, handed):
    for who, data in handed.items():
        first, last, number = STUDENTS[who]
        late = "LATE_" if who == "bo" else ""
        put(here / f"submissions/{last}{first}_{late}{number}_77_cpu_scan.c".lower().replace(
            "late_", "LATE_"), data)
    rows = ["Student,ID,SIS User ID,SIS Login ID,Section,Lab 0 (9)", "    Points Possible,,,,,100"]
    rows += [f'"{last}, {first}",{number},,{who}@x.edu,A,'
             for who, (first, last, number) in STUDENTS.items()]
    put(here / "canvas.csv", "\n".join(rows) + "\n")
    put(here / "times.csv", "student,lab,handed_in\nbo@x.edu,cpu-scan,2026-12-01T20:02\n"
        "ann@x.edu,cpu-scan,2026-11-30T20:02\ncy@x.edu,cpu-scan,2026-11-30T21:30\n")


def moodle(here, handed):
    rows = ["Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
            "Last modified (submission),Last modified (grade),Feedback comments"]
    for who, (first, last, number) in STUDENTS.items():
        at = ""
        if who in handed:
            put(here / f"submissions/{first} {last}_{number}_assignsubmission_file_/cpu_scan.c",
                handed[who])
            day, time = AT[who].split(" ")
            year, month, date = day.split("-")
            at = f'"{int(date)} {"November" if month == "11" else "December"} {year}, {time}"'
        rows.append(f"Participant {number},{first} {last},{who}@x.edu,Submitted,,100.00,Yes,{at},-,")
    put(here / "worksheet.csv", "\n".join(rows) + "\n")


def gradescope(here, handed):
    lines = []
    for n, (who, data) in enumerate(handed.items(), 1):
        first, last, number = STUDENTS[who]
        put(here / f"submissions/submission_{n}/cpu_scan.c", data)
        lines += [f"submission_{n}:", "  :submitters:", f"  - :name: {first} {last}",
                  f"    :sid: '{number}'", f"    :email: {who}@x.edu",
                  f"  :created_at: {AT[who]}:00 Z"]
    put(here / "submissions/submission_metadata.yml", "\n".join(lines) + "\n")
    rows = ["First Name,Last Name,SID,Email,Sections,Total Score"] + [
        f"{first},{last},{number},{who}@x.edu,A," for who, (first, last, number) in STUDENTS.items()]
    put(here / "scores.csv", "\n".join(rows) + "\n")


def brightspace(here, handed):
    for n, (who, data) in enumerate(handed.items()):
        first, last, _ = STUDENTS[who]
        put(here / f"submissions/3970{n}-2557 - {first} {last} - {english(AT[who])}/cpu_scan.c", data)
    put(here / "submissions/index.html", "<p>a list</p>")
    rows = ["OrgDefinedId,Username,Last Name,First Name,Lab 0 Points Grade "
            "<Numeric MaxPoints:100 Weight:10>,End-of-Line Indicator"]
    rows += [f"#{number},#{who},{last},{first},,#"
             for who, (first, last, number) in STUDENTS.items()]
    put(here / "grades.csv", "\n".join(rows) + "\n")


def blackboard(here, handed):
    for who, data in handed.items():
        at = AT[who].replace(" ", "-").replace(":", "-") + "-00"
        put(here / f"submissions/Lab 0_{who}_attempt_{at}_cpu_scan.c", data)
        put(here / f"submissions/Lab 0_{who}_attempt_{at}.txt", f"Name: ({who})\n")
    rows = ["Last Name,First Name,Username,Student ID,Lab 0 [Total Pts: 100 Score] |5512"]
    rows += [f"{last},{first},{who},{number}," for who, (first, last, number) in STUDENTS.items()]
    put(here / "center.csv", "\n".join(rows) + "\n")


def autolab(here, handed):
    for who, data in handed.items():
        put(here / f"submissions/{who}@x.edu_1_cpu_scan.c", data)
    put(here / "roster.csv", "email,name\n" + "".join(
        f"{who}@x.edu,{first} {last}\n" for who, (first, last, _) in STUDENTS.items()))
    put(here / "times.csv", "student,lab,handed_in\n" + "".join(
        f"{who}@x.edu,cpu-scan,{at.replace(' ', 'T')}\n" for who, at in AT.items()))


def prairielearn(here, handed):
    for n, (who, data) in enumerate(handed.items()):
        put(here / f"submissions/{who}@x.edu_1_scanlab-cpu-scan_1_1_34{n}_cpu_scan.c", data)
    put(here / "instances.csv", "UID,UIN,Username,Name,Role,Assessment,Instance,Started\n" + "".join(
        f"{who}@x.edu,{number},{who},{first} {last},Student,Homework 1,1,\n"
        for who, (first, last, number) in STUDENTS.items()))
    put(here / "times.csv", "student,lab,handed_in\n" + "".join(
        f"{who}@x.edu,cpu-scan,{at.replace(' ', 'T')}\n" for who, at in AT.items()))


def github(here, handed):
    env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
    for who, data in handed.items():
        repository = here / f"submissions/lab-0-{who}hub"
        put(repository / "student/cpu_scan.c", data)
        env |= {"GIT_AUTHOR_DATE": AT[who] + " +0000", "GIT_COMMITTER_DATE": AT[who] + " +0000"}
        for words in ("init -q", "add .", "commit -q -m done"):
            subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", "-C", repository,
                            *words.split()], env=env, check=True, capture_output=True)
    put(here / "classroom_roster.csv", '"identifier","github_username","github_id","name"\n' +
        "".join(f'"{number}","{who}hub","","{first} {last}"\n'
                for who, (first, last, number) in STUDENTS.items()))


SYSTEMS = [
    ("Canvas", canvas, "Assignment, \"Download Submissions\"; Gradebook, \"Export\". Canvas says who "
     "was late and not when, so times of hand-in are in a file (`[files] students = times.csv`). "
     "`canvas.csv` goes back by Gradebook, \"Import\".",
     "-p policy.ini -r canvas.csv -g canvas.csv --column \"Lab 0\" --points cpu-scan", "canvas.csv"),
    ("Moodle", moodle, "Submissions, \"Download all submissions\" and \"Download grading "
     "worksheet\". `moodle.csv` goes back by \"Upload grading worksheet\", the zip by \"Upload "
     "multiple feedback files in a zip\". Columns and times of the worksheet are read in English "
     "and in German: with another language set your own in Moodle to English before the download, "
     "and before the upload. Extensions and drafts of the column Status, teams of the column Group "
     "and numbers that differ between assignments: [who is who](running-a-course.md#who-is-who), "
     "[a second lab](running-a-course.md#a-second-lab).",
     "-p policy.ini -r worksheet.csv -g worksheet.csv --points cpu-scan", "moodle.csv"),
    ("Gradescope", gradescope, "Review Grades, \"Export Submissions\" and \"Download Grades\". "
     "Gradescope takes no totals back: `gradescope.csv` is for the system behind it.",
     "-p policy.ini -r scores.csv -g scores.csv --points cpu-scan", "gradescope.csv"),
    ("Brightspace", brightspace, "Assignments, all submissions, \"Download\"; Grades, \"Export "
     "Grades\" with OrgDefinedId, both names and points. Who handed in is known by name alone, so "
     "two students of one name are reported as a doubt, and neither has a 0 ([what is "
     "assumed](learning-systems.md#what-is-assumed-of-brightspace)). `brightspace.csv` goes back by \"Import Grades\".",
     "-p policy.ini -r grades.csv -g grades.csv --column \"Lab 0\" --points cpu-scan",
     "brightspace.csv"),
    ("Blackboard", blackboard, "Grade Center, the column's \"Assignment File Download\"; \"Work "
     "Offline\", \"Download\". `blackboard.csv` goes back by \"Work Offline\", \"Upload\".",
     "-p policy.ini -r center.csv -g center.csv --column \"Lab 0\" --points cpu-scan",
     "blackboard.csv"),
    ("Autolab", autolab, "Handins, \"Download latest\"; the roster is a CSV of your own. "
     "`autolab.csv` goes back by \"Bulk import grades\".",
     "-p policy.ini -r roster.csv --export autolab --points cpu-scan", "autolab.csv"),
    ("PrairieLearn", prairielearn, "Where PrairieLearn has graded already ([its "
     "questions](running-a-course.md#prairielearn)) this is for late rules and points that "
     "PrairieLearn does not have. From the assessment's Downloads take `..._final_files.zip`, and "
     "`..._instances.csv` as the roster (a student who never opened the assessment is not in it). "
     "The names in the archive hold no times: copy those of `..._final_submissions.csv` into "
     "`times.csv`. The class does not read a question that lies in a subfolder, nor the work of "
     "groups. Upload `prairielearn.csv` under Uploads, \"Upload new total scores\".",
     "-p policy.ini -r instances.csv --export prairielearn --points cpu-scan", "prairielearn.csv"),
    ("GitHub Classroom", github, "The repositories, as `gh classroom clone student-repos` clones "
     "them, and the roster. Times are those of commits, which students' machines say. Points go "
     "where your gradebook is: with `-g` and its export, or from `gradebook.csv`.",
     "-p policy.ini -r classroom_roster.csv --git submissions --points cpu-scan",
     "gradebook.csv | cut -d, -f2,5,7,11,17"),
]


def tree(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*")
                  if p.is_file() and ".git" not in p.parts)


def run(words, here):
    done = subprocess.run(
        ["sh", "-c", words], cwd=here, text=True, errors="replace", capture_output=True,
        check=False, timeout=600, env=dict(
            os.environ, PATH=f"{pathlib.Path(SCANLAB).parent}:{os.environ['PATH']}", COLUMNS="90",
            SCANLAB_ROOT=str(ROOT), SCANLAB_CACHE=str(OUT / "cache"), LANG="C.UTF-8"))
    said = COLOURS.sub("", done.stdout + done.stderr).replace(f"{here}/", "")
    said = re.sub(r"(?m)^scanlab class: \d+ of \d+ graded.*\n?", "", said)
    said = re.sub(r"\b\d+(\.\d+)? (s|min)\b", "N s", said)
    return said.rstrip("\n"), done.returncode


def transcript(name, make, how, words, back, handed):
    here = fresh(make.__name__)
    make(here, handed)
    more = "[files]\nstudents = times.csv\n" if (here / "times.csv").exists() else ""
    put(here / "policy.ini", POLICY + more)
    lines = ["    $ ls submissions"] + ["    " + n for n in tree(here / "submissions")]
    for command, wanted in (("scanlab class submissions/ cpu-scan --seed 5", 0),
                            (f"scanlab gradebook submissions.graded {words}", 0),
                            (f"cut -c1-90 submissions.graded/final/{back}", 0)):
        said, status = run(command, here)
        shown = f"    $ {command}".replace(" --points", " \\\n          --points")
        lines += [shown] + ["    " + l if l else "" for l in said.split("\n")]
        if status != wanted:
            sys.exit(f"{name}: {command} ended with {status}:\n{said}")
    return f"## {name}\n\n{how}\n\n" + "\n".join(lines) + "\n"


def check(name, back, here):
    """Ann has all points, Bo 10 % less, Cy and Di none."""
    text = (here / "submissions.graded/final" / back.split(" ")[0]).read_text(encoding="utf-8-sig")
    for who, points in (("ann", "100"), ("bo", "90"), ("cy", "0"), ("di", "0")):
        first, last, number = STUDENTS[who]
        line = next((l for l in text.splitlines() if re.search(
            rf"\b({who}@x\.edu|{number}|#{number})\b", l)), "")
        if points not in re.split(r'[,"]', line):
            sys.exit(f"{name}: {who} should have {points}: {line}")


def main():
    fresh("cache").chmod(0o700)
    handed = sources()
    parts = ["""<!-- Made by tests/gradebook/systems.py --fix: a test types it again. -->
# From a learning system and back

First nothing odd: four students hand in lab 0, Ann in time, Bo a day late, Cy the stub, Di nothing. For each system:
what it gives, what is typed, what comes, and what it takes back. Then
[what is odd](learning-systems.md#when-something-is-odd), and the rules that decide. The files were made by what the
systems' makers say of them ([what each system takes](running-a-course.md#what-each-system-takes));
no such system was there to try them with. `policy.ini` is the same everywhere:

""" + "".join("    " + line + "\n" for line in POLICY.splitlines())]
    for name, make, how, words, back in SYSTEMS:
        parts.append(transcript(name, make, how, words, back, handed))
        check(name, back, OUT / make.__name__)
    parts.append(odd.transcript(run, POLICY, handed["ann"], handed["cy"]))
    page = "\n".join(parts)
    put(OUT / "typed.md", page)
    if "--fix" in sys.argv:
        PAGE.write_text(page, encoding="utf-8")
        return
    old = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if wrapped(old) != wrapped(page):
        sys.exit("\n".join(difflib.unified_diff(wrapped(old), wrapped(page), str(PAGE),
                                                "typed again", lineterm="")))


def wrapped(text):
    """Paragraphs may be wrapped elsewhere; transcripts may not."""
    return [line if line.startswith("    ") else word
            for line in text.split("\n")
            for word in ([line] if line.startswith("    ") else line.split())]


main()
