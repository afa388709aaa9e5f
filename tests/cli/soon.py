#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""soon.py SCANLAB ROOT [SAVES [LAB...]]: how soon after a save of a lab's file its first
check is marked, in the terminal and in the page of `scanlab watch --serve`, in headless
Chromium. Prints for each lab the seconds of SAVES saves (3): from the save to the
terminal, to the page, the page behind the terminal, and the CPU seconds of compiling
and of the first check alone. Fails where the best of a lab is five times what is
promised (docs/seeing.md): 1 s of CPU, 0.3 s behind the terminal. 77: no browser."""
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

scanlab, root = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
SAVES = int(sys.argv[3]) if sys.argv[3:] else 3
LABS = sys.argv[4:] or ["naive", "work-efficient", "bank-conflicts", "shared-tiled", "chained"]
FIRST_CPU, BEHIND, TIMES = 1.0, 0.3, 5
PATIENCE = 180
sys.path.insert(0, str(root / "tests/tools"))
from graded import handed_in  # noqa: E402
import webdriver  # noqa: E402

# When the bar of this page has its first mark; kept when the page loads itself again.
NOTE = """
const place = document.getElementById("filling");
sessionStorage.removeItem("first");
new MutationObserver(() => {
    if (place.querySelector(".reached li") && !sessionStorage.getItem("first"))
        sessionStorage.setItem("first", Date.now());
}).observe(place, {childList: true, subtree: true});
return document.getElementById("live").dataset.version;
"""
SEEN = """return [sessionStorage.getItem("first"),
    document.getElementById("live").dataset.version, performance.timeOrigin];"""


class Watch:
    def __init__(self, lab, folder):
        self.terminal, slave = pty.openpty()  # what it prints is there at once
        self.process = subprocess.Popen(
            [scanlab, "watch", lab, "-s", folder, "--serve"], cwd=root,
            stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, start_new_session=True,
            env={**os.environ, "SCANLAB_ROOT": str(root), "NO_COLOR": "1"})
        self.said = ""

    def wait(self, words):
        end = time.monotonic() + PATIENCE
        while True:
            found = re.search(words, self.said)
            if found:
                self.said = self.said[found.end():]
                return found
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit(f"FAILED: never said: {words}\n{self.said}")
            if select.select([self.terminal], [], [], .05)[0]:
                self.said += os.read(self.terminal, 65536).decode().replace("\r", "")

    def quiet(self, lab):
        """Until the lab is graded, and what stands beside other numbers is said."""
        self.wait(rf"(?m)^  {lab} \d+/\d+.*\n")
        while select.select([self.terminal], [], [], 2)[0]:
            os.read(self.terminal, 65536)
        self.said = ""

    def end(self):
        os.kill(self.process.pid, signal.SIGINT)
        self.process.wait(PATIENCE)


def page_time(browser, version):
    """When the page had its first mark; if it loaded the whole grade at once, then."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            first, now, origin = browser.run(SEEN)
        except Exception:  # pylint: disable=broad-exception-caught
            continue  # while it loads
        if first:
            return float(first) / 1000
        if now != version:
            return origin / 1000
        time.sleep(.02)
    sys.exit("FAILED: the page has no mark")


def save(path, text, number):
    fresh = path.with_suffix(".new")
    fresh.write_text(f"{text}\n// save {number} of {os.getpid()}\n")
    fresh.rename(path)


def cpu_of_first(lab, folder):
    """CPU seconds that a grade of the first check takes, compiling the source included."""
    names = re.findall(r"^\[check ([\w-]+)\]", next(
        root.glob(f"labs/*-{lab}/lab.ini")).read_text(), re.M)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([scanlab, "grade", lab, "-s", folder, "--check", names[0],
                           "--device", "vgpu"], cwd=root, check=False,
                          stdout=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"FAILED: {done.stdout}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_lab(browser, lab, folder):
    source = next((root / "reference").glob(lab.replace("-", "_") + ".c*"))
    shutil.copy(source, folder)
    handed_in(folder)
    path, rows = folder / source.name, []
    text = path.read_text()
    watch = Watch(lab, folder)
    address = watch.wait(r"live report: (\S+)")[1]
    watch.quiet(lab)  # graded as it was found
    for number in range(SAVES):
        browser.call("POST", "/url", {"url": address})
        version = browser.run(NOTE)
        watch.said = ""
        begin = time.time()
        save(path, text, number)
        watch.wait(r"(?m)^ *(pass|FAIL) ")
        terminal = time.time()
        page = page_time(browser, version)
        rows.append((terminal - begin, page - begin, page - terminal))
        watch.quiet(lab)
    watch.end()
    cpu = []
    for number in range(SAVES):
        save(path, text, 1000 + number)
        cpu.append(cpu_of_first(lab, folder))
    return rows, cpu


def main():
    bad = []
    try:
        browser = webdriver.Browser()
    except webdriver.Missing as missing:
        print(f"SKIP: {missing}")
        return 77
    with browser:
        for lab in LABS:
            with tempfile.TemporaryDirectory() as name:
                rows, cpu = of_lab(browser, lab, pathlib.Path(name))
            columns = [sorted(column) for column in zip(*rows)] + [sorted(cpu)]
            print(f"{lab}: " + "; ".join(
                f"{what} {' '.join(f'{v:.2f}' for v in column)}" for what, column in zip(
                    ("terminal", "page", "behind", "CPU"), columns)) +
                f"; load {os.getloadavg()[0]:.1f}", flush=True)
            if columns[3][0] > TIMES * FIRST_CPU:
                bad.append(f"{lab}: {columns[3][0]:.2f} s of CPU")
            if columns[2][0] > TIMES * BEHIND:
                bad.append(f"{lab}: {columns[2][0]:.2f} s behind the terminal")
    if bad:
        print("FAILED: " + "; ".join(bad))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
