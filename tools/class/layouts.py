# SPDX-License-Identifier: MIT
"""Whose is what: from the names that an LMS gives to what was handed in.

Only the names of the outermost level are looked at here, those in DIR itself, and
Gradescope's list, which a walled child reads. What lies inside a student's folder
is that student's, however it is called: it makes no rows and no identities.
Each form is one function of one name; a new LMS is a row of FORMS."""
import collections
import dataclasses
import datetime
import itertools
import os
import re

import words
from translate import _
from tree import LINK, OTHER
from versions import Attempt, attempts_by_file

# What systems and LMSs leave behind, and nobody has handed in.
LITTER = re.compile(r"(?s)\.[^.].*|__MACOSX|Thumbs\.db|desktop\.ini|index\.html",
                    re.I)  # the last is Brightspace's list
ARCHIVE = re.compile(r"(?s).*\.(zip|tar|tgz|tbz2?|txz|tar\.(gz|bz2|xz|zst)|7z|rar)", re.I)
GRADESCOPE = "submission_metadata.yml"
# The folder in which Gradescope packs a class, and what is in it beside the list.
EXPORT = re.compile(r"assignment_[0-9]+_export")
OF_GRADESCOPE = re.compile(r"(?s)submission_[0-9]+(\..*)?")

REFUSED = {"link": LINK, "other": OTHER}  # kinds that nobody looks into

Person = collections.namedtuple("Person", "id name email")


@dataclasses.dataclass
class Piece:
    """A file or folder that was handed in."""
    entry: str       # its name in DIR
    name: str        # as the student called it; "": a folder, whose name is nobody's
    order: int = 0   # of two with one name the greater one counts
    late: bool = False  # as the LMS marked it
    text: bool = False  # typed into the LMS, or a link: no file of the student's


@dataclasses.dataclass
class Submission:
    key: str          # the name of its folder
    form: str         # by which it was recognised
    persons: list
    pieces: list = dataclasses.field(default_factory=list)
    late: bool = False
    version: int = 0     # the LMS's number of it, where it has one
    handed_in: str = ""  # when, where the LMS says it: 2026-11-30T23:59:00+00:00; of
    # names of files without a zone, the LMS's own
    dues: list = dataclasses.field(default_factory=list)  # of each person: all's, own
    notes: list = dataclasses.field(default_factory=list)
    why: str = ""        # somebody has to look at it: what was handed in is not here
    # While names are read, {order: Attempt}; then the Attempts before the last one.
    attempts: dict = dataclasses.field(default_factory=dict)
    earlier: list = dataclasses.field(default_factory=list)
    of: str = ""         # an earlier attempt: the key of the last one

    def before(self):
        """The earlier attempts as submissions of their own."""
        for number, one in enumerate(self.earlier, 1):
            yield dataclasses.replace(
                self, key=f"{self.key}+{number}", of=self.key, pieces=one.pieces,
                late=one.late, version=one.version, handed_in=one.handed_in,
                notes=one.notes, attempts={}, earlier=[])


@dataclasses.dataclass
class Hit:
    """What a form says of one entry."""
    who: str                 # tells the submission from others
    person: Person
    piece: Piece = None      # None: nothing that can be graded
    late: bool = False
    note: str = ""
    version: int = 0         # only the highest counts
    at: str = ""             # when it was handed in, in the LMS's zone


# ---- the forms: of a name, and whether it is a folder ----

def moodle(name, is_folder):
    """Ann Lee_1234_assignsubmission_file_ (a folder), or ..._file_scan.cu

    Moodle leaves no _ in a person's name; behind it a student may have called a file
    as another's is called, or as another system does it."""
    found = re.fullmatch(r"(?s)([^_]*)_([0-9]{1,20})_assignsubmission_([a-z]+)_?(.*)", name)
    if not found:
        return None
    called, number, kind, rest = found.groups()
    # A number is one of an assignment: in another one it is another person's.
    who, person = f"{number} {called}", Person(number, called, "")
    if kind != "file":
        return Hit(who, person, Piece(name, "" if is_folder else rest or name, text=True),
                   note=_("{kind}: not graded, only files are", kind=kind))
    if not is_folder and not rest:
        return None
    return Hit(who, person, Piece(name, "" if is_folder else rest))


DAY = r"(?P<month>[A-Z][a-z]{2})[a-z]* (?P<date>\d{1,2}), (?P<year>\d{4}) " \
    r"(?P<hour>\d{1,2}):?(?P<minute>\d\d) (?P<half>[AP])M"
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def when(year, month, day, hour, minute, second=0):
    """2026-11-30T20:00:00, or "" of what is no time."""
    try:
        return datetime.datetime(*map(int, (year, month, day, hour, minute, second))).isoformat()
    except ValueError:
        return ""


def version_of(at):
    return int(re.sub(r"\D", "", at) or 0)


def brightspace(name, is_folder):
    """123-456 - Ann Lee - Nov 30, 2026 802 PM (a folder), or the same and - scan.cu

    Nobody says what the numbers are: a name with other numbers may be another person,
    and is a row of its own. The first time in it counts, because a student may call a
    file as he likes. What begins so and has another time is nobody's (like_brightspace)."""
    found = re.match(r"(?s)(?P<numbers>\d+-\d+) - (?P<who>[^/]+?) - " + DAY + r"(?P<rest>.*)", name)
    if not found or found["month"] not in MONTHS or not 1 <= int(found["hour"]) <= 12:
        return None
    at = when(found["year"], MONTHS.index(found["month"]) + 1, found["date"],
              int(found["hour"]) % 12 + 12 * (found["half"] == "P"), found["minute"])
    rest = found["rest"]
    if not at or (rest if is_folder else not rest.startswith(" - ")):
        return None
    who = found["who"]
    return Hit(f"{who} {found['numbers']}", Person("", who, ""),
               Piece(name, "" if is_folder else rest[3:]), at=at)


def blackboard(name, is_folder):
    """Lab 1_annlee_attempt_2026-11-30-20-02-00_scan.cu; or .txt, what Blackboard says of it

    The title has no @ and nothing that looks like Canvas' numbers, so that no file that a
    student of another system has called so is taken for one of Blackboard's."""
    found = re.fullmatch(
        r"(?s)(?P<who>(?:(?!_\d+_\d+_)[^@/])+?_(?P<user>[^_/\s]+))_attempt_"
        r"(?P<at>\d{4}(?:-\d\d){5})(?:_(?P<name>.+)|\.txt)", name)
    at = when(*found["at"].split("-")) if found and not is_folder else ""
    if not at:
        return None
    person = Person(found["user"], "", "")
    return Hit(found["who"], person, Piece(name, found["name"]) if found["name"] else None,
               at=at)


def canvas(name, is_folder):
    """leeann_LATE_123_4567_scan.cu: user, then attachment; or anon_X1y2Z_..."""
    if is_folder:
        return None
    late = r"(?:(?P<late>LATE)_)?"
    user, file = r"(?P<user>[0-9]{1,20})_", r"(?P<file>[0-9]{1,20})_(?P<name>.+)"
    for form in (late + r"anon_(?P<user>[A-Za-z0-9]{5})_" + file,
                 r"(?P<who>[^@]*?)_" + late + user + file,
                 r"(?P<who>[^@]*?)_" + late + user + r"(?P<kind>text|link)\.html"):
        found = re.fullmatch("(?s)" + form, name)
        if found:
            break
    else:
        return None
    part = collections.defaultdict(str, found.groupdict())
    person = Person(part["user"], part["who"] or "anon_" + part["user"], "")
    if part["kind"]:
        return Hit(part["user"], person, late=bool(part["late"]),
                   piece=Piece(name, part["kind"] + ".html", text=True),
                   note=_("a text: not graded, only files are")
                   if part["kind"] == "text" else _("a link: not graded, only files are"))
    return Hit(part["user"], person, late=bool(part["late"]),
               piece=Piece(name, part["name"], int(part["file"])))


def prairielearn(name, is_folder):
    """ann@x.edu_1_scanlab-naive_1_2_345_naive.cu: of which instance, which question of
    kits/prairielearn, which variant, which submission of it, and which of all

    A student cannot call a file otherwise than the question says."""
    found = re.fullmatch(r"(?s)([^@/\s]+@[^@_/\s]+)_[0-9]+_scanlab-[a-z0-9-]+_[0-9]+_[0-9]+_"
                         r"([0-9]{1,18})_(.+)", name)
    if is_folder or not found:
        return None
    uid, number, file = found.groups()
    return Hit(uid, Person(uid, "", uid), Piece(name, file, int(number)))


def autolab(name, is_folder):
    """ann@cs.edu_3_handin.tar: the third version"""
    found = re.fullmatch(r"(?s)([^@/\s]+@[^@_/\s]+)_([0-9]{1,18})_(.+)", name)
    if is_folder or not found:
        return None
    email, version, rest = found.groups()
    return Hit(email, Person(email, "", email), Piece(name, rest),
               version=int(version))


def like_brightspace(name):
    """Why a name that begins as Brightspace's is not taken for a student's: taken for a
    folder's name it would be a person of its own, and nobody would know when it came."""
    return _("called as Brightspace does, and behind the name is no time as in English (Nov "
             "30, 2026 802 PM): export in English, or rename it") \
        if re.match(r"\d+-\d+ - .* - ", name) and not brightspace(name, True) and \
        not brightspace(name, False) else ""


def folder(name, is_folder):
    return Hit(name, Person(name, "", ""), Piece(name, "")) if is_folder else None


def archive(name, is_folder):
    found = ARCHIVE.fullmatch(name)
    if is_folder or not found:
        return None
    who = name[:found.start(1) - 1]
    return Hit(who, Person(who, "", ""), Piece(name, name))


FORMS = [brightspace, moodle, blackboard, canvas, prairielearn, autolab, folder, archive]
OF_ANYBODY = folder.__name__, archive.__name__
# Systems that number files, and no attempts.
BY_FILE = canvas.__name__, prairielearn.__name__


# ---- a folder: [(name, kind)] as tree.py lists it ----

def readings(name, kind):
    """[(form, hit)] of all systems' forms that fit a name, the likeliest first. Where none
    fits, a folder or an archive is called as its student."""
    found = [(form.__name__, hit) for form in FORMS if (hit := form(name, kind == "folder"))]
    found.sort(key=lambda one: one[0] == moodle.__name__ and "@" in one[1].person.name)
    return [one for one in found if one[0] not in OF_ANYBODY] or found


def chosen(found, usual=None):
    """(form, hit), of a name's readings: that of the usual form, else the likeliest."""
    return next((one for one in found if one[0] == usual), found[0] if found else (None, None))


def recognise(name, kind):
    """Of a name alone; by_names knows the others of the class."""
    return chosen(readings(name, kind))


def usual_form(all_found):
    """The system from which a class was downloaded, of the readings of all names: at least
    half of the names fit its form and no other one, and no name fits another form alone.
    Then a name that the forms of several systems fit is read as this one's, whatever its
    student has called himself or the file. None: the names do not say."""
    found = [forms for forms in all_found if forms and forms[0][0] not in OF_ANYBODY]
    sure = [forms[0][0] for forms in found if len(forms) == 1]
    return sure[0] if len(set(sure)) == 1 and 2 * len(sure) >= len(found) else None


def without_litter(entries):
    """Without what systems leave behind."""
    return [(name, kind) for name, kind in entries if not LITTER.fullmatch(name)]


def only_folder(entries):
    """The name of the one folder that there is and nothing else, or ""."""
    return entries[0][0] if len(entries) == 1 and entries[0][1] == "folder" else ""


def has_list(entries):
    """Whether Gradescope made these: its list is there, and what could be anybody's
    is called as Gradescope does. Who can put a list among others' folders makes
    nobody's row by it."""
    return (GRADESCOPE, "file") in entries and all(
        OF_GRADESCOPE.fullmatch(name) for name, kind in entries
        if kind in ("file", "folder") and recognise(name, kind)[1])


def key_of(hit):
    """Of a submission; settle_keys makes another one where two meet."""
    person = hit.person
    return words.folder_of(person.name, person.id) if person.name and person.id \
        else words.folder(person.id or hit.who)


def add(found, form, hit):
    """Puts what a form says to what is known of that submission."""
    s = found.setdefault((form, hit.who), Submission(key_of(hit), form, [hit.person]))
    one = s.attempts.setdefault(hit.version or version_of(hit.at), Attempt(
        version=hit.version, handed_in=hit.at))
    one.late |= hit.late
    if hit.note:
        one.notes.append(hit.note)
    if hit.piece:
        hit.piece.late = hit.late
        one.pieces.append(hit.piece)


def settle_attempts(s):
    """The last attempt counts, where nobody says otherwise."""
    ordered = [one for _, one in sorted(s.attempts.items())]
    if s.form in BY_FILE:
        ordered = attempts_by_file(ordered[0])
    *s.earlier, last = ordered
    s.pieces, s.late, s.version, s.handed_in = \
        last.pieces, last.late, last.version, last.handed_in
    s.notes += last.notes
    s.attempts = {}


def left_out(s):
    """Of attempts before the last one, where nobody asked for them. Of files that are
    numbered collect.py says it."""
    return [] if s.form in BY_FILE else [
        _("version {called} is not graded, {counts} is", called=one.called(),
          counts=s.handed_in or s.version)
        for one in s.earlier]


def name_logins(found):
    """Blackboard's title is the same in all names of a class, and may have a _, as a login
    may: behind what all have in common the login begins."""
    logins = {who: s for (form, who), s in found.items() if form == blackboard.__name__}
    common = os.path.commonprefix(list(logins)).rpartition("_")[0]
    for who, s in logins.items() if len(logins) > 1 and common else ():
        login = who[len(common) + 1:]
        s.persons, s.key = [Person(login, "", "")], words.folder(login)


def by_names(entries):
    """Submissions, and (name, why) of what is nobody's."""
    found, nobody = {}, []
    read = [[] if kind in REFUSED else readings(name, kind) for name, kind in entries]
    usual = usual_form(read)
    for (name, kind), forms in zip(entries, read):
        form, hit = chosen(forms, usual)
        why = REFUSED.get(kind) or (like_brightspace(name) if form in (None, *OF_ANYBODY) else "")
        form, hit = (None, None) if why else (form, hit)
        if hit:
            add(found, form, hit)
        elif name == GRADESCOPE and not why:
            nobody.append((name, _("a list of Gradescope's, among what is not Gradescope's: it "
                                   "is not used")))
        else:
            nobody.append((name, why or _("its name does not say whose it is")))
    name_logins(found)
    for s in found.values():
        settle_attempts(s)
    return list(found.values()), nobody


def settle_keys(submissions):
    """Gives each a key of its own. Sentences about those who got another one: who is
    called so keeps it, a folder before an archive."""
    owners, told = {}, []
    for s in sorted(submissions, key=lambda s: (
            s.persons[0].id != s.key, s.form != "folder", s.form,
            [p.entry for p in s.pieces], list(s.persons))):
        wanted = s.key
        for turn in itertools.count():
            if s.key not in owners:
                break
            s.key = wanted + "-" + words.digest(
                s.form, turn, *s.persons, *(p.entry for p in s.pieces))[:words.HASHED]
        owners[s.key] = s
        if s.key != wanted:
            told.append(_("{name} would have the key {wanted} of {other}, and has {key}",
                          name=shown(s), wanted=wanted, other=shown(owners[wanted]), key=s.key))
    return sorted(told)


def shown(submission):
    return submission.pieces[0].entry if submission.pieces else submission.persons[0].id


def rows_of_one(submissions):
    """Sentences about an id that several rows have, or ids that look as one: who imports
    them by it keeps one of them. It stands in no row: whoever claims another's id changes
    only one's own."""
    rows = collections.defaultdict(set)
    for s in submissions:
        for person in s.persons:
            called = person.id or person.name
            if called:
                rows[words.seen(called) or called].add((called, s.key))
    told = []
    for found in rows.values():
        ids, keys = sorted({i for i, _ in found}), sorted({key for _, key in found})
        if len(keys) > 1:
            told.append(_("the id {id} has several rows: {keys}", id=ids[0],
                          keys=", ".join(keys)) if len(ids) == 1
                        else _("the ids {ids} look alike: rows {keys}", ids=", ".join(ids),
                               keys=", ".join(keys)))
    return sorted(told)


# ---- Gradescope ----

def text_of(value):
    return "" if value is None else str(value)


def time_of(value):
    """2026-11-20 10:00:00.123456789 Z, or with an offset, as scanlab reads it."""
    found = re.match(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?"
                     r" ?(Z|UTC|[+-]\d\d:?\d\d)$", text_of(value).strip())
    if not found:
        return ""
    day, time, zone = found.groups()
    zone = "+00:00" if zone in ("Z", "UTC") else zone[:3] + ":" + zone[-2:]
    return f"{day}T{time}{zone}"


def due_of(*places):
    """The due time that stands in the first of these."""
    return next((at for place in places if isinstance(place, dict)
                 if (at := time_of(place.get(":due_date")))), "")


def came(submission):
    """How and when it came, by when it was due for all and for each person: rows for the
    gradebook."""
    dues = submission.dues or [("", "")] * len(submission.persons)
    return [(submission.key, number, submission.form, submission.handed_in, *due)
            for number, due in enumerate(dues)]


def gradescope(entries, listed):
    """listed: what submission_metadata.yml says, as a walled child read it."""
    found, nobody, here = [], [], dict(entries)
    here.pop(GRADESCOPE, None)
    for name, about in sorted(listed.items()):
        about = about if isinstance(about, dict) else {}
        members = about.get(":submitters") or about.get("submitters") or []
        members = [p for p in members if isinstance(p, dict)] \
            if isinstance(members, list) else []
        persons = [Person(text_of(p.get(":sid")), text_of(p.get(":name")),
                          text_of(p.get(":email"))) for p in members]
        s = Submission(words.folder(name), "gradescope",
                       persons or [Person(name, "", "")],
                       handed_in=time_of(about.get(":created_at")),
                       dues=[(due_of(about.get(":assignment"), about),
                              due_of(p.get(":assignment"), p)) for p in members])
        kind = here.pop(name, None)
        if kind in ("file", "folder"):
            s.pieces.append(Piece(name, "" if kind == "folder" else name))
        else:
            s.why = _("the list names {name}, which is not there", name=name) if not kind \
                else f"{name}: {_(REFUSED[kind])}"
        found.append(s)
    for name, kind in here.items():
        nobody.append((name, _(REFUSED[kind]) if kind in REFUSED else _(
            "{list} does not name it", list=GRADESCOPE)))
    return found, nobody
