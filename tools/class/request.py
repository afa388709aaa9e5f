# SPDX-License-Identifier: MIT
"""What was asked for, and all that a result depends on besides a submission."""
import collections
import configparser
import os
import secrets
import shutil
import time

import layouts
import words
from accepted import Accepted


class Request:
    """What was asked for."""

    def __init__(self, given):
        found = collections.defaultdict(list)
        for word in given:
            name, _, value = word.partition("=")
            found[name].append(value)
        one = {name: values[-1] for name, values in found.items()}
        self.folder = os.path.abspath(one["folder"])
        name = self.folder.rstrip("/")
        archive = layouts.ARCHIVE.fullmatch(name)
        if archive and os.path.isfile(self.folder):
            name = name[:archive.start(1) - 1]
        self.out = os.path.abspath(one.get("output", name + ".graded"))
        self.build, self.root = one["build"], os.path.abspath(one["root"])
        self.labs_folder = os.path.abspath(one["labs"])
        self.pairs = [tuple(lab.split("/", 1)) for lab in dict.fromkeys(found["lab"])]
        self.labs = [lab for lab, _ in self.pairs]
        self.symbols = collections.defaultdict(list)  # of a source: its functions
        for word in dict.fromkeys(found["symbol"]):
            source, _, symbol = word.partition("/")
            self.symbols[source].append(symbol)
        self.accept = Accepted.asked(one.get("accept", ""))
        self.jobs = int(one["jobs"]) if "jobs" in one else None
        self.seed, self.device = one.get("seed"), one.get("device", "vgpu")
        self.list, self.again = "list" in one, "again" in one
        self.attempts = "attempts" in one
        self.given, self.slurm = given, "slurm" in one
        self.weaker_walls = "weaker_walls" in one
        self.require_walls, self.fast = "require_walls" in one, "fast" in one
        self.other_labs = ["--labs", os.path.abspath(one["other_labs"])] \
            if "other_labs" in one else []
        self.course = os.path.abspath(one["course"]) if "course" in one else None
        self.says_when = "handed_in" in one
        self.handed_in = time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(
            int(one.get("handed_in", 0))))

    def stubs(self):
        """What students were given, source by source."""
        for _, source in self.pairs:
            try:
                with open(os.path.join(self.root, "student", source), "rb") as file:
                    yield source, file.read()
            except OSError:
                continue

    def settle(self, ledger):
        """The seed that OUT has, or a fresh one; then the command is known."""
        known = ledger.fact("seed")
        if self.course and not self.seed and course_has_seed(self.course):
            self.seed = None  # and scanlab takes that one
        else:
            self.seed = self.seed or known or str(secrets.randbits(63))
            if self.seed != known:
                ledger.fact("seed", self.seed)
        self.command = self.of_grade()
        self.hash = words.digest(*self.command[1:], self.grader(), self.machine(),
                                 tree_hash(self.labs_folder), tree_hash(self.course or ""))

    def of_grade(self):
        """The command of every grade, but for what is of one student. No repairs:
        they are tried for 3 s, so a busy machine would find others than an idle one."""
        command = [os.path.join(self.build, "bin/scanlab"), "grade", *self.labs,
                   "--device", self.device, "--called", "student", "--repairs", "0",
                   *self.other_labs]
        if self.course:
            command += ["--course", self.course]
        if self.weaker_walls and (self.fast or self.device != "vgpu"):
            command += ["--weaker-walls"]
        return command + ["--fast"] * self.fast + ["--require-walls"] * self.require_walls

    def seed_of(self, taken):
        """Of everything that was handed in: whoever knows the seed of what he had
        handed in before knows nothing of the inputs that he gets now. None: the
        course's, which scanlab makes."""
        return str(int(words.digest(self.seed, taken)[:16], 16) >> 1) if self.seed else None

    def of_student(self, submission):
        """What a course wants to know of each."""
        at = submission.handed_in
        zoned = at if at[16:].strip(":0123456789") else ""  # reports know no zone of the LMS
        return ["--student", submission.of or submission.key, "--handed-in", zoned or self.handed_in] \
            if self.course else []

    def grader(self):
        """Every program and library that has a part in a grade."""
        return words.digest(*(tree_hash(os.path.join(self.build, name))
                              for name in ("bin/scanlab", "libexec", "lib")))

    def compilers(self):
        """Their paths and sizes; looked for as grader/judge/toolchain.c does."""
        try:
            with open(os.path.join(self.build, "nvcc-path"), encoding="utf-8") as file:
                kept = os.path.join(self.build, file.readline().strip())
        except OSError:
            kept = ""
        places = [os.environ.get("SCANLAB_NVCC", ""), kept, shutil.which("nvcc") or "",
                  os.path.join(os.environ.get("CUDA_HOME", ""), "bin/nvcc"),
                  "/usr/local/cuda/bin/nvcc"]
        nvcc = next((p for p in places if p and os.access(p, os.X_OK)), None)
        found = [os.path.realpath(p) for p in (nvcc, shutil.which("cc")) if p]
        return [[path, os.stat(path).st_size] for path in found]

    def machine(self):
        return words.digest(*(part for path, size in self.compilers() for part in (
            path, size, os.stat(path).st_mtime_ns)))


def course_has_seed(folder):
    """What is wrong in course.ini scanlab says."""
    found = configparser.ConfigParser(strict=False, interpolation=None,
                                      inline_comment_prefixes=(";",))
    try:
        found.read(os.path.join(folder, "course.ini"), encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        return False
    return found.has_option("course", "seed")


def tree_hash(path):
    """Names and bytes of a file or of all below a folder, but for pages and
    pictures, of which no points depend."""
    if os.path.isfile(path):
        with open(path, "rb") as file:
            return words.digest(file.read())
    if not os.path.isdir(path):
        return ""
    return words.digest(*(part for name in sorted(os.listdir(path))
                          if not name.endswith((".md", ".svg", ".png"))
                          for part in (name, tree_hash(os.path.join(path, name)))))
