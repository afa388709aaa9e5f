#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""watch_test.py SCANLAB ROOT keys|versus|published|demo: `scanlab watch` in a terminal (a
pseudo-terminal): its keys, and the terminal as it was afterwards; the counts
beside those of the save before and of the reference; what `make demo` begins with."""
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time

scanlab, root = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.path.insert(0, str(root / "tests/tools"))
from graded import handed_in  # noqa: E402
PATIENCE = 120


def expect(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


class Terminal:
    """A program whose terminal this is."""

    def __init__(self, *words):
        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)
        self.said, self.seen = "", 0
        self.process = subprocess.Popen(
            words, stdin=self.slave, stdout=self.slave, stderr=self.slave, cwd=root,
            env={**os.environ, "SCANLAB_ROOT": str(root), "NO_COLOR": "1"},
            start_new_session=True, preexec_fn=self.take)

    @staticmethod
    def take():
        os.close(os.open(os.ttyname(0), os.O_RDWR))  # its controlling terminal

    def wait(self, words):
        """Until it says words that match, behind what was waited for before."""
        end = time.monotonic() + PATIENCE
        while True:
            found = re.search(words, self.said[self.seen:])
            if found:
                self.seen += found.end()
                return found
            expect(time.monotonic() < end, f"never said: {words}\n{self.said}")
            if select.select([self.master], [], [], .2)[0]:
                self.said += os.read(self.master, 65536).decode().replace("\r", "")

    def press(self, key):
        os.write(self.master, key.encode())

    def end(self):
        self.press("\x03")
        expect(self.process.wait(PATIENCE) == -signal.SIGINT, "Ctrl-C ends it")
        expect(termios.tcgetattr(self.slave) == self.before,
               "the terminal is not as it was")


def patched(folder, lab, *mutants):
    source = next((root / "reference").glob(lab.replace("-", "_") + ".c*"))
    shutil.copy(source, folder)
    for mutant in mutants:
        subprocess.run(["patch", "--silent", folder / source.name,
                        root / f"tests/mutants/{lab}/{mutant}.patch"], check=True)
    handed_in(folder)
    return folder / source.name


def right_one(name):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(root / "reference" / name, folder)
        handed_in(pathlib.Path(folder))
        return (pathlib.Path(folder) / name).read_text()


def save(file, text):
    (file.parent / "new").write_text(text)
    (file.parent / "new").rename(file)


def keys(folder):
    source = patched(folder, "cpu-scan", "inclusive-leaves-itself-out",
                     "compact-keeps-positive")
    t = Terminal(scanlab, "watch", "cpu-scan", "-s", folder)
    t.wait("h: next hint, n: next failing check")
    first = t.wait(r"FAIL  (\S+)")[1]
    t.wait(r"cpu-scan \d+/100")
    t.press("h")
    t.wait(f"{first}, hint 1 of")
    t.press("h")
    t.wait(f"{first}, hint 2 of|no more hints")
    t.press("n")
    t.wait(f"FAIL  {first}")
    second = t.wait(r"FAIL  (\S+)")[1]
    expect(second != first, "n stays where it was")
    t.wait(r"cpu-scan \d+/100")
    for _ in range(5):
        t.press("n")
        if t.wait(r"cpu-scan \d+/100|no other check fails")[0].startswith("no"):
            break
    else:
        expect(False, "n always goes on")
    t.press("x")  # no key
    t.press("h")
    t.wait(r"compact\S*, hint 1 of")
    save(source, right_one("cpu_scan.c"))
    t.wait(rf"{first}: FAIL, now pass")
    t.press("h")
    t.wait("no check has failed")
    t.press("n")
    t.wait("no check has failed")
    t.end()


def rows_of(terminal):
    """{what: [now, last save, reference, CUB]}, cells that are empty left out."""
    head = terminal.wait(r"\n  (.*), n = 4096( \(wrong\))? +now   last save   reference         CUB\n")
    rows = {}
    for _ in range(4):
        line = terminal.wait(r"    (\S.{27})(.{12})(.{12})(.{12})(.{12})\n")
        rows[line[1].strip()] = [cell.strip() for cell in line.groups()[1:]]
    return bool(head[2]), rows


def versus(folder):
    """A reference counts what is published of it, to the digit; a program that does
    more does not."""
    right = right_one("naive.cu")
    save(folder / "naive.cu", right)
    t = Terminal(scanlab, "watch", "naive", "-s", folder)
    wrong, rows = rows_of(t)
    expect(not wrong and len(rows) == 4, f"{wrong}, {rows}")
    for what, (now, last, reference, cub) in rows.items():
        expect(now == reference and not last, f"{what}: {now}, {last}, {reference}")
        expect(bool(cub) == what.startswith("model"), f"{what}: CUB {cub}")
    more = right.replace("BLOCK_THREADS = 256", "BLOCK_THREADS = 32")
    expect(more != right, "the reference has another block size")
    save(folder / "naive.cu", more)
    wrong, after = rows_of(t)
    now, last, reference, _ = after["model time, us"]
    expect(not wrong and last == rows["model time, us"][0], f"last save: {last}")
    expect(now != reference, f"another block size, the same time: {now}")
    t.end()


def published(folder):
    """What is published of labs 3 and 8 is what their references count; lab 0 says why
    nothing is."""
    table = (root / "grader/cli/published.def").read_text()
    rows = re.findall(r'^X\("([\w-]+)", "(\w+)", (\d+), (\d+), -1', table, re.M)
    expect({lab for lab, *_ in rows} == {"bank-conflicts", "applications"}, rows)
    for lab, function, launches, operations in rows:
        done = subprocess.run(
            [scanlab, "run", lab, "--function", function, "-n", "4096", "--seed", "1",
             "--clock=h200", "--format", "csv", "-s", root / "reference"],
            text=True, capture_output=True, check=False)
        names, values = (line.split(",") for line in done.stdout.splitlines()[:2])
        seen = dict(zip(names, values))
        expect((seen["result"], seen["launches"], seen["data_ops"])
               == ("right", launches, operations), f"{lab} {function}: {seen}")
    save(folder / "cpu_scan.c", right_one("cpu_scan.c"))
    t = Terminal(scanlab, "watch", "cpu-scan", "-s", folder)
    t.wait("This lab runs on the CPU, where launches and operations are not counted")
    t.end()


def demo(folder):
    """What it begins with fails as it should, in the folder that was named, and
    nothing is overwritten."""
    t = Terminal(root / "tools/demo.sh", folder / "mine")
    t.wait("live report: http://127.0.0.1:")
    t.wait("no browser was opened" if not os.environ.get("DISPLAY") else "watching")
    t.wait("pass  tiny")
    t.wait("FAIL  one-block")
    t.wait("race")
    t.wait(r"n = 4096 \(wrong\)")
    t.process.send_signal(signal.SIGTERM)
    t.press("\x03")
    t.process.wait(PATIENCE)
    done = subprocess.run([root / "tools/demo.sh", folder / "mine"], text=True,
                          capture_output=True, check=False)
    expect(done.returncode == 2 and "is not empty" in done.stderr, done)


with tempfile.TemporaryDirectory() as name:
    {"keys": keys, "versus": versus, "published": published,
     "demo": demo}[sys.argv[3]](pathlib.Path(name))
