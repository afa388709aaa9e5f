# SPDX-License-Identifier: MIT
"""page_data.py: what stands in a page (docs/parts.md, "Pages"), read without a
browser: its data, and its words for where no script runs."""
import html
import json
import re


def data(text):
    """The value of the page's view; text: the page."""
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text,
                       re.S)
    if len(found) != 1:
        raise ValueError(f"{len(found)} data")
    if re.search("[<>&\u2028\u2029]", found[0]):
        raise ValueError("data that may be taken for markup")
    whole = json.loads(found[0])
    return whole[whole["view"]]


def texts(value):
    """All texts in it, but keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


def without_scripts(text):
    """What a reader sees where scripts are stripped."""
    bare = re.sub(r"(?s)<(script|style)\b.*?</\1>", "", text)
    found = re.findall(r'(?s)<body>\s*<pre id="text" tabindex="0">\n(.*?)</pre>\s*</body>',
                       bare)
    if len(found) != 1:
        raise ValueError(f"{len(found)} blocks of text, and nothing else")
    if "<" in found[0]:
        raise ValueError("markup in the text")
    return html.unescape(found[0])


def said(text):
    """The texts of the data, and the text."""
    return "\n".join([*texts(data(text)), without_scripts(text)])
