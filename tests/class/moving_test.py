# SPDX-License-Identifier: MIT
"""moving_test.py SCANLAB OUT: who changes what was handed in while it is collected
brings in nothing from elsewhere, and no other row comes to harm: folders and files
are swapped for links and back in a loop; links stand in the middle of paths; names
are second names of others' files; another file system is mounted; files grow, shrink,
vanish, wait. What cannot be read makes its row unreadable. And honest twins."""
import ctypes
import errno
import os
import subprocess
import sys
import threading
import time
import unittest

import classroom
from classroom import BUILD, OUT, fresh, put, tarred, zipped
import collect
import layouts
import tree
import walled

LABS = [("cpu-scan", "cpu_scan.c"), ("naive", "naive.cu")]
SECRET = b"/* only the grader may read this */\n"
EXCHANGE = 2  # RENAME_EXCHANGE of renameat2
NOBODY = 65534


def swap(one, other):
    """Both names at once: nobody finds neither."""
    if ctypes.CDLL(None, use_errno=True).renameat2(
            -100, os.fsencode(one), -100, os.fsencode(other), EXCHANGE):
        raise OSError(ctypes.get_errno(), "renameat2")


class Swapping:
    """Swaps pairs of names, as fast as it can, in a process of its own."""

    def __init__(self, *pairs):
        self.pairs = pairs

    def __enter__(self):
        self.child = os.fork()
        if self.child == 0:
            while True:
                for one, other in self.pairs:
                    swap(one, other)
                    time.sleep(0.00002)
        return self

    def __exit__(self, *_):
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)


class Moving(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.walls = walled.Walls(str(BUILD), False)

    def setUp(self):
        self.dir, self.secret = fresh("class"), fresh("secret")
        for name in "naive.cu", "cpu_scan.c", "repo/naive.cu", "hw.zip/naive.cu":
            put(self.secret / name, SECRET)
        zipped({"naive.cu": SECRET}, self.secret / "secret.zip")

    def collect(self, name="ann", piece=""):
        """What is taken of an entry of DIR: (Taken, {name: bytes})."""
        to = fresh("to")
        s = layouts.Submission(name, "folder", [], [layouts.Piece(name, piece)])
        with tree.Folder.open(self.dir) as root:
            found = collect.Collector(self.walls, LABS, str(OUT / "scratch")).collect(
                s, root, str(to))
        return found, {str(p.relative_to(to)): p.read_bytes()
                       for p in to.rglob("*") if p.is_file()}

    def lost(self, why, *given):
        found, _ = self.collect(*given)
        self.assertTrue(found.empty and found.unreadable, found)
        self.assertIn(why, " ".join(found.notes))

    # ---- swaps ----

    def swapped(self, rounds=150):
        """Both sides of the swap were seen, and nothing of the secret."""
        seen = set()
        for _ in range(rounds):
            found, files = self.collect()
            self.assertNotIn(SECRET, files.values(), found)
            seen.add((len(files), found.unreadable or bool(found.notes)))
        self.assertGreater(len(seen), 1, f"nothing was swapped meanwhile: {seen}")

    def test_folder_for_a_link(self):
        """The one of the review: an outermost folder, and one within."""
        for name in "ann", "ann/repo":
            fresh("class")
            put(self.dir / "ann/repo/naive.cu", b"mine\n")
            os.symlink(self.secret, self.dir / "link")
            with Swapping((self.dir / name, self.dir / "link")):
                self.swapped()

    def test_file_for_a_link(self):
        put(self.dir / "ann/naive.cu", b"mine\n")
        put(self.dir / "ann/hw.zip", zipped({"a.cuh": b"mine\n"}))
        os.symlink(self.secret / "naive.cu", self.dir / "link")
        os.symlink(self.secret / "secret.zip", self.dir / "link2")
        with Swapping((self.dir / "ann/naive.cu", self.dir / "link"),
                      (self.dir / "ann/hw.zip", self.dir / "link2")):
            self.swapped(30)

    def test_folder_for_a_file_and_a_pipe(self):
        put(self.dir / "ann/repo/naive.cu", b"mine\n")
        os.mkfifo(self.dir / "pipe")
        with Swapping((self.dir / "ann/repo", self.dir / "pipe")):
            self.swapped()

    def test_while_an_archive_is_read(self):
        """The window that the review held open: a slow archive before the folder."""
        chunk = os.urandom(1 << 20)
        put(self.dir / "ann/a.zip", tarred([(f"{n}.h", chunk) for n in range(20)]))
        put(self.dir / "ann/repo/naive.cu", b"mine\n")
        real = self.walls.run

        def swapping(*words, **named):
            os.rename(self.dir / "ann", self.dir / "old")
            os.symlink(self.secret, self.dir / "ann")
            return real(*words, **named)
        self.walls.run = swapping
        try:
            found, files = self.collect()
        finally:
            self.walls.run = real
        self.assertEqual(files.get("naive.cu"), b"mine\n", "it is read from where it began")
        self.assertNotIn(SECRET, files.values(), found)

    # ---- links and names of others ----

    def test_links_stand_still(self):
        put(self.dir / "ann/naive.cu", b"mine\n")
        os.symlink(self.secret, self.dir / "ann/repo")
        os.symlink(self.secret / "cpu_scan.c", self.dir / "ann/cpu_scan.c")
        found, files = self.collect()
        self.assertEqual(files, {"naive.cu": b"mine\n"})
        self.assertEqual(found.notes, ["cpu_scan.c: " + tree.LINK, "repo: " + tree.LINK])
        os.symlink(self.secret, self.dir / "bo")
        self.lost(tree.NO_FOLDER, "bo")

    def test_second_name(self):
        """Of a file that belongs to somebody else than the folder; of one's own it is
        an honest copy (cp -l)."""
        put(self.dir / "ann/cpu_scan.c", b"mine\n")
        os.link(self.dir / "ann/cpu_scan.c", self.dir / "ann/copy.h")
        found, files = self.collect()
        self.assertEqual(len(files), 2, found)
        if os.getuid() != 0:
            self.skipTest("only root can make another's file")
        os.link(self.secret / "naive.cu", self.dir / "ann/naive.cu")
        os.chown(self.dir / "ann", NOBODY, NOBODY)
        for name in "cpu_scan.c", "copy.h":
            os.chown(self.dir / "ann" / name, NOBODY, NOBODY)
        found, files = self.collect()
        self.assertNotIn(SECRET, files.values())
        self.lost(tree.SECOND_NAME)

    MOUNTED = """mount --bind "$1" "$2" || exit 77
shift 2; exec "$@" """

    def test_mount(self):
        """The same file system bound into a submission, also without openat2's help
        another one."""
        put(self.dir / "ann/naive.cu", b"mine\n")
        (self.dir / "ann/repo").mkdir()
        begin = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-rm"]
        code = f"""
import sys
sys.argv = ["x", {str(classroom.SCANLAB)!r}, {str(OUT)!r}]
sys.path[:0] = [{str(classroom.TOOL)!r}]
import tree
with tree.Folder.open(sys.argv[2] + "/class/ann") as top:
    for entry in tree.walk(top, tree.Bounds()):
        print(entry.kind, "/".join(entry.parts), entry.why)
"""
        for what in self.secret, "/proc":
            done = subprocess.run(
                [*begin, "sh", "-c", self.MOUNTED, "sh", what, self.dir / "ann/repo",
                 sys.executable, "-B", "-c", code], text=True, capture_output=True, check=False)
            if done.returncode == 77 or "unshare" in done.stderr:
                self.skipTest("nothing can be mounted: " + done.stderr[-200:])
            self.assertEqual(done.stdout.splitlines(), [
                "file naive.cu ", f"trouble repo {tree.MOUNTED}"], done.stderr)

    def test_without_openat2(self):
        """As in a container whose filter refuses it, and on an old kernel."""
        real, put_in = tree.OPENAT2, os.symlink
        self.addCleanup(setattr, tree, "OPENAT2", real)
        for number in 100000, real:  # no system call has it
            tree.OPENAT2 = number
            fresh("class")
            put(self.dir / "ann/naive.cu", b"mine\n")
            put_in(self.secret, self.dir / "ann/repo")
            with tree.Folder.open(self.dir / "ann") as top:
                self.assertEqual(top.read("naive.cu", 99), b"mine\n")
                for name in "repo", "..", ".", "", "repo/naive.cu", "/etc":
                    with self.assertRaises(tree.Unreadable):
                        top.folder(name)

    # ---- what cannot be read ----

    def test_no_rights(self):
        put(self.dir / "ann/naive.cu", b"mine\n")
        put(self.dir / "ann/repo/cpu_scan.c", b"mine\n")
        real = tree.open_below
        for bad in "naive.cu", "repo", "ann":
            for error in errno.EACCES, errno.EIO, errno.ESTALE, errno.ENOENT, errno.EWOULDBLOCK:
                def failing(folder, name, flags):
                    if name == bad:
                        raise OSError(error, os.strerror(error))
                    return real(folder, name, flags)
                tree.open_below = failing
                try:
                    self.lost(tree.SAID.get(error, os.strerror(error)))
                finally:
                    tree.open_below = real

    def test_grader_has_no_descriptors(self):
        """That is no state of a row."""
        put(self.dir / "ann/naive.cu", b"mine\n")
        real = tree.open_below
        self.addCleanup(setattr, tree, "open_below", real)

        def failing(*_):
            raise OSError(errno.EMFILE, "too many")
        tree.open_below = failing
        with self.assertRaises(OSError):
            self.collect()

    def test_grows_and_shrinks(self):
        """A file is what it was when it was read, and no more than may be."""
        put(self.dir / "ann/naive.cu", b"mine\n")
        stop = threading.Event()

        def growing():
            while not stop.is_set():
                os.truncate(self.dir / "ann/naive.cu", 1 << 40)
                os.truncate(self.dir / "ann/naive.cu", 5)
        thread = threading.Thread(target=growing)
        thread.start()
        try:
            for _ in range(50):
                found, files = self.collect()
                self.assertLess(len(files.get("naive.cu", b"")), 4 << 20, found)
        finally:
            stop.set()
            thread.join()

    # ---- bounds ----

    def seconds(self):
        used = time.process_time()
        found, files = self.collect()
        return time.process_time() - used, found, files

    def test_20000_headers(self):
        """As many as are looked at: seconds, not ten of them for each run; and the lab's
        file is taken, wherever it stands in the order."""
        (self.dir / "ann").mkdir()
        for n in range(20000):
            os.close(os.open(self.dir / f"ann/{n}.h", os.O_CREAT | os.O_WRONLY))
        put(self.dir / "ann/zz.cu", b"")
        put(self.dir / "ann/naive.cu", b"mine\n")
        took, found, files = self.seconds()
        self.assertLess(took, 8)
        self.assertEqual(files["naive.cu"], b"mine\n")
        self.assertEqual(len(files), collect.MOST_FILES)
        self.assertIn("more files than are looked at", " ".join(found.notes))

    def test_odd_names_cost_little(self):
        """A rule for names that goes over them again and again."""
        (self.dir / "ann").mkdir()
        for n in range(5000):
            put(self.dir / "ann" / ("-" * 240 + f"{n}.cu"), b"")
        took, found, _ = self.seconds()
        self.assertLess(took, 8)
        self.assertTrue(found.empty)

    def test_honest_repository(self):
        """Thousands of files of somebody else's library, before and behind the own ones."""
        for n in range(3000):
            put(self.dir / f"ann/lib/a{n % 30}/{n}.md", b"x")
        put(self.dir / "ann/repo/student/naive.cu", b"mine\n")
        put(self.dir / "ann/repo/student/add.cuh", b"mine, too\n")
        found, files = self.collect()
        self.assertEqual(files, {"naive.cu": b"mine\n", "add.cuh": b"mine, too\n"})
        self.assertEqual(found.notes, ["3000 other files not looked at"])
        self.assertFalse(found.unreadable)


classroom.main()
