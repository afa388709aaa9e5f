# SPDX-License-Identifier: MIT
"""Fills the template of the class's pages (made by cmake/Pages.cmake; its policy allows
pictures that stand in the page) with data as JSON, which html/view_class.js draws, and
with the same in words. docs/parts.md, "Pages".

A page is {title, score: [how many, of what], notes, sections, foot}; a section {id, title, parts}; a part is a
list that begins with its kind:

  ["note", words...]  words may be {"name": words}
  ["title", words]
  ["key", [[state, words]...]]          what the colours of strips mean
  ["figure", light, dark, words]        base64 of SVG
  ["table", caption, [[words, kind]...], rows]   kind: "number", "words" or "strip"

A cell is words, or {"words": words, "small": [...], "name": bool}; of a strip it is a list
of states. A cell under "words" in the first column is the row's name."""
import base64
import html
import json
import os
import re
import unicodedata

MOST_WORDS = 300
LETTERS = {"pass": "+", "fail": "x", "skip": "-", "todo": ".", "absent": " "}


def clean(value):
    """Of values that are no numbers: no controls, nothing that changes how others show."""
    if isinstance(value, dict):
        return {key: clean(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(part) for part in value]
    if not isinstance(value, str):
        return value
    text = value if len(value) <= MOST_WORDS else value[:MOST_WORDS - 3] + "..."
    return "".join("?" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
                   else c for c in text)


def figure(light, dark, words):
    return ["figure", *(base64.b64encode(svg).decode() for svg in (light, dark)), words]


# ---- the same in words ----

def plain(cell):
    if isinstance(cell, dict):
        return " ".join([str(cell.get("words", cell.get("name", ""))),
                         *(f"({small.strip()})" for small in cell.get("small", []))])
    if isinstance(cell, list):
        return "".join(LETTERS.get(state, ".") for state in cell)
    return str(cell)


def table_lines(caption, heads, rows):
    if caption:
        yield caption
    lines = [[words for words, _ in heads]] + [[plain(cell) for cell in row] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    for line in lines:
        yield "  " + "  ".join(
            text.rjust(width) if kind == "number" else text.ljust(width)
            for text, width, (_, kind) in zip(line, widths, heads)).rstrip()


def part_lines(kind, *rest):
    if kind == "figure":
        yield f"(A figure: {rest[2]}.)"
    elif kind == "key":
        yield ", ".join(f"{LETTERS[state]} {words}" for state, words in rest[0])
    elif kind == "table":
        yield from table_lines(*rest)
    else:
        yield "".join(plain(part) for part in rest)


def in_words(page):
    lines = [page["title"], "{} {}".format(*page["score"]), *page["notes"]]
    for section in page["sections"]:
        lines += ["", section["title"], ""]
        for part in section["parts"]:
            lines += part_lines(*part)
    return "\n".join([*lines, "", *page["foot"]]) + "\n"


# ---- the template ----

def strips(page):
    """States that are none are what nobody has begun."""
    for section in page["sections"]:
        for part in section["parts"]:
            for row in part[3] if part[0] == "table" else []:
                row[:] = [[s if s in LETTERS else "todo" for s in cell]
                          if isinstance(cell, list) else cell for cell in row]
    return page


def cleaned(page):
    """A figure's base64 is long, and has no words."""
    kept = {id(part): part for section in page["sections"] for part in section["parts"]
            if part[0] == "figure"}
    sections = [{"id": s["id"], "title": clean(s["title"]), "parts": [
        [*part[:3], clean(part[3])] if id(part) in kept else clean(part)
        for part in s["parts"]]} for s in page["sections"]]
    return clean({key: page[key] for key in ("title", "score", "notes", "foot")}) | {
        "sections": sections}


def whole(build, page):
    """The page as a file has it; build: where the templates are."""
    page = strips(cleaned(page))
    with open(os.path.join(build, "share/pages/class.html"), encoding="utf-8") as file:
        template = file.read()
    data = json.dumps({"view": "class", "words": {}, "class": page},
                      separators=(",", ":"))
    for letter in "<>&":  # in JSON they stand in texts only
        data = data.replace(letter, f"\\u{ord(letter):04x}")
    values = {"LANGUAGE": "en", "TITLE": html.escape(page["title"]), "DATA": data,
              "TEXT": html.escape(in_words(page))}
    return re.sub("@(LANGUAGE|TITLE|TEXT|DATA)@", lambda mark: values[mark[1]], template)
