#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""main.py NAME=VALUE...: pages and figures of a class that `scanlab class` graded.

Started by `scanlab stats`, which has read the options (grader/cli/stats.c).
docs/running-a-course.md says what comes of it, and docs/parts.md how."""
import csv
import io
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "class")]
import diagnoses  # noqa: E402
import draw  # noqa: E402
import known  # noqa: E402
import nicknames  # noqa: E402
import numbers_of as numbers  # noqa: E402
import others  # noqa: E402
import pages  # noqa: E402
import similar  # noqa: E402
import words  # noqa: E402
from ledger import write_whole  # noqa: E402
from walled import Fault  # noqa: E402

DONE, LEFT_OUT, TROUBLE = 0, 1, 2


def say(text):
    print("scanlab stats: " + words.line(text, 2000), file=sys.stderr, flush=True)


# ---- similar pairs ----

def compare(given, everything, out, left_out):
    """Pairs of each lab; what could not be compared is added to left_out."""
    pairs, taken = {}, os.path.join(given["folder"], "taken")
    of_lab = dict(lab.split("/", 1) for lab in given["lab"])
    keys = [s.key for s in everything.students]
    tool = similar.Similar(given["root"], given["build"])
    for lab, _ in everything.labs:
        if lab not in of_lab:
            left_out.append(f"{lab}: which file is its source is not known; not compared")
            continue
        try:
            pairs[lab], not_read = tool.of_lab(taken, keys, of_lab[lab])
        except (Fault, OSError) as why:
            left_out.append(f"{lab}: not compared: {why}")
            continue
        left_out += [f"{lab}: {key} is not compared, look at it: {why}"
                     for key, why in sorted(not_read.items())]
    table = io.StringIO(newline="")
    rows = csv.writer(table, quoting=csv.QUOTE_NONNUMERIC)
    rows.writerow(["lab", "percent", "one", "other"])
    rows.writerows([lab, part, words.cell(one), words.cell(other)]
                   for lab, found in pairs.items() for part, one, other in found)
    write_whole(os.path.join(out, "similar.csv"), table.getvalue())
    return pairs


def run(given):
    folder = given["folder"] = known.folder_of(given["from"])
    out = os.path.abspath(given.get("output") or os.path.join(folder, "stats"))
    sources = dict(lab.split("/", 1) for lab in given["lab"])
    everything, left_out = known.read(folder, [lab for lab, source in sources.items()
                                               if source.endswith(".c")]), []
    if not everything.students:
        raise known.Unusable(f"{folder}: nobody is graded yet")
    board = None
    if "leaderboard" in given:
        chosen, wrong = nicknames.read(given["leaderboard"], everything.students)
        left_out += wrong
        board = numbers.board(everything, chosen)
    os.makedirs(out, 0o700, exist_ok=True)
    anonymous = everything.anonymous()
    sentences = diagnoses.Sentences(given["root"])
    found, drawn = draw.figures(anonymous, out, sentences), {}
    try:
        drawn = draw.draw(given["root"], out, found)
    except draw.Fault as why:
        left_out.append(str(why))
    not_drawn = [] if drawn else ["Figures are missing."]
    pairs = compare(given, everything, out, left_out)
    if "sources" in given:
        for command in others.write(
                os.path.abspath(given["sources"]), folder, os.path.join(given["root"], "student"),
                [s.key for s in everything.students], sources):
            print(command)
    write_whole(os.path.join(out, "lecture.html"), pages.lecture(
        given["build"], anonymous, sentences, found, drawn, board,
        not_drawn))
    write_whole(os.path.join(out, "staff.html"), pages.staff(
        given["build"], everything, pairs, left_out, []))
    for text in left_out:
        say(text)
    print(f"{words.line(out)}: lecture.html for the class; staff.html, similar.csv for you")
    return LEFT_OUT if left_out else DONE


def main():
    os.umask(0o077)
    sys.stdout.reconfigure(errors="replace")
    sys.stderr.reconfigure(errors="replace")
    try:
        given = {"lab": [], "handout": []}
        for name, value in (word.split("=", 1) for word in sys.argv[1:]):
            given[name] = given[name] + [value] if name in ("lab", "handout") else value
        sys.exit(run(given | {name: os.path.abspath(given[name]) for name in (
            "root", "build")}))
    except (known.Unusable, Fault, OSError) as why:
        say(str(why))
    sys.exit(TROUBLE)


if __name__ == "__main__":
    main()
