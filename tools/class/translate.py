# SPDX-License-Identifier: MIT
"""Sentences for people, in the course's language: gettext's catalogues, those of reports
(vgpu/base/translate.h). The English sentence is the name of its translation; one that has
none stays English. What programs read is the same in each language: columns, states and
other values of tables, keys of a policy, options, names of files."""
import configparser
import gettext
import os

MOST_NAME = 32


class Spoken:
    """By this process."""
    catalogue = gettext.NullTranslations()
    language = "en"


def _(english, /, **values):
    """The sentence with its values put in. No value is read as a sentence: what a student has
    called a file is not."""
    said = Spoken.catalogue.gettext(english) if english else ""
    return said.format(**values) if values else said


def N_(english):
    """In a table: translated where it is used."""
    return english


def language_of(course):
    """That a course.ini asks for; what is wrong in it others say."""
    found = configparser.ConfigParser(strict=False, interpolation=None,
                                      inline_comment_prefixes=(";",))
    try:
        found.read(os.path.join(course, "course.ini"), encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        return "en"
    return found.get("course", "language", fallback="en").strip()


def speak(build, course):
    """From now on, in the language of a course, a folder or None. "" or why not."""
    language = language_of(course) if course else "en"
    if language == "en":
        return ""
    path = os.path.join(build, "share/locale", language, "LC_MESSAGES/scanlab.mo")
    try:
        if not (language.replace("_", "").isalnum() and len(language) <= MOST_NAME):
            raise OSError("it is no name of a language")
        with open(path, "rb") as file:
            Spoken.catalogue, Spoken.language = gettext.GNUTranslations(file), language
    except (OSError, ValueError) as why:
        return f"there is no translation '{language[:MOST_NAME]}': " + (
            getattr(why, "strerror", None) or str(why))
    return ""
