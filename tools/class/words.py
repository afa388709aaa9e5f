# SPDX-License-Identifier: MIT
"""Names and sentences of others: as one line, as a cell of a table, as a folder.

Names of files are str as os.fsdecode makes them: bytes that are not UTF-8 are
surrogates, so that each name is told from each other one."""
import hashlib
import re
import unicodedata

MOST_IN_A_LINE, MOST_IN_A_NAME = 300, 48
# How a spreadsheet tells a formula; also in full width, and behind a quote.
FORMULA = re.compile(r"\s*[=+\-@|%'\"\uff1d\uff0b\uff0d\uff20]")


def line(text, most=MOST_IN_A_LINE):
    """One line, whatever it was: nothing that moves a cursor or turns a text
    round, nothing that UTF-8 cannot write."""
    shown = "".join("?" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")
                    else c for c in str(text)[:most + 1])
    return shown if len(shown) <= most else shown[:most - 3] + "..."


def cell(text):
    """A cell that no spreadsheet computes."""
    shown = line(text)
    return "'" + shown if FORMULA.match(shown) else shown


def digest(*parts):
    """Of bytes or words; where one ends matters."""
    sum_of_all = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else \
            str(part).encode("utf-8", "surrogatepass")
        sum_of_all.update(b"%d:" % len(data) + data)
    return sum_of_all.hexdigest()


def folder(name):
    """A name for a folder: letters, digits, dots, dashes. Where that loses
    something, a part of the name's hash tells it from others."""
    plain = re.sub(r"[^a-z0-9.@_-]+", "_", re.sub(
        r"[\u0300-\u036f]", "", unicodedata.normalize("NFKD", name)).lower())
    plain = plain.strip("._-")[:MOST_IN_A_NAME]
    if plain == name.lower().replace(" ", "_"):
        return plain
    return (plain or "x") + "-" + digest(name)[:8]
