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
    """pip, too: it holds the cross compiler to its hash, and is not in the environment
    where it runs this."""
    return ["pip", *(package for program, package in TOOLS.items()
                     if not shutil.which(program))]


def get_requires_for_build_sdist(config_settings=None):
    return []


def this_machine():
    machine = os.uname().machine
    if machine not in build.MACHINES:
        raise Trouble(f"there is no wheel for {machine}, but for {', '.join(build.MACHINES)}")
    make.PLACE.mkdir(parents=True, exist_ok=True)
    return machine


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    tag = make.tag_of(this_machine())
    fetch.library_sources(make.PLACE) # their licences are of it
    files = {}
    info = make.add_info(files, "scanlab", tag, make.needs())
    for name, (data, _) in files.items():
        path = pathlib.Path(metadata_directory) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    machine = this_machine()
    if not shutil.which("pkg-config") and shutil.which("pkgconf"):
        os.environ["PKG_CONFIG"] = shutil.which("pkgconf")
    zig, sources = fetch.zig(make.PLACE), fetch.library_sources(make.PLACE)
    home = build.build(make.PLACE, zig, sources, machine, str(os.cpu_count() or 1))
    tag = make.tag_of(machine)
    files, info = make.scanlab_files(home, HERE / "pages", tag)
    make.check_programs(files, machine)
    return make.write("scanlab", files, info, tag, pathlib.Path(wheel_directory), make.date())


def build_sdist(sdist_directory, config_settings=None):
    raise Trouble("it is made from the repository: wheel/sdist.py")
