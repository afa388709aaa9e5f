# SPDX-License-Identifier: MIT
"""states_test.py SCANLAB OUT: what was handed in and is no lab's file by name is not
"nothing": the likely file is named, and graded when somebody has said so. Which labs a
student has not handed in stands in the gradebook. By real grades, of one small lab."""
import subprocess
import unittest

import classroom
from classroom import OUT, ROOT, fresh, gradebook, put, scanlab_class, zipped
import collect
import kinds
import unpack

RIGHT = (ROOT / "reference/cpu_scan.c").read_text()
STUB = (ROOT / "student/cpu_scan.c").read_text()
NAIVE = (ROOT / "student/naive.cu").read_text()


class States(unittest.TestCase):
    def setUp(self):
        self.dir, self.out = fresh("class"), fresh("out")

    def grade(self, *more, status):
        done = scanlab_class(str(self.dir), "cpu-scan", "naive", "-o", str(self.out),
                             "--seed", "1", *more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.book = gradebook(self.out)
        return done.stdout

    def cell(self, key, *columns):
        return tuple(self.book[key][c] for c in columns)

    def test_states(self):
        put(self.dir / "ann/cpu_scan.c", STUB)                 # naive is missing
        put(self.dir / "bo/lab0_final.c", STUB)                # another name, nothing else
        put(self.dir / "cy/cpu_scan.c", STUB)                  # another name beside a lab's
        put(self.dir / "cy/naive_v2.cu", NAIVE)
        put(self.dir / "dee/notes.txt", "I was ill")           # nothing
        put(self.dir / "eli/cpu_scan.c", b"\xff\xfe" + STUB.encode("utf-16-le"))
        put(self.dir / "fay/cpu_scan.c", STUB.encode("utf-16-le"))  # without its mark
        put(self.dir / "gus/cpu_scan.c", b"/" * (4 << 20))     # too large
        put(self.dir / "hal/cpu_scan.c", STUB + "/* one */\n")  # two versions
        put(self.dir / "hal/cpu_scan (1).c", STUB + "\n")
        put(self.dir / "ida/cpu_scan.c", "#error\n")           # does not compile
        put(self.dir / "jo/main.c", "int main(void) { return 0; }\n")  # nobody's functions
        said = self.grade(status=1)
        for key, status, states in (
                ("ann", "graded", "naive: not handed in"),
                ("bo", "needs a look", ""),
                ("cy", "needs a look", "naive: needs a look"),
                ("dee", "not handed in", ""),
                ("eli", "graded", "naive: not handed in"),
                ("fay", "needs a look", "cpu-scan: needs a look; naive: not handed in"),
                ("gus", "needs a look", ""),
                ("hal", "needs a look", "naive: not handed in"),
                ("ida", "graded", "cpu-scan: does not compile; naive: not handed in"),
                ("jo", "not handed in", "")):
            self.assertEqual(self.cell(key, "status", "states"), (status, states), key)
        self.assertIn("bo: needs a look: lab0_final.c may be cpu_scan.c", said)
        self.assertIn("cy: needs a look: naive_v2.cu may be naive.cu", said)
        self.assertIn("gus: needs a look: cpu_scan.c: left out, it has 4 MiB or more", said)
        self.assertIn("two versions of cpu_scan.c: cpu_scan.c, which is graded", said)
        self.assertIn("--accept", said)
        self.assertEqual(self.cell("bo", "cpu-scan", "naive"), ("", ""))
        self.assertEqual(self.cell("cy", "cpu-scan", "naive"), ("0", ""))
        self.assertEqual(self.cell("dee", "score"), ("0",))
        self.assertIn("Not handed in",
                      (self.out / "feedback/dee/report.txt").read_text())
        self.assertIn("naive.cu was not handed in",
                      (self.out / "feedback/ann/report.txt").read_text())

        # Statistics: nobody's mistake, and nobody's points.
        done = subprocess.run([classroom.SCANLAB, "stats", str(self.out)], text=True,
                              capture_output=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = next(self.out.glob("**/lecture.html")).read_text()
        self.assertIn("2 more: no file of a lab was handed in", page)
        self.assertNotIn("was not handed in.", page.replace("a lab was", ""))

        # Accepted: one by name, then all; it is kept, as long as the file is the same.
        self.grade("--accept", "bo=lab0_final.c", status=1)
        self.assertEqual(self.cell("bo", "status"), ("graded",))
        self.assertEqual(self.cell("cy", "status"), ("needs a look",))
        said = self.grade("--accept", "all", status=1)  # gus and fay stay
        self.assertEqual([k for k, row in self.book.items() if row["status"] ==
                          "needs a look"], ["fay", "gus"])
        self.assertEqual(self.cell("cy", "states"), ("",))
        self.grade(status=1)
        self.assertEqual(self.cell("bo", "status"), ("graded",))
        put(self.dir / "bo/lab0_final.c", STUB + "\n")
        self.grade(status=1)
        self.assertEqual(self.cell("bo", "status"), ("needs a look",))

    def test_what_is_no_source(self):
        """Documents and archives that stand for a source are told as what they are; beside
        a lab that is there, and as a picture beside others, they are nobody's concern."""
        docx = zipped({"[Content_Types].xml": "<x/>", "word/document.xml": STUB})
        put(self.dir / "ann/cpu_scan.c", docx)                    # called as a source
        put(self.dir / "ann/naive.cu", NAIVE)
        put(self.dir / "bo/lab 0.docx", docx)                     # nothing else
        put(self.dir / "cy/cpu_scan.c", STUB)                     # one is there, one is not
        put(self.dir / "cy/naive.cu.pdf", b"%PDF-1.7 ...")
        zipped({"hw/naive.odt": b"PK", "hw/cpu_scan.c": STUB}, self.dir / "dee/hw.zip")
        put(self.dir / "eli/naive.zip", docx)                     # a document, by its bytes
        put(self.dir / "fay/cpu_scan.c", b"\n<!DOCTYPE html><html>" + STUB.encode())
        put(self.dir / "gus/main.c", b"%PDF-1.7 ...")
        put(self.dir / "hal/naive.cu", zipped({"naive.cu": NAIVE}))
        # Honest ones.
        put(self.dir / "ida/cpu_scan.c", STUB)
        put(self.dir / "ida/report.pdf", b"%PDF-1.7 ...")
        put(self.dir / "ida/naive.png", b"\x89PNG")
        put(self.dir / "jo/cpu_scan.c", STUB)
        put(self.dir / "jo/naive.cu", NAIVE)
        put(self.dir / "jo/naive.docx", docx)
        put(self.dir / "kit/notes.md", "I was ill")
        said = self.grade(status=1)
        self.assertNotIn("--accept", said, "nothing of this can be accepted")
        self.assertEqual(said.count("it is a web page"), 1, "it is told once")
        for key, why in (
                ("ann", "cpu_scan.c: left out, it is a Word document and no source"),
                ("bo", "no cpu_scan.c was found, and lab 0.docx is a Word document"),
                ("cy", "no naive.cu was found, and naive.cu.pdf is a PDF"),
                ("dee", "no naive.cu was found, and hw.zip/hw/naive.odt is an OpenDocument text"),
                ("eli", "naive.zip: it is a Word document, no archive of sources"),
                ("fay", "cpu_scan.c: left out, it is a web page and no source"),
                ("gus", "no cpu_scan.c was found, and main.c is a PDF"),
                ("hal", "naive.cu: left out, it is an archive (zip) and no source")):
            self.assertEqual(self.cell(key, "status"), ("needs a look",), key)
            self.assertIn(f"{key}: needs a look: ", said)
            self.assertIn(why, said, key)
            self.assertIn(f"    needs a look: {why}", (self.out / "whose.txt").read_text())
            self.assertIn(why, (self.out / f"feedback/{key}/taken.txt").read_text() +
                          (self.out / f"feedback/{key}/report.txt").read_text())
        self.assertEqual([self.cell(key, "status")[0] for key in ("ida", "jo", "kit")],
                         ["graded", "graded", "not handed in"])

    def test_what_is_not_here(self):
        """Nothing of these is 0 points for who handed it in: packed by itself, a link of an
        operating system, a clone without files; hidden folders are nobody's."""
        for key, name in (("ann", "naive.cu.gz"), ("bo", "naive.cu.lnk"), ("cy", "Naive.cu.url"),
                          ("dee", ".naive.cu.icloud"), ("eli", "hw/naive.cu.bak")):
            put(self.dir / key / name, b"\x1f\x8b rest")
        for name in "HEAD", "config", "objects/pack/x", "refs/heads/main":
            put(self.dir / "fay" / name, "x")
        put(self.dir / "gus/.git/HEAD", "x")
        put(self.dir / "hal/naive.cu", NAIVE)
        put(self.dir / "hal/naive.cu.orig", NAIVE)
        put(self.dir / ".vscode/settings.json", "{}")
        put(self.dir / ".hidden/naive.cu", NAIVE)
        done = scanlab_class(str(self.dir), "naive", "-o", str(self.out), "--list")
        for key in "ann", "bo", "cy", "dee", "eli":
            self.assertRegex(done.stdout + done.stderr,
                             rf"(?s){key}.*naive\.cu\.\w+: not read, by its name it is no source")
        for key in "fay", "gus":
            self.assertIn(f"{key} is a git repository without its files", done.stdout + done.stderr)
        whose = (self.out / "whose.txt").read_text()
        for name in "vscode", "hidden", "orig: not read":
            self.assertNotIn(name, whose)

    def test_many_files(self):
        """whose.txt names some of them, and says how many there are more."""
        put(self.dir / "ann/naive.cu", NAIVE)
        for n in range(30):
            put(self.dir / f"ann/part_{n:02}.cuh", f"// {n}\n")
        done = scanlab_class(str(self.dir), "naive", "-o", str(self.out), "--list")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        whose = (self.out / "whose.txt").read_text()
        self.assertEqual(whose.count(".cuh"), 19)
        self.assertIn("and 11 other files", whose)

    def test_out_is_not_the_folder(self):
        put(self.dir / "ann/naive.cu", NAIVE)
        done = scanlab_class(str(self.dir), "naive", "-o", str(self.dir), "--list")
        self.assertEqual(done.returncode, 2)
        self.assertIn("OUT lies in DIR, which is only read", done.stderr)
        self.assertEqual([p.name for p in self.dir.iterdir()], ["ann"])

    def test_labs_in_any_order(self):
        """And a lab that is named twice is one."""
        put(self.dir / "ann/naive.cu", "#error\n")
        put(self.dir / "ann/cpu_scan.c", "#error\n")
        done = scanlab_class(str(self.dir), "naive", "cpu-scan", "naive", "-o", str(self.out))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.book = gradebook(self.out)
        self.assertEqual(self.cell("ann", "status", "cpu-scan", "naive"),
                         ("graded", "0", "0"))

    def test_which_of_two_versions(self):
        """The rule of docs/learning-systems.md; --accept KEY=FILE takes the other one."""
        where, other = fresh("class/ann"), STUB + "/* another */\n"
        put(where / "cpu_scan (1).c", STUB + "/* a third */\n")
        put(where / "cpu_scan.c", other)
        put(where / "old/cpu_scan.c", STUB + "/* old */\n")

        def listed(*more):
            done = scanlab_class(str(self.dir), "cpu-scan", "-o", str(self.out), "--list", *more)
            return done.returncode, done.stdout, (self.out / "taken/ann/cpu_scan.c").read_text()
        status, said, took = listed()
        self.assertEqual((status, took), (1, other))
        self.assertIn("two versions of cpu_scan.c: cpu_scan.c, which is graded, and cpu_scan (1).c",
                      said)
        self.assertIn("note: old/cpu_scan.c: not graded, cpu_scan.c is", said)
        for words in (["--accept", "ann=cpu_scan (1).c"], []):
            status, said, took = listed(*words)
            self.assertEqual((status, took), (0, STUB + "/* a third */\n"), said)
            self.assertIn("note: cpu_scan.c: not graded, cpu_scan (1).c is", said)
        self.assertEqual(listed("--accept", "ann=old/cpu_scan.c")[2], STUB + "/* old */\n")
        self.assertEqual(listed("--accept", "ann=cpu_scan.c")[::2], (0, other))
        # As deep, in two folders: nobody knows which one is meant. A stub is no version.
        for path in where.rglob("*.c"):
            path.unlink()
        put(where / "v1/cpu_scan.c", STUB)
        put(where / "v2/cpu_scan.c", other)
        self.assertEqual(listed()[::2], (0, other))
        put(where / "v1/cpu_scan.c", STUB + "/* one */\n")
        status, said, took = listed()
        self.assertEqual((status, took), (1, STUB + "/* one */\n"))
        self.assertIn("two versions of cpu_scan.c: v1/cpu_scan.c, which is graded, and "
                      "v2/cpu_scan.c", said)
        put(where / "v1/cpu_scan.c", other)  # the same bytes
        self.assertEqual(listed()[::2], (0, other))
        for path in where.rglob("*.c"):
            path.unlink()
        put(where / "cpu_scan.c", other)
        # Bytes that everybody was given are no version; in Canvas the later file counts.
        put(where / "cpu_scan (1).c", STUB)
        self.assertEqual(listed()[0], 0)
        for name in "leeann_1_10_cpu_scan.c", "leeann_1_20_cpu_scan-1.c":
            put(self.dir / name, name)
        self.assertEqual(listed()[0], 0)
        self.assertEqual((self.out / "taken/leeann_1/cpu_scan.c").read_text(),
                         "leeann_1_20_cpu_scan-1.c")

    def test_listed_as_it_will_be(self):
        """`--list` says of what cannot be read what the gradebook will say."""
        put(self.dir / "ann/work.zip", b"Rar!\x1a\x07")
        put(self.dir / "bo/cpu_scan.c", STUB)
        put(self.dir / "bo/naive.cu", NAIVE)
        put(self.dir / "bo/old.rar", b"Rar!\x1a\x07")
        done = scanlab_class(str(self.dir), "cpu-scan", "naive", "-o", str(self.out), "--list")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ann: ann (folder)\n    needs a look: work.zip: it is RAR", done.stdout)
        self.assertIn("    note: old.rar: ", done.stdout)

    def test_kinds(self):
        """unpack.py has the endings of kinds.py; names and bytes of sources are no kind."""
        for ending in kinds.ENDINGS:
            self.assertTrue(unpack.DOCUMENT.fullmatch("x." + ending.upper()), ending)
            self.assertTrue(kinds.of_name("x." + ending.upper()), ending)
        for name in "docx", "naive.cu", "x.docx.cu", "pdf", "a.pdfx":
            self.assertEqual((kinds.of_name(name), unpack.DOCUMENT.fullmatch(name)), ("", None))
        for data in b"", b"PK", b"#include <a>\n", b"{\n", b"BZ", STUB.encode(), NAIVE.encode():
            self.assertEqual(kinds.of_bytes(data), "", data[:9])

    def test_what_may_be_a_source(self):
        def looks(files, symbols={"naive.cu": ["naive_scan"]}):
            c = collect.Collector(None, [("naive", "naive.cu")], "", symbols)
            c.key, c.looks, c.notes, c.acceptable, c.held = "k", [], [], False, set()
            c.files = [collect.File(name.split("/"), data, 0) for name, data in files]
            c.choose()
            return c.looks
        has = b"void naive_scan();"
        self.assertEqual(looks([("a.cu", has)]), ["a.cu may be naive.cu"])
        self.assertEqual(looks([("x/A.CU", has), ("y.cu.txt", has)]),
                         ["x/A.CU or y.cu.txt may be naive.cu"])
        self.assertEqual(looks([("a.cu", b"\xff\xfe" + has.decode().encode("utf-16-le"))]),
                         ["a.cu may be naive.cu"])
        self.assertEqual(looks([("a.cu", b"void my_naive_scanner();"), ("a.c", has),
                                ("a.h", has)]), [])
        self.assertEqual(looks([("naive.cu", has), ("a.cu", has)]), [])


if __name__ == "__main__":
    classroom.main()
