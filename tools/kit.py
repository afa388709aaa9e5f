#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kit.py KIT OUT [LAB...]: what a learning system is given, so that it grades by
ScanLab, for all labs or these only (names, numbers or folders).

    gradescope    OUT is a zip: the sources, what builds them, what grades
    autolab       OUT is a tar that Autolab imports as an assessment; one lab
    prairielearn  OUT is a folder of questions, one for each lab
    github        OUT is a hand-out (make release), which gets a workflow, committed
    nbgrader      OUT is a folder of assignments, a notebook for each lab

    COURSE=DIR   what is laid over the labs (docs/course.md)
    IMAGE=NAME   of kits/container/Containerfile, as PrairieLearn and Autolab call it

No solution goes in: files are listed, and searched as the hand-out is.
docs/running-a-course.md says what to do with OUT.

Exit status: 0 made; 2 not made, and the message says why.
"""
import html
import io
import json
import os
import pathlib
import re
import shutil
import sys
import tarfile
import tempfile
import time
import uuid
import zipfile

import leaks
import notebook
import overlaid
import release
from release import ROOT, Trouble

# What builds and installs ScanLab, besides labs and stubs.
SOURCES = """
LICENSE  Makefile  CMakeLists.txt  CMakePresets.json  cmake/*.cmake  grader/*
vgpu/CMakeLists.txt  vgpu/rooms.txt  vgpu/base/*  vgpu/cmake/*  vgpu/core/*  vgpu/cuda/*  vgpu/device/*
vgpu/include/*  vgpu/observers/*  vgpu/tool/*
labs/common/*.h  kits/grade.py
tools/build.sh  tools/setup.sh  tools/meant.sh  tools/packages.txt  tools/cuda-wheels.txt
""".split()
IN_A_LAB = "README.md GRADING.md lab.ini given.txt *.h".split()
COURSE_FILES = "course.ini", "lab.ini", "README.md", "GRADING.md"  # what scanlab grade reads


def fill(name, **values):
    """A file of kits/ with @NAME@ replaced."""
    text = (ROOT / "kits" / name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    left = re.search(r"@[A-Z]+@", text)
    if left:
        raise Trouble(f"kits/{name}: what is {left[0]}?")
    return text


def titles(labs):
    """{id: title}, as lab.ini has it."""
    return {lab.id: re.search(r"^title *= *(.*)", (
        ROOT / "labs" / lab.folder / "lab.ini").read_text(encoding="utf-8"), re.M)[1].strip()
        for lab in labs}


def course():
    given = os.environ.get("COURSE")
    return pathlib.Path(given) if given else None


def students_view(lab):
    """(handout, sections of lab.ini): as students get them, with the course."""
    folder = ROOT / "labs" / lab.folder
    base, over, page = (folder / "lab.ini").read_text(encoding="utf-8"), "", folder / "README.md"
    if course():
        own = course() / lab.folder
        if (own / "lab.ini").is_file():
            over = (own / "lab.ini").read_text(encoding="utf-8-sig")
        page = own / "README.md" if (own / "README.md").is_file() else page
    laid, _ = overlaid.for_students(overlaid.lay(base, over), overlaid.usual_visibility(
        course(), lab.id) if course() else "visible")
    return page.read_text(encoding="utf-8"), laid


def entries(section, name):
    """All values of a key that may be repeated."""
    return [" ".join(" ".join(lines).split("=", 1)[1].split())
            for key, lines in section.entries() if key == name]


def checks(laid):
    """[(id, title, points without bonus, hints)] of the checks that a grade has without
    a GPU."""
    return [(s.name, s.value("title"), 0 if s.value("bonus") == "yes" else int(
        s.value("points")), entries(s, "hint")) for s in laid
            if s.type == "check" and not (s.value("kind") == "fast" and "cub" in (
                s.value("ratio") or ""))]


def stub(lab):
    solution = ROOT / "reference" / lab.source
    if not solution.exists():
        raise Trouble(f"lab {lab.id}: there is no reference/{lab.source}")
    return leaks.split(solution.read_text(encoding="utf-8"))[1]


def for_students(lab):
    """{name: bytes}: handout, headers, pictures and stub."""
    folder = ROOT / "labs" / lab.folder
    found = {path.name: path.read_bytes() for pattern in (
        "*.h", "*.svg", "*.png", "GRADING.md") for path in sorted(folder.glob(pattern))}
    found |= {path.name: path.read_bytes() for path in sorted(
        (ROOT / "labs/common").glob("*.h"))}
    return found | {"README.md": students_view(lab)[0].encode(),
                    lab.source: stub(lab).encode()}


def copy_course(out):
    """Only what scanlab reads of it: an editor's copies may lie there, and more."""
    given = course()
    if not given:
        return
    files = release.files_of(given, lambda parts: parts[-1] in COURSE_FILES)
    if not files:
        raise Trouble(f"COURSE={given}: there is no course.ini and no lab.ini in it")
    for name, data in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)


def put_sources(labs, files, out):
    for name in files:
        if release.is_like(name, SOURCES + [f"labs/{lab.folder}/{part}"
                                            for lab in labs for part in IN_A_LAB]):
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, out / name, follow_symlinks=False)
    (out / "student").mkdir()
    for lab in labs:
        (out / "student" / lab.source).write_text(stub(lab), encoding="utf-8")
    release.search(out)


# ---- kits ----

def gradescope(labs, files, work, out):
    """All labs go with it: a course may speak of others than those that are graded."""
    put_sources(release.read_labs(files), files, work / "scanlab")
    shutil.copy(ROOT / "kits/gradescope/setup.sh", work)
    run = work / "run_autograder"
    run.write_text(fill("gradescope/run_autograder", LABS=" ".join(lab.id for lab in labs)))
    run.chmod(0o755)
    copy_course(work / "course")
    date = time.gmtime(int(release.git(ROOT, "log", "-1", "--format=%ct")))[:6]
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(p for p in work.rglob("*") if p.is_file()):
            entry = zipfile.ZipInfo(str(path.relative_to(work)), date)
            entry.external_attr = (path.stat().st_mode & 0xffff) << 16
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)


def add(archive, name, data):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(data), 0o644
    archive.addfile(entry, io.BytesIO(data))


def add_folder(archive, name):
    """Autolab wants the folder itself before what is in it."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = tarfile.DIRTYPE, 0o755
    archive.addfile(entry)


def packed(files, folder):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        add_folder(archive, folder)
        for name, data in sorted(files.items()):
            add(archive, f"{folder}/{name}", data)
    return made.getvalue()


def autolab(labs, _, work, out):
    """One folder, called as the assessment is: small letters and digits."""
    if len(labs) != 1:
        raise Trouble("autolab: an assessment takes one file, so one lab: LABS=naive")
    lab, grader = labs[0], io.BytesIO()
    image = os.environ.get("IMAGE") or "scanlab"
    if len(image) > 64:
        raise Trouble(f"autolab: it takes no name of an image above 64 letters: IMAGE={image}")
    (work / "course").mkdir()
    copy_course(work / "course")
    with tarfile.open(fileobj=grader, mode="w") as archive:
        archive.add(work / "course", "course")
    name = "scanlab" + re.sub("[^a-z0-9]", "", lab.id.lower())
    points = sum(points for _, _, points, _ in checks(students_view(lab)[1]))
    values = {"NAME": name, "LAB": lab.id, "SOURCE": lab.source, "POINTS": str(points),
              "IMAGE": image, "MODULE": name.capitalize(),
              "TITLE": json.dumps(f"ScanLab {lab.folder[:2]}: {titles([lab])[lab.id]}")}
    files = {f"{name}.yml": fill("autolab/assessment.yml", **values).encode(),
             f"{name}.rb": fill("autolab/assessment.rb", **values).encode(),
             "autograde-Makefile": fill("autolab/Makefile", LAB=lab.id).encode(),
             "autograde.tar": grader.getvalue(),
             f"{name}-handout.tar": packed(for_students(lab), f"{name}-handout")}
    (work / "handout").mkdir()
    for given, data in for_students(lab).items():
        (work / "handout" / given).write_bytes(data)
    release.search(work)
    out.write_bytes(packed(files, name))


def pl_hints(laid):
    """Of each check one after the other, one more with each submission."""
    lines, most = [], 8
    for id, title, _, hints in checks(laid):
        for n, hint in enumerate(hints[:most], 1):
            lines.append(f'    <pl-hint show-after-submission="{n}" hint-name="'
                         f'{html.escape(id)}">{html.escape(title)}: {html.escape(hint)}'
                         "</pl-hint>")
    # Mustache reads the page before HTML does.
    return "\n".join(lines).replace("{{", "{ {")


def prairielearn(labs, _, work, out):
    image = os.environ.get("IMAGE") or "scanlab"
    for lab in labs:
        question = work / f"scanlab-{lab.id}"
        question.mkdir()
        title = f"ScanLab {lab.folder[:2]}: {titles([lab])[lab.id]}"
        info = fill("prairielearn/info.json", TITLE=title, IMAGE=image, LAB=lab.id,
                    UUID=str(uuid.uuid5(uuid.NAMESPACE_URL, f"scanlab:{lab.id}")))
        json.loads(info)
        (question / "info.json").write_text(info)
        files = for_students(lab)
        (question / "clientFilesQuestion").mkdir()
        for name, data in files.items():
            (question / "clientFilesQuestion" / name).write_bytes(data)
        (question / "question.html").write_text(fill(
            "prairielearn/question.html", TITLE=title, SOURCE=lab.source,
            FILES="\n".join(f'    <li><pl-file-download file-name="{name}"></pl-file-download></li>'
                            for name in files), HINTS=pl_hints(students_view(lab)[1])),
                                              encoding="utf-8")
        copy_course(question / "tests/course")
    release.search(work)
    shutil.copytree(work, out)


def nbgrader(labs, _, work, out):
    if os.environ.get("COURSE"):
        raise Trouble("nbgrader: students run the cells that grade, so no COURSE")
    for lab in labs:
        folder = work / "source" / f"scanlab-{lab.id}"
        folder.mkdir(parents=True)
        page, laid = students_view(lab)
        program = fill("nbgrader/grade.py", SOURCE=lab.source, LAB=lab.id)
        (folder / f"{lab.id}.ipynb").write_text(notebook.notebook(
            lab.id, lab.source, stub(lab), page, program,
            [found[:3] for found in checks(laid)]), encoding="utf-8")
        for name, data in for_students(lab).items():
            if name.endswith((".svg", ".png", ".h")):
                (folder / name).write_bytes(data)
    release.search(work)
    shutil.copytree(work / "source", out)


def github(labs, _, __, out):
    if os.environ.get("COURSE"):
        raise Trouble("github: students can read all that is in their repository, so no COURSE")
    if not (out / "student").is_dir() or not (out / "grader").is_dir():
        raise Trouble(f"{out} is no hand-out; make one: make release OUT={out}")
    place = out / ".github/workflows/scanlab.yml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(fill("github/scanlab.yml", LABS=" ".join(lab.id for lab in labs)))
    shutil.copy(ROOT / "kits/github/classroom.py", out / ".github")
    if (out / ".git").exists():  # what is not committed, nobody is handed out
        release.git(out, "add", "-f", ".github")
        if release.git(out, "status", "--porcelain", ".github"):
            release.git(out, "-c", "user.name=ScanLab", "-c", "user.email=scanlab@localhost",
                        "-c", "commit.gpgsign=false", "commit", "-q", "-m",
                        "Graded on each push", "--", ".github")


KITS = {"gradescope": gradescope, "autolab": autolab, "prairielearn": prairielearn,
        "github": github, "nbgrader": nbgrader}


def make(kit, out, names):
    files = release.git(ROOT, "ls-files", "-z").split("\0")
    files = [name for name in files if name and (ROOT / name).exists()]
    labs = release.choose(release.read_labs(files), names)
    if course():
        labs = release.offered(labs, course(), bool(names))
    if kit != "github" and out.exists():
        raise Trouble(f"{out} is there already")
    with tempfile.TemporaryDirectory() as work:
        KITS[kit](labs, files, pathlib.Path(work), out)


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in KITS:
        print(__doc__, file=sys.stderr)
        return 2
    out = pathlib.Path(sys.argv[2])
    try:
        make(sys.argv[1], out, sys.argv[3:])
    except (Trouble, OSError) as trouble:
        print(f"kit: {trouble}", file=sys.stderr)
        return 2
    print(f"kit: {out} is for {sys.argv[1]}; docs/running-a-course.md says what to do with it",
          file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
