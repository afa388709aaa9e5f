#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""order.py SCANLAB ROOT: what a grade and its page say of a race: the read that
found another value than it should, the step that it damages, and the same call in
an order in which it is right. A value is overwritten before it is read (lab 1 in
place) and read before it is written (lab 4 without a barrier)."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

scanlab, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(root / "tests/tools"))
import page_data  # noqa: E402
from graded import handed_in  # noqa: E402

READ, WRITE, VALUE = 0, 1, 7  # html_replay.c


def require(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


def grade(lab, mutant, check, folder):
    source = root / "reference" / f"{lab.replace('-', '_')}.cu"
    shutil.copy(source, folder)
    subprocess.run(["patch", "--silent", folder / source.name,
                    root / f"tests/mutants/{lab}/{mutant}.patch"], check=True)
    handed_in(folder)
    page = folder / "page.html"
    done = subprocess.run(
        [scanlab, "grade", lab, "--check", check, "--submission", folder, "--seed", "1",
         "--device", "vgpu", "--repairs", "0", "--report", f"html={page}", "--format",
         "json"], cwd=root, text=True, capture_output=True)
    require(done.returncode == 1, f"{mutant}: status {done.returncode}: {done.stderr}")
    outcome = json.loads(done.stdout)["labs"][0]["checks"][0]["outcome"]
    shown = page_data.data(page.read_text())["labs"][0]["checks"][0]["view"]["trace"]
    return outcome, shown


def look(lab, mutant, check, guilt):
    with tempfile.TemporaryDirectory() as name:
        outcome, shown = grade(lab, mutant, check, pathlib.Path(name))
    step = outcome["first_wrong_step"]
    require(step["kind"] == "race" and step["read"]["guilt"] == guilt, f"{mutant}: {step}")
    read = step["read"]
    require("first damaged step is" in step["text"] and read["found"] != read["right"],
            f"{mutant}: {step}")
    wrong, right = shown["steps"]["replay"]["runs"]
    require(right["right"] and not wrong["right"] and right["guilty"] is None,
            f"{mutant}: no order in which it is right")
    events, guilty = wrong["events"], wrong["guilty"]
    at, other, damage = guilty["read"], guilty["other"], wrong["damage"]
    # The read, the write that it should have come before or behind, what it damages.
    cell = events[at][5:7]
    require(events[at][0] == READ and events[at][VALUE] == read["found"], events[at])
    require(wrong["arrays"][cell[0]] == read["array"] and cell[1] == read["cell"],
            f"{mutant}: {cell} is not {read}")
    require(events[other][0] == WRITE and events[other][5:7] == cell, events[other])
    require((other < at) == (guilt == "late"), f"{mutant}: {other} and {at}")
    require(events[at][2:4] == events[damage][2:4] and at < damage and events[damage][9],
            f"{mutant}: {events[damage]} is not made of {events[at]}")
    require(events[other][2:4] != events[at][2:4], "a thread races with itself")
    # The page is as the read says: no event changes the cell between them otherwise.
    held = {tuple(s[:2]): s[2] for s in wrong["start"]}
    for event in events[:at]:
        if event[0] != READ:
            held[tuple(event[5:7])] = event[VALUE]
    require(held[tuple(cell)] == read["found"], f"{mutant}: {held[tuple(cell)]} stands there")
    # In the other order the same thread found the right value there.
    line = wrong["places"][events[at][4]]
    same = [e[VALUE] for e in right["events"] if e[0] == READ and e[2:4] == events[at][2:4] and
            [right["arrays"][e[5]], e[6]] == [read["array"], read["cell"]] and
            right["places"][e[4]] == line]
    require(read["right"] in same, f"{mutant}: {same}, not {read['right']}")
    code = shown["steps"]["replay"]["code"]
    marked = code["lines"][code["numbers"].index(line[1])]
    require(line[0] == code["file"] and "[" in marked, f"{mutant}: the line is {marked}")
    return step


def main():
    step = look("naive", "in-place", "one-block", "late")
    # Where it is made wrong, not where a sum counts an input twice, a step later.
    require(step["step"] == 2 and step["read"]["thread"] == 32, step)
    look("shared-tiled", "no-barrier-after-writing", "threads", "early")


if __name__ == "__main__":
    main()
