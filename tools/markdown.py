#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules for every committed Markdown file.

  markdown.py [FILE...]          checks them, prints each line that breaks one
  markdown.py --wrap [FILE...]   wraps the paragraphs that are too wide

1. A line has at most 100 columns. Excepted: rows of tables, which cannot be
   wrapped, and the line below that says which CSV they are from; lines that
   hold one word besides the mark of an item (a long link); code, which shows
   what a program prints, up to 120 columns.
2. A relative link leads to a committed file or folder, and its #anchor to a
   heading there, as GitHub makes anchors from headings.
3. A page that is named in any committed file, as in docs/counts.md, is there,
   and so is a file that stands in a page in backquotes with its folder, as in
   `tools/setup.sh`. A * stands for anything; NAME and N are placeholders. What
   stands in vgpu/ may name files from there: it is a house of its own.
4. A word in backquotes in the first column of the glossary's last table is in
   no page, outside of code and quotation marks.

FILE: all that git tracks when none is given. Exit status 1: a rule is broken.
"""
import os
import pathlib
import re
import subprocess
import sys

WIDTH, CODE_WIDTH = 100, 120
GLOSSARY = pathlib.Path("docs/glossary.md")
FENCE = re.compile(r" *(```|~~~)")
MARK = re.compile(r"( *)([-*+] |\d+[.)] |> )?")
LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]*)\)")
PAGE = re.compile(r"(?<![\w./-])((?:(?:timing/|vgpu/)?(?:docs|labs|tests)|research)/[\w/-]+\.md)(#[\w-]+)?")
FILE = re.compile(r"`((?:cmake|docs|grader|plots|slides|"
                  r"research|tests|timing|tools|vgpu|web)/[\w*./-]+)`")
TEXTS = ("*.md *.c *.h *.cu *.cuh *.def *.py *.sh *.awk *.cmake *.txt *.csv "
         "*.ini Makefile").split()


def tracked(*patterns):
    """Files that git tracks or would; in an unpacked release, all files."""
    git = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *patterns],
        capture_output=True, text=True, check=False)
    if git.returncode == 0:
        return [name for name in git.stdout.splitlines()
                if pathlib.Path(name).exists()]
    return sorted(str(path) for pattern in patterns
                  for path in pathlib.Path(".").rglob(pattern)
                  if path.parts[0] != "build")


def lines_of(path):
    """(line, is code): fences and what is between them are code, and so are
    lines that four blanks begin, below a line that is empty or code."""
    fence = code = False
    previous = ""
    for line in pathlib.Path(path).read_text().splitlines():
        if FENCE.match(line):
            fence = not fence
            yield line, True
        else:
            code = line.startswith("    ") and (code or not previous)
            yield line, fence or code
        previous = line.strip()


def anchors_of(path):
    """Names of a page's headings: GitHub's rule for making them."""
    names = set()
    for line, is_code in lines_of(path):
        heading = not is_code and re.match(r"#+ (.*)", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            slug = re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-")
            number = 0
            while slug + (f"-{number}" if number else "") in names:
                number += 1
            names.add(slug + (f"-{number}" if number else ""))
    return names


def too_wide(line, is_code=False):
    if re.search(r"plots/data/[\w-]+\.csv\)$", line):
        return False  # where the table above is from, in one line
    if is_code or line.startswith("|"):
        return is_code and len(line) > CODE_WIDTH
    return len(line) > WIDTH and " " in line[MARK.match(line).end():].strip()


def leads_out(path):
    """Into timing/ or research/, in a copy of ScanLab that does without it."""
    wing = os.path.relpath(path).split("/")[0]
    return wing in ("timing", "research") and not os.path.exists(wing)


def trouble_with_link(page, target):
    """What is wrong with a link of a page, or None."""
    if re.match(r"[a-z]+:", target):
        return None
    name, _, anchor = target.partition("#")
    path = (pathlib.Path(page).parent / name) if name else pathlib.Path(page)
    if leads_out(path):
        return None
    if not path.exists():
        return f"{target}: there is no such file"
    if anchor and anchor not in anchors_of(path):
        return f"{target}: no such heading there"
    return None


def retired_words():
    text = GLOSSARY.read_text() if GLOSSARY.exists() else ""
    rows = text.partition("## Words that are retired")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| ([^|]*`[^|]*) \|", rows, re.M)
    words = "|".join(re.findall(r"`([^`]+)`", " ".join(cells)))
    return re.compile(rf"\b(?:{words or '(?!)'})s?\b")


def check_words(page):
    retired = retired_words()
    for at, (line, is_code) in enumerate(lines_of(page), 1):
        if not is_code and pathlib.Path(page).name != GLOSSARY.name:
            prose = re.sub(r"`[^`]*`|«[^»]*»|\"[^\"]*\"", "", line)
            for word in retired.findall(prose):
                yield f"{page}:{at}: '{word}' is retired: {GLOSSARY}"


def check_page(page):
    yield from check_words(page)
    tops = [pathlib.Path(top) for top in (".", "vgpu") if top in (".", page.split("/")[0])]
    for at, (line, is_code) in enumerate(lines_of(page), 1):
        if too_wide(line, is_code):
            yield f"{page}:{at}: {len(line)} columns are too many (--wrap)"
        if is_code:
            continue
        for link in LINK.finditer(re.sub(r"`[^`]*`", "``", line)):
            words = trouble_with_link(page, link[1])
            if words:
                yield f"{page}:{at}: {words}"
        for name in FILE.findall(line):
            if not re.search(r"[A-Z]{2}|\bN\b", name.replace("README", "")) \
                    and not leads_out(name) \
                    and not any(path for top in tops for path in top.glob(name)):
                yield f"{page}:{at}: {name}: there is no such file"


def check_names(path):
    """Pages that a file of any kind names."""
    text = pathlib.Path(path).read_text(errors="replace")
    for at, line in enumerate(text.splitlines(), 1):
        for name, anchor in PAGE.findall(line):
            words = trouble_with_link("README.md", name + anchor)
            if words and not (path.startswith("vgpu/") and not trouble_with_link(
                    "vgpu/README.md", name + anchor)):
                yield f"{path}:{at}: {words}"


def words_of(text):
    """Pieces between which a line may break: not inside code or a link, not
    beside a number (its unit or its name belongs to it)."""
    pieces = re.findall(r"(?:`+[^`]*`+|\[[^\]]*\]\([^)]*\)|\S)+", text)
    words = pieces[:1]
    for piece in pieces[1:]:
        together = words[-1] + " " + piece
        belongs = (re.match(r"\(?[\d.]+\S*$|[-+*#>|=]|\d+[.)]$", piece) or
                   re.match(r"(%|×|[a-zµ]{1,2}\b|[GMKT]i?B)", piece) and
                   re.search(r"\d$", words[-1]))
        if belongs and len(together) < WIDTH // 2:
            words[-1] = together
        else:
            words.append(piece)
    return words


def wrap(paragraph):
    """The lines of one paragraph or item, wrapped."""
    mark = MARK.match(paragraph[0])
    indent = " " * len(mark[0]) if mark[2] != "> " else mark[0]
    text = " ".join(line[len(mark[0]):] if k == 0 else
                    line[MARK.match(line).end() if mark[2] == "> " else 0:]
                    .strip() for k, line in enumerate(paragraph))
    out, line = [], mark[0]
    for word in words_of(text):
        if line.strip() and line != mark[0] and \
                len(line) + 1 + len(word) > WIDTH:
            out.append(line)
            line = indent
        line += (" " if line not in (mark[0], indent) else "") + word
    return out + [line]


def paragraphs(path):
    """Groups of lines: a paragraph or an item; other lines alone."""
    group, is_text = [], False
    for line, is_code in lines_of(path):
        alone = is_code or not line.strip() or \
            re.match(r"\||#|<!--|---|\(.*plots/data/[\w-]+\.csv\)$", line)
        begins = not alone and re.match(r" *([-*+] |\d+[.)] |> )", line)
        if alone or begins or not is_text:
            if group:
                yield group, is_text
            group = []
        group.append(line)
        is_text = not alone
    if group:
        yield group, is_text


def wrap_page(path):
    out = []
    for group, is_text in paragraphs(path):
        wide = is_text and any(too_wide(line) for line in group)
        out += wrap(group) if wide else group
    pathlib.Path(path).write_text("\n".join(out) + "\n")


def main():
    names = [name for name in sys.argv[1:] if name != "--wrap"]
    pages = names or tracked("*.md")
    if "--wrap" in sys.argv[1:]:
        for page in pages:
            wrap_page(page)
    trouble = [words for page in pages for words in check_page(page)]
    trouble += [words for path in names or tracked(*TEXTS)
                for words in check_names(path)]
    print("\n".join(trouble) or f"{len(pages)} pages")
    sys.exit(bool(trouble))


if __name__ == "__main__":
    main()
