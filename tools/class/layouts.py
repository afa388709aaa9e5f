# SPDX-License-Identifier: MIT
"""Whose is what: from the names that an LMS gives to what was handed in.

Only names are looked at here, and Gradescope's list, which a walled child reads.
Each form is one function of one name; a new LMS is a row of FORMS."""
import collections
import dataclasses
import os
import re
import stat

import words

# What systems and LMSs leave behind, and nobody has handed in.
LITTER = re.compile(r"\.DS_Store|\._.*|\.git|__MACOSX|Thumbs\.db|desktop\.ini", re.I)
ARCHIVE = re.compile(r"(?s).*\.(zip|tar|tgz|tbz2?|txz|tar\.(gz|bz2|xz|zst)|7z|rar)", re.I)
GRADESCOPE = "submission_metadata.yml"

Person = collections.namedtuple("Person", "id name email")


@dataclasses.dataclass
class Piece:
    """A file or folder that was handed in."""
    path: str        # where it is
    name: str        # as the student called it
    order: int = 0   # of two with one name the greater one counts


@dataclasses.dataclass
class Submission:
    key: str          # the name of its folder
    form: str         # by which it was recognised
    persons: list
    pieces: list = dataclasses.field(default_factory=list)
    late: bool = False
    version: int = 0     # the LMS's number of it, where it has one
    handed_in: str = ""  # when, where the LMS says it: 2026-11-30T23:59:00+00:00
    notes: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Hit:
    """What a form says of one entry."""
    who: str                 # tells the submission from others
    person: Person
    piece: Piece = None      # None: nothing that can be graded
    late: bool = False
    note: str = ""
    version: int = 0         # only the highest counts


# ---- the forms: of a name, whether it is a folder, and its path ----

def moodle(name, is_folder, path):
    """Ann Lee_1234_assignsubmission_file_ (a folder), or ..._file_scan.cu

    Moodle leaves no _ in a person's name; behind it a student may have called a file
    as another's is called, or as another system does it."""
    found = re.fullmatch(r"(?s)([^_@]*)_(\d+)_assignsubmission_([a-z]+)_?(.*)", name)
    if not found:
        return None
    called, number, kind, rest = found.groups()
    person = Person(number, called, "")
    if kind != "file":
        return Hit(number, person, note=f"{kind}: not graded, only files are")
    if not is_folder and not rest:
        return None
    return Hit(number, person, Piece(path, "" if is_folder else rest))


def canvas(name, is_folder, path):
    """leeann_LATE_123_4567_scan.cu: user, then attachment; or anon_X1y2Z_..."""
    if is_folder:
        return None
    late = r"(?:(?P<late>LATE)_)?"
    for form in (late + r"anon_(?P<user>[A-Za-z0-9]{5})_(?P<file>\d+)_(?P<name>.+)",
                 r"(?P<who>[^@]*?)_" + late + r"(?P<user>\d+)_(?P<file>\d+)_(?P<name>.+)",
                 r"(?P<who>[^@]*?)_" + late + r"(?P<user>\d+)_(?P<kind>text|link)\.html"):
        found = re.fullmatch("(?s)" + form, name)
        if found:
            break
    else:
        return None
    part = collections.defaultdict(str, found.groupdict())
    person = Person(part["user"], part["who"] or "anon_" + part["user"], "")
    if part["kind"]:
        return Hit(part["user"], person, late=bool(part["late"]),
                   note=f"a {part['kind']}: not graded, only files are")
    return Hit(part["user"], person, late=bool(part["late"]),
               piece=Piece(path, part["name"], int(part["file"])))


def autolab(name, is_folder, path):
    """ann@cs.edu_3_handin.tar: the third version"""
    found = re.fullmatch(r"(?s)([^@/\s]+@[^@_/\s]+)_(\d+)_(.+)", name)
    if is_folder or not found:
        return None
    email, version, rest = found.groups()
    return Hit(email, Person(email, "", email), Piece(path, rest),
               version=int(version))


def folder(name, is_folder, path):
    if not is_folder:
        return None
    return Hit(name, Person(name, "", ""), Piece(path, ""))


def archive(name, is_folder, path):
    found = ARCHIVE.fullmatch(name)
    if is_folder or not found:
        return None
    who = name[:found.start(1) - 1]
    return Hit(who, Person(who, "", ""), Piece(path, name))


FORMS = [moodle, canvas, autolab, folder, archive]


# ---- a folder ----

def entries(where):
    """Name, path and kind of each, sorted; litter is left out."""
    for name in sorted(os.listdir(where)):
        path = os.path.join(where, name)
        mode = os.lstat(path).st_mode
        if not LITTER.fullmatch(name):
            yield name, path, mode


def refused(mode):
    """Why nobody looks into it; None: somebody may."""
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    return "a link, which is not followed" if stat.S_ISLNK(mode) else "not a file"


def recognise(name, mode, path):
    for form in FORMS:
        hit = form(name, stat.S_ISDIR(mode), path)
        if hit:
            return form.__name__, hit
    return None, None


def inner(where):
    """An archive's one folder, where that is what the LMS made: it has
    Gradescope's list, or names that say which LMS it was."""
    while True:
        inside = [e for e in entries(where) if not refused(e[2])]
        if len(inside) != 1 or not stat.S_ISDIR(inside[0][2]):
            return where
        name, path, mode = inside[0]
        below = [recognise(n, m, p)[0] for n, p, m in entries(path) if not refused(m)]
        known = os.path.exists(os.path.join(path, GRADESCOPE)) or any(
            form in ("moodle", "canvas", "autolab") for form in below)
        if recognise(name, mode, path)[0] != "folder" or not known:
            return where
        where = path


def add(found, form, hit):
    """Puts what a form says to what is known of that submission."""
    s = found.setdefault((form, hit.who), Submission(
        words.folder(hit.person.name + "_" + hit.who if hit.person.name else hit.who),
        form, [hit.person]))
    s.late |= hit.late
    newest = s.version
    if hit.version < newest:
        s.notes.append(f"version {hit.version} is not graded, {newest} is")
        return
    if hit.version > newest and newest:
        s.notes.append(f"version {newest} is not graded, {hit.version} is")
        s.pieces.clear()
    s.version = hit.version
    if hit.note:
        s.notes.append(hit.note)
    if hit.piece:
        s.pieces.append(hit.piece)


def by_names(where):
    """Submissions by key, and (name, why) of what is nobody's."""
    found, nobody = {}, []
    for name, path, mode in entries(where):
        why = refused(mode)
        form, hit = (None, None) if why else recognise(name, mode, path)
        if hit:
            add(found, form, hit)
        else:
            nobody.append((name, why or "its name does not say whose it is"))
    return list(found.values()), nobody


def note_rows_of_one(submissions):
    """An id that several rows have: who imports them by it keeps one of them."""
    rows = collections.defaultdict(list)
    for s in submissions:
        for number in sorted({person.id for person in s.persons if person.id}):
            rows[number].append(s)
    for number, those in rows.items():
        for s in those:
            others = ", ".join(other.key for other in those if other is not s)
            if others:
                s.notes.append(f"the id {number} has other rows, too: {others}")


# ---- Gradescope ----

def text_of(value):
    return "" if value is None else str(value)


def time_of(value):
    """2026-11-20 10:00:00.123456789 Z, or with an offset, as scanlab reads it."""
    found = re.match(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?"
                     r" ?(Z|UTC|[+-]\d\d:?\d\d)$", text_of(value).strip())
    if not found:
        return ""
    day, time, zone = found.groups()
    zone = "+00:00" if zone in ("Z", "UTC") else zone[:3] + ":" + zone[-2:]
    return f"{day}T{time}{zone}"


def gradescope(where, listed):
    """listed: what submission_metadata.yml says, as a walled child read it."""
    found, nobody, here = [], [], {n: (p, m) for n, p, m in entries(where)}
    here.pop(GRADESCOPE, None)
    for name, about in sorted(listed.items()):
        about = about if isinstance(about, dict) else {}
        members = about.get(":submitters") or about.get("submitters") or []
        persons = [Person(text_of(p.get(":sid")), text_of(p.get(":name")),
                          text_of(p.get(":email")))
                   for p in members if isinstance(p, dict)] \
            if isinstance(members, list) else []
        s = Submission(words.folder(name), "gradescope",
                       persons or [Person(name, "", "")],
                       handed_in=time_of(about.get(":created_at")))
        path, mode = here.pop(name, (None, 0))
        if path and not refused(mode):
            s.pieces.append(Piece(path, "" if stat.S_ISDIR(mode) else name))
        else:
            s.notes.append(f"the list names {name}, which is not there" if not path
                           else f"{name}: {refused(mode)}")
        found.append(s)
    for name, (path, mode) in here.items():
        nobody.append((name, refused(mode) or f"{GRADESCOPE} does not name it"))
    return found, nobody
