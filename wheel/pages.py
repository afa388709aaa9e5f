# SPDX-License-Identifier: MIT
"""What students read, for a course folder that has no Makefile and no build/: the
hand-out's pages (tools/release.py, which searches them for solutions), with the
commands as they are typed where pip installed ScanLab.
"""
import os
import pathlib
import re
import sys

from fetch import HERE

ROOT = HERE.parent
sys.path.append(str(ROOT / "tools"))
import dist  # noqa: E402
import markdown  # noqa: E402
import release  # noqa: E402

# Of the hand-out: what a course folder has.
KEPT = re.compile(r"labs/|student/[^/]+\.(c|cu)$|docs/(glossary|seeing|lab-clock|grade|debugging)"
                  r"\.md$|docs/grade-v2\.schema\.json$|docs/\w+\.(svg|png)$|vgpu/docs/|LICENSE$")
MAKE = re.compile(r"make (grade|watch|progress)((?: [A-Z]+=(?:\"[^\"]*\"|[\w./-]+))*)(?![\w-])")
OPTIONS = {"SUBMISSION": "--submission", "SEED": "--seed", "CHECK": "--check",
           "DEVICE": "--device", "FORMAT": "--format", "N": "-n", "OUT": "-o"}
FLAGS = {"V": "-v", "FAST": "--fast", "LARGE": "--large"}


def command(made):
    """`scanlab grade naive --check small` of `make grade LAB=naive CHECK=small`."""
    words = ["scanlab", made[1]]
    for name, value in re.findall(r'([A-Z]+)=("[^"]*"|\S+)', made[2]):
        value = value.strip('"')
        if name == "LAB":
            words.insert(2, value)
        elif name == "SERVE":
            words.append("--serve" + ("" if value == "1" else f"={value}"))
        elif name in FLAGS:
            words.append(FLAGS[name])
        else:
            words += [OPTIONS[name], value]
    return " ".join(words)


def spoken(text):
    """Commands as they are typed there."""
    text = text.replace("`make grade` writes", "`scanlab grade --report html=report.html` writes")
    text = text.replace("build/report.html", "report.html")
    text = re.sub(r"(?<![\w/])(?:build/bin/|\./)(scanlab|vgpu)\b", r"\1", text)
    return MAKE.sub(command, text)


def mend(folder):
    """Links to what is not kept become text; commands."""
    here = os.getcwd()
    os.chdir(folder)
    try:
        for page in sorted(pathlib.Path(".").rglob("*.md")):
            lines = [line if is_code else release.mend_line(line, page)
                     for line, is_code in markdown.lines_of(page)]
            page.write_text(spoken("\n".join(lines) + "\n"))
    finally:
        os.chdir(here)


def make(out, names=()):
    """The labs."""
    labs = dist.copy_pages(list(names), out)
    for path in sorted(out.rglob("*"), reverse=True):
        name = path.relative_to(out).as_posix()
        if path.is_file() and not KEPT.match(name):
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    mend(out)
    return labs
