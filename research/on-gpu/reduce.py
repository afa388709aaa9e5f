#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nsight Compute's CSV, cut down to what tests/referee/compare.py reads.

  reduce.py FROM TO [WORD...]    FROM: what referee.sh run wrote; TO: the same
                                 names, smaller. WORD...: GPU, driver, versions
                                 and date, for the comment at the files' head

One line per launch: its number, its kernel, the sums of the metrics and, for
the patterns, the barrier instructions that opcodes.csv has.
"""
import csv
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] /
                       "tests" / "referee"))
import compare  # noqa: E402

OPCODES = "sass__inst_executed_per_opcode"
KEPT = re.compile(r"(l1tex__(t|data)_|smsp__inst_executed_op_|idc__requests).*"
                  r"\.sum$")
MIXED = re.compile(r"l1tex__t_(requests|sectors)_pipe_lsu_mem_global_op_"
                   r"(ld|st|atom|red)\.sum|idc__requests\.sum|"
                   r"smsp__inst_executed_op_ldc_pred_on_any\.sum")


def barriers(path):
    """BAR instructions per launch; nothing where there is no such file."""
    if not path.exists():
        return []
    with open(path, newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["ID"].strip().isdigit()]
    found = [re.search(r"\bBAR: (\d+)", row[OPCODES]) for row in rows]
    return [int(match[1]) if match else 0 for match in found]


def reduce(source, target, words, bars, kept=KEPT):
    launches = compare.hardware(source)
    names = sorted({name for _, row in launches for name, value in row.items()
                    if kept.fullmatch(name)})
    with open(target, "w", newline="") as file:
        file.write("# " + " ".join(words) + "\n")
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["ID", "Kernel Name"] + names +
                     ([compare.BARRIERS] if bars else []))
        for i, (kernel, row) in enumerate(launches):
            out.writerow([i, kernel] + [row.get(name, 0) for name in names] +
                         (bars[i:i + 1] if bars else []))


def main():
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    bars = barriers(source / "opcodes.csv")
    for name, column, kept in (("patterns.csv", bars, KEPT),
                               ("labs.csv", [], KEPT),
                               ("mixed.csv", [], MIXED)):
        if (source / name).exists():
            reduce(source / name, target / name, sys.argv[3:], column, kept)


if __name__ == "__main__":
    main()
