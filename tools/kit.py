#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kit.py KIT OUT [LAB...]: what a learning system is given, so that it grades by
ScanLab, for all labs or these only (names, numbers or folders).

    gradescope    OUT is a zip: the sources, what builds them, what grades
    autolab       OUT is a folder: autograde-Makefile, autograde.tar; one lab
    prairielearn  OUT is a folder of questions, one for each lab
    github        OUT is a hand-out (make release), which gets a workflow

    COURSE=DIR   what is laid over the labs (docs/course.md)
    IMAGE=NAME   of kits/container/Containerfile, as PrairieLearn is to call it

No solution goes in: files are listed, and searched as the hand-out is.
docs/running-a-course.md says what to do with OUT.

Exit status: 0 made; 2 not made, and the message says why.
"""
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
COURSE_FILES = {".ini"} # all that scanlab reads of a course


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


def copy_course(out):
    """Only what scanlab reads of it: an editor's copies may lie there, and more."""
    given = os.environ.get("COURSE")
    if not given:
        return
    files = release.files_of(pathlib.Path(given), lambda parts: parts[-1].endswith(
        tuple(COURSE_FILES)))
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
        solution = ROOT / "reference" / lab.source
        if not solution.exists():
            raise Trouble(f"lab {lab.id}: there is no reference/{lab.source}")
        (out / "student" / lab.source).write_text(leaks.split(solution.read_text())[1])
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


def autolab(labs, _, work, out):
    if len(labs) != 1:
        raise Trouble("autolab: an assessment takes one file, so one lab: LABS=naive")
    (work / "course").mkdir()
    copy_course(work / "course")
    out.mkdir()
    (out / "autograde-Makefile").write_text(fill("autolab/Makefile", LAB=labs[0].id))
    with tarfile.open(out / "autograde.tar", "w") as archive:
        archive.add(work / "course", "course")


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
        (question / "question.html").write_text(
            fill("prairielearn/question.html", TITLE=title, SOURCE=lab.source))
        copy_course(question / "tests/course")
    shutil.copytree(work, out)


def github(labs, _, __, out):
    if os.environ.get("COURSE"):
        raise Trouble("github: students can read all that is in their repository, so no COURSE")
    if not (out / "student").is_dir() or not (out / "grader").is_dir():
        raise Trouble(f"{out} is no hand-out; make one: make release OUT={out}")
    place = out / ".github/workflows/scanlab.yml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(fill("github/scanlab.yml", LABS=" ".join(lab.id for lab in labs)))


KITS = {"gradescope": gradescope, "autolab": autolab, "prairielearn": prairielearn,
        "github": github}


def make(kit, out, names):
    files = release.git(ROOT, "ls-files", "-z").split("\0")
    files = [name for name in files if name and (ROOT / name).exists()]
    labs = release.choose(release.read_labs(files), names)
    if os.environ.get("COURSE"):
        labs = release.offered(labs, pathlib.Path(os.environ["COURSE"]), bool(names))
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
