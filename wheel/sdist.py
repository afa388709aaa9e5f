#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sdist.py OUT: writes the source distribution scanlab-VERSION.tar.gz, of which pip
builds the wheel scanlab for the machine that it runs on (backend.py): what the
hand-out has that builds the programs, what makes a wheel, the libraries' sources, and
the pages and the translations, compiled, as the wheel has them. It is searched for
solutions. The wheel that comes of it is to be the one of `make wheel`, byte for byte;
wheel.sources-built (nightly) compares, and has not been run to its end yet.

Exit status: 0 written; 2 not written, and the message says why.
"""
import pathlib
import re
import shutil
import sys
import tempfile

import fetch
import make
import pages
from fetch import HERE, Trouble

ROOT = HERE.parent
# Of the hand-out, what a build reads; and what the wheel has besides.
BUILT = """
CMakeLists.txt  cmake/*  grader/*  vgpu/CMakeLists.txt  vgpu/rooms.txt  vgpu/base/*
vgpu/cmake/*  vgpu/core/*  vgpu/cuda/*  vgpu/device/*  vgpu/include/*  vgpu/observers/*
vgpu/tool/*  labs/common/*.h  LICENSE  plots/style.gp
tools/start.py  tools/class/*  tools/stats/*  tools/gradebook/*  tools/cuda-wheels.txt
tools/dist.py  tools/release.py  tools/leaks.py  tools/markdown.py  tools/overlaid.py
wheel/*.py  wheel/*.txt  wheel/zig.cmake  wheel/libraries/*  wheel/scanlab/*
""".split()
PROJECT = """# SPDX-License-Identifier: MIT
# sdist.py wrote this. `pip wheel` needs nothing of the system but Python: it fetches
# the compiler (wheel/zig.txt), and CMake, Ninja and pkgconf where they are missing.
[build-system]
requires = []
build-backend = "backend"
backend-path = ["wheel"]
"""
README = """# ScanLab's sources, for pip

    pip wheel scanlab-*.tar.gz      makes the wheel for this machine
    pip install scanlab-*.tar.gz    and installs it

There is no reference, test or slide in here: the repository has them.
"""


def copy(to):
    names = [name for name in pages.release.git(ROOT, "ls-files", "-z").split("\0")
             if name and pages.release.is_like(name, BUILT) and "/tests/" not in name]
    for name in names:
        if (ROOT / name).exists():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name, follow_symlinks=False)


def compile_catalogues(to):
    """Where the wheel is built there may be no gettext; as grader/CMakeLists.txt
    does it, which takes these then."""
    for po in sorted((to / "grader/po").glob("*.po")):
        text = re.sub(r"%<PRI([dux])32>", r"%\1", po.read_text(encoding="utf-8"))
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".po") as plain:
            plain.write(re.sub(r"%<PRI([dux])64>", r"%l\1", text))
            plain.flush()
            fetch.run(["msgfmt", "--check", "-o", po.with_suffix(".mo"), plain.name],
                      f"msgfmt of {po.name} (Debian: gettext)")


def fill(to, epoch):
    fetch.library_sources(make.PLACE) # the metadata name their licences
    copy(to)
    compile_catalogues(to)
    pages.make(to / "wheel/pages")
    for folder in ("labs", "student"): # what cmake --install reads
        shutil.copytree(to / "wheel/pages" / folder, to / folder, dirs_exist_ok=True)
    (to / "wheel/date.txt").write_text(f"{epoch}\n")
    (to / "pyproject.toml").write_text(PROJECT)
    (to / "README.md").write_text(README)
    # The metadata are the wheel's.
    files = {}
    info = make.add_info(files, "scanlab", "any", make.needs())
    (to / "PKG-INFO").write_bytes(files[f"{info}/METADATA"][0])
    texts = {str(path.relative_to(to)): (path.read_bytes(), 0)
             for path in to.rglob("*") if path.is_file()}
    make.check_leaks(texts)
    # Authors' archives, packed as they are: what make.py looks for, and holds to its hash.
    shutil.copytree(make.PLACE / "sources", to / "build/wheel/sources",
                    ignore=lambda _, names: [one for one in names
                                             if one not in {s.file for s in fetch.sources()}])


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    out = pathlib.Path(sys.argv[1])
    name = f"scanlab-{make.version('scanlab')}"
    try:
        out.mkdir(parents=True, exist_ok=True)
        make.PLACE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=make.PLACE) as folder:
            place = pathlib.Path(folder) / name
            place.mkdir()
            fill(place, make.date())
            pages.dist.pack(place, out / f"{name}.tar.gz", make.date())
    except (Trouble, pages.release.Trouble, OSError) as trouble:
        make.say(trouble)
        return 2
    path = out / f"{name}.tar.gz"
    make.say(f"{path}: {path.stat().st_size / 1e6:.2f} MB")
    print(f"{fetch.digest(path)}  {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
