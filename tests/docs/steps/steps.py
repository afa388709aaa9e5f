#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A stub that is filled in step by step passes what the handout promises then.

  steps.py SCANLAB LAB     LAB: naive; reads NN-naive.txt beside this

A block of the reference, from #ifdef SOLUTION on, has the steps that the comment
of its stub names (no comment: those of the block before). The table:

  after 7, without 5 and 6: 1-4 7    a label of the handout; steps that are written
    pass small-trees one-leaf        checks with full marks from here on, not before
    in 6                             the block that has step 6 stands otherwise:
    - return SCANLAB_TODO;           lines of it, blanks at their ends not counted,
    - ...                            in between any lines,
    - return 0;
    + return status;                 and what stands in their place
    like 6                           first what the label 6 changes

Changed is a block's solution if one of its steps is written, else its stub. A
block of which only some are written must be changed. At its label, each row
"| label | `scanlab ...` | shows |" of README.md is run: a grade passes, a trace
shows the rows of numbers, and a right answer unless "wrong" stands there. A check that GRADING.md gives to "step 7" alone stands
at the label that is step 7, and each check passes at all labels from its own on."""
import copy
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ENVIRONMENT = {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
BLOCK = re.compile(r"(?ms)^#ifdef SOLUTION\n(.*?)^#else\n(.*?)^#endif\n")


class Stage:
    def __init__(self, label, steps):
        self.label, self.steps, self.checks, self.changes = label, set(), [], {}
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", steps):
            self.steps |= set(range(int(first), int(last or first) + 1))


def stages(path):
    have, changes = [], None
    for number, text in enumerate(path.read_text().splitlines(), 1):
        line, after = text.strip(), re.fullmatch(r"after (.*): ([\d -]+)", text)
        if after:
            have.append(Stage(*after.groups()))
        elif line.startswith("pass "):
            have[-1].checks += line.split()[1:]
        elif line.startswith("like "):
            of, = (stage for stage in have if stage.label == line[5:])
            have[-1].changes = copy.deepcopy(of.changes)
        elif re.fullmatch(r"in \d+", line):
            changes = have[-1].changes.setdefault(int(line[3:]), [])
        elif line[:2] in ("- ", "+ "):
            if line[0] == "-" and (not changes or changes[-1][1]):
                changes.append(([], []))
            changes[-1][line[0] == "+"].append(line[2:].strip())
        elif line and line[0] != "#":
            sys.exit(f"{path.name}:{number}: what does this line say: {line}")
    return have


def changed(text, change, where):
    """The text with some of its lines replaced."""
    old, new = change
    pattern = r"\n".join(r"(?:[^\n]*\n)*?[^\n]*" if x == "..." else r"[ \t]*" + re.escape(x)
                         for x in old)
    found = re.findall(rf"(?m)^{pattern}$", text)
    if len(found) != 1:
        sys.exit(f"{where}: stands {len(found)} times in the block: {' / '.join(old)}")
    return text.replace(found[0], "\n".join(new))


def source(reference, stage):
    """The stub in which the steps of the stage are written."""
    steps, used = set(), set()

    def block(match):
        nonlocal steps
        named = {int(k) for k in re.findall(r"\bStep (\d+)\b", match[2])}
        steps = named or steps
        written = steps & stage.steps
        text = match[1] if written else match[2]
        mine = [k for k in stage.changes if k in named]
        for k in mine if not used & set(mine) else ():
            used.add(k)
            for change in stage.changes[k]:
                text = changed(text, change, f"{stage.label}, in {k}")
        if written and written != steps and not mine:
            sys.exit(f"{stage.label}: of the block of {sorted(steps)} only {sorted(written)} "
                     "are written: say what stands there")
        return text
    made = BLOCK.sub(block, reference)
    if used != set(stage.changes):
        sys.exit(f"{stage.label}: no block has step {sorted(set(stage.changes) - used)}")
    return made


class Lab:
    def __init__(self, scanlab, name, folder):
        self.scanlab, self.name = pathlib.Path(scanlab).resolve(), name
        self.home = next((ROOT / "labs").glob(f"*-{name}"))
        self.source = re.search(r"(?m)^source = (\S+)", (self.home / "lab.ini").read_text())[1]
        self.stages = stages(HERE / f"{self.home.name}.txt")
        self.folder, self.wrong = pathlib.Path(folder), []

    def run(self, command):
        words = [self.scanlab, *shlex.split(command)[1:], "--submission", str(self.folder)]
        words += ["--seed", "1"] if "grade" in words else []
        return subprocess.run(words, capture_output=True, text=True, check=False,
                              cwd=self.folder, env=ENVIRONMENT)

    def passes(self, check):
        out = self.run(f"scanlab grade {self.name} --check {check} --format json").stdout
        found, = json.loads(out)["labs"][0]["checks"]
        return found["status"] == "pass", found["message"]

    def rows(self):
        """Of the handout: label, command, what it shows."""
        text = (self.home / "README.md").read_text()
        return re.findall(r"(?m)^\| ([^|]*) \| `build/bin/(scanlab [^`]*)` \| (.*) \|$", text)

    def row(self, command, shows):
        done = self.run(command)
        if done.returncode != (" trace " in command and "wrong" in shows):
            return f"`{command}` ends with {done.returncode}: {(done.stdout or done.stderr)[-400:]}"
        out, at = " ".join(done.stdout.split()), 0
        for numbers in re.findall(r"\d+(?: \d+)+", shows) if " trace " in command else ():
            at = out.find(f" {numbers}", at) + 1
            if not at:
                return f"`{command}` does not show {numbers}"
        return None

    def named(self):
        """Checks that the grading page gives to one step stand there."""
        at = {check: stage.label for stage in self.stages for check in stage.checks}
        text = (self.home / "GRADING.md").read_text()
        for check, step in re.findall(r"(?m)^\| `([\w-]+)` \| \d+ \| step (\d+):", text):
            if at.get(check) != step:
                self.wrong.append(f"GRADING.md has {check} at step {step}, the table at {at.get(check)}")
        labels = [stage.label for stage in self.stages]
        self.wrong += [f"README.md has rows for '{row[0]}', the table has not"
                       for row in self.rows() if row[0] not in labels]

    def look(self):
        self.named()
        reference, before = (ROOT / "reference" / self.source).read_text(), []
        for k, stage in enumerate(self.stages):
            (self.folder / self.source).write_text(source(reference, stage))
            before += stage.checks
            for check in before:
                ok, why = self.passes(check)
                if not ok:
                    self.wrong.append(f"after {stage.label}: {check} fails: {why}")
            for check in self.stages[k + 1].checks if k + 1 < len(self.stages) else ():
                if self.passes(check)[0]:
                    self.wrong.append(f"after {stage.label}: {check} passes already")
            for label, command, shows in self.rows():
                wrong = self.row(command, shows) if label == stage.label else None
                self.wrong += [f"after {label}: {wrong}"] if wrong else []
        return self.wrong


def main(words):
    if len(words) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        wrong = Lab(*words, folder).look()
    print("\n".join(wrong))
    return bool(wrong)


sys.exit(main(sys.argv[1:]))
