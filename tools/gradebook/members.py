# SPDX-License-Identifier: MIT
"""Who is in a class: the roster's people with their work, then whose work is of nobody on
it; and what the policy says of each."""
import collections

import compute
import match
import roster
import words
from translate import _


def settled_by(policy, students, works):
    """{key of a submission: number of the student}, as the policy says; what it says in vain."""
    found, told, keys = {}, [], {work.key for work in works}
    for who, rules in policy.owns.items():
        key = rules[""].submission if "" in rules else ""
        fits = match.people_of(who, students) if key else []
        if key and (len(fits) != 1 or key not in keys):
            told.append(words.line(
                _("the policy says that {key} is {who}'s: there is no such submission", key=key,
                  who=who) if key not in keys else
                _("the policy says that {key} is {who}'s: {n} students are called so", key=key,
                  who=who, n=len(fits))))
        elif key:
            found[key] = fits[0]
    return found, told


def students_of(works, people, policy):
    """Those of a roster in its order, then who is not on it; sentences that are told."""
    if people is None:
        return [compute.Student(work=work) for work in works], []
    students = [compute.Student(person=person) for person in people]
    settled, told = settled_by(policy, students, works)
    found, doubts, may_be = match.match(people, works, settled)
    for number, why in may_be.items():
        students[number].doubt = why
    for at, (number, how) in sorted(found.items()):
        students[number].work, students[number].how = works[at], how
    for at, work in enumerate(works):
        if at in found:
            continue
        other = compute.Student(work=work, doubt=doubts.get(at, _("it is of nobody on the roster")))
        told.append(words.line(f"{work.key}: {other.doubt}", 600))
        students.append(other)
    return students, told


def give_rules(policy, students):
    """Gives each student what the policy says of them; what could not be given."""
    told, index = [], collections.defaultdict(list)
    for number, student in enumerate(students):
        for text in student.ids():
            index[text].append(number)
    for who, rules in policy.owns.items():
        fits = index.get(roster.folded(who)) or match.people_of(who, students)
        if len(fits) == 1 and not students[fits[0]].rules:
            students[fits[0]].rules = rules
        elif len(fits) == 1:
            told.append(words.line(_("the policy's student {who} is {called}, who stands in it "
                                     "by another name as well: this one is not applied", who=who,
                                     called=students[fits[0]].called())))
        elif fits:
            told.append(words.line(
                _("the policy's student {who} may be {students}: not applied", who=who,
                  students=_(" or ").join(students[n].called() for n in fits[:5])), 600))
        else:
            told.append(words.line(_("the policy's student {who} is nobody here: not applied",
                                     who=who)))
    return told
