#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""notebooks.py OUT [LAB...]: writes each lab's handout as a notebook: its sections as
cells, its pictures inside, and last the stub, in a cell that `%%scanlab` grades.

Exit status: 0 written; 2 not written, and the message says why.
"""
import base64
import json
import pathlib
import re
import sys
import tempfile

import pages
from fetch import Trouble

KINDS = {".svg": "image/svg+xml", ".png": "image/png"}


def sections(text):
    """Cut before each heading of the first two levels, but in no code."""
    parts, in_code = [[]], False
    for line in text.splitlines(keepends=True):
        in_code ^= line.startswith("```")
        if re.match(r"##? ", line) and not in_code and parts[-1]:
            parts.append([])
        parts[-1].append(line)
    return ["".join(part).strip() for part in parts if "".join(part).strip()]


def source(text):
    """Lines, as notebooks have them."""
    return text.splitlines(keepends=True)


def markdown_cell(text, folder):
    """Links to other files become text; pictures go along."""
    attachments = {}

    def mend(link):
        words, target = link[1], link[2].partition("#")[0]
        picture = folder / target
        if re.match(r"[a-z]+:", target):
            return link[0]
        if not link[0].startswith("!"):
            return words
        attachments[picture.name] = {KINDS[picture.suffix]:
                                     base64.b64encode(picture.read_bytes()).decode()}
        return f"![{words}](attachment:{picture.name})"

    text = re.sub(r"!?\[([^\]]*)\]\(([^)\s]+)\)", mend, text)
    cell = {"cell_type": "markdown", "metadata": {}, "source": source(text)}
    if attachments:
        cell["attachments"] = attachments
    return cell


def code_cell(text):
    return {"cell_type": "code", "metadata": {}, "source": source(text),
            "execution_count": None, "outputs": []}


def notebook(lab, top):
    folder = top / "labs" / lab.folder
    cells = [markdown_cell(part, folder)
             for part in sections((folder / "README.md").read_text())]
    cells.insert(1, code_cell("%load_ext scanlab"))
    cells.append(markdown_cell("## Your solution\n\nThe cell below is the lab's source. "
                               "Running it grades it.", folder))
    stub = (top / "student" / lab.source).read_text()
    cells.append(code_cell(f"%%scanlab {lab.id}\n{stub}".rstrip()))
    cells.append(code_cell(f"%scanlab hint {lab.id}"))
    for number, cell in enumerate(cells):
        cell["id"] = f"{lab.id}-{number}"
    return {"nbformat": 4, "nbformat_minor": 5, "cells": cells, "metadata": {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"}}}


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    out = pathlib.Path(sys.argv[1])
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            labs = pages.make(top, sys.argv[2:])
            for lab in labs:
                text = json.dumps(notebook(lab, top), indent=1, ensure_ascii=False)
                (out / f"{lab.folder}.ipynb").write_text(text + "\n")
    except (Trouble, pages.release.Trouble, OSError) as trouble:
        print(f"notebooks: {trouble}", file=sys.stderr)
        return 2
    print(f"notebooks: {len(labs)} in {out}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
