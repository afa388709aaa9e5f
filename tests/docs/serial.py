#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""serial.py FILE: FILE, which is SECURITY.md, says of one serial scan for each of
labs 1 to 7 the points that tests/points/readings.txt says, and answers.md sends
its readers there in place of saying it again."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAID = re.compile(r"lab (\d) by one (\w+) \(`([\w-]+)/serial-one-(\w+)`\) (\d+) to (\d+)")


def main():
    readings = dict(re.findall(r"(?m)^tests/mutants/([\w/-]+)\.patch \|[^|]*\|[^|]*\| (\S+) \|",
                               (ROOT / "tests/points/readings.txt").read_text()))
    text = " ".join(pathlib.Path(sys.argv[1]).read_text().split())
    found, wrong = SAID.findall(text), []
    for lab, who, name, whom, least, most in found:
        mutant = f"{name}/serial-one-{whom}"
        if who != whom or not (ROOT / "labs" / f"0{lab}-{name}").is_dir():
            wrong.append(f"lab {lab} by one {who} is not {mutant}")
        if readings.get(mutant) != f"{least}..{most}":
            wrong.append(f"{mutant}: {least} to {most} here, {readings.get(mutant)} were read")
    if [lab for lab, *_ in found] != list("1234567"):
        wrong.append(f"a sentence for each of labs 1 to 7, not {[lab for lab, *_ in found]}")
    answers = (ROOT / "reference/answers.md").read_text().rpartition("\n## ")[2]
    if "../SECURITY.md#what-is-not-promised-and-why" not in answers:
        wrong.append("reference/answers.md has no link to where this stands")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
