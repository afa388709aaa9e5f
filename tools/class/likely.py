# SPDX-License-Identifier: MIT
"""Which file may be a lab's source although it is not called so: one that defines one of the
lab's functions, whatever its name ends with. Nothing is parsed; time is in proportion to what
is read, whatever it is."""
import html
import re

MOST = (1 << 20) - 1             # bytes of a file
MOST_ALL = 8 << 20               # of all such files of a submission
MOST_PLACES, MOST_HEAD = 1000, 2000  # where a name stands; from it to its brace
ENDS = re.compile(rb"[;{}]")
WORD = re.compile(rb"\w")
BLANK = b"\0 \t\r\n\v\f"
TAG = re.compile(r"<(/?)(\w{1,10})\b[^<>]{0,300}>")
LONG_NUMBER = re.compile(r"&#[xX]?[0-9a-fA-F]{9,};?")  # no character; int() refuses it
BREAKS = {"br", "p", "div", "li", "pre", "tr"}


def plain(data):
    """UTF-16 with its mark as UTF-8."""
    return data.decode("utf-16", "replace").encode() \
        if data[:2] in (b"\xff\xfe", b"\xfe\xff") else data


def is_blank(data):
    """No byte of it says anything."""
    return not plain(data).removeprefix(b"\xef\xbb\xbf").strip(BLANK)


def places(data, name):
    """What stands behind a name, wherever it is a whole word."""
    at = data.find(name)
    for _ in range(MOST_PLACES):
        if at < 0:
            return
        end = at + len(name)
        if not WORD.match(data, end) and not (at and WORD.match(data, at - 1)):
            yield data[end:end + MOST_HEAD]
        at = data.find(name, end)


def defines(data, symbols):
    """Is one of these functions defined there: its name, what it takes, a brace?"""
    data = plain(data)
    for symbol in symbols:
        for text in places(data, symbol.encode()):
            found = ENDS.search(text)
            head = text[:found.start()].strip() if found else b""
            # In `if (f(x)) {` one more is closed than opened.
            if found and found[0] == b"{" and head.startswith(b"(") and \
                    head.count(b"(") == head.count(b")"):
                return True
    return False


def text_of(data):
    """What a web page says, as a learning system makes one of what was typed into it."""
    def said(found):
        return "\n" if found[2].lower() in BREAKS and (
            found[1] or found[2].lower() == "br") else ""
    text = plain(data).decode("utf-8", "replace")
    if not re.search(r"(?i)</?(?:p|br|div|html|body|pre|span)\b", text):
        return data
    text = LONG_NUMBER.sub("\ufffd", TAG.sub(said, text))
    return html.unescape(text).replace("\xa0", " ").encode()
