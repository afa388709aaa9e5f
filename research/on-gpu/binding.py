#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nsight Compute's CSV of binding.sh, cut down to what tells what binds.

  binding.py LAUNCHES NCU OUT [WORD...]
  binding.py --kernels OUT N=NCU...   of inversions.sh: kernels by their names

LAUNCHES: what `shapes --once` printed, a line for each profiled launch, in
their order. OUT: kernel,n,metric,value; kernel is "who type order tuple". WORD:
GPU, versions and date, for the comment at the file's head. Exit status 1: the
two files are not of one run, or a metric that must be there is not.
"""
import csv
import re
import sys

PERCENT = r"\.avg\.pct_of_peak_sustained_(elapsed|active)$"
STALL = re.compile(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active"
                   r"\.ratio$")
# Our name: the metric; the first that is there counts.
METRICS = {
    "time_us": r"gpu__time_duration\.(sum|avg)$",
    "dram_busy_pct": r"(gpu__)?dram__?throughput" + PERCENT,
    "l2_busy_pct": r"lts__throughput" + PERCENT,
    "l1_shared_busy_pct": r"l1tex__throughput" + PERCENT,
    "sm_busy_pct": r"sm__throughput" + PERCENT,
    "occupancy_pct": r"sm__warps_active" + PERCENT,
    "issue_slots_pct": r"(smsp__issue_active|sm__inst_issued)" + PERCENT,
    "issue_per_cycle": r"smsp__issue_active\.avg\.per_cycle_active$",
    "registers": r"launch__registers_per_thread$",
    "threads": r"launch__block_size$",
    "blocks": r"launch__grid_size$",
    # Where they were asked for (inversions.sh):
    "instructions": r"smsp__inst_executed\.sum$",
    "dram_read_bytes": r"dram__bytes_read\.sum$",
    "dram_write_bytes": r"dram__bytes_write\.sum$",
    "read_sectors": r"l1tex__t_sectors_pipe_lsu_mem_global_op_ld\.sum$",
    "write_sectors": r"l1tex__t_sectors_pipe_lsu_mem_global_op_st\.sum$",
    "red_sectors": r"l1tex__t_sectors_pipe_lsu_mem_global_op_red\.sum$",
    "bank_conflicts": r"l1tex__data_bank_conflicts_pipe_lsu_mem_shared\.sum$",
}
NEEDED = ("time_us", "dram_busy_pct", "occupancy_pct")


def launches_of(path):
    with open(path) as file:
        return [line.strip().split(",") for line in file
                if line.strip() and not line.startswith("#")]


def rows_of(path):
    """The table: what ncu says itself begins with ==."""
    with open(path, newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    rows = list(csv.DictReader(lines))
    units = rows[0] if rows and not rows[0]["ID"].strip() else {}
    return [r for r in rows if r["ID"].strip().isdigit()], units


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def time_in_us(value, unit):
    scale = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3,
             "msecond": 1e3, "s": 1e6, "second": 1e6}
    return value * scale[unit]


def reduced(row, units):
    found = {}
    for ours, pattern in METRICS.items():
        for name, text in row.items():
            value = number(text or "")
            if value is None or not re.match(pattern, name):
                continue
            if ours == "time_us":
                value = time_in_us(value, units.get(name, "ns") or "ns")
            found.setdefault(ours, value)
    if "issue_slots_pct" not in found and "issue_per_cycle" in found:
        found["issue_slots_pct"] = 100 * found["issue_per_cycle"]
    found.pop("issue_per_cycle", None)
    # Warps that wait for this, per instruction issued.
    for name, text in row.items():
        stall = STALL.match(name)
        if stall and number(text or "") is not None:
            found["stall_" + stall[1]] = number(text)
    return found


def write(path, comments, lines):
    with open(path, "w", newline="") as file:
        file.writelines(f"# {comment}\n" for comment in comments)
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("kernel", "n", "metric", "value"))
        out.writerows(lines)


def kernels(out, pairs):
    lines = []
    for n, path in (pair.split("=", 1) for pair in pairs):
        rows, units = rows_of(path)
        for row in rows:
            name = re.match(r"(void )?(\w+::)*(\w+)", row["Kernel Name"])[3]
            lines += [(name, n, metric, f"{v:.6g}")
                      for metric, v in reduced(row, units).items()]
    if not lines:
        sys.exit("binding.py: no launch was profiled")
    write(out, ["made by research/on-gpu/inversions.sh: one launch each, L2 emptied "
                "before; stall_*: warps waiting for it, per instruction issued"], lines)
    print(f"{len({line[:2] for line in lines})} kernels and sizes, {len(lines)} values")


def main():
    if sys.argv[1] == "--kernels":
        return kernels(sys.argv[2], sys.argv[3:])
    launches = launches_of(sys.argv[1])
    rows, units = rows_of(sys.argv[2])
    if not rows or len(rows) != len(launches):
        sys.exit(f"binding.py: {len(launches)} launches were made, "
                 f"{len(rows)} profiled")
    lines = []
    for launch, row in zip(launches, rows):
        who, _, type_, order, tuple_, n = launch
        ours = re.match(r"(void )?scan_(stream|tiles|wave)", row["Kernel Name"])
        if bool(ours) == (who == "cub"):
            sys.exit(f"binding.py: launch {row['ID']} is no kernel of {who}: "
                     f"{row['Kernel Name']}")
        who = who.replace("committed/", "fast/")
        values = reduced(row, units)
        missing = [m for m in NEEDED if m not in values]
        if missing:
            sys.exit(f"binding.py: ncu told no {', '.join(missing)}")
        lines += [(f"{who} {type_} {order} {tuple_}", n, metric, f"{v:.6g}")
                  for metric, v in values.items()]
    origin = ["origin: " + " ".join(sys.argv[4:])] if sys.argv[4:] else []
    write(sys.argv[3], origin + ["made by research/on-gpu/binding.sh: one launch each; "
                                 "stall_*: warps waiting for it, per instruction issued"],
          lines)
    print(f"{len(rows)} launches, {len(lines)} values")


if __name__ == "__main__":
    main()
