# SPDX-License-Identifier: MIT
"""page.py: a handout in Markdown as a page that opens from a folder: pictures and
style stand in it, links lead to the site's other pages, and its policy lets no
script run but its own. Read as GitHub reads it, by cmark-gfm."""
import base64
import hashlib
import html
import json
import pathlib
import posixpath
import re
import subprocess

KINDS = {".svg": "image/svg+xml", ".png": "image/png"}
FRAME = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'sha256-{style_hash}'; script-src 'sha256-{script_hash}' 'wasm-unsafe-eval'; \
worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body class="site">
<nav class="labs" aria-label="{pages}">{nav}</nav>
<main>
{body}</main>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


class Trouble(Exception):
    """Why there is no site."""


def name_of(path):
    """The page of a Markdown file: labs/01-naive/GRADING.md, 01-naive-grading.html"""
    lab = re.fullmatch(r"labs/([^/]+)/(README|GRADING)\.md", path)
    if lab:
        return lab[1] + ("-grading" if lab[2] == "GRADING" else "") + ".html"
    return pathlib.PurePosixPath(path).stem + ".html"


def to_html(text):
    done = subprocess.run(
        ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink"],
        input=text, text=True, capture_output=True, check=False)
    if done.returncode:
        raise Trouble(f"cmark-gfm: {done.stderr.strip()}")
    return done.stdout


def with_anchors(text):
    """Headings get GitHub's names (as tools/markdown.py makes them)."""
    seen = set()

    def heading(found):
        words = html.unescape(re.sub(r"<[^>]*>", "", found[2]))
        slug = re.sub(r"[^\w -]", "", words.lower()).replace(" ", "-")
        number = 0
        while slug + (f"-{number}" if number else "") in seen:
            number += 1
        slug += f"-{number}" if number else ""
        seen.add(slug)
        return f'<h{found[1]} id="{html.escape(slug)}">{found[2]}</h{found[1]}>'
    return re.sub(r"<h([1-6])>(.*?)</h\1>", heading, text, flags=re.S)


def with_links(text, page, pages):
    """Links between the site's pages."""
    def link(found):
        target, _, anchor = html.unescape(found[1]).partition("#")
        if re.match(r"[a-z]+:", target) or not target:
            return found[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        if path.startswith("labs/") and path.count("/") == 1:
            path += "/README.md"
        if path.endswith(tuple(KINDS)):  # on the page that shows it
            path, anchor = posixpath.dirname(path) + "/README.md", posixpath.basename(path)
        if path not in pages:
            raise Trouble(f"{page}: a link to {path}, which the site has not")
        return f'href="{html.escape(name_of(path) + (f"#{anchor}" if anchor else ""))}"'
    return re.sub(r'href="([^"]*)"', link, text)


def with_pictures(text, folder):
    """Pictures stand in the page; one that is wide scrolls by itself."""
    def picture(found):
        path = folder / html.unescape(found[1])
        if path.suffix not in KINDS:
            raise Trouble(f"{path}: no picture of a kind that is known")
        packed = base64.b64encode(path.read_bytes()).decode()
        return (f'id="{html.escape(path.name)}" data-picture="{html.escape(path.name)}" '
                f'src="data:{KINDS[path.suffix]};base64,{packed}"')
    return re.sub(r'src="([^":]*)"', picture, text)


def with_wide(text):
    return re.sub(r"<table>(.*?)</table>", r'<div class="wide"><table>\1</table></div>',
                  text, flags=re.S)


def with_places(text, at):
    """A place for each explorable: behind the picture that it moves, and that one's
    caption, or behind the block of code that begins so. at: [(id, place), ...]"""
    for name, place in at:
        if place.endswith((".svg", ".png")):
            found = re.search(rf'<p><img id="[^"]*" data-picture="{re.escape(place)}"[^>]*>'
                              r"</p>\n(?:<p><em>.*?</p>\n)?", text, re.S)
        else:
            found = re.search(rf"<pre><code>{re.escape(html.escape(place, False))}"
                              r".*?</code></pre>\n", text, re.S)
        if not found:
            raise Trouble(f"{name}: there is no {place} in its handout")
        text = (text[:found.end()] + f'<div class="explorable" id="explore-{name}"></div>\n'
                + text[found.end():])
    return text


def in_script(data):
    """JSON that no reader of HTML takes for markup."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    for one in "<>&":
        text = text.replace(one, f"\\u{ord(one):04x}")
    return text


def sha256(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def whole(title, body, nav, data, style, script, words):
    return FRAME.format(
        title=html.escape(title), body=body, nav=nav, data=in_script(data), style=style,
        script=script, style_hash=sha256(style), script_hash=sha256(script),
        language=words.language, pages=words("Pages"))
