# SPDX-License-Identifier: MIT
"""apart_test.py SCANLAB OUT: the trouble of one row stays in it. What is thrown, and
where, is put in here; the others have the rows that they have without that. And a
class ends early when the grader can write or start nothing, with a sentence."""
import errno
import os
import resource
import subprocess
import sys
import tarfile
import unittest

import classroom
from classroom import BUILD, OUT, fresh, gradebook, put, tarred, zipped
import apart
import collect
import gradebook as gradebooks
import grading
import main as tool
import own_grader
import unpack
import walled

NOBODY = 65534
NAMES = ["ann", "bo", "cy", "eve", "fay", "gus", "hal"]


def error(number):
    return OSError(number, os.strerror(number))


class Apart(unittest.TestCase):
    def setUp(self):
        self.build, self.dir, self.out = fresh("build"), fresh("class"), fresh("out")
        own_grader.build(self.build)
        for name in NAMES:
            put(self.dir / name / "naive.cu", name)

    def run_class(self, *more, where=None):
        """The exit status and what was said, in a process of its own, as it is now."""
        said = OUT / "said"
        child = os.fork()
        if child == 0:
            quiet = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            grading.TICK_S = apart.PAUSE_S = 0.005
            sys.argv[1:] = own_grader.words(self.build, where or self.dir, self.out, *more)
            try:
                tool.main()
            except SystemExit as end:
                sys.stdout.flush()
                os._exit(end.code)
            except BaseException:
                import traceback
                traceback.print_exc()
            os._exit(99)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.read_text()

    def patch(self, where, name, call):
        """Calls `call(real, ...)` in its place."""
        real = getattr(where, name)
        self.addCleanup(setattr, where, name, real)
        setattr(where, name, lambda *given, **named: call(real, *given, **named))

    def others_are_graded(self, bad, status, code, note=""):
        ended, said = self.run_class()
        book = gradebook(self.out)
        self.assertEqual(ended, code, said)
        self.assertNotIn("ended early", said)
        self.assertEqual({key: row["status"] for key, row in book.items()},
                         dict.fromkeys(NAMES, "graded") | {bad: status})
        self.assertEqual(book[bad]["score"], "" if status != "graded" else str(len(bad)))
        self.assertIn(note, book[bad]["note"])

    # ---- reading ----

    def reading(self, why, times=999):
        left = [times]

        def failing(real, collector, submission, *given):
            if submission.key == "cy" and left[0]:
                left[0] -= 1
                raise why
            return real(collector, submission, *given)
        self.patch(collect.Collector, "collect", failing)

    def test_reading(self):
        for why, status, code in (
                (ValueError("embedded null byte"), "needs a look", 1),
                (RecursionError("too deep"), "needs a look", 1),
                (KeyError("x"), "needs a look", 1), (error(errno.ENAMETOOLONG), "needs a look", 1),
                (UnicodeEncodeError("utf-8", "\udc80", 0, 1, "odd"), "needs a look", 1),
                (error(errno.EMFILE), "fault", 2), (MemoryError(), "fault", 2),
                (walled.Fault("a wall fell"), "fault", 2),
                (walled.DiskFull("it said that no space is left"), "fault", 2)):
            with self.subTest(repr(why)):
                self.reading(why)
                self.others_are_graded("cy", status, code)

    def test_reading_a_moment_later(self):
        self.reading(error(errno.EAGAIN), 2)
        self.others_are_graded("cy", "graded", 0)

    def test_archive_whose_reader_dies(self):
        """By a hole in a library: the walls read one of ours, so it is that row's."""
        put(self.dir / "cy.zip", "x")
        (self.dir / "cy/naive.cu").unlink()
        (self.dir / "cy").rmdir()

        def dying(real, walls, status, said, errors, to):
            if status == 0 and b"neither zip nor tar" in said:
                return real(walls, -11, b"", b"", to)
            return real(walls, status, said, errors, to)
        self.patch(walled.Walls, "answer", dying)
        self.others_are_graded("cy", "needs a look", 1, "reading it ended with -11")

    def test_no_archive_can_be_read(self):
        zipped({"naive.cu": b"zoe"}, self.dir / "zoe.zip")
        self.patch(walled.Walls, "answer", lambda real, walls, *given: real(
            walls, 1, b"", b"ImportError: no module named zipfile", given[-1]))
        status, said = self.run_class()
        book = gradebook(self.out)
        self.assertEqual((status, book["zoe"]["status"]), (2, "fault"), said)
        self.assertEqual(book["ann"]["status"], "graded")

    # ---- grading ----

    def starting(self, fails):
        def failing(real, grading_, place, task):
            why = fails(task, grading_)
            if why:
                raise why
            return real(grading_, place, task)
        self.patch(grading.Grading, "start", failing)

    def test_starting(self):
        for why in (error(errno.ENAMETOOLONG), error(errno.EAGAIN), error(errno.E2BIG),
                    ValueError("embedded null byte"), MemoryError()):
            with self.subTest(repr(why)):
                self.starting(lambda task, _: why if task.key == "cy" else None)
                self.others_are_graded("cy", "fault", 2)

    def test_starting_beside_others(self):
        """Where processes are short, one after the other gets on."""
        self.starting(lambda _, g: error(errno.EAGAIN) if g.running else None)
        self.others_are_graded("cy", "graded", 0)

    def test_keeping(self):
        def failing(real, grading_, place, task, grade):
            if task.key == "cy":
                raise KeyError("checks")
            return real(grading_, place, task, grade)
        self.patch(grading.Grading, "finish", failing)
        self.others_are_graded("cy", "fault", 2, "KeyError")

    def test_feedback(self):
        def failing(real, folder, row):
            if row.submission.key == "cy":
                raise ValueError("odd")
            return real(folder, row)
        self.patch(gradebooks, "write_feedback", failing)
        status, said = self.run_class()
        self.assertEqual(status, 2, said)
        self.assertIn("no feedback for cy: ValueError: odd", said)
        self.assertEqual([(self.out / "feedback" / name / "taken.txt").exists()
                          for name in NAMES], [name != "cy" for name in NAMES])

    def test_same_sentence_of_many(self):
        """First in the class, and in the words of a machine that cannot grade."""
        for n in range(12):
            put(self.dir / f"00{n}/naive.cu", "faults no CUDA compiler: nvcc is not in PATH")
        status, said = self.run_class()
        self.assertEqual(status, 2)
        book = gradebook(self.out)
        self.assertEqual({book[key]["status"] for key in NAMES}, {"graded"}, said)

    def test_fault_beside_others(self):
        """Who failed is graded once more when nobody else is: a fault that others
        brought is none any more."""
        begun = []

        def seen(real, grading_, place, task):
            begun.append((task.key, len(grading_.running)))
            print(task.key, len(grading_.running), file=open(OUT / "begun", "a"))
            first = [key for key, _ in begun].count("cy") == 1
            if task.key == "cy":
                put(os.path.join(task.sources, "naive.cu"),
                    "faults for want of memory" if first or grading_.running else "cy")
            return real(grading_, place, task)
        (OUT / "begun").unlink(missing_ok=True)
        self.patch(grading.Grading, "start", seen)
        self.others_are_graded("cy", "graded", 0)
        lines = (OUT / "begun").read_text().splitlines()
        self.assertEqual(lines[-1], "cy 0", "at last, alone")

    def test_trial_beside_others(self):
        """A compiler that does not work only beside others ends no class."""
        put(self.dir / "cy/naive.cu", "does not compile")

        def failing(real, grading_):
            if any(child.poll() is None for child, _, _ in grading_.running.values()):
                raise walled.Fault("the compiler does not work here")
            return real(grading_)
        self.patch(grading.Grading, "trial", failing)
        ended, said = self.run_class()
        self.assertEqual((ended, {r["status"] for r in gradebook(self.out).values()}),
                         (0, {"graded"}), said)

    # ---- the grader itself ----

    def ends_early(self, sentence, *more):
        status, said = self.run_class(*more)
        self.assertEqual(status, 2, said)
        self.assertIn(sentence, said)
        self.assertNotIn("Traceback", said)

    def test_nothing_can_be_started(self):
        def failing(*_, **__):
            raise error(errno.EAGAIN)
        self.patch(apart, "cannot_start", lambda _: os.strerror(errno.EAGAIN))
        self.starting(lambda task, _: error(errno.EAGAIN) if task.key > "bo" else None)
        self.ends_early("ended early: no process can be started: Resource temporarily", "jobs=1")
        book = gradebook(self.out)
        self.assertEqual([book[k]["status"] for k in ("ann", "bo", "cy", "hal")],
                         ["graded", "graded", "fault", "fault"])

    def test_nothing_can_be_written(self):
        for number in errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO:
            fresh("out")
            self.patch(apart, "cannot_write", lambda *_: error(number))
            self.starting(lambda task, _: error(number) if task.key > "bo" else None)
            self.ends_early(os.strerror(number), "jobs=1")
            self.assertEqual(gradebook(self.out)["ann"]["status"], "graded")

    def test_few_processes(self):
        """ulimit -u, which root does not have: nobody has other points than with
        enough of them, and whoever has none is told why."""
        user, most = None, 0
        if os.getuid() == 0:
            user = NOBODY
            os.chmod(self.build / "bin", 0o777)  # its log
        else:
            most = sum(os.stat(f"/proc/{p}").st_uid == os.getuid()
                       for p in os.listdir("/proc") if p.isdigit())
        ends = []
        for more in 1, 2, 3, 4, 6, 40:
            out = fresh("out")
            if user:
                os.chown(out, user, user)
            done = subprocess.run(
                ["/usr/bin/python3", "-B", classroom.TOOL / "main.py",
                 *own_grader.words(self.build, self.dir, out, "jobs=4")],
                text=True, capture_output=True, user=user, group=user,
                extra_groups=[] if user else None, check=False,
                preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_NPROC, (most + more, most + more)))
            said = f"{more}: {done.stdout}{done.stderr}"
            self.assertNotIn("Traceback", said)
            rows = gradebook(out) if (out / "gradebook.csv").exists() else {}
            self.assertTrue(rows or done.returncode == 2, said)
            for key, row in rows.items():
                self.assertIn((row["status"], row["score"]), (
                    ("graded", str(len(key))), ("fault", "")), said)
            ends.append(done.returncode)
        self.assertEqual((ends[0], ends[-1]), (2, 0), "there were too few, and enough")

    def test_out_of_others(self):
        """OUT was made by who may write beside DIR; one's own link is as good as a
        folder."""
        os.rmdir(self.out)
        own = fresh("own")
        self.out.symlink_to(own)
        self.addCleanup(self.out.unlink)
        self.assertEqual(self.run_class()[0], 0)
        own.chmod(0o777)
        self.ends_early("others may write into")
        own.chmod(0o700)
        above = fresh("above")
        os.rename(own, above / "own")
        self.out.unlink()
        self.out.symlink_to(above / "own")
        above.chmod(0o777)
        self.ends_early("others may rename what is in")
        above.chmod(0o1777)
        self.assertEqual(self.run_class()[0], 0)
        own = above / "own"
        if os.getuid() != 0:
            self.skipTest("only root can make what is another's")
        for path in own, self.out:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
            self.ends_early("belongs to another user")
            os.chown(path, 0, 0, follow_symlinks=False)

    # ---- a class in one archive ----

    def test_class_in_an_archive(self):
        """Who fills it, or whose part is damaged, has a row that cannot be read; who
        hands in nothing that counts has one, too."""
        files = {f"{name}/naive.cu": name.encode() for name in NAMES}
        zipped(files | {"gus/naive.cu": b"g" * 5, "notes/a.md": b"ill " * 9,
                        "pages/a.pdf": b"%PDF" * 9, "rar/hw.rar":
                        b"Rar!\x1a\x07", "mal/bomb.zip": bytes(3 << 20)}, OUT / "all.zip")
        many = [(f"mal2/{n}.h", b"") for n in range(300)]
        tarred([*files.items(), *many, ("mal/a.tar", bytes(3 << 20))], path=OUT / "all.tgz")
        self.patch(tool, "EACH_MIB", None)
        tool.EACH_MIB, tool.EACH_FILES = 2, 200
        self.addCleanup(setattr, tool, "EACH_FILES", 20000)
        for name, bad in (("all.zip", {"mal": "needs a look", "notes": "not handed in",
                                       "pages": "needs a look", "rar": "needs a look"}),
                          ("all.tgz", {"mal": "needs a look", "mal2": "needs a look"})):
            fresh("out")
            status, said = self.run_class(where=OUT / name)
            self.assertEqual(status, 1, said)
            self.assertEqual({k: r["status"] for k, r in gradebook(self.out).items()},
                             dict.fromkeys(NAMES, "graded") | bad, said)

    def test_one_damaged_part(self):
        data = bytearray(zipped({f"{name}/naive.cu": os.urandom(99) for name in NAMES}))
        at = data.index(b"cy/naive.cu") + 30
        data[at:at + 20] = bytes(20)
        where = fresh("packed")
        put(where / "all.zip", data)
        with open(where / "all.zip", "rb") as file:
            answer = unpack.archive(file, str(fresh("to")), "all", 1, 100)
        self.assertIn("it is damaged", answer["cut"].pop("cy"))
        self.assertEqual((answer["files"], answer["cut"]), (len(NAMES) - 1, {}))

    # ---- fields of archives ----

    def test_fields(self):
        """Sizes, offsets, dates and names that no library writes: each archive is
        refused with a sentence, or read; the child ends by itself."""
        import hostile_rows
        import random
        where = fresh("fields")
        for row in (hostile_rows.tar_fields, hostile_rows.zip_fields,
                    hostile_rows.broken_archives, hostile_rows.long_paths):
            for n in range(5):
                row(where, f"{row.__name__}{n}", random.Random(n))
        walls, refused = walled.Walls(str(BUILD), False), 0
        for path in sorted(where.iterdir()):
            with open(path, "rb") as file:
                answer = walls.try_to_run("archive", file, str(fresh("to")),
                                          ("sources", 32, 5000), 64, 20)
            self.assertIsNotNone(answer, f"{path.name}: {getattr(walls, 'ended', '')}")
            refused += "refused" in answer
        self.assertGreater(refused, 30)

    def test_every_error_of_a_library(self):
        """Whatever it throws, the archive is damaged."""
        put(OUT / "x.tar", tarred([("naive.cu", b"x")], "w"))
        for why in (error(errno.EINVAL), OverflowError("int too big"), ValueError("bad"),
                    IndexError("x"), AssertionError(), RecursionError(), EOFError(),
                    NotImplementedError("that method"), tarfile.TarError("x"), KeyError("y")):
            def failing(*_):
                raise why
            self.patch(unpack, "take_tarred", failing)
            with open(OUT / "x.tar", "rb") as file:
                self.assertIn("it is damaged", unpack.archive(
                    file, str(fresh("to")), "sources", 1, 9)["refused"])


classroom.main()
