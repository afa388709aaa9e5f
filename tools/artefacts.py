#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""artefacts.py OUT [--without NAME...] [--machine x86_64|aarch64]: everything that
a release hands out, in the new folder OUT:

    wheels       scanlab and vgpu, for x86-64 and AArch64
    sources      the source distribution, of which pip builds the wheel scanlab
    dist         the archive for students who do not build, for this machine
    hand-out     the hand-out, as an archive
    notebooks    the handouts for Jupyter
    site         the handouts as pages whose pictures run

with RELEASE-NOTES.md (of CHANGELOG.md), CITATION.cff and SHA256SUMS. What is left out
is said in the notes. The same commit gives the same bytes, in any folder: names are
sorted, times are SOURCE_DATE_EPOCH's or the commit's. docs/versions.md tells more.

    SCANLAB=PATH    the program (build/bin/scanlab)

Exit status: 0 OUT was made; 2 OUT was not made, and the message says why.
"""
import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import dist
from release import ROOT, Trouble, git

BUILD = ROOT / "build"
NAMES = "wheels", "sources", "dist", "hand-out", "notebooks", "site"


def say(words):
    print(f"artefacts: {words}", file=sys.stderr)


def run(*words):
    done = subprocess.run([str(word) for word in words], text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise Trouble(f"{words[0]} ended with {done.returncode}:\n{done.stdout[-6000:]}")


# ---- each of them ----

def folder_of(make, name):
    """`make`, a program with a folder as its first argument, and what it writes
    there, packed."""
    def made(out, asked):
        with tempfile.TemporaryDirectory(dir=out) as place:
            folder = pathlib.Path(place) / f"scanlab-{asked.version}-{name}"
            words = make(folder)
            run(words[0], *words[1:])
            shutil.rmtree(folder / ".git", ignore_errors=True)
            dist.pack(folder, out / f"{folder.name}.tar.gz", asked.time)
    return made


def site(folder):
    nvcc = (BUILD / "nvcc-path").read_text().strip()
    return ROOT / "web/site/make.py", folder, "--built", BUILD / "wasm/web", "--nvcc", nvcc


def wheels(out, asked):
    machines = [word for machine in asked.machine or () for word in ("--machine", machine)]
    run(ROOT / "wheel/make.py", out, *machines)


MAKERS = {
    "wheels": wheels,
    "sources": lambda out, asked: run(ROOT / "wheel/sdist.py", out),
    "dist": lambda out, asked: run(ROOT / "tools/dist.py", BUILD / "dist", out),
    "hand-out": folder_of(lambda folder: (ROOT / "tools/release.py", folder), "hand-out"),
    "notebooks": folder_of(lambda folder: (ROOT / "wheel/notebooks.py", folder), "notebooks"),
    "site": folder_of(site, "site"),
}


# ---- notes and sums ----

def section(text, heading):
    """Of the changelog, without its heading; "" where there is none."""
    found = re.search(rf"^## \[{re.escape(heading)}\][^\n]*\n(.*?)(?=^## \[|\Z)", text,
                      re.M | re.S)
    return found[1].strip() if found else ""


def notes(asked, left_out):
    """What is new: in the version, if this commit has its tag; else since it."""
    text = (ROOT / "CHANGELOG.md").read_text()
    tagged = f"v{asked.version}" in git(ROOT, "tag", "--points-at", "HEAD").split()
    head = git(ROOT, "log", "-1", "--format=%h").strip()
    if tagged:
        title, news = f"ScanLab {asked.version}", section(text, asked.version)
    else:
        title = f"ScanLab, commit {head}, after {asked.version}: no release"
        news = section(text, "Unreleased")
    without = f"Not in here: {', '.join(left_out)}.\n\n" if left_out else ""
    return (f"# {title}\n\n`pip install` of a wheel is the shortest way in "
            "(docs/installing.md). SHA256SUMS: `sha256sum -c SHA256SUMS`.\n\n"
            f"{without}{news}\n")


def sums(out):
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
                   for path in sorted(out.iterdir()) if path.is_file())


def make(out, asked):
    wanted = [name for name in NAMES if name not in asked.without]
    for name in wanted:
        say(name)
        MAKERS[name](out, asked)
    shutil.copyfile(ROOT / "CITATION.cff", out / "CITATION.cff")
    (out / "RELEASE-NOTES.md").write_text(
        notes(asked, [name for name in NAMES if name not in wanted]))
    (out / "SHA256SUMS").write_text(sums(out))


def read_words():
    parser = argparse.ArgumentParser(usage=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--without", nargs="*", default=[], choices=NAMES)
    parser.add_argument("--machine", action="append", choices=("x86_64", "aarch64"))
    asked = parser.parse_args()
    asked.version = re.search(r"^project\(\w+ VERSION ([\d.]+)",
                              (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    return asked


def main():
    asked = read_words()
    part = asked.out.with_name(asked.out.name + ".part")
    try:
        if asked.out.exists() or part.exists():
            raise Trouble(f"{asked.out if asked.out.exists() else part} is there already")
        asked.time = int(os.environ.get("SOURCE_DATE_EPOCH") or
                         git(ROOT, "log", "-1", "--format=%ct"))
        os.environ["SOURCE_DATE_EPOCH"] = str(asked.time)
        part.mkdir(parents=True)
        try:
            make(part.resolve(), asked)
            part.rename(asked.out)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except (Trouble, OSError) as trouble:
        say(trouble)
        return 2
    say(f"{asked.out}:")
    print((asked.out / "SHA256SUMS").read_text(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
