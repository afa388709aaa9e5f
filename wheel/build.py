# SPDX-License-Identifier: MIT
"""The programs of a wheel, for one machine, by the cross compiler."""
import os
import pathlib
import shutil

from fetch import HERE, Trouble, run

ROOT = HERE.parent
GLIBC = "2.28" # the tag manylinux_2_28
MACHINES = "x86_64", "aarch64"


def write_tools(place, zig, machine):
    """cc, ar and ranlib, as CMake wants them: programs without options."""
    tools = place / "tools"
    tools.mkdir(parents=True, exist_ok=True)
    for name, words in (("cc", f"cc -target {machine}-linux-gnu.{GLIBC}"), ("ar", "ar"),
                        ("ranlib", "ranlib")):
        text = (f"#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR='{place.parent}/zig-cache'\n"
                f"export ZIG_LOCAL_CACHE_DIR=\"$ZIG_GLOBAL_CACHE_DIR\"\n"
                f"exec '{zig}' {words} \"$@\"\n")
        path = tools / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            path.chmod(0o755)
    return tools


def configure(source, build, *options):
    words = ["cmake", "-S", source, "-B", build, "-G", "Ninja", *options,
             f"-DCMAKE_TOOLCHAIN_FILE={HERE}/zig.cmake"]
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("CFLAGS", "LDFLAGS", "CPPFLAGS", "CC")}
    run(words, f"cmake of {source}", env=environment)


def build(place, zig, sources, machine, jobs):
    """The folder that `cmake --install` filled: lib/scanlab of `make install`."""
    place = pathlib.Path(place) / machine
    if any(letter.isspace() for letter in str(place)): # pkg-config cuts names there
        raise Trouble(f"wheels are built in no folder with a blank in its name: {place}")
    tools = write_tools(place, zig, machine)
    both = [f"-DWHEEL_MACHINE={machine}", f"-DWHEEL_TOOLS={tools}"]
    libraries = place / "libraries"
    configure(HERE / "libraries", place / "build-libraries", *both,
              f"-DSOURCES={sources}", f"-DCMAKE_INSTALL_PREFIX={libraries}",
              "-DCMAKE_BUILD_TYPE=Release")
    run(["cmake", "--build", place / "build-libraries", "-j", jobs, "--target", "install"],
        f"the libraries for {machine}")
    programs = place / "build"
    configure(ROOT, programs, *both, f"-DWHEEL_LIBRARIES={libraries}", "-DBUILD_TESTING=OFF",
              "-DVGPU_PORTABLE=ON", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O2",
              "-DSCANLAB_NVCC=")
    calls = ["vgpu_calls"] if (ROOT / "web/engine").exists() else [] # docs/python.md
    run(["cmake", "--build", programs, "-j", jobs, "--target", "programs", *calls],
        f"the programs for {machine}")
    installed = place / "installed"
    shutil.rmtree(installed, ignore_errors=True)
    run(["cmake", "--install", programs, "--component", "scanlab", "--prefix", installed],
        f"cmake --install for {machine}")
    if calls:
        shutil.copy(programs / "web_engine/libvgpu_calls.so", installed / "lib")
    return installed / "lib/scanlab"
