#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The virtual GPU's counts beside a real GPU's.

  compare.py [options] FOLDER      FOLDER: patterns.csv, labs.csv, mixed.csv
                                   (reduce.py)
    --patterns FILE                `vgpu --format json -o FILE patterns`
    --mixed FILE                   the same of `mixed`
    --labs FILE                    the same of `labs 1024 100000`
    --explained FILE               differences that are understood
    --markdown                     tables for docs/counts.md, else only trouble
    --metrics                      names and sums of all metrics in the CSV

Launches are compared in their order; the kernels' names must agree. A
quantity is compared where its hardware metric is in the CSV. Exit status 1: a
difference that --explained does not hold, or holds otherwise; 2: no comparison.

The explained file: lines `KERNEL-PATTERN QUANTITY HARDWARE VIRTUAL # why`,
where the two values may be `*`. KERNEL-PATTERN is a shell pattern.
"""
import argparse
import csv
import fnmatch
import json
import pathlib
import re
import sys

SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"
BARRIERS = "sass__inst_executed_op_bar"  # research/on-gpu/reduce.py makes it
CONSTANT = ("idc__requests.sum", "smsp__inst_executed_op_ldc_pred_on_any.sum")
GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}"


def total(*names):
    """Sum of metrics; None where the CSV has none of them."""

    def read(row):
        found = [row[n + end] for n in names for end in (".sum", "")
                 if n + end in row]
        return sum(found) if found else None

    return read


def counts(*names):
    return lambda c: sum(c.get(n, 0) for n in names)


def without(name, *atomics):
    """An atomic counts as a read and as a write here, too."""
    return lambda c: c[name] - sum(c.get(n, 0) for n in atomics)


def more_words(row):
    """Passes of the constant cache beyond one an instruction: kernels read
    their parameters there, too, one word each."""
    passes, loads = (row.get(name) for name in CONSTANT)
    return None if passes is None else passes - loads


def ops(kind, *names):
    return total(*(GLOBAL.format(kind, n) for n in names))


def shared_instructions(row):
    names = [f"smsp__inst_executed_op_shared_{n}.sum" for n in ("ld", "st")]
    if not all(n in row for n in names):
        return None
    atom = "smsp__inst_executed_op_shared_atom"
    atoms = row.get(atom + ".sum")
    if atoms is None:
        atoms = row.get(atom + "_dot_alu.sum", 0) + row.get(
            atom + "_dot_cas.sum", 0)
    return sum(row[n] for n in names) + atoms


REQUESTS = ("op_atom_requests", "op_red_requests")
SECTORS = "atomic_sectors"

# quantity: (hardware, virtual). What is not a launch's own (instructions,
# barriers, the SASS compiler's choice) is left out.
QUANTITIES = {
    "shared requests": (shared_instructions, counts("shared_requests")),
    # Without _op_ the metric counts readings of %tid and more as well.
    "shared wavefronts": (
        total(SHARED + "_op_ld", SHARED + "_op_st", SHARED + "_op_atom"),
        counts("shared_wavefronts")),
    "shared conflicts": (
        total(CONFLICTS + "_op_ld", CONFLICTS + "_op_st",
              CONFLICTS + "_op_atom"),
        counts("shared_conflicts")),
    "global read requests": (
        ops("requests", "ld"), without("global_read_requests", *REQUESTS)),
    "global read sectors": (
        ops("sectors", "ld"), without("global_read_sectors", SECTORS)),
    "global write requests": (
        ops("requests", "st"), without("global_write_requests", *REQUESTS)),
    "global write sectors": (
        ops("sectors", "st"), without("global_write_sectors", SECTORS)),
    "atom requests": (ops("requests", "atom"), counts("op_atom_requests")),
    "atom sectors": (ops("sectors", "atom"), counts("op_atom_sectors")),
    "red requests": (ops("requests", "red"), counts("op_red_requests")),
    "red sectors": (ops("sectors", "red"), counts("op_red_sectors")),
    "further constant words": (
        more_words,
        lambda c: c.get("constant_words", 0) - c.get("constant_requests", 0)),
    "barriers": (total(BARRIERS), counts("barriers")),
}


def short(name):
    return name.split("(")[0].split("<")[0].strip()


def number(text):
    """The value itself, of "5" or of "5 (1: 2; 3: 3)"."""
    text = text.split(" ")[0].replace(",", "")
    try:
        return int(float(text))
    except ValueError:
        return None


def hardware(path):
    """[(kernel, {metric: value})] in launch order, from wide or long CSV."""
    with open(path, newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    launches = {}
    for row in rows:
        if not (row.get("ID") or "").strip().isdigit():
            continue  # the line of units
        kernel, values = launches.setdefault(
            int(row["ID"]), (short(row["Kernel Name"]), {}))
        if "Metric Name" in row:
            pairs = [(row["Metric Name"], row["Metric Value"])]
        else:
            pairs = row.items()
        for name, text in pairs:
            value = number(text or "")
            if name and "__" in name and value is not None:
                values[name] = value
    return [launches[key] for key in sorted(launches)]


def virtual(path):
    report = json.loads(pathlib.Path(path).read_text())
    return [(short(l["kernel"]), l["counts"]) for l in report["launches"]]


class Explained:
    def __init__(self, path):
        self.rows = []
        if path:
            for line in pathlib.Path(path).read_text().splitlines():
                rule, _, why = line.partition("#")
                words = rule.split()
                if not words:
                    continue
                # quantity: its words, with "-" for blanks
                pattern, quantity, theirs, ours = words
                self.rows.append((pattern, quantity.replace("-", " "), theirs,
                                  ours, why.strip()))
        self.used = set()

    def why(self, kernel, quantity, theirs, ours):
        for i, (pattern, q, t, o, why) in enumerate(self.rows):
            if (fnmatch.fnmatch(kernel, pattern) and q == quantity
                    and t in ("*", str(theirs)) and o in ("*", str(ours))):
                self.used.add(i)
                return why
        return None

    def unused(self):
        return [r for i, r in enumerate(self.rows) if i not in self.used]


def pair_up(name, theirs, ours):
    if [k for k, _ in theirs] != [k for k, _ in ours]:
        print(f"{name}: not the same launches: {len(theirs)} on the hardware, "
              f"{len(ours)} on the virtual GPU")
        for i, (a, b) in enumerate(zip(theirs, ours)):
            if a[0] != b[0]:
                print(f"  launch {i}: {a[0]}, {b[0]}")
                break
        sys.exit(2)
    return zip(theirs, ours)


def labelled(pairs):
    """Names with what tells launches of one kernel apart: the size's number
    and the launch's number of that kernel within it."""
    size, seen = 0, {}
    for (kernel, row), (_, count) in pairs:
        if kernel == "next_size":
            size, seen = size + 1, {}
            continue
        seen[kernel] = seen.get(kernel, 0) + 1
        label = f"{kernel}@{size}.{seen[kernel]}" if size else kernel
        yield label, row, count


def compare(name, theirs, ours, explained):
    """[(label, {quantity: (hardware, virtual, why or None)})]"""
    table = []
    for label, row, count in labelled(pair_up(name, theirs, ours)):
        cells = {}
        for quantity, (measure, predict) in QUANTITIES.items():
            a, b = measure(row), predict(count)
            if a is None:
                continue
            if quantity == "barriers" and not label.startswith("barrier"):
                continue
            why = "" if a == b else explained.why(label, quantity, a, b)
            cells[quantity] = (a, b, why)
        table.append((label, cells))
    return table


def show(cell):
    """The hardware's, ours; bold where not the same and not explained."""
    a, b, why = cell
    return f"**{a} / {b}**" if why is None else f"{a} / {b}"


def rows_of(names, rows):
    print("| | " + " | ".join(names) + " |")
    print("|---|" + "---:|" * len(names))
    for label, cells in rows:
        print(f"| {label} | " + " | ".join(cells) + " |")
    print()


def by_quantity(table):
    """A row per kernel, a column per quantity; where all is zero, nothing."""
    used = [q for q in QUANTITIES
            if any(c[q][0] or c[q][1] for _, c in table if q in c)]
    rows_of(used, [
        (label, [show(cells[q])
                 if q in cells and (cells[q][0] or cells[q][1]) else ""
                 for q in used]) for label, cells in table])


GRIDS = (("shared", "ld", "shared wavefronts"),
         ("shared", "st", "shared wavefronts"),
         ("shared", "ld", "shared conflicts"),
         ("shared", "st", "shared conflicts"),
         ("global", "ld", "global read sectors"),
         ("global", "st", "global write sectors"))


def grids(table):
    """One table per space: a row per pattern, a column per width and use."""
    found = {label: cells for label, cells in table}
    one = re.compile(r"(shared|global)_(ld|st)_b(\d+)_(\w+)")
    parts = [m.groups() for m in map(one.fullmatch, found) if m]
    patterns = list(dict.fromkeys(p for *_, p in parts))
    for space in ("shared", "global") if parts else ():
        columns = [(use, q, bytes) for s, use, q in GRIDS if s == space
                   for bytes in ("4", "8", "16")]
        rows_of([f"{q}, {use} {bytes}" for use, q, bytes in columns],
                [(p, [show(found[f"{space}_{use}_b{bytes}_{p}"][q])
                      for use, q, bytes in columns]) for p in patterns])
    by_quantity([row for row in table if not one.fullmatch(row[0])])


def lab_sums(table):
    """Per kernel and size: sums over its launches."""
    groups = {}
    for label, cells in table:
        group = groups.setdefault(label.rsplit(".", 1)[0], [0, {}])
        group[0] += 1
        for q, (a, b, why) in cells.items():
            x, y, z = group[1].get(q, (0, 0, ""))
            group[1][q] = (x + a, y + b, None if why is None else z)
    return [(f"{k} ({n} launches)", cells) for k, (n, cells) in groups.items()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--patterns")
    parser.add_argument("--mixed")
    parser.add_argument("--labs")
    parser.add_argument("--explained")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--metrics", action="store_true")
    o = parser.parse_args()
    explained = Explained(o.explained)
    trouble = compared = 0
    for name, path in (("patterns", o.patterns), ("mixed", o.mixed),
                       ("labs", o.labs)):
        if not path:
            continue
        theirs = hardware(pathlib.Path(o.folder, name + ".csv"))
        if o.metrics:
            sums = {}
            for _, row in theirs:
                for metric, value in row.items():
                    sums[metric] = sums.get(metric, 0) + value
            for metric in sorted(sums):
                print(f"{sums[metric]:12} {metric}")
        table = compare(name, theirs, virtual(path), explained)
        if o.markdown:
            by_quantity(lab_sums(table)) if name == "labs" else grids(table)
        for label, cells in table:
            for quantity, (a, b, why) in cells.items():
                compared += 1
                if a != b and why is None:
                    trouble += 1
                    print(f"{label}: {quantity}: {a} on the hardware, {b} here")
    for row in explained.unused():
        trouble += 1
        print("explains nothing: " + " ".join(row))
    print(f"{compared} counts compared, {trouble} in trouble")
    if not compared:
        sys.exit(2)
    sys.exit(1 if trouble else 0)


if __name__ == "__main__":
    main()
