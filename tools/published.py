#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""published.py [--fix]: compares grader/cli/published.def with the CSV files of
plots/data that it is made from, and writes it anew with --fix: what references
and CUB count at one size, which `scanlab watch` shows beside a student's counts."""
import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
OUT = ROOT / "grader/cli/published.def"
SIZE = 4096
# lab, function; series of counts.csv; operation of CUB; has the model's file the
# reference's time of this very function?
ROWS = (("naive", "inclusive", "naive", "inclusive_sum", True),
        ("work-efficient", "exclusive", "work-efficient", "exclusive_sum", True),
        ("shared-tiled", "propagate", "scan-then-propagate", "exclusive_sum", False),
        ("shared-tiled", "reduce", "reduce-then-scan", "exclusive_sum", True),
        ("chained", "inclusive", "chained", "inclusive_sum", True),
        ("lookback", "i32", "lookback", "inclusive_sum", True),
        ("sam", "scan", "sam", "inclusive_sum", True))
# Labs of which plots/data/depth.csv alone has counts: launches and data operations of
# the usual parameters. CUB has no function that does the same on these arrays.
STEPS = (("bank-conflicts", "scan", "banks-plain"),
         ("applications", "select", "select"),
         ("applications", "sort", "sort"))
HEAD = f"""/* SPDX-License-Identifier: MIT
 *
 * published.def: made by tools/published.py from plots/data/counts.csv,
 * depth.csv and model-h200.csv, whose first lines say where their numbers come
 * from. X(lab, function, launches, data operations, elements moved per element,
 * model time in us, CUB's): n = {SIZE}, device and clock h200; below 0: not
 * published.
 */
"""


def rows_of(name):
    lines = (ROOT / "plots/data" / name).read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def only(rows, **wanted):
    found = [r for r in rows if all(r[k] == v for k, v in wanted.items())]
    if len(found) != 1:
        sys.exit(f"published.py: {len(found)} rows have {wanted}")
    return found[0]


def table():
    counts, model = rows_of("counts.csv"), rows_of("model-h200.csv")
    text = HEAD
    for lab, function, series, operation, has_time in ROWS:
        here = only(counts, series=series, lab=lab, function=function, n=str(SIZE))

        def us(who):
            row = only(model, who=who, operation=operation, type="int32", order="1",
                       tuple="1", n=str(SIZE))
            return f"{int(row['median_ns']) / 1000:.3f}"
        text += (f'X("{lab}", "{function}", {here["launches"]}, {here["data_ops"]},\n'
                 f"  {here['moved_per_element']}, "
                 f"{us('reference/' + lab) if has_time else -1}, {us('cub')})\n")
    for lab, function, series in STEPS:
        here = only(rows_of("depth.csv"), series=series, lab=lab, function=function,
                    n=str(SIZE))
        text += f'X("{lab}", "{function}", {here["launches"]}, {here["data_ops"]}, -1, -1, -1)\n'
    return text


def main():
    if sys.argv[1:] == ["--fix"]:
        OUT.write_text(table())
    elif OUT.read_text() != table():
        sys.exit(f"{OUT.relative_to(ROOT)} differs from plots/data: run "
                 "tools/published.py --fix")
    return 0


sys.exit(main())
