# SPDX-License-Identifier: MIT
"""A page that works offline, with the style of reports: markup stands
in literals, each value passes through words(), the policy allows the style sheets
and the script by their SHA-256, pictures that stand in the page, and nothing else."""
import base64
import hashlib
import html
import os
import re
import unicodedata

MOST_WORDS = 300


def words(value):
    """The one way for values into a page."""
    text = str(value)
    if len(text) > MOST_WORDS:
        text = text[:MOST_WORDS - 3] + "..."
    return html.escape("".join(
        "?" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") else c
        for c in text))


class Page:
    def __init__(self, root, title):
        look = os.path.join(root, "grader/report/html")
        self.assets = [(element, open(os.path.join(folder, name), encoding="utf-8").read())
                       for element, folder, name in (
                           ("style", look, "report.css"), ("style", look, "class.css"),
                           ("script", look, "keys.js"))]
        self.parts, self.title = [], title

    def add(self, markup, *values):
        """markup: %s where a value stands, and no other %."""
        pieces = markup.split("%s")
        if len(pieces) != len(values) + 1:
            raise ValueError(f"{len(values)} values for {markup!r}")
        self.parts.append(pieces[0] + "".join(
            words(value) + piece for value, piece in zip(values, pieces[1:])))

    def picture(self, light, dark, what):
        """Two pictures, of which the page shows one."""
        self.parts.append('<figure><div class="wide">')
        for theme, svg in ("light", light), ("dark", dark):
            self.parts.append(f'<img class="{theme}" src="data:image/svg+xml;base64,'
                              + base64.b64encode(svg).decode())
            self.add('" alt="%s">', what)
        self.add("</div><figcaption>%s</figcaption></figure>\n", what)

    def strip(self, states):
        """One cell for each state; neighbours that are alike are one."""
        states = [state if re.fullmatch("[a-z]+", state) else "todo" for state in states]
        self.parts.append(f'<svg class="bar strip" viewBox="0 0 {max(1, len(states))} 10" '
                          'preserveAspectRatio="none" aria-hidden="true">')
        begin = 0
        for at in range(1, len(states) + 1):
            if at == len(states) or states[at] != states[begin]:
                self.parts.append(f'<rect class="{states[begin]}" x="{begin}" '
                                  f'width="{at - begin}" height="10"/>')
                begin = at
        self.parts.append("</svg>")

    def policy(self):
        def hashes(element):
            return " ".join("'sha256-" + base64.b64encode(hashlib.sha256(
                text.encode()).digest()).decode() + "'"
                for of, text in self.assets if of == element)
        return f"default-src 'none'; style-src {hashes('style')}; script-src " \
               f"{hashes('script')}; img-src data:; base-uri 'none'; form-action 'none'"

    def whole(self):
        def put(element):
            return "".join(f"<{element}>{text}</{element}>\n"
                           for of, text in self.assets if of == element)
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{self.policy()}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            '<meta name="referrer" content="no-referrer">\n'
            f"<title>{words(self.title)}</title>\n{put('style')}</head>\n<body>\n"
            + "".join(self.parts) + put("script") + "</body>\n</html>\n")
