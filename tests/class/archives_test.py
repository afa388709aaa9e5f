# SPDX-License-Identifier: MIT
"""archives_test.py SCANLAB OUT: what hostile archives get (nothing, and within
bounds), and that honest ones beside them lose nothing."""
import bz2
import gzip
import io
import os
import resource
import struct
import subprocess
import sys
import tarfile
import unittest
import zipfile

import classroom
from classroom import BUILD, OUT, SCANLAB, fresh, put, tarred, zipped
import collect
import layouts
import tree
import walled

NAIVE = {"naive.cu": b"int x;\n"}
LABS = [("cpu-scan", "cpu_scan.c"), ("naive", "naive.cu")]


def member(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def zip_link(name, target):
    info = zipfile.ZipInfo(name)
    info.external_attr = 0o120777 << 16
    return info


def encrypted():
    data = bytearray(zipped(NAIVE))
    for mark, at in (b"PK\x03\x04", 6), (b"PK\x01\x02", 8):
        data[data.index(mark) + at] |= 1
    return bytes(data)


def lies():
    """Says that it unpacks to 7 bytes, and does to 64 MiB."""
    data = bytearray(zipped({"naive.cu": bytes(64 << 20)}))
    at = data.index(b"PK\x01\x02")
    data[at + 24:at + 28] = struct.pack("<I", 7)
    return bytes(data)


class Archives(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.walls = walled.Walls(str(BUILD), False)

    def collect(self, data, name="hw.zip"):
        where, to = fresh("in"), fresh("to")
        put(where / name, data)
        before = set(os.listdir("/tmp"))
        s = layouts.Submission("x", "folder", [], [layouts.Piece(name, name)])
        with tree.Folder.open(where) as root:
            found = collect.Collector(self.walls, LABS, str(OUT / "scratch")).collect(
                s, root, str(to))
        files = {str(p.relative_to(to)): p.read_bytes() for p in to.rglob("*") if p.is_file()}
        self.assertFalse((OUT / "scratch").exists())
        self.assertFalse({n for n in set(os.listdir("/tmp")) - before if "evil" in n})
        self.assertEqual([p.name for p in OUT.iterdir() if "evil" in p.name], [])
        return found, files

    def taken(self, data, *notes, name="hw.zip"):
        """The honest part is taken, and these notes are made."""
        found, files = self.collect(data, name)
        self.assertEqual(files, NAIVE, found)
        self.assertEqual(len(found.notes), len(notes), found.notes)
        for note, part in zip(found.notes, notes):
            self.assertIn(part, note)

    def refused(self, data, why, name="hw.zip"):
        found, files = self.collect(data, name)
        self.assertEqual(files, {})
        self.assertTrue(found.empty and found.unreadable, found)
        self.assertIn(why, " ".join(found.notes))

    # ---- names ----

    def test_names_that_lead_out(self):
        out = "refused, its name leads out"
        for name in "../evil.cu", "/tmp/evil.cu", "a/../../evil.cu", "C:\\evil.cu", \
                "..\\evil.cu", "\\\\server\\evil.cu":
            with self.subTest(name):
                self.taken(zipped(NAIVE | {name: b"evil"}), out)
                self.taken(tarred([("naive.cu", NAIVE["naive.cu"]), (name, b"evil")]), out)

    def test_links(self):
        why = "refused, a link or no file"
        self.taken(zipped({zip_link("cpu_scan.c", ""): "/etc/passwd"} | NAIVE), why)
        for kind in tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE:
            self.taken(tarred([(member("cpu_scan.c", kind, "/etc/passwd"), b""),
                               ("naive.cu", NAIVE["naive.cu"])]), why, name="hw.tgz")

    def test_file_through_a_link(self):
        """The link is not made, so the file behind it goes nowhere else."""
        found, files = self.collect(tarred([
            (member("d", tarfile.SYMTYPE, "/tmp"), b""), ("d/evil.cuh", b"evil"),
            ("naive.cu", b"int x;")]))
        self.assertEqual(files, {"naive.cu": b"int x;", "d/evil.cuh": b"evil"})

    def test_file_and_folder_of_one_name(self):
        self.taken(zipped({"naive.cu": NAIVE["naive.cu"], "naive.cu/x.h": b"x"}),
                   "a file and a folder have this name")

    def test_source_that_was_refused(self):
        """It is not as if nothing had been handed in, unless there is another one."""
        right = {"a/cpu_scan.c": b"int x;"}
        for kind, refused in {
                "folder": {"cpu_scan.c/x.h": b"x", "cpu_scan.c": b"int x;"},
                "link": {zip_link("cpu_scan.c", ""): "/etc/passwd"},
                "out": {"../cpu_scan.c": b"int x;"},
                "deep": {"d/" * 40 + "cpu_scan.c": b"int x;"}}.items():
            with self.subTest(kind):
                found, _files = self.collect(zipped(refused | NAIVE))
                self.assertIn("cpu_scan.c: refused", " ".join(found.looks))
                found, _files = self.collect(zipped(refused | NAIVE | right))
                self.assertEqual(found.looks, [])

    def test_honest_names(self):
        for name in "./naive.cu", "a\\b\\naive.cu", "Ünï/naive.cu", "a//naive.cu":
            with self.subTest(name):
                self.taken(zipped({name: NAIVE["naive.cu"], "__MACOSX/._naive.cu": b"m"}))
        latin = zipped({"\u00e4/naive.cu": NAIVE["naive.cu"]}).replace(
            "\u00e4".encode(), b"\x84a")  # DOS's, without the flag
        data = bytearray(latin)
        for mark, at in (b"PK\x03\x04", 7), (b"PK\x01\x02", 9):
            data[data.index(mark) + at] &= ~8
        self.taken(bytes(data))

    def test_twice(self):
        """As tar has it: what was added last. It is said, also of another name."""
        why = "naive.cu: there more than once, the last one is taken"
        two = [("naive.cu", b"old"), ("./naive.cu", NAIVE["naive.cu"])]
        self.taken(tarred(two), why)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name, data in two:
                archive.writestr(name, data)
        self.taken(out.getvalue(), why)

    # ---- kinds ----

    def test_kinds(self):
        for mode in "w", "w:gz", "w:bz2", "w:xz":
            self.taken(tarred([("hw/naive.cu", NAIVE["naive.cu"])], mode), name="hw.tar.gz")
        self.taken(zipped({"in.zip": zipped({"d/naive.cu": NAIVE["naive.cu"]})}))
        self.taken(zipped(NAIVE | {"a.out": b"\x7fELF", "notes.pdf": b"%PDF"}))

    def test_a_tar_that_ends_with_a_zip(self):
        """Python takes whatever ends so for a zip."""
        old = zipped({"naive.cu": b"old"})
        for inner in {"notes.zip": zipped({"a.txt": b"x"})}, {"slides.docx": zipped(
                {"word/document.xml": b"x"})}, {"old/old.zip": old}:
            for form in tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT:
                out = io.BytesIO()
                with tarfile.open(fileobj=out, mode="w", format=form) as archive:
                    for name, data in {**NAIVE, **inner}.items():
                        info = tarfile.TarInfo(name)
                        info.size = len(data)
                        archive.addfile(info, io.BytesIO(data))
                found, files = self.collect(out.getvalue(), "hw.tar")
                self.assertEqual(files["naive.cu"], NAIVE["naive.cu"], found)
        self.taken(b"#!/bin/sh\n" + zipped(NAIVE))  # a zip that unpacks itself

    def test_unreadable(self):
        self.refused(b"", "it is empty")
        self.refused(b"7z\xbc\xaf\x27\x1c....", "it is 7-Zip", "hw.7z")
        self.refused(b"Rar!\x1a\x07", "it is RAR", "hw.rar")
        self.refused(b"hello", "neither zip nor tar")
        self.refused(encrypted(), "it is encrypted")
        whole = zipped(NAIVE | {"b.cu": os.urandom(9999)})
        self.refused(whole[:len(whole) // 2], "neither zip nor tar")
        broken = bytearray(whole)
        broken[60:2000] = bytes(1940)
        self.refused(bytes(broken), "it is damaged")
        packed = tarred([("naive.cu", os.urandom(99999))])
        self.refused(packed[:-5000], "it is damaged", "hw.tgz")
        self.refused(bz2.compress(b"x" * 999)[:-9], "neither zip nor tar", "hw.tar.bz2")

    # ---- size ----

    def test_bombs(self):
        mib = bytes(1 << 20)
        many = io.BytesIO()
        with zipfile.ZipFile(many, "w") as archive:
            for n in range(6000):
                archive.writestr(f"{n}.h", b"")
        nested = NAIVE
        for _ in range(5):
            nested = {"in.zip": zipped(nested)}
        self.refused(zipped({"naive.cu": mib * 40}), "more than 32 MiB")
        self.refused(zipped({f"{n}.cu": mib * 3 for n in range(20)}), "more than 32 MiB")
        self.refused(tarred([("naive.cu", mib * 40)], "w:xz"), "more than 32 MiB")
        self.refused(lies(), "it is damaged")
        self.refused(many.getvalue(), "more than 5000 entries")
        self.refused(zipped(nested), "an archive too many")
        self.refused(zipped({f"{n}.zip": b"" for n in range(20)}), "an archive too many")

    def test_many_slow_ones(self):
        """Each within its time, all together not: 16 of them kept a class waiting
        for a quarter of an hour."""
        info = tarfile.TarInfo("x.bin")
        info.size = 10 << 30
        slow = gzip.compress(info.tobuf()) + gzip.compress(bytes(32 << 20)) * 32
        before, usual = walled.seconds_of_children(), collect.ARCHIVES_S
        collect.ARCHIVES_S = 1
        try:
            found, _ = self.collect(zipped({f"{n:02}.tgz": slow for n in range(12)}))
        finally:
            collect.ARCHIVES_S = usual
        self.assertLess(walled.seconds_of_children() - before, 5)
        self.assertTrue(found.empty and found.unreadable, found)
        self.assertIn("reading the archives before it took 1 s", " ".join(found.notes))

    def test_long_header(self):
        """tarfile reads an extended header whole: 2 GiB of it."""
        info = tarfile.TarInfo("x")
        info.type, info.size = tarfile.XHDTYPE, 2 << 30
        head = info.tobuf(tarfile.USTAR_FORMAT)
        self.refused(gzip.compress(head) + gzip.compress(bytes(32 << 20)) * 64,
                     "too much memory", "hw.tgz")

    def test_memory_of_this_process(self):
        """Whatever they held: it was the child that read them."""
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        self.assertLess(most, 400)  # the tests' own bombs are in it

    def test_large_source(self):
        found, files = self.collect(zipped(NAIVE | {"big.h": bytes(5 << 20)}))
        self.assertEqual(files, NAIVE)
        self.assertEqual(found.notes, ["big.h: left out, it has 4 MiB or more"])

    # ---- the walls ----

    def test_without_walls(self):
        """What strangers have made is not read where it could read everything."""
        where, without = fresh("class"), str(BUILD / "tests/walls/walls_without")
        put(where / "ann/naive.cu", NAIVE["naive.cu"])
        for missing, more, status in (("files", [], 2), ("files", ["--weaker-walls"], 0),
                                      ("both", [], 0), ("landlock", [], 0),
                                      ("namespaces", [], 0)):
            if missing == "landlock" and "unseen" not in self.walls.stand or \
                    missing == "namespaces" and "files" not in self.walls.stand:
                continue
            done = subprocess.run([without, missing, SCANLAB, "class", where, "-o",
                                   fresh("graded"), "--list", *more],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            self.assertEqual("the wall `files` is missing" in done.stderr, missing == "files", done.stderr)

    def test_walls_stand(self):
        """What reads an archive cannot open another file, or write beside it."""
        to = fresh("to")
        words = self.walls.words([os.path.realpath(sys.executable)], [str(to)], 1)
        at = words.index("--")
        probe = words[:at + 1] + [words[at + 1], "-I", "-c", f"""
import socket
for name, what in (("read", lambda: open("/etc/passwd")),
                   ("write", lambda: open({str(OUT / 'evil')!r}, "w")),
                   ("connect", lambda: socket.socket())):
    try:
        what()
        print(name)
    except OSError:
        pass
open({str(to / 'own')!r}, "w")
"""]
        done = subprocess.run(probe, capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout, done.returncode), ("", 0), done.stderr)


classroom.main()
