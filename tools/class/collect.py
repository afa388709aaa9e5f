# SPDX-License-Identifier: MIT
"""Takes what may be a source out of what was handed in, into one folder that
`scanlab grade` can read: through no link, within bounds, the labs' files under
the names that the labs have. It parses nothing; unpack.py reads archives.

A submission may change while it is read, or be made to be read badly (tree.py).
Each file is opened once, and its bytes are kept until it is known which are graded.
What was taken, renamed and left out is told in notes, for the instructor and in
the student's feedback; what could not be read makes a row `unreadable`: graded
without that file, a submission would get points that are not those of its work."""
import collections
import dataclasses
import errno
import functools
import math
import os
import re
import shutil

import kinds
import likely
import tree
import unpack
import words
from accepted import Accepted
from layouts import ARCHIVE
from translate import _
from walled import seconds_of_children

SOURCE = re.compile(r"(?s).*\.(h|hh|hpp|hxx|cuh|inc|inl|ipp|tpp|def|cu|c|cc|cpp|cxx)", re.I)
ANSWERS = re.compile(r"answers(?:[ _-]?\(?\d+\)?)?\.(md|txt|markdown)(\.txt)?", re.I)
OF_ANSWERS = re.compile(r"answers\b.*", re.I)
LITTER = re.compile(r"__MACOSX|CMakeFiles|\.git|\.svn|\._.*", re.S)
# What LMSs, browsers and people put behind a name: (1), -1, -copy.
ADDED = re.compile(r"(?:[-_ ]?\(\d+\)|-\d+|(?<![-_ ])[-_ ]+(?:copy|kopie))\Z")
# The grader itself takes no more (grader/judge/sources.h).
MOST_FILES, MOST_FILE, MOST_BYTES = 1000, (4 << 20) - 1, 32 << 20
# What is kept until it is known what is graded: of labs' files, and of others.
MOST_KEPT = 64 << 20
MOST_ANSWERS = 256 << 10
MOST_NESTED, MOST_ARCHIVES = 2, 16
UNPACKED_MIB, UNPACKED_FILES = 32, 5000
ARCHIVES_S = 60  # of a processor, for all of a submission
MOST_NOTES = 30
# Bytes: of a name and of a path in a submission, so that each way of compiling and
# copying has room for what goes before, wherever OUT lies.
MOST_NAME, MOST_PATH, MOST_LAB_NAME = 200, 500, 100
MOST_SHOWN = 100  # characters of a path, in a note


@dataclasses.dataclass(eq=False)
class File:
    parts: list   # its folders and name in the submission
    data: bytes   # b"" where there is a why
    order: int
    why: str = "" # it is left out
    late: bool = False   # as its system has marked it
    quiet: bool = False  # not counted among those that nobody looked at


# looks: what somebody has to look at before all of it can be graded. not_read: those of the
# notes that say what could not be read.
# acceptable: some of the looks end with --accept. held: labs without a file of which somebody
# has to look. late: {lab: whether its file was marked late}, where files differ in that.
Taken = collections.namedtuple(
    "Taken", "hash files notes not_read empty unreadable looks acceptable held late")


def short(name):
    """Of a long path both ends, so that what is said of it has room."""
    return name if len(name) <= MOST_SHOWN else \
        name[:MOST_SHOWN // 2] + "..." + name[-MOST_SHOWN // 2:]


class Collector:
    def __init__(self, walls, labs, scratch, symbols=None, accepted=None, stubs=None):
        """symbols: of a source, the functions by which one of another name is known;
        stubs: of a source, the bytes that everybody was given."""
        self.walls, self.scratch = walls, scratch
        self.sources = {source.lower(): source for _, source in labs}
        self.labs = {source: lab for lab, source in labs}
        self.symbols, self.stubs = symbols or {}, stubs or {}
        self.accepted = accepted or Accepted(False, {})

    # ---- what there is ----

    def walk(self, folder, parts, order, nested):
        """All files below an open folder, archives' too."""
        for entry in tree.walk(
                folder, self.bounds, lambda below, _: LITTER.fullmatch(below[-1]),
                self.left_out,
                lambda name: self.lab_of(name) or ARCHIVE.fullmatch(name)):
            entry.parts = parts + entry.parts
            name = "/".join(entry.parts)
            if entry.kind == "trouble":
                self.lose(name, entry.why)
            elif entry.kind == "bound":
                self.refuse(name, entry.why)
            elif entry.why:
                self.note(name, entry.why)
                self.keep_refused(name, _(entry.why))
            else:
                self.look(entry, order, nested)

    def keep_refused(self, name, why):
        """If nothing else is called as this lab's source, somebody has to look at it."""
        if source := self.lab_of(re.split(r"[/\\]", name)[-1]):
            self.refused.setdefault(source, f"{short(name)}: {why}")

    def left_out(self, names):
        """Why a folder with these names is not looked into: CMake has made all that is
        in it. A folder in which somebody has run CMake beside sources is handed in."""
        made = "CMakeCache.txt" in names and "CMakeLists.txt" not in names and not any(
            SOURCE.fullmatch(name) or self.lab_of(name) for name in names)
        return _("not looked into, CMake builds in this folder") if made else ""

    def look(self, entry, order, nested):
        """A file: read now, while its folder is open."""
        name = entry.parts[-1]
        try:
            if self.lab_of(name):
                self.keep(entry, order, "labs")
            elif ARCHIVE.fullmatch(name):
                self.unpack(entry, order, nested)
            elif SOURCE.fullmatch(name):
                self.keep(entry, order, "others")
            elif ANSWERS.fullmatch(name):
                self.keep_answers(entry)
            elif name.lower().endswith(".txt"):
                self.keep(entry, order, "others",
                          bool(nested) and not unpack.SOURCE.fullmatch(name))
            else:
                path, counts = "/".join(entry.parts), not (nested or self.text)
                self.passed_by |= {path} if counts else set()
                if what := kinds.of_name(name):
                    self.documents.append((path, what))
                    if OF_ANSWERS.fullmatch(name):
                        self.note(path, _(
                            "not taken, it is {what}: answers are read in answers.md",
                            what=_(what)))
                elif self.keep_likely(entry, order, counts):
                    self.passed_by.discard(path)
                elif meant := self.meant_by(name.removeprefix(".")):
                    self.refused.setdefault(meant, _(
                        "{name}: not read, by its name it is no source", name=short(path)))
        except tree.Unreadable as why:
            self.lose("/".join(entry.parts), why)

    def keep_likely(self, entry, order, counts):
        """A file whose name says nothing: a text that a system has taken instead of a file,
        or a source under a name of no kind. True: it may be a source, and is kept. counts:
        if it is not graded in the end, it counts as a file that nobody looked at."""
        if self.left["likely"] <= 0:
            return False
        try:
            data = entry.read(likely.MOST)
        except tree.Unreadable:
            return False  # under its name it is not a source: no loss
        self.left["likely"] -= len(data)
        if len(data) > likely.MOST:
            return False
        if self.text or re.search(r"(?i)\.html?$", entry.parts[-1]):
            data = likely.text_of(data)
        if self.text and not likely.is_blank(data):
            self.texts.append("/".join(entry.parts))
        if not any(likely.defines(data, symbols) for symbols in self.symbols.values()):
            return False
        self.files.append(File(entry.parts, data, order, late=self.late, quiet=not counts))
        return True

    def keep(self, entry, order, sort, quiet=False):
        most = min(MOST_FILE, self.left[sort])
        data, why = entry.read(most), ""
        if len(data) > MOST_FILE:
            why = _("left out, it has 4 MiB or more")
        elif len(data) > most:
            why = _("left out, there are more than {n} MiB before it",
                    n=MOST_KEPT >> 20)
        elif what := kinds.of_bytes(data):
            why = _("left out, it is {what} and no source", what=_(what))
            if sort != "labs":
                self.documents.append(("/".join(entry.parts), what))
        elif sort == "labs" and likely.is_blank(data):
            why = _("left out, it has nothing but blanks or zeros") if data else \
                _("left out, it is empty")
        self.left[sort] -= 0 if why else len(data)
        self.files.append(File(entry.parts, b"" if why else data, order, why, self.late, quiet))

    def keep_answers(self, entry):
        """To the questions of the handouts: nobody grades them here."""
        data, name = entry.read(MOST_ANSWERS), "/".join(entry.parts)
        if len(data) > MOST_ANSWERS:
            self.note(name, _("not taken, it has more than {n} KiB",
                              n=MOST_ANSWERS >> 10))
        elif self.answers is None or len(entry.parts) < len(self.answers[0]):
            self.answers = entry.parts, data
            self.note(name, _("taken, for who marks written questions"))
        else:
            self.note(name, _("not taken, {name} is", name="/".join(self.answers[0])))

    def write_answers(self, to):
        if self.answers:
            data = self.answers[1]
            if data.startswith((b"\xff\xfe", b"\xfe\xff")):
                data = data.decode("utf-16", "replace").encode("utf-8", "replace")
            os.makedirs(to, 0o700)
            with open(os.path.join(to, "answers.md"), "xb") as file:
                file.write(data.removeprefix(b"\xef\xbb\xbf"))

    def unpack(self, entry, order, nested):
        name = "/".join(entry.parts)
        self.archives += 1
        if nested == MOST_NESTED or self.archives > MOST_ARCHIVES:
            self.refuse(name, _("an archive too many, or within too many others"))
            return
        if self.seconds < 1:
            self.refuse(name, _("reading the archives before it took {n} s", n=ARCHIVES_S))
            return
        to = os.path.join(self.scratch, str(self.archives))
        os.mkdir(to, 0o700)
        fd, before = entry.open(), seconds_of_children()
        try:
            answer = self.walls.run("archive", fd, name, to,
                                    ("sources", UNPACKED_MIB, UNPACKED_FILES), 64,
                                    math.ceil(self.seconds))
        finally:
            os.close(fd)
        self.seconds -= seconds_of_children() - before
        if "refused" in answer:
            self.refuse(name, unpack.again(answer["refused"]))
        else:
            for text in answer["notes"]:
                self.note(name, unpack.again(text))
            for missed, why in answer["missed"]:
                self.keep_refused(f"{name}/{missed}", unpack.again(why))
            self.documents += [(f"{name}/{text}", kinds.of_name(text))
                               for text in answer["documents"]]
            self.hollow += [name] * (not answer["files"] + answer["others"])
            with tree.Folder.open(to) as folder:
                self.walk(folder, entry.parts, order, nested + 1)
        shutil.rmtree(to)

    def note(self, name, why):
        if len(self.notes) < MOST_NOTES:
            self.notes.append(words.line(f"{short(name)}: {_(why)}" if name else _(why)))

    def refuse(self, name, why):
        """An archive: it may have had what is missing."""
        self.unreadable = True
        if len(self.not_read) < MOST_NOTES:
            self.not_read.append(words.line(f"{short(name)}: {_(why)}"))

    def lose(self, name, why):
        """Something that would be graded is there, and nobody can read it."""
        self.lost = True
        self.refuse(name or _("it"), why)

    # ---- which of them are graded ----

    def lab_of(self, name):
        """The lab's file that a name means, and whether it is that name: LMSs
        and browsers add (1), -1, .txt; people write other cases."""
        plain = name.lower() if len(name) <= MOST_LAB_NAME else ""
        if plain in self.sources:
            return self.sources[plain]
        stem, _, ending = plain.removesuffix(".txt").rpartition(".")
        found = ADDED.search(stem)
        stem = stem[:found.start()] if found else stem
        return self.sources.get(re.sub("[- ]", "_", stem) + "." + ending)

    def best_folder(self, found):
        """The one with the most labs' files; then the highest up, then by name."""
        counts = collections.defaultdict(set)
        for source, files in found.items():
            for file in files:
                counts[tuple(file.parts[:-1])].add(source)
        self.labs_in = {at: len(labs) for at, labs in counts.items()}
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
        self.add_likely(found)
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

    def add_likely(self, found):
        """Of a lab of which nothing was handed in: a file of another name that names the
        lab's functions. It is graded when somebody has said so."""
        for source in sorted(set(self.sources.values()) - set(found)):
            found_ones = [f for f in self.files if self.may_be(f, source)]
            names = ["/".join(f.parts) for f in found_ones]
            self.accepted.see(self.key, names)
            taken = [f for f, name in zip(found_ones, names) if self.accepted.has(
                self.key, source, name, f.data, len(found_ones) == 1)]
            if taken:
                found[source] = taken[:1]
            elif found_ones:
                for file in found_ones:
                    file.quiet = True  # it is named
                self.look_at(_("{names} may be {source}", names=_(" or ").join(names[:3]),
                               source=source), True, source)

    def may_be(self, file, source):
        """A file with the ending that names a function of the lab; any other one that
        defines one."""
        if self.lab_of(file.parts[-1]):
            return False
        symbols = self.symbols.get(source, ())
        if not file.parts[-1].lower().endswith((os.path.splitext(source)[1], ".txt")):
            return likely.defines(file.data, symbols)
        data = likely.plain(file.data)
        return any(True for symbol in symbols for _text in likely.places(data, symbol.encode()))

    def look_at(self, why, acceptable=False, source=None):
        self.acceptable |= acceptable
        self.held |= {self.labs[source]} if source else set()
        if len(self.looks) < MOST_NOTES:
            self.looks.append(words.line(why))

    def choose_lab(self, chosen, source, files, root):
        stub, last = self.stubs.get(source), max(f.order for f in files)
        # If the last hand-in has a file that is not the stub as it was handed out, the student
        # means that file: stubs are sorted behind all others.
        written = any(f.order == last and f.data != stub for f in files)
        files = sorted(files, key=lambda f: (
            written and f.data == stub, tuple(f.parts[:-1]) != root, len(f.parts), f.parts[:-1],
            -f.order, f.parts[-1] != source, f.parts[-1].lower() != source.lower(), f.parts))
        taken = next((f for f in files if self.accepted.chosen(
            self.key, source, "/".join(f.parts), f.data)), files[0])
        files.remove(taken)
        chosen[source] = taken
        name = "/".join(taken.parts)
        if taken.parts[-1] != source:
            self.note(name, _("graded as {source}", source=source))
            chosen.pop("/".join(taken.parts[len(root):]), None)
        accepted = functools.cache(lambda: self.accepted.has(
            self.key, source, name, taken.data, True))
        for other in files:
            if other.data == taken.data and not other.why and not taken.why:
                continue
            other_name, again = "/".join(other.parts), other.order != taken.order
            other.quiet = True  # it is named
            self.note(other_name, _("not graded, {name} is", name=name)
                      if other.parts != taken.parts else _("handed in more than once, the last one is graded"))
            # As deep, and in a folder with as many labs' files: as likely.
            counts = [self.labs_in.get(tuple(f.parts[:-1]), 0) for f in (other, taken)]
            beside = len(other.parts) == len(taken.parts) and counts[0] >= counts[1]
            if beside and not again and other.data != stub and not accepted():
                self.look_at(_("two versions of {source}: {name}, which is graded, and "
                               "{other}", source=source, name=name, other=other_name), True)
        if tuple(taken.parts[:-1]) == root:
            return
        beside = taken.parts[:-1]
        for file in self.files:
            header = "/".join(file.parts[len(beside):])
            if file.parts[:len(beside)] == beside and file is not taken and \
                    SOURCE.fullmatch(header) and not self.lab_of(file.parts[-1]):
                chosen.setdefault(header, file)

    # ---- the copy ----

    def collect(self, submission, root, to):
        """Fills the folder `to`, which is there and empty, with what is taken of the
        submission's entries in the open folder `root`."""
        self.key = submission.key
        self.files, self.notes, self.not_read, self.looks = [], [], [], []
        self.unreadable = self.lost = self.acceptable = self.late = False
        self.held, self.texts, self.hollow, self.text = set(), [], [], ""
        self.repositories = []
        self.archives, self.seconds = 0, ARCHIVES_S
        self.passed_by = set()  # paths of files that were not read, and that no note names
        self.answers, self.documents, self.refused = None, [], {}
        self.left = {"labs": MOST_KEPT, "others": MOST_KEPT, "likely": likely.MOST_ALL}
        self.bounds = tree.Bounds()
        for text in submission.notes:
            self.note("", text)
        shutil.rmtree(self.scratch, ignore_errors=True)
        os.makedirs(self.scratch, 0o700)
        for piece in submission.pieces:
            self.collect_piece(piece, root)
        shutil.rmtree(self.scratch)
        chosen = self.choose()
        taken = self.copy(chosen, to)
        sources = set(self.sources.values())
        missing = sorted(sources - set(taken))
        if missing and self.not_read and sources & set(taken):
            self.look_at(_("no {missing} was found, and this cannot be read: {why}",
                           missing=_(" and no ").join(missing[:3]), why=self.not_read[0]))
        for source in missing:
            if source in self.refused:
                self.look_at(self.refused[source], source=source)
        self.look_at_documents(missing, sources & set(taken))
        if submission.why:
            self.look_at(submission.why)
        if not sources & set(taken) and not self.looks:
            self.look_at_rest()
        graded = set(map(id, chosen.values()))
        left = len(self.passed_by) + sum(
            id(f) not in graded and not f.quiet for f in self.files)
        if left:
            self.note("", _("{files} not looked at", files=words.many(left, "other file")))
        files = ["/".join(chosen[name].parts) for name in sorted(taken)]
        return Taken(
            words.digest(*(part for item in sorted(taken.items()) for part in item)),
            [name if name == file else f"{name} <- {file}"
             for name, file in zip(sorted(taken), files)],
            self.notes + self.not_read, self.not_read,
            self.lost or not set(self.sources.values()) & set(taken), self.unreadable,
            self.looks, self.acceptable, {self.labs[s] for s in missing} & self.held,
            {self.labs[source]: chosen[source].late for source in sources & set(taken)}
            if len({piece.late for piece in submission.pieces}) > 1 else {})

    def look_at_rest(self):
        """Where nothing was handed in that is a lab's, and something was."""
        for name in self.repositories[:3]:
            self.look_at(_("{name} is a git repository without its files: nothing is checked out",
                           name=name))
        for name in self.texts[:3]:
            self.look_at(_("no file was handed in, and {name}, which was typed in, has to be "
                           "read", name=name))
        for name in self.hollow[:3]:
            self.look_at(_("there is nothing in {name}", name=name))

    def look_at_documents(self, missing, found):
        """A document is nobody's source; where a lab is missing it may be meant for it: any
        document, if no lab was found at all, else one that is called as that lab."""
        for name, what in self.documents:
            meant = self.meant_by(name.rpartition("/")[2]) if what != kinds.PICTURE else None
            if meant in missing or missing and not found:
                self.passed_by.discard(name)
                for file in self.files:
                    file.quiet |= "/".join(file.parts) == name
                self.look_at(_("no {source} was found, and {name} is {what}",
                               source=meant or missing[0], name=name, what=_(what)),
                             source=meant)
                return

    def meant_by(self, name):
        """naive.docx, naive.cu.pdf: the lab's file that is called so."""
        stem = re.sub(r"\.[A-Za-z]+$", "", name)
        return self.lab_of(name) or self.lab_of(stem) or next(
            (source for source in self.sources.values()
             if self.lab_of(stem + os.path.splitext(source)[1]) == source), None)

    def collect_piece(self, piece, root):
        self.late, self.text = piece.late, piece.text
        if piece.name:
            self.look(tree.Entry([piece.name], "file", root, called=piece.entry),
                      piece.order, 0)
            return
        try:
            below = root.folder(piece.entry)
        except tree.Unreadable as why:
            self.lose("", why)
            return
        with below:
            self.see_repository(below, piece.entry)
            self.walk(below, [], piece.order, 0)

    def see_repository(self, folder, name):
        """A clone without its files: bare, or nothing was checked out."""
        try:
            names = {found for found, _kind in folder.names(1000)}
        except tree.Unreadable:
            return
        if names == {".git"} or {"HEAD", "objects", "refs"} <= names:
            self.repositories.append(short(name))

    def copy(self, chosen, to):
        """The hash of each file that was copied."""
        taken, total = {}, 0
        for name, file in sorted(chosen.items(), key=lambda item: (
                item[0] not in self.sources.values(), item[0])):
            if len(taken) == MOST_FILES:
                self.note("", _("only {n} sources are taken", n=MOST_FILES))
                break
            if file.why and name in self.sources.values():
                self.look_at(f"{name}: {file.why}", source=name)
            elif file.why:
                self.note(name, file.why)
            elif total + len(file.data) > MOST_BYTES:
                self.note(name, _("left out, all together have more than 32 MiB"))
            elif self.write(to, name, file.data):
                total += len(file.data)
                taken[name] = words.digest(file.data)
            elif name in self.sources.values():
                self.look_at(_("{name} could not be copied", name=short(name)), source=name)
        return taken

    def write(self, to, name, data):
        parts = name.split("/")
        if len(os.fsencode(name)) > MOST_PATH or max(
                len(os.fsencode(part)) for part in parts) > MOST_NAME:
            self.note(name, _("left out, its name is too long"))
            return False
        path = os.path.join(to, *parts)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb") as file:
                file.write(data)
        except (FileExistsError, NotADirectoryError):
            self.note(name, _("left out, a file and a folder have this name"))
            return False
        except OSError as why:
            if why.errno not in (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL):
                raise
            self.note(name, _("left out, its name is too long or odd"))
            return False
        return True
