#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tables.py: tables in Markdown, made from CSV, so that no number in the
documentation is typed by hand.

  tables.py NAME CSV           prints one table: of timing data bars, orders,
                               tuples, applications, small, peers, ladder, cpu,
                               never-below, variants:LAB[:NAME,NAME...];
                               of measurements that scanlab bench did not make
                               reached, widths, floor, smaller, and
                               pivot:GROUP:FIRST-CELL of steps-*.csv;
                               depth:LAB of depth.csv
  tables.py --write DOC...     makes every table of these files anew
  tables.py --check DOC...     fails when one is not what its CSV says

In a file a table stands between two lines, and CSV is a file of plots/data or
research/data:
  <!-- table NAME CSV -->
  <!-- end of table -->

  exit 0  written, or all as they should be
  exit 1  a table is out of date, or cannot be made

Each table is a function of a file's rows that gives the names of its columns
and its lines, lists of cells.
"""
import math
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # nothing beside the sources
from rows import DERIVED, File, number, power_of

HERE = pathlib.Path(__file__).resolve().parent
RUNS = HERE.parent / "research/data"  # what no figure draws
NONE = "–"  # what was not measured


class Trouble(Exception):
    pass


def quotient(a, b, form="%.2f"):
    return form % (a / b) if a is not None and b else NONE


# ---- timing data ----

class Timings:
    """Cells of rows known by (who, k, operation, type, order, tuple)."""

    def __init__(self, file):
        self.rows, rows = {}, file.sorted()
        for row, more in zip(rows, file.derived(rows)):
            cells = dict(zip(file.names + DERIVED, row[0] + more))
            key = (cells["who"], power_of(number(cells["n"])),
                   cells["operation"], cells["type"], int(cells["order"]),
                   int(cells["tuple"]))
            self.rows[key] = {name: number(value)
                              for name, value in cells.items() if value != ""}
        self.whos = {key[0] for key in self.rows}

    def __contains__(self, key):
        return key in self.rows

    def cell(self, key, column, form, scale=1):
        value = self.rows.get(key, {}).get(column)
        return NONE if value is None else form % (value * scale)

    def of(self, key):
        return self.cell(key, "of_copy", "%.2f")

    def speed(self, key):
        return self.cell(key, "rate", "%.1f")

    def gbs(self, key):
        return self.cell(key, "gbs", "%.1f")

    def micro(self, key):
        return self.cell(key, "median_ns", "%.1f", 1 / 1000)

    def ns(self, key, column="median_ns"):
        return self.rows[key][column] if key in self else None

    def times(self, ours, other):
        """How many times faster the first is."""
        return quotient(self.ns(other), self.ns(ours))

    def version(self, lab):
        """The one to show: the fast one where it was timed."""
        fast = f"fast/{lab}"
        return fast if fast in self.whos else f"reference/{lab}"

    def fullest(self, keys):
        """The k at which most of keys(k) are there; the largest of several."""
        return max(range(10, 35),
                   key=lambda k: (sum(key in self for key in keys(k)), k))


def key(who, k, operation="inclusive_sum", type_="int32", order=1, tuple_=1):
    return who, k, operation, type_, order, tuple_


def short(t, who):
    lab = who.partition("/")[2]
    return lab if f"fast/{lab}" in t.whos else f"{lab} (reference)"


def bars(t):
    look, sam = t.version("lookback"), t.version("sam")
    lines = []
    for type_ in "int32", "int64", "float", "double":
        for k in range(16, 31, 2):
            ours, sams, cub, thrust = (key(who, k, type_=type_)
                                       for who in (look, sam, "cub", "thrust"))
            if not any(it in t for it in (ours, sams, cub)):
                continue
            spread = NONE
            if ours in t:
                spread = quotient(100 * (t.ns(ours, "q3_ns") - t.ns(ours, "q1_ns")),
                                  t.ns(ours), "%.1f %%")
            lines.append([
                type_, f"2^{k}", t.speed(key("memcpy", k, "copy", type_)),
                t.of(ours), t.times(ours, cub), t.of(sams), t.times(sams, cub),
                t.of(cub), t.of(thrust), spread])
    return ["type", "n", "copy, 10^9/s", f"{short(t, look)} of copy", "× CUB",
            f"{short(t, sam)} of copy", "× CUB", "CUB of copy",
            "Thrust of copy", f"spread of {short(t, look)}"], lines


def generalised(t, what):
    def keys(who, k):
        return [key(who, k, "inclusive_sum", type_, *(
            (q, 1) if what == "order" else (1, q))) for q in range(1, 9)]
    sam, lines = t.version("sam"), []
    for type_ in "int32", "int64":
        k = t.fullest(lambda k: keys(sam, k)[1:] + keys("cub", k)[1:])
        for q, (ours, cub) in enumerate(zip(keys(sam, k), keys("cub", k)), 1):
            if ours in t:
                lines.append([type_, f"2^{k}", q, t.speed(ours), t.of(ours),
                              t.times(ours, cub), t.of(cub)])
    repeated = " repeated" if what == "order" else ""
    return ["type", "n", what, "10^9/s", "of copy", f"× CUB{repeated}",
            "CUB of copy"], lines


def applications(t):
    """Beside CUB, and beside CUB that waits for its count as ours do."""
    whos, lines = (t.version("applications"), "cub"), []
    waits = "cub-counted" in t.whos
    operations = ("select_half partition_half run_length reduce_by_key"
                  " sort_keys sort_pairs").split()
    k = t.fullest(lambda k: [key(w, k, op) for w in whos for op in operations])
    for operation in operations:
        ours, cub = (key(who, k, operation) for who in whos)
        if ours in t or cub in t:
            counted = key("cub-counted", k, operation)
            lines.append([operation, f"2^{k}", t.speed(ours), t.speed(cub),
                          t.times(ours, cub), *[t.times(ours, counted)] * waits,
                          t.of(ours)])
    return ["operation, int32", "n", "ours, 10^9/s", "CUB, 10^9/s", "× CUB",
            *["× CUB with its count"] * waits, "ours of copy"], lines


def small(t):
    look, sam, lines = t.version("lookback"), t.version("sam"), []
    for k in range(10, 25, 2):
        ours, sams, cub, thrust = (key(who, k)
                                   for who in (look, sam, "cub", "thrust"))
        if ours in t or sams in t:
            lines.append([f"2^{k}", t.micro(key("memcpy", k, "copy")),
                          *map(t.micro, (ours, sams, cub, thrust)),
                          t.times(ours, cub), t.times(sams, cub)])
    look, sam = short(t, look), short(t, sam)
    return ["n, int32", "copy, µs", f"{look}, µs", f"{sam}, µs", "CUB, µs",
            "Thrust, µs", f"{look} × CUB", f"{sam} × CUB"], lines


def peers(t):
    """A call of each, microseconds; sam beside the fastest CUB of the cell."""
    cubs, lines = ("cub", "cub-3.5", "cub-lookahead"), []
    ours = [f"{name}/lookback" for name in ("committed", "wave-512", "waves-off")]
    for type_ in "int32", "int64", "float", "double":
        for k in range(10, 31):
            copy = key("memcpy", k, "copy", type_)
            sam, *others = (key(who, k, type_=type_)
                            for who in ("committed/sam", *ours, *cubs))
            if sam in t and copy in t:
                best = min(filter(t.__contains__, others[-3:]), key=t.ns)
                lines.append([type_, f"2^{k}", *map(t.micro, (copy, sam, *others)),
                              t.times(sam, best), t.times(sam, copy)])
    head = ["type", "n", "copy, µs", "sam, µs", "lookback, µs", "blocks of 512",
            "in tiles", "CUB", "CUB 3.5", "look-ahead", "sam × best CUB", "of copy"]
    some = [any(line[i] != NONE for line in lines) for i in range(len(head))]
    head, *lines = ([cell for cell, is_ in zip(line, some) if is_]
                    for line in (head, *lines))
    return head, lines


def ladder(t):
    lines = []
    for lab in ("naive", "work-efficient", "shared-tiled", "chained",
                "lookback", "sam"):
        best = [it for k in range(10, 31)
                for it in (key(f"reference/{lab}", k, "exclusive_sum"),
                           key(f"reference/{lab}", k)) if it in t][-1:]
        lines += [[lab, f"2^{it[1]}", t.micro(it), t.speed(it), t.of(it),
                   t.times(it, key("cub", it[1]))] for it in best]
    return ["reference of lab", "n", "time, µs", "10^9/s", "of copy",
            "× CUB"], lines


def named(n):
    """A size as a reader knows it: 2^k, 2^k + 1, 3·2^k, or its digits."""
    for text, rest in ("2^%d", n), ("2^%d + 1", n - 1), ("3·2^%d", n / 3):
        if rest >= 32 and math.log2(rest) % 1 == 0:
            return text % math.log2(rest)
    return str(n)


def never_below(file):
    """Every other folder's functions beside the reference's of the same lab. Each
    n counts for itself: those near a power of two, too. More than the spread:
    three quarters of ours took longer than three quarters of the reference's."""
    cells, lines = {}, []
    for row in file.chosen():
        is_ = dict(zip(file.names, row[0]))
        folder, _, lab = is_["who"].partition("/")
        key_ = lab, *(is_[c] for c in ("operation", "type", "order", "tuple"))
        cells.setdefault(key_, {}).setdefault(folder, {})[int(is_["n"])] = [
            number(is_[c]) for c in ("q1_ns", "median_ns", "q3_ns")]
    for (lab, operation, *rest), folders in cells.items():
        theirs = folders.pop("reference", {})
        for folder, ours in folders.items():
            pairs = {n: (theirs[n], ours[n]) for n in sorted(ours) if n in theirs}
            if not pairs:
                continue
            least = min(pairs, key=lambda n: pairs[n][0][1] / pairs[n][1][1])
            (low, median, high), its = pairs[least]
            below = [n for n, (it, our) in pairs.items() if our[1] > it[1]]
            beyond = [n for n in below if pairs[n][1][0] > pairs[n][0][2]]
            lines.append([
                f"{folder}/{lab}", operation, *rest, len(pairs),
                f"{median / its[1]:.2f} ({low / its[2]:.2f} to {high / its[0]:.2f})",
                named(least), len(below), len(beyond)])
    return ["", "operation", "type", "order", "tuple", "sizes",
            "least × reference (quartiles)", "at n", "below 1",
            "by more than the spread"], lines


def variants(file, lab, names=""):
    """Variants of a lab's functions (all, if none is named), sums, as parts of the
    copy's speed; where no copy was timed, of the first variant's."""
    copies, cells = {}, {}
    if not names:
        labs = {row[0][file.at["who"]].partition("/")[::2] for row in file.rows}
        names = ",".join(sorted((folder for folder, its in labs if its == lab),
                                key=lambda name: (name != "committed", name)))
    names = names.split(",")
    for row in file.chosen():
        is_ = dict(zip(file.names, row[0]))
        n, ns = int(is_["n"]), number(is_["median_ns"])
        folder, _, its = is_["who"].partition("/")
        if is_["who"] == "memcpy":
            copies[is_["type"], n] = ns
        elif its == lab and folder in names:
            cell = is_["type"], int(is_["order"]), int(is_["tuple"]), n
            cells.setdefault(cell, {})[folder] = ns
    absent = set(names) - {name for of in cells.values() for name in of}
    if absent:
        raise Trouble(f"{file.name} has no {', '.join(sorted(absent))} of {lab}")
    lines = [[type_, order, tuple_, named(n), *(
        quotient(copies[type_, n] if copies else of.get(names[0]), of.get(name), "%.3f")
        for name in names)] for (type_, order, tuple_, n), of in cells.items()
        if not copies or (type_, n) in copies]
    head = ["type", "order", "tuple", "n", *names]
    head[4] += ", of copy" if copies else " = 1"
    return head, lines


def cpu(t):
    ours, lines = t.version("cpu-scan"), []
    for k in range(10, 35):
        it = key(ours, k)
        if it not in t:
            continue
        rate, ns = t.rows[it]["gbs"], t.ns(it)
        copies = [key(who, k, "copy") for who in ("ntcopy", "memcpy", "memcpy-1")]
        copy = min(filter(t.__contains__, copies), key=t.ns, default=None)
        others = [key(who, k) for who in ("onetbb", "reference/cpu-scan", "serial")]
        lines.append([
            f"2^{k}", "%.1f (%.1f to %.1f)" % (
                rate, rate * ns / t.ns(it, "q3_ns"), rate * ns / t.ns(it, "q1_ns")),
            f"{copy[0]} {t.gbs(copy)}" if copy else NONE, t.times(it, copy),
            *(c for other in others for c in (t.gbs(other), t.times(it, other)))])
    return ["n", f"{short(t, ours)}, GB/s (quartiles)", "fastest copy, GB/s",
            "of that copy", "oneTBB, GB/s", "× oneTBB", "reference, GB/s",
            "× reference", "serial, GB/s", "× serial"], lines


# ---- measurements that are not scanlab bench's ----

class Steps:
    """Two files of steps on an H200: scan-steps-*.csv, applications-*.csv."""

    def __init__(self, file):
        self.of_copy, self.ms = {}, {}
        for row in file.rows:
            is_ = dict(zip(file.names, row[0]))
            k = int(math.log2(number(is_["n"])) + 0.5)
            if "variant" in is_:
                self.of_copy[f"{is_['type']}, {is_['variant']}",
                             int(is_["order"]), int(is_["tuple"]), k] = (
                    number(is_["of_copy"]), number(is_["times_cub"]))
            else:
                self.ms[is_["run"], is_["what"], k, is_["who"]] = \
                    number(is_["median_ms"])

    def of(self, key, form):
        return form % self.of_copy[key] if key in self.of_copy else ""

    def variants(self, high_order, high_tuple):
        return dict.fromkeys(
            name for name, order, tuple_, _ in self.of_copy
            if (order > 1, tuple_ > 1) == (high_order, high_tuple))

    def times_cub(self, what, k, runs):
        """Run 2 counts on the device, run 1 fetched its count."""
        return ", ".join(quotient(self.ms.get((run, what, k, "cub")),
                                  self.ms.get((run, what, k, "fast")))
                         for run in runs)


def reached(t):
    """Order 1, tuple 1 over n: part of the copy; times CUB."""
    sizes = 16, 18, 20, 22, 23, 24, 26, 28, 29, 30
    return ["of copy; × CUB", *(f"2^{k}" for k in sizes)], [
        [name, *(t.of((name, 1, 1, k), "%.3f; %.2f") for k in sizes)]
        for name in t.variants(False, False)]


def widths(t):
    """Orders and tuples at 2^28: part of the copy."""
    return ["of copy", *range(2, 9)], [
        *([f"order, {name}", *(t.of((name, q, 1, 28), "%.3f%.0s")
                               for q in range(2, 9))]
          for name in t.variants(True, False)),
        *([f"tuple, {name}", *(t.of((name, 1, q, 28), "%.3f%.0s")
                               for q in range(2, 9))]
          for name in t.variants(False, True))]


def floor(t):
    """At 2^28 beside the bytes that must move at the copy's rate."""
    lines = []
    for what, moved, name in (
            ("select", 6, "selection, half kept"), ("partition", 8, "partition"),
            ("rle-short", 12, "run-length, short"), ("rle-8", 5, "run-length, 8"),
            ("rbk-short", 16, "by key, short"), ("rbk-8", 9, "by key, 8"),
            ("sum", 8, "exclusive sum"), ("sort", 36, "sort"),
            ("pairs", 68, "sort pairs")):
        least = t.ms["2", "copy", 28, "memcpy"] * moved / 8
        ours, first, cub = (t.ms[run, what, 28, who] for run, who in (
            ("2", "fast"), ("1", "fast"), ("2", "cub")))
        lines.append([name, moved, f"{least:.3f}", f"{ours:.3f}, {first:.3f}",
                      quotient(least, ours), f"{cub:.3f}",
                      t.times_cub(what, 28, "21")])
    return ["2^28 elements", "bytes per element", "floor, ms",
            "reached, ms (run 2, run 1)", "of floor", "CUB, ms",
            "× CUB (run 2, run 1)"], lines


def smaller(t):
    columns = "select partition rle-8 rbk-8 sum sort pairs".split()
    return ["× CUB (run 2, run 1; sorts run 1)", "select", "partition",
            "run-length, 8", "by key, 8", "sum", "sort", "pairs"], [
        [f"2^{k}", *(t.times_cub(what, k, "1" if what in ("sort", "pairs") else "21")
                     for what in columns)] for k in (16, 18, 20, 21, 22, 24, 26)]


def pivot(file, group, first):
    cells, machine = {}, ""
    for row in file.rows:
        is_ = dict(zip(file.names, row[0]))
        if is_["table"] == group:
            high, machine = is_["high"], is_["machine"]
            cells.setdefault((is_["row"], is_["column"]), []).append(
                is_["value"] + (f" to {high}" if high else ""))
    names, columns = (list(dict.fromkeys(key[i] for key in cells)) for i in (0, 1))
    lines = [[name, *(", ".join(cells.get((name, c), [])) for c in columns)]
             for name in names]
    return [first.replace("-", " "), *columns], lines, machine


# ---- depth beside work (depth.sh) ----

# series: its name, additions and steps as the papers count them. The table of a
# lab ends with the lab's own rows.
DEPTHS = {
    "naive": ("1 naive", "n·log₂ n − n + 1", "log₂ n launches"),
    "work-efficient": ("2 work-efficient", "2(n − 1)", "2·log₂ n launches"),
    "banks-plain": ("3 a block, plain", "2(n − 1)", "2·log₂ n levels"),
    "banks-padding": ("3 a block, padding", "2(n − 1)", "2·log₂ n levels"),
    "banks-leftright": ("3 a block, left-right", "2(n − 1)", "2·log₂ n levels"),
    "scan-then-propagate": ("4 scan-then-propagate", "O(n)", "3 launches"),
    "reduce-then-scan": ("4 reduce-then-scan", "O(n)", "3 launches"),
    "chained": ("5 chained", "O(n)", "n/8192 − 1 messages"),
    "lookback-serial": ("6 serial look-back", "O(n)", "< n/4096 messages"),
    "lookback": ("6 look-back by windows", "O(n)", "< n/4096 messages"),
    "sam": ("7 SAM, order 1", "O(n)", "1 message a round"),
    "sam-order-8": ("7 SAM, order 8", "O(8n)", "8 messages a round"),
    "select": ("8 selection", "O(n)", "< n/3840 messages"),
    "sort": ("8 radix sort, 4 digits", "O(n)", "6 launches"),
}


def depth(file, lab):
    cells = {}
    for row in file.rows:
        is_ = dict(zip(file.names, row[0]))
        cells.setdefault((is_["series"], is_["lab"]), {})[int(is_["n"])] = is_
    labs = list(dict.fromkeys(lab for _, lab in cells))
    if lab not in labs:
        raise Trouble(f"{file.name} has no lab '{lab}'")
    shown = labs[:labs.index(lab) + 1]
    lines = []
    for (series, its), of in cells.items():
        # Of lab 3, which has one block, only its own table.
        if its not in shown or its == "bank-conflicts" != lab:
            continue
        name, work, steps = DEPTHS[series]
        last = of[max(of)]
        lines.append([
            name, work, steps,
            "%.2f" % (number(last["data_ops"]) / number(last["n"])),
            *(of[k]["depth"] if k in of else NONE
              for k in (2 ** 12, 2 ** 16, 2 ** 20)), last["longest_chain"]])
    return ["scan", "work", "depth", "operations / n, counted",
            "depth counted, n = 2^12", "2^16", "2^20", "messages"], lines


# ---- tables and documents ----

OF_TIMINGS = {
    "bars": bars, "orders": lambda t: generalised(t, "order"),
    "tuples": lambda t: generalised(t, "tuple"), "applications": applications,
    "small": small, "peers": peers, "ladder": ladder, "cpu": cpu}
OF_STEPS = {"reached": reached, "widths": widths, "floor": floor,
            "smaller": smaller}


def table(name, path):
    if not pathlib.Path(path).is_file():
        raise Trouble(f"there is no {path}")
    file = File(str(path))
    folder = RUNS if RUNS / file.name == path else HERE / "data"
    source = f"{folder.relative_to(HERE.parent)}/{file.name})"
    if name.startswith("pivot:"):
        # Numbers of several machines and days may stand in one file.
        head, lines, machine = pivot(file, *name.split(":")[1:])
        source = f"({machine}; {source}" if machine else f"({source}"
    elif name.startswith("depth:"):
        head, lines = depth(file, name.partition(":")[2])
        source = f"({file.origin()}; {source}"
    else:
        source = f"({file.origin()}; medians; {source}"
        if name in OF_STEPS:
            head, lines = OF_STEPS[name](Steps(file))
        else:
            text, good = file.check()
            if not good:
                raise Trouble(text)
            if name.startswith("variants:"):
                head, lines = variants(file, *name.split(":")[1:])
            elif name == "never-below":
                head, lines = never_below(file)
            elif name in OF_TIMINGS:
                head, lines = OF_TIMINGS[name](Timings(file))
            else:
                raise Trouble(f"there is no table '{name}'; there are: "
                              + " ".join([*OF_TIMINGS, "never-below", "variants:LAB:NAMES"]))
    if not lines:
        raise Trouble(f"{file.name} has no rows for the table '{name}'")
    rows = ["".join(f" {cell} |" for cell in cells) for cells in [head, *lines]]
    rows.insert(1, "---|" * len(head))
    return "".join(f"|{row}\n" for row in rows) + f"\n{source}\n"


def found(csv):
    path = RUNS / csv
    return path if path.exists() else HERE / "data" / csv


def renewed(doc):
    """The document's text with its tables made anew."""
    text, inside = [], False
    for line in pathlib.Path(doc).read_text(encoding="utf-8").splitlines():
        if line.startswith("<!-- table ") and line.endswith(" -->"):
            if inside:
                raise Trouble(f"{doc}: a table in a table")
            inside = True
            name, _, csv = line[len("<!-- table "):-len(" -->")].rpartition(" ")
            text += [line, "", table(name, found(csv))]
            continue
        if line == "<!-- end of table -->":
            inside = False
        if not inside:
            text.append(line)
    if inside:
        raise Trouble(f"{doc}: a table without an end")
    return "".join(f"{line}\n" for line in text)


def renew(doc, write):
    new = renewed(doc)
    if new == pathlib.Path(doc).read_text(encoding="utf-8"):
        return
    if write:
        pathlib.Path(doc).write_text(new, encoding="utf-8")
        return
    difference = subprocess.run(["diff", doc, "-"], input=new, text=True,
                                encoding="utf-8", stdout=subprocess.PIPE).stdout
    raise Trouble("\n".join([
        f"{doc}: a table is not what its CSV says "
        f"(mend with plots/tables.py --write {doc}):",
        *difference.split("\n")[:6]]))


def main():
    mode, *docs = sys.argv[1:] or [""]
    if mode not in ("--write", "--check"):
        if len(docs) != 1:
            sys.exit(__doc__)
        jobs = [lambda: print(table(mode, docs[0]), end="")]
    else:
        jobs = [lambda doc=doc: renew(doc, mode == "--write") for doc in docs]
    status = 0
    for job in jobs:
        try:
            job()
        except Trouble as trouble:
            print(f"tables.py: {trouble}", file=sys.stderr)
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
