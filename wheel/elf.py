# SPDX-License-Identifier: MIT
"""What an ELF file asks of the machine that it runs on: the checks that auditwheel
makes for a manylinux tag, by the tables of the file itself.
"""
import struct

MACHINES = {62: "x86_64", 183: "aarch64"}
# Libraries that every such system has with its libc (PEP 600).
LIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1",
        "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
NEEDED, STRTAB, RPATH, RUNPATH, VERNEED, VERNEEDNUM = \
    1, 5, 15, 29, 0x6ffffffe, 0x6fffffff
LOAD, DYNAMIC = 1, 2


class Elf:
    """machine, needed (names), versions ({name: [GLIBC_2.17]}), paths (rpaths)."""

    def __init__(self, data):
        self.data = data
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("no ELF file of 64 bits, little-endian")
        self.machine = MACHINES.get(struct.unpack_from("<H", data, 18)[0], "unknown")
        at, = struct.unpack_from("<Q", data, 32)
        size, number = struct.unpack_from("<HH", data, 54)
        self.headers = [struct.unpack_from("<IIQQQQQQ", data, at + size * k)
                        for k in range(number)]
        self.read_dynamic()

    def offset(self, address):
        for kind, _, offset, start, _, size, *_ in self.headers:
            if kind == LOAD and start <= address < start + size:
                return address - start + offset
        raise ValueError(f"no part of the file is at {address:#x}")

    def text(self, at):
        start = self.strings + at
        return self.data[start:self.data.index(b"\0", start)].decode()

    def read_dynamic(self):
        entries = []
        for kind, _, offset, _, _, size, *_ in self.headers:
            if kind == DYNAMIC:
                entries = [struct.unpack_from("<QQ", self.data, offset + k)
                           for k in range(0, size, 16)]
        values = dict(entries)
        self.needed, self.paths, self.versions = [], [], {}
        if not entries: # linked to nothing
            return
        self.strings = self.offset(values[STRTAB])
        self.needed = [self.text(value) for tag, value in entries if tag == NEEDED]
        self.paths = [self.text(value) for tag, value in entries
                      if tag in (RPATH, RUNPATH)]
        at = self.offset(values[VERNEED]) if VERNEED in values else 0
        for _ in range(values.get(VERNEEDNUM, 0)):
            _, count, file, first, after = struct.unpack_from("<HHIII", self.data, at)
            names, entry = self.versions.setdefault(self.text(file), []), at + first
            for _ in range(count):
                _, _, _, name, step = struct.unpack_from("<IHHII", self.data, entry)
                names.append(self.text(name))
                entry += step
            at += after


def version(name):
    return tuple(int(part) for part in name.partition("_")[2].split("."))


def mistakes(data, machine, glibc):
    """Why these bytes may not be in a wheel for this machine and glibc."""
    try:
        elf = Elf(data)
    except (ValueError, struct.error, IndexError) as why:
        yield str(why)
        return
    if elf.machine != machine:
        yield f"it is for {elf.machine}, not {machine}"
    for name in elf.needed:
        if name not in LIBC:
            yield f"it needs {name}"
    for path in elf.paths:
        yield f"it looks for libraries in {path}"
    for file, names in elf.versions.items():
        for name in names:
            if not name.startswith("GLIBC_") or not name[6:7].isdigit():
                yield f"it needs {name} of {file}"
            elif version(name) > version("GLIBC_" + glibc):
                yield f"it needs {name} of {file}, newer than {glibc}"


def newest(data):
    """The newest version of glibc that it needs, as numbers."""
    return max((version(name) for names in Elf(data).versions.values()
                for name in names if name[6:7].isdigit()), default=(0,))
