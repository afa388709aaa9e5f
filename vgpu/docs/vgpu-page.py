#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""vgpu-page.py [--fix]: the tables of findings and counters and the list of
devices in vgpu/docs/vgpu.md are made from the tables that the program is made from.
Says whether the page is in step with them, or writes it."""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE / "vgpu.md"
TABLES = HERE.parent / "include"


def rows_of(name, macro="X"):
    """The arguments of each X(...), without quotes."""
    for row in re.findall(rf"^{macro}\((.*)\)$", (TABLES / name).read_text(), re.M):
        yield [a.strip().strip('"')
               for a in re.findall(r'"[^"]*"|[^,"]+', row) if a.strip()]


def findings():
    yield "| finding | check | meaning |\n|---|---|---|"
    for _, name, check, _, meaning, *_ in rows_of("vgpu_findings.def", "KIND"):
        yield f"| `{name}` | {check.lower()} | {meaning} |"


def counters():
    yield "| counter | kept per | counts |\n|---|---|---|"
    for _, name, scope, meaning in rows_of("vgpu_counters.def"):
        yield f"| `{name}` | {scope.lower()} | {meaning} |"


def devices():
    yield "    $ vgpu --list-devices"
    for row in rows_of("vgpu_profiles.def"):
        name, compute, sms, banks, mib = (row[0], int(row[1]), int(row[2]),
                                          int(row[9]), int(row[11]))
        yield (f"    {name:<8} compute {compute // 10:2}.{compute % 10}, "
               f"{sms:3} SMs, {mib:6} MiB, {banks} banks  {row[13]}")


def main():
    page = made = PAGE.read_text()
    for make in (findings, counters, devices):
        lines = list(make())
        block = "\n".join(lines) + "\n"
        # What is there begins alike and ends with an empty line.
        first = re.escape(lines[0].split("\n")[0])
        made, n = re.subn(rf"^{first}\n(?:.+\n)*", lambda _: block, made,
                          flags=re.M)
        if n != 1 or len(lines) < 5:
            sys.exit(f"{PAGE}: {n} places for {make.__name__}")
    if "--fix" in sys.argv[1:]:
        PAGE.write_text(made)
    elif made != page:
        sys.exit(f"{PAGE} is not what the tables in {TABLES} say: "
                 "vgpu/docs/vgpu-page.py --fix writes it")


if __name__ == "__main__":
    main()
