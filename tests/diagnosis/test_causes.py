#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""causes.py holds readings to messages: it objects where words are gone, where
another check comes first, and to a row that says too little."""
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
import causes  # noqa: E402

HEAD = "submission,check,verdict,words,teacher\n"
CHECK = {"id": "tiny", "message": "n = 2: out[1]: expected 3, got 1. Right up to there.",
         "cause": "A loop ends too early.", "about": None}


def objects(row):
    """Does a table of this row end the program?"""
    with tempfile.TemporaryDirectory() as name:
        causes.TABLE = pathlib.Path(name) / "t.csv"
        causes.TABLE.write_text(HEAD + row + "\n")
        try:
            return not causes.readings()
        except SystemExit:
            return True


def complains(words, check=CHECK, first="tiny"):
    return causes.complaint("a/b", {"words": words, "check": first}, check)


def main():
    holds = {
        "a row that is whole": not objects("a/b,tiny,no,words,said"),
        "of no verdict": objects("a/b,tiny,maybe,words,said"),
        "without words": objects("a/b,tiny,no,,said"),
        "a 'no' without the teacher": objects("a/b,tiny,no,words,"),
        "a 'yes' with the teacher": objects("a/b,tiny,yes,words,said"),
        "the order of a report": causes.told(CHECK) == [
            "n = 2: out[1]: expected 3, got 1.", CHECK["cause"],
            "Right up to there."],
        "words that are there": not complains("got 1. A loop ends"),
        "in two places": not complains("n = 2 ... up to there"),
        "one of two is gone": complains("n = 2 ... n = 3"),
        "in some runs": not complains("n = 3 || too early"),
        "another check": complains("n = 2", first="large"),
        "it passes": complains("n = 2", None),
        "it passes in some runs": not complains("n = 2 || passes", None),
        "nobody has read it": causes.complaint("a/b", None, CHECK),
    }
    sys.exit("\n".join(what for what, does in holds.items() if not does) or None)


if __name__ == "__main__":
    main()
