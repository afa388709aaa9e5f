#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make.py OUT [--machine x86_64|aarch64] [--jobs N] [--programs FOLDER] [LAB...]:
writes the wheels of ScanLab and of the virtual GPU alone into OUT, for both machines
or for one, with all labs or with these.

    --programs FOLDER   the programs of `make install`, instead of a build: for
                        tests of the wheel's other parts. They are not checked,
                        and the wheel says linux_MACHINE.

The same commit is the same wheel, bit for bit: build/wheel/ has the pinned compiler
and sources, times are SOURCE_DATE_EPOCH's or the commit's.

Exit status: 0 written; 2 not written, and the message says why.
"""
import argparse
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile

import build
import elf
import fetch
import pack
import pages
import leaks # of tools/, where pages looks, too
from fetch import HERE, Trouble

ROOT = HERE.parent
PLACE = ROOT / "build/wheel"
HOME = "scanlab/home/"
# The oldest Python of the systems with this glibc; the tests run a newer one.
PYTHON = ">=3.8"
# Of the installed programs: what a class needs that nobody hands out to students,
# and courses, which may hide checks, stay out.
LEFT_OUT = re.compile(r"^(labs|student|courses|kits)/|^LICENSE$|\.po$")
SUMMARY = {"scanlab": "Parallel prefix scans on GPUs, graded without one",
           "vgpu": "A virtual GPU that runs CUDA programs and finds their races"}
COMMANDS = {"scanlab": {"scanlab": "scanlab.start:scanlab", "vgpu": "scanlab.start:vgpu"},
            "vgpu": {"vgpu": "vgpu.start:vgpu"}}


def say(words):
    print(f"wheel: {words}", file=sys.stderr)


def version(name):
    path, pattern = {"scanlab": (ROOT / "CMakeLists.txt", r"^project\(\w+ VERSION ([\d.]+)"),
                     "vgpu": (ROOT / "vgpu/include/vgpu.h", r"define VGPU_VERSION \D*([\d.]+)"),
                     }[name]
    return re.search(pattern, path.read_text(), re.M)[1]


def date():
    given, noted = os.environ.get("SOURCE_DATE_EPOCH"), HERE / "date.txt" # sdist.py's
    if given or noted.exists():
        return int(given or noted.read_text())
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True,
                          capture_output=True, check=False)
    if done.returncode:
        raise Trouble("this is no git repository: set SOURCE_DATE_EPOCH")
    return int(done.stdout)


def compiler():
    """The packages of tools/cuda-wheels.txt, in their versions."""
    text = (ROOT / "tools/cuda-wheels.txt").read_text()
    return re.findall(r"^(nvidia-[\w-]+==[\d.]+)", text, re.M)


# ---- files ----

def mode_of(path):
    runs = path.stat().st_mode & stat.S_IXUSR or ".so" in path.suffixes
    return pack.PROGRAM if runs else pack.FILE


def add_folder(files, folder, prefix, wanted=lambda name: True):
    """Links stay out: a wheel has none, and no program looks for these."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not path.is_symlink() and wanted(name):
            files[prefix + name] = path.read_bytes(), mode_of(path)


def is_module(name):
    return name.endswith(".py") and "__pycache__" not in name


def add_info(files, name, tag, fields):
    """The folder of metadata, with the licences of what is linked in."""
    info = f"{name}-{version(name)}.dist-info"
    linked = [] if tag.startswith("linux_") else fetch.sources()  # there they are the system's
    licences = {"LICENSE": ROOT / "LICENSE"} | {
        f"{one.package}.txt": PLACE / "unpacked" / one.folder / one.text for one in linked}
    commands = "".join(f"{word} = {function}\n" for word, function in COMMANDS[name].items())
    files[f"{info}/METADATA"] = pack.metadata(
        [("Metadata-Version", "2.4"), ("Name", name), ("Version", version(name)),
         ("Summary", SUMMARY[name]), ("License-Expression", licence(name) if linked else "MIT"),
         *(("License-File", word) for word in sorted(licences)),
         ("Classifier", "Operating System :: POSIX :: Linux"),
         ("Requires-Python", PYTHON), *fields,
         ("Description-Content-Type", "text/markdown")],
        (HERE / name / "description.md").read_text()), pack.FILE
    files[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: scanlab wheel/make.py\nRoot-Is-Purelib: false\n"
        f"Tag: py3-none-{tag}\n").encode(), pack.FILE
    points = f"[console_scripts]\n{commands}"
    if name == "vgpu":
        points += "\n[pytest11]\nvgpu = vgpu.pytest_plugin\n"
    files[f"{info}/entry_points.txt"] = points.encode(), pack.FILE
    for word, path in licences.items():
        files[f"{info}/licenses/{word}"] = path.read_bytes(), pack.FILE
    return info


def licence(name):
    linked = {one.licence for one in fetch.sources()
              if name == "scanlab" or one.package not in ("libinih", "libmd", "libseccomp")}
    return " AND ".join(["MIT", *sorted(linked - {"MIT"})])


def needs():
    """What pip installs with it, as fields of the metadata."""
    return [*(("Requires-Dist", word) for word in compiler()),
            ("Provides-Extra", "notebook"),
            ("Requires-Dist", 'ipython; extra == "notebook"')]


def scanlab_files(home, pages_of, tag):
    files = {}
    add_folder(files, HERE / "scanlab", "scanlab/", is_module)
    add_folder(files, home, HOME, lambda name: not LEFT_OUT.search(name))
    add_folder(files, pages_of, HOME)
    return files, add_info(files, "scanlab", tag, needs())


def vgpu_files(home, tag):
    files = {}
    add_folder(files, HERE / "vgpu", "vgpu/", is_module)
    files["vgpu/home/bin/vgpu"] = (home / "bin/vgpu").read_bytes(), pack.PROGRAM
    add_folder(files, home / "lib/vgpu", "vgpu/home/lib/vgpu/")
    library = home.parent / "libvgpu_calls.so"
    if library.exists(): # not with --programs
        files["vgpu/libvgpu_calls.so"] = library.read_bytes(), pack.PROGRAM
    return files, add_info(files, "vgpu", tag, [])


# ---- checks ----

def text_of(data):
    """Of a program: its strings, long enough for a leak of 12 words."""
    if data[:4] == b"\x7fELF":
        data = b"\n\n".join(re.findall(rb"[\t\n\r -~]{23,}", data))
    return data.decode(errors="replace")


def check_leaks(files):
    """release.py has searched the pages; this is the whole wheel, programs too."""
    secret = leaks.secrets(ROOT / "reference")
    found = [f"{name}:{line}: a solution, reference/{source}:{at}: {words[:200]}"
             for name, (data, _) in sorted(files.items())
             for line, (source, at), words in
             leaks.leaks_in(text_of(data), secret)]
    if found:
        raise Trouble("\n".join(found))



def check_programs(files, machine):
    wrong, newest = [], (0,)
    for name, (data, mode) in sorted(files.items()):
        if data[:4] == b"\x7fELF":
            wrong += [f"{name}: {why}" for why in elf.mistakes(data, machine, build.GLIBC)]
            wrong += [f"{name}: it names {ROOT}"] * (str(ROOT).encode() in data)
            newest = max(newest, elf.newest(data))
            if mode != pack.PROGRAM:
                wrong.append(f"{name}: it is no program by its mode")
    if wrong:
        raise Trouble("\n".join(wrong))
    return ".".join(map(str, newest))


def write(name, files, info, tag, out, epoch):
    path = out / f"{name}-{version(name)}-py3-none-{tag}.whl"
    pack.wheel(path, files, info, epoch)
    say(f"{path}: {path.stat().st_size / 1e6:.2f} MB, {len(files) + 1} files")
    print(f"{fetch.digest(path)}  {path.name}")
    return path.name


def tag_of(machine):
    return f"manylinux_{build.GLIBC.replace('.', '_')}_{machine}"


def make_for(machine, asked, pages_of, out, epoch):
    tag = tag_of(machine)
    if asked.programs:
        home, tag = pathlib.Path(asked.programs), f"linux_{machine}"
    else:
        zig, sources = fetch.zig(PLACE), fetch.library_sources(PLACE)
        say(f"building for {machine}")
        home = build.build(PLACE, zig, sources, machine, asked.jobs)
    for name, (files, info) in (("scanlab", scanlab_files(home, pages_of, tag)),
                                ("vgpu", vgpu_files(home, tag))):
        check_leaks(files)
        if not asked.programs:
            say(f"{name}, {machine}: needs glibc {check_programs(files, machine)} or newer")
        write(name, files, info, tag, out, epoch)


def read_words():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("labs", nargs="*")
    parser.add_argument("--machine", action="append", choices=build.MACHINES)
    parser.add_argument("--jobs", default=str(os.cpu_count() or 1))
    parser.add_argument("--programs")
    return parser.parse_intermixed_args()


def main():
    asked = read_words()
    machines = asked.machine or ([os.uname().machine] if asked.programs else build.MACHINES)
    try:
        asked.out.mkdir(parents=True, exist_ok=True)
        PLACE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=PLACE) as folder:
            pages_of = pathlib.Path(folder)
            pages.make(pages_of, asked.labs)
            for machine in machines:
                make_for(machine, asked, pages_of, asked.out, date())
    except (Trouble, pages.release.Trouble, OSError) as trouble:
        say(trouble)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
