#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""release.py OUT [LAB...] [--course DIR]: makes the hand-out for students in the new
folder OUT.

It is made of the files of git that TABLE lists, with the stubs and all labs, or
these only (names, numbers or folders). Links to what is not in it become text,
and `requires` loses labs that are not. It is searched for the solutions (leaks.py)
and graded: 0 points, and a TODO for each check that waits for no other. Then it
becomes a git repository of one commit. With DIR, labs are what that makes of them for
students (overlaid.py), with its handouts. docs/course.md tells more.

    SCANLAB=PATH   the program (build/bin/scanlab)

Exit status: 0 OUT was made; 2 OUT was not made, and the message says why.
"""
import collections
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import leaks
import markdown
import overlaid

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools/class"))
import tree  # noqa: E402

MOST_BYTES, ALL_BYTES = 16 << 20, 256 << 20  # of a course's file, and of all of them
# All that goes in, besides labs and stubs. What stands nowhere here stays out,
# whatever it is: new files, too. No kernel but those that the grader itself runs;
# no slides, whose examples (slides/runs) are kernels of the labs.
TABLE = """
LICENSE  Makefile  scanlab  CMakeLists.txt  CMakePresets.json  README.md
.gitignore  .gitattributes  .clang-format  .devcontainer/*.json  .vscode/*.json
cmake/*.cmake
vgpu/CMakeLists.txt  vgpu/rooms.txt  vgpu/base/*  vgpu/cmake/*  vgpu/core/*  vgpu/cuda/*  vgpu/device/*
vgpu/include/*  vgpu/observers/*  vgpu/tool/*
grader/*
labs/common/*.h
student/Makefile  student/.clang-tidy
tools/build.sh  tools/setup.sh  tools/test.sh  tools/count-tests.awk
tools/editor.sh  tools/clangd.h  tools/demo.sh  tools/meant.sh  tools/packages*.txt  tools/cuda-wheels.txt
tools/perfetto-wheel.txt
plots/*.gp  plots/*.sh  plots/*.py  plots/data/*.csv
docs/glossary.md  docs/macbook.md  docs/windows.md  docs/debugging.md  docs/seeing.md
docs/lab-clock.md  vgpu/docs/clock.md  vgpu/docs/vgpu.md  vgpu/docs/vgpu-limits.md
vgpu/docs/runtime-calls.md  vgpu/docs/litmus.md
vgpu/docs/race-model.md  docs/grade.md  docs/grade-v2.schema.json
docs/banks.svg  docs/steps.svg  vgpu/docs/clock-h200.svg  docs/report.png
docs/live.png  docs/lines.png  docs/workbench.webp
""".split()
PAGES = "README.md", "GRADING.md"  # handouts
IN_A_LAB = "README.md GRADING.md lab.ini given.txt *.h *.svg *.png".split()
# Parts of pages that speak to others, or show code that a lab asks for.
NOT_FOR_STUDENTS = {
    "README.md": r"^## For (?:instructors|contributors)\n.*?"
                 r"(?=^## |^MIT licence)|^ *make test [^\n]*\n",
    "vgpu/docs/vgpu.md": r"^## Example: finding a bank conflict\n.*?(?=^## )",
}

Lab = collections.namedtuple("Lab", "folder id source")


class Trouble(Exception):
    """Why there is no hand-out."""


def say(words):
    print(f"release: {words}", file=sys.stderr)


def git(where, *words, **environment):
    done = subprocess.run(["git", *words], cwd=where, text=True, check=False,
                          capture_output=True, env={**os.environ, **environment})
    if done.returncode:
        raise Trouble(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout


# ---- what goes in ----

def read_labs(files):
    found = []
    for name in files:
        if re.fullmatch(r"labs/\d[^/]*/lab\.ini", name):
            keys = dict(re.findall(r"^(id|source) *= *(\S+)",
                                   (ROOT / name).read_text(), re.M))
            found.append(Lab(name.split("/")[1], keys["id"], keys["source"]))
    return found


def choose(labs, names):
    for name in names:
        if not any(is_called(lab, name) for lab in labs):
            raise Trouble(f"there is no lab '{name}' in git; there are " +
                          " ".join(lab.id for lab in labs))
    return [lab for lab in labs
            if not names or any(is_called(lab, name) for name in names)]


def offered(labs, course, is_chosen):
    """Those that the course has; one that was asked for by name must be."""
    kept = [lab for lab in labs if overlaid.is_offered(course, lab.id)]
    if is_chosen and len(kept) < len(labs):
        raise Trouble(f"{course}/course.ini does not offer " + ", ".join(
            lab.id for lab in labs if lab not in kept))
    return kept


def is_called(lab, name):
    number = re.match(r"\d+", lab.folder)[0]
    return name in (lab.id, lab.folder) or \
        name.isdecimal() and int(name) == int(number)


def goes_in(name, labs):
    patterns = TABLE + [f"labs/{lab.folder}/{part}"
                        for lab in labs for part in IN_A_LAB]
    return is_like(name, patterns)


def is_like(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def copy(files, labs, out):
    for name in files:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, out / name, follow_symlinks=False)
    for lab in labs:
        solution = ROOT / "reference" / lab.source
        if not solution.exists():
            raise Trouble(f"lab {lab.id}: there is no reference/{lab.source}")
        stub = leaks.split(solution.read_text())[1]
        (out / "student" / lab.source).write_text(stub)


# ---- what it says of what is not in it ----

def mend_line(line, page):
    """Links and pictures that lead nowhere become their text."""
    def mend(link):
        is_here = re.match(r"[a-z]+:|#", link[1]) or \
            (page.parent / link[1].partition("#")[0]).exists()
        return link[0] if is_here else link[0][1:link[0].rindex("](")]
    return re.sub(r"^!(?!\[)", "", markdown.LINK.sub(mend, line))


def is_row_of_absent_lab(line):
    lab = re.match(r"\| \[[^]]*\]\((?:\.\./)*labs/([^/)]+)", line)
    return lab and not os.path.exists(f"labs/{lab[1]}")


def mend_pages(out):
    """Pages: links, rows of the table of labs, what is for others."""
    for page, part in NOT_FOR_STUDENTS.items():
        text, n = re.subn(part, "", (out / page).read_text(),
                          flags=re.M | re.S)
        if n == 0:
            raise Trouble(f"{page}: no part is like {part}: has its heading "
                          "changed?")
        (out / page).write_text(text)
    here = os.getcwd()
    os.chdir(out)
    try:
        for page in sorted(pathlib.Path(".").rglob("*.md")):
            lines = [line if is_code else mend_line(line, page)
                     for line, is_code in markdown.lines_of(page)
                     if is_code or not is_row_of_absent_lab(line)]
            page.write_text("\n".join(lines) + "\n")
    finally:
        os.chdir(here)


def mend_requires(labs, out):
    there = {lab.id for lab in labs}
    for lab in labs:
        path = out / "labs" / lab.folder / "lab.ini"
        text = path.read_text()
        line = re.search(r"^requires *=(.*)\n", text, re.M)
        absent = [name for name in line[1].split() if name not in there] if line else []
        if not absent:
            continue
        say(f"note: {lab.id} requires {', '.join(absent)}, not handed out")
        left = [name for name in line[1].split() if name in there]
        path.write_text(text.replace(
            line[0], f"requires = {' '.join(left)}\n" if left else "", 1))


# ---- what a course lays over it ----

def read_course(folder):
    """Its mistakes scanlab says, with file and line."""
    if not folder.is_dir():
        raise Trouble(f"there is no folder {folder}")
    done = subprocess.run([scanlab(), "list", "--course", folder], text=True,
                          capture_output=True, errors="replace", check=False)
    if done.returncode:
        raise Trouble(f"the course does not fit: {done.stderr.strip()}")


def files_of(course, wanted):
    """{path below it: bytes} of a course. Others may write in its folder, too, so it is
    read by descriptors: no link leads what is secret into what is handed out."""
    found, not_read = tree.read_all(course, wanted, MOST_BYTES, ALL_BYTES)
    for name, why in sorted(not_read.items()):
        parts = name.split("/")
        if wanted(parts) or (course / name).is_dir() and wanted(parts + ["lab.ini"]):
            raise Trouble(f"{course}/{name}: {why}")
    return found


def is_a_labs(parts):
    return len(parts) == 2 and (parts[1] in PAGES or parts[1].endswith(
        (".svg", ".png")) or parts[1] == "lab.ini")


def lay_over(course, labs, out):
    files = files_of(course, is_a_labs)
    for lab in labs:
        to, own = out / "labs" / lab.folder, course / lab.folder
        theirs = {name.split("/")[1]: data for name, data in files.items()
                  if name.startswith(lab.folder + "/")}
        over = theirs.pop("lab.ini", b"").decode()
        for name, data in sorted(theirs.items()):
            (to / name).write_bytes(data)
        base = (to / "lab.ini").read_text()
        laid, hidden = overlaid.for_students(
            overlaid.lay(base, over),
            overlaid.usual_visibility(course, lab.id))
        (to / "lab.ini").write_text(overlaid.text_of(laid))
        usual = [to / name for name in PAGES
                 if (to / name).exists() and name not in theirs]
        for page in usual:
            page.write_text(overlaid.mend_table(page.read_text(), base, laid))
        words = "".join((to / name).read_text() for name in PAGES
                        if (to / name).exists())
        speaks = [f"`{name}`, which is hidden" for name in hidden
                  if f"`{name}`" in words]
        speaks += [] if "README.md" in theirs else [
            f"`{name}`, which is another now" for name in overlaid.changed(base, laid)]
        if speaks:
            say(f"note: {lab.id}: does the handout still fit? It speaks of " +
                ", ".join(speaks) + f"; yours goes into {own / 'README.md'}")


# ---- is it what it should be? ----

def nvcc():
    """The compiler that set-up has found, or any, or None."""
    noted = ROOT / "build/nvcc-path"
    return os.environ.get("SCANLAB_NVCC") or \
        (noted.read_text().strip() if noted.exists() else shutil.which("nvcc"))


def search(out):
    """For solutions, also as PTX."""
    machine = None
    if nvcc():
        machine = leaks.machine_secrets(ROOT / "reference", nvcc())
    else:
        say("note: without nvcc nobody knows the solutions' PTX: it is not searched for")
    found = list(leaks.search(out, leaks.secrets(ROOT / "reference"), machine))
    for leak in found:
        say(f"{leak.path}:{leak.line}: a solution, reference/{leak.source}:"
            f"{leak.source_line}: {leak.text[:200]}")
    if found:
        raise Trouble(f"{len(found)} leaks, named above")


def wrong_checks(grade):
    """Checks that are not what they are where nothing is written yet."""
    for lab in grade["labs"]:
        for check in lab["checks"]:
            kind = (check.get("outcome") or {}).get("kind")
            if check["score"] != 0 or kind not in ("not-implemented", "needs"):
                yield (f"{lab['id']} {check['id']}: {check['score']} points, "
                       f"{check['status']}: {check['message']}")
        if not any((check.get("outcome") or {}).get("kind") == "not-implemented"
                   for check in lab["checks"]):
            yield f"{lab['id']}: no check is TODO"


def scanlab():
    return os.environ.get("SCANLAB", ROOT / "build/bin/scanlab")


def grade_once(labs, out):
    with tempfile.TemporaryDirectory() as work:
        report = pathlib.Path(work) / "grade.json"
        done = subprocess.run(
            [scanlab(), "grade", "--labs", out / "labs", "-s", out / "student",
             "--device", "vgpu", "--format", "json", "-o", report],
            capture_output=True, text=True, errors="replace", check=False)
        if done.returncode not in (0, 1) or not report.exists():
            raise Trouble(f"scanlab grade ended with {done.returncode}: "
                          + done.stderr.strip())
        grade = json.loads(report.read_text())
    wrong = list(wrong_checks(grade))
    if {lab["id"] for lab in grade["labs"]} != {lab.id for lab in labs}:
        wrong.append("other labs were graded")
    if grade["score"] != 0 or wrong:
        raise Trouble("stubs are not graded 0 with TODOs:\n" + "\n".join(wrong))
    return grade


def commit(out):
    """One commit, of the date of ours: the same release is the same commit."""
    date = git(ROOT, "log", "-1", "--format=%cI").strip()
    git(out, "init", "-q", "-b", "main")
    git(out, "add", "-A")
    git(out, "-c", "user.name=ScanLab", "-c", "user.email=scanlab@localhost", "-c",
        "commit.gpgsign=false", "commit", "-q", "-m", "ScanLab, as it is handed out",
        GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)


def make(out, names, course):
    if course:
        read_course(course)
    files = git(ROOT, "ls-files", "-z").split("\0")
    labs = choose(read_labs(files), names)
    if course:
        labs = offered(labs, course, bool(names))
    files = [name for name in files
             if name and goes_in(name, labs) and (ROOT / name).exists()]
    new = [name for name in git(ROOT, "ls-files", "-oz", "--exclude-standard")
           .split("\0") if goes_in(name, labs)]
    if new:
        say("note: not in git, so left out: " + " ".join(new))
    copy(files, labs, out)
    if course:
        lay_over(course, labs, out)
    mend_pages(out)
    mend_requires(labs, out)
    search(out)
    grade = grade_once(labs, out)
    commit(out)
    return (f"{len(files) + len(labs)} files, {len(labs)} labs, no solution found, "
            f"graded 0 of {grade['max_score']}")


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-") or not sys.argv[1]:
        print(__doc__, file=sys.stderr)
        return 2
    out, names, course = pathlib.Path(sys.argv[1]), sys.argv[2:], None
    if "--course" in names[-2:-1]:
        names, course = names[:-2], pathlib.Path(names[-1]).absolute()
    part = out.with_name(out.name + ".part")
    try:
        if out.exists() or part.exists():
            raise Trouble(f"{out if out.exists() else part} is there already")
        out.parent.mkdir(parents=True, exist_ok=True)
        part.mkdir()
        try:
            words = make(part.resolve(), names, course)
            part.rename(out)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except (Trouble, leaks.Trouble, OSError, UnicodeDecodeError) as trouble:
        say(trouble)
        return 2
    say(f"{out}: {words}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
