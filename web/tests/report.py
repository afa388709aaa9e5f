#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report.py SCANLAB WEB OUT: pages of failed checks that run (docs/web.md), graded by
SCANLAB and opened in headless Chromium. A race is wrong in the page as in the grade,
right in the order in which it is right, and at other sizes; the recorded picture comes
back; what the page has of a kernel without end is stopped; PTX that is no PTX, or is
markup, is told in words; stores that arrive swapped, values joined the wrong way round and
a deadlock have their pictures; a check that students are not to see has nothing that runs,
nor has one that passed; without WebAssembly what was recorded stays. No page has 3 MB.
77: no browser, or no engine."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))
import webdriver  # noqa: E402

MOST = 3_000_000
RUN = """
const check = document.getElementById(arguments[0]), {elements} =
    check.querySelector(".run form");
for (let e = check; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
check.querySelector(".run details").open = true;
for (const [name, value] of Object.entries(arguments[1])) elements[name].value = value;
check.querySelector(".ran").replaceChildren();
check.querySelector(".run form").requestSubmit();
"""
SAYS = """
const run = document.querySelector(`#${arguments[0]} .run`);
const status = run.querySelector("[role=status]").textContent;
return status === "Running." ? "" : `${status} ${run.querySelector(".ran").innerText}`;
"""


def require(holds, what):
    if not holds:
        sys.exit(what)


def grade(scanlab, folder, page, *more, lab="naive"):
    subprocess.run([scanlab, "grade", lab, "--seed", "1", "--repairs", "0", "-s", folder,
                    "--report", f"html={page}", *more], stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE, check=False, cwd=ROOT)
    text = page.read_text()
    require(len(text.encode()) < MOST, f"{page.name}: {len(text)} bytes")
    return text


def data_of(text):
    return json.loads(re.search(
        r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def runs_of(text):
    (lab,) = data_of(text)["grade"]["labs"]
    return {c["id"]: c["view"]["run"] for c in lab["checks"] if "run" in c["view"]}


def submission(out, name, patch=None, file="naive.cu"):
    folder = out / name
    folder.mkdir()
    source = ROOT / "reference" / file
    file = folder / file
    subprocess.run(["unifdef", "-DSOLUTION", "-o", file, source], check=False)
    if patch:
        hunks = re.sub(r"(?m)^#.*\n", "", patch.read_text())
        subprocess.run(["patch", "-s", "-p1", file], text=True, check=True,
                       input=f"--- a/{file.name}\n+++ b/{file.name}\n{hunks}")
    return folder


def said(browser, check, **fields):
    browser.run(RUN, f"naive-{check}", fields)
    if not browser.until(SAYS.replace("arguments[0]", f'"naive-{check}"'), 60):
        sys.exit(f"{check} {fields}: it does not end: {browser.console()}")
    return browser.run(SAYS, f"naive-{check}")


def runs(browser, page):
    browser.open(page, 1280, 1200)
    words = said(browser, "one-block")
    require("race" in words and "32]: " in words and "is right." in words, words)
    recorded = "return document.querySelector('#naive-one-block .recorded').hidden"
    require(browser.run(recorded), "the recorded picture is there, too")
    require(browser.run("return document.querySelectorAll("
                        "'#naive-one-block .ran .arrow.guilty').length") == 1,
            "no guilty read")
    words = said(browser, "one-block", order="reverse")
    require("All 33 elements of d_out are right" in words, words)
    words = said(browser, "one-block", order="random", seed=5, n=257)
    require("of 257 elements are wrong" in words, words)
    browser.run("document.querySelector('#naive-one-block [name=back]').click()")
    require(not browser.run(recorded), "the recorded picture does not come back")
    require(not browser.console(), f"console: {browser.console()}")


def changed(page, name, change):
    """The page with other data, of which its policy has no hash."""
    text = page.read_text()
    data = data_of(text)
    change(data["grade"]["labs"][0])
    safe = json.dumps(data)
    for one in "<>&":
        safe = safe.replace(one, f"\\u{ord(one):04x}")
    other = page.with_name(name)
    other.write_text(re.sub(r'(?s)(<script type="application/json" id="data">).*?(</script>)',
                            lambda m: m[1] + safe + m[2], text))
    return other


def survives(browser, page):
    """PTX of somebody who wants to harm."""
    def set_ptx(text):
        return lambda lab: lab["view"]["runs"].update(ptx=text)
    endless = re.sub(r"(?m)^\{$", "{\n$again: bra $again;", data_of(page.read_text())[
        "grade"]["labs"][0]["view"]["runs"]["ptx"])
    for name, ptx, word in (
            ("empty", "", ""), ("zeros", "\0" * 99, ""), ("huge", "{" * 300000, ""),
            ("markup", "<script>document.title='bad'</script><img src=x onerror=alert(1)>",
             "PTX line"), ("endless", endless, "")):
        browser.open(changed(page, f"{name}.html", set_ptx(ptx)), 1280, 1200)
        words = said(browser, "one-block")
        require(len(words) > 5 and word in words, f"{name}: {words!r}")
        require(browser.run("return document.title") == "ScanLab: 10 of 100 points" and
                not browser.run("return document.querySelectorAll('img').length"),
                f"{name}: markup")
        # The page goes on.
        require(browser.run("return document.querySelector('h1').textContent") == "ScanLab",
                name)

    def bad_calls(lab):
        for check in lab["checks"]:
            for case in check["view"].get("run", {}).get("cases", []):
                case["calls"] = [["constructor", 1], ["fill", 1e300, -1, 5]]
    browser.open(changed(page, "calls.html", bad_calls), 1280, 1200)
    require(len(said(browser, "one-block")) > 5, "calls that are none")


PICTURES = (("value-then-flag", "weak", "have arrived swapped", ".replay"),
            ("wrong-order-in-window", "operators", "joins two values the wrong way round",
             ".replay"),
            ("never-publishes", "neighbours", "Who waits for whom", ".waiting .what"),
            (None, "operators", None, None))


def draws(browser, scanlab, out):
    """Two stores swapped, two values joined the wrong way, who waits for whom; of the
    reference nothing."""
    for mutant, check, words, part in PICTURES:
        patch = mutant and ROOT / f"tests/mutants/lookback/{mutant}.patch"
        name = mutant or "reference"
        page = out / f"{name}.html"
        grade(scanlab, submission(out, name, patch, "lookback.cu"), page, "--check", check,
              lab="lookback")
        browser.open(page, 1280, 1200)
        browser.run("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
        shown = browser.run("return document.querySelector(arguments[0]).innerText",
                            f"#lookback-{check}")
        if not mutant:
            require("swapped" not in shown and "wrong way" not in shown, shown)
            continue
        require(words in shown, f"{mutant}: {shown}")
        require(browser.run("return document.querySelectorAll(arguments[0]).length",
                            f"#lookback-{check} {part}"), f"{mutant}: no picture")
        require(not browser.console(), f"console: {browser.console()}")


def stays_without(browser, page):
    text = page.read_text()
    bare = page.with_name("without-engine.html")
    bare.write_text(re.sub(r'(?s)<script type="application/json" id="engine">.*?</script>\n'
                           r"<script>.*?</script>", "", text))
    browser.open(bare, 1280, 1200)
    require(not browser.run("return [...document.querySelectorAll('.run')].filter("
                            "(e) => !e.hidden).length"), "a form that runs nothing")
    require(browser.run("return document.querySelectorAll('.recorded .replay').length") > 0,
            "no recorded picture")


def keeps_secrets(scanlab, out):
    folder = submission(out, "hidden", ROOT / "tests/mutants/naive/in-place.patch")
    course = out / "course"
    course.mkdir()
    (course / "course.ini").write_text("[course]\nseed = 1\nvisibility = hidden\n")
    staff = out / "staff.html"
    text = grade(scanlab, folder, out / "hidden.html", "--course", course, "--staff",
                 f"html={staff}")
    for one in (text, staff.read_text()):
        require("runs" not in data_of(one)["grade"]["labs"][0]["view"] and not runs_of(one),
                "hidden checks run in the page")
    require("race" in staff.read_text(), "the staff's page has the failed checks")
    text = grade(scanlab, submission(out, "right"), out / "right.html")
    require(not runs_of(text), "checks that passed run in the page")


def main():
    scanlab, web, out = (pathlib.Path(a).resolve() for a in sys.argv[1:])
    if not (web / "report.part").exists():
        print("SKIP: there is no engine; make web makes it")
        return 77
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    page = out / "race.html"
    text = grade(scanlab, submission(out, "race", ROOT / "tests/mutants/naive/in-place.patch"),
                 page)
    require({"one-block", "exclusive", "clean"} <= set(runs_of(text)), str(set(runs_of(text))))
    require(str(ROOT) not in text.split('id="engine"')[0].split('id="data"')[1].split(
        '"ptx"')[1].split('"code"')[0], "PTX names a folder of this machine")
    keeps_secrets(scanlab, out)
    try:
        with webdriver.Browser() as browser:
            runs(browser, page)
            survives(browser, page)
            stays_without(browser, page)
            draws(browser, scanlab, out)
    except webdriver.Missing as why:
        print(f"SKIP: {why}")
        return 77
    print(f"runs, and survives: {len(text)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
