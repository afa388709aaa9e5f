#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""table.py [--fix "DATE, COMMIT"] [FOLDER]: docs/diagnosis.md says of every wrong
submission in tests/mutants what its header says of its message.

And what unseen.csv says of others. Says whether the page is in step with both and
holds what it promises, or writes it; DATE and COMMIT are of the day on which all of them were graded.
tests/tools/graded.py holds each header to the message itself."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/tools"), str(ROOT / "vgpu/tests/tools")]
sys.dont_write_bytecode = True
import case  # noqa: E402
import causes  # noqa: E402
import graded  # noqa: E402
import labs  # noqa: E402

PAGE = ROOT / "docs/diagnosis.md"
LINES = ROOT / "tests/diagnosis/lines.md"  # measured by lines.py; by hand
CAUSES = ROOT / "tests/diagnosis/causes.md"  # what its table means
LEAST = 300  # submissions
MEASURED = re.compile(r"(?m)^Measured on (.*)\.$")
HEADS = {"missed": "Missed: the first lines do not say it",
         "misled": "Misled: the message names another cause"}


class Submission:
    """A wrong one: its name, what it does, and the verdict on its message."""

    def __init__(self, path):
        header = case.read(path, graded.KEYS)[0]
        self.name, self.lab = path.stem, path.parent.name
        self.what = header.one("what")
        self.wrong = any(re.search(r"^\S+ fail", text)
                         for text in header.all("expect"))
        given = [v for v in graded.VERDICTS if header.all(v)]
        self.verdict = given[0] if len(given) == 1 else None
        self.words = re.findall('"([^"]+)"', header.one(self.verdict or "", ""))


def submissions(folder):
    found = [Submission(path) for path in sorted(folder.glob("*/*.patch"))]
    return [s for s in found if s.wrong]


def counts(title, of):
    by = [sum(s.verdict == v for s in of) for v in graded.VERDICTS]
    return f"| {title} | {len(of)} | " + " | ".join(map(str, by)) + " |"


def share(of):
    """How many messages say it, by the verdicts that are praise."""
    return sum(s.verdict in ("cause", "about") for s in of)


def table(of, course):
    yield ("| lab | submissions | by a finding or from the numbers | "
           "by the rule of the check | missed | misled |")
    yield "|---|---|---|---|---|---|"
    for number, lab in enumerate(course):
        yield counts(f"{number} {lab}", [s for s in of if s.lab == lab])
    yield counts("all", of)


def listed(of, verdict):
    yield f"\n## {HEADS[verdict]}\n"
    rows = [s for s in of if s.verdict == verdict]
    if not rows:
        yield "None."
        return
    yield "| submission | what a teacher would name | what the message says |"
    yield "|---|---|---|"
    for s in rows:
        yield (f"| `{s.lab}/{s.name}` | {cell(s.what)} | "
               f"{cell(' … '.join(s.words))} |")


def tally(title, verdicts):
    """A row of how often each verdict was given."""
    found = [sum(v == verdict for v in verdicts) for verdict in causes.VERDICTS]
    return f"| {title} | {len(verdicts)} | " + " | ".join(map(str, found)) + " |"


def read_anew(rows, course):
    """Of those that the rules were not written for: the verdicts, by lab, and
    the messages that are no help."""
    by = {lab: [r["verdict"] for name, r in rows.items() if name.startswith(lab + "/")]
          for lab in course}
    of = [r["verdict"] for r in rows.values()]
    yield "| lab | submissions | " + " | ".join(causes.VERDICTS) + " |"
    yield "|---" * (len(causes.VERDICTS) + 2) + "|"
    for number, lab in enumerate(course):
        yield tally(f"{number} {lab}", by[lab])
    yield tally("all", of)
    yield "| in 100 | | " + " | ".join(
        f"{100 * of.count(v) / max(1, len(of)):.1f}" for v in causes.VERDICTS) + " |"
    named = of.count("yes"), of.count("yes") + of.count("by rule")
    yield (f"\nSo {named[0]} of {len(of)} messages name the cause "
           f"({100 * named[0] / max(1, len(of)):.1f} %); with those that give the rule "
           f"it is {named[1]} ({100 * named[1] / max(1, len(of)):.1f} %).")
    yield "\nThose that mislead, and those that do not help:\n"
    yield "| submission | what a teacher would have said | what the message says |"
    yield "|---|---|---|"
    for verdict in reversed(causes.VERDICTS[-2:]):
        for name, r in rows.items():
            if r["verdict"] == verdict:
                words = r["words"].replace(causes.OR, " or ")
                yield f"| `{name}` | {cell(r['teacher'])} | {cell(words)} |"


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def page(of, course, measured):
    said, n = share(of), len(of)
    return "\n".join([
        HEAD.format(n=n, said=said, percent=100 * said / n,
                    misled=sum(s.verdict == "misled" for s in of),
                    measured=measured),
        *table(of, course), *listed(of, "missed"), *listed(of, "misled"), ""]) + \
        CAUSES.read_text() + \
        "\n".join([*read_anew(causes.readings(), course), ""]) + LINES.read_text()


HEAD = """\
<!-- Made by tests/diagnosis/table.py --fix from the headers in tests/mutants. -->
# What messages say of wrong submissions

Each of {n} wrong submissions to the ten labs has a cause that a teacher would name. A message is
good when its first three lines say it, and bad when its line "cause" names another one. Of {n}
messages {said} say it ({percent:.1f} %), {misled} name another cause.

Measured on {measured}.

The cause was written down first, from the change alone: it is the submission's `what`. Then its
first failing check was graded, as a student would. A sentence is a line; below the first stands
the line "cause", or "about", the rule of the check, where no cause is known. "By a finding or from
the numbers": the message itself says what is wrong. "By the rule of the check": the numbers do not
tell, but the rule that stands below the first sentence is the one that was broken.

The words that decide stand in the headers (`cause`, `about`, `missed`, `misled`;
[tests/README.md](../tests/README.md#submissions)), and each submission's test holds its message to
them in both directions: one that gets better or worse fails until header and page say so.
"""


def main(arguments):
    fix = arguments[:1] == ["--fix"]
    measured, rest = (arguments[1:2], arguments[2:]) if fix else ([], arguments)
    folder = pathlib.Path(rest[0]) if rest else ROOT / "tests/mutants"
    of, course = submissions(folder), labs.read(ROOT / "labs")
    silent = [f"{s.lab}/{s.name}" for s in of if not s.verdict]
    if silent:
        sys.exit("no verdict, or two, on the message: " + ", ".join(silent))
    if len(of) < LEAST:
        sys.exit(f"{len(of)} wrong submissions, not {LEAST}")
    old = PAGE.read_text() if PAGE.exists() else ""
    date = (measured or MEASURED.findall(old) or ["no day"])[:1]
    new = page(of, course, *date)
    if fix:
        PAGE.write_text(new)
    elif new != old:
        sys.exit(f"{PAGE.name} is not what the headers say: "
                 "tests/diagnosis/table.py --fix writes it")
    print(f"{share(of)} of {len(of)} messages say it "
          f"({100 * share(of) / len(of):.1f} %)")


if __name__ == "__main__":
    main(sys.argv[1:])
