# SPDX-License-Identifier: MIT
"""A table that a learning system has written: CSV with whatever it puts between cells.

What is not changed is written back byte by byte: a system that reads its own file again
finds its own quotes, line ends and byte order mark."""
import os
import re

import words
from translate import _

MOST_BYTES, MOST_ROWS, MOST_COLUMNS = 32 << 20, 100000, 2000
MARKS = (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")
BETWEEN = ",;\t"


class Unusable(Exception):
    """Why a file cannot be used; the message names it."""


def read_bytes(path, most=MOST_BYTES):
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except OSError as why:
        raise Unusable(words.line(f"{path}: {why.strerror}")) from None
    if len(data) > most:
        raise Unusable(words.line(_("{path}: it has more than {n} MiB", path=path,
                                    n=most >> 20)))
    return data


def read_text(path, most=MOST_BYTES):
    """Text, its byte order mark and its encoding."""
    data = read_bytes(path, most)
    mark, encoding = next((m for m in MARKS if data.startswith(m[0])), (b"", "utf-8"))
    try:
        return data[len(mark):].decode(encoding), mark, encoding
    except UnicodeDecodeError:
        raise Unusable(words.line(_("{path}: it is not UTF-8; save it as \"CSV UTF-8\"",
                                    path=path))) \
            from None


def pattern(between):
    """One cell and what ends it."""
    other = f"[^{between}\r\n]*"
    return re.compile(f'("[^"]*(?:""[^"]*)*"{other}|(?!"){other})({between}|\r\n|\n|\r|\\Z)')


def between(header):
    """What stands between the cells of a header, outside quotes."""
    bare = re.sub(r'"[^"]*"', "", header.split("\n", 1)[0])
    return max(BETWEEN, key=bare.count)


def plain(raw):
    """What a cell says."""
    found = re.fullmatch(r'(?s)"(.*)"\s*', raw)
    return found[1].replace('""', '"') if found else raw


class Table:
    """rows: of raw cells, the header first. ends: what ended each row."""

    def __init__(self, path):
        self.path = path
        text, self.mark, self.encoding = read_text(path)
        self.between = between(text[:1 << 20])
        self.rows, self.ends = [], []
        self.split(text)
        if not self.rows:
            raise Unusable(words.line(_("{path}: it is empty", path=path)))
        self.header = [plain(raw).strip() for raw in self.rows[0]]
        self.at = {}  # name: the first column that is called so, in any case
        for column, name in enumerate(self.header):
            self.at.setdefault(name.casefold(), column)

    def split(self, text):
        cell, at, row = pattern(self.between), 0, []
        while at < len(text) or row:
            found = cell.match(text, at)
            if not found:
                raise Unusable(words.line(_("{path}: row {row} has a quote that nothing ends",
                                            path=self.path, row=len(self.rows) + 1)))
            row.append(found[1])
            at = found.end()
            if found[2] == self.between:
                if len(row) > MOST_COLUMNS:
                    raise Unusable(words.line(_(
                        "{path}: row {row} has more than {n} cells", path=self.path,
                        row=len(self.rows) + 1, n=MOST_COLUMNS)))
                continue
            self.rows.append(row)
            self.ends.append(found[2])
            row = []
            if len(self.rows) > MOST_ROWS:
                raise Unusable(words.line(_("{path}: it has more than {n} rows",
                                            path=self.path, n=MOST_ROWS)))

    def column(self, *names):
        """The first column with one of these names, in any case; None: there is none."""
        return next((self.at[n.casefold()] for n in names if n.casefold() in self.at), None)

    def value(self, row, column):
        """What a cell says; "" where the row ends before it, or the column is None."""
        cells = self.rows[row]
        return plain(cells[column]) if column is not None and column < len(cells) else ""

    def put(self, row, column, text):
        """Another cell, in quotes where the old one had them or the text needs them."""
        cells = self.rows[row]
        cells.extend([""] * (column + 1 - len(cells)))
        if cells[column].startswith('"') or text != text.strip() or \
                any(sign in text for sign in (self.between, '"', "\r", "\n")):
            text = '"' + text.replace('"', '""') + '"'
        cells[column] = text

    def bytes(self):
        text = "".join(self.between.join(row) + end for row, end in zip(self.rows, self.ends))
        return self.mark + text.encode(self.encoding)

    def name(self):
        return os.path.basename(self.path)


def written(rows, ends="\r\n"):
    """Rows of words as CSV, for a system that has given no file of its own."""
    def cell(text):
        text = str(text)
        if text != text.strip() or any(sign in text for sign in ',"\r\n'):
            return '"' + text.replace('"', '""') + '"'
        return text
    return "".join(",".join(map(cell, row)) + ends for row in rows)
