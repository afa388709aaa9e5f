# SPDX-License-Identifier: MIT
"""Runs a program inside scanlab-walls that reads what a stranger has made: unpack.py,
and for `scanlab stats` another."""
import errno
import io
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import zipfile

import unpack
import words
from translate import _

HERE = os.path.dirname(os.path.abspath(__file__))
SYSTEM = ["/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/etc/ld.so.cache",
          "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/dev/urandom"]
MEMORY_MIB, SECONDS, MOST_ANSWER = 1024, 60, 8 << 20

# How much there has to be on a disk, where something has failed: less is full.
ROOM_BYTES = 8 << 20
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Fault(Exception):
    """The grader could not do its work: nothing that a submission is guilty of."""


class DiskFull(Fault):
    """Nothing more can be done until somebody has made room."""


def fullness(folder):
    """"" or which error a file gets that needs room in a folder: asked of the
    system, because what a program says may be a submission's words."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, ROOM_BYTES)
    except OSError as why:
        return why.strerror if why.errno in FULL else ""
    return ""


def latest(seconds):
    """By the clock, of what may have so many of a processor."""
    return 60 + 10 * seconds


def seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Walls:
    """Which stand here, as scanlab-walls says."""

    def __init__(self, build, require):
        self.program = os.path.join(build, "libexec/scanlab-walls")
        self.place = os.path.join(build, "libexec")
        try:
            said = subprocess.run([self.program, "-r", "/usr", "-n", self.place, "-p", "1"],
                                  capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError) as why:
            raise Fault(_("{program} does not work ({why}); build ScanLab again",
                          program=self.program, why=why)) \
                from None
        self.stand = dict(row.split(" ", 1) for row in said.splitlines())
        missing = [w for w in ("limits", "rights", "calls", "files") if w not in self.stand]
        if require and missing:
            raise Fault(_("these walls are missing: {walls}", walls=", ".join(missing)))
        self.missing = missing

    def words(self, program, writes, most_file_mib, memory_mib=MEMORY_MIB,
              seconds=SECONDS):
        """The command that runs a program within the walls."""
        paths = dict.fromkeys([*SYSTEM, sys.base_prefix, sys.prefix, HERE])
        given = [w for p in paths for w in ("-r", p)]
        given += [w for p in writes for w in ("-w", p)] + ["-o", "/dev/null"]
        files = self.stand.get("files", "")
        if files.startswith("Landlock"):
            given += ["-l", "1"]
        elif "unseen" in self.stand:
            given += ["-n", self.place]
        elif files:
            given += ["-s", "1"]
        return [self.program, *given, "-m", str(memory_mib), "-t", str(seconds),
                "-f", str(most_file_mib), "--", *program]

    def run(self, how, fd, called, to="", limits=(), most_file_mib=8, seconds=SECONDS):
        """What unpack.py says of an open file; {"refused": WHY} where the walls
        ended it, or where it comes to no end that it may come to while one of ours
        can be read. seconds: of a processor."""
        answer = self.try_to_run(how, fd, to, limits, most_file_mib, seconds)
        if answer is not None:
            return answer
        if how != "archive" or not self.work():
            raise Fault(_("{called}: unpack.py ended with {status}", called=words.line(called),
                          status=self.ended))
        return {"refused": _("reading it ended with {status}", status=self.ended)}

    def try_to_run(self, how, fd, to, limits, most_file_mib, seconds):
        """The same; None: unpack.py ended as it never should, as self.ended says."""
        program = [os.path.realpath(sys.executable), "-I", "-B",
                   os.path.join(HERE, "unpack.py")]
        command = self.words(program, [to] if to else [], most_file_mib,
                             seconds=seconds)
        command += [how] + ([to, *map(str, limits)] if to else [])
        before = seconds_of_children()
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as errors:
            # Files, because the walls bound these.
            try:
                status = subprocess.run(
                    command, stdin=fd, stdout=said, stderr=errors,
                    env={"LC_ALL": "C.UTF-8"}, cwd="/", check=False,
                    timeout=latest(seconds)).returncode
            except subprocess.TimeoutExpired:  # it waits, or all others compute
                raise Fault(_("reading an archive took more than {n} s by the clock",
                              n=latest(seconds))) from None
            if status in (-signal.SIGXCPU, -signal.SIGKILL) and \
                    seconds_of_children() - before >= seconds - 1:
                return {"refused": _("reading it takes more than {n} s", n=seconds)}
            for file in said, errors:
                file.seek(0)
            return self.answer(status, said.read(MOST_ANSWER), errors.read(1 << 16), to)

    def answer(self, status, said, errors, to):
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        self.ended = words.line(" ".join([str(status), *last]))
        if status == unpack.ENDS["disk"]:
            full = fullness(to or tempfile.gettempdir())
            raise DiskFull(full) if full else Fault(
                _("{folder} cannot be written", folder=to or "TMPDIR"))
        if status == unpack.ENDS["memory"]:
            return {"refused": _("reading it takes too much memory")}
        if status in (unpack.ENDS["large"], -signal.SIGXFSZ):
            return {"refused": _("it has a file that is too large")}
        try:
            answer = json.loads(said) if status == 0 else None
        except (ValueError, RecursionError):
            answer = None
        # The child has read what a stranger made: its answer may be that one's.
        if isinstance(answer, dict) and (
                "refused" in answer or isinstance(answer.get("yaml"), dict) or
                isinstance(answer.get("notes"), list)):
            return answer
        return None

    def work(self):
        """Whether an archive of our own is read as it should be, here and now."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("naive.cu", "int x;\n")
        with tempfile.TemporaryDirectory(prefix="scanlab-") as to, \
                tempfile.TemporaryFile() as file:
            file.write(packed.getvalue())
            file.seek(0)
            kept = self.ended
            found = self.try_to_run("archive", file, to, ("sources", 1, 9), 8, SECONDS)
            self.ended = kept
            return found is not None and found.get("files") == 1
