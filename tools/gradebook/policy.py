# SPDX-License-Identifier: MIT
"""policy.ini: what the points of a class come to, beside what was graded.

The sections [late] and [lab ID] are those of course.ini and mean the same
(grader/course/rules.h). CSV files by student and lab have the same keys as a
[student WHO]. What is misspelt is refused, never passed over."""
import configparser
import dataclasses
import decimal
import difflib
import os
import re

import attempts
import groups
import questions
import regrade
import table
import times
import words
from translate import _

NEVER = "never"
MOST_STUDENTS = 100000


class Wrong(Exception):
    """What is wrong in a policy."""


@dataclasses.dataclass
class Late:
    """As struct late_rules."""
    grace: int = 0
    each: int = times.DAY
    until: int = 0
    percent: int = 0
    most: int = 100

    def lost(self, late):
        """Percent that are lost by who is so many seconds late."""
        if late <= self.grace or not self.percent:
            return 0
        if self.until and late > self.until:
            return 100
        return min(-(-late // self.each) * self.percent, self.most, 100)


@dataclasses.dataclass
class Lab:
    due: object = None  # seconds; NEVER; None: nobody has said
    cap: object = None
    questions: tuple = ()  # the most points of each written one
    drop: bool = True   # may be among those that do not count
    attempt: object = None  # None: as the course says


@dataclasses.dataclass
class Own:
    """What holds for one student, of one lab or of all."""
    handed_in: object = None
    due: object = None
    extension: int = 0
    grace_days: object = None
    exempt: bool = False
    add: object = None
    override: object = None
    who: str = ""
    why: str = ""
    tell: bool = False    # the student: who and why
    comment: str = ""
    submission: str = ""  # whose it is, where nothing else says it


@dataclasses.dataclass
class Policy:
    zone: object = None
    grace_days: int = 0
    drop: int = 0
    cap: object = None
    out_of: object = None   # totals are so many points times the percentage
    attempt: str = attempts.LAST
    missing: object = None  # points of what was not handed in; None: not decided
    late: dict = dataclasses.field(default_factory=dict)    # lab, or "" for all: Late
    labs: dict = dataclasses.field(default_factory=dict)    # lab: Lab
    owns: dict = dataclasses.field(default_factory=dict)    # who: {lab or "": Own}
    marks: dict = dataclasses.field(default_factory=dict)   # questions.read_marks
    groups: dict = dataclasses.field(default_factory=dict)  # groups.read_groups
    requests: list = dataclasses.field(default_factory=list)  # regrade.read_requests
    said: dict = dataclasses.field(default_factory=dict)    # (id of an Own, key): text

    def late_of(self, lab):
        return self.late.get(lab, self.late.get("", Late()))

    def lab_of(self, lab):
        return self.labs.get(lab, Lab())

    def attempt_of(self, lab):
        return self.lab_of(lab).attempt or self.attempt


# ---- values ----

def number(text):
    if not re.fullmatch(r"[+-]?\d{1,7}(\.\d{1,4})?", text):
        raise ValueError(_("'{text}' is no number of points", text=text[:40]))
    return decimal.Decimal(text)


def points(text):
    value = number(text)
    if value < 0:
        raise ValueError(_("'{text}': points are not negative", text=text[:40]))
    return value


def positive(text):
    value = points(text)
    if not value:
        raise ValueError(_("totals out of 0 points are none"))
    return value


def several(text):
    return tuple(points(part) for part in text.split())


def whole(most):
    def read(text):
        if not re.fullmatch(r"\d{1,6}", text) or int(text) > most:
            raise ValueError(_("'{text}' is no number from 0 to {most}", text=text[:40],
                               most=most))
        return int(text)
    return read


def yes(text):
    if text not in ("yes", "no"):
        raise ValueError(_("'{text}' is neither yes nor no", text=text[:40]))
    return text == "yes"


def missing(text):
    if text not in ("zero", "open"):
        raise ValueError(_("'{text}' is neither zero nor open", text=text[:40]))
    return decimal.Decimal(0) if text == "zero" else None


def sentence(text):
    return words.line(text, 1000)


KEYS = {  # section: {key: (field, what reads the value; "time" needs the zone)}
    "course": {"zone": ("zone", times.zone_of), "grace-days": ("grace_days", whole(1000)),
               "drop": ("drop", whole(100)), "cap": ("cap", points),
               "out-of": ("out_of", positive), "attempt": ("attempt", attempts.rule),
               "missing": ("missing", missing)},
    "late": {"grace": ("grace", times.duration), "each": ("each", times.duration),
             "until": ("until", times.duration), "percent": ("percent", whole(100)),
             "most": ("most", whole(100))},
    "lab": {"due": ("due", "time"), "cap": ("cap", points), "drop": ("drop", yes),
            "attempt": ("attempt", attempts.rule), "questions": ("questions", several)},
    "student": {"handed-in": ("handed_in", "time"), "due": ("due", "time"),
                "extension": ("extension", times.duration),
                "grace-days": ("grace_days", whole(1000)), "exempt": ("exempt", yes),
                "add": ("add", number), "override": ("override", points),
                "who": ("who", sentence), "why": ("why", sentence), "tell": ("tell", yes),
                "comment": ("comment", sentence), "submission": ("submission", sentence)},
}
FILES = {"students": None, "questions": questions.read_marks, "groups": groups.read_groups,
         "requests": regrade.read_requests}
# Keys of course.ini that say nothing of points.
OF_COURSE = {"course": ("seed", "seeds", "visibility", "leaderboard", "repairs", "language"),
             "lab": ("visibility", "offered")}


def near(name, names):
    found = difflib.get_close_matches(name, names, 1)
    return _("; did you mean '{name}'?", name=found[0]) if found else ""


class Reader:
    """Of one file, into a policy."""

    def __init__(self, policy, labs, path):
        self.policy, self.labs, self.path = policy, labs, path
        self.files, self.points = {name: [] for name in FILES}, points

    def wrong(self, where, why):
        return Wrong(words.line(f"{self.path}: {where}: {why}", 600))

    def columns(self, rows, *needed):
        """{name: number} of the columns of a table.Table, which has all of these."""
        at = {name.casefold().strip(): n for n, name in enumerate(rows.header)}
        for name in needed:
            if name not in at:
                raise self.wrong(_("row {n}", n=1), _("there is no column '{name}'", name=name))
        return at

    def set(self, place, kind, where, key, text):
        if key not in KEYS[kind]:
            raise self.wrong(where, _("there is no key '{key}'", key=key) + near(key, KEYS[kind]))
        field, read = KEYS[kind][key]
        if kind == "student":
            other = self.policy.said.setdefault((id(place), key), text)
            if other != text:
                raise self.wrong(where, _("{key}: '{text}' here, and '{other}' elsewhere for the "
                                          "same student and lab", key=key, text=text[:60],
                                          other=other[:60]))
        try:
            if read == "time":
                value = NEVER if text == NEVER and field == "due" else \
                    times.seconds(text, self.policy.zone, last=field == "due")
            else:
                value = read(text)
        except ValueError as why:
            raise self.wrong(where, f"{key}: {why}") from None
        setattr(place, field, value)

    def lab(self, where, name):
        if name not in self.labs:
            raise self.wrong(where, _("no lab '{lab}' was graded", lab=name) + near(
                name, self.labs))
        return name

    # ---- policy.ini ----

    def ini(self, of_course=False):
        text, *_ = table.read_text(self.path, 4 << 20)
        ini = configparser.ConfigParser(
            interpolation=None, delimiters=("=",), comment_prefixes=("#", ";"),
            inline_comment_prefixes=(";",), default_section="\0", empty_lines_in_values=False)
        try:
            ini.read_string(text, os.path.basename(self.path))
        except configparser.Error as trouble:
            raise Wrong(words.line(f"{self.path}: {' '.join(str(trouble).split())}", 600)) \
                from None
        # The zone first: other values may need it.
        for section in sorted(ini.sections(), key=lambda s: s != "course"):
            kind, _, name = section.partition(" ")
            self.section(f"[{section}]", kind, name.strip(), dict(ini[section]), of_course)

    def section(self, where, kind, name, found, of_course):
        if kind == "files" and not name and not of_course:
            self.take_files(where, found)
            return
        if kind not in KEYS or of_course and kind == "student":
            raise self.wrong(where, _("there is no such section") + near(
                kind, [*KEYS, "files"]))
        if of_course:
            found = {k: v for k, v in found.items() if k not in OF_COURSE.get(kind, ())}
            if kind == "lab" and name not in self.labs:
                return  # of the course, and not graded here
        if bool(name) != (kind in ("lab", "student")) and kind != "late":
            raise self.wrong(where, _("write [{section}]", section=kind if name else
                                      f"{kind} WHICH"))
        if kind == "student":
            self.student(where, name, found)
            return
        if kind == "course":
            place = self.policy
            found = dict(sorted(found.items(), key=lambda item: item[0] != "zone"))
        elif kind == "late":
            place = self.policy.late[self.lab(where, name) if name else ""] = Late()
        else:
            place = self.policy.labs.setdefault(self.lab(where, name), Lab())
        for key, text in found.items():
            self.set(place, kind, where, key, text)
        if kind == "late":
            self.check_late(where, place)

    def check_late(self, where, late):
        if late.until and late.until <= late.grace:
            raise self.wrong(where, _("until: that is over before 'grace' is"))
        if late.most < late.percent:
            raise self.wrong(where, _("most: {most} is less than the first {percent} percent",
                                      most=late.most, percent=late.percent))

    def take_files(self, where, found):
        for key, text in found.items():
            if key not in FILES:
                raise self.wrong(where, _("there is no key '{key}'", key=key) + near(
                    key, list(FILES)))
            self.files[key] += [os.path.join(os.path.dirname(self.path), name.strip())
                           for name in text.split(",") if name.strip()]

    # ---- what holds for one student ----

    def own(self, who, lab):
        if len(self.policy.owns) >= MOST_STUDENTS:
            raise self.wrong(who, _("too many students"))
        return self.policy.owns.setdefault(who, {}).setdefault(lab, Own())

    def student(self, where, who, found):
        """Keys are `override`, or `naive override` for one lab."""
        labs = set()
        for words_of_key, text in found.items():
            lab, _, key = words_of_key.rpartition(" ")
            lab = self.lab(where, lab.strip()) if lab else ""
            self.set(self.own(who, lab), "student", where, key, text)
            labs.add(lab)
        for lab in labs:
            self.check_own(where, lab, self.own(who, lab))

    def check_own(self, where, lab, own):
        if own.override is not None and not (own.who and own.why):
            raise self.wrong(where, 
                _("an override says `who` and `why`: write {lab} who, {lab} why", lab=lab)
                if lab else _("an override says `who` and `why`"))
        if own.grace_days is not None and lab:
            raise self.wrong(where, _("grace-days are of a student, not of a lab"))

    def csv(self):
        """Columns: student, lab (empty: all) and the keys of a [student WHO]."""
        rows = table.Table(self.path)
        names = [name.casefold().replace("_", "-") for name in rows.header]
        if "student" not in names:
            raise self.wrong(_("row {n}", n=1), _("there is no column 'student'"))
        for name in names:
            if name not in KEYS["student"] and name not in ("student", "lab"):
                raise self.wrong(_("row {n}", n=1), _("there is no column '{name}'", name=name) +
                                 near(name, [*KEYS["student"], "lab", "student"]))
        if len(set(names)) < len(names):
            raise self.wrong(_("row {n}", n=1), _("two columns have one name"))
        for row in range(1, len(rows.rows)):
            found = {name: rows.value(row, at).strip() for at, name in enumerate(names)}
            found = {name: text for name, text in found.items() if text}
            if not found:
                continue
            where = _("row {n}", n=row + 1)
            who, lab = found.pop("student", ""), found.pop("lab", "")
            if not who:
                raise self.wrong(where, _("whose it is does not stand there"))
            own = self.own(who, self.lab(where, lab) if lab else "")
            for key, text in found.items():
                self.set(own, "student", where, key, text)
            self.check_own(where, lab, own)


def read(paths, course, labs):
    """paths: of .ini and .csv files. course: a folder, whose course.ini holds where the
    policy says nothing; or None."""
    policy = Policy()
    if course and not os.path.isdir(course):
        raise Wrong(_("{folder}: there is no such folder of a course", folder=course))
    if course and os.path.exists(at := os.path.join(course, "course.ini")):
        Reader(policy, labs, at).ini(of_course=True)
    left, others = list(paths), []
    while left:
        reader = Reader(policy, labs, left.pop(0))
        if reader.path.lower().endswith(".csv"):
            reader.csv()
        else:
            reader.ini()
            left += reader.files["students"]
            others += [(FILES[key], path) for key, found in reader.files.items()
                       for path in found if FILES[key]]
    for read_other, path in others:  # when all labs' points are known
        read_other(Reader(policy, labs, path), path)
    return policy
