# SPDX-License-Identifier: MIT
"""What an instructor has accepted of what needed a look: a file under another name as a
lab's source, or the one of two versions that is graded. OUT keeps it, with a hash of the
file: another one under that name needs another look."""
import json
import os

import words
from ledger import write_whole

FILE, ALL = "accepted.json", "all"


class Accepted:
    """Keys and files that --accept names, and those that were accepted before."""

    def __init__(self, everybody, files):
        self.everybody, self.files = everybody, files  # files: key: {paths}, {}: any
        self.kept, self.path = {}, None

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
        return self.kept.get(name) == one

    def chosen(self, key, source, path, data):
        """Was this one of several named: now, or before?"""
        if path in self.files.get(key, ()):
            return self.has(key, source, path, data, False)
        kept = self.kept.get("/".join((key, source)))
        return kept == [path, words.digest(data)] and not self.files.get(key)

    def write(self):
        if self.kept:
            write_whole(self.path, json.dumps(self.kept, indent=1, sort_keys=True) + "\n")
