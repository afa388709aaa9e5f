# SPDX-License-Identifier: MIT
"""What a team has handed in to Moodle is called as the team, with the team's number, which
is nobody's of the class: each of the team has it."""
import dataclasses

import match
import parts
import roster
import words
from translate import _


def teams(people, groups, students):
    """{name of a team: numbers of its people}: as the policy's file of groups says, else a
    worksheet's column Group."""
    found, named = {}, {}
    for number, person in enumerate(people):
        if person.sheet and person.section:
            found.setdefault(roster.name_key(person.section), set()).add(number)
    for group, members in groups.items():
        named[roster.name_key(group)] = {
            fits[0] for who in members if len(fits := match.people_of(who, students)) == 1}
    return {**found, **named}


def share(works, named, students):
    """Gives what a team has handed in to each of its people; what could not be given."""
    told = []
    for work in works:
        for number in sorted(named[roster.name_key(work.name)]):
            student = students[number]
            if student.how == "group" and parts.are_parts([student.work, work], False):
                student.work = parts.joined([student.work, dataclasses.replace(work)])
            elif student.work:
                told.append(words.line(
                    _("{who} is of the team {team}, which has handed in {key}, and has {own}, "
                      "which counts", who=student.called(), team=work.name, key=work.key,
                      own=student.work.key), 600))
            else:
                student.work, student.how = dataclasses.replace(work), "group"
    return told


def is_team(work, named, people):
    """Is the name of what was handed in a team's? A participant may have the name of
    a team: then work with the participant's number is the participant's, other work the team's."""
    key = roster.name_key(work.name)
    return work.form == "moodle" and key in named and not any(
        key == roster.name_key(name) and (work.id in person.ids or not person.ids)
        for person in people for name in person.names)
