#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""browser.py SCANLAB PAGES OUT: HTML reports in headless Chromium: those that
test_html.c left in PAGES, and of ten wrong submissions, which are graded here.
No page says anything on the console, is wider than its window or has words that
are hard to read; hostile words stay words; keys, folding and print work. How the
pages look is compared with looks/*.png; SCANLAB_UPDATE_GOLDEN=1 writes these
anew. OUT gets a picture of each at three widths."""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOOKS = pathlib.Path(__file__).resolve().parent / "looks"
sys.path.insert(0, str(ROOT / "tests/tools"))
from graded import handed_in  # noqa: E402
import webdriver  # noqa: E402

WIDTHS, HEIGHT, THEMES = (400, 900, 1400), 1800, ("light", "dark")
KEY = {"left": "\ue012", "right": "\ue014", "home": "\ue011", "down": "\ue015"}
SCALE = .08  # of the pictures that are compared
# The largest difference of a tile's brightness, of 255: letters of another kind
# make up to 5, bars that are missing 5.3 to 14, another layout 7 to 27.
FAR = 5.2
MUTANTS = {
    "cpu-scan": ["inclusive-leaves-itself-out"],
    "naive": ["in-place", "guard-lets-n-through", "copies-back"],
    "work-efficient": ["root-not-cleared"],
    "bank-conflicts": ["formula-as-printed"],
    "shared-tiled": ["no-barrier-after-writing", "scratch-leaked"],
    "chained": ["no-fence-for-the-reader"],
    "lookback": ["never-publishes"],
}
# WCAG 2.2: the words that are shown, with less contrast than 4.5 to 1.
HARD_TO_READ = """
const rgb = (s) => s.match(/[\\d.]+/g).map(Number);
const light = (c) => c.slice(0, 3).map((v) => v / 255)
    .map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const behind = (e) => {
    for (; e; e = e.parentElement) {
        const c = rgb(getComputedStyle(e).backgroundColor);
        if (c.length < 4 || c[3] > 0) return c;
    }
    return null;
};
const bad = [], walk = document.createTreeWalker(document.body,
                                                 NodeFilter.SHOW_TEXT);
let words = 0;
for (let node; (node = walk.nextNode());) {
    const e = node.parentElement;
    if (!node.data.trim() || !e.checkVisibility() ||
        e.closest("script, style, svg")) continue;
    const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    words++;
    if (ratio < 4.5) bad.push([e.className, ratio, node.data.slice(0, 40)]);
}
return [words, bad.slice(0, 5)];
"""
TOO_WIDE = """
return [...document.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().right > arguments[0] &&
                   !e.closest(".wide, pre"))
    .map((e) => e.tagName + "." + e.getAttribute("class") + " " +
                e.textContent.slice(0, 60));
"""
# Elements and their attributes, but lines of a source and of a box, which words may
# add.
DRAWN = """
return [...document.body.querySelectorAll("*")].filter((e) => !e.matches(
        ".line, .word, .waiting text, .waiting a"))
    .map((e) => [e.tagName, ...e.getAttributeNames().sort()].join(" "));
"""
FOCUS = "return document.activeElement.closest('details.check')?.id || ''"


def require(holds, what):
    if not holds:
        sys.exit(what)


def grade(scanlab, out, lab, mutant):
    """The pages of a submission with one fault, and what it is graded."""
    where = out / f"{lab}.{mutant}"
    where.mkdir()
    patch = ROOT / f"tests/mutants/{lab}/{mutant}.patch"
    source = next(ROOT.glob("reference/" + lab.replace("-", "_") + ".*"))
    shutil.copy(source, where)
    subprocess.run(["patch", "--silent", where / source.name, patch],
                   check=True)
    handed_in(where)
    page = out / f"{lab}.{mutant}.html"
    done = subprocess.run(
        [scanlab, "grade", lab, "--submission", where, "--seed", "1",
         "--device", "vgpu", "--report", f"html={page}", "--report", "json=-"],
        cwd=ROOT, text=True, stdout=subprocess.PIPE, check=False)
    require(done.returncode == 1, f"{page.name}: status {done.returncode}")
    return page, json.loads(done.stdout)["labs"][0]


def says_what_failed(browser, page, lab):
    """The first failure, and it alone, is open, with the message of JSON."""
    first = next(c for c in lab["checks"] if c["status"] == "fail")
    browser.open(page)
    shown = browser.run("return [...document.querySelectorAll("
                        "'details.check[open]')].map(e => [e.id, e.innerText])")
    require([s[0] for s in shown] == [f"{lab['id']}-{first['id']}"],
            f"{page.name}: open are {[s[0] for s in shown]}")
    words = " ".join(shown[0][1].split())
    for said in re.split(r"(?<=\.) (?=[A-Z]|out\[)|\n", first["message"]):
        require(said in words, f"{page.name}: '{said}' is not in: {words}")
    place = first["outcome"]["place"]
    if place and place["line"]:
        # Where a change mends it, that line comes first, and this is another.
        kinds = ".line.here" if first["outcome"]["repair"] is None else ".line.there"
        marked = browser.run(
            "return [...document.querySelectorAll('details[open] figure ' + "
            "arguments[0])].map((e) => Number(e.dataset.line))", kinds)
        require(place["line"] in marked, f"{page.name}: lines {marked}")


def looks_right(browser, page, out):
    for width in WIDTHS:
        for theme in THEMES:
            name = f"{page.stem}-{width}-{theme}"
            browser.open(page, width, HEIGHT, theme)
            (out / f"{name}.png").write_bytes(browser.picture(width, HEIGHT))
            for opened in (False, True):
                if opened:
                    browser.run("for (const e of document.querySelectorAll("
                                "'details')) e.open = true")
                wide = browser.run("return document.documentElement"
                                   ".scrollWidth")
                require(wide <= width, f"{name}: {wide} wide; all open: "
                        f"{opened}; {browser.run(TOO_WIDE, width)}")
            words, bad = browser.run(HARD_TO_READ)
            require(words > 20 and not bad, f"{name}: {words} words, {bad}")
    require(not browser.console(), f"{page.name}: {browser.console()}")


def compare(browser, page):
    for width in WIDTHS:
        for theme in THEMES:
            name = f"{page.stem}-{width}-{theme}.png"
            browser.open(page, width, HEIGHT, theme)
            png = browser.steady(width, HEIGHT, SCALE)
            if os.environ.get("SCANLAB_UPDATE_GOLDEN"):
                (LOOKS / name).write_bytes(png)
            old = webdriver.tiles((LOOKS / name).read_bytes())
            far = max(abs(a - b) for a, b in zip(old, webdriver.tiles(png)))
            print(f"{name}: {far:.2f}")
            require(far <= FAR, f"{name} looks otherwise: {far:.1f}; look at "
                    "it, and if it is as it should be, write it anew")


def stays_words(browser, pages):
    for kind in ("source-", "pictures-", ""):
        scripts, shapes = [], []
        for page in (f"{kind}plain.html", f"{kind}hostile.html"):
            browser.open(pages / page)
            scripts.append(browser.run(
                "return document.querySelectorAll("
                "'script, img, [onload], [onerror]').length"))
            shapes.append(browser.run(DRAWN))
        require(scripts[0] == scripts[1], f"{kind} scripts, images: {scripts}")
        require(shapes[0] == shapes[1] and len(shapes[0]) > 100,
                f"{kind}: words have changed what is drawn")
        require(not browser.console(), f"{kind} words reach the console")
    require(browser.run("return document.body.textContent.includes("
                        "'</script><script>alert(1)</script>')"),
            "hostile words are not shown")
    require(not browser.console(), "hostile words reach the console")


PICTURES = """
document.querySelectorAll("details.check").forEach((e) => { e.open = true; });
const count = (what) => document.querySelectorAll(what).length;
return {kept: count(".life.kept"), freed: count(".life:not(.kept)"),
        away: count(".lane.away"), boxes: count(".waiting .who"),
        ways: [...document.querySelectorAll(
            ".life a, .lanes a, .waiting a, .line .back")].map((a) => {
            const to = document.getElementById(a.getAttribute("href").slice(1));
            return [a.closest(".line") ? "back" : "there", Boolean(to) &&
                to.closest("details.check") === a.closest("details.check") &&
                Boolean(a.closest(".line") ? to.matches("h3")
                                           : to.matches(".line"))];
        })};
"""


def pictures_lead_to_lines(browser, pages):
    """Each picture is drawn; it leads to lines of its check, and these back."""
    browser.open(pages / "pictures-plain.html", 1280)
    seen = browser.run(PICTURES)
    ways = seen.pop("ways")
    require(seen == {"kept": 2, "freed": 1, "away": 8 + 16 + 1, "boxes": 6},
            f"pictures: {seen}")
    for kind in "there", "back":
        mine = [good for which, good in ways if which == kind]
        require(len(mine) >= 8 and all(mine), f"ways {kind}: {mine}")
    for width in (360, 1920):
        browser.open(pages / "pictures-plain.html", width)
        browser.run(PICTURES)
        wide = browser.run("return document.documentElement.scrollWidth")
        require(wide <= width, f"pictures at {width}: {wide} wide")


def keys_work(browser, page):
    browser.open(page)
    browser.press("Tab")
    require(browser.run("const r = document.activeElement"
                        ".getBoundingClientRect(); return r.left >= 0 && "
                        "document.activeElement.className === 'jump'"),
            "the first tab does not show the link to the labs")
    seen = []
    for key in "fjkj":  # past what does not open
        browser.press(key)
        seen.append(browser.run(FOCUS))
    require(seen == ["naive-one-block", "naive-clean", "naive-one-block",
                     "naive-clean"], f"f j k j: {seen}")
    browser.run("document.activeElement.blur()")
    browser.press("n")
    require(browser.run(FOCUS) == "naive-one-block", f"n leads to {browser.run(FOCUS)}")
    browser.run("document.activeElement.blur()")
    browser.press("h")
    require(browser.run("return document.querySelector('details.check.fail .hint').open"),
            "h opens no hint")
    browser.press("h")
    require(browser.run("return document.querySelectorAll('.hint[open]').length") > 0,
            "a second h closes the hint")
    browser.run("document.querySelector('#naive-clean > summary').focus()")
    is_open = "return document.getElementById('naive-clean').open"
    for wanted in (True, False):
        browser.press("Enter")
        require(browser.run(is_open) is wanted, f"Enter: open is not {wanted}")
    require(browser.run("return getComputedStyle(document.activeElement)"
                        ".outlineStyle") != "none", "focus cannot be seen")
    for wanted in (True, False):
        browser.press("a")
        require(browser.run("return [...document.querySelectorAll("
                            "'details.check')].every(e => e.open === "
                            "arguments[0])", wanted), f"a: {wanted}")
    require(browser.run("return document.querySelector('.lab').open"), "a folds a lab")
    require(browser.run(FOCUS) == "naive-clean", f"a leaves the focus at {browser.run(FOCUS)}")
    colours = []
    for key in "tt":
        browser.press(key)
        colours.append(browser.run("return getComputedStyle(document.body)"
                                   ".backgroundColor"))
    require(len(set(colours)) == 2, f"t: {colours}")
    browser.run("location.hash = '#naive-clean'")
    require(browser.until("return document.getElementById('naive-clean')"
                          ".open"), "an address opens nothing")
    browser.run("document.querySelector('details[open] .copy').click()")
    require(browser.until("return /Copied|Selected/.test(document"
                          ".querySelector('details[open] .copy').textContent)"),
            "the command is not copied")


def stub_has_keys(browser, scanlab, out):
    """Where nothing failed, n leads to what is to do; the page says what was read, how
    much is skipped, and breaks the command between words."""
    page = out / "stub.html"
    subprocess.run([scanlab, "grade", "naive", "-s", ROOT / "student", "--seed", "1",
                    "--report", f"html={page}"], cwd=ROOT, check=False,
                   stdout=subprocess.DEVNULL)
    for width in 360, 1280:
        browser.open(page, width)
        seen = []
        for key in "nf":
            browser.press(key)
            seen.append(browser.run(FOCUS))
        require(seen == ["naive-tiny", "naive-exclusive"], f"n f of a stub: {seen}")
        require("student/naive.cu" in browser.run(
            "return document.querySelector('header .note').textContent"), "no file's name")
        worth = browser.run("return [...document.querySelectorAll('.together > summary .points')]"
                            ".map((e) => Number(e.textContent.split('/')[1]))")
        require(len(worth) > 1 and sum(worth) + 8 + 9 == 100, f"skipped: {worth}")
        command = "document.querySelector('.again code')"
        require(browser.run(f"return {command}.textContent") ==
                browser.run(f"return [...{command}.querySelectorAll('.word')]"
                            ".map((e) => e.textContent).join(' ')"), "words of the command")
        require(browser.run(f"return [...{command}.querySelectorAll('.word')].every((e) => "
                            "e.textContent.length > 30 || e.getBoundingClientRect().height < 30)"),
                f"{width}: the command breaks within a word")
    looks_right(browser, page, out)


def source_works(browser, scanlab, where, out):
    """The page of a source: its hot lines by keys and links, PTX on demand."""
    page = out / "source.html"
    subprocess.run([scanlab, "profile", "naive", "--submission", where, "-n",
                    "1000", "--seed", "1", "-o", page], cwd=ROOT, check=False)
    looks_right(browser, page, out)
    compare(browser, page)
    browser.open(page, 900)
    hot = browser.run("return [...document.querySelectorAll('tr.hot')]"
                      ".map((e) => e.id)")
    seen = []
    for key in "jjk":
        browser.press(key)
        seen.append(browser.run("return document.activeElement.id"))
    require(len(hot) > 1 and seen == [hot[0], hot[1], hot[0]],
            f"hot {hot}, j j k: {seen}")
    for wanted in (True, False):
        browser.press("a")
        require(browser.run("return [...document.querySelectorAll('.ptx')]"
                            ".every((e) => e.open === arguments[0])", wanted),
                f"a: {wanted}")
    browser.run("document.querySelector('th.place a').click()")
    require(browser.until("return document.querySelector('tr:target')"),
            "a link leads to no line")
    said = "return document.querySelector('.timeline-said').textContent"
    browser.run("document.querySelector('.timeline-board').focus()")
    browser.press(KEY["right"])
    first = browser.run(said)
    require("waits for" in first, f"a key chooses no wait: {first}")
    browser.press(KEY["down"])
    require(browser.run(said) != first, "a key leads to no other block")
    browser.run("document.querySelector('.timeline-board .phase.runs').dispatchEvent("
                "new MouseEvent('click', {bubbles: true}))")
    require(re.search(r"Block \d+ on SM \d+, warp \d+: runs", browser.run(said)),
            f"a click chooses nothing: {browser.run(said)}")
    shown = "return document.querySelector('.timeline-board svg').getAttribute('aria-label')"
    whole = browser.run(shown)
    browser.press("+")
    require(browser.run(shown) != whole, "plus zooms nothing")
    browser.press(KEY["home"])
    require(browser.run(shown) == whole, f"Home does not show all: {browser.run(shown)}")
    browser.media("light", "print")
    require(not browser.run("return [...document.querySelectorAll('.ptx')]"
                            ".some((e) => e.checkVisibility())"),
            "PTX that nobody opened is printed")


def replay_works(browser, page):
    """The page of an update in place: it opens at the guilty read, moves by keys,
    and the other order has no guilty read. As wide as the window in which it is."""
    guilty = ("return document.querySelector('.replay')"
              ".querySelectorAll('.arrow.guilty').length")
    where = "return document.querySelector('.replay .where').textContent"
    why = "return document.querySelector('.replay .fault').textContent"
    for width in 360, 1280:
        browser.open(page, width, 800)
        require(browser.until(guilty), f"{width}: no guilty read is shown")
        require(re.search(r"Thread \d+ finds -?\d+ in d_out.* is right", browser.run(why)),
                f"{width}: {browser.run(why)}")
        box = browser.run("const b = document.querySelector('.replay .board svg')"
                          ".getBoundingClientRect(); return [b.left, b.right]")
        require(0 <= box[0] < box[1] <= width, f"{width}: the board is at {box}")
    require(browser.run("return document.querySelector('.replay')"
                        ".querySelectorAll('.ghost').length") == 1,
            "the right value stands beside the wrong one")
    require(browser.run("return document.querySelector('.numbers-of-steps .damaged')"
                        ".hasAttribute('aria-current')"), "it opens in another step")
    browser.run("document.querySelector('.replay input[type=range]').focus()")
    at = int(re.match(r"Moment (\d+)", browser.run(where))[1])
    for key, wanted in ((KEY["right"], at + 1), (KEY["left"], at), (KEY["home"], 1)):
        browser.press(key)
        require(browser.run(where).startswith(f"Moment {wanted} of"),
                f"a key leads to {browser.run(where)}, not {wanted}")
    browser.press("p")
    require(browser.until("return !document.querySelector('.replay .where').textContent"
                          ".startsWith('Moment 1 of')"), "p plays nothing")
    browser.press("p")
    browser.run("document.querySelector('.numbers-of-steps .damaged').click()")
    require(browser.run(guilty) == 1, "the damaged step's number leads elsewhere")
    browser.run("document.querySelector('.replay')"
                ".querySelectorAll('.orders input')[1].click()")
    require(not browser.run(guilty), "in the right order a read is guilty")
    require(not browser.console(), f"{page.name}: {browser.console()}")


def marks_without_colours(browser, page):
    browser.open(page, 1280)
    browser.devtools("Emulation.setEmulatedMedia", features=[
        {"name": "forced-colors", "value": "active"}])
    edges = browser.run("return ['.line.here', 'figcaption.here', '.replay .wrong rect']"
                        ".map((s) => document.querySelector(s)).map((e) => e && "
                        "(parseFloat(getComputedStyle(e).borderLeftWidth) || "
                        "parseFloat(getComputedStyle(e).strokeWidth)))")
    require(all(e and e >= 3 for e in edges), f"edges of marks: {edges}")


def prints_few_pages(browser, page):
    browser.open(page, 1280)
    printed = base64.b64decode(browser.devtools("Page.printToPDF")["data"])
    pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    require(0 < pages < 8, f"{page.name}: {pages} pages of paper")


def prints_all(browser, page):
    """Also where no script opens it."""
    browser.open(page)
    seen = "return document.querySelector('#naive-clean .body').checkVisibility()"
    require(not browser.run(seen), "folded, and yet there")
    browser.media("light", "print")
    require(browser.run(seen), "folded on paper")


def reads_without_scripts(browser, page, out):
    """As some learning systems show it, which strip scripts, and styles."""
    for name, tags in ("scripts", "script"), ("styles", "script|style"):
        bare = out / f"without-{name}.html"
        bare.write_text(re.sub(rf"(?s)<({tags})\b.*?</\1>", "", page.read_text()))
        browser.open(bare)
        shown = browser.run("return document.body.innerText")
        for word in ("FAIL", "one-block", "Lab 1", "reproduce"):
            require(word.lower() in shown.lower(), f"without {name}: no {word}: {shown[:300]}")
        (out / f"without-{name}.png").write_bytes(browser.picture(900, 900))
    browser.open(page)
    require(not browser.run("return document.getElementById('text').checkVisibility()"),
            "the text stands beside what is drawn")


def main():
    scanlab, pages, out = (pathlib.Path(a) for a in sys.argv[1:])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    try:
        with webdriver.Browser() as browser:
            stays_words(browser, pages)
            pictures_lead_to_lines(browser, pages)
            keys_work(browser, pages / "mixed.html")
            prints_all(browser, pages / "mixed.html")
            reads_without_scripts(browser, pages / "mixed.html", out)
            compare(browser, pages / "mixed.html")
            for name in ("mixed", "full", "words", "hostile"):
                looks_right(browser, pages / f"{name}.html", out)
            looks_right(browser, pages / "source-hostile.html", out)
            for lab, mutants in MUTANTS.items():
                for mutant in mutants:
                    page, graded = grade(scanlab, out, lab, mutant)
                    says_what_failed(browser, page, graded)
                    prints_few_pages(browser, page)
                    looks_right(browser, page, out)
            replay_works(browser, out / "naive.in-place.html")
            marks_without_colours(browser, out / "naive.in-place.html")
            stub_has_keys(browser, scanlab, out)
            source_works(browser, scanlab, out / "naive.in-place", out)
    except webdriver.Missing as why:
        print(f"SKIP: {why}")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
