# SPDX-License-Identifier: MIT
"""names_test.py SCANLAB OUT: a lab's file under a name or with an ending that is none, typed
into a system, or empty: it needs a look, the likely file is named, --accept takes it. Written
answers are taken out of archives. Honest twins are as they were. Nothing is graded."""
import time
import unittest

import classroom
from classroom import OUT, ROOT, fresh, put, scanlab_class, tarred, zipped
import likely

NAIVE, SCAN = (ROOT / "student/naive.cu").read_text(), (ROOT / "student/cpu_scan.c").read_text()
WRONG = "naive.cpp", "naive.c", "naive.cc", "naive.cuh", "naive.h", "naive.cu.bak", "naive.cu~", \
    "naive.md", "naive", "naive.cu_final", "my_own.txt"
HTML = "<p>" + NAIVE.replace("&", "&amp;").replace("<", "&lt;").replace("\n", "<br>") + "</p>"


class Names(unittest.TestCase):
    def setUp(self):
        self.dir, self.out = fresh("class"), fresh("out")

    def listed(self, *more, status=1, where=None, labs=("naive",)):
        """{key: its lines}"""
        done = scanlab_class(str(where or self.dir), *labs, "-o", str(self.out), "--list", *more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        found = {}
        for line in done.stdout.splitlines():
            if line.startswith("    "):
                found[key].append(line.strip())
            else:
                key = line.partition(":")[0]
                found[key] = []
        return found

    def taken(self, key, name="naive.cu"):
        path = self.out / "taken" / key / name
        return path.read_text() if path.exists() else None

    def test_endings(self):
        for n, name in enumerate(WRONG):
            put(self.dir / f"s{n}" / name, NAIVE)
        zipped({"hw/naive.cpp": NAIVE, "hw/notes.txt": "x"}, self.dir / "zip.zip")
        zipped({"hw/naive": NAIVE}, self.dir / "zip2.zip")
        found = self.listed()
        for n, name in enumerate(WRONG):
            self.assertEqual(found[f"s{n}"][0], f"needs a look: {name} may be naive.cu")
            self.assertIsNone(self.taken(f"s{n}"))
        self.assertEqual(found["zip"], ["needs a look: zip.zip/hw/naive.cpp may be naive.cu"])
        self.assertEqual(found["zip2"], ["needs a look: zip2.zip/hw/naive may be naive.cu"])
        found = self.listed("--accept", "all", status=0)
        for n, name in enumerate(WRONG):
            self.assertIn(f"note: {name}: graded as naive.cu", found[f"s{n}"])
            self.assertEqual(self.taken(f"s{n}"), NAIVE)
        put(self.dir / "s0/naive.cpp", NAIVE + "//")
        self.assertIn("s0", [key for key, lines in self.listed("--accept", "s1=naive.c").items()
                             if any("needs a look" in line for line in lines)])

    def test_honest_ones(self):
        """Declarations, calls, comments: no definition. Where the lab is there, nothing."""
        header = (ROOT / "labs/01-naive/naive.h").read_text()
        call = "int main(void) { if (naive_inclusive_scan(a, b, n)) { return 1; } }\n"
        put(self.dir / "ann/naive.h", header)
        put(self.dir / "ann/README.md", (ROOT / "labs/01-naive/README.md").read_text())
        put(self.dir / "ann/Makefile", "naive_inclusive_scan: x\n")
        put(self.dir / "bo/main.cpp", call)
        put(self.dir / "cy/naive.cu", NAIVE)
        put(self.dir / "cy/naive_old.cpp", NAIVE)
        put(self.dir / "dee/picture", b"\x89PNG" + bytes(2000))
        zipped({"naive.cu": NAIVE, "README.md": "x", "a.o": b"1"}, self.dir / "eli.zip")
        found = self.listed(status=0)
        self.assertEqual(found["ann"], ["note: 3 other files not looked at"])
        self.assertEqual(found["bo"], ["note: 1 other file not looked at"])
        self.assertEqual(found["cy"], ["naive.cu", "naive_old.cpp"])
        self.assertEqual(found["dee"], ["note: 1 other file not looked at"])
        self.assertEqual(found["eli"], ["naive.cu <- eli.zip/naive.cu"])

    def test_typed_in(self):
        """Into Canvas and Moodle: the text may be the source; else somebody reads it."""
        put(self.dir / "annlee_1_text.html", HTML)
        put(self.dir / "bodiaz_2_text.html", "<p>I was ill</p>")
        put(self.dir / "cyito_3_link.html", "<a href='https://x.edu/naive'>here</a>")
        put(self.dir / "diroy_4_text.html", "<p>&nbsp;</p>")
        put(self.dir / "edng_5_text.html", "<p>see the file</p>")
        put(self.dir / "edng_5_50_naive.cu", NAIVE)
        put(self.dir / "Fay Go_6_assignsubmission_onlinetext_/onlinetext.html", HTML)
        for where in self.dir, OUT / "class.zip":
            if where != self.dir:
                zipped({str(path.relative_to(self.dir)): path.read_bytes()
                        for path in self.dir.rglob("*") if path.is_file()}, where)
            found = self.listed(where=where)
            self.assertEqual(found["annlee_1"][0], "needs a look: text.html may be naive.cu")
            self.assertEqual(found["bodiaz_2"][0], "needs a look: no file was handed in, and "
                             "text.html, which was typed in, has to be read")
            self.assertIn("link.html, which was typed in", found["cyito_3"][0])
            self.assertEqual(found["diroy_4"], ["note: a text: not graded, only files are"])
            self.assertEqual(found["edng_5"], ["naive.cu", "note: a text: not graded, only files are"])
            self.assertEqual(found["fay_go_6"][0], "needs a look: onlinetext.html may be naive.cu")
        self.listed("--accept", "annlee_1,fay_go_6")
        for key in "annlee_1", "fay_go_6":
            self.assertEqual(self.taken(key).split(), NAIVE.split())

    def test_empty(self):
        """A failed upload is said, and nothing is graded of it."""
        for key, data in (("ann", b""), ("bo", b" \n\t\r\n"), ("cy", b"\xef\xbb\xbf"), ("dee", bytes(2000)),
                          ("eli", b"\xff\xfe \0\n\0")):
            put(self.dir / key / "naive.cu", data)
        zipped({}, self.dir / "fay.zip")
        put(self.dir / "gus/naive.cu", b"")
        put(self.dir / "gus/cpu_scan.c", SCAN)
        put(self.dir / "hal/naive.cu", b";")
        found = self.listed(labs=("cpu-scan", "naive"))
        self.assertEqual(found["ann"], ["needs a look: naive.cu: left out, it is empty"])
        for key in "bo", "cy", "dee", "eli":
            self.assertEqual(found[key], ["needs a look: naive.cu: left out, it has nothing but "
                                          "blanks or zeros"])
        self.assertEqual(found["fay"], ["needs a look: there is nothing in fay.zip"])
        self.assertEqual(found["gus"], ["cpu_scan.c", "needs a look: naive.cu: left out, it is empty"])
        self.assertEqual(found["hal"], ["naive.cu"])

    def test_held(self):
        """The lab of a file that could not be taken is no lab that was not handed in."""
        put(self.dir / "gus/naive.cu", b"")
        put(self.dir / "gus/cpu_scan.c", SCAN)
        put(self.dir / "ida/cpu_scan.c", SCAN)
        put(self.dir / "jolee_LATE_7_70_cpu_scan.c", SCAN)  # Canvas marks files
        put(self.dir / "jolee_7_71_naive.cu", NAIVE)
        put(self.dir / "kimlee_LATE_8_80_cpu_scan.c", SCAN)
        put(self.dir / "kimlee_LATE_8_81_naive.cu", NAIVE)
        done = scanlab_class(str(self.dir), "cpu-scan", "naive", "-o", str(self.out), "--seed", "1")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        book = classroom.gradebook(self.out)
        self.assertEqual((book["gus"]["states"], book["gus"]["naive"]), ("naive: needs a look", ""))
        self.assertEqual((book["ida"]["states"], book["ida"]["naive"]), ("naive: not handed in", "0"))
        put(OUT / "p.ini", "[course]\nmissing = zero\n[late]\npercent = 10\n[lab naive]\n"
            "due = 2026-11-30T23:59Z\n[lab cpu-scan]\ndue = 2026-11-30T23:59Z\n")
        classroom.subprocess.run([classroom.SCANLAB, "gradebook", self.out, "-p", OUT / "p.ini"],
                                 capture_output=True, check=False, timeout=100)
        labs = (self.out / "final/labs.csv").read_text()
        for key, lab, late in (("jolee_7", "cpu-scan", "unknown"), ("jolee_7", "naive", "no"),
                               ("kimlee_8", "cpu-scan", "unknown"), ("kimlee_8", "naive", "unknown")):
            self.assertRegex(labs, f'"{key}".*"{lab}",.*"{late}"')
        self.assertRegex(labs, r'"gus".*"naive","needs a look"')
        self.assertRegex(labs, r'"ida".*"naive","not handed in"')

    def test_answers(self):
        """Of a folder, of the class in one archive, of a student's own."""
        text = "## naive\n1. because\n"
        put(self.dir / "ann/answers.md", text)
        put(self.dir / "ann/naive.cu", NAIVE)
        zipped({"hw/answers.md": text, "hw/naive.cu": NAIVE}, self.dir / "bo.zip")
        put(self.dir / "cy/answers.md.txt", text)
        put(self.dir / "cy/naive.cu", NAIVE)
        put(self.dir / "dee/answers.pdf", b"%PDF-1.7")
        put(self.dir / "dee/naive.cu", NAIVE)
        files = {str(path.relative_to(self.dir)): path.read_bytes()
                 for path in self.dir.rglob("*") if path.is_file()}
        zipped(files, OUT / "class.zip")
        tarred(list(files.items()), path=OUT / "class.tgz")
        for where in self.dir, OUT / "class.zip", OUT / "class.tgz":
            found = self.listed(where=where, status=0)
            for key in "ann", "bo", "cy":
                self.assertEqual((self.out / "answers" / key / "answers.md").read_text(), text, key)
            self.assertIn("note: answers.pdf: not taken, it is a PDF: answers are read in answers.md",
                          found["dee"])
        put(OUT / "p.ini", "[lab naive]\nquestions = 1 1\n")

    def test_archives_of_texts(self):
        """What is no source makes no archive too large, nor damaged."""
        big = {f"hw/{n}.log": "x" * (1 << 20) for n in range(200)}  # 200 MiB, packed to nothing
        zipped(big | {"hw/naive.cu": NAIVE}, self.dir / "ann.zip")
        data = bytearray(zipped({"hw/notes.md": "y" * 9999, "hw/naive.cu": NAIVE}))
        at = data.index(b"notes.md") + 12
        data[at:at + 4] = b"\xff\xff\xff\xff"
        put(self.dir / "bo.zip", bytes(data))
        found = self.listed(status=0)
        self.assertEqual(found["ann"], ["naive.cu <- ann.zip/hw/naive.cu"])
        self.assertEqual(found["bo"], ["naive.cu <- bo.zip/hw/naive.cu"])
        zipped({"ann/" + name: text for name, text in big.items()} | {"ann/naive.cu": NAIVE},
               OUT / "class.zip")
        self.assertEqual(self.listed(where=OUT / "class.zip", status=0)["ann"][0], "naive.cu")

    def test_definitions(self):
        for data, wanted in ((b"int f(int a)\n{", True), (b"int f (int (*g)(int), b) /* x */ {", True),
                             (b"f(a);", False), (b"if (f(a)) {", False), (b"while (x(f(a))) {", False),
                             (b"my_f(a) {", False), (b"f", False), (b"f(", False), (b"", False)):
            self.assertEqual(likely.defines(data, ["f"]), wanted, data)
            self.assertEqual(likely.defines(b"\xff\xfe" + data.decode().encode("utf-16-le"), ["f"]), wanted)
        for data in (b"f(" * 500000, b"f (" + b" " * 900000, b"f" + b" " * 900000, b"<p" * 500000,
                     b"<br " * 250000, b"&" * 900000):
            begun = time.process_time()
            likely.defines(likely.text_of(data), ["f"])
            self.assertLess(time.process_time() - begun, 5, data[:9])


if __name__ == "__main__":
    classroom.main()
