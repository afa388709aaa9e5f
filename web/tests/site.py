#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""site.py SITE [PICTURES]: each page of a site (web/site/make.py) in headless Chromium,
opened as a file: every explorable runs and is right as it stands at first, what its
switch takes away makes it wrong or is found, tables move along with their sliders,
nothing is wider than the window at 400 and 1280 pixels, all words are readable, every
control has a name, printed the explorables are away, and the console stays empty.
PICTURES gets a picture of each page. 77: no browser."""
import pathlib
import sys

import browser as engine_page

sys.path.insert(0, str(engine_page.ROOT / "tests/tools"))
import webdriver  # noqa: E402

SECONDS = 120
WIDTHS = 400, 1280
LABS = {"00-cpu-scan": "chunks", "01-naive": "steps", "02-work-efficient": "tournament",
        "03-bank-conflicts": "strides", "04-shared-tiled": "rake", "05-chained": "baton",
        "06-lookback": "ask_back", "07-sam": "rounds", "08-applications": "places"}
# What makes it wrong: switches that are set, and the finding's kind.
BROKEN = {
    "chunks": ({"waits": 0, "order": "reverse"}, "race"),
    "steps": ({"parted": 0, "order": "random"}, "race"),
    "tournament": ({"n": "64", "parted": 0, "order": "random"}, "race"),
    "baton": ({"fences": 0, "memory": "weak"}, "race"),
    "rounds": ({"fences": 0, "memory": "weak"}, "race"),
    "places": ({"waits": 0}, "race"),
}
SET = """
const [name, chosen] = arguments, all = document.getElementById("explore-" + name);
all.querySelector(".filled").textContent = "";
for (const [key, value] of Object.entries(chosen)) {
    const input = all.querySelector(`[name="${key}"]`);
    if (input.type === "checkbox") input.checked = Boolean(value);
    else if (input.type === "range") input.value = input.max;
    else input.value = value;
    input.dispatchEvent(new Event(input.type === "range" ? "input" : "change"));
}
"""
SAID = ("const one = document.getElementById('explore-' + arguments[0])"
        ".querySelector('.filled'); return one.innerText;")


def require(holds, what):
    if not holds:
        sys.exit(what)


def ended(browser, name):
    script = (f"const one = document.getElementById('explore-{name}')"
              ".querySelector('.filled .right, .filled .fault'); return Boolean(one);")
    require(browser.until(script, SECONDS),
            f"{name} does not run: {browser.run(SAID, name)} {browser.console()}")
    return browser.run(SAID, name)


def runs(browser, name):
    browser.run("document.getElementById('explore-' + arguments[0]).scrollIntoView()", name)
    said = ended(browser, name)
    require("The answer is right." in said and "It was lucky" not in said,
            f"{name}: {said[:300]}")
    require(browser.run("return document.querySelectorAll("
                        "'.replay .board svg').length") == 1, f"{name} has no replay")
    if name in BROKEN:
        chosen, kind = BROKEN[name]
        browser.run(SET, name, chosen)
        said = ended(browser, name)
        require(kind in said, f"{name} with {chosen}: {said[:300]}")


def moves(browser, page):
    """The tables."""
    for name in "depth", "t", "bounds":
        there = browser.run("return Boolean(document.querySelector("
                            "`#explore-${arguments[0]} table`))", name)
        if not there:
            continue
        text = ("return document.querySelector(`#explore-${arguments[0]} table`)"
                ".innerText")
        first = browser.run(text, name)
        browser.run("const i = document.querySelector(`#explore-${arguments[0]} input`);"
                    "i.value = i.value === '0' ? i.max : 0;"
                    "i.dispatchEvent(new Event('input'))", name)
        require(browser.run(text, name) != first, f"{page}: {name} does not move")


def looks(browser, path, pictures):
    for width in WIDTHS:
        for theme in "light", "dark":
            browser.open(path, width, 1400, theme)
            if path.stem in LABS:
                browser.run("document.getElementById('explore-' + arguments[0])"
                            ".scrollIntoView()", LABS[path.stem])
                ended(browser, LABS[path.stem])
            name = f"{path.stem}-{width}-{theme}"
            if pictures:
                high = browser.run("return document.documentElement.scrollHeight")
                (pictures / f"{name}.png").write_bytes(
                    browser.picture(width, min(high, 9000)))
            wide = browser.run("return document.documentElement.scrollWidth")
            require(wide <= width, f"{name}: {wide} wide: "
                    f"{browser.run(engine_page.TOO_WIDE, width)}")
            words, bad = browser.run(engine_page.hard_to_read())
            require(words > 20 and not bad, f"{name}: {words} words, {bad}")
            nameless = browser.run(engine_page.NAMELESS)
            require(not nameless, f"{name}: {nameless}")


def prints(browser, path):
    browser.open(path, 800, 1200)
    browser.media("light", "print")
    left = browser.run("return [...document.querySelectorAll('.explorable, nav')]"
                       ".filter((e) => e.checkVisibility()).length")
    require(left == 0, f"{path.name}: printed, {left} explorables are left")


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if pictures:
        pictures.mkdir(exist_ok=True)
    try:
        browser = webdriver.Browser()
    except webdriver.Missing as missing:
        print(f"SKIP: {missing}")
        sys.exit(77)
    pages = sorted(path for path in site.glob("*.html") if path.name != "engine.html")
    with browser:
        for path in pages:
            if path.stem in LABS:
                browser.open(path, 1280, 1400)
                moves(browser, path.name)
                runs(browser, LABS[path.stem])
            prints(browser, path)
            looks(browser, path, pictures)
            require(not browser.console(), f"{path.name}: console: {browser.console()}")
    require(len(LABS) == sum(path.stem in LABS for path in pages), "a lab has no page")
    print(f"{len(pages)} pages, {len(LABS)} explorables run")


if __name__ == "__main__":
    main()
