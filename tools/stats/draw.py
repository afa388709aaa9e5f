# SPDX-License-Identifier: MIT
"""Figures: a CSV of numbers, and of names from the labs; and gnuplot, which draws it
as SVG, for light and for dark pages. No word of a submission is in them."""
import csv
import io
import os
import shutil
import subprocess

import numbers_of as numbers
import words
from ledger import write_whole

HERE = os.path.dirname(os.path.abspath(__file__))
THEMES = "light", "dark"
MOST_CAUSES, MOST_LABEL = 6, 60
ABSENT = "there is no gnuplot, so figures are not drawn (Debian and Ubuntu: " \
         "apt-get install gnuplot-nox)"


class Fault(Exception):
    """Why a figure is not drawn."""


def table(path, names, rows):
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows([names, *rows])
    write_whole(path, out.getvalue())


def short(sentence):
    return sentence if len(sentence) <= MOST_LABEL else sentence[:MOST_LABEL - 1] + "\u2026"


def of_causes(known, folder, sentences):
    """A figure for each lab: its most frequent causes, in percent of who handed it in."""
    for lab in numbers.causes(known):
        name, rows = f"causes-{lab.number}", lab.wrong[:MOST_CAUSES]
        table(os.path.join(folder, name + ".csv"),
              ["row", "what", "submissions", "handed in", "percent"],
              [(k, short(sentences.of(w.diagnosis)[0]), w.students, lab.handed_in,
                round(numbers.percent(w.students, lab.handed_in), 1))
               for k, w in enumerate(rows, 1)])
        yield name, "causes.gp", f"rows = {len(rows)}; file = '{name}.csv'", lab.title


def figures(known, folder, sentences):
    """Writes the CSV; (name, script, gnuplot's values, what it shows) of each."""
    step = 100 // numbers.BINS
    table(os.path.join(folder, "scores.csv"), ["from", "submissions"],
          [(n * step, found) for n, found in enumerate(numbers.bins(known))])
    table(os.path.join(folder, "attempts.csv"), ["times", "submissions"],
          enumerate(numbers.attempts(known), 1))
    found = [("scores", "scores.gp", "", "Points"),
             ("attempts", "attempts.gp", "", "Times handed in")]
    found += of_causes(known, folder, sentences)
    traffic = numbers.traffic(known)
    for n, (lab, title) in enumerate(known.labs, 1):
        rows = [(check, counter, ratios) for of, check, counter, ratios in traffic
                if of == lab]
        if not rows:
            continue
        name = f"traffic-{n}"
        table(os.path.join(folder, name + ".csv"), ["row", "name", "ratio", "submissions"],
              [(k, f"{check}: {counter}", ratio, students)
               for k, (check, counter, ratios) in enumerate(rows, 1)
               for ratio, students in ratios.items()])
        found.append((name, "traffic.gp", f"rows = {len(rows)}; file = '{name}.csv'; "
                      f"total = {len(known.students)}.0", title))
    return found


def draw(root, folder, found):
    """The figures that were drawn: {name: {theme: bytes}}. Fault: why not."""
    program = shutil.which("gnuplot")
    if not program:
        raise Fault(ABSENT)
    drawn = {}
    for name, script, values, _ in found:
        for theme in THEMES:
            file = f"{name}-{theme}.svg"
            done = subprocess.run(
                [program, "-e", f"format = 'svg'; output = '{file}'; theme = '{theme}'; "
                 f"{values}", os.path.join(HERE, script)], cwd=folder,
                env=os.environ | {"LC_ALL": "C.UTF-8",
                                  "GNUPLOT_LIB": f"{HERE}:{os.path.join(root, 'plots')}"},
                capture_output=True, text=True, check=False)
            path = os.path.join(folder, file)
            if done.returncode or not os.path.isfile(path) or not os.path.getsize(path):
                raise Fault(f"gnuplot says of {script}: {words.line(done.stderr.strip()[-300:])}")
            with open(path, "rb") as svg:
                drawn.setdefault(name, {})[theme] = svg.read()
    return drawn
