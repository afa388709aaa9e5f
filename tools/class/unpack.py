#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""unpack.py archive TO all|sources MOST_MIB MOST_FILES <FILE
unpack.py yaml <FILE

Reads what strangers have made; run by walled.py inside scanlab-walls, where no
file can be opened, and none written but below TO, which is empty. Prints one JSON
object:
  {"refused": WHY}                                 nothing was taken
  {"files": N, "others": N, "notes": [LINE...],    of an archive
   "documents": [NAME...],                         that are no sources
   "missed": [[NAME, WHY]...],                     sources in it that were refused
   "cut": {NAME: WHY}}                             all: who is not there as a whole
  {"yaml": VALUE}                                  of a list
A library parses the archive, but nothing is left to it that makes a file: only
regular files are taken, through names that are made here, and each byte that
comes out is counted, whatever the archive says of its sizes. (tarfile's own
filter is missing in Debian 12's Python, and had holes.)

`all` is a class in one archive: MOST_MIB and MOST_FILES are of each of its outermost
entries, and who has more, or a part that is damaged, is cut, and nobody else. What
no grade reads is made, for its name says that somebody handed in; it has its bytes where
it may be a text (fill_text), and is empty else.

Whatever is wrong with what is read is a reason to refuse it. What cannot be done for
want of memory, or because nothing can be written, the exit status says (ENDS)."""
import errno
import io
import json
import os
import re
import sys
import tarfile
import zipfile
import zlib

SOURCE = re.compile(r"(?s).*\.(h|hh|hpp|hxx|cuh|inc|inl|ipp|tpp|def|cu|c|cc|cpp|cxx)"
                    r"(\.txt)?", re.I)
INNER = re.compile(r"(?s).*\.(zip|tar|tgz|tbz2?|txz|tar\.(gz|bz2|xz))", re.I)
# As kinds.py has them; nothing else of this program is read inside the walls.
DOCUMENT = re.compile(r"(?s).*\.(docx?|odt|rtf|pages|pdf|xlsx?|ods|pptx?|odp|ipynb|png|jpe?g|"
                      r"heic)", re.I)


def N_(english):
    """Translated by who reads what this program says: see again()."""
    return english


OFFICE = {"word/document.xml": N_("a Word document"), "xl/workbook.xml": N_("an Excel table"),
          "ppt/presentation.xml": N_("slides of PowerPoint"),
          "META-INF/manifest.xml": N_("an OpenDocument file")}
# Of a class these, too: that somebody handed one in is told.
REFUSED = re.compile(r"(?s).*\.(7z|rar|tar\.zst)|submission_metadata\.yml", re.I)
EXPORT = re.compile(r"assignment_[0-9]+_export")  # Gradescope's folder around all
LITTER = re.compile(r"__MACOSX|\.git|\.DS_Store|\._.*", re.S)
ENDS = {"memory": 10, "disk": 11, "large": 12}
ODD_NAMES = errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL
MOST_NOTES, MOST_DEEP, CHUNK, MIB = 20, 16, 1 << 16, 1 << 20
MOST_NAME, MOST_PATH = 200, 800  # bytes; the same wherever TO lies
MOST_DOCUMENTS = 20
# Bytes that are read of a file that may hold written answers, or a source under a wrong
# name: of one file, and of all files of one student. A file beyond that is taken empty.
MOST_TEXT, MOST_TEXTS = 1 << 20, 8 << 20
NO_ARCHIVES = [(b"%PDF-", N_("a PDF")), (b"\xd0\xcf\x11\xe0", N_("an Office document"))]
OTHERS = [(b"7z\xbc\xaf\x27\x1c", "7-Zip"), (b"Rar!", "RAR"), (b"\x28\xb5\x2f\xfd", "zstd")]


PACKINGS = [(b"\x1f\x8b", "gz"), (b"BZh", "bz2"), (b"\xfd7zXZ\0", "xz"), (b"\x5d\0\0", "xz")]


SAID = {
    "damaged": N_("it is damaged ({why})"),
    "document": N_("it is {what}, no archive of sources"),
    "empty": N_("it is empty"),
    "encrypted": N_("it is encrypted"),
    "entries": N_("it has more than {n} entries"),
    "format": N_("it is {name}, which is not read; zip and tar are"),
    "large": N_("it unpacks to more than {n} MiB"),
    "list": N_("it is no list of submissions"),
    "more": N_("... and more"),
    "neither": N_("it is neither zip nor tar, or damaged"),
    "no file": N_("refused, a link or no file"),
    "odd name": N_("refused, its name is too long or odd"),
    "out of it": N_("refused, its name leads out of the archive"),
    "one name": N_("refused, a file and a folder have this name"),
    "too deep": N_("refused, more than {n} folders deep"),
    "twice": N_("there more than once, the last one is taken"),
    "yaml": N_("reading it takes Python's yaml; on Debian and Ubuntu: apt-get install "
               "python3-yaml")}


def said(which, **values):
    """In English; again() knows it by its row of SAID."""
    return SAID[which].format(**values)


def again(text):
    """What this program has said, in the language of who has started it: WHY, or NAME: WHY.
    Another text stays as it is: nobody has a sentence made of what he handed in."""
    from translate import _  # not inside the walls, where this file is alone
    for english in SAID.values():
        before, _brace, rest = english.partition("{")
        name, _brace, after = rest.partition("}")
        at = 0 if text.startswith(before) else text.find(": " + before) + 2
        value = text[at + len(before):len(text) - len(after)]
        if text[at:] == before + value + after and (name or not value):
            return text[:at] + _(english, **({name: _(value)} if name else {}))
    return text


class Refused(Exception):
    """Why an archive is not taken at all; of a class, one entry of it."""


class Unwritable(Exception):
    """An error of the disk that is written."""


def writing(call, *words):
    try:
        return call(*words)
    except OSError as why:
        raise Unwritable(why.errno) from None


def split(name):
    """Folders and name, as they are made."""
    return [re.sub(r"[\x00-\x1f\x7f]", "_", p)
            for p in name.replace("\\", "/").split("/") if p not in ("", ".")]


class Taking:
    def __init__(self, to, everything, most_bytes, most_files):
        self.to, self.everything = to, everything
        self.most_bytes, self.most_files = most_bytes, most_files
        self.left = {}  # whose: [bytes, entries]
        self.texts = {}  # whose: bytes that are left for texts
        self.files, self.others, self.notes, self.cut = 0, 0, [], {}
        self.missed = []
        self.taken, self.documents = set(), []

    def miss(self, name, why):
        """Notes it: it is not taken."""
        if SOURCE.fullmatch(name) and why != said("twice") and len(self.missed) < MOST_NOTES:
            self.missed.append([name, why])
        self.note(name, why)

    def note(self, name, why):
        if len(self.notes) < MOST_NOTES:
            self.notes.append(f"{name[:100]}: {why}")
        elif len(self.notes) == MOST_NOTES:
            self.notes.append(said("more"))

    def parts(self, name):
        """Its folders and its name; None: it is not to be taken."""
        parts = split(name)
        left = self.left_of(self.whose(parts))
        left[1] -= 1
        if left[1] < 0:
            raise Refused(said("entries", n=self.most_files))
        if name[:1] in ("/", "\\") or ".." in parts or re.match("[A-Za-z]:", name):
            self.miss(name, said("out of it"))
            return None
        if not parts or any(LITTER.fullmatch(p) for p in parts):
            return None
        if len(parts) > MOST_DEEP:
            self.miss(name, said("too deep", n=MOST_DEEP))
            return None
        lengths = [len(os.fsencode(p)) for p in parts]
        if max(lengths) > MOST_NAME or sum(lengths) + len(parts) > MOST_PATH:
            self.miss(name, said("odd name"))
            return None
        return parts

    def whose(self, parts):
        """Of a class: the outermost entry, as collect.py will see it."""
        if not self.everything or not parts:
            return ""
        return parts[1] if EXPORT.fullmatch(parts[0]) and len(parts) > 1 else parts[0]

    def left_of(self, whose):
        return self.left.setdefault(whose, [self.most_bytes, self.most_files])

    def wanted(self, parts):
        return SOURCE.fullmatch(parts[-1]) or INNER.fullmatch(parts[-1]) or \
            self.everything and REFUSED.fullmatch(parts[-1])

    def take(self, name, parts, open_it, size):
        """open_it: gives the stream, once it is known that somebody wants it."""
        if self.wanted(parts):
            if self.make(name, parts, lambda file: self.fill(
                    file, self.left_of(self.whose(parts)), open_it), self.miss):
                self.files += 1
            return
        self.others += 1
        if DOCUMENT.fullmatch(parts[-1]):
            if not self.everything and len(self.documents) < MOST_DOCUMENTS:
                self.documents.append("/".join(parts))
            size = MOST_TEXT + 1
        if self.everything or size <= MOST_TEXT:
            self.files += self.make(name, parts, lambda file: self.fill_text(
                file, self.whose(parts), open_it, size),
                self.note if self.everything else lambda *_: None) and self.everything

    def fill_text(self, file, whose, open_it, size):
        """What no grade reads: empty, where it is too much or cannot be read."""
        left = self.texts.get(whose, MOST_TEXTS)
        most, data = min(MOST_TEXT, left), b""
        if size <= most:
            try:
                with open_it() as stream:
                    data = stream.read(most + 1)
            except MemoryError:
                raise
            except Exception:  # of a file that nobody needs
                data = b""
        self.texts[whose] = left - min(len(data), most)
        writing(file.write, data if len(data) <= most else b"")

    def make(self, name, parts, fill, note):
        """A file; whether it was made."""
        path = os.path.join(self.to, *parts)
        if path in self.taken:
            note(name, said("twice"))
        self.taken.add(path)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            file = open(path, "wb")
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            note(name, said("one name"))
            return False
        except ValueError:
            note(name, said("odd name"))
            return False
        except OSError as why:
            if why.errno not in ODD_NAMES:
                raise Unwritable(why.errno) from None
            note(name, said("odd name"))
            return False
        try:
            fill(file)
        finally:
            writing(file.close)
        return True

    def fill(self, file, left, open_it):
        with open_it() as stream:
            while chunk := stream.read(CHUNK):
                left[0] -= len(chunk)
                if left[0] < 0:
                    raise Refused(said("large", n=self.most_bytes // MIB))
                writing(file.write, chunk)

    def member(self, name, take):
        """One of an archive: what is wrong with it is, in a class, its own."""
        if not self.everything:
            take()
            return
        whose = self.whose(split(name))
        if whose in self.cut:
            return
        try:
            take()
        except Refused as why:
            self.cut[whose] = str(why)
        except (Unwritable, MemoryError):
            raise
        except Exception as why:
            self.cut[whose] = damage(why)


def name_in_zip(member):
    """Without the flag for UTF-8 it is UTF-8 all the same, or what DOS had."""
    try:
        return member.filename if member.flag_bits & 0x800 else \
            member.filename.encode("cp437").decode()
    except UnicodeError:
        return member.filename


def take_zipped(archive, member, name, taking):
    parts = taking.parts(name)
    if not parts or member.is_dir():
        return
    kind = member.external_attr >> 16 & 0o170000
    if kind not in (0, 0o100000):
        taking.miss(name, said("no file"))
    elif member.flag_bits & 1:
        raise Refused(said("encrypted"))
    else:
        taking.take(name, parts, lambda: archive.open(member), member.file_size)


def refuse_office(names):
    """A document is a zip as well."""
    for name, what in OFFICE.items():
        if name in names and ("mimetype" if "META" in name else "[Content_Types].xml") in names:
            raise Refused(said("document", what=what))


def read_zip(file, taking):
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if not taking.everything:
            refuse_office({member.filename for member in members})
        if not taking.everything and len(members) > taking.most_files:
            raise Refused(said("entries", n=taking.most_files))
        for member in members:
            name = name_in_zip(member)
            taking.member(name, lambda: take_zipped(archive, member, name, taking))


def take_tarred(archive, member, taking):
    parts = taking.parts(member.name)
    if not parts or member.isdir():
        return
    if not member.isreg():
        taking.miss(member.name, said("no file"))
    else:
        taking.take(member.name, parts, lambda: archive.extractfile(member), member.size)


def read_tar(file, taking, packing):
    with tarfile.open(fileobj=file, mode="r:" + packing) as archive:
        for member in archive:
            taking.member(member.name, lambda: take_tarred(archive, member, taking))
            archive.members = []  # else all that were read stay in memory


def packing_of(head):
    """How a tar is packed. tarfile would try each, and liblzma takes zeros for what may
    stand before a beginning: a terabyte of them, which costs nothing to hand in."""
    for mark, packing in PACKINGS:
        if head.startswith(mark):
            return packing
    return ""


def begins_tar(block):
    """Is this a tar's first block? Its last member may be a zip, and then its end is that
    of a zip, too, by which Python knows one."""
    if len(block) < tarfile.BLOCKSIZE:
        return False
    total = re.match(rb"\s*([0-7]+)[\0 ]", block[148:156])
    plain = block[:148] + b" " * 8 + block[156:]
    return bool(total) and int(total[1], 8) == sum(plain)


def read_any(file, taking):
    block = file.read(tarfile.BLOCKSIZE)
    head = block[:8]
    file.seek(0)
    for mark, name in OTHERS:
        if head.startswith(mark):
            raise Refused(said("format", name=name))
    for mark, what in NO_ARCHIVES:
        if head.startswith(mark):
            raise Refused(said("document", what=what))
    is_tar = bool(packing_of(head)) or begins_tar(block)
    if not is_tar and zipfile.is_zipfile(file):
        file.seek(0)
        read_zip(file, taking)
        return
    file.seek(0)
    try:
        read_tar(file, taking, packing_of(head))
    except tarfile.ReadError as why:
        if taking.left:  # it has begun
            raise
        raise Refused(said("neither" if head else "empty")) from why


def damage(why):
    """Whatever a library met: size 2^44, an offset before the beginning, a date in
    month 13, a name that is none. Libraries say it in a hundred ways."""
    return said("damaged", why=str(why)[:100] or type(why).__name__)


def archive(file, to, what, most_mib, most_files):
    taking = Taking(to, what == "all", int(most_mib) * MIB, int(most_files))
    try:
        read_any(file, taking)
    except Refused as why:
        return {"refused": str(why)}
    except (Unwritable, MemoryError):
        raise
    except Exception as why:
        return {"refused": damage(why)}
    return {"files": taking.files, "others": taking.others, "notes": taking.notes,
            "documents": taking.documents, "missed": taking.missed, "cut": taking.cut}


def yaml_list(file):
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        import yaml
    except ImportError:
        return {"refused": said("yaml")}

    class Plain(yaml.SafeLoader):
        """Ruby's tags are of no interest."""

    def untagged(loader, _, node):
        if isinstance(node, yaml.MappingNode):
            return loader.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return loader.construct_sequence(node, deep=True)
        return loader.construct_scalar(node)

    def as_written(loader, node):
        return loader.construct_scalar(node)

    Plain.add_multi_constructor("!", untagged)
    for kind in "int", "float", "timestamp":  # a number such as 007 is a name
        Plain.add_constructor("tag:yaml.org,2002:" + kind, as_written)
    try:
        value = yaml.load(file.read().decode("utf-8-sig"), Plain)
    except MemoryError:
        raise
    except Exception as why:
        return {"refused": said("damaged", why=str(why).split("\n", 1)[0][:100])}
    if not isinstance(value, dict):
        return {"refused": said("list")}
    keep = (":submitters", "submitters", ":created_at", ":due_date", ":assignment")
    return {"yaml": {str(k): {n: v.get(n) for n in keep if n in v}
                     if isinstance(v, dict) else {} for k, v in value.items()}}


def main(how, *rest):
    """The exit status: 0, or which of ENDS it came to."""
    try:
        answer = {"archive": archive, "yaml": yaml_list}[how](sys.stdin.buffer, *rest)
        json.dump(answer, sys.stdout)
        sys.stdout.flush()
    except MemoryError:
        return ENDS["memory"]
    except Unwritable as why:
        return ENDS["large" if why.args[0] == errno.EFBIG else "disk"]
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
