# SPDX-License-Identifier: MIT
"""What earlier runs have put into a system's file, kept in OUT/final/given-back.json: a
grade or a comment that is not one of these somebody has given by hand, and it stays."""
import html
import json
import os
import re

import words
from ledger import write_whole
from translate import _

FILE = "given-back.json"
NOTHING = ("", "-")  # cells without a grade


def equal(text, other):
    """14, 14.00 and 14,00 are one grade."""
    try:
        return float(text.replace(",", ".")) == float(other.replace(",", "."))
    except ValueError:
        return text == other


class Given:
    def __init__(self, out, form, labs, overwrite):
        self.path, self.form, self.labs = os.path.join(out, FILE), form, labs
        self.overwrite, self.column = overwrite, None
        try:
            with open(self.path, encoding="utf-8") as file:
                found = json.load(file)
        except (OSError, ValueError):
            found = {}
        self.known = found if isinstance(found, dict) else {}
        self.told = []

    def begin(self, column):
        """Of one column of the file; what was put into it before."""
        found = self.known.setdefault(f"{self.form}: {column}", {})
        self.column = self.known[f"{self.form}: {column}"] = \
            found if isinstance(found, dict) else {}

    def takes(self, student, there, value):
        """Is the cell to have this grade? It says what it keeps."""
        who, before = student.person.id(), None
        if isinstance(self.column.get(who), str):
            before = self.column[who]
        if self.overwrite or there in NOTHING or equal(there, value) or \
                before is not None and equal(there, before):
            self.column[who] = value
            return True
        self.told.append(_("{who}: the file has {there}, which was not put there by this, and "
                           "not {value}: left as it is (--overwrite takes {value})",
                           who=student.called(), there=words.line(there, 40), value=value))
        return False

    def takes_out(self, student, there):
        """Asked for a student who has no points now. True: the cell holds what an earlier run of
        ours put there, so it is to be emptied."""
        before = self.column.pop(student.person.id(), None)
        if not isinstance(before, str) or there in NOTHING or not equal(there, before):
            return False
        self.told.append(_("{who}: the file has {there} from an earlier run, and the student has no "
                           "points now: the cell is emptied", who=student.called(),
                           there=words.line(there, 40)))
        return True

    def comment(self, student, there, new):
        """A comment with ours in it: lines that begin as ours do are ours, and are replaced,
        also by none; all other ones stay, in front of them."""
        ours = tuple(f"{lab}: " for lab in self.labs) + (
            "in all: ", _("in all: {text}", text=""))
        new = html.escape(new, quote=False).split("\n") if new else []
        name = f"comment {student.person.id()}"
        before = self.column.get(name)
        before = before if isinstance(before, list) else []
        if new or before:
            self.column[name] = new
        old = [line for line in re.split(r"<br ?/?>|\r?\n", there) if line and line not in (
            *new, *before) and not html.unescape(line).startswith(ours)]
        return "<br>".join(old + new)

    def write(self):
        write_whole(self.path, (json.dumps(self.known, indent=1, sort_keys=True) + "\n").encode())
