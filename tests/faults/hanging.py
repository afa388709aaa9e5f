# SPDX-License-Identifier: MIT
"""Whether what was started hangs, or only waits for a processor that others have.

A grade that takes a second by itself takes minutes where thirty others compute. So
no clock says what hangs, but what its processes do: all asleep for ASLEEP_S more than
they were awake, or COMPUTED_S of processors. LATEST_S by the clock is the end of what
sleeps and wakes for ever."""
import os
import pathlib
import subprocess
import tempfile
import time

ASLEEP_S, COMPUTED_S, LATEST_S, LOOK_S = 60, 240, 1800, 5
AWAKE = "RDTt"  # computes or wants to, waits for a disk, is stopped by its tracer
TICKS = os.sysconf("SC_CLK_TCK")


def read_stat(path):
    """(state, parent, session, ticks), or None: it is gone. Between the brackets a
    command's name may be anything."""
    try:
        fields = pathlib.Path(path).read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return fields[0], int(fields[1]), int(fields[3]), sum(map(int, fields[11:15]))


def family(root):
    """{number: ticks}: what this process has started, and what is of its session."""
    seen = {int(p): s for p in os.listdir("/proc")
            if p.isdigit() and (s := read_stat(f"/proc/{p}/stat"))}
    found = {p for p, (_, _, session, _) in seen.items() if session == root}
    new = found | {root} & seen.keys()
    while new:
        found |= new
        new = {p for p, (_, parent, _, _) in seen.items() if parent in new} - found
    return {p: seen[p][3] for p in found}


def is_awake(pid):
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return True  # it was there a moment ago
    return any(not (s := read_stat(f"/proc/{pid}/task/{t}/stat")) or s[0] in AWAKE
               for t in threads)


class Watch:
    """Of one command; look() says how it hangs, or ""."""

    def __init__(self, root):
        self.root, self.asleep, self.computed = root, 0, 0
        self.began = self.seen = time.monotonic()

    def look(self):
        ticks, now = family(self.root), time.monotonic()
        # Time in which nobody looked is nobody's: we had no processor either.
        passed, self.seen = min(now - self.seen, 2 * LOOK_S), now
        if any(is_awake(pid) for pid in ticks):
            passed = -passed
        self.asleep = max(0, self.asleep + passed)
        self.computed = max(self.computed, sum(ticks.values()) / TICKS)
        return f"asleep for {self.asleep:.0f} s" if self.asleep >= ASLEEP_S else \
            f"computes for {self.computed:.0f} s" if self.computed >= COMPUTED_S else \
            f"not done after {LATEST_S} s" if now - self.began >= LATEST_S else ""


def who(root):
    """What hangs, for people: names and where each waits in the kernel."""
    said = []
    for pid in sorted(family(root)):
        try:
            name, waits = (pathlib.Path(f"/proc/{pid}/{what}").read_text().strip()
                           for what in ("comm", "wchan"))
        except OSError:
            continue
        said.append(f"{name} in {waits}")
    return ", ".join(said)


def run(command, **options):
    """Status, what was said to stderr, and how it hangs: "" unless it was ended for
    that."""
    with tempfile.TemporaryFile() as said:
        # A file: who outlives the command holds no pipe open.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=said,
                                   start_new_session=True, **options)
        watch, hangs = Watch(process.pid), ""
        while not hangs:
            try:
                process.wait(LOOK_S)
                break
            except subprocess.TimeoutExpired:
                if hangs := watch.look():
                    hangs += ": " + who(process.pid)
        for pid in family(process.pid) if hangs else ():
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
        process.wait()
        said.seek(0)
        return process.returncode, said.read().decode(errors="replace"), hangs
