#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""main.py NAME=VALUE...: pages and figures of a class that `scanlab class` graded.

Started by `scanlab stats`, which has read the options (grader/cli/stats.c).
docs/running-a-course.md says what comes of it, and docs/architecture.md how."""
import csv
import io
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "class")]
import diagnoses  # noqa: E402
import draw  # noqa: E402
import known  # noqa: E402
import numbers_of as numbers  # noqa: E402
import pages  # noqa: E402
import similar  # noqa: E402
import words  # noqa: E402
from ledger import write_whole  # noqa: E402
from walled import Fault  # noqa: E402

DONE, LEFT_OUT, TROUBLE = 0, 1, 2
MOST_NICKNAME = 32


def say(text):
    print("scanlab stats: " + words.line(text, 2000), file=sys.stderr, flush=True)


# ---- who wants to be on the leaderboard ----

def nicknames(path, students):
    """{key: nickname}, and what is wrong with rows that are not taken."""
    by_name, taken, wrong = {}, {}, []
    for s in students:
        for name in [s.key, *(part for person in s.names for part in person if part)]:
            by_name.setdefault(name.strip().casefold(), set()).add(s.key)
    with open(path, encoding="utf-8-sig", newline="") as file:
        table = csv.DictReader(file)
        if not {"id", "nickname"} <= set(table.fieldnames or ()):
            raise known.Unusable(f"{path}: the first row is not: id,nickname")
        for n, row in enumerate(table, 2):
            why = take(row, by_name, taken)
            if why:
                wrong.append(f"{path}:{n}: {why}")
    return taken, wrong


def take(row, by_name, taken):
    """Why a row is not taken, or None."""
    who = by_name.get((row["id"] or "").strip().casefold(), set())
    nickname = words.line((row["nickname"] or "").strip())
    if len(who) != 1:
        return "nobody who was graded is called so" if not who else "several are called so"
    if not nickname or len(nickname) > MOST_NICKNAME:
        return f"a nickname has 1 to {MOST_NICKNAME} characters"
    key = next(iter(who))
    if by_name.get(nickname.casefold(), set()) - who:
        return "this nickname is somebody else's name"
    if key in taken or nickname.casefold() in (n.casefold() for n in taken.values()):
        return "this one, or this nickname, stands there before"
    taken[key] = nickname
    return None


# ---- similar pairs ----

def compare(given, everything, out, left_out):
    """Pairs of each lab; what could not be compared is added to left_out."""
    tool, pairs = similar.Similar(given["root"], given["build"],
                                  os.path.join(out, "comparing")), {}
    if not tool.program:
        left_out.append(similar.ABSENT)
        return pairs
    taken = os.path.join(given["folder"], "taken")
    of_lab = dict(lab.split("/", 1) for lab in given["lab"])
    keys = [s.key for s in everything.students]
    for lab, _ in everything.labs:
        if lab not in of_lab:
            left_out.append(f"{lab}: which file is its source is not known; not compared")
            continue
        try:
            pairs[lab], large = tool.of_lab(taken, keys, of_lab[lab])
        except (Fault, OSError) as why:
            left_out.append(f"{lab}: not compared: {why}")
            continue
        left_out += [f"{lab}: {key} has more than {similar.MOST_BYTES >> 10} KiB and is not "
                     "compared; look at it" for key in large]
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
    everything, left_out = known.read(folder), []
    if not everything.students:
        raise known.Unusable(f"{folder}: nobody is graded yet")
    board = None
    if "leaderboard" in given:
        chosen, wrong = nicknames(given["leaderboard"], everything.students)
        left_out += wrong
        board = numbers.board(everything, chosen)
    os.makedirs(out, 0o700, exist_ok=True)
    anonymous = everything.anonymous()
    found, drawn = draw.figures(anonymous, out), {}
    try:
        drawn = draw.draw(given["root"], out, found)
    except draw.Fault as why:
        left_out.append(str(why))
    not_drawn = [] if drawn else ["Figures are missing."]
    pairs = compare(given, everything, out, left_out)
    write_whole(os.path.join(out, "lecture.html"), pages.lecture(
        given["root"], anonymous, diagnoses.Sentences(given["root"]), found, drawn, board,
        not_drawn))
    write_whole(os.path.join(out, "staff.html"), pages.staff(
        given["root"], everything, pairs, left_out, []))
    for text in left_out:
        say(text)
    print(f"{words.line(out)}: lecture.html for the class; staff.html, similar.csv for you")
    return LEFT_OUT if left_out else DONE


def main():
    os.umask(0o077)
    sys.stdout.reconfigure(errors="replace")
    sys.stderr.reconfigure(errors="replace")
    try:
        given = {"lab": []}
        for name, value in (word.split("=", 1) for word in sys.argv[1:]):
            given[name] = given["lab"] + [value] if name == "lab" else value
        sys.exit(run(given | {name: os.path.abspath(given[name]) for name in (
            "root", "build")}))
    except (known.Unusable, Fault, OSError, UnicodeDecodeError, csv.Error) as why:
        say(str(why))
    sys.exit(TROUBLE)


if __name__ == "__main__":
    main()
