# SPDX-License-Identifier: MIT
"""What `pip` makes the commands scanlab and vgpu of: they become the programs, which
are told where the course is, which nvcc to use and what they are called."""
import os
import re
import subprocess
import sys

from . import HOME, compiler, course

OF_A_COURSE = "grade", "watch", "progress", "run", "trace", "profile"


def program(name):
    return str(HOME / "bin" / name)


def environment(start="."):
    """Ours, and what the programs are to know. What is set already stays."""
    found = dict(os.environ)
    folder = course.find(start)
    nvcc = found.get("SCANLAB_NVCC") or compiler.choose()
    for name, value in (("SCANLAB_NVCC", nvcc), ("SCANLAB_ROOT", folder),
                        ("SCANLAB_PROGRAM", "scanlab")):
        if value and not found.get(name):
            found[name] = str(value)
    return found


def become(name, words):
    sys.stdout.flush()
    try:
        os.execve(program(name), [name, *words], environment())
    except OSError as why:
        print(f"{name}: {program(name)} cannot be started: {why.strerror}", file=sys.stderr)
    return 2


def helped(words):
    """The program's list of commands, and ours below it."""
    done = subprocess.run([program("scanlab"), *words], env=environment(), check=False)
    print("\nWhere pip installed it:\n  new DIR  makes a course folder: handouts and stubs",
          file=sys.stdout if words else sys.stderr)
    return done.returncode


def nothing_to_grade(words):
    """A command about a student's files, outside of a course folder, that names none:
    the stubs beside the programs would be taken."""
    return words[0] in OF_A_COURSE and course.find() is None and \
        not os.environ.get("SCANLAB_ROOT") and not any(
            re.match(r"-h$|--help$|-s|--submission\b|--labs\b", word) for word in words)


def lacking(words):
    """Why a wheel cannot do this, though the program knows the command; None."""
    def given(option):
        return any(re.match(option, word) for word in words[1:])
    if given(r"-h$|--help$"):
        return None
    if words[0] == "watch" and given(r"--serv"):
        return ("a wheel has no server for `watch --serve`; `scanlab watch` shows the report "
                "here,\nand `scanlab grade --report html=report.html` writes the page")
    if words[0] == "bench" and not given(r"--clock"):
        return ("a wheel has nothing that times programs on a GPU: a clone has it; "
                "`scanlab bench --clock`\ntakes model time")
    return None


def scanlab():
    words = sys.argv[1:]
    if words[:1] == ["new"]:
        return course.new(words[1:])
    if words in ([], ["--help"], ["-h"], ["help"]):
        return helped(words)
    why = lacking(words)
    if why:
        print(f"scanlab: {why}", file=sys.stderr)
        return 2
    if nothing_to_grade(words):
        print("scanlab: this is no course folder: it has no labs/ and student/. `scanlab new DIR` "
              "makes one;\n--submission FOLDER grades files that lie elsewhere", file=sys.stderr)
        return 2
    return become("scanlab", words)


def vgpu():
    return become("vgpu", sys.argv[1:])
