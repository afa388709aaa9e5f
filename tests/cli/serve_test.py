#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""serve_test.py SCANLAB ROOT [_browser]: the live report. Who knows the secret
gets the page, nobody else gets a word; long and slow requests and many of them
end; nothing outlives `scanlab watch --serve`. _browser: in a headless Chromium
the page shows each new grade by itself."""
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback

scanlab, root = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
sys.path.insert(0, str(root / "tests/tools"))
import page_data  # noqa: E402
SERVE = scanlab.parents[1] / "libexec/scanlab-serve"
GRADING, PAGE = 0, 1  # live_wire.h
MOST = 32             # serve.h
PATIENCE = 60


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def until(true, what):
    end = time.monotonic() + PATIENCE
    while not true():
        expect(time.monotonic() < end, f"never: {what}")
        time.sleep(.05)


class Server:
    def __init__(self, page=b"<!DOCTYPE html>secret words"):
        self.process = subprocess.Popen([SERVE], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        address = self.process.stdout.readline().decode()
        port, self.path = re.fullmatch(
            r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/)\n", address).groups()
        self.port, self.version = int(port), 0
        if page is not None:
            self.show(page)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        expect(self.process.wait(PATIENCE) == 0, "ends with its input")

    def tell(self, kind, page=b""):
        self.process.stdin.write(
            struct.pack("=IIQ", kind, len(page), self.version) + page)
        self.process.stdin.flush()

    def show(self, page):
        self.version += 1
        self.tell(PAGE, page)
        until(lambda: b"200 OK" in self.get(self.path), "the page is shown")

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def ask(self, request):
        """All that comes back until the server has closed."""
        with self.connect() as s:
            try:
                s.sendall(request)
            except OSError:
                pass  # it was closed before the end
            got = b""
            try:
                while part := s.recv(65536):
                    got += part
            except ConnectionError:
                pass
            return got

    def get(self, path, method="GET", host="127.0.0.1", more=""):
        return self.ask(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n"
                        f"{more}\r\n".encode())


def status(answer):
    return answer.split(b"\r\n")[0].split(b" ")[1] if answer else b""


def refused(answer, code):
    head, _, body = answer.partition(b"\r\n\r\n")
    expect(status(answer) == code, f"not {code}: {answer[:200]}")
    expect(not body, f"words: {body[:99]}")
    expect(b"ScanLab" not in head and b"secret" not in head, head)


def the_page_and_its_state():
    page = b"<!DOCTYPE html>" + bytes(range(256)) * 7000
    with Server(None) as s:
        refused(s.get(s.path), b"404")
        s.show(page)
        for host in ("127.0.0.1", f"127.0.0.1:{s.port}", "localhost:8000"):
            answer = s.get(s.path, host=host)
            expect(answer.endswith(b"\r\n\r\n" + page), "another page")
        for header in (b"Connection: close", b"Cache-Control: no-store",
                       b"Content-Security-Policy: frame-ancestors 'none'",
                       b"Referrer-Policy: no-referrer",
                       b"X-Content-Type-Options: nosniff"):
            expect(header in answer, header)
        one = f"GET {s.path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        expect(s.ask(one * 2).count(page) == 1, "a second request is heard")
        same = 'If-None-Match: "1"\r\n'
        answer = s.get(s.path, more=same)
        expect(b"304" in answer and b"State: idle" in answer, answer)
        s.tell(GRADING)
        until(lambda: b"State: grading" in s.get(s.path, more=same), "grading")
        expect(b"ScanLab-Checks" not in s.get(s.path, more=same), "of no lab")
        for state in (b"naive p..", b"naive pF."):
            s.tell(GRADING, state)
            until(lambda: b"ScanLab-Checks: " + state + b"\r\n"
                  in s.get(s.path, more=same), state)
        s.show(b"<!DOCTYPE html>next")
        expect(s.get(s.path, more=same).endswith(b"next"), "no new page")


def two_servers_have_two_secrets():
    with Server() as a, Server() as b:
        expect(a.path != b.path, a.path)
        refused(a.get(b.path), b"404")


def wrong_paths_hosts_and_methods():
    with Server() as s:
        last = "0" if s.path[-2] != "0" else "1"
        for path in ("/", "/favicon.ico", s.path[:-1], s.path + "x",
                     s.path[:-2] + last + "/", s.path[:-2] + "/",
                     s.path.upper() + "A", "/" + s.path, "*", "/%00",
                     "/../" + s.path[1:-1] + "0/"):
            refused(s.get(path), b"404")
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil",
                     "localhost:", "localhost:80x", "10.0.0.1", "",
                     f"evil:{s.port}", "LOCALHOSTS"):
            refused(s.get(s.path, host=host), b"403")
        refused(s.ask(f"GET {s.path} HTTP/1.0\r\n\r\n".encode()), b"403")
        for method in ("POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE",
                       "get", "X" * 300):
            refused(s.get(s.path, method), b"405")
        refused(s.get(s.path, "POST", more="Content-Length: 5\r\n\r\nhello"),
                b"405")


def long_and_broken_requests():
    with Server() as s:
        for request in (
                b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
                f"GET {s.path} HTTP/1.1\r\nHost: localhost\r\nCookie: "
                .encode() + b"a" * 100000 + b"\r\n\r\n",
                f"GET {s.path} HTTP/1.1\r\nHost: localhost\r\n".encode()
                + b"a: b\r\n" * 20000 + b"\r\n",
                f"GET {s.path} HTTP/1.1\r\n\r\n".encode(),
                b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
                b"\0" * 5000 + b"\r\n\r\n", b"GET\r\n\r\n"):
            answer = s.ask(request)
            expect(not answer or status(answer)[:1] in (b"4", b"5"), answer)
            expect(b"secret" not in answer, answer)
        refused(s.get(s.path, "POST", more="Content-Length: 999999999999\r\n"),
                b"405")


def sockets(pid):
    n = 0
    for file in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            n += os.readlink(file).startswith("socket:")
        except OSError:
            pass  # closed meanwhile
    return n


def slow_and_many():
    """Whoever is not done in time is shut out, also who never stops sending."""
    with Server(b"<!DOCTYPE html>" + b"x" * 3000000) as s:
        many = [s.connect() for _ in range(MOST + 20)]
        drip = many[0]
        drip.setblocking(False)
        until(lambda: sockets(s.process.pid) >= MOST, "as many as are let in")
        time.sleep(.5)  # in which no more come: one listens
        expect(sockets(s.process.pid) <= MOST + 1, sockets(s.process.pid))

        def closed():
            try:
                drip.send(b"G")
                return drip.recv(100) == b""
            except BlockingIOError:
                return False
            except OSError:
                return True
        until(closed, "the slow one is shut out")
        expect(s.get(s.path).endswith(b"x" * 1000), "others get the page then")
        for one in many:
            one.close()
        # Who does not take the page keeps nobody else from it.
        with s.connect() as lazy:
            lazy.sendall(f"GET {s.path} HTTP/1.1\r\nHost: localhost\r\n\r\n"
                         .encode())
            expect(s.get(s.path).endswith(b"x" * 1000), "the page meanwhile")
            s.show(b"<!DOCTYPE html>new")


def is_open(one):
    one.setblocking(False)
    try:
        return one.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def held_by_one():
    """Who holds all connections keeps nobody else out, also before their time is up:
    the oldest goes."""
    with Server() as s:
        for attempt in range(5):  # where the machine stands still, they end by time
            many = [s.connect() for _ in range(MOST + 8)]
            until(lambda: not is_open(many[0]), "the oldest is shut out")
            expect(b"200 OK" in s.get(s.path), "another one gets the page")
            left = sum(map(is_open, many))
            for one in many:
                one.close()
            if left >= MOST - 4:
                return
        raise AssertionError(f"{left} were left: the page has waited for their end")


def has_given_up_its_rights():
    with Server() as s:
        have = pathlib.Path(f"/proc/{s.process.pid}/status").read_text()
        expect("NoNewPrivs:\t1" in have, have)
        expect(re.search(r"CapEff:\t0+\n", have), have)


# ---- scanlab watch ----

class Watch:
    def __init__(self, folder, *options, program=scanlab):
        self.folder = folder
        self.process = subprocess.Popen(
            [program, "watch", "cpu-scan", "-s", folder, *options], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "SCANLAB_ROOT": str(root)})

    def address(self):
        line = self.process.stdout.readline()
        expect(line.startswith("live report: http://127.0.0.1:"), line)
        return line.split()[-1]

    def shown(self, address):
        port, path = re.search(r":(\d+)(/.*)", address).groups()
        with socket.create_connection(("127.0.0.1", int(port)), 9) as s:
            s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"
                      .encode())
            return b"".join(iter(lambda: s.recv(65536), b"")).decode()

    def save(self, text):
        (self.folder / "new").write_text(text)
        (self.folder / "new").rename(self.folder / "cpu_scan.c")


def children(pid):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def is_gone(pid):
    try:
        return "scanlab-serve" not in os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return True


def text_of(watch, address):
    """The page's words for where no script runs; "" while there is no page yet."""
    answer = watch.shown(address)
    return page_data.without_scripts(answer) if answer.startswith("HTTP/1.1 200 ") else ""


def watch_shows_each_grade(folder):
    for end, code in ((signal.SIGINT, -2), (signal.SIGKILL, -9)):
        shutil.copy(root / "student/cpu_scan.c", folder)
        watch = Watch(folder, "--serve")
        address = watch.address()
        until(lambda: "TODO" in text_of(watch, address), "the first grade")
        expect("0/100" in text_of(watch, address), "points of the lab")
        watch.save("int broken(\n")
        until(lambda: "does not compile" in text_of(watch, address), "the next")
        serve = [p for p in children(watch.process.pid) if not is_gone(p)]
        expect(len(serve) == 1, f"{serve}")
        watch.process.send_signal(end)
        expect(watch.process.wait(PATIENCE) == code, watch.process.returncode)
        until(lambda: is_gone(serve[0]), "scanlab-serve ends, too")


def watch_says_what_is_wrong(folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = Watch(folder, f"--serve={port}").process.communicate()[0]
        expect(f"port {port} is taken" in said, said)
    for port in ("0", "65536", "x", ""):
        watch = Watch(folder, f"--serve={port}")
        said = watch.process.communicate()[0]
        expect("is not a port" in said or "empty" in said, said)
        expect(watch.process.returncode == 2, said)


def without_the_library(folder):
    (folder / "build/bin").mkdir(parents=True)
    shutil.copy(scanlab, folder / "build/bin")
    watch = Watch(folder, "--serve", program=folder / "build/bin/scanlab")
    said = watch.process.communicate()[0]
    expect(watch.process.returncode == 2, said)
    expect(said.count("\n") == 1 and "libmicrohttpd-dev" in said, said)


# ---- a browser ----

def browser_shows_each_grade(folder):
    import webdriver
    plain = (root / "student/cpu_scan.c").read_text()
    (folder / "cpu_scan.c").write_text(plain)
    words = "return document.getElementById('live').textContent"
    with webdriver.Browser() as browser:
        watch = Watch(folder, "--serve")
        browser.call("POST", "/url", {"url": watch.address()})

        def shows(script, what):
            expect(browser.until(script, PATIENCE), f"{what}: "
                   + browser.run(words))
        shows("return document.querySelector('.score')"
              "?.textContent.startsWith('0 of')", "the stub's grade")
        browser.press("t")  # light, also of the next page
        shows(f"{words}.startsWith('Live')", "nothing new")
        watch.save("int broken(\n")
        shows("return document.body.innerText.includes('does not compile')",
              "the next grade")
        expect(browser.run("return document.documentElement.dataset.theme")
               == "light", "the theme is lost")
        shows(f"{words}.startsWith('Live')", "nothing new again")
        browser.press("h", "n")  # a source that does not compile has no check
        expect(browser.run("return document.getElementById('filling').hidden"),
               "a bar, and nothing is graded")
        said = [line for line in browser.console()
                if "favicon" not in line["message"]]
        expect(not said, f"{said}")
        watch.process.send_signal(signal.SIGINT)
        watch.process.wait(PATIENCE)
        shows(f"{words}.includes('has ended')", "that it ended")


def bar_fills(folder):
    """Check by check, while a page of a grade is shown; words of the server that are
    none of its lab's change nothing."""
    import webdriver
    (folder / "cpu_scan.c").write_text((root / "student/cpu_scan.c").read_text())
    watch = Watch(folder, "--serve")
    address = watch.address()
    until(lambda: "TODO" in text_of(watch, address), "the first grade")
    page = watch.shown(address).split("\r\n\r\n", 1)[1].encode()
    watch.process.send_signal(signal.SIGINT)
    watch.process.wait(PATIENCE)
    version = int(re.search(rb'"live":"(\d+)"', page)[1])
    shown = ("return [...document.querySelectorAll('#filling .reached li')]"
             ".map((e) => e.textContent).join(', ')")
    drawn = "return document.querySelectorAll('#filling .bar rect').length"
    with Server(None) as s, webdriver.Browser() as browser:
        s.version = version
        s.tell(PAGE, page)
        until(lambda: b"200 OK" in s.get(s.path), "the page is shown")
        browser.call("POST", "/url", {"url": f"http://127.0.0.1:{s.port}{s.path}"})
        for state, words in ((b"cpu-scan " + b"." * 40, ""),
                             (b"cpu-scan p" + b"." * 39, "pass inclusive"),
                             (b"cpu-scan pF" + b"." * 38, "pass inclusive, fail wrap")):
            s.tell(GRADING, state)
            expect(browser.until(f"return ({drawn.replace('return ', '')}) > 10 && "
                                 f"({shown.replace('return ', '')}).startsWith({words!r})",
                                 PATIENCE), f"{state}: {browser.run(shown)}")
        s.tell(GRADING, b"<b>x</b> pF")
        expect(browser.until(f"return ({drawn.replace('return ', '')}) === 0", PATIENCE),
               "a lab that is not there has a bar")
        expect(not [line for line in browser.console()
                    if "favicon" not in line["message"]], browser.console())


def main():
    tests = [without_the_library]
    if not SERVE.exists():
        print("SKIP: scanlab-serve was not built (libmicrohttpd-dev)")
    elif sys.argv[3:] == ["_browser"]:
        tests = [browser_shows_each_grade, bar_fills]
    else:
        tests += [the_page_and_its_state, two_servers_have_two_secrets,
                  wrong_paths_hosts_and_methods, long_and_broken_requests,
                  slow_and_many, held_by_one, has_given_up_its_rights,
                  watch_shows_each_grade, watch_says_what_is_wrong]
    failures = 0
    for test in tests:
        try:
            with tempfile.TemporaryDirectory() as folder:
                test(*[pathlib.Path(folder)][:test.__code__.co_argcount])
        except Exception as error:  # the others are run all the same
            if type(error).__name__ == "Missing":
                sys.exit(print(f"SKIP: {error}") or 77)
            failures += 1
            print(f"FAILED: {test.__name__}: {error}")
            traceback.print_exc()
    return 1 if failures else 0 if SERVE.exists() else 77


sys.exit(main())
