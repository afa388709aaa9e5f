# SPDX-License-Identifier: MIT
"""How many at a time: -j, and a token each of GNU make's job server, where make
has started us (a pipe, or since make 4.4 a named one)."""
import os
import re
import stat

from translate import _


class Jobs:
    """One job needs no token: make gave it when it started us."""

    def __init__(self, most, flags):
        """most: None, not given. flags: $MAKEFLAGS."""
        self.tokens, self.running = [], 0
        self.read_fd = self.write_fd = None
        self.note = ""
        found = re.findall(r"--jobserver-(?:auth|fds)=(\S+)", flags)
        if found:
            self.connect(found[-1])
        if most is None:
            most = 4096 if self.read_fd is not None else \
                1 if found else len(os.sched_getaffinity(0))
        self.most = most

    def connect(self, where):
        fifo = re.fullmatch(r"fifo:(.+)", where)
        pipe = re.fullmatch(r"(\d+),(\d+)", where)
        try:
            if fifo:
                self.read_fd = os.open(fifo[1], os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
                self.write_fd = os.open(fifo[1], os.O_WRONLY | os.O_CLOEXEC)
            elif pipe:
                # Opened anew: it must not wait, and make's own end must not
                # become one that does not.
                ends = [f"/proc/self/fd/{n}" for n in pipe.groups()]
                if not all(stat.S_ISFIFO(os.stat(end).st_mode) for end in ends):
                    raise OSError("no pipe")
                self.read_fd = os.open(ends[0], os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
                self.write_fd = os.open(ends[1], os.O_WRONLY | os.O_CLOEXEC)
        except OSError:
            pass
        if self.write_fd is None:
            self.read_fd = None
            self.note = _("make's job server is closed to us: put + before the recipe's line, "
                          "or give -j")

    def take(self):
        """True: one more may be started."""
        if self.running >= self.most:
            return False
        if self.running and self.read_fd is not None:
            try:
                token = os.read(self.read_fd, 1)
            except BlockingIOError:
                return False
            if not token:
                return False
            self.tokens.append(token)
        self.running += 1
        return True

    def give(self):
        self.running -= 1
        if self.tokens:
            os.write(self.write_fd, self.tokens.pop())
