# SPDX-License-Identifier: MIT
"""Names and sentences of others: as one line, as a cell of a table, as a folder.

Names of files are str as os.fsdecode makes them: bytes that are not UTF-8 are
surrogates, so that each name is told from each other one."""
import hashlib
import re
import unicodedata

from translate import N_, _

MOST_IN_A_LINE, MOST_IN_A_NAME, HASHED = 300, 48, 16
# Not to be had: what a hash makes, names of Windows' devices, and of our own files.
TAKEN = re.compile(r"(?:.*-[0-9a-f]{16}|.*\.part|(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?)")
# How a spreadsheet tells a formula; also in full width, in small forms, and behind a
# quote.
SIGNS = "=+\\-@|%'\"\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b\u2212"
FORMULA = re.compile(rf"\s*[{SIGNS}]")
# Where a comma stands in a number, a semicolon parts cells, and what such a spreadsheet
# takes for a row's first cell is not over where our quotes say.
PARTED = re.compile(rf";(?=\s*[{SIGNS}])")
# Letters, by their category, that nobody sees.
BLANK = "\u115f\u1160\u3164\u2800"


def joins(text, at):
    """Does a sign between two letters say whether they are written as one, as names in
    Persian and Hindi have it?"""
    return text[at] in "\u200c\u200d" and all(
        "\u0600" <= c and unicodedata.category(c)[0] in "LM"
        for c in (text[at - 1:at] or " ", text[at + 1:at + 2] or " "))


def line(text, most=MOST_IN_A_LINE):
    """One line, whatever it was: nothing that moves a cursor or turns a text
    round, nothing that UTF-8 cannot write."""
    text = str(text)[:most + 1]
    shown = "".join("?" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and
                    not joins(text, at) else c for at, c in enumerate(text))
    return shown if len(shown) <= most else shown[:most - 3] + "..."


COUNTED = {
    "grace day": (N_("{n} grace day"), N_("{n} grace days")),
    "hand-in": (N_("{n} hand-in"), N_("{n} hand-ins")),
    "lab": (N_("{n} lab"), N_("{n} labs")),
    "other file": (N_("{n} other file"), N_("{n} other files")),
    "override": (N_("{n} override"), N_("{n} overrides")),
    "point": (N_("{n} point"), N_("{n} points")),
    "sentence": (N_("{n} sentence"), N_("{n} sentences")),
    "student": (N_("{n} student"), N_("{n} students")),
    "submission": (N_("{n} submission"), N_("{n} submissions")),
    "time": (N_("{n} time"), N_("{n} times")),
    "written answer": (N_("{n} written answer"), N_("{n} written answers")),
}


def many(number, what, shown=None):
    """1 lab, 2 labs. shown: the number as it is written."""
    one, more = COUNTED[what]
    return _(one if number == 1 else more, n=number if shown is None else shown)


def cell(text):
    """A cell that no spreadsheet computes."""
    shown = PARTED.sub(";'", line(text))[:MOST_IN_A_LINE]
    return "'" + shown if FORMULA.match(shown) else shown


def seen(name):
    """What a name is to people, and to tables that mind no case: who imports a gradebook
    may have a row for another's."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join("".join(c for c in plain if c not in BLANK and unicodedata.category(c)
                            not in ("Cf", "Cs", "Mn", "Me")).split())


def digest(*parts):
    """Of bytes or words; where one ends matters."""
    sum_of_all = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else \
            str(part).encode("utf-8", "surrogatepass")
        sum_of_all.update(b"%d:" % len(data) + data)
    return sum_of_all.hexdigest()


def slug(name, most=MOST_IN_A_NAME):
    """Small letters, digits, dots, dashes: what is left of a name, or nothing."""
    plain = re.sub(r"[^a-z0-9.@_-]+", "_", re.sub(
        r"[\u0300-\u036f]", "", unicodedata.normalize("NFKD", name)).lower())
    return plain.strip("._-")[:most].strip("._-")


def folder(name):
    """A name for a folder, another one for each name: the name itself where it is
    made of small letters, digits, dots and dashes; else with a part of its hash.
    What looks as if it had one gets one, too, and so does what Windows reserves. So
    it depends on nobody else's name, and nobody can choose to be called as another."""
    plain = slug(name)
    if plain == name and plain and not TAKEN.fullmatch(plain):
        return plain
    return (plain or "x") + "-" + digest(name)[:HASHED]


def folder_of(name, number):
    """The same for a name that anybody may have, and a number that one has."""
    return (slug(name, MOST_IN_A_NAME - 1 - len(number)) or "x") + "_" + slug(number)
