# SPDX-License-Identifier: MIT
"""Who is in a class: the roster's people with their work, then whose work is of nobody on
it; and what the policy says of each."""
import collections
import dataclasses

import compute
import match
import parts
import roster
import teams
import words
from translate import _


def hold_claimed(students):
    """Who has handed in something, as Moodle says, has no 0 because nobody knows which it is;
    when groups have shared theirs."""
    for student in students:
        if student.person and student.person.claimed and not student.work and not student.doubt:
            student.doubt = _("Moodle has a submission of theirs, and none that is here is "
                              "known to be it")


def settled_by(policy, students, works):
    """{key of a submission: number of the student}, as the policy says; what it says in vain."""
    found, told, keys = {}, [], {work.key for work in works}
    claims = collections.defaultdict(set)
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
            claims[key].add(fits[0])
    for key, numbers in claims.items():
        if len(numbers) == 1:
            found[key], = numbers
        else:
            told.append(words.line(
                _("the policy gives {key} to {students}: not applied", key=key, students=_(
                    " and to ").join(students[n].called() for n in sorted(numbers)))))
    return found, told


def give(students, works, found):
    """Each student the work that was found to be theirs, or the works of several
    assignments as one: the one that an id has found last."""
    of = collections.defaultdict(list)
    for at, (number, how) in found.items():
        of[number].append((how != "name", at, how))
    for number, several in of.items():
        *_before, (_strong, at, how) = several = sorted(several)
        students[number].how = how
        students[number].work = works[at] if len(several) == 1 else \
            parts.joined([works[n] for _sure, n, _how in several])


def students_of(works, people, policy):
    """Those of a roster in its order, then who is not on it; sentences that are told."""
    if people is None:
        return [compute.Student(work=work) for work in works], []
    students = [compute.Student(person=person) for person in people]
    settled, told = settled_by(policy, students, works)
    named = teams.teams(people, policy.groups, students)
    of_teams = [work for work in works if work.key not in settled and
                teams.is_team(work, named, people)]
    works = [work for work in works if work not in of_teams]
    found, doubts, may_be = match.match(people, works, settled)
    give(students, works, found)
    told += [words.line(_("the policy gives {key}, which is {owner}'s by its id, to {who}",
                          key=works[at].key, owner=students[number].called(),
                          who=students[settled[works[at].key]].called()), 600)
             for at, number in match.taken_away(people, works, settled)]
    told += teams.share(of_teams, named, students)
    for number, why in may_be.items():
        student = students[number]
        student.doubt, student.may_be = ("", why) if student.work else (why, "")
    for at, work in enumerate(works):
        if at in found:
            continue
        other = compute.Student(work=work, doubt=doubts.get(at, _("it is of nobody on the roster")))
        told.append(words.line(f"{work.key}: {other.doubt}", 600))
        students.append(other)
    return students, told


def join(own, more):
    """Both as one, where they say the same thing or different ones do not meet; keys of
    those that do meet, of which the first one holds."""
    other = []
    for field in dataclasses.fields(own):
        here, there = getattr(own, field.name), getattr(more, field.name)
        if there == field.default or here == there:
            continue
        if field.name == "comment" and here:
            there = "; ".join((here, there))
        elif here != field.default:
            other.append(field.name.replace("_", "-"))
            continue
        setattr(own, field.name, there)
    return other


def add_rules(student, first, who, rules):
    """To the rules of a student, who may stand in a policy and its files by several names;
    sentences. first: {id of a student: by which name it was the first time}"""
    name, told = first.setdefault(id(student), who), []
    for lab, more in rules.items():
        own = student.rules.get(lab)
        if own is None:
            student.rules[lab] = dataclasses.replace(more)
            continue
        for key in join(own, more):
            told.append(words.line(
                _("{student} stands in the policy as {first} and as {who}, with different "
                  "values: {key} ({who}) is not applied", student=student.called(), first=name,
                  who=who, key=f"{lab} {key}".strip()), 600))
    return told


def give_rules(policy, students):
    """Gives each student what the policy says of them; what could not be given."""
    told, index, first = [], collections.defaultdict(list), {}
    for number, student in enumerate(students):
        for text in student.ids():
            index[text].append(number)
    for who, rules in policy.owns.items():
        fits = match.first_of(index.get(roster.folded(who), []), roster.folded(who), students) \
            or match.people_of(who, students)
        if len(fits) == 1:
            told += add_rules(students[fits[0]], first, who, rules)
        elif fits:
            told.append(words.line(
                _("the policy's student {who} may be {students}: not applied", who=who,
                  students=_(" or ").join(students[n].called() for n in fits[:5])), 600))
        else:
            told.append(words.line(_("the policy's student {who} is nobody here: not applied",
                                     who=who)))
    return told
