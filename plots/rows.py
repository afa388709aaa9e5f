#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rows.py: the one reader of CSV files: chosen rows of a file whose first line
without # names the columns. draw.sh, bench.gp and tables.py use it.

  rows.py WANT FILE [WHERE [COLUMN]]
  rows.py print bench.csv "who=cub|fast/*;type=int32;n=2^28"

WHERE: conditions COLUMN=VALUE[|VALUE...], parted by semicolons. A value that
ends in * is a beginning; student/ is any folder but reference/ and fast/;
n=2^28 takes sizes within 2 % (tuples of 3 do not divide 2^28). A row whose
column ok is not 1 is never chosen.

  print   names and chosen rows, by rising n, order, tuple. Timing data get more
          columns: rate, slow and fast (10^9 elements/s: median, quartiles), gbs
          (10^9 bytes/s), us (microseconds), of_copy (bytes/s over those of the
          copy of the same type and size; empty where none was timed)
  count   how many rows are chosen
  values  the values of COLUMN in chosen rows, in the file's order; those of who
          in the legend's order
  size    k of the size 2^k that has most of the chosen rows; the largest of
          several; nothing when no row is chosen
  ends    "a b": chosen sizes lie between 2^a and 2^b
  most    the greatest rate of chosen rows
  origin  where timing data are from, in one line
  model   the words that stand below every figure of model time: the profile of a
          file of model times, and the model's error (data/clock-PROFILE.csv)
  check   complaints about a file of timing data, one a line; exit status 1 when
          there are any that forbid to draw it

A figure asks a dozen times: `import re`, which takes a while, is where it is
needed.
"""
import math
import os.path
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

LABS = ("sam lookback chained shared-tiled bank-conflicts work-efficient naive"
        " applications cpu-scan *").split()
# The legend's order: the ceiling, ours from the best on, peers.
RANKS = ["memcpy", "ntcopy", "memcpy-1", "copy16",
         *(f"{folder}/{lab}" for folder in ("fast", "student", "reference")
           for lab in LABS), "cub", "cub-counted",
         "cub-3.5", "cub-lookahead", "onetbb", "thrust", "threads", "serial"]
TIMING = ("who operation type order tuple n repeats median_ns q1_ns q3_ns min_ns"
          " bytes ok").split()
NUMBERS = TIMING[3:-1]
OPERATIONS = ("copy inclusive_sum exclusive_sum select_half partition_half"
              " run_length reduce_by_key sort_keys sort_pairs encode").split()
TYPES = "int8 int16 int32 int64 float double".split()
DERIVED = "rate slow fast gbs us of_copy".split()


def number(text):
    try:
        return float(text)
    except ValueError:
        return 0.0


def power_of(n):
    """k when n is within 2 % of 2^k, else None."""
    k = int(math.log2(n) + 0.5) if n > 0 else 0
    return k if 0.98 * 2 ** k < n < 1.02 * 2 ** k else None


def harmless(text):
    """What figures quote in commands: a file's author chose it."""
    return "".join("?" if c in "'\"`\\" or not c.isprintable() else c
                   for c in text)


def is_one_of(value, words):
    # Any folder but ours is a student's: "alice/naive" is one of student/*.
    folder, slash, rest = value.partition("/")
    if slash and folder not in ("reference", "fast") and \
            any("student/" in word for word in words):
        value = "student/" + rest
    return any(value.startswith(word[:-1]) if word.endswith("*") else
               power_of(number(value)) == int(word[2:])
               if word.startswith("2^") else value == word for word in words)


class File:
    """key: of lines "# key: value"; rows: lists of as many fields as there are
    names, and then the line and its number."""

    def __init__(self, path):
        self.name = path.rpartition("/")[2]
        self.key, self.names, self.rows, self.lines = {}, [], [], 0
        with open(path, encoding="utf-8") as file:
            for self.lines, line in enumerate(file, 1):
                line = line.rstrip("\r\n")
                if line[:1] == "#":
                    key, _, value = line[2:].partition(": ")
                    self.key[key] = value
                elif line and self.names:
                    self.rows.append((line.split(","), line, self.lines))
                elif line:
                    self.names, self.named = line.split(","), self.lines
        for row in self.rows:
            if len(row[0]) < len(self.names):
                row[0].extend([""] * (len(self.names) - len(row[0])))
        self.at = {name: i for i, name in enumerate(self.names)}
        self.timing = "median_ns" in self.at and "bytes" in self.at

    def get(self, row, column):
        return row[0][self.at[column]] if column in self.at else ""

    def number(self, row, column):
        return number(self.get(row, column))

    def chosen(self, where=""):
        rows = self.rows
        conditions = where.split(";") + ["ok=1"] * ("ok" in self.at)
        for condition in filter(None, conditions):
            column, _, words = condition.partition("=")
            if column not in self.at:
                return []
            at = self.at[column]
            values = {value for value in {row[0][at] for row in rows}
                      if is_one_of(value, words.split("|"))}
            rows = [row for row in rows if row[0][at] in values]
        return rows

    def sorted(self, where=""):
        def place(row):  # sizes within 2 % of 2^k are one
            n, order, tuple_ = (self.number(row, c)
                                for c in ("n", "order", "tuple"))
            k = power_of(n)
            return 100 * (n if k is None else 2 ** k) + 10 * order + tuple_
        return sorted(self.chosen(where), key=place)

    def derived(self, rows):
        """The columns DERIVED of each row of timing data, as text."""
        copies = {(self.get(row, "type"), self.get(row, "n")):
                  self.number(row, "bytes") / self.number(row, "median_ns")
                  for row in self.chosen("who=memcpy")}
        for row in rows:
            n, ns, q1, q3, moved = (self.number(row, c) for c in (
                "n", "median_ns", "q1_ns", "q3_ns", "bytes"))
            type_, sizes = self.get(row, "type"), [self.get(row, "n")]
            if power_of(n) is not None:
                sizes.append(str(2 ** power_of(n)))
            copy = next((copies[type_, size] for size in sizes
                         if (type_, size) in copies), None)
            yield [*("%.6g" % x for x in (n / ns, n / q3, n / q1, moved / ns,
                                          ns / 1000)),
                   "%.6g" % (moved / ns / copy) if copy else ""]

    def origin(self):
        import re
        key = self.key
        if "model" in key:
            return f"{self.model()}, {key.get('date', '')[:10]}"
        if "origin" in key:
            return key["origin"]
        text = key.get("gpu", key.get("cpu", key.get("machine", "")))
        text = re.sub(r", (L2|[0-9]+ SMs).*", "", text)  # how large it is
        if cuda := re.search(r"[0-9][0-9.]*", key.get("cuda", "")):
            text += ", CUDA " + cuda[0]
        if "cub" in key:
            text += ", CUB " + key["cub"]
        # Where others used the machine, its reader must know.
        if number(key.get("load_before", "")) > 0.5:
            text += ", load " + key["load_before"]
        return text + ", " + key.get("date", "")[:10]

    def model(self):
        """What says on every figure that these are no GPU's times."""
        profile = self.key.get("model", "none")
        text = f"model time, profile {profile} (not measured on a GPU)"
        # The comparison of vgpu/docs/clock.md; its table is of the same rows.
        path = f"{HERE}/data/clock-{profile}.csv"
        if not os.path.exists(path):
            return text + "; the model's error is not known"
        pairs = File(path)
        errors = sorted(abs(pairs.number(row, "model_ns") /
                            pairs.number(row, "gpu_ns") - 1)
                        for row in pairs.rows if pairs.number(row, "n") >= 1 << 12)
        return text + ("; error of the model: median %.0f %%"
                       % (100 * errors[len(errors) // 2]))

    # ---- check ----

    def complaints(self):
        """(the line's number, or 0; what is wrong)"""
        lacking = [c for c in TIMING if c not in self.at]
        if not self.lines:
            yield 0, "the file is empty"
        elif not self.names:
            yield 0, "there is no line that names the columns"
        elif not self.rows:
            yield 0, "there are names but no rows"
        elif lacking:
            yield self.named, "timing data lack the columns " + " ".join(lacking)
        else:
            if not {"gpu", "machine", "cpu"} & set(self.key):
                yield 0, "no line '# machine: ...' says where the data are from"
            if "date" not in self.key:
                yield 0, "no line '# date: ...'"
            seen = {}
            for row in self.rows:
                yield from ((row[2], text) for text in self.of_row(row, seen))

    def of_row(self, row, seen):
        import re
        fields = row[1].count(",") + 1
        if fields != len(self.names):
            yield f"{fields} fields, not {len(self.names)}"
            return
        is_ = dict(zip(self.names, row[0]))
        if is_["who"] not in RANKS and \
                not re.fullmatch(r"[\w.-]+/[a-z0-9-]+", is_["who"], re.ASCII):
            yield f"who '{is_['who']}' is not known"
        for column, known in ("operation", OPERATIONS), ("type", TYPES):
            if is_[column] not in known:
                yield f"{column} '{is_[column]}' is not known"
        for column in NUMBERS:
            if not re.fullmatch(r"[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?",
                                is_[column]) or number(is_[column]) <= 0:
                yield f"{column} is '{is_[column]}', not a number above 0"
                return
        if is_["ok"] not in ("0", "1"):
            yield f"ok is '{is_['ok']}', not 0 or 1"
        times = [number(is_[c])
                 for c in ("min_ns", "q1_ns", "median_ns", "q3_ns")]
        if times != sorted(times):
            yield "min, q1, median, q3 do not rise"
        what = "{who} {operation} {type} order {order} tuple {tuple} n {n}"
        what = what.format(**is_)
        if what in seen:
            yield f"the same as line {seen[what]}: {what}"
        seen[what] = row[2]
        if is_["ok"] == "0":
            yield f"not drawn, its output was wrong (ok = 0): {what}"

    def check(self):
        """The complaints as text; whether none of them forbids to draw."""
        all_ = list(self.complaints())
        return "".join(f"{self.name}:{f'{at}:' if at else ''} {text}\n"
                       for at, text in all_), \
            all(text.startswith("not drawn") for _, text in all_)


# ---- what is asked for ----

def print_rows(file, where, _):
    rows, more = file.sorted(where), DERIVED if file.timing else []
    print(*file.names, *more, sep=",")
    more = file.derived(rows) if file.timing else ([] for _ in rows)
    for row, columns in zip(rows, more):
        print(row[1], *columns, sep=",")


def print_values(file, where, column):
    values = dict.fromkeys(file.get(row, column) for row in file.chosen(where))
    if column == "who":
        rank = {who: next((i for i, rank in enumerate(RANKS)
                           if is_one_of(who, [rank])), None) for who in values}
        values = sorted((w for w in values if rank[w] is not None), key=rank.get)
    print("".join(f"{harmless(value)} " for value in values), end="")


def print_sizes(want, file, where):
    powers = [power_of(file.number(row, "n")) for row in file.chosen(where)]
    powers = sorted(k for k in powers if k is not None)
    if powers and want == "size":
        print(max(powers, key=lambda k: (powers.count(k), k)))
    elif powers:
        print(powers[0], powers[-1])


def print_most(file, where, _):
    print("%.6g" % max((file.number(row, "n") / file.number(row, "median_ns")
                        for row in file.chosen(where)), default=0))


def print_check(file, *_):
    text, good = file.check()
    print(text, end="")
    sys.exit(not good)


WANTS = {
    "print": print_rows, "values": print_values, "most": print_most,
    "size": lambda file, where, _: print_sizes("size", file, where),
    "ends": lambda file, where, _: print_sizes("ends", file, where),
    "count": lambda file, where, _: print(len(file.chosen(where))),
    "origin": lambda file, *_: print(harmless(file.origin())), "check": print_check,
    "model": lambda file, *_: print(harmless(file.model())),
}


def main():
    if not 3 <= len(sys.argv) <= 5 or sys.argv[1] not in WANTS:
        sys.exit(__doc__)
    want, path, where, column = (sys.argv[1:] + ["", ""])[:4]
    WANTS[want](File(path), where, column)


if __name__ == "__main__":
    main()
