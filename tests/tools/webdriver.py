# SPDX-License-Identifier: MIT
"""webdriver.py: a headless Chromium by WebDriver (W3C), with nothing but what
Python has. Browser() raises Missing where there is none."""
import base64
import json
import os
import shutil
import struct
import subprocess
import time
import urllib.error
import urllib.request
import zlib

KEYS = {"Tab": "\ue004", "Enter": "\ue007"}


class Missing(Exception):
    """No browser on this machine; str() says why."""


class Browser:
    def __init__(self, **chrome):
        """chrome: more of chromedriver's goog:chromeOptions."""
        driver = shutil.which("chromedriver")
        if not driver:
            raise Missing("there is no chromedriver (Debian: chromium-driver)")
        self.process = subprocess.Popen([driver, "--port=0"], text=True,
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.base = None
        for line in self.process.stdout:
            if "on port" in line and "successfully" in line:
                self.base = ("http://127.0.0.1:"
                             + line.split("on port")[1].strip(" .\n"))
                break
        options = ["--headless=new", "--disable-gpu", "--hide-scrollbars",
                   "--force-device-scale-factor=1", "--disable-dev-shm-usage"]
        if os.getuid() == 0:  # Chromium's own walls cannot stand then
            options.append("--no-sandbox")
        wanted = {"browserName": "chrome",
                  "goog:loggingPrefs": {"browser": "ALL"},
                  "goog:chromeOptions": {"args": options, **chrome}}
        try:
            session = self.call("POST", "/session",
                                {"capabilities": {"alwaysMatch": wanted}})
        except (OSError, TypeError) as error:
            self.process.terminate()
            raise Missing(f"Chromium does not start: {error}") from error
        self.base += "/session/" + session["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, method=method, data=data,
            headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise OSError(error.read().decode()[:500]) from error

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute",
                         {"cmd": command, "params": parameters})

    def open(self, path, width=900, height=900, theme="light"):
        """A file in a window of that size, without what a page before left."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width,
                      height=height, deviceScaleFactor=1, mobile=False)
        self.media(theme)
        self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": path.resolve().as_uri()})

    def media(self, theme, media=""):
        self.devtools("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": theme}])

    def run(self, script, *values):
        return self.call("POST", "/execute/sync",
                         {"script": script, "args": list(values)})

    def press(self, *keys):
        actions = [{"type": kind, "value": KEYS.get(key, key)}
                   for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [
            {"type": "key", "id": "keys", "actions": actions}]})

    def console(self):
        return self.call("POST", "/se/log", {"type": "browser"})

    def picture(self, width, height, scale=1):
        """A PNG of the page's top."""
        clip = {"x": 0, "y": 0, "width": width, "height": height,
                "scale": scale}
        return base64.b64decode(self.devtools(
            "Page.captureScreenshot", clip=clip)["data"])

    def steady(self, width, height, scale=1):
        """The same, when the page has its fonts and two in a row are alike: under
        load the first may be of a page that is half laid out."""
        self.until("return document.readyState === 'complete' && "
                   "document.fonts.status === 'loaded'")
        png = self.picture(width, height, scale)
        for _ in range(20):
            again = self.picture(width, height, scale)
            if again == png:
                break
            png = again
        return png

    def until(self, script, seconds=5):
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                return False
            time.sleep(.05)
        return True


def greys(png):
    """Width and brightness (0 to 255) of each pixel of an 8-bit RGB or RGBA
    PNG: PNG specification, 9.2 "filter types"."""
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            if depth != 8 or colour not in (2, 6):
                raise ValueError(f"depth {depth}, colour type {colour}")
        elif kind == b"IDAT":
            data += body
        at += size + 12
    data, step = zlib.decompress(data), 3 if colour == 2 else 4
    line, above, out = width * step, bytearray(width * step), []
    for y in range(height):
        kind, *row = data[y * (line + 1):(y + 1) * (line + 1)]
        for x in range(line):
            a = row[x - step] if x >= step else 0
            b, c = above[x], above[x - step] if x >= step else 0
            p = a + b - c
            nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b),
                          (abs(p - c), 2, c))[2]
            row[x] = row[x] + (0, a, b, (a + b) // 2, nearest)[kind] & 255
        above = row
        out += [sum(row[x:x + 3]) // 3 for x in range(0, line, step)]
    return width, out


def tiles(png, n=8):
    """Mean brightness of each of n x n parts, row by row."""
    width, pixels = greys(png)
    height = len(pixels) // width
    parts = [[] for _ in range(n * n)]
    for at, value in enumerate(pixels):
        y, x = divmod(at, width)
        parts[y * n // height * n + x * n // width].append(value)
    return [sum(part) / len(part) for part in parts]
