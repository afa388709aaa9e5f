# SPDX-License-Identifier: MIT
"""Groups: what one of them has handed in is all of theirs. Each keeps rules, lateness and
points of their own. A system that knows groups (Gradescope) needs no file of them.

The file, `[files] groups` in the policy, has the columns `group` and `student`."""
import dataclasses

import match
import table
import words
from translate import _


def read_groups(reader, path):
    """Into the policy of a reader: {group: [who]}"""
    rows = table.Table(path)
    at = reader.columns(rows, "group", "student")
    for row in range(1, len(rows.rows)):
        group, who = (rows.value(row, at[name]).strip() for name in ("group", "student"))
        if bool(group) != bool(who):
            raise reader.wrong(_("row {n}", n=row + 1), _("a row has a group and a student"))
        if who:
            reader.policy.groups.setdefault(group, []).append(who)


def share(policy, students):
    """Gives each member of a group the work of the one who has handed in; what could not
    be shared, as sentences."""
    told, seen = [], {}
    for group, names in policy.groups.items():
        members = []
        for who in names:
            fits = match.people_of(who, students)
            if len(fits) != 1:
                told.append(
                    _("group {group}: {who} is nobody here: not in it", group=group, who=who)
                    if not fits else
                    _("group {group}: {who} is of several here: not in it", group=group, who=who))
            elif seen.setdefault(fits[0], group) != group:
                told.append(_("group {group}: {who} is in group {other} as well: not in this one",
                              group=group, who=who, other=seen[fits[0]]))
            else:
                members.append(students[fits[0]])
        works = {s.work.key: s.work for s in members if s.work}
        if len(works) > 1:
            told.append(_("group {group} has several submissions, so each keeps the own one: "
                          "{keys}", group=group, keys=", ".join(sorted(works))))
        giver = next((s for s in members if s.work), None)
        for student in members if len(works) == 1 else ():
            if not student.work:
                student.work = dataclasses.replace(giver.work)
                student.how, student.giver = "group", giver
    return [words.line(text, 600) for text in told]
