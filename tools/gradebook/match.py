# SPDX-License-Identifier: MIT
"""Which submission is whose: by id, then address, login, and name at last.

Nothing is guessed. Where two fit, where an id says one person and an address another,
and where two submissions claim one person, nobody gets it: it is a doubt, which is told,
and which the policy or the roster settles."""
import collections
import os

import parts
import roster
import words
from translate import N_, _

HOW = N_("id"), N_("e-mail"), N_("login"), N_("name")
ELSE = N_("policy"), N_("group")


class Index:
    """People of a roster by what they are called. begins: the text with which all
    repositories of the class begin; the assignment's name is in it."""

    def __init__(self, people, begins=""):
        self.begins = begins
        self.by = {how: collections.defaultdict(list) for how in HOW}
        self.own = collections.defaultdict(list)  # ids that stand in names of files
        self.behind = collections.defaultdict(list)  # ends of logins, behind each _
        for number, person in enumerate(people):
            if person.own:
                self.own[roster.folded(person.own)].append(number)
            for how, texts, key in (("id", person.ids, roster.folded),
                                    ("e-mail", person.emails, roster.folded),
                                    ("login", person.logins, roster.folded),
                                    ("name", person.names, roster.name_key)):
                for found in {key(text) for text in texts} - {""}:
                    self.by[how][found].append(number)
                    for at, sign in enumerate(found if how in ("id", "login") else ""):
                        if sign == "_":
                            self.behind[found[at + 1:]].append(number)

    def strong(self, work):
        """{number of a person: how it was found}, by ids, addresses and logins, of which no
        two people have the same."""
        found = {}
        if work.form == "canvas" and (first := self.own.get(roster.folded(work.id))):
            return dict.fromkeys(first, "id")  # a SIS id of another student may be equal to it
        own = [text for text in (work.id, work.email) if text]
        for how in HOW[:3]:
            for text in own:
                for number in self.by[how].get(roster.folded(text), ()):
                    found.setdefault(number, how)
        if work.form == "blackboard":
            # Where all logins begin with stu_, layouts.py has cut that off, too: nobody can
            # tell it from the title in front of it. So ann may be stu_ann.
            found.update(dict.fromkeys(self.behind.get(roster.folded(work.id), ()), "login"))
        return found or self.repository(work)

    def repository(self, work):
        """GitHub Classroom's assignment-login. The assignment is the same in all names, so
        the login begins where the names begin to differ, or before: of naive-ann-lee and
        naive-bo it is ann-lee, not lee."""
        text, found = roster.folded(work.id), {}
        for at, sign in enumerate(text):
            if sign == "-" and (not self.begins or at < len(self.begins)):
                for number in self.by["login"].get(text[at + 1:], ()):
                    found[number] = "login"
        return found

    def named(self, work):
        key = roster.name_key(work.name or work.id)
        return dict.fromkeys(self.by["name"].get(key, ()) if key else (), "name")


def called(person):
    """Somebody of the roster, in a sentence."""
    return words.line(" ".join(dict.fromkeys([person.id(), *person.names[:1]])), 120)


def contradicts(person, work):
    """Does something that says who handed in say that it is somebody else? Canvas' own
    numbers differ, or both the address and the id do. An id alone may be one of another
    system."""
    own = work.own or (work.id if work.form == "canvas" else "")
    if own and person.own:
        return roster.folded(own) != roster.folded(person.own)
    return all(mine and theirs and roster.folded(mine) not in map(roster.folded, theirs)
               for mine, theirs in ((work.email, person.emails), (work.id, person.ids)))


def fits_of(index, people, work):
    """{number of a person: how it was found}, and a doubt: the number of a work of Moodle's
    is another one's where the names are others; then the name alone says whose it is."""
    strong = index.strong(work)
    named = index.named(work) if work.form == "moodle" else {}
    others = [n for n in strong if parts.is_another(people[n], work) or
              (named and n not in named and people[n].sheet)]
    fits = {n: how for n, how in strong.items() if n not in others}
    if not fits:
        fits = index.named(work)
        other = [n for n in fits if contradicts(people[n], work)]
        fits = {n: how for n, how in fits.items() if n not in other}
        if other and not fits:
            return {}, _("its name is that of {who}, whose id is another one",
                         who=called(people[other[0]]))
    return fits, _("its number is that of {who}, whose name is another one",
                   who=called(people[others[0]])) if others and not fits else ""


def taken_away(people, works, settled):
    """[(number of a work, number of whose it is by its id)], where the policy gives it to
    somebody else. Moodle's numbers are those of one assignment, and say less."""
    index, found = Index(people), []
    for at, work in enumerate(works):
        strong = index.strong(work) if work.key in settled and work.form != "moodle" else {}
        if len(strong) == 1 and settled[work.key] not in strong:
            found.append((at, next(iter(strong))))
    return found


def match(people, works, settled):
    """{number of a work: (number of a person, how)}, of one person several only where they
    are of several assignments (parts.py); sentences: doubts; {number of a person: why a
    submission may be theirs}; of who has one, where this may be of another assignment.
    settled: {key of a work: number of a person}, as the policy says."""
    repositories = [roster.folded(work.id) for work in works if work.form == "folder"]
    begins = os.path.commonprefix(repositories) if len(repositories) > 1 else ""
    index, found, doubts, may_be, others = Index(people, begins), {}, [], {}, set()
    for at, work in enumerate(works):
        if work.key in settled:
            found[at] = settled[work.key], "policy"
            continue
        fits, doubt = fits_of(index, people, work)
        if len(fits) == 1:
            found[at] = next(iter(fits.items()))
        elif fits:
            doubts.append((at, _("it may be of {people}", people=_(" or of ").join(
                called(people[n]) for n in list(fits)[:5]))))
            others.update(fits if work.form == "moodle" else ())
            for number in fits:
                may_be[number] = _("{key} may be theirs", key=words.line(work.key, 60))
        elif doubt:
            doubts.append((at, doubt))
    claims = collections.defaultdict(list)
    for at, (number, _how) in found.items():
        claims[number].append(at)
    for number, several in claims.items():
        if parts.are_parts([works[at] for at in several],
                           all(found[at][1] == "policy" for at in several)):
            continue
        # An id counts more than a name that somebody has chosen.
        sure = [at for at in several if found[at][1] == "policy"] or \
            [at for at in several if found[at][1] != "name"]
        kept = sure if len(sure) == 1 else []
        if len(several) > 1 and not kept:
            may_be[number] = _("several submissions may be theirs")
        for at in several if len(several) > 1 else []:
            if at in kept:
                continue
            del found[at]
            if works[at].form == "moodle":
                may_be[number] = _("{key} may be theirs", key=words.line(works[at].key, 60))
                others.add(number)
            doubts.append((at, _("{who} has several submissions: {keys}",
                                 who=called(people[number]), keys=", ".join(words.line(works[a].key, 60)
                                                for a in several[:5]))))
    matched = {number for number, _ in found.values()}
    return found, dict(sorted(doubts)), {
        number: why for number, why in may_be.items() if number not in matched - others}


def first_of(fits, wanted, students):
    """Of several whom an id may mean, the one whom Canvas writes so into names of files."""
    own = [n for n in fits if students[n].person and students[n].person.own and
           roster.folded(students[n].person.own) == wanted]
    return own if len(own) == 1 else fits


def people_of(who, students):
    """Numbers of the students that a policy's WHO means: by id, address, login or key of
    the submission; by name where none of these is so."""
    wanted, name = roster.folded(who), roster.name_key(who)
    strong = [n for n, s in enumerate(students) if wanted and wanted in s.ids()]
    strong = first_of(strong, wanted, students)
    return strong or [n for n, s in enumerate(students) if name and name in {
        roster.name_key(text) for text in s.names()}]
