# SPDX-License-Identifier: MIT
"""Whose is what in Moodle: numbers of participants are those of one assignment, so in a
term one person has several, and a number may be another one's."""
import dataclasses
import re

import results
import words
from translate import _


def parts_of(name):
    """Words of a name, as Moodle may have changed them for a folder; of one letter none."""
    return {part for part in re.split(r"[\W_]+", words.seen(name))
            if len(part) > 1 or part and not part.isascii()}


def letters(name):
    """Of a name, whatever parts them: 李 明 and 李明 are one."""
    return sorted(re.sub(r"[\W_]+", "", words.seen(name)))


def is_another(person, work):
    """Does the number of a work belong to this person, and its name to somebody else? Then
    the number is of another assignment, or of a team. Hidden names decide nothing."""
    if work.form != "moodle" or not person.sheet or not person.names:
        return False
    own = parts_of(work.name)
    if not own or own <= {"participant", "teilnehmer", "in"} or not any(
            map(parts_of, person.names)):
        return False
    return not any(own & parts_of(name) or letters(work.name) == letters(name)
                   for name in person.names)


# ---- several works of one person: of several assignments ----

def labs_of(work):
    """Labs that a work has, or may have; None: nobody knows which."""
    if not work.labs and work.state not in (results.NONE,):
        return None
    return {lab for lab, part in work.labs.items() if part.state != results.NONE}


def apart(works):
    """Those that were joined before, each for itself."""
    return [one for work in works for one in ([*work.earlier, work] if work.joined else [work])]


def are_parts(works, everything):
    """Are these of several assignments, in which one person has handed in other labs?
    everything: the policy says that they are one person's."""
    seen = set()
    for work in apart(works):
        labs = labs_of(work)
        if labs is None or labs & seen or work.earlier and not work.joined or not (
                everything or work.form == "moodle"):
            return False
        seen |= labs
    return True


def joined(works):
    """One work of several: each lab is that of the work that has it. The last one's reports
    are those of the whole."""
    *earlier, last = [dataclasses.replace(work, number=n, joined=True, earlier=[])
                      for n, work in enumerate(apart(works), 1)]
    last.earlier = earlier
    return last


def is_of_sheet(student, work):
    """Is a work of the assignment that the worksheet is of? Its times are no other one's."""
    person = student.person
    return not person.sheet or work.form != "moodle" or work.id in person.ids or \
        student.how in ("group", "policy") and not work.joined


# ---- what is told ----

def drafts(students):
    """Who has never pressed the button that submits."""
    return [(s, _("Moodle has it as a draft, which was not submitted")) for s in students
            if s.person and s.person.draft and s.work and not s.own().handed_in and
            s.own().override is None and not any(
                own.handed_in is not None or own.override is not None
                for own in s.rules.values())]
