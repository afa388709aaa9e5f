# SPDX-License-Identifier: MIT
"""What OUT has of an earlier run, and what DIR is: refused before anything is replaced,
where this run is of another class or of other labs, or DIR is not where a class lies."""
import os
import sqlite3

import layouts
import tree
import words
from ledger import sync
from translate import _
from walled import Fault

BOOK, UNFINISHED = "gradebook.sqlite3", "unfinished"
# Systems whose names of files say whose they are.
SYSTEMS = "brightspace", "moodle", "blackboard", "canvas", "prairielearn", "autolab"


def ask(path, text):
    """Rows of a table; none, where it cannot be read."""
    try:
        base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    except sqlite3.Error:
        return []
    try:
        return base.execute(text).fetchall()
    except sqlite3.Error:
        return []
    finally:
        base.close()


def check(out, labs, keys):
    """Faults of a run that would replace another one's results; a sentence about those who
    are not in DIR any more."""
    if not os.path.exists(book := os.path.join(out, BOOK)):
        return []
    before = {lab for lab, in ask(book, "SELECT DISTINCT lab FROM lab")}
    there = {key for key, in ask(book, "SELECT DISTINCT submission FROM student")}
    how = _("give another OUT with -o, or remove {file} to have it replaced",
            file=words.line(book))
    if gone := sorted(before - set(labs)):
        raise Fault(_("{out} has the results of {labs}, which this run does not grade: name "
                      "these labs, too; or {how}", out=words.line(out), labs=", ".join(gone),
                      how=how))
    if there and not there & set(keys):
        raise Fault(_("{out} has the results of another class, {submissions}, of which none is "
                      "in DIR: {how}", out=words.line(out), submissions=words.many(
                          len(there), "submission"), how=how))
    gone = sorted(there - set(keys))
    return [_("in the last run, and not in DIR any more, so without row and feedback: "
              "{submissions} ({keys})",
              submissions=words.many(len(gone), "submission"),
              keys=", ".join(gone[:5]) + ", ..." * (len(gone) > 5))] if gone else []


def begin(out):
    """A mark that is there until a run has written its results; was it there before?"""
    path = os.path.join(out, UNFINISHED)
    there = os.path.exists(path)
    with open(path, "w", encoding="utf-8"):
        pass
    sync(out)
    return there


def end(out):
    os.unlink(os.path.join(out, UNFINISHED))


def whose(folder):
    """How many students' a folder's entries would be, if one system has named all of them."""
    try:
        found = [layouts.recognise(name, kind) for name, kind in layouts.without_litter(
            folder.names(10000)) if kind in ("file", "folder")]
    except tree.Unreadable:
        return 0
    forms = {form for form, _hit in found}
    return len({hit.who for _form, hit in found}) if len(forms) == 1 and forms <= {*SYSTEMS} else 0


def check_folder(root, entries):
    """DIR itself: no OUT of a run, and not the folder around the one that has the class. Only
    where that is all that could be somebody's, and a file such as gradebook.csv lies beside
    it: one folder alone is a drop box's first, and has a note (Class.enter)."""
    names = dict(entries)
    if names.get("ledger.sqlite3") == "file" and names.get(BOOK) == "file":
        raise Fault(_("DIR is an OUT of scanlab class, with its results: give the folder of "
                      "what was handed in"))
    hits = [(name, form) for name, kind in entries if kind in ("file", "folder")
            for form, hit in [layouts.recognise(name, kind)] if hit]
    if len(entries) == 1 or len(hits) != 1 or hits[0][1] != "folder":
        return
    name = hits[0][0]
    try:
        below = root.folder(name)
    except tree.Unreadable:
        return
    with below:
        if (many := whose(below)) > 1:
            raise Fault(_("the class lies in {name}, by the names of {students} there: give that "
                          "folder", name=words.line(name), students=words.many(many, "student")))
