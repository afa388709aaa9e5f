# SPDX-License-Identifier: MIT
"""Copies what may be a source out of what was handed in, into one folder that
`scanlab grade` can read: through no link, within bounds, the labs' files under
the names that the labs have. It parses nothing; unpack.py reads archives.

What was taken, renamed and left out is told in notes, for the instructor and in
the student's feedback."""
import collections
import errno
import math
import os
import re
import shutil
import stat

import words
from layouts import ARCHIVE, refused
from walled import Fault, seconds_of_children

SOURCE = re.compile(r"(?s).*\.(h|hh|hpp|hxx|cuh|inc|inl|ipp|tpp|def|cu|c|cc|cpp|cxx)", re.I)
LITTER = re.compile(r"__MACOSX|\.git|\.svn|\._.*", re.S)
# The grader itself takes no more (grader/judge/sources.h).
MOST_FILES, MOST_FILE, MOST_BYTES = 1000, (4 << 20) - 1, 32 << 20
MOST_ENTRIES, MOST_DEEP, MOST_NESTED, MOST_ARCHIVES = 20000, 16, 2, 16
UNPACKED_MIB, UNPACKED_FILES = 32, 5000
ARCHIVES_S = 60  # of a processor, for all of a submission
MOST_NOTES = 30

File = collections.namedtuple("File", "parts path order")
Taken = collections.namedtuple("Taken", "hash files notes empty unreadable")


class Nothing(Exception):
    """Out of bounds: the rest is not looked at."""


class Collector:
    def __init__(self, walls, labs, scratch):
        self.walls, self.labs, self.scratch = walls, labs, scratch
        self.sources = {source.lower(): source for _, source in labs}

    # ---- what there is ----

    def walk(self, where, parts, order, nested):
        """All files below a folder, archives' too."""
        if len(parts) > MOST_DEEP:
            self.note("/".join(parts), f"more than {MOST_DEEP} folders deep")
            return
        for name in sorted(os.listdir(where)):
            self.entries += 1
            if self.entries > MOST_ENTRIES:
                raise Nothing(f"more than {MOST_ENTRIES} files: the others are not looked at")
            if not LITTER.fullmatch(name):
                self.look(os.path.join(where, name), parts + [name], order, nested)

    def look(self, path, parts, order, nested):
        mode = os.lstat(path).st_mode
        why = refused(mode)
        if why:
            self.note("/".join(parts), why)
        elif stat.S_ISDIR(mode):
            if not os.path.lexists(os.path.join(path, "CMakeCache.txt")):  # a build
                self.walk(path, parts, order, nested)
        elif ARCHIVE.fullmatch(parts[-1]):
            self.unpack(path, parts, order, nested)
        else:
            self.files.append(File(parts, path, order))

    def unpack(self, path, parts, order, nested):
        name = "/".join(parts)
        self.archives += 1
        if nested == MOST_NESTED or self.archives > MOST_ARCHIVES:
            self.unreadable.append(words.line(
                f"{name}: an archive too many, or within too many others"))
            return
        if self.seconds < 1:
            self.unreadable.append(words.line(
                f"{name}: reading the archives before it took {ARCHIVES_S} s"))
            return
        to = os.path.join(self.scratch, str(self.archives))
        os.mkdir(to, 0o700)
        before = seconds_of_children()
        with open_plain(path) as file:
            answer = self.walls.run("archive", file, to,
                                    ("sources", UNPACKED_MIB, UNPACKED_FILES), 64,
                                    math.ceil(self.seconds))
        self.seconds -= seconds_of_children() - before
        if "refused" in answer:
            self.unreadable.append(words.line(f"{name}: {answer['refused']}"))
            shutil.rmtree(to)
            return
        for text in answer["notes"]:
            self.note(name, text)
        self.walk(to, parts, order, nested + 1)

    def note(self, name, why):
        if len(self.notes) < MOST_NOTES:
            self.notes.append(words.line(f"{name}: {why}" if name else why))

    # ---- which of them are graded ----

    def lab_of(self, name):
        """The lab's file that a name means, and whether it is that name: LMSs
        and browsers add (1), -1, .txt; people write other cases."""
        plain = name.lower()
        if plain in self.sources:
            return self.sources[plain]
        plain = re.sub(r"\.txt$", "", plain)
        found = re.fullmatch(r"(?s)(.*?)(?:[-_ ]?\(\d+\)|-\d+|[-_ ]+(?:copy|kopie))?(\.\w+)", plain)
        if not found:
            return None
        return self.sources.get(re.sub("[- ]", "_", found[1]) + found[2])

    def best_folder(self, found):
        """The one with the most labs' files; then the highest up, then by name."""
        counts = collections.defaultdict(set)
        for source, files in found.items():
            for file in files:
                counts[tuple(file.parts[:-1])].add(source)
        return min(counts, key=lambda at: (-len(counts[at]), len(at), at), default=None)

    def choose(self):
        """Path in the submission: file. All that stands in the folder with the
        labs' files; of a lab that is missing there the file from elsewhere, and
        headers beside it."""
        found = collections.defaultdict(list)
        for file in self.files:
            source = self.lab_of(file.parts[-1])
            if source:
                found[source].append(file)
        root = self.best_folder(found)
        if root is None:
            return {}
        chosen = {}
        for file in self.files:
            below = tuple(file.parts[:len(root)]) == root
            rest = file.parts[len(root):]
            if below and SOURCE.fullmatch(file.parts[-1]):
                chosen["/".join(rest)] = file
        for source in sorted(found):
            self.choose_lab(chosen, source, found[source], root)
        return chosen

    def choose_lab(self, chosen, source, files, root):
        files = sorted(files, key=lambda f: (
            tuple(f.parts[:-1]) != root, len(f.parts), f.parts[:-1],
            f.parts[-1] != source, f.parts[-1].lower() != source.lower(),
            -f.order, f.parts))
        taken = files[0]
        chosen[source] = taken
        name = "/".join(taken.parts)
        if taken.parts[-1] != source:
            self.note(name, f"graded as {source}")
            chosen.pop("/".join(taken.parts[len(root):]), None)
        for other in files[1:]:
            if not same_bytes(other.path, taken.path):
                self.note("/".join(other.parts), f"not graded, {name} is"
                          if other.parts != taken.parts else
                          "handed in more than once, the last one is graded")
        if tuple(taken.parts[:-1]) == root:
            return
        beside = taken.parts[:-1]
        for file in self.files:
            header = "/".join(file.parts[len(beside):])
            if file.parts[:len(beside)] == beside and file is not taken and \
                    SOURCE.fullmatch(header) and not self.lab_of(file.parts[-1]):
                chosen.setdefault(header, file)

    # ---- the copy ----

    def collect(self, submission, to):
        """Fills the folder `to`, which is there and empty."""
        self.files, self.notes, self.unreadable = [], [], []
        for text in submission.notes:
            self.note("", text)
        self.entries, self.archives, self.seconds = 0, 0, ARCHIVES_S
        shutil.rmtree(self.scratch, ignore_errors=True)
        os.makedirs(self.scratch, 0o700)
        try:
            for piece in submission.pieces:
                if piece.name:
                    self.look(piece.path, [piece.name], piece.order, 0)
                else:
                    self.walk(piece.path, [], piece.order, 0)
        except Nothing as why:
            self.note("", str(why))
        chosen = self.choose()
        taken = self.copy(chosen, to)
        shutil.rmtree(self.scratch)
        left = [f for f in self.files if f not in list(chosen.values())]
        if left:
            self.note("", f"{len(left)} other file{'s' * (len(left) > 1)} not looked at")
        files = ["/".join(chosen[name].parts) for name in sorted(taken)]
        return Taken(
            words.digest(*(part for item in sorted(taken.items()) for part in item)),
            [name if name == file else f"{name} <- {file}"
             for name, file in zip(sorted(taken), files)],
            self.notes + self.unreadable,
            not set(self.sources.values()) & set(taken), bool(self.unreadable))

    def copy(self, chosen, to):
        """The hash of each file that was copied."""
        taken, total = {}, 0
        for name, file in sorted(chosen.items(), key=lambda item: (
                item[0] not in self.sources.values(), item[0])):
            if len(taken) == MOST_FILES:
                self.note("", f"only {MOST_FILES} sources are taken")
                break
            with open_plain(file.path) as source:
                data = source.read(MOST_FILE + 1)
            if len(data) > MOST_FILE:
                self.note(name, "left out, it has 4 MiB or more")
            elif total + len(data) > MOST_BYTES:
                self.note(name, "left out, all together have more than 32 MiB")
            elif self.write(os.path.join(to, *name.split("/")), name, data):
                total += len(data)
                taken[name] = words.digest(data)
        return taken

    def write(self, path, name, data):
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb") as file:
                file.write(data)
        except (FileExistsError, NotADirectoryError):
            self.note(name, "left out, a file and a folder have this name")
            return False
        except OSError as why:
            if why.errno != errno.ENAMETOOLONG:
                raise
            self.note(name, "left out, its name is too long")
            return False
        return True


def open_plain(path):
    """A regular file, through no link; what it has become since it was seen does
    not matter."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise Fault(f"{path}: it was a file a moment ago")
    return os.fdopen(fd, "rb")


def same_bytes(one, other):
    with open_plain(one) as a, open_plain(other) as b:
        return a.read(MOST_FILE + 1) == b.read(MOST_FILE + 1)
