#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""film.py SCANLAB OUT.webp [FRAMES]: ten seconds of `make demo` as a picture that
moves, for README: the live page of a lab 1 with a race, its replay around the
damaged step, then the file is saved without the bug, the bar fills, all passes.
Every frame is what a headless Chromium shows of a real `scanlab watch --serve`;
only the time between frames is set here. FRAMES: a folder that keeps the PNGs.
`make film` calls it. It needs chromedriver and img2webp."""
import base64
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/tools"))
import webdriver  # noqa: E402
from graded import handed_in  # noqa: E402

WIDTH, HEIGHT, PATIENCE = 1000, 640, 120
MOST_BYTES = 2_000_000
RIGHT = "\ue014"


class Film:
    def __init__(self, browser, folder):
        self.browser, self.folder, self.frames = browser, folder, []

    def frame(self, ms, is_new=True):
        """is_new: or else the same picture again takes no time."""
        png = base64.b64decode(
            self.browser.devtools("Page.captureScreenshot")["data"])
        if self.frames and png == self.frames[-1][0]:
            self.frames[-1][1] += ms if is_new else 0
        else:
            self.frames.append([png, ms])

    def scroll(self, selector, block, steps=4):
        """In a few steps, so that the eye can follow."""
        start, end = self.browser.run(
            "const from = scrollY; document.querySelector(arguments[0])"
            ".scrollIntoView({block: arguments[1]}); const to = scrollY; "
            "scrollTo(0, from); return [from, to]", selector, block)
        for k in range(1, steps + 1):
            self.browser.run("scrollTo(0, arguments[0])",
                             start + (end - start) * k / steps)
            self.frame(70)

    def write(self, out):
        words = ["-lossy", "-q", "72", "-m", "6"]
        for i, (png, ms) in enumerate(self.frames):
            file = self.folder / f"{i:03}.png"
            file.write_bytes(png)
            words += ["-d", str(ms), str(file)]
        subprocess.run(["img2webp", "-loop", "0", *words, "-o", out], check=True,
                       stdout=subprocess.DEVNULL)


def save(folder, text):
    (folder / "new").write_text(text)
    (folder / "new").rename(folder / "naive.cu")


def right():
    """What a student has after the bug was found."""
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(ROOT / "reference/naive.cu", name)
        handed_in(pathlib.Path(name))
        return (pathlib.Path(name) / "naive.cu").read_text()


def need(holds, what):
    if not holds:
        sys.exit(f"film.py: never: {what}")


def shoot(film, browser, folder, address):
    browser.devtools("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT,
                     deviceScaleFactor=1, mobile=False)
    browser.media("light")
    browser.call("POST", "/url", {"url": address})
    need(browser.until("return document.querySelector('.replay .arrow.guilty') && "
                       "document.getElementById('live').textContent.startsWith('Live')",
                       PATIENCE), "the first grade")
    film.frame(1200)
    film.scroll(".replay", "start")
    browser.run("document.querySelector('.replay input[type=range]').focus("
                "{preventScroll: true})")
    browser.press("\ue012", "\ue012", "\ue012")
    for _ in range(3):  # up to the guilty read
        film.frame(300)
        browser.press(RIGHT)
    film.frame(1500)
    browser.press(RIGHT)
    film.frame(500)
    browser.run("scrollTo(0, 0); document.activeElement.blur()")
    save(folder, right())
    old = browser.run("return document.getElementById('live').dataset.version")
    end = time.monotonic() + PATIENCE
    while browser.run("return document.getElementById('live')?.dataset.version") in (old, None):
        film.frame(200, False)
        need(time.monotonic() < end, "the second grade")
        time.sleep(.05)
    need(browser.until("return document.querySelector('details.versus .bar')", 9),
         "the counts beside the reference's")
    film.frame(900)
    film.scroll("details.lab", "start")
    film.frame(2000)


def main():
    scanlab, out = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as name, webdriver.Browser() as browser:
        work = pathlib.Path(name)
        frames = pathlib.Path(sys.argv[3]) if sys.argv[3:] else work / "frames"
        frames.mkdir(exist_ok=True)
        folder = work / "demo"
        folder.mkdir()
        shutil.copy(ROOT / "tests/demo/naive.cu", folder)
        watch = subprocess.Popen(
            [scanlab, "watch", "naive", "-s", "demo", "--serve", "--seed", "7"],
            cwd=work, text=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
            env={**os.environ, "SCANLAB_ROOT": str(ROOT)})
        try:
            address = re.search("http://\\S+", watch.stdout.readline())[0]
            film = Film(browser, frames)
            shoot(film, browser, folder, address)
        finally:
            watch.send_signal(signal.SIGINT)
            watch.communicate()
        film.write(out)
    size = out.stat().st_size
    print(f"{out.name}: {len(film.frames)} frames, {sum(ms for _, ms in film.frames) / 1000} s, "
          f"{size} bytes")
    return size > MOST_BYTES


sys.exit(main())
