# SPDX-License-Identifier: MIT
"""ScanLab in a notebook, after `%load_ext scanlab`:

    %%scanlab naive [OPTION...]     the cell is the lab's source: it is graded
    %scanlab hint naive             any command; trace and profile show their page

Cells are kept as files in scanlab-cells/, beside the notebook; what stands in
student/ is not touched.
"""
import html
import pathlib
import re
import shlex
import subprocess
import tempfile

from . import HOME, course
from .start import environment, program

CELLS = "scanlab-cells"
USAGE = "%%scanlab LAB [OPTION...], and below it the lab's source"
# Commands that show a page, and commands that are told where the cells are.
PAGES = "trace", "profile"
OF_CELLS = ("run", *PAGES)
STYLE = "width: 100%; height: 42em; border: 1px solid #ccc"


# ---- parts without IPython ----

def labs():
    """{each name of a lab: (its id, its source)}"""
    found = {}
    folder = course.find() or HOME
    for path in sorted(folder.glob("labs/*/lab.ini")):
        keys = dict(re.findall(r"^(id|source) *= *(\S+)", path.read_text(), re.M))
        number = path.parent.name.split("-")[0]
        for name in (keys["id"], path.parent.name, number, str(int(number))):
            found[name] = keys["id"], keys["source"]
    return found


def frame(page):
    """A whole page inside of a notebook's: its scripts run, and reach nothing."""
    return (f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" '
            f'style="{STYLE}"></iframe>')


def run(words, cells=None):
    """(exit status, what it printed), as `%scanlab` so that commands can be copied."""
    known = {**environment(), "SCANLAB_PROGRAM": "%scanlab"}
    if cells:
        words = [*words, "--submission", str(cells)]
    done = subprocess.run(["%scanlab", *words], executable=program("scanlab"), env=known,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace",
                          check=False)
    return done.returncode, done.stdout


def with_page(words, cells, option):
    """(what it printed, its page or None)"""
    with tempfile.TemporaryDirectory() as place:
        page = pathlib.Path(place) / "page.html"
        _, said = run([*words, *option(page)], cells)
        return said.replace(str(page), "the page below"), \
            page.read_text() if page.exists() else None


def grade(line, cell):
    """(text, page or None) of a cell."""
    words = shlex.split(line)
    known = labs()
    if not words or words[0] not in known:
        names = " ".join(dict.fromkeys(name for name, _ in known.values()))
        return (f"there is no lab '{words[0]}'; there are {names}" if words else USAGE), None
    name, source = known[words[0]]
    cells = pathlib.Path(CELLS)
    cells.mkdir(exist_ok=True)
    (cells / source).write_text(cell)
    return with_page(["grade", name, *words[1:]], cells,
                     lambda page: ["--report", f"html={page}"])


def command(line):
    """(text, page or None) of any other command."""
    words = shlex.split(line) or ["--help"]
    named = any(re.match(r"-s|--submission\b", word) for word in words)
    cells = pathlib.Path(CELLS) if pathlib.Path(CELLS).is_dir() and not named else None
    if words[0] in PAGES and not any(re.match(r"-o|--output\b", word) for word in words):
        return with_page(words, cells, lambda page: ["-o", str(page)])
    takes_cells = words[0] in (*OF_CELLS, "grade")
    return run(words, cells if takes_cells else None)[1], None


# ---- with it ----

def show(text, page):
    """The page; its text for who shows no pages."""
    if page is None:
        print(text, end="" if text.endswith("\n") else "\n")
        return
    from IPython.display import display
    display({"text/html": frame(page), "text/plain": text}, raw=True)


def magic(line, cell=None):
    show(*(command(line) if cell is None else grade(line, cell)))


def load(shell):
    shell.register_magic_function(magic, "line_cell", "scanlab")
