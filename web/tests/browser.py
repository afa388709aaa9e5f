#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""browser.py WEB [PICTURES]: WEB/index.html in headless Chromium, opened as a file:
the engine starts under the page's policy, a race is found with its line, the right
kernel is right, the scrubber moves, a run without end is stopped, keys alone do it,
nothing is wider than the window at 360, 1280 and 1920 pixels, light and dark, all
words are readable, every control has a name, and the console stays empty. PICTURES
gets a picture of each. 77: no browser."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))
import webdriver  # noqa: E402

WIDTHS, HEIGHT, THEMES = (360, 1280, 1920), 1400, ("light", "dark")
SECONDS = 120  # of a busy machine


def hard_to_read():
    """The script of tests/report/browser.py, which computes contrast."""
    text = (ROOT / "tests/report/browser.py").read_text()
    return re.search(r'HARD_TO_READ = """\n(.*?)"""', text, re.S)[1].replace(
        "\\\\", "\\")


# Controls without a name, and ids that are there twice.
NAMELESS = """
const bad = [...document.querySelectorAll("button, select, input, [tabindex]")]
    .filter((e) => e.checkVisibility() && !(e.textContent.trim() ||
        e.getAttribute("aria-label") || e.labels?.length))
    .map((e) => e.outerHTML.slice(0, 80));
const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
return [...bad, ...ids.filter((id, i) => ids.indexOf(id) !== i)];
"""
TOO_WIDE = """
return [...document.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().right > arguments[0] + 1 &&
                   !e.closest(".wide, pre, .sign"))
    .map((e) => e.tagName + "." + e.className).slice(0, 5);
"""
CHOOSE = """
const form = document.getElementById("form").elements;
for (const [name, value] of Object.entries(arguments[0])) form[name].value = value;
document.getElementById("status").textContent = "";
form.kernel.dispatchEvent(new Event("change", {bubbles: true}));
"""
DONE = 'return /^(Done|Stopped|The engine)/.test(status_())'
STATUS = "const status_ = () => document.getElementById('status').textContent;"
SMALL = {"n": 16, "block": 16, "schedule": "random", "memory": "sc", "seed": 1,
         "clock": "none", "numbers": "all 1"}


def require(holds, what):
    if not holds:
        sys.exit(what)


def wait(browser):
    if not browser.until(STATUS + DONE, SECONDS):
        sys.exit("it does not end: " + browser.run(STATUS + "return status_()")
                 + f" {browser.console()}")
    return browser.run(STATUS + "return status_()")


def choose(browser, **what):
    browser.run(CHOOSE, {**SMALL, **what})
    return wait(browser)


def text(browser, part):
    return browser.run("const e = document.getElementById(arguments[0]);"
                       "return e.hidden ? '' : e.innerText", part)


def works(browser):
    first = wait(browser)
    require("finding" in first, f"at first: {first}")
    said = choose(browser, kernel="scan")
    require("0 findings" in said and "Nothing" in text(browser, "found") and
            "All 16 are right" in text(browser, "output"), f"scan: {said}")
    said = choose(browser, kernel="scan_race", n=64, block=64)
    marked = browser.run("return [...document.querySelectorAll("
                         "'#source .here, #source .there')].map("
                         "(e) => e.textContent)")
    require("race" in text(browser, "found") and
            any("cells" in line for line in marked), f"race: {said} {marked}")
    require("are wrong" in text(browser, "output"),
            f"a race that shows: {text(browser, 'output')[:200]}")
    said = choose(browser, kernel="past_end")
    require("out-of-bounds" in text(browser, "found"), f"past_end: {said}")
    said = choose(browser, kernel="message_race", memory="weak", seed=3)
    require("race" in text(browser, "found"), f"message_race: {said}")
    said = choose(browser, kernel="banks", n=64, block=64, clock="h200")
    require("ns" in text(browser, "counted"), f"clock: {said}")


def moves(browser):
    choose(browser, kernel="scan")
    where = "return document.querySelector('.replay .where').textContent"
    browser.run("document.querySelector('.replay input[type=range]').focus()")
    browser.press("\ue011")  # Home
    first = browser.run(where)
    browser.press("\ue014", "\ue014")  # the right arrow
    third = browser.run(where)
    require(first.startswith("Moment 1 of") and
            third.startswith("Moment 3 of"), f"{first!r}, then {third!r}")
    # A race opens at the guilty read; in order it is right.
    choose(browser, kernel="scan_race", n=64, block=64, schedule="random",
           memory="sc", seed=1)
    # No order of two warps is right here: the rule without one.
    said = browser.run("return document.querySelector('.replay .fault')"
                       ".textContent")
    require(re.search(r"finds \d+ in cells.* is right", said), f"race: {said!r}")
    require(browser.run("return document.querySelectorAll("
                        "'.replay .arrow.guilty').length") == 1, "one arrow")
    # Of one warp, whose lanes a seed parts, the order is the right one.
    choose(browser, kernel="scan_race")
    require(browser.run("return document.querySelectorAll("
                        "'.replay .arrow.guilty').length") == 1, "one warp")
    browser.run("document.querySelectorAll('.replay .orders input')[1].click()")
    require(not browser.run("return document.querySelectorAll("
                            "'.replay .arrow.guilty').length"),
            "in order nothing is guilty")
    # From the top by Tab to the list of kernels, and by Enter to a run.
    browser.run("document.getElementById('theme').focus()")
    for _ in range(6):
        browser.press("Tab")
        if browser.run("return document.activeElement.name") == "kernel":
            break
    require(browser.run("return document.activeElement.name") == "kernel",
            "Tab comes to the kernels")
    browser.press("Tab")
    browser.run("document.getElementById('status').textContent = ''")
    browser.press("Enter")
    require("Done" in wait(browser), "Enter runs")


def stops(browser):
    """A chain of many blocks in the wrong order waits long enough."""
    browser.run(CHOOSE, {**SMALL, "kernel": "message", "n": 65536, "block": 4,
                         "schedule": "random"})
    enabled = "return !document.getElementById('stop').disabled"
    if browser.until(enabled, 5):
        browser.run("document.getElementById('stop').click()")
    said = wait(browser)
    require(said == "Stopped." or said.startswith("Done"), said)
    require("0 findings" in choose(browser, kernel="scan"), "runs after it")
    return said


def main():
    page = pathlib.Path(sys.argv[1]).resolve() / "index.html"
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    try:
        browser = webdriver.Browser()
    except webdriver.Missing as missing:
        print(f"SKIP: {missing}")
        sys.exit(77)
    with browser:
        browser.open(page, 1280, HEIGHT)
        works(browser)
        moves(browser)
        stopped = stops(browser)
        for width in WIDTHS:
            for theme in THEMES:
                name = f"{width}-{theme}"
                browser.open(page, width, HEIGHT, theme)
                wait(browser)
                if pictures:
                    pictures.mkdir(exist_ok=True)
                    high = browser.run(
                        "return document.documentElement.scrollHeight")
                    (pictures / f"{name}.png").write_bytes(
                        browser.picture(width, min(high, 4000)))
                wide = browser.run("return document.documentElement.scrollWidth")
                require(wide <= width, f"{name}: {wide} wide: "
                        f"{browser.run(TOO_WIDE, width)}")
                words, bad = browser.run(hard_to_read())
                require(words > 20 and not bad, f"{name}: {words} words, {bad}")
                nameless = browser.run(NAMELESS)
                require(not nameless, f"{name}: {nameless}")
        require(not browser.console(), f"console: {browser.console()}")
    print(f"works, moves, and a long run: {stopped}")


if __name__ == "__main__":
    main()
