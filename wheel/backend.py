# SPDX-License-Identifier: MIT
"""What pip calls in the source distribution (PEP 517): builds the wheel scanlab as
`make wheel` does, for the machine that it runs on. sdist.py has made the pages and
searched them.
"""
import os
import pathlib
import shutil

import build
import fetch
import make
from fetch import HERE, Trouble

TOOLS = {"cmake": "cmake>=3.25", "ninja": "ninja", "pkg-config": "pkgconf"}


def get_requires_for_build_wheel(config_settings=None):
    return [package for program, package in TOOLS.items() if not shutil.which(program)]


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    machine = os.uname().machine
    if machine not in build.MACHINES:
        raise Trouble(f"there is no wheel for {machine}, but for {', '.join(build.MACHINES)}")
    if not shutil.which("pkg-config") and shutil.which("pkgconf"):
        os.environ["PKG_CONFIG"] = shutil.which("pkgconf")
    make.PLACE.mkdir(parents=True, exist_ok=True)
    zig, sources = fetch.zig(make.PLACE), fetch.library_sources(make.PLACE)
    home = build.build(make.PLACE, zig, sources, machine, str(os.cpu_count() or 1))
    tag = make.tag_of(machine)
    files, info = make.scanlab_files(home, HERE / "pages", tag)
    make.check_programs(files, machine)
    return make.write("scanlab", files, info, tag, pathlib.Path(wheel_directory), make.date())


def build_sdist(sdist_directory, config_settings=None):
    raise Trouble("it is made from the repository: wheel/sdist.py")
