#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perfetto.py UI VGPU PROGRAM [ARGUMENT...]: Perfetto itself, in headless
Chromium, opens a timeline: it counts no error, and has every span and message
of the file, at the same nanosecond. Of spans that overlap by one it says so. UI:
its files (tools/setup.sh browser)."""
import collections
import functools
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/tools"), str(ROOT / "vgpu/tests/clock")]
import trace_events  # noqa: E402
import webdriver  # noqa: E402

ASK = """
const done = arguments[1];
app.trace.engine.query(arguments[0]).then((found) => {
    const rows = [], names = found.columns();
    for (const row = found.iter({}); row.valid(); row.next())
        rows.push(names.map((name) => String(row.get(name))));
    done(rows);
}).catch((error) => done(String(error)));
"""
TRACK = """join thread_track on track_id = thread_track.id
    join thread using (utid) join process using (upid)"""
SPANS = f"select pid, tid, ts, dur, slice.name from slice {TRACK}"
ENDS = f"""select pid, tid from flow
    join slice on slice.id = slice_%s {TRACK}"""
ERRORS = "select name, value from stats where severity != 'info' and value > 0"


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def opened(browser, base, name):
    """What Perfetto answers, after it has read the file."""
    browser.call("POST", "/url", {"url": "about:blank"})
    browser.call("POST", "/url", {
        "url": f"{base}/index.html#!/?url={base}/{name}"})
    assert browser.until("return !!(window.app && app.trace)", 60), "not read"

    def ask(sql):
        rows = browser.call("POST", "/execute/async",
                            {"script": ASK, "args": [sql]})
        assert isinstance(rows, list), rows
        return rows
    return ask


def check(ask, events):
    errors = ask(ERRORS)
    assert not errors, errors
    ns = trace_events.nanoseconds
    wanted = collections.Counter(
        (str(e["pid"]), str(e["tid"]), str(ns(e["ts"])), str(ns(e["dur"])),
         e["name"]) for e in events["X"])
    seen = collections.Counter(map(tuple, ask(SPANS)))
    assert seen == wanted, (seen - wanted, wanted - seen)
    for phase, side in ("s", "out"), ("f", "in"):
        ends = collections.Counter((str(e["pid"]), str(e["tid"]))
                                   for e in events.get(phase, []))
        assert collections.Counter(map(tuple, ask(ENDS % side))) == ends, side
    print(len(events["X"]), "spans,", len(events.get("s", [])), "messages")


def main():
    ui, vgpu, *program = sys.argv[1:]
    if not pathlib.Path(ui, "index.html").exists():
        print(f"there is no Perfetto in {ui} (tools/setup.sh browser)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for file in pathlib.Path(ui).iterdir():
            (folder / file.name).symlink_to(file.resolve())
        subprocess.run([vgpu, "--check=none", "--clock=h200", "-o", "/dev/null",
                        f"--timeline={folder}/trace.json", *program],
                       stdout=subprocess.DEVNULL, check=True)
        text = (folder / "trace.json").read_text(encoding="utf-8")
        trace, events = trace_events.check(text)
        longest = max(events["X"], key=lambda e: e["dur"])
        trace["traceEvents"].append({**longest, "ts": longest["ts"] + .001})
        (folder / "wrong.json").write_text(json.dumps(trace))
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0),
            functools.partial(Files, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        try:
            with webdriver.Browser() as browser:
                check(opened(browser, base, "trace.json"), events)
                wrong = opened(browser, base, "wrong.json")(ERRORS)
                assert "overlapping" in str(wrong), wrong
        except webdriver.Missing as missing:
            print(missing)
            return 77
        finally:
            server.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
