#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dist.py BUILD OUT [LAB...]: packs OUT/scanlab-VERSION-linux-MACHINE.tar.gz: what
students need who do not build, of all labs or of these.

It is the hand-out of release.py (searched for solutions, links mended) without
what builds the programs, and with the programs of BUILD, stripped, where a build
would put them: `make grade` and all commands of the handouts work as in the
hand-out, wherever it is unpacked. The same commit, built by the same compiler, is
the same archive, bit for bit: names are sorted, times are SOURCE_DATE_EPOCH's, or
those of the commit.

Exit status: 0 packed; 2 not packed, and the message says why.
"""
import gzip
import hashlib
import os
import pathlib
import platform
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile

import release
from release import ROOT, Trouble

# Of the hand-out: what only builds, or asks for what is built.
ONLY_BUILDS = """
vgpu/*  grader/*  cmake/*  CMakeLists.txt  CMakePresets.json  plots/*  .devcontainer/*
tools/test.sh  tools/count-tests.awk
""".split()
# ... but for what the programs read of it (timed checks on a real GPU) and students.
READ = """
grader/judge/gpu/*.cu  grader/judge/gpu/*.cuh  grader/contract/*.h  grader/contract/*.def  vgpu/docs/*
""".split()
# Of packages.txt: what compiles submissions, and what is asked for by itself.
COMPILES = "gcc g++ libc6-dev util-linux".split()


def say(words):
    print(f"dist: {words}", file=sys.stderr)


def is_packed(name, labs):
    return release.goes_in(name, labs) and \
        (release.is_like(name, READ) or not release.is_like(name, ONLY_BUILDS))


def copy_pages(names, out):
    files = [name for name in release.git(ROOT, "ls-files", "-z").split("\0") if name]
    labs = release.choose(release.read_labs(files), names)
    files = [name for name in files
             if is_packed(name, labs) and (ROOT / name).exists()]
    release.copy(files, labs, out)
    release.mend_pages(out)
    release.mend_requires(labs, out)
    mend_packages(out / "tools/packages.txt")
    release.search(out)
    return labs


def mend_packages(table):
    kept = ""
    for line in table.read_text().splitlines(keepends=True):
        goal, *_, package = (line + "||").split("|")[:3]
        if line.startswith("grade ") and package.strip() == "pkg-config":
            line = line.replace("grade ", "serve ", 1) # looks for its library
        elif goal.strip() == "grade" and package.strip() not in COMPILES:
            continue
        kept += line
    table.write_text(kept)


def copy_programs(build, place, out):
    """What make install puts below lib/scanlab goes where a build has it."""
    done = subprocess.run(
        ["cmake", "--install", build, "--component", "scanlab", "--strip",
         "--prefix", place / "installed"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Trouble(f"cmake --install: {done.stdout}{done.stderr}")
    home = place / "installed/lib/scanlab"
    for folder in ("bin", "libexec", "lib", "share"):
        if (home / folder).exists():
            shutil.copytree(home / folder, out / "build" / folder, symlinks=True)


def entry(path, name, time):
    item = tarfile.TarInfo(name)
    item.mtime = time
    status = path.lstat()
    if path.is_symlink():
        item.type, item.linkname, item.mode = tarfile.SYMTYPE, os.readlink(path), 0o777
    elif path.is_dir():
        item.type, item.mode = tarfile.DIRTYPE, 0o755
    else:
        item.size = status.st_size
        item.mode = 0o755 if status.st_mode & stat.S_IXUSR else 0o644
    return item


def pack(out, archive, time):
    with open(archive, "wb") as file, \
            gzip.GzipFile("", "wb", 9, file, mtime=time) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in [out, *sorted(out.rglob("*"), key=pathlib.Path.as_posix)]:
            item = entry(path, path.relative_to(out.parent).as_posix(), time)
            if item.isreg():
                with open(path, "rb") as content:
                    tar.addfile(item, content)
            else:
                tar.addfile(item)


def glibc(out):
    """The newest version of glibc that a program asks for."""
    found = [(0, 0)]
    for program in sorted((out / "build").rglob("*")):
        if program.is_file() and not program.is_symlink():
            found += [tuple(map(int, version)) for version in
                      re.findall(rb"GLIBC_(\d+)\.(\d+)", program.read_bytes())]
    return ".".join(map(str, max(found)))


def make(build, to, names):
    version = re.search(r"^project\(\w+ VERSION ([\d.]+)",
                        (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    time = int(os.environ.get("SOURCE_DATE_EPOCH") or
               release.git(ROOT, "log", "-1", "--format=%ct"))
    name = f"scanlab-{version}-linux-{platform.machine()}"
    archive = to / f"{name}.tar.gz"
    with tempfile.TemporaryDirectory(dir=to) as place:
        out = pathlib.Path(place) / name
        out.mkdir()
        labs = copy_pages(names, out)
        copy_programs(build, pathlib.Path(place), out)
        needed = glibc(out)
        pack(out, archive, time)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    say(f"{archive}: {archive.stat().st_size / 1e6:.1f} MB, {len(labs)} labs, no "
        f"solution found, needs glibc {needed} or newer\n{digest}  {archive.name}")


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        make(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(),
             sys.argv[3:])
    except (Trouble, OSError) as trouble:
        say(trouble)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
