# SPDX-License-Identifier: MIT
"""layouts_test.py SCANLAB OUT: from each LMS's folder: what is taken for whom,
what is nobody's; odd names; whole classes in one archive."""
import os
import unittest

import classroom
from classroom import OUT, fresh, put, scanlab_class, takes_yaml, tarred, zipped
import layouts
import words

NAIVE, SCAN = "naive.cu", "cpu_scan.c"


notes = []  # of the last list, about the class


def listed(where, status=0):
    """whose.txt as {key: [line]}, and the lines of what is nobody's."""
    done = scanlab_class(where, "cpu-scan", "naive", "--list", "-o", OUT / "out")
    assert done.returncode == status, done.stdout + done.stderr
    found, nobody = {}, []
    notes.clear()
    for line in done.stdout.splitlines():
        if line.startswith("nobody's: "):
            nobody.append(line.removeprefix("nobody's: "))
        elif line.startswith("note: "):
            notes.append(line.removeprefix("note: "))
        elif line.startswith("    "):
            found[key].append(line.strip())
        else:
            key, who = line.split(": ", 1)
            found[key] = [who]
    return found, nobody


def taken(key, name):
    return (OUT / "out/taken" / key / name).read_text()


class Layouts(unittest.TestCase):
    def setUp(self):
        self.dir = fresh("class")

    def put(self, name, data="int x;\n"):
        put(os.path.join(self.dir, name), data)

    def test_canvas(self):
        self.put("leeann_12345_67890_naive.cu", "ann's")
        self.put("leeann_12345_67891_cpu_scan-1.c", "ann's second try")
        self.put("van_der_berg_LATE_77_5_Naive.CU", "late")
        self.put("müllerjörg_99_6_naive (2).cu.txt", "umlauts")
        self.put("anon_x9Yz1_8_naive.cu", "nobody knows")
        self.put("LATE_anon_ab3De_9_naive.cu", "nobody knows, late")
        self.put("texter_55_text.html", "<p>here is my code</p>")
        self.put("comments.csv", "x")
        found, nobody = listed(self.dir, 1)
        self.assertEqual(found["leeann_12345"], [
            "12345 leeann (canvas)", "cpu_scan.c <- cpu_scan-1.c", "naive.cu",
            "note: cpu_scan-1.c: graded as cpu_scan.c"])
        self.assertEqual(found["van_der_berg_77"][0], "77 van_der_berg (canvas, late)")
        self.assertIn("note: Naive.CU: graded as naive.cu", found["van_der_berg_77"])
        muller = next(k for k in found if "99" in k)
        self.assertEqual(found[muller][0], "99 müllerjörg (canvas)")
        self.assertEqual(taken(muller, NAIVE), "umlauts")
        self.assertEqual(found["anon_x9yz1_x9yz1"][0], "x9Yz1 anon_x9Yz1 (canvas)")
        self.assertTrue(any("(canvas, late)" in v[0] and "ab3De" in v[0]
                            for v in found.values()))
        self.assertIn("note: a text: not graded, only files are", found["texter_55"])
        self.assertEqual(nobody, ["comments.csv: its name does not say whose it is"])

    def test_one_name_twice(self):
        """Canvas numbers them: the last one is graded."""
        self.put("leeann_12345_67890_naive.cu", "first")
        self.put("leeann_12345_67899_naive.cu", "second")
        found, _ = listed(self.dir)
        self.assertEqual(found["leeann_12345"], [
            "12345 leeann (canvas)", "naive.cu",
            "note: naive.cu: handed in more than once, the last one is graded"])
        self.assertEqual(taken("leeann_12345", NAIVE), "second")

    def test_one_id_in_two_rows(self):
        self.put("zoe/naive.cu", "in a folder")
        zipped({"naive.cu": "zipped"}, self.dir / "zoe.zip")
        self.put("zoey/naive.cu", "another")
        found, _ = listed(self.dir)
        rows = sorted(k for k, v in found.items() if v[0].startswith("zoe "))
        self.assertEqual(len(rows), 2)
        self.assertEqual(rows[0], "zoe")
        self.assertIn(f"the id zoe has several rows: {', '.join(rows)}", notes)
        self.assertIn(f"zoe.zip would have the key zoe of zoe, and has {rows[1]}", notes)
        self.assertEqual([v[1:] for k, v in found.items() if k in rows],
                         [["naive.cu"], ["naive.cu <- zoe.zip/naive.cu"]], "it stands in no row")
        self.assertEqual(found["zoey"], ["zoey (folder)", "naive.cu"])

    def test_ids_that_look_alike(self):
        """Who imports a gradebook by ids that mind no case, or looks at them, could give
        one's points to the other; honest names that are near stay as they are."""
        for name in "ann", "Ann", "ann\u200b", "ann\u3164", "\u24d0nn", "bo", "bob", "M\u00fcller", \
                "Muller":
            self.put(name + "/naive.cu", name)
        found, _ = listed(self.dir)
        self.assertEqual(len(found), 9)
        alike = [text for text in notes if "alike" in text]
        self.assertEqual(len(alike), 1, notes)
        self.assertTrue(alike[0].startswith("the ids Ann, ann, ann?, "), alike)
        self.assertNotIn("bo", alike[0])

    def test_cells_in_other_countries(self):
        """Where a semicolon parts cells, our quotes part none: no part of a name begins a
        formula there, either."""
        for name in "x;=cmd|' ! A1", "y; +1", "z;\"=1", ";;@x", "a;\u22121", "b;\uff1dc":
            for part in words.cell(name).split(";"):
                self.assertFalse(words.FORMULA.match(part) and part[0] != "'", name)
        self.assertEqual(words.cell("Ann; Bo"), "Ann; Bo")
        self.assertEqual(words.cell("a;b=1"), "a;b=1")

    def test_moodle(self):
        self.put("Ann Lee_111_assignsubmission_file_/naive.cu", "folder")
        self.put("Zoë O'Neil-Ñ_112_assignsubmission_file_/work/sub/naive.cu", "deep")
        self.put("Bo_113_assignsubmission_file_naive.cu", "flat")
        self.put("Bo_113_assignsubmission_file_cpu_scan.c", "flat, too")
        self.put("Participant 4_114_assignsubmission_onlinetext_/onlinetext.html", "hi")
        zipped({"hw/naive.cu": "zipped"},
               self.dir / "Cy Z_115_assignsubmission_file_/my work.zip")
        self.put("Di_115_assignsubmission_file_/cpu_scan.c", "115 of another assignment")
        found, nobody = listed(self.dir, 1)  # a text has to be read
        self.assertEqual(found["di_115"], ["115 Di (moodle)", "cpu_scan.c"])
        self.assertEqual(found["ann_lee_111"], ["111 Ann Lee (moodle)", "naive.cu"])
        zoe = next(v for v in found.values() if v[0].startswith("112 Zoë O'Neil-Ñ"))
        self.assertEqual(zoe[1:], ["naive.cu <- work/sub/naive.cu"])
        self.assertEqual(found["bo_113"][1:], ["cpu_scan.c", "naive.cu"])
        self.assertEqual(taken("cy_z_115", NAIVE), "zipped")
        self.assertIn("note: onlinetext: not graded, only files are",
                      found["participant_4_114"])
        self.assertEqual(nobody, [])

    def test_brightspace(self):
        """Folders or files by name and time; of two attempts the last one counts."""
        self.put("397063-255 - Mary-Ann Smith - Sep 24, 2026 926 PM/naive.cu", "first")
        self.put("397063-255 - Mary-Ann Smith - Sep 24, 2026 1159 PM/naive.cu", "last")
        self.put("397063-255 - Mary-Ann Smith - Sep 24, 2026 1201 AM/naive.cu", "at night")
        self.put("397063-260 - Min Kim - Sep 24, 2026 1201 AM/naive.cu", "one Kim")
        self.put("397063-261 - Min Kim - Sep 24, 2026 1202 AM/naive.cu", "another")
        self.put("397063-258 - Zoë - Bo - Sep 9, 2026 12:05 PM - naive.cu", "flat")
        self.put("397063-258 - Zoë - Bo - Sep 9, 2026 12:05 PM - cpu_scan.c", "flat, too")
        self.put("397063-259 - Al - Sep 31, 2026 1205 PM/naive.cu", "no day: a folder")
        self.put("index.html", "<p>a list</p>")
        found, nobody = listed(self.dir, 1)
        ann = next(v for v in found.values() if "Mary-Ann" in v[0])
        self.assertEqual(ann[:2], ["Mary-Ann Smith (brightspace)", "naive.cu"])
        self.assertIn("note: version 2026-09-24T21:26:00 is not graded, 2026-09-24T23:59:00 is",
                      ann)
        self.assertIn("note: version 2026-09-24T00:01:00 is not graded, 2026-09-24T23:59:00 is",
                      ann)
        key = next(k for k, v in found.items() if v is ann)
        self.assertEqual(taken(key, NAIVE), "last")
        zoe = next(v for v in found.values() if "Zoë" in v[0])
        self.assertEqual(zoe[1:], ["cpu_scan.c", "naive.cu"])
        kims = [k for k, v in found.items() if "Min Kim" in v[0]]
        self.assertEqual(sorted(taken(k, NAIVE) for k in kims), ["another", "one Kim"])
        self.assertTrue(any("Min Kim has several rows" in text for text in notes), notes)
        # What begins as Brightspace's and has another time is not taken for a person.
        self.assertEqual((len(found), len(nobody)), (4, 1))
        self.assertIn("no time as in English", nobody[0])
        for name in ("12-3 - Al - 30. Nov 2026 2002", "12-3 - Al - Nov 30, 2026 2002 - naive.cu",
                     "12-3 - Al - Nov 30, 2026 1302 PM"):
            self.assertTrue(layouts.like_brightspace(name), name)
        for name in ("12-3 - Al - Nov 30, 2026 802 PM", "12-3 - Al", "Al - Bo - Nov",
                     "12-3 - Al - Nov 30, 2026 802 PM - naive.cu"):
            self.assertFalse(layouts.like_brightspace(name), name)

    def test_a_time_is_no_number_of_attempts(self):
        """Only what counts its versions says how often something was handed in."""
        found, _ = layouts.by_names([
            ("12-34 - Ann - Nov 30, 2026 802 PM", "folder"),
            ("12-34 - Ann - Nov 30, 2026 803 PM", "folder"),
            ("Lab 1_bo_attempt_2026-11-30-20-02-00_naive.cu", "file"),
            ("cy@x.edu_7_naive.cu", "file")])
        self.assertEqual({s.persons[0].name or s.persons[0].id: (s.version, s.handed_in)
                          for s in found}, {"Ann": (0, "2026-11-30T20:03:00"),
                                            "bo": (0, "2026-11-30T20:02:00"),
                                            "cy@x.edu": (7, "")})

    def test_blackboard(self):
        """Files by login and time, and a text of Blackboard's beside each attempt."""
        lab = "Lab 1_ the first_"
        for at in "2026-11-30-20-02-00", "2026-11-30-23-10-00":
            self.put(f"{lab}annlee_attempt_{at}.txt", "Name: Ann Lee (annlee)")
            self.put(f"{lab}annlee_attempt_{at}_naive.cu", at)
        self.put(f"{lab}annlee_attempt_2026-11-30-23-10-00_cpu_scan.c", "in the same attempt")
        self.put(f"{lab}bo_attempt_2026-11-30-20-02-00.txt", "Name: Bo (bo)\nnothing")
        self.put(f"{lab}m_ller_attempt_2026-11-30-20-02-00_naive.cu", "a login with a _")
        found, nobody = listed(self.dir)
        self.assertEqual(found["annlee"], [
            "annlee (blackboard)", "cpu_scan.c", "naive.cu",
            "note: version 2026-11-30T20:02:00 is not graded, 2026-11-30T23:10:00 is"])
        self.assertEqual(taken("annlee", NAIVE), "2026-11-30-23-10-00")
        self.assertEqual(found["bo"][0], "bo (blackboard)")
        self.assertEqual(found["m_ller"][0], "m_ller (blackboard)")
        self.assertEqual((len(found), nobody), (3, []))

    def test_what_cannot_be_read_may_be_what_is_missing(self):
        """One with a lab and a RAR needs a look where another lab is missing; where none
        is, or where what is beside it can be read, nobody does. A source may be called .txt."""
        scan = (classroom.ROOT / "student/cpu_scan.c").read_text()
        naive = (classroom.ROOT / "student/naive.cu").read_text()
        self.put("eve/cpu_scan.c", scan)
        self.put("eve/labs.rar", b"Rar!\x1a\x07")
        self.put("fay/cpu_scan.c", scan)
        self.put("fay/naive.txt", naive)
        self.put("gus/cpu_scan.c", scan)
        self.put("gus/naive.cu", naive)
        self.put("gus/old.rar", b"Rar!\x1a\x07")
        self.put("hal/cpu_scan.c", scan)
        self.put("hal/notes.txt", "naive was too hard")
        found, _ = listed(self.dir, 1)
        look = {key: [text for text in said if "was found, and this cannot be read" in text
                      or "may be naive.cu" in text] for key, said in found.items()}
        self.assertEqual([len(look[key]) for key in ("eve", "fay", "gus", "hal")], [1, 1, 0, 0],
                         look)
        self.assertIn("no naive.cu was found", look["eve"][0])

    def test_names_of_other_students(self):
        """Who calls a file as another's is called hands it in for oneself."""
        other = "Ann Lee_111_assignsubmission_file_"
        self.put(other + "/naive.cu", "Ann's")
        self.put("Mal_112_assignsubmission_file_" + other + "naive.cu", "Mal's")
        self.put("Mo_113_assignsubmission_file_" + other + "/cpu_scan.c", "Mo's")
        self.put("cy_114_9_bob_44444_assignsubmission_file_naive.cu", "Cy's")
        self.put("di@x.edu_2_bob_44444_99999_naive.cu", "Di's")
        self.put("fay_115_8_scan_1_2_naive.cu", "Fay's")
        at = "attempt_2026-11-30-20-02-00_"
        self.put("gus_116_7_ann_" + at + "naive.cu", "Gus's")
        self.put("Hal_117_assignsubmission_file_ann_" + at + "naive.cu", "Hal's")
        self.put("ian@x.edu_3_ann_" + at + "naive.cu", "Ian's")
        self.put("Lab_joy_" + at + "5_77_naive.cu", "Joy's")
        self.put("Lab_kim_" + at + "ann_" + at + "naive.cu", "Kim's")
        self.put("12-34 - Lou - Nov 30, 2026 802 PM - Ann - Nov 30, 2026 901 PM - naive.cu",
                 "Lou's")
        self.put("12-35 - Max - Nov 30, 2026 802 PM - x_111_assignsubmission_file_naive.cu",
                 "Max's")
        self.put("12-36 - Ned - Nov 30, 2026 802 PM - ann@x.edu_9_naive.cu", "Ned's")
        found, nobody = listed(self.dir)
        self.assertEqual(found.pop("ann_lee_111"),
                         ["111 Ann Lee (moodle)", "naive.cu"])
        self.assertEqual(sorted(v[0] for v in found.values()),
                         ["112 Mal (moodle)", "113 Mo (moodle)", "114 cy (canvas)",
                          "115 fay (canvas)", "116 gus (canvas)", "117 Hal (moodle)",
                          "Lou (brightspace)", "Max (brightspace)", "Ned (brightspace)",
                          "di@x.edu di@x.edu (autolab)",
                          "ian@x.edu ian@x.edu (autolab)", "joy (blackboard)",
                          "kim (blackboard)"])
        self.assertEqual(nobody, [])

    def test_most_of_a_class_say_which_system(self):
        """A name that two systems could have made is that system's from which the others
        came: whoever calls himself, or a file, as another system does is still himself."""
        at = "a_Vict1_attempt_2026-01-01-10-00-00_cpu_scan.c"
        mail = "ann@x.edu_1005_assignsubmission_file_naive.cu"
        time = "1-2 - Bo - Nov 1, 2026 802 PM - x_1003_assignsubmission_file_naive.cu"
        moodle = ["Ann_1001_assignsubmission_file_naive.cu", "Bo_1002_assignsubmission_file_naive.cu"]
        for names, wanted in (
                (["anon_Vict1_12_cpu_scan.c", "LATE_anon_x9Yz1_13_" + at],
                 ["Vict1 anon_Vict1 (canvas)", "x9Yz1 anon_x9Yz1 (canvas, late)"]),
                ([*moodle, mail, time], ["1001 Ann (moodle)", "1002 Bo (moodle)",
                 "1003 1-2 - Bo - Nov 1, 2026 802 PM - x (moodle)", "1005 ann@x.edu (moodle)"]),
                (["bo@x.edu_2_naive.cu", "ed@x.edu_2_assignsubmission_file_naive.cu"],
                 ["bo@x.edu bo@x.edu (autolab)", "ed@x.edu ed@x.edu (autolab)"])):
            self.dir = fresh("class")
            for name in names:
                self.put(name)
            found, nobody = listed(self.dir)
            self.assertEqual(sorted(v[0] for v in found.values()), wanted)
            self.assertEqual(nobody, [])

    def test_what_is_no_file(self):
        """A source that is a link: somebody has to look. Long paths leave room for what is said."""
        os.makedirs(self.dir / "ann")
        os.symlink("/etc/hosts", self.dir / "ann/naive.cu")
        self.put("ann/cpu_scan.c")
        deep = "/".join(["d" * 20] * 20)
        self.put(f"cy/{deep}/naive.cu")
        self.put("cy/cpu_scan.c")
        self.put("di/notes.html", "<p>&#" + "9" * 100000 + ";</p>")
        self.put("di/cpu_scan.c")
        listed(self.dir, 1)
        said = (OUT / "out/whose.txt").read_text()
        self.assertIn("needs a look: naive.cu: a link", said)
        self.assertIn("folders deep", said)

    GRADESCOPE = """\
submission_1:
  :submitters:
  - :name: Ann Lee
    :sid: 007
    :email: ann@x.edu
  - :name: "=cmd|' /C calc'!A0"
    :sid: '8'
    :email: bo@x.edu
  :created_at: 2026-11-20 10:00:00.000000000 Z
  :score: 0.0
  :results: !ruby/hash:ActiveSupport::HashWithIndifferentAccess
    tests: []
submission_2:
  :submitters:
  - :name: Cy
    :sid:
    :email: cy@x.edu
submission_../../etc:
  :submitters: []
"""

    def gradescope(self, prefix):
        takes_yaml(self)
        self.put(prefix + "submission_metadata.yml", self.GRADESCOPE)
        self.put(prefix + "submission_1/naive.cu", "two of them")
        self.put(prefix + "submission_2/hw.tgz", tarred([("a/naive.cu", b"tarred")]))
        self.put(prefix + "submission_9/naive.cu", "not in the list")

    def test_gradescope(self):
        self.gradescope("assignment_5_export/")
        found, nobody = listed(self.dir, 1)
        self.assertEqual(found["submission_1"], [
            "007 Ann Lee ann@x.edu, 8 =cmd|' /C calc'!A0 bo@x.edu (gradescope)", "naive.cu"])
        self.assertEqual(taken("submission_2", NAIVE), "tarred")
        odd = next(v for k, v in found.items() if "etc" in k)
        self.assertIn("which is not there", odd[1])
        self.assertEqual(nobody, ["submission_9: submission_metadata.yml does not name it"])

    def test_whole_class_in_an_archive(self):
        self.gradescope("assignment_77_export/")
        files = {p.relative_to(self.dir): p.read_bytes()
                 for p in self.dir.rglob("*") if p.is_file()}
        zipped({str(k): v for k, v in files.items()}, OUT / "all.zip")
        tarred([(str(k), v) for k, v in files.items()], "w:xz", OUT / "all.tar.xz")
        for name in "all.zip", "all.tar.xz":
            found, _ = listed(OUT / name, 1)
            self.assertEqual(taken("submission_1", NAIVE), "two of them")
            self.assertEqual(len(found), 3)

    def test_damaged_list(self):
        for text in "a: [", "&a [*a, *a]", "- 1\n", "\xff\xfe", \
                "a: &a [x,x,x,x,x,x,x,x]\n" + "".join(
                    f"{n}: &{n} [{','.join(['*' + p] * 9)}]\n"
                    for p, n in zip("abcdefghijklmno", "bcdefghijklmnop")):
            with self.subTest(text[:9]):
                self.put("submission_metadata.yml", text.encode("latin-1"))
                self.put("submission_1/naive.cu")
                done = scanlab_class(self.dir, "naive", "--list", "-o", OUT / "out")
                self.assertIn(done.returncode, (1, 2), done.stderr)
                self.assertNotIn("Traceback", done.stderr)

    def test_autolab(self):
        self.put("ann@cs.edu_2_handin.tar", tarred([("naive.cu", b"second")], "w"))
        self.put("ann@cs.edu_10_handin.tar", tarred([("naive.cu", b"tenth")], "w"))
        self.put("bo_b@cs.edu_1_naive.cu", "bo")
        found, _ = listed(self.dir)
        self.assertEqual(taken("ann@cs.edu", NAIVE), "tenth")
        self.assertIn("note: version 2 is not graded, 10 is", found["ann@cs.edu"])
        self.assertEqual(found["bo_b@cs.edu"][0], "bo_b@cs.edu bo_b@cs.edu (autolab)")

    def test_prairielearn(self):
        """Two questions, and one of them twice: the greatest number counts. Who calls a file
        so in another system, and an e-mail address alone, is nobody else."""
        self.put("ann@x.edu_1_scanlab-naive_1_1_345_naive.cu", "first")
        self.put("ann@x.edu_1_scanlab-naive_2_1_1001_naive.cu", "second")
        self.put("ann@x.edu_1_scanlab-cpu-scan_1_3_350_cpu_scan.c", "its")
        self.put("leebo_2_77_ann@x.edu_1_scanlab-naive_9_9_9999_naive.cu", "no")
        self.put("bo_b@cs.edu_1_naive.cu", "bo")
        found, _ = listed(self.dir)
        self.assertEqual(taken("ann@x.edu", NAIVE), "second")
        self.assertEqual(taken("ann@x.edu", SCAN), "its")
        self.assertEqual(found["ann@x.edu"][0], "ann@x.edu ann@x.edu (prairielearn)")
        self.assertEqual(found["bo_b@cs.edu"][0], "bo_b@cs.edu bo_b@cs.edu (autolab)")
        self.assertIn("leebo_2", " ".join(found))

    def test_repositories_and_folders(self):
        self.put("scan-ann/.git/HEAD", "ref: refs/heads/main\n")
        self.put("scan-ann/.git/naive.cu", "no")
        self.put("scan-ann/student/naive.cu", "yes")
        self.put("scan-ann/student/cpu_scan.c", "yes")
        self.put("scan-ann/student/parts/add.cuh", "with it")
        self.put("scan-ann/old/naive.cu", "old")
        self.put("scan-ann/build/CMakeCache.txt", "")
        self.put("scan-ann/build/x/naive.cu", "built")
        self.put("split/lab0/cpu_scan.c", "0")
        self.put("split/lab1/naive.cu", "1")
        self.put("split/lab1/step.cuh", "1's")
        self.put("empty/README.md", "sorry")
        (self.dir / "none").mkdir()
        found, nobody = listed(self.dir)
        self.assertEqual(found["scan-ann"], [
            "scan-ann (folder)", "cpu_scan.c <- student/cpu_scan.c",
            "naive.cu <- student/naive.cu", "parts/add.cuh <- student/parts/add.cuh",
            "note: build: not looked into, CMake builds in this folder",
            "note: old/naive.cu: not graded, student/naive.cu is"])
        self.assertEqual(found["split"], [
            "split (folder)", "cpu_scan.c <- lab0/cpu_scan.c", "naive.cu <- lab1/naive.cu",
            "step.cuh <- lab1/step.cuh"])
        self.assertEqual(found["empty"], ["empty (folder)",
                                          "note: 1 other file not looked at"])
        self.assertEqual(found["none"], ["none (folder)"])
        self.assertEqual(nobody, [])

    def test_built_among_the_sources(self):
        """Sources beside what CMake writes are handed in, and what CMake itself makes is
        not. Where a folder looks like CMake's alone, the row says that it was left out."""
        for where in ("ann/lab1", "bo/lab1", "cy/lab1"):
            self.put(f"{where}/CMakeCache.txt", "")
            self.put(f"{where}/CMakeFiles/3.25/CompilerIdC/naive.cu", "built")
        self.put("ann/lab1/naive.cu", "ann's")
        self.put("bo/lab1/CMakeLists.txt", "")
        self.put("bo/lab1/student/naive.cu", "bo's")
        self.put("cy/lab1/student/naive.cu", "cy's")
        found, _ = listed(self.dir)
        self.assertEqual(found["ann"][:2], ["ann (folder)", "naive.cu <- lab1/naive.cu"])
        self.assertEqual(found["bo"][:2], ["bo (folder)",
                                           "naive.cu <- lab1/student/naive.cu"])
        self.assertEqual(found["cy"], [
            "cy (folder)", "note: lab1: not looked into, CMake builds in this folder"])
        for row in ("ann", "bo"):
            self.assertNotIn("CMakeFiles", " ".join(found[row]))

    def test_odd_names(self):
        """Shells, paths, terminals and spreadsheets see nothing in them."""
        names = [b"$(touch x)", b"a;b|c&d", b"-rf", b"--help", b"new\nline", b"\x1b[31mred",
                 b"\xff\xfe", "名前".encode(), "e\u0301".encode(), "\u202egnp".encode(),
                 b"'quoted' \"twice\"", b"..a", b"A", b"a", b"%s%n", b"con", b"x" * 200]
        for name in names:
            self.put(os.fsdecode(name) + "/naive.cu", b"//" + name)
        found, nobody = listed(self.dir)
        self.assertEqual(nobody, [])
        self.assertEqual(len(found), len(names))
        for key in found:
            self.assertRegex(key, r"\A[a-z0-9@_][a-z0-9.@_-]*\Z")
        self.assertFalse((OUT / "x").exists())

    def test_links_and_pipes(self):
        self.put("ann/naive.cu")
        (self.dir / "ann/cpu_scan.c").symlink_to("/etc/passwd")
        os.mkfifo(self.dir / "ann/pipe.cu")
        (self.dir / "bo").symlink_to("/etc")
        os.mkfifo(self.dir / "cy.zip")
        found, nobody = listed(self.dir, 1)
        self.assertEqual(found["ann"][1:], [
            "naive.cu", "needs a look: cpu_scan.c: a link, which is not followed",
            "note: cpu_scan.c: a link, which is not followed",
            "note: pipe.cu: not a file"])
        self.assertEqual(nobody, ["bo: a link, which is not followed", "cy.zip: not a file"])

    def test_keys_that_meet(self):
        self.put("Ann Lee/naive.cu", "1")
        self.put("ann_lee/naive.cu", "2")
        self.put("ann lee/naive.cu", "3")
        found, _ = listed(self.dir)
        self.assertEqual(sorted(taken(k, NAIVE) for k in found), ["1", "2", "3"])

    ALIKE = ["Ann", "ann", "ANN", " ann", "a.nn", "a_nn", "a nn", "A nn", "\u00e5nn", "con", "CON",
             "nul.txt", "x.part", "ann-0123456789abcdef", "x" * 48, "x" * 49, "x" * 50,
             "\u24d0nn", "\uff41nn", "ann\n", "\udc80", "-", "...", "a-", "1_2", "1_3"]

    def test_a_key_is_of_its_name_alone(self):
        """So nobody gets another one because of somebody beside; and no name can be
        found that has another one's, its hash included."""
        keys = {name: words.folder(name) for name in self.ALIKE}
        again = {words.folder(key + end) for key in keys.values() for end in ("", "-", "x")
                 if key not in keys}
        self.assertEqual(len(set(keys.values())), len(keys))
        self.assertFalse(again & set(keys.values()))
        for name, key in keys.items():
            self.assertRegex(key, r"\A[a-z0-9@_][a-z0-9.@_-]*\Z")
            self.assertEqual(key == name, name in ("ann", "a.nn", "a_nn", "x" * 48, "1_2", "1_3"))
        names = {words.folder_of(name, number): 0 for name in self.ALIKE
                 for number in ("1", "11", "2", "01", "1" * 20)}
        self.assertEqual(len({k.rpartition("_")[2] for k in names}), 5)

    def test_keys_that_meet_all_the_same(self):
        """A folder and an archive of one name; a name that looks like Moodle's key."""
        self.put("zoe/naive.cu", "folder")
        zipped({"naive.cu": "zipped"}, self.dir / "zoe.zip")
        self.put("Ann Lee_7_assignsubmission_file_/naive.cu", "Moodle's")
        self.put("ann_lee_7/naive.cu", "who is called so")
        found, _ = listed(self.dir)
        self.assertEqual(taken("zoe", NAIVE), "folder")
        self.assertEqual(taken("ann_lee_7", NAIVE), "who is called so")
        self.assertEqual(len(found), 4)
        self.assertEqual([note for note in notes if "would have the key" in note], [
            f"Ann Lee_7_assignsubmission_file_ would have the key ann_lee_7 of ann_lee_7, "
            f"and has {next(k for k in found if k.startswith('ann_lee_7-'))}",
            f"zoe.zip would have the key zoe of zoe, and has "
            f"{next(k for k in found if k.startswith('zoe-'))}"])

    # ---- what lies in a student's folder is that student's ----

    INSIDE = ("annlee_1001_5001_naive.cu", "Ann Lee_1_assignsubmission_file_/naive.cu",
              "ann@x.edu_3_naive.cu", "submission_1/naive.cu", "bo.zip", "submission_metadata.yml")

    def one_row(self, key, status=0):
        found, nobody = listed(self.dir, status)
        self.assertEqual((list(found), nobody), ([key], []))

    def test_one_entry(self):
        """A drop box in which one has handed in, so far."""
        for name in self.INSIDE:
            self.put("mallory/" + name, self.GRADESCOPE if name.endswith("yml") else "x")
        self.one_row("mallory", 1)  # bo.zip is none, and no cpu_scan.c is there
        done = scanlab_class(self.dir, "naive", "--list", "-o", OUT / "out")
        self.assertIn("there is one folder, mallory, taken for one student's", done.stderr)

    def test_one_archive(self):
        zipped({"mallory/" + name: "x" for name in self.INSIDE}, self.dir / "mallory.zip")
        self.one_row("mallory", 1)

    def test_a_folder_called_as_gradescopes(self):
        """Without the list that folder is somebody's; within another one, too."""
        self.put("assignment_5_export/naive.cu")
        self.one_row("assignment_5_export")
        self.setUp()
        self.put("mallory/assignment_5_export/submission_metadata.yml", self.GRADESCOPE)
        self.put("mallory/assignment_5_export/submission_1/naive.cu")
        self.one_row("mallory")
        self.setUp()
        self.put("assignment_5_export/submission_metadata.yml", self.GRADESCOPE)
        self.put("assignment_5_export/submission_1/naive.cu")
        self.put("ann/naive.cu")
        found, _ = listed(self.dir)
        self.assertEqual(sorted(found), ["ann", "assignment_5_export"])

    def test_a_list_among_others(self):
        """It makes nobody's row another one, and ends nothing where it is damaged."""
        for text in self.GRADESCOPE, "a: [", "ann:\n  :submitters:\n  - :sid: bo\n":
            self.put("ann/naive.cu", "Ann's")
            self.put("bo/naive.cu", "Bo's")
            self.put("submission_1/naive.cu", "Mal's")
            self.put("submission_metadata.yml", text)
            found, nobody = listed(self.dir, 1)
            self.assertEqual([v[0] for _, v in sorted(found.items())],
                             [f"{name} (folder)" for name in ("ann", "bo", "submission_1")])
            self.assertIn("among what is not Gradescope's", nobody[0])


classroom.main()
