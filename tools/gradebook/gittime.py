# SPDX-License-Identifier: MIT
"""When the last commit of a repository was made, without starting git: a student's
.git may name programs for git to start. Read through descriptors, no link followed,
within bounds. The time is what the committer's machine said: a claim, no proof."""
import re
import struct
import zlib

import tree
from translate import _

MOST_REF, MOST_OBJECT, MOST_PACK = 4 << 20, 1 << 20, 128 << 20
MOST_PACKS, MOST_DELTAS = 50, 50
HASH = re.compile(r"[0-9a-f]{40}")
COMMIT, TREE, BLOB, TAG, OFFSET, REFERENCE = 1, 2, 3, 4, 6, 7


class NoTime(Exception):
    """Why there is none."""


def inflated(data, most=MOST_OBJECT):
    unpacker = zlib.decompressobj()
    try:
        found = unpacker.decompress(data, most)
    except zlib.error as why:
        raise NoTime(f"damaged ({why})") from None
    if unpacker.unconsumed_tail:
        raise NoTime(_("an object is too large"))
    return found


def file_in(folder, *names):
    """Reads a file that lies below an open folder; None where it cannot be read."""
    opened = []
    try:
        for name in names[:-1]:
            folder = folder.folder(name)
            opened.append(folder)
        with open(folder.file(names[-1]), "rb") as file:
            return file.read(MOST_PACK + 1)[:MOST_PACK]
    except (tree.Unreadable, OSError):
        return None
    finally:
        for each in reversed(opened):
            each.close()


def head(git):
    """The hash of the commit that is checked out."""
    text = (file_in(git, "HEAD") or b"")[:1000].decode("ascii", "replace").strip()
    found = re.fullmatch(r"ref: (refs(?:/[A-Za-z0-9][\w.+-]*)+)", text)
    if not found:
        if HASH.fullmatch(text):
            return text
        raise NoTime(_("HEAD names no commit"))
    loose = (file_in(git, *found[1].split("/")) or b"")[:100].decode("ascii", "replace").strip()
    if HASH.fullmatch(loose):
        return loose
    packed = (file_in(git, "packed-refs") or b"")[:MOST_REF].decode("utf-8", "replace")
    for line in packed.splitlines():
        if line[41:] == found[1] and HASH.fullmatch(line[:40]):
            return line[:40]
    raise NoTime(_("there is no {name}", name=found[1]))


def find_in_index(index, wanted):
    """Where in its pack an object begins; None: it is not in it."""
    if index[:8] != b"\xfftOc\0\0\0\2" or len(index) < 1032:
        return None
    fan = struct.unpack(">256I", index[8:1032])
    low, high, count = fan[wanted[0] - 1] if wanted[0] else 0, fan[wanted[0]], fan[255]
    if not low <= high <= count or len(index) < 1032 + 28 * count:
        return None
    at = next((n for n in range(low, high)
               if index[1032 + 20 * n:1052 + 20 * n] == wanted), None)
    if at is None:
        return None
    place = 1032 + 24 * count + 4 * at
    offset, = struct.unpack(">I", index[place:place + 4])
    if offset >> 31:
        place = 1032 + 28 * count + 8 * (offset & 0x7fffffff)
        offset, = struct.unpack(">Q", index[place:place + 8].rjust(8, b"\0"))
    return offset


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128 or shift > 35:
            return value, at


def patched(base, delta):
    """What a delta makes of its base."""
    _, at = varint(delta, 0)
    size, at = varint(delta, at)
    out = bytearray()
    while at < len(delta) and len(out) <= MOST_OBJECT:
        op = delta[at]
        at += 1
        if op & 128:
            start = length = 0
            for bit in range(7):
                if op >> bit & 1:
                    if bit < 4:
                        start |= delta[at] << 8 * bit
                    else:
                        length |= delta[at] << 8 * (bit - 4)
                    at += 1
            out += base[start:start + (length or 0x10000)]
        else:
            out += delta[at:at + op]
            at += max(op, 1)
    if len(out) != size:
        raise NoTime("damaged (a delta)")
    return bytes(out)


class Objects:
    def __init__(self, git):
        self.git, self.packs = git, None

    def pack_names(self):
        try:
            with self.git.folder("objects") as objects, objects.folder("pack") as packs:
                names = [name for name, kind in packs.names(10000)
                         if kind == "file" and name.endswith(".idx")]
        except tree.Unreadable:
            return []
        return sorted(names)[:MOST_PACKS]

    def read(self, wanted, depth=0):
        """Kind and bytes of an object by its hash."""
        text = wanted.hex()
        loose = file_in(self.git, "objects", text[:2], text[2:])
        if loose is not None:
            whole = inflated(loose)
            kind, _zero, rest = whole.partition(b"\0")
            return COMMIT if kind.startswith(b"commit ") else BLOB, rest
        if self.packs is None:
            self.packs = [(name, file_in(self.git, "objects", "pack", name) or b"")
                          for name in self.pack_names()]
        for name, index in self.packs:
            offset = find_in_index(index, wanted)
            if offset is not None:
                pack = file_in(self.git, "objects", "pack", name[:-4] + ".pack") or b""
                return self.in_pack(pack, offset, depth)
        raise NoTime(_("the commit itself is not there"))

    def in_pack(self, pack, offset, depth):
        if depth > MOST_DELTAS or offset >= len(pack):
            raise NoTime("damaged (a pack)")
        byte, at = pack[offset], offset + 1
        kind = byte >> 4 & 7
        while byte & 128:
            byte, at = pack[at], at + 1
        if kind == OFFSET:
            byte, at = pack[at], at + 1
            back = byte & 127
            while byte & 128:
                byte, at = pack[at], at + 1
                back = (back + 1) << 7 | byte & 127
            if not 0 < back <= offset:
                raise NoTime("damaged (a pack)")
            kind, base = self.in_pack(pack, offset - back, depth + 1)
        elif kind == REFERENCE:
            kind, base = self.read(pack[at:at + 20], depth + 1)
            at += 20
        else:
            return kind, inflated(pack[at:at + MOST_OBJECT])
        return kind, patched(base, inflated(pack[at:at + MOST_OBJECT]))


def of_repository(folder):
    """Seconds, of an open folder with a .git in it. NoTime: why there are none."""
    try:
        with folder.folder(".git") as git:
            kind, data = Objects(git).read(bytes.fromhex(head(git)))
    except (tree.Unreadable, OSError, IndexError, struct.error, RecursionError) as why:
        raise NoTime(_("no repository that can be read ({why})",
                       why=type(why).__name__)) from None
    found = re.search(rb"^committer [^\n]* (\d{1,11}) [+-]\d{4}$",
                      data.partition(b"\n\n")[0], re.M)
    if kind != COMMIT or not found:
        raise NoTime(_("HEAD is no commit"))
    return int(found[1])
