# SPDX-License-Identifier: MIT
"""What an instructor has accepted of what needed a look: a file under another name as a
lab's source, or the one of two versions that is graded. OUT keeps it, with a hash of the
file: another one under that name needs another look."""
import difflib
import json
import os

import words
from ledger import write_whole
from translate import _
from walled import Fault

FILE, ALL = "accepted.json", "all"


class Accepted:
    """Keys and files that --accept names, and those that were accepted before."""

    def __init__(self, everybody, files):
        self.everybody, self.files = everybody, files  # files: key: {paths}, {}: any
        self.kept, self.path = {}, None
        self.seen, self.used = {}, set()  # of keys that were named: their files; (key, path)

    @classmethod
    def asked(cls, text):
        names = [name for name in text.split(",") if name]
        files = {}
        for name in names:
            key, _, path = name.partition("=")
            files.setdefault(key, set()).update([path] if path else [])
        return cls(ALL in names, files)

    def open(self, out):
        self.path = os.path.join(out, FILE)
        try:
            with open(self.path, encoding="utf-8") as file:
                found = json.load(file)
        except (OSError, ValueError):
            found = {}
        self.kept = found if isinstance(found, dict) else {}

    def has(self, key, source, path, data, alone):
        """Is this file the source? alone: no other one may be it."""
        name = "/".join((key, source))
        one = [path, words.digest(data)]
        named = self.files.get(key, set())
        if path in named or (alone and not named and (self.everybody or key in self.files)):
            self.kept[name] = one
        if self.kept.get(name) == one:
            self.used.add((key, path))
            return True
        return False

    def chosen(self, key, source, path, data):
        """Was this one of several named: now, or before?"""
        if path in self.files.get(key, ()):
            return self.has(key, source, path, data, False)
        kept = self.kept.get("/".join((key, source)))
        self.see(key, [path])
        return kept == [path, words.digest(data)] and not self.files.get(key)

    def see(self, key, paths):
        """Files of a submission that could be meant."""
        if key in self.files:
            self.seen.setdefault(key, []).extend(
                path for path in paths if path not in self.seen.get(key, ()))

    def check(self, rows):
        """Faults of what --accept names in vain: a key that is none, a file that is not there.
        rows: {key: Row}"""
        for key, paths in self.files.items():
            if key != ALL and key not in rows:
                raise Fault(_("--accept {key}: there is no such submission{near}", key=key,
                              near=near_keys(key, rows)))
            there = self.seen.get(key, [])
            for path in sorted(paths - {path for used, path in self.used if used == key}):
                raise Fault(_("--accept {key}={path}: there is no such file that may be a lab's; "
                              "there is {files}", key=key, path=path,
                              files=", ".join(there[:5]) or _("none")))

    def unused(self):
        """Keys that were named, and of which nothing had to be accepted."""
        return sorted(key for key in self.files if key != ALL and
                      key not in {used for used, _path in self.used})

    def write(self):
        if self.kept:
            write_whole(self.path, json.dumps(self.kept, indent=1, sort_keys=True) + "\n")


def near_keys(wanted, rows):
    """Keys of those who are called so, or of which that is a part; else those that look so."""
    plain = words.seen(wanted)
    found = [key for key, row in rows.items() if any(
        plain and plain in words.seen(text) for person in row.submission.persons
        for text in (key, *person))] or difflib.get_close_matches(wanted, rows, 3)
    return _("; did you mean {keys}?", keys=", ".join(found[:3])) if found else ""
