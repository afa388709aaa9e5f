#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""table.py counts right, and objects: too few submissions, one without a verdict
on its message, one with two, a page that says something else."""
import contextlib
import io
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
import table  # noqa: E402

HEADER = "#: what: {what}\n#: expect: tiny fail\n{verdict}\n"
VERDICTS = ['#: cause: "race"', '#: about: "rule"', '#: missed: "n = 3"',
            '#: misled: "edge"']


def made(folder, verdicts):
    """A folder of submissions to lab 1, one for each verdict, and an honest
    one that is not to be counted."""
    lab = folder / "naive"
    lab.mkdir(exist_ok=True)
    for old in lab.iterdir():
        old.unlink()
    for i, verdict in enumerate(verdicts):
        (lab / f"m{i}.patch").write_text(
            HEADER.format(what=f"mistake {i} < 2", verdict=verdict))
    (lab / "honest-one.patch").write_text(
        "#: what: right\n#: expect: * pass\n")
    return str(folder)


def said(*arguments):
    """What table.py prints, or its objection."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            table.main(list(arguments))
    except SystemExit as stop:
        return str(stop)
    return out.getvalue()


def main():
    with tempfile.TemporaryDirectory() as name:
        folder, table.PAGE = pathlib.Path(name), pathlib.Path(name) / "page.md"
        table.LEAST = 4
        wrong = []

        def expect(words, *arguments):
            got = said(*arguments)
            if words not in got:
                wrong.append(f"{words!r} is not in {got!r}")

        good = made(folder, VERDICTS)
        expect("is not what the headers say", good)
        expect("2 of 4 messages say it (50.0 %)", "--fix", "a day, abc", good)
        expect("2 of 4", good)
        page = table.PAGE.read_text()
        for words in ("| 1 naive | 4 | 1 | 1 | 1 | 1 |", "Measured on a day, abc.",
                      "| `naive/m2` | mistake 2 &lt; 2 | n = 3 |"):
            if words not in page:
                wrong.append(f"{words!r} is not on the page")
        expect("is not what the headers say",
               made(folder, VERDICTS[:3] + VERDICTS[:1]))
        expect("3 wrong submissions, not 4", made(folder, VERDICTS[:3]))
        expect("no verdict, or two, on the message: naive/m4",
               made(folder, VERDICTS + [""]))
        expect("naive/m0", made(folder, [VERDICTS[0] + "\n" + VERDICTS[2]]))
        sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main()
