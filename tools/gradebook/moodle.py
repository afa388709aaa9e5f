# SPDX-License-Identifier: MIT
"""Moodle's grading worksheet: in the language of who downloads it, with a column Status that
has extensions and drafts."""
import re

import times
import words
from table import Unusable
from translate import _

# Columns of a worksheet as its reader (the upload) calls them in German.
GERMAN = {
    "ID": "Identifier", "Vollständiger Name": "Full name", "E-Mail-Adresse": "Email address",
    "Gruppe": "Group", "Bewertung": "Grade", "Bestwertung": "Maximum Grade",
    "Bewertung kann geändert werden": "Grade can be changed",
    "Zuletzt geändert (Abgabe)": "Last modified (submission)",
    "Zuletzt geändert (Bewertung)": "Last modified (grade)",
    "Feedback als Kommentar": "Feedback comments", "ID-Nummer": "ID number"}
GRADE = "Bewertung"
LOCKED = "No", "Nein"
EXTENSION = re.compile("(?:" + "|".join((
    "Extension granted until", "Verlängertes Abgabeende bis",
    "Erweiterung der Abgabe möglich bis")) + "): (.*?)(?: - .*|$)")
DRAFT = "Draft (not submitted)", "Entwurf (nicht abgegeben)"
SUBMITTED = "Submitted for grading", "Zur Bewertung abgegeben"


def in_english(table):
    """A German worksheet's columns are found by their English names as well."""
    if not all(name.casefold() in table.at for name in (
            "ID", "Bewertung", "Zuletzt geändert (Bewertung)")):
        return
    for german, english in GERMAN.items():
        if german.casefold() in table.at:
            table.at.setdefault(english.casefold(), table.at[german.casefold()])


def refuse_foreign(table):
    """A table that looks as a worksheet does, with columns of a language that is not read:
    who is who could not be known, and everybody would have handed in nothing."""
    first = [re.fullmatch(r"([^\d@,;]+?)(\d+)", table.value(row, 0).strip())
             for row in range(1, len(table.rows)) if any(table.rows[row])]
    before = {found[1] if found else "" for found in first}
    if len(table.header) > 6 and len(before) == 1 and re.fullmatch(
            r".*(?: |[^\x00-\x7f])", before.pop()):
        raise Unusable(words.line(_(
            "{path}: this looks like Moodle's grading worksheet, in a language other than "
            "English and German: set your language in Moodle to English, download it again, "
            "and upload it in English", path=table.path)))


def add_status(entry, text, zone):
    """What the column Status says of somebody."""
    entry.sheet = True
    entry.draft = text.startswith(DRAFT)
    entry.claimed = text.startswith(SUBMITTED)
    if found := EXTENSION.search(text):
        try:
            entry.extended = times.seconds(found[1], zone)
        except times.NoTime as why:
            entry.told = entry.told or str(why)
