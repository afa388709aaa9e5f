#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""firefox.py SCANLAB OUT: the report of the lab 1 of `make demo` in a headless Firefox
(Debian: firefox-esr): it is drawn, its keys work, nothing is wider than the window,
and the replay opens at the guilty read. Firefox is driven by its own protocol,
Marionette (a length, a colon, JSON), because Debian has no geckodriver. Exit status
77: there is no Firefox."""
import base64
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 120


class Firefox:
    def __init__(self, program, folder):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        (folder / "user.js").write_text(
            f'user_pref("marionette.port", {port});\n'
            'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
            'user_pref("app.update.enabled", false);\n')
        self.process = subprocess.Popen(
            [program, "--headless", "--marionette", "--no-remote", "--profile", folder,
             "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder), "MOZ_HEADLESS_WIDTH": "1280"},
            start_new_session=True)
        end, self.socket = time.monotonic() + PATIENCE, None
        while not self.socket:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(.2)
        self.number = 0
        self.read()
        self.version = self.call("WebDriver:NewSession",
                                 capabilities={})["capabilities"]["browserVersion"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def take(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                sys.exit("Firefox has ended")
            data += part
        return data

    def read(self):
        size = b""
        while (c := self.take(1)) != b":":
            size += c
        return json.loads(self.take(int(size)))

    def call(self, name, **parameters):
        self.number += 1
        words = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(words), words))
        _, number, error, result = self.read()
        if error or number != self.number:
            sys.exit(f"{name}: {error}")
        return result

    def run(self, script, *values):
        return self.call("WebDriver:ExecuteScript", script=script,
                         args=list(values))["value"]

    def open(self, page, width):
        self.call("WebDriver:SetWindowRect", width=width, height=900)
        self.call("WebDriver:Navigate", url=page.resolve().as_uri())

    def press(self, key):
        self.call("WebDriver:PerformActions", actions=[
            {"type": "key", "id": "keys", "actions": [
                {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}])

    def picture(self):
        return base64.b64decode(self.call("WebDriver:TakeScreenshot", full=False)["value"])


def require(holds, what):
    if not holds:
        sys.exit(what)


def works(firefox, page, out):
    firefox.open(page, 1280)
    guilty = "return document.querySelectorAll('.replay .arrow.guilty').length"
    require(firefox.run(guilty) > 0, "no guilty read is shown")
    require(firefox.run("return document.querySelectorAll('#text').length") == 0 or
            not firefox.run("return document.getElementById('text').checkVisibility()"),
            "the page is not drawn")
    firefox.press("f")
    seen = firefox.run("return document.activeElement.closest('details.check').id")
    require(seen == "naive-one-block", f"f leads to {seen}")
    firefox.press("h")
    require(firefox.run("return document.querySelector('.hint').open"), "h opens no hint")
    firefox.run("document.querySelector('.replay input[type=range]').focus()")
    where = "return document.querySelector('.replay .where').textContent"
    before = firefox.run(where)
    firefox.press("\ue014")
    require(firefox.run(where) != before, f"an arrow key does nothing: {before}")
    (out / "firefox.png").write_bytes(firefox.picture())
    for width in 500, 1280, 1920:  # Firefox has no narrower window
        firefox.open(page, width)
        for opened in False, True:
            if opened:
                firefox.run("for (const e of document.querySelectorAll('details'))"
                            " e.open = true")
            wide = firefox.run("return [document.documentElement.scrollWidth, innerWidth]")
            require(wide[0] <= wide[1], f"{width}, {opened}: {wide}")


def main():
    scanlab, out = (pathlib.Path(a) for a in sys.argv[1:])
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if not program:
        print("SKIP: there is no Firefox (Debian: firefox-esr)")
        return 77
    shutil.rmtree(out, ignore_errors=True)
    (out / "demo").mkdir(parents=True)
    shutil.copy(ROOT / "tests/demo/naive.cu", out / "demo")
    page = out / "grade.html"
    subprocess.run([scanlab, "grade", "naive", "--device", "vgpu", "--seed", "7", "-s",
                    out / "demo", "--report", f"html={page}"], cwd=ROOT, check=False,
                   stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, \
            Firefox(program, pathlib.Path(folder)) as firefox:
        works(firefox, page, out)
        print("Firefox", firefox.version, "passed")
    return 0


sys.exit(main())
