# SPDX-License-Identifier: MIT
"""Keeps the trouble of one submission to its row.

A row's work runs by `apart`: whatever exception comes of it is that row's, as a
sentence, unless the grader itself cannot write or start anything. That a probe finds
out by writing and by starting something (Probe); no sentence is searched for it."""
import errno
import os
import subprocess
import sys
import tempfile
import time
import traceback

import words
from translate import _
from walled import FULL, ROOM_BYTES, DiskFull, Fault, fullness

# What may be otherwise a moment later.
PASSING = FULL + (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOBUFS,
                  errno.EINTR, errno.EBUSY, errno.ETXTBSY, errno.ENOSR)
TRIES, PAUSE_S, LATEST_S = 4, 0.5, 60


class RowTrouble(Exception):
    """again: another run may get on, and nobody has to look."""

    def __init__(self, text, again):
        super().__init__(text)
        self.again = again


class Probe:
    """Can the grader work at all? Asked when something has failed, of the system."""

    def __init__(self, out, caches=()):
        """out: is written into. caches: full ones fail what uses them."""
        self.out, self.caches = out, caches

    def check(self):
        """Fault: it cannot, also not a moment later."""
        for turn in range(TRIES):
            fault = self.fault()
            if not fault:
                return
            if turn < TRIES - 1:
                time.sleep(PAUSE_S)
        raise fault

    def fault(self):
        """A Fault, or None."""
        for folder in self.out, None:
            if why := cannot_write(folder):
                return (DiskFull if why.errno in FULL else Fault)(
                    _("{folder} cannot be written: {why}", why=why.strerror,
                      folder=folder or _("the folder for temporary files")))
        for folder in self.caches:
            if full := fullness(folder):
                return DiskFull(f"{folder}: {full}")
        if why := cannot_start():
            return Fault(_("no process can be started: {why}", why=why))
        return None


def cannot_write(folder):
    """The error of a file that needs some room; None: there is none. No folder: the
    one for temporary files."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, ROOM_BYTES)
            file.write(b"probe")
            file.flush()
            os.fsync(file.fileno())
    except OSError as why:
        return why
    return None


def cannot_start():
    """Why a process cannot; "": it can."""
    try:
        ended = subprocess.run([sys.executable, "-I", "-S", "-c", ""], timeout=LATEST_S,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, check=False).returncode
    except OSError as why:
        return why.strerror
    except subprocess.TimeoutExpired:
        return _("one that does nothing took more than {n} s", n=LATEST_S)
    return _("one that does nothing ended with {ended}", ended=ended) if ended else ""


def is_passing(why):
    return isinstance(why, (Fault, MemoryError)) or \
        isinstance(why, OSError) and why.errno in PASSING


def sentence(why):
    """An exception in one line; of one that nobody thought of, where it was."""
    if isinstance(why, (Fault, RowTrouble)):
        return words.line(why)
    if isinstance(why, OSError) and why.strerror:
        return words.line(f"{why.filename}: {why.strerror}" if why.filename else why.strerror)
    at = traceback.extract_tb(why.__traceback__)[-1:]
    return words.line(f"{type(why).__name__}: {why}"[:200] + "".join(
        f" ({os.path.basename(frame.filename)}:{frame.lineno})" for frame in at))


def apart(probe, work, *given):
    """What the work of one row gives. RowTrouble: nothing, for a reason of that row.
    Fault: nothing, for the grader cannot work."""
    for _ in range(TRIES):
        try:
            return work(*given)
        except Exception as why:
            trouble = why
        probe.check()
        if isinstance(trouble, Fault) or not is_passing(trouble):
            break
        time.sleep(PAUSE_S)
    raise RowTrouble(sentence(trouble), is_passing(trouble)) from None
