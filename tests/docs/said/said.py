#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a lab's handout says is run or counted.

  said.py SCANLAB LAB [push|night]   LAB: naive; reads NN-naive.txt beside this

Held are the README.md and GRADING.md of the lab. Every `scanlab ...` in them is run
with the reference, and what a page shows below it is compared; `make grade` is
run as scanlab with its CHECK, without one (that is a whole lab) only the lab's
name is looked up. In the table of checks, numbers are those of the check's
section in lab.ini. Every other number of two digits or with a unit stands in a
line of the table of this folder, or is of a kind that page.py exempts (labs that
have no table yet: commands and the table of checks alone are held):

  at n=65536 q=2             values of names in formulas: all lines hold for each
  L = clog2(n)               a name
  one: scanlab run naive -n 65536 --clock=pram       counters: one.depth
  bad (naive/one-block): scanlab run ...             of a mutant: tests/mutants
  R "takes <28> instructions" = one.depth / 16 ~ 12 %       README.md says so
  G "nor <4> more" given: why no test holds it              GRADING.md; words
  A "From <16384> on" = 2 ** 14                             reference/answers.md
  night                      lines from here on are for the night

A quoted text may skip words with an ellipsis, and what stands in < > is read as
a number, a formula or a row of numbers; a number among the words around them is
not held by that. Beside Python's, formulas know full(check, counter) and
zero(check, counter) of lab.ini, at other values with full(check, counter, n=32),
points(check, group), paid(checks), of_kind(kind), the points of its checks without
a bonus, limits(checks) in ms, numbers(check) of lab.ini, const(name) of header or
reference, measured(check, counter) of the reference or of a mutant, named behind
the counter (of the counter n: the size that was measured), device(profile, field)
of vgpu_profiles.def, column(file, name, banks=16) of a CSV, its lines with that
value or with one of a list, number(file, pattern), what the pattern's group finds
in a file, and what facts.py reads elsewhere.
counter#2: its second bound. Tolerance: ~ 3, or ~ 12 %."""
import csv
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import facts
import formula
from page import Page

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ENVIRONMENT = {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}


def device(profile, field):
    """A number of a device of the virtual GPU; the file's head names the fields."""
    text = (ROOT / "vgpu/include/vgpu_profiles.def").read_text()
    head = re.search(r"X\((name, .*?)\)", text, re.S)[1].replace("\n *", "")
    fields = [" ".join(name.split()) for name in head.split(",")]
    row = re.search(rf"(?m)^X\({profile}, (.*?), \"", text)[1]
    return int(row.split(", ")[fields.index(field) - 1])


def column(path, name, **where):
    """A column of a CSV, of the lines that are asked for, in the file's order."""
    lines = [x for x in (ROOT / path).read_text().splitlines() if x[:1] != "#"]
    asked = {k: [str(x) for x in (v if isinstance(v, list) else [v])] for k, v in where.items()}
    have = [row for row in csv.DictReader(lines) if all(row[k] in v for k, v in asked.items())]
    if not have:
        raise ValueError(f"{path} has no line with {where}")
    return [float(row[name]) if re.fullmatch(r"-?[\d.]+", row[name]) else row[name]
            for row in have]


def number(path, pattern):
    return int(re.search(pattern, (ROOT / path).read_text())[1])


class Counts:
    """What a command counts; it is run when first asked."""

    def __init__(self, program, command, mutant):
        self.program, self.command, self.mutant, self.row = program, command, mutant, None

    def __getattr__(self, counter):
        if self.row is None:
            text = self.program.run(self.command + " --format csv", self.mutant)[1]
            self.row, = csv.DictReader(text.splitlines())
            if self.row["result"] != "right":
                raise ValueError(f"{self.command} {self.mutant}: {self.row['result']}")
        if counter not in self.row:
            raise ValueError(f"{self.command} has no counter {counter}")
        return int(self.row[counter])


class Program:
    """scanlab, on the references, in an empty folder."""

    def __init__(self, path, folder):
        self.path, self.folder = pathlib.Path(path).resolve(), folder

    def submission(self, mutant):
        """The references, or one that a patch of tests/mutants has changed."""
        folder = pathlib.Path(self.folder) / mutant.replace("/", "-")
        if mutant and not folder.exists():
            shutil.copytree(ROOT / "reference", folder)
            source = mutant.split("/")[0].replace("-", "_") + ".cu"
            subprocess.run(["patch", "--silent", "--no-backup-if-mismatch", folder / source,
                            ROOT / f"tests/mutants/{mutant}.patch"], check=True)
            text = (folder / source).read_text()  # elsewhere the references are stubs
            (folder / source).write_text(f"#define SOLUTION 1\n#line 1\n{text}")
        return folder if mutant else ROOT / "reference"

    def run(self, command, mutant=""):
        words = shlex.split(command)[1:]
        words += ["--submission", str(self.submission(mutant))]
        words += [] if words[0] == "trace" else ["--seed", "1"]
        done = subprocess.run([self.path, *words], capture_output=True, text=True, check=False,
                              cwd=self.folder, env=ENVIRONMENT)
        return done.returncode, done.stdout or done.stderr


class Ini:
    """Sections of lab.ini, by check."""

    def __init__(self, path):
        text = re.sub(r"(?m)(^| );.*", "", path.read_text())
        parts = re.split(r"(?m)^\[check ([^]]+)\]\n", text)
        self.limit = int(re.search(r"time_limit_ms = (\d+)", parts[0])[1])
        self.checks = dict(zip(parts[1::2], (p.split("\n[")[0] for p in parts[2::2])))

    def bound(self, check, counter):
        counter, _, turn = counter.partition("#")
        lines = re.findall(rf"(?m)^(?:bound =)? *{counter} [<>=]+ (.*)$", self.checks[check])
        if len(lines) < int(turn or 1):
            raise ValueError(f"lab.ini bounds no {counter} in {check}")
        full, _, zero = lines[int(turn or 1) - 1].partition(" zero ")
        return full, zero

    def points(self, check, group=None):
        pattern = rf"{group} (\d+)(?: of [\w-]+)?:" if group else r"(?m)^points = (\d+)"
        return int(re.search(pattern, self.checks[check])[1])

    def paid(self, checks):
        return sum(self.points(check) for check in checks.split())

    def limits(self, checks):
        """Milliseconds for each check, its own or the lab's."""
        own = (re.search(r"(?m)^time_limit_ms = (\d+)", self.checks[c]) for c in checks.split())
        return [int(found[1]) if found else self.limit for found in own]

    def of_kind(self, kind):
        """Points of all checks of a kind, without a bonus."""
        return sum(self.points(name) for name, text in self.checks.items()
                   if f"kind = {kind}\n" in text and "bonus = yes\n" not in text)

    def numbers(self, check):
        """Every number of the section, powers worked out, and their neighbours."""
        text = re.sub(r"2\^(\d+)", lambda m: str(2 ** int(m[1])), self.checks[check])
        return {int(x) for x in re.findall(r"\d+", text)}


class Table:
    def __init__(self, path):
        self.path, self.places, self.names, self.runs, self.claims = path, [], [], {}, []
        self.night = 10 ** 9
        self.there = path.exists()
        text = path.read_text() if self.there else ""
        whole = re.sub(r"\n[ \t]+", " ", "\n" + text)
        for line in filter(None, (x.strip() for x in whole.split("\n"))):
            if line[0] != "#":
                self.read(line)

    def read(self, line):
        claim = re.fullmatch(r'([RGA]) "(.*)" (?:given: (.+)|= (.*?)(?: ~ ([\d.]+)( %)?)?)', line)
        run = re.fullmatch(r"(\w+)(?: \(([\w/-]+)\))?: (scanlab run .*)", line)
        if claim:
            self.claims.append(claim.groups())
        elif run:
            self.runs[run[1]] = run[3], run[2] or ""
        elif line.startswith("at "):
            self.places.append({k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", line)})
        elif line == "night":
            self.night = len(self.claims)
        elif re.match(r"\w+ = ", line):
            self.names.append(line.split(" = ", 1))
        else:
            sys.exit(f"{self.path}: what does this line say: {line}")


class Lab:
    def __init__(self, scanlab, name, folder):
        self.name, self.folder = name, next((ROOT / "labs").glob(f"*-{name}"))
        self.program, self.ini = Program(scanlab, folder), Ini(self.folder / "lab.ini")
        self.table = Table(HERE / f"{self.folder.name}.txt")
        self.pages = {x[0]: Page(self.folder / x) for x in ("README.md", "GRADING.md")}
        self.answers = Page(ROOT / "reference/answers.md")
        self.counts = {k: Counts(self.program, *c) for k, c in self.table.runs.items()}
        self.graded, self.wrong = {}, []

    def say(self, where, text, mend):
        self.wrong.append(f"{where}: {text}\n    to mend: {mend}")

    def measured(self, check, counter, mutant=""):
        if (check, mutant) not in self.graded:
            text = self.program.run(f"scanlab grade {self.name} --check {check} --format json", mutant)[1]
            found, = json.loads(text)["labs"][0]["checks"]
            counts = {b["counter"]: b["count"] for b in found["measured"]["bounds"]}
            self.graded[check, mutant] = {**counts, "n": found["measured"]["case"]["n"]}
        return self.graded[check, mutant][counter]

    def const(self, name):
        """A number that the header or the reference gives a name."""
        sources = [*self.folder.glob("*.h"), *(ROOT / "reference").glob(
            self.folder.name[3:].replace("-", "_") + ".*")]
        text = "\n".join(x.read_text() for x in sources)
        return int(re.search(rf"\b{name} = (\d+)", text)[1])

    def every_name(self, place):
        """What the names of formulas stand for at this place."""
        names = {**facts.NAMES, **self.counts, **place, "points": self.ini.points,
                 "paid": self.ini.paid, "of_kind": self.ini.of_kind,
                 "limits": self.ini.limits, "numbers": self.ini.numbers,
                 "measured": self.measured, "const": self.const,
                 "device": device, "column": column, "number": number}

        def bound(which):
            return lambda check, counter, **at: formula.bound(
                self.ini.bound(check, counter)[which], {**names, **at})
        names["full"], names["zero"] = bound(0), bound(1)
        for name, text in self.table.names:
            names[name] = formula.value(text, names)
        return names

    def match(self, claim):
        """Where the page says it; the words are held from now on."""
        page, words = self.pages.get(claim[0], self.answers), claim[1]
        pattern, parts = "", re.split(r"(<[^<>=](?:[^<>]|<=|>=)*>|…)", words)
        for k, part in enumerate(parts):
            skips = "(?:.{0,400}?)" if part == "…" else r"(\S{1,40}?)" if k == 1 and not parts[0] else "(.{1,90}?)"
            pattern += skips if k % 2 else "(?P<w%d>%s)" % (k, re.escape(part).replace(r"\ ", " "))
        found = list(re.finditer(pattern, page.text))
        if len(found) != 1:
            self.say(f"{self.table.path.name}", f"{page.name} says {len(found)} times: {words}",
                     "change the line's words to the page's")
            return None, []
        inner = [found[0][k] for k, name in enumerate(
            self.groups(found[0]), 1) if name is None]
        begin = found[0].start()
        for k in range(1, (found[0].re.groups or 0) + 1):
            page.hold(*found[0].span(k))
        return page.line(begin), inner

    @staticmethod
    def groups(match):
        named = {v: k for k, v in match.re.groupindex.items()}
        return [named.get(k) for k in range(1, match.re.groups + 1)]

    def hold(self, claim, counted):
        where, inner = self.match(claim)
        if where is None or claim[2] or not counted:
            return
        part = float(claim[4] or 0) / 100 if claim[5] else 0
        whole = 0 if claim[5] else float(claim[4] or 0)
        for place in self.table.places or [{}]:
            names = self.every_name(place)
            values = formula.value(f"({claim[3]},)", names)
            if len(values) != len(inner):
                self.say(self.table.path.name, f"{len(inner)} numbers, {len(values)} formulas: "
                         f"{claim[1]}", "as many formulas, with commas between")
                return
            for text, value in zip(inner, values):
                try:
                    same = formula.near(formula.value(formula.said(text), names), value, part, whole)
                except (SyntaxError, NameError, TypeError):
                    same = False
                if not same:
                    at = f" at {place}" if place else ""
                    self.say(where, f"says {text}, and counted are {value}{at} ({claim[3]})",
                             "write what is counted; if the count is wrong, look there")
                    return

    def command(self, page, line, command, shown):
        """Runs it; the lines that the page shows are printed, in this order."""
        where = f"labs/{page.name}:{line}"
        make = re.match(r"make (\w+)(.*)", command)
        if make:
            given = dict(re.findall(r"(\w+)=(\S+)", make[2]))
            known = make[1] != "grade" or given.get("LAB") == self.name
            if not re.search(rf"(?m)^{make[1]}:", (ROOT / "Makefile").read_text()) or not known:
                self.say(where, f"`{command}` is nothing that make knows", "name goal and lab")
            if "CHECK" not in given:
                return
            command = f"scanlab grade {self.name} --check {given['CHECK']}"
        status, out = self.program.run(command)
        if status:
            self.say(where, f"`{command}` ends with {status}: {out[-300:]}", "a command that works")
        have = [" ".join(x.split()) for x in out.splitlines()]
        for text in filter(None, (" ".join(re.split(" {8,}", x.strip())[0].split()) for x in shown)):
            at = [k for k, x in enumerate(have) if x.startswith(text)]
            if not at:
                self.say(where, f"`{command}` does not print: {text}", "show what it prints")
            have = have[at[0] + 1:] if at else have

    def traces(self, page):
        """Rows "| when | `scanlab trace` | what it shows |": rows of numbers."""
        rows = re.findall(r"(?m)^\|.*\| `build/bin/(scanlab trace [^`]*)` \| (.*) \|$", page.raw)
        for command, shows in rows:
            out, at = " ".join(self.program.run(command)[1].split()), 0
            for row in re.findall(r"\d+(?: \d+)+", shows):
                at = out.find(f" {row}", at) + 1
                if not at:
                    self.say(page.name, f"`{command}` does not show {row}", "what it shows")
                    break
            page.hold_all(re.escape(" ".join(shows.split())))

    def rows(self, page):
        """Numbers of the table of checks stand in lab.ini."""
        for line, check, asks in page.rows():
            have = self.ini.numbers(check) if check in self.ini.checks else set()
            plain = re.sub(r"2\^(\d+)", lambda m: str(2 ** int(m[1])), asks)
            for number in re.findall(r"(?<![\w./])\d{2,}(?![\w.]|-bit)", re.sub("`.*?`|steps? \d+(?:(?:,| and| to) \d+)*", "", plain)):
                if not {int(number), int(number) - 1, int(number) + 1} & have:
                    self.say(f"labs/{page.name}:{line}", f"{number} is not in lab.ini's {check}",
                             "the row or lab.ini")

    def look(self, which):
        for page in self.pages.values():
            page.exempt()
            self.traces(page)
            self.rows(page)
            once = set()
            for line, command, shown in page.commands():
                if which != "night" and (shown or command not in once):
                    self.command(page, line, command, shown)
                once.add(command)
        for k, claim in enumerate(self.table.claims):
            self.hold(claim, (k >= self.table.night) == (which == "night"))
        for page in self.pages.values() if self.table.there else ():
            for at, number, words in page.unheld():
                self.say(page.line(at), f"nothing counts {number}: …{words}…",
                         f"a line of tests/docs/said/{self.table.path.name}")


def main(words):
    if len(words) not in (2, 3):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(words[0], words[1], folder)
        lab.look(words[2] if len(words) > 2 else "push")
    print("\n".join(lab.wrong))
    return bool(lab.wrong)


sys.exit(main(sys.argv[1:]))
