#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs one case of a CUDA program under the tool vgpu.

    program.py VGPU PROGRAM SOURCE CASE OUT      OUT: a folder to work in
    program.py --flags|--list SOURCE             for research/on-gpu/programs.sh

vgpu/tests/README.md says what the case's header may hold. Each run is done for some
seeds where SEED stands in its options, its first one twice: the same command
must give the same report to the byte. On a push there are at most PUSH_SEEDS
seeds, with SCANLAB_TEST=all in the environment all of them.
Exit status 0: every run said what it must and nothing else."""
import pathlib
import re
import signal
import subprocess
import sys
import time

import asked
import case

KEYS = "what when nvcc arch run seeds least twice gpu exit interrupt expect"
CHECKED = "--check all"
RUNS = f"{CHECKED} | {CHECKED} --schedule random:SEED --memory-model weak:SEED"
SEEDS, PUSH_SEEDS, LIMIT_S = 5, 2, 60
FINDING = re.compile(r'finding ([\w-]+) at ([\w-]+)(?: other ([\w-]+))?'
                     r'((?: "[^"]*")*)')
OTHER = re.compile(r"(prints|line|says|lacks) (.*)")
WITH_FINDINGS = 86  # exit status of vgpu


class Finding:
    """One that must be reported: its kind, its line and the other access's,
    words of its text. A label is the line that ends in "// BUG LABEL"."""

    def __init__(self, case_, number, found, labels):
        self.kind, at, other, words = found.groups()
        self.text = found[0]
        self.words = re.findall(r'"([^"]*)"', words)
        self.line, self.other = 0, None
        for label in (at, other):
            if label not in (None, "-") and len(labels.get(label, [])) != 1:
                case_.wrong(number, f"label {label}: not on exactly one line")
        if at != "-":
            self.line = labels[at][0]
        if other:
            self.other = labels[other][0]

    def lacks(self, reported, file):
        """What no finding reported has; None: nothing."""
        texts = [r for r in reported if r.kind == self.kind and
                 r.line(file) == self.line]
        for words in self.words:
            if not any(words in r.text for r in texts):
                return words
        other = re.compile(rf"{re.escape(file)}:{self.other}(,|$)", re.M)
        if self.other and not any(other.search(r.text) for r in texts):
            return other.pattern
        return None if texts else f"line {self.line}"


class Reported:
    """A numbered paragraph of the report."""

    def __init__(self, text):
        self.text, self.kind = text, text.split()[1]

    def line(self, file):
        found = re.search(rf"/{re.escape(file)}:(\d+)",
                          self.text.splitlines()[0])
        return int(found[1]) if found else 0


class Program:
    def __init__(self, vgpu, program, source, name, out):
        self.vgpu, self.source = vgpu, pathlib.Path(source)
        self.out = pathlib.Path(out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.case = case.pick(source, KEYS, name)
        self.command = [program, *self.case.arguments.split()]
        self.findings, self.others, labels = [], [], {}
        lines = self.source.read_text(errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            if "// BUG " in line:
                labels.setdefault(line.split("// BUG ")[1], []).append(number)
        for number, key, text in self.case.lines:
            finding, other = FINDING.fullmatch(text), OTHER.fullmatch(text)
            if key == "expect" and finding:
                self.findings.append(
                    Finding(self.case, number, finding, labels))
            elif key == "expect" and other:
                self.others.append(other.groups())
            elif key == "expect":
                self.case.wrong(number, f"no expectation: {text}")
        self.exit = int(self.case.one(
            "exit", WITH_FINDINGS if self.findings else 0))

    # ---- one run ----
    def start(self, options, report):
        """(status, standard output, standard error)"""
        child = subprocess.Popen(
            [self.vgpu, "-o", report, *options, *self.command],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            errors="replace")
        said = ""
        if self.case.one("interrupt"):
            said = child.stdout.readline()
            time.sleep(0.5)
            child.send_signal(signal.Signals["SIG" + self.case.one("interrupt")])
        try:
            out, err = child.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            child.terminate()
            out, err = child.communicate()
            err += f"not ended after {LIMIT_S} s"
        return child.returncode, said + out, err

    def complaint(self, status, out, report):
        """What is wrong with the run; None: nothing."""
        if status != self.exit:
            return f"exit status {status}, not {self.exit}"
        parts = re.split(r"(?m)^(?=\d+\. )", report)[1:]
        reported = [Reported(part) for part in parts]
        kinds = {f.kind for f in self.findings}
        for r in reported:
            if r.kind not in kinds:
                return f"unexpected finding: {r.text.splitlines()[0]}"
        for f in self.findings:
            lacks = f.lacks(reported, self.source.name)
            if lacks:
                return f"missing: {f.text}: {lacks}"
        for what, words in self.others:
            is_there = words in (report if what in ("says", "lacks") else out)
            if is_there == (what == "lacks"):
                return f"{'there' if is_there else 'missing'}: {what} {words}"
        lines = [words for what, words in self.others if what == "line"]
        if lines and lines != out.splitlines():
            return "standard output has other lines"
        return None

    def once(self, options):
        """What must be the same again, all that was said, what is wrong."""
        report = self.out / "report"
        report.unlink(missing_ok=True)
        status, out, err = self.start(options, report)
        text = report.read_text(errors="replace") if report.exists() else ""
        return (out, text), text + err, self.complaint(status, out, text + err)

    def give_up(self, options, why, same, report):
        words = " ".join([self.vgpu, *options, *self.command])
        sys.exit(f"{self.case.name}: {why}\n--- output\n{same[0]}--- report\n"
                 f"{report}--- again: {words}")

    # ---- all runs ----
    def seeds(self, options):
        if "SEED" not in options:
            return [""]
        most = int(self.case.one("seeds", SEEDS))
        if not asked.everything() and \
                not self.case.one("least"):
            most = min(most, PUSH_SEEDS)
        return [str(seed) for seed in range(1, most + 1)]

    def run(self):
        runs = shown = 0
        for line in runs_of(self.case):
            for seed in self.seeds(line):
                options = line.replace("SEED", seed).split()
                same, report, why = self.once(options)
                runs += 1
                shown += not why
                if why and not self.case.one("least"):
                    self.give_up(options, why, same, report)
                if seed in ("", "1") and not self.case.one("twice"):
                    other, again, _ = self.once(options)
                    if other != same:
                        self.give_up(options, "another report the second time",
                                     other, again)
        if self.case.one("least"):
            least, most = map(int, self.case.one("least").split(" of "))
            if shown * most < least * runs:
                sys.exit(f"{self.case.name}: shown in {shown} of {runs} runs, "
                         f"not {least} of {most}")
        print(f"{self.case.name}: {shown} of {runs} runs as expected")


def runs_of(case_):
    """The options of its runs."""
    return " | ".join(case_.all("run") or [RUNS]).split(" | ")


def flags(source):
    """nvcc's words for a program."""
    own = case.read(source, KEYS)[0]
    codes = own.one("arch", "compute_75").split()
    return " ".join(own.all("nvcc") + [
        f"-gencode arch={code.replace('sm_', 'compute_')},code={code}"
        for code in codes])


def listed(source):
    """For a real GPU, a case a line: name, arguments, why it is left out, what
    it prints; the characters 31 and 30 separate."""
    first, *others = case.read(source, KEYS)
    for name in [c.name for c in others] or [first.name]:
        c = case.pick(source, KEYS, name)
        out = c.one("gpu", "").removeprefix("no, ")
        if any(text.startswith("finding ") for text in c.all("expect")):
            out = "the point is a finding"
        prints = [text.removeprefix("prints ") for text in c.all("expect")
                  if text.startswith("prints ")]
        yield "\x1f".join([c.name, c.arguments, out, "\x1e".join(prints)])


if __name__ == "__main__":
    if sys.argv[1] == "--flags":
        print(flags(sys.argv[2]))
    elif sys.argv[1] == "--list":
        print(*listed(sys.argv[2]), sep="\n")
    else:
        if not pathlib.Path(sys.argv[2]).exists():
            print("SKIP: the program is not built (ninja -C build nightly)")
            sys.exit(77)
        Program(*sys.argv[1:]).run()
