#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What docs/lab-clock.md and the handouts say of the checks under the clock.

  page.py names            the page's table has these checks, with the points
                           and bounds of lab.ini, and says how many a lab has
  page.py counts SCANLAB   and what the references count; the handouts'
                           numbers; what the page shows of scanlab profile
  page.py fix SCANLAB      writes the table

A number in a handout is within 12 % of what is counted."""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))
sys.dont_write_bytecode = True
import labs  # noqa: E402

PAGE = ROOT / "docs/lab-clock.md"
HEAD = ("| lab | check | points | clock, n | bounds | the reference |\n"
        "|---|---|---|---|---|---|\n")
# lab, check, counter, what the handout says around the number
SAID = (
    ("sam", "parallel", "depth", r"some (\d+) steps; one block"),
    ("applications", "keys-parallel", "depth", r"some \d+ to (\d+) steps for a tile"))


def under_clock():
    """Lab, check and its clock's name, of all that have one that bounds it."""
    for path in sorted((ROOT / "labs").glob("*/lab.ini")):
        lab, at = labs.Lab(path), None
        for line in path.read_text().splitlines():
            section = re.match(r"\[(\w+) ?([^]]*)\]", line)
            at = section[2] if section else at
            clock = re.match(r"clock = (\w+)", line)
            if clock:
                yield lab, lab.checks[at], clock[1], path


def bounds_of(path, check):
    """What lab.ini says of the clock's counters there: formulas."""
    section = path.read_text().split(f"[check {check.id}]\n")[1].split("\n[")[0]
    lines = re.search(r"(?m)^bound = (.*(?:\n  .*)*)", section)
    return [" ".join(line.split()) for line in lines[1].split("\n")
            if re.match(r" *(depth|deepest_launch|longest_chain|model_ns|blocks) ", line)]


def said_of(check):
    return "limit" if check.kind == "correct" else str(check.points)


def rows():
    """Of each check: lab, id, points, clock, bounds."""
    for lab, check, clock, path in under_clock():
        bounds = bounds_of(path, check)
        if any(not b.startswith("blocks") for b in bounds):
            yield lab.id, check.id, said_of(check), clock, bounds


def grade(scanlab, lab, check):
    done = subprocess.run(
        [scanlab, "grade", lab, "-s", ROOT / "reference", "--check", check,
         "--seed", "1", "--format", "json"],
        stdout=subprocess.PIPE, check=False, env={**os.environ, "LANG": "C.UTF-8"})
    found, = json.loads(done.stdout)["labs"][0]["checks"]
    if found["status"] != "pass":
        sys.exit(f"{lab} {check}: {found['message']}")
    return found["measured"]


def shown(counter, count):
    return f"{count / 1000:.0f} µs" if counter == "model_ns" else str(count)


def counted(scanlab):
    """The table's lines, and by lab, check and counter what was counted."""
    lines, counts = [], {}
    for lab, check, points, clock, bounds in rows():
        measured = grade(scanlab, lab, check)
        wanted = [b.split()[0] for b in bounds]
        values = {b["counter"]: b["count"] for b in measured["bounds"]}
        counts.update({(lab, check, c): values[c] for c in wanted})
        lines.append(
            f"| {lab} | `{check}` | {points} | {clock}, {measured['case']['n']} "
            f"| {', '.join(f'`{b}`' for b in bounds)} "
            f"| {', '.join(shown(c, values[c]) for c in wanted)} |\n")
    return lines, counts


def table_of(page):
    return page.split(HEAD)[1].split("\n\n")[0].splitlines()


def names(page):
    have = [[c.strip() for c in line.strip("|").split(" | ")] for line in table_of(page)]
    want, sums = list(rows()), {}
    wrong = [f"{len(have)} rows for {len(want)} checks"] if len(have) != len(want) else []
    for cells, (lab, check, points, clock, bounds) in zip(have, want):
        said = [lab, f"`{check}`", points, clock, ", ".join(f"`{b}`" for b in bounds)]
        if cells[:3] + [cells[3].split(",")[0], cells[4]] != said:
            wrong.append(f"the page says {cells[:5]}, lab.ini {said}")
        if points.isdigit():
            sums[lab] = sums.get(lab, 0) + int(points)
    text = ", ".join(f"{n} in {lab}" for lab, n in sums.items())
    if text not in " ".join(page.split()):
        wrong.append(f"the page does not say: {text}")
    return wrong


def handouts(counts):
    for lab, check, counter, pattern in SAID:
        path, = (ROOT / "labs").glob(f"*-{lab}/GRADING.md")
        found = re.search(pattern, " ".join(path.read_text().split()))
        count = counts[lab, check, counter]
        if not found or abs(int(found[1]) / count - 1) > .12:
            yield (f"{path.name} of {lab}: {found[0] if found else pattern}; "
                   f"{check} counts {counter} {count}")


def runs(scanlab, page):
    """Each indented `$ scanlab profile` of the page, beside what it prints."""
    blocks = re.findall(r"(?m)^    \$ scanlab profile .*\n(?:    .*\n|\n)+", page)
    for run in "".join(blocks).split("    $ scanlab ")[1:]:
        command, text = run.split("\n", 1)
        words = command.replace("-s reference", f"-s {ROOT}/reference").split()
        done = subprocess.run([scanlab, *words], stdout=subprocess.PIPE, check=True,
                              text=True, env={**os.environ, "LANG": "C.UTF-8"})
        have = [line.strip() for line in done.stdout.splitlines()]
        for line in filter(None, (x.strip() for x in text.splitlines())):
            if line == "…":
                continue
            line, cut, _ = line.partition("…")
            line = line.strip(" .") if cut else line
            at = [k for k, x in enumerate(have) if x.startswith(line)]
            if not at:
                yield f"{command}\n  does not print (any more): {line}"
            else:
                have = have[at[0] + 1:]


def main(words):
    page = PAGE.read_text()
    if words[:1] == ["names"] and len(words) == 1:
        wrong = names(page)
    elif words[:1] == ["counts"] and len(words) == 2:
        lines, counts = counted(words[1])
        here = HEAD + "".join(lines)
        wrong = [] if here in page else [f"the page's table is not:\n{here}"]
        wrong += list(handouts(counts)) + list(runs(words[1], page))
    elif words[:1] == ["fix"] and len(words) == 2:
        before, rest = page.split(HEAD)
        lines = counted(words[1])[0]
        PAGE.write_text(before + HEAD + "".join(lines) + rest[rest.index("\n\n") + 1:])
        wrong = []
    else:
        sys.exit(__doc__)
    print("\n".join(wrong))
    return bool(wrong)


sys.exit(main(sys.argv[1:]))
