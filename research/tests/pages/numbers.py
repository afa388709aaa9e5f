#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every measured number of the documentation is in a CSV.

  numbers.py FOLDER PAGE...    FOLDER: the files of plots/data and research/data;
                               prints the numbers of the
                               pages that no CSV has, rows of steps-*.csv that
                               no page uses, and derived ones that their file
                               does not give; exit status 1: some

Looked at is what stands outside generated tables, code and links: numbers with
a decimal point, numbers with a unit of measurement, and all numbers in columns
of tables headed "measured". Versions, dates and clocks are none. A number is
known when, rounded as it is printed, it is a value of steps-*.csv for that
page, or a cell of a table generated on that page. A manual and its log (two
pages of one name, as timing/docs/speed.md and research/log/speed.md) are one page
here.

A row named "RUN: who; type; order Q; tuple T" is computed again from the medians
in RUN-h200.csv: us or ms of that cell, or how it compares with memcpy or CUB.
"""
import collections
import csv
import functools
import pathlib
import re
import sys

KINDS = ("measured", "derived", "expected", "bar", "setting")
UNIT = (r"(?:GB/s|TB/s|G/s|[GM] (?:elements|items|thread instructions)/s"
        r"|[uµmn]s\b|s\b(?!\w)|%|× |times (?:as|slower|faster|CUB|Ocl|oneTBB)|times\b)")
NUMBER = re.compile(r"(?<![\w.^/#-])(?:[−-])?(\d+(?:\.\d+)?)(?![\w^]|\.\d)")
NOT_MEASURED = re.compile(
    r"(CUDA|CUB|driver|gcc|oneTBB|Ubuntu|Debian|capability|Python|version|"
    r"Compute|ptxas|PTX|libcudart\.so\.|of version|section|compute_|sm_|n =) ?$")
CLOCK = re.compile(r" ?(GHz|MHz|MiB|KiB|KB|MB|GB\b(?!/s)|GiB|[0-9.]+\.[0-9]+\.)")


def prose_of(text):
    """The page without what is not looked at; generated tables apart."""
    generated = []

    def take(match):
        generated.append(match[0])
        return "\n" * match[0].count("\n")

    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])

    text = re.sub(r"<!-- table .*?<!-- end of table -->", take, text,
                  flags=re.S)
    text = re.sub(r"^```.*?^```", blank, text, flags=re.S | re.M)
    text = re.sub(r"^    .*$", blank, text, flags=re.M)
    text = re.sub(r"`[^`\n]*`", blank, text)
    text = re.sub(r"\]\([^)]*\)", blank, text)
    text = re.sub(r"\b[0-9a-f]{7,}\b", blank, text)
    text = re.sub(r"\d{4}-\d{2}-\d{2}", blank, text)
    text = re.sub(r"\d+(\.\d+){2,}", blank, text)
    return text, generated


def numbers_of(text):
    """(line, number) of what must be in a CSV."""
    measured = []
    for at, line in enumerate(text.split("\n"), 1):
        is_row = line.startswith("|")
        cells = line.strip("|").split("|") if is_row else [line]
        if not is_row:
            measured = []
        elif any("measured" in c for c in cells) and not measured:
            measured = ["measured" in c for c in cells]
            continue
        for k, cell in enumerate(cells):
            all_of_it = is_row and k < len(measured) and measured[k]
            for m in NUMBER.finditer(cell):
                before, after = cell[:m.start()], cell[m.end():]
                if NOT_MEASURED.search(before) or CLOCK.match(after):
                    continue
                has_unit = re.match(" ?" + UNIT, after)
                if "." in m[1] or has_unit or \
                        (all_of_it and len(m[1]) > 1):
                    yield at, m[1]


def known_in(values, number):
    digits = len(number.partition(".")[2])
    if not digits:
        return float(number) in values
    return any(f"{v:.{digits}f}" == number or
               f"{v + 1e-9:.{digits}f}" == number for v in values)


def read_rows(path):
    with open(path, newline="") as file:
        for row in csv.DictReader(r for r in file if r[0] != "#"):
            for field in ("value", "high"):
                if row[field] or field == "value":
                    float(row[field])
            if row["kind"] not in KINDS or None in row or None in row.values():
                sys.exit(f"{path.name}: not a row: {row}")
            yield row


CELL = re.compile(r"(bench|shapes-\d+): (.*); (\w+); order (\d+); tuple (\d+)")


@functools.cache
def medians_of(path):
    """(who, operation, type, order, tuple, n) -> medians in ns of a run."""
    found = collections.defaultdict(list)
    with open(path, newline="") as file:
        for row in csv.DictReader(r for r in file if r[0] != "#"):
            key = [row[f] for f in ("who", "operation", "type")]
            key += [int(row[f]) for f in ("order", "tuple", "n")]
            found[tuple(key)].append(float(row["median_ns"]))
    return found


def computed(folder, run, cell, unit, n):
    """What a run's file says of a cell, in the unit: all its candidates."""
    medians = medians_of(folder / f"{run}-h200.csv")
    who, type_, order, tuple_ = cell[0], cell[1], int(cell[2]), int(cell[3])
    for (of, operation, *rest), times in list(medians.items()):
        if of != who or rest != [type_, order, tuple_, n]:
            continue
        for ns in times:
            if unit in ("us", "ms"):
                yield ns / {"us": 1e3, "ms": 1e6}[unit]
            elif unit == "of copy":
                yield medians[("memcpy", "copy", type_, 1, 1, n)][0] / ns
            elif unit == "× CUB":
                yield medians[("cub", operation, *rest)][0] / ns


def is_given(folder, row):
    """False for a derived row whose file has another value or none."""
    match = CELL.fullmatch(row["row"])
    if not match or row["kind"] != "derived":
        return True
    n = 2 ** int(row["n"].removeprefix("2^"))
    return known_in(list(computed(folder, match[1], match.groups()[1:],
                                  row["unit"], n)), row["value"])


def main():
    folder, trouble = pathlib.Path(sys.argv[1]), []
    rows = [(path.name, row) for path in sorted(folder.glob("steps-*.csv"))
            for row in read_rows(path)]
    pages = {}
    for name in sys.argv[2:]:
        pages.setdefault(pathlib.Path(name).stem, []).append(name)
    for page, names in pages.items():
        name = " and ".join(names)
        parts = [prose_of(pathlib.Path(part).read_text()) for part in names]
        text = "\n".join(text for text, _ in parts)
        generated = [table for _, tables in parts for table in tables]
        mine = [(path, row) for path, row in rows if row["page"] == page]
        known = [float(row[f]) for _, row in mine for f in ("value", "high")
                 if row[f]]
        known += [float(n) for table in generated
                  for n in re.findall(r"(?<![\w^.])\d+\.\d+", table)]
        trouble += [f"{part}:{line}: {number} is in no CSV: a row of "
                    "plots/data/steps-*.csv is missing"
                    for part, (prose, _) in zip(names, parts)
                    for line, number in numbers_of(prose)
                    if not known_in(known, number)]
        said = set(re.findall(r"\d+(?:\.\d+)?", text))
        trouble += [f"{path}: {row['row']}: {name} does not say {row[f]}"
                    for path, row in mine if not row["table"]
                    for f in ("value", "high") if row[f] and row[f] not in said]
        tables = "".join(generated)
        trouble += [f"{path}: {name} has no table pivot:{row['table']}"
                    for path, row in mine if row["table"] and
                    f"<!-- table pivot:{row['table']}:" not in tables]
    trouble += [f"{path}: {row['row']}: its file does not give {row['value']}"
                for path, row in rows if not is_given(folder, row)]
    trouble += [f"{path}: {row['page']} is no page that is looked at"
                for path, row in rows if row["page"] not in pages]
    print("\n".join(trouble) or f"{len(rows)} rows, {len(pages)} pages")
    sys.exit(bool(trouble))


if __name__ == "__main__":
    main()
