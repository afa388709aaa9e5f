#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make.py OUT [LAB...] [--course DIR] [--built DIR] [--nvcc PATH]: the handouts as a
static site in the folder OUT, which opens from where it lies: a page for each lab and
its grading, the glossary, an index. A picture that a teaching kernel belongs to
(web/site/kernels) runs beside itself. DIR of --built is build/wasm/web, what `make web`
has built; without it the pages have their tables and no engine. With a course the
handouts are what students of it get (tools/release.py), without its hidden checks;
those that the course has written in its language have words and sliders in it.
What was in OUT before is removed, if it was a site. It is searched for solutions
(tools/leaks.py), pages and PTX, too.

Exit status: 0 written; 2 not written, and the message says why.
"""
import argparse
import gzip
import base64
import os
import pathlib
import re
import shutil
import sys
import tempfile

import explore
import page
from page import Trouble
from words import Words, of_course

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path += [str(ROOT / "tools"), str(ROOT / "web")]
import assemble  # noqa: E402
import markdown  # noqa: E402
import release  # noqa: E402

REPORT = ROOT / "grader/report/html"
STYLES = [REPORT / "report.css", REPORT / "replay.css", HERE / "site.css"]
ENGINE = [ROOT / "web/js/device.js", ROOT / "web/js/engine.js"]
SCRIPTS = [REPORT / "base.js", REPORT / "replay_data.js", REPORT / "replay.js",
           ROOT / "web/page/recorded.js",
           *(HERE / f"js/{name}.js" for name in
             "formulas controls numbers request drawn explorable site".split())]
MARK = "index.html"
# A block may have this many elements in lab 3; elsewhere sizes have no such end.
MOST_POWER = {"bank-conflicts": 12}


def say(words):
    print(f"site: {words}", file=sys.stderr)


# ---- what the site is made of: what students get ----

def copy_pages(names, course, out):
    files = release.git(ROOT, "ls-files", "-co", "--exclude-standard", "-z").split("\0")
    labs = release.choose(release.read_labs(files), names)
    if course:
        release.read_course(course)
        labs = release.offered(labs, course, bool(names))
    (out / "docs").mkdir()
    shutil.copy(ROOT / "docs/glossary.md", out / "docs")
    for lab in labs:
        for name in files:
            if name.startswith(f"labs/{lab.folder}/") and release.is_like(
                    name.split("/", 2)[2], release.IN_A_LAB) and (ROOT / name).exists():
                (out / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, out / name)
    if course:
        release.lay_over(course, labs, out)
    return labs


def mended(out):
    """{path: text}: links to what the site has not are text, also to a header."""
    pages = {}
    here = os.getcwd()
    os.chdir(out)
    try:
        for path in sorted(pathlib.Path(".").rglob("*.md")):
            lines = [line if is_code else markdown.LINK.sub(
                only_pages, release.mend_line(line, path))
                for line, is_code in markdown.lines_of(path)]
            pages[path.as_posix()] = "\n".join(lines) + "\n"
    finally:
        os.chdir(here)
    return pages


def only_pages(link):
    target = link[1].partition("#")[0]
    is_kept = re.match(r"[a-z]+:", target) or not target or \
        target.endswith((".md", ".svg", ".png"))
    return link[0] if is_kept else link[0][1:link[0].rindex("](")]


# ---- the engine ----

def engine_of(built):
    """What a page with kernels has of it: scripts, and data."""
    if not built:
        return "", {}
    worker, _ = assemble.engine(built, ROOT / "web")
    packed = gzip.compress((built / "core.wasm").read_bytes(), 9, mtime=0)
    core = (built / "core.js").read_text()
    return core + "\n" + text_of(ENGINE), {
        "worker": worker, "wasm": base64.b64encode(packed).decode()}


def text_of(paths):
    return "\n".join(path.read_text() for path in paths)


# ---- pages ----

def title_of(text):
    return re.search(r"^# (.*)$", text, re.M)[1]


def navigation(pages, here, has_engine, words):
    links = [("index.html", "ScanLab")]
    links += [(page.name_of(path), re.match(r"\d+", path.split("/")[1])[0].lstrip("0") or "0")
              for path in pages if path.endswith("/README.md")]
    links.append(("glossary.html", words("Glossary")))
    if has_engine:
        links.append(("engine.html", words("Engine")))
    text = []
    for target, said in links:
        more = ' aria-current="page"' if target == here else ""
        name = words("Lab %s").replace("%s", said)
        more += f' aria-label="{name}"' if said.isdecimal() else ""
        text.append(f'<a href="{target}"{more}>{said}</a>')
    return " ".join(text)


def explorables(lab, text, folder, kernels, has_engine, words):
    """What moves in a lab's handout: data, and where it stands. A course's own handout
    may be without the picture."""
    own = [words.kernel(k) for k in kernels if k["lab"] == lab.folder and f"]({k['at']})" in text] \
        if has_engine else []
    data = {"lab": lab.id, "mostPower": MOST_POWER.get(lab.id, 22), "kernels": own,
            "depths": words.depths(explore.depths(lab.id)), "kModel": explore.k_model(text),
            "bounds": explore.bounds(folder / "lab.ini")}
    return {key: value for key, value in data.items() if value}, \
        [(k["name"], k["at"]) for k in own]


def body_of(path, text, folder, pages, at):
    body = page.with_pictures(page.to_html(text), folder)
    body = page.with_places(page.with_wide(body), at)
    return page.with_links(page.with_anchors(body), path, pages)


def with_tables(body, data):
    """Places of the tables that move: behind the tables of the handout."""
    for name, key, after in (
            ("depth", "depths", r'id="depth-and-work".*?</div>\n(?:<p>\(depth on .*?</p>\n)?'),
            ("t", "kModel", r"<pre><code>T = .*?</code></pre>\n"),
            ("bounds", "bounds", r'id="what-is-graded".*?(?=<h2 |<details>)')):
        found = key in data and re.search(after, body, re.S)
        if found:
            body = (body[:found.end()] + f'<div class="explorable" id="explore-{name}">'
                    "</div>\n" + body[found.end():])
        elif key in data:
            del data[key]
    return body


def handout(lab, out, pages, kernels, engine, style, words):
    path = f"labs/{lab.folder}/README.md"
    folder = out / f"labs/{lab.folder}"
    data, at = explorables(lab, pages[path], folder, kernels, bool(engine[0]), words)
    body = with_tables(body_of(path, pages[path], folder, pages, at), data)
    runs = bool(data.get("kernels"))
    script = (engine[0] if runs else "") + text_of(SCRIPTS)
    said, found = words.data()
    return page.whole(title_of(pages[path]), body,
                      navigation(pages, page.name_of(path), bool(engine[0]), words),
                      {**({"words": said} if said else {}),
                       "site": {**data, **found, **(engine[1] if runs else {})}},
                      style, script, words)


def still(path, out, pages, has_engine, style, words):
    """A page on which nothing moves."""
    body = body_of(path, pages[path], (out / path).parent, pages, [])
    return page.whole(title_of(pages[path]), body,
                      navigation(pages, page.name_of(path), has_engine, words), {}, style,
                      "", words)


def index_of(labs, pages, has_engine, style, words):
    rows = ""
    for lab in labs:
        text = pages[f"labs/{lab.folder}/README.md"]
        first = re.search(r"^# .*\n\n((?:.+\n)+)", text, re.M)
        rows += (f"* [{title_of(text)}](labs/{lab.folder}/README.md)  \n"
                 f"  {' '.join(first[1].split()) if first else ''}\n\n")
    text = ("# ScanLab\n\n" + words("Parallel prefix scans on GPUs: the handouts. Pictures "
            "with sliders run, on a virtual GPU that is a program in the page; nothing is "
            "loaded, and nothing is sent anywhere.") + "\n\n" + rows +
            words("The [glossary](docs/glossary.md) has the words.") + "\n")
    body = page.with_links(page.to_html(text), "index.md", pages)
    return page.whole("ScanLab", body, navigation(pages, "index.html", has_engine, words),
                      {}, style, "", words)


def write(labs, source, out, built, nvcc, course):
    pages = mended(source)
    style = text_of(STYLES)
    engine = engine_of(built)
    kernels = explore.kernels(nvcc if built else None)
    readme = {f"labs/{lab.folder}/README.md": lab for lab in labs}
    english, own = Words("en"), Words(of_course(course))
    for path in pages:
        is_own = course and (course / path.removeprefix("labs/")).exists()
        words = own if is_own else english
        text = handout(readme[path], source, pages, kernels, engine, style, words) \
            if path in readme else still(path, source, pages, bool(built), style, words)
        (out / page.name_of(path)).write_text(text)
    (out / MARK).write_text(index_of(labs, pages, bool(built), style, own))
    if built:
        shutil.copy(ROOT / "build/web/index.html", out / "engine.html")
    return len(pages) + 1


def make(given):
    out = given.out.absolute()
    if out.exists() and not (out / MARK).exists() and any(out.iterdir()):
        raise Trouble(f"{out} is there, and no site")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent) as work:
        source, fresh = pathlib.Path(work, "source"), pathlib.Path(work, "site")
        source.mkdir()
        fresh.mkdir()
        course = given.course and given.course.absolute()
        labs = copy_pages(given.labs, course, source)
        n = write(labs, source, fresh, given.built, given.nvcc, course)
        release.search(fresh)
        shutil.rmtree(out, ignore_errors=True)
        fresh.rename(out)
    return f"{n} pages of {len(labs)} labs, no solution found"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("labs", nargs="*")
    parser.add_argument("--course", type=pathlib.Path)
    parser.add_argument("--built", type=pathlib.Path)
    parser.add_argument("--nvcc")
    given = parser.parse_intermixed_args()
    if given.nvcc:
        os.environ["SCANLAB_NVCC"] = given.nvcc
    try:
        words = make(given)
    except (Trouble, release.Trouble, release.leaks.Trouble, OSError) as trouble:
        say(trouble)
        return 2
    say(f"{given.out}: {words}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
