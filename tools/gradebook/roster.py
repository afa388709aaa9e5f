# SPDX-License-Identifier: MIT
"""Who is in a class: from the file that a learning system gives.

A format is a row of FORMATS: by which columns it is known, and which of them say who
somebody is. The first form whose columns the header has is taken; --roster-format names
one instead."""
import collections
import dataclasses
import re
import unicodedata

import moodle
import times
import words
from table import Table, Unusable
from translate import _

# needs: columns by which a file is known; others: one of them as well. submitted: when.
Format = collections.namedtuple("Format", "needs others ids emails logins names first last "
                                          "section role submitted")


def form(needs, others=(), ids=(), emails=(), logins=(), names=(), first=(), last=(),
         section=(), role=(), submitted=()):
    return Format(needs, others, ids, emails, logins, names, first, last, section, role,
                  submitted)


FORMATS = {
    "github": form(("identifier", "github_username"), ids=("identifier", "github_id"),
                   emails=("identifier",), logins=("github_username",),
                   names=("name", "identifier")),
    "brightspace": form(("OrgDefinedId",), ids=("OrgDefinedId",), emails=("Email",),
                        logins=("Username",), first=("First Name",), last=("Last Name",)),
    "canvas": form(("ID", "Section"), ("Student", "LastName"),
                   ids=("ID", "SIS User ID", "Integration ID"),
                   emails=("SIS Login ID",), logins=("SIS Login ID",), names=("Student",),
                   first=("FirstName",), last=("LastName",), section=("Section",)),
    "moodle": form(("Identifier", "Grade", "Last modified (grade)"), ids=("Identifier",
                   "ID number"), emails=("Email address",), logins=("Username",),
                   names=("Full name",), section=("Group",),
                   submitted=("Last modified (submission)",)),
    "blackboard": form(("Last Name", "First Name", "Username"), ids=("Student ID",),
                       logins=("Username",), first=("First Name",), last=("Last Name",)),
    "gradescope": form(("Email", "SID"), ids=("SID",), emails=("Email",),
                       names=("Name", "Full Name"), first=("First Name",),
                       last=("Last Name",), section=("Section", "Sections"),
                       role=("Role",), submitted=("Submission Time",)),
    "prairielearn": form(("UID", "UIN"), ids=("UIN", "UID"), emails=("UID",),
                         logins=("Username",), names=("Name",), role=("Role",)),
    "moodle-participants": form(
        ("Email address",), ("First name", "Full name"), ids=("ID number",),
        emails=("Email address",), logins=("Username",), names=("Full name",),
        first=("First name",), last=("Last name", "Surname"), section=("Groups",),
        role=("Roles",)),
    "plain": form((), ("id", "student id", "email", "e-mail", "login", "name"),
                  ids=("id", "student id", "sid"), emails=("email", "e-mail"),
                  logins=("login", "username", "user"), names=("name", "full name"),
                  first=("first name",), last=("last name",), section=("section", "group"),
                  role=("role",), submitted=("handed_in", "handed-in")),
}
STUDENT = ("", "student", "students", "learner", "0")


@dataclasses.dataclass
class Entry:
    """A person of a class."""
    row: int            # of the table
    ids: list
    emails: list
    logins: list
    names: list         # as they are shown
    section: str = ""
    submitted: object = None  # seconds, where the file says it
    told: str = ""            # why it does not, although there is something
    own: str = ""             # the one id that its system writes into names of files
    sheet: bool = False       # of one assignment: Moodle's worksheet, whose numbers are its own
    extended: object = None   # until when Moodle lets them hand in, in seconds
    draft: bool = False       # what Moodle has of them was never submitted
    claimed: bool = False     # Moodle has something that was submitted

    def id(self):
        return next(iter(self.ids + self.logins + self.emails + self.names), "")


def folded(text):
    """An id, address or login, as those who type one would take for equal."""
    return words.seen(text)


def name_key(text):
    """A name without case, marks and the order of its parts: Lee, Ann is Ann Lee."""
    plain = unicodedata.normalize("NFKC", words.seen(text))
    return " ".join(sorted(re.findall(r"\w+", plain)))


def detect(table):
    moodle.in_english(table)
    for called, known in FORMATS.items():
        if all(table.column(n) is not None for n in known.needs) and (
                not known.others or table.column(*known.others) is not None):
            if called in ("moodle-participants", "plain"):
                moodle.refuse_foreign(table)
            return called
    moodle.refuse_foreign(table)
    raise Unusable(words.line(
        _("{path}: no roster that is known: {columns}; give --roster-format, or a CSV with the "
          "columns id, email, login, name", path=table.path,
          columns=", ".join(table.header)[:200])))


def cells(table, row, columns):
    """What these columns say of a row, without what is empty."""
    found = (table.value(row, table.column(name)).strip() for name in columns)
    return [text for text in dict.fromkeys(found) if text]


def is_person(called, table, row):
    """Is the row a student's? Canvas writes rows of its own, such as "Points Possible",
    between the header and the first student."""
    if not any(raw.strip(' "') for raw in table.rows[row]):
        return False
    if called == "canvas":
        name = table.value(row, 0).strip()
        return bool(cells(table, row, ("ID",))) and name.casefold() != "points possible"
    return True


def ids_of(called, found):
    """Without what a system puts around them."""
    if called == "moodle":  # Participant 123, in any language
        return [re.sub(r"^\D+(?=\d+$)", "", text) for text in found]
    if called == "brightspace":
        return [text.removeprefix("#") for text in found]
    return found


def entry(called, known, table, row, zone):
    of = lambda columns: cells(table, row, columns)  # noqa: E731
    names = of(known.names)
    first, last = " ".join(of(known.first)), " ".join(of(known.last))
    if first or last:
        names.insert(0, f"{first} {last}".strip())
    logins = ids_of(called, of(known.logins))
    found = Entry(row, ids_of(called, of(known.ids)),
                  [text for text in of(known.emails) if "@" in text], logins, names,
                  " ".join(of(known.section)))
    if text := next((t for t in of(known.submitted) if t != "-"), ""):
        try:
            found.submitted = times.seconds(text, zone)
        except times.NoTime as why:
            found.told = str(why)
    if called == "moodle":
        moodle.add_status(found, table.value(row, table.column("Status")), zone)
    if called == "canvas":
        found.own = next(iter(of(("ID",))), "")
    return found


def without_doubles(people, rows):
    """Without rows in which everything that says who somebody is stands once more, as of
    who is in two sections; a sentence of each."""
    kept, told = {}, []
    for person in people:
        same = tuple(tuple(map(folded, texts)) for texts in (
            person.ids, person.emails, person.logins, person.names))
        first = kept.setdefault(same, person)
        if first is not person:
            told.append(words.line(_("{file}: row {n} is {who} of row {first} once more: left out",
                                     file=rows.name(), n=person.row + 1, first=first.row + 1,
                                     who=person.id())))
    return list(kept.values()), told


def read(path, called, zone):
    """The table, which format it has, and its people; who is staff is left out."""
    table = Table(path)
    moodle.in_english(table)
    if called is None:
        called = detect(table)
    known = FORMATS[called]
    if not any(table.column(*columns) is not None for columns in (
            known.ids, known.emails, known.logins, known.names, known.last) if columns):
        raise Unusable(words.line(_("{path}: it has none of the columns of {system}", path=path,
                                    system=called)))
    people = []
    for row in range(1, len(table.rows)):
        if not is_person(called, table, row):
            continue
        roles = [r.casefold() for r in cells(table, row, known.role)]
        if any(role not in STUDENT for role in roles):
            continue
        people.append(entry(called, known, table, row, zone))
    return table, called, [p for p in people if p.id()]
