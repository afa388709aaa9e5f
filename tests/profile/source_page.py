#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""source_page.py SCANLAB OUT: scanlab profile -o FILE.html: beside each line
stands what JSON says of it, the race at its line, its PTX; the source is there
as it is, whatever it says."""
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))
from graded import handed_in  # noqa: E402
import page_data  # noqa: E402
SCANLAB, OUT = sys.argv[1], pathlib.Path(sys.argv[2])
HOSTILE = "// </script><img src=x onerror=alert(1)>&lt;</code></td></table>\t\""
MANY = {"thread instr.": "thread_instructions",
        "sectors read": "global_read_sectors",
        "sectors written": "global_write_sectors",
        "divergent branches": "divergent_branches"}


class Page:
    """Rows of the first listing by number: source, numbers by column, findings, PTX."""

    def __init__(self, text):
        self.data, self.rows = page_data.data(text), {}
        names = [c["name"] for c in self.data["columns"]]
        for number, line in enumerate(self.data["files"][0]["lines"], 1):
            line = {"words": line} if isinstance(line, str) else line
            cells = dict(zip(names, line.get("cells") or []))
            self.rows[number] = {
                "code": line["words"], "found": "".join(line.get("found", [])),
                "ptx": (line.get("ptx") or [0, ""])[1],
                "words": cells.pop("mostly", None) or ""} | {
                    name: cell[0] if isinstance(cell, list) else cell
                    for name, cell in cells.items() if cell}


def require(holds, what):
    if not holds:
        sys.exit(what)


def profile(where, status, *options):
    done = subprocess.run(
        [SCANLAB, "profile", "naive", "--submission", where, "-n", "1000",
         "--seed", "1", *options], cwd=ROOT, text=True, check=False,
        stdout=subprocess.PIPE)
    require(done.returncode == status, f"{options}: status {done.returncode}")
    return done.stdout


def submission(name, *changes):
    where = OUT / name
    where.mkdir()
    shutil.copy(ROOT / "reference/naive.cu", where)
    if name == "race":
        subprocess.run(["patch", "--silent", where / "naive.cu",
                        ROOT / "tests/mutants/naive/in-place.patch"],
                       check=True)
    handed_in(where)
    lines = (where / "naive.cu").read_text().split("\n")
    at = next(i for i, line in enumerate(lines) if "scan_add(" in line)
    for change in changes:
        change(lines, at)
    (where / "naive.cu").write_text("\n".join(lines))
    return where, lines, at + 1


def hostile(lines, at):
    lines[at] += " " + HOSTILE
    lines[at - 1] = "/* " + "long " * 300 + "*/"


def prints(lines, at):
    lines[at] += ' if (i == 0 && offset == 1) printf("<b>%d", (int)n);'
    lines[0] = '#include <cstdio>\n' + lines[0]


def shares(seen):
    """The path of each line, of all, as the page prints it."""
    paths = [sum(line["path_ps"].values()) for line in seen["lines"]]
    for line, path in zip(seen["lines"], paths):
        percent = 100 * path / sum(paths)
        yield line, ("" if not path else "<0.1%" if percent < .1
                     else f"{percent:.1f}%")


def same_numbers(page, seen):
    for line, path in shares(seen):
        if not line["where"]["line"]:
            continue
        row = page.rows[line['where']['line']]
        for name, counter in MANY.items():
            count = line["counts"][counter]
            require(row.get(name, "") == (str(count) if count else ""),
                    f"{line['where']}: {name} is {row.get(name)}, not {count}")
        require(row.get("path", "") == path, f"{row}: path is not {path}")
        causes = line["path_ps"] or line["warps_ps"]
        most = max(causes, key=causes.get) if causes else ""
        require(bool(row["words"]) == bool(most), f"{row}: mostly {most}")


def same_times(timeline):
    """A row for each block; what its warp does lies within it, one after another."""
    blocks, causes = timeline["blocks"], [name for name, _ in timeline["causes"]]
    require([b[0] for b in blocks] == list(range(len(blocks))) and blocks, str(blocks))
    for row, (_, _, _, begin, end) in enumerate(blocks):
        phases = sorted(p[1:4] for p in timeline["phases"] if p[0] == row)
        require(phases and begin <= phases[0][0] and phases[-1][1] <= end,
                f"block {row}, {begin} to {end}: {phases}")
        require(all(a[1] <= b[0] for a, b in zip(phases, phases[1:])),
                f"block {row}: two at once: {phases}")
        require({causes[p[2]] for p in phases} > {"issue"}, f"block {row} never waits")
    require(not any(timeline["left_out"]), str(timeline["left_out"]))


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    where, lines, at = submission("race", hostile)
    seen = json.loads(profile(where, 1, "--clock", "--format", "json"))
    profile(where, 1, "-o", OUT / "race.html")
    text = (OUT / "race.html").read_text()
    page = Page(text)
    require(len(text) < 100000, f"{len(text)} bytes")
    require(HOSTILE.split("\t")[0] in page_data.without_scripts(text),
            "a line is not in the words")
    for number, line in enumerate(lines, 1):
        if number < len(lines) or line:
            row = page.rows[number]
            same = row["code"] == line if "\t" not in line else (
                row["code"].split() == line.split()) # tabs become blanks
            require(same, f"line {number}: {row['code']}")
    same_numbers(page, seen)
    hot = page.rows[at]
    require("ld.global" in hot["ptx"] and "st.global" in hot["ptx"],
            hot["ptx"])
    require("race: this thread writes" in hot["found"], hot["found"])
    require(sum("race:" in row["found"] for row in page.rows.values()) == 1,
            "the race stands at several lines")
    same_times(page.data["timeline"])
    # Of a right one, without a clock where the order of blocks is asked for.
    where, lines, at = submission("right", prints)
    profile(where, 0, "--schedule", "reverse", "-o", OUT / "right.html")
    text = (OUT / "right.html").read_text()
    require(page_data.data(text)["printed"] == "<b>1000" and
            "<b>1000" in page_data.without_scripts(text),
            "what it printed is not there")
    page = Page(text)
    row = page.rows[at + 1]
    require(page.data["timeline"] is None, "a timeline without a clock")
    require(row["share"] and "path" not in row and not row["found"], str(row))


if __name__ == "__main__":
    main()
