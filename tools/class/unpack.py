#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""unpack.py archive TO all|sources MOST_MIB MOST_FILES <FILE
unpack.py yaml <FILE

Reads what strangers have made; run by walled.py inside scanlab-walls, where no
file can be opened, and none written but below TO, which is empty. Prints one JSON
object:
  {"refused": WHY}                                 nothing was taken
  {"files": N, "others": N, "notes": [LINE...]}    of an archive
  {"yaml": VALUE}                                  of a list
A library parses the archive, but nothing is left to it that makes a file: only
regular files are taken, through names that are made here, and each byte that
comes out is counted, whatever the archive says of its sizes. (tarfile's own
filter is missing in Debian 12's Python, and had holes.)

What it cannot do for want of memory or room its exit status says (ENDS)."""
import errno
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
LITTER = re.compile(r"__MACOSX|\.git|\.DS_Store|\._.*", re.S)
ENDS = {"memory": 10, "disk": 11, "large": 12}
MOST_NOTES, MOST_DEEP, CHUNK, MIB = 20, 16, 1 << 16, 1 << 20
OTHERS = [(b"7z\xbc\xaf\x27\x1c", "7-Zip"), (b"Rar!", "RAR"), (b"\x28\xb5\x2f\xfd", "zstd")]


class Refused(Exception):
    """Why an archive is not taken at all."""


class Taking:
    def __init__(self, to, everything, most_bytes, most_files):
        self.to, self.everything = to, everything
        self.bytes_left, self.entries_left = most_bytes, most_files
        self.most_bytes, self.most_files = most_bytes, most_files
        self.files, self.others, self.notes = 0, 0, []
        self.taken = set()

    def note(self, name, why):
        if len(self.notes) < MOST_NOTES:
            self.notes.append(f"{name[:100]}: {why}")
        elif len(self.notes) == MOST_NOTES:
            self.notes.append("... and more")

    def parts(self, name):
        """Its folders and its name; None: it is not to be taken."""
        self.entries_left -= 1
        if self.entries_left < 0:
            raise Refused(f"it has more than {self.most_files} entries")
        parts = [p for p in name.replace("\\", "/").split("/") if p not in ("", ".")]
        if name[:1] in ("/", "\\") or ".." in parts or re.match("[A-Za-z]:", name):
            self.note(name, "refused, its name leads out of the archive")
            return None
        if not parts or any(LITTER.fullmatch(p) for p in parts):
            return None
        if len(parts) > MOST_DEEP:
            self.note(name, f"refused, more than {MOST_DEEP} folders deep")
            return None
        return [re.sub(r"[\x00-\x1f\x7f]", "_", p) for p in parts]

    def wanted(self, parts):
        return self.everything or SOURCE.fullmatch(parts[-1]) or INNER.fullmatch(
            parts[-1])

    def take(self, name, parts, stream):
        if not self.wanted(parts):
            self.others += 1
            return
        path = os.path.join(self.to, *parts)
        if path in self.taken:
            self.note(name, "there more than once, the last one is taken")
        self.taken.add(path)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            file = open(path, "wb")
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            self.note(name, "refused, a file and a folder have this name")
            return
        except OSError as why:
            if why.errno not in (36, 84, 22):  # a name that this disk cannot have
                raise
            self.note(name, "refused, its name is too long or odd")
            return
        with file:
            while chunk := stream.read(CHUNK):
                self.bytes_left -= len(chunk)
                if self.bytes_left < 0:
                    raise Refused("it unpacks to more than "
                                  f"{self.most_bytes // MIB} MiB")
                file.write(chunk)
        self.files += 1


def name_in_zip(member):
    """Without the flag for UTF-8 it is UTF-8 all the same, or what DOS had."""
    try:
        return member.filename if member.flag_bits & 0x800 else \
            member.filename.encode("cp437").decode()
    except UnicodeError:
        return member.filename


def read_zip(file, taking):
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            name = name_in_zip(member)
            parts = taking.parts(name)
            if not parts or member.is_dir():
                continue
            kind = member.external_attr >> 16 & 0o170000
            if kind not in (0, 0o100000):
                taking.note(name, "refused, a link or no file")
            elif member.flag_bits & 1:
                raise Refused("it is encrypted")
            else:
                with archive.open(member) as stream:
                    taking.take(name, parts, stream)


def read_tar(file, taking):
    with tarfile.open(fileobj=file, mode="r:*") as archive:
        for member in archive:
            parts = taking.parts(member.name)
            if not parts or member.isdir():
                continue
            if not member.isreg():
                taking.note(member.name, "refused, a link or no file")
            else:
                taking.take(member.name, parts, archive.extractfile(member))


def kind_of(file):
    head = file.read(8)
    file.seek(0)
    for mark, name in OTHERS:
        if head.startswith(mark):
            raise Refused(f"it is {name}, which is not read; unpack it by hand and run again")
    for is_one, read in (zipfile.is_zipfile, read_zip), (tarfile.is_tarfile, read_tar):
        found = is_one(file)
        file.seek(0)
        if found:
            return read
    raise Refused("it is empty" if not head else "it is neither zip nor tar, or damaged")


def archive(file, to, what, most_mib, most_files):
    taking = Taking(to, what == "all", int(most_mib) * MIB, int(most_files))
    try:
        kind_of(file)(file, taking)
    except Refused as why:
        return {"refused": str(why)}
    except MemoryError:
        return {"refused": "reading it takes too much memory"}
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, ValueError,
            NotImplementedError, RuntimeError, KeyError, IndexError,
            OverflowError) as why:
        return {"refused": f"it is damaged ({type(why).__name__}: {str(why)[:100]})"}
    except OSError as why:
        # bz2 and gzip say so of what is damaged; a disk's faults have a number.
        if why.errno is not None:
            raise
        return {"refused": f"it is damaged ({str(why)[:100]})"}
    except Exception as why:  # lzma's, which is of no family
        if type(why).__name__ != "LZMAError":
            raise
        return {"refused": f"it is damaged ({str(why)[:100]})"}
    return {"files": taking.files, "others": taking.others, "notes": taking.notes}


def yaml_list(file):
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        import yaml
    except ImportError:
        return {"refused": "reading it takes Python's yaml; on Debian and Ubuntu: "
                           "apt-get install python3-yaml"}

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
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as why:
        return {"refused": "it is damaged: " + str(why).split("\n", 1)[0][:100]}
    if not isinstance(value, dict):
        return {"refused": "it is no list of submissions"}
    keep = (":submitters", "submitters", ":created_at")
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
    except OSError as why:
        if why.errno in (errno.ENOSPC, errno.EDQUOT):
            return ENDS["disk"]
        if why.errno == errno.EFBIG:
            return ENDS["large"]
        raise
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
