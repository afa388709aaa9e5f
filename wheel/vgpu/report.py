# SPDX-License-Identifier: MIT
"""What the program `vgpu` says of a CUDA program that it ran, as Python's types."""
import collections
import json
import os
import pathlib
import subprocess
import tempfile

PROGRAM = pathlib.Path(__file__).resolve().parent / "home/bin/vgpu"

Finding = collections.namedtuple("Finding", "kind check kernel file line text repeats")
Launch = collections.namedtuple("Launch", "kernel grid block counts model_ns")


class NotRun(Exception):
    """The program could not be run on the virtual GPU; its words say why."""


class Report:
    """status: the program's exit status; None: a signal ended it.
    output: what it printed. findings: a list of Finding. incomplete: of checks that
    had to stop looking. counts: {name: number}, launches: a list of Launch. lines:
    counts of source lines, with profile=True. data: all of it, as `vgpu --format json`
    writes it."""

    def __init__(self, data, output):
        self.data, self.output = data, output
        self.status = data["program"]["exit_code"]
        self.findings = [_finding(one) for one in data["findings"]]
        self.incomplete = data["incomplete"]
        self.counts = data["counts"]
        self.launches = [_launch(one) for one in data["launches"]]
        self.lines = data.get("lines", [])

    @property
    def model_ns(self):
        """Model time, with clock=True or clock="PROFILE"."""
        return self.counts["model_ns"]

    def __str__(self):
        return "\n".join(f"{one.kind} in {one.kernel}, {one.file}:{one.line}: {one.text}"
                         for one in self.findings) or "nothing was found"


def _finding(one):
    where = one.get("where") or {}
    return Finding(one["kind"], one["check"], one["kernel"], where.get("file"),
                   where.get("line"), one["message"], one.get("repeats", 0))


def _launch(one):
    return Launch(one["kernel"], tuple(one["grid"]), tuple(one["block"]), one["counts"],
                  one["counts"]["model_ns"])


def _words(options):
    """`memory_model="weak:1"` is --memory-model=weak:1, True an option by itself."""
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            yield option
        elif value not in (None, False):
            yield f"{option}={value}"


def run(command, timeout=None, env=None, cwd=None, **options):
    """A Report of the program. Options are those of the command vgpu: check="all",
    device="h200", schedule="random:7", memory_model="weak:1", clock=True,
    profile=True, budget=1000000."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        done = subprocess.run(
            [str(PROGRAM), "--format=json", f"--output={report}", *_words(options), "--",
             *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=timeout, env=env, cwd=cwd, check=False)
        try:
            with open(report, encoding="utf-8") as file:
                return Report(json.load(file), done.stdout)
        except (OSError, ValueError):
            raise NotRun(done.stdout.strip() or f"vgpu ended with {done.returncode}") from None
