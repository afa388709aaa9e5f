#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""axe.py AXE SCANLAB PAGES OUT: axe-core (tools/setup.sh browser fetches it) finds no
violation in pages of every kind, folded and open, in a narrow and a wide window,
light, dark and with forced colours; and nothing is wider than the window. So that it can fail, it must find three in a page
that has them. Exit status 77: no browser, or no axe-core."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))
import webdriver  # noqa: E402

RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ["violations"]}).then(
    (found) => done(found.violations.map((v) => [v.id, v.impact, v.nodes.length,
        v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " | " +
                                n.failureSummary.slice(0, 200))])),
    (error) => done([["axe", "error", 1, [String(error)]]]));
"""
BROKEN = """<!DOCTYPE html><title></title><body><img src="x.png">
<p style="color: #bbb; background: #fff">hard to read</p><input></body>"""


def violations(browser, axe):
    browser.run(axe + "; window.axe = axe;")
    return browser.call("POST", "/execute/async", {"script": RUN, "args": []})


def pages_of(scanlab, given, out):
    """Each kind of page; what grades and profiles is the lab 1 of make demo."""
    folder = out / "demo"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "tests/demo/naive.cu", folder)
    for words in (["grade", "naive", "--device", "vgpu", "--seed", "7",
                   "--report", f"html={out / 'grade.html'}"],
                  ["profile", "naive", "-n", "1000", "--seed", "7", "-o", out / "profile.html"],
                  ["trace", "naive", "-n", "33", "-o", out / "trace.html"],
                  ["sweep", "naive", "-n", "2^8..2^10", "-o", out / "sweep.html"]):
        subprocess.run([scanlab, *words, "-s", folder], cwd=ROOT, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [given / "mixed.html", *sorted(out.glob("*.html"))]


def looked_at(browser, axe, page):
    bad = []
    for width, theme, forced in ((360, "light", False), (1280, "dark", False),
                                 (1920, "light", True)):
        browser.open(page, width, 900, theme)
        if forced:
            browser.devtools("Emulation.setEmulatedMedia", features=[
                {"name": "forced-colors", "value": "active"}])
        for opened in (False, True):
            if opened:
                browser.run("for (const e of document.querySelectorAll('details'))"
                            " e.open = true")
            wide = browser.run("return document.documentElement.scrollWidth")
            if wide > width:
                bad.append((page.name, width, theme, forced, opened, f"{wide} wide"))
            bad += [(page.name, width, theme, forced, opened, *v)
                    for v in violations(browser, axe)]
    return bad


def main():
    script, scanlab, given, out = (pathlib.Path(a) for a in sys.argv[1:])
    if not script.exists():
        print("SKIP: tools/setup.sh browser has not fetched axe-core")
        return 77
    shutil.rmtree(out, ignore_errors=True)
    axe = script.read_text()
    with webdriver.Browser() as browser:
        pages = pages_of(scanlab, given, out)
        if len(pages) != 5:
            sys.exit(f"pages: {pages}")
        bad = [v for page in pages for v in looked_at(browser, axe, page)]
        for v in bad:
            print(*v, sep="  ")
        broken = out / "broken.html"
        broken.write_text(BROKEN)
        browser.open(broken, 900)
        found = {v[0] for v in violations(browser, axe)}
        if not {"image-alt", "label", "color-contrast"} <= found:
            sys.exit(f"in a page with three mistakes it finds {found}")
    print(f"{len(pages)} pages, {len(bad)} violations")
    return 1 if bad else 0


try:
    sys.exit(main())
except webdriver.Missing as missing:
    print(f"SKIP: {missing}")
    sys.exit(77)
