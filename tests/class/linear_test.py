# SPDX-License-Identifier: MIT
"""linear_test.py SCANLAB OUT: what reads strangers' words takes time in proportion to
them. Each regular expression in the tools that read a submission is given text made
of the pieces of its own pattern, and each function that loops over such text is given
CONSTRUCTS. Twice as much text may take 2.5 times as long, in seconds of a processor."""
import ast
import itertools
import pathlib
import re
import sys
import time
import unittest
import warnings

import classroom
from classroom import ROOT

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # they have other names in Python 3.10
    import sre_constants as constants
    import sre_parse as parser

sys.path += [str(ROOT / "tools/stats"), str(ROOT / "tools")]
import compared  # noqa: E402
import layouts  # noqa: E402
import leaks  # noqa: E402
import nicknames  # noqa: E402
import page  # noqa: E402
import words  # noqa: E402

RATIO, TRIES = 2.5, 3
SHORT, LONG, SHORT_S, SLOW_S = 1000, 1000, 0.002, 0.015
METHODS = {"compile", "match", "fullmatch", "search", "sub", "subn", "findall",
           "finditer", "split"}
# Those of the last line read no submission, but what a course lays over the labs.
# markdown.py, catalogue.py, rooms.py and others read our own sources only.
READERS = sorted([*ROOT.glob("tools/class/*.py"), *ROOT.glob("tools/stats/*.py"),
                  *ROOT.glob("kits/**/*.py"), ROOT / "tools/leaks.py", *(
                      ROOT / f"tools/{name}.py" for name in ("kit", "release", "dist", "overlaid"))])
# Put together where it is used; a test of the function stands below.
BY_FUNCTION = {("tools/class/layouts.py", "fullmatch"), ("tools/class/words.py", "compile"),
               # Of the grader's own tables and pages:
               ("tools/stats/diagnoses.py", "findall"), ("tools/release.py", "sub"),
               ("tools/release.py", "subn")}
CONSTRUCTS = ['\\"', '"', "'", "\\", "/*", "*/", "//", "/", "(", ")", "{", "}", "<", "&",
              "#if 0\n", "#ifdef SOLUTION\n", "#endif\n", "#else\n", "\n", "\r", " ", "\t",
              "\\\n", "a", "0", "0.", "a'", "0'", "_", "-", ".", "a.b", "@", "a@b_1_",
              "_1", "_1_2_", "LATE_", "=", "+", "\u0301", "\u0300\u0316", "\u200b", "\ufb03",
              "\u0390", "\u1100\u1161\u11a8", "x[1](", "\0", "\u20ac", "R\"(", "int a = 0;\n",
              "a b c d e f g h i j k l ", "../", ",", ",\"", "1,x\n", "_assignsubmission_file_"]


class Unknown(Exception):
    """Which pattern it is cannot be said without running it."""


def value(node, names):
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return value(node.left, names) + value(node.right, names)
    if isinstance(node, ast.JoinedStr):
        return "".join(value(part, names) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return value(node.value, names)
    raise Unknown


def expressions(path):
    """(line, pattern or None, flags, methods) of each in a file."""
    tree, names = ast.parse(path.read_text(encoding="utf-8")), {}
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and
             isinstance(n.func, ast.Attribute) and isinstance(n.func.value, ast.Name)]
    kept = {}  # compiled: its name
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            kept[node.value] = node.targets[0].id
            try:
                names[node.targets[0].id] = value(node.value, names)
            except Unknown:
                pass
    for call in calls:
        how = call.func.attr
        if call.func.value.id != "re" or how not in METHODS:
            continue
        flags = 0
        for word in [*call.args[1:], *(k.value for k in call.keywords)]:
            if re.fullmatch(r"re\.[A-Z]+( \| re\.[A-Z]+)*", ast.unparse(word)):
                flags = eval(ast.unparse(word))  # re.M | re.S
        used = {how}
        if how == "compile":
            name = kept.get(call)
            imports = re.compile(rf"\b(?:{path.stem}\.{name}\b|from {path.stem} import .*\b{name}\b)")
            used = {other.attr for tool in sorted(ROOT.glob("tools/**/*.py"))
                    if tool == path or imports.search(tool.read_text(encoding="utf-8"))
                    for other in uses(tool, name)} or {"search"}
        try:
            yield call.lineno, value(call.args[0], names), flags, used
        except Unknown:
            yield call.lineno, None, flags, used


ATTRIBUTES = {}


def uses(tool, name):
    """Where a method of what has this name is called."""
    if tool not in ATTRIBUTES:
        ATTRIBUTES[tool] = [
            n for n in ast.walk(ast.parse(tool.read_text(encoding="utf-8")))
            if isinstance(n, ast.Attribute) and n.attr in METHODS]
    return [n for n in ATTRIBUTES[tool]
            if getattr(n.value, "id", getattr(n.value, "attr", "")) == name]


def letters(items):
    """What a pattern speaks of."""
    for kind, about in items:
        if kind in (constants.LITERAL, constants.NOT_LITERAL):
            yield chr(about)
        elif kind is constants.IN:
            yield from letters([(k, a if k is not constants.RANGE else a[0])
                                for k, a in about if k in (constants.LITERAL,)])
            yield from (chr(end) for k, a in about if k is constants.RANGE for end in a)
        elif kind in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            yield from letters(about[2])
        elif kind is constants.SUBPATTERN:
            yield from letters(about[3])
        elif kind is constants.BRANCH:
            for one in about[1]:
                yield from letters(one)
        elif kind in (constants.ASSERT, constants.ASSERT_NOT):
            yield from letters(about[1])


def seconds(work, text):
    began = time.process_time()
    work(text)
    return time.process_time() - began


def is_linear(work, make, n):
    """Work on make(n) and on make(4 n), tried again where the machine was busy: n^2
    is 16 times as much."""
    for _ in range(TRIES):
        one, two = (min(seconds(work, text) for _ in range(3))
                    for text in (make(n), make(4 * n)))
        if two <= RATIO ** 2 * max(one, 0.001):
            return True
    return False


def slow(pattern, flags, used):
    """Units of which the expression takes more and more; none: it is linear."""
    plain = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
    signs = sorted({c for c in letters(parser.parse(plain, flags))
                    if not c.isalnum()} | set("a0 \n\\\"'"))[:24]
    units = ["".join(u) for k in (1, 2) for u in itertools.product(signs, repeat=k)]
    units += re.findall(r"[A-Za-z_]{3,20}", plain)
    compiled = re.compile(pattern, flags)

    def work(text):
        for how in used - {"compile"}:
            how = getattr(compiled, how)
            list(how(text)) if how.__name__ == "finditer" else \
                how("" if isinstance(text, str) else b"", text) \
                if how.__name__ in ("sub", "subn") else how(text)
    for unit, end in itertools.product(dict.fromkeys(units), ("", "\0", "\n\0")):
        def make(n):
            text = unit * (n // len(unit)) + end
            return text if isinstance(pattern, str) else text.encode("latin-1", "replace")
        if seconds(work, make(SHORT)) > SHORT_S and not is_linear(work, make, LONG):
            yield unit


class Linear(unittest.TestCase):
    def test_finds_what_is_not(self):
        """The pattern of walls.md's row 8, and others of its kind."""
        for pattern, unit, linear in (
                (r'[a-z]+|"(?:[^"\\\n]|\\.)*"|\S', '"\\', False), (r"\s*x$", " ", False),
                (r'[a-z]+|"(?:[^"\\\n]|\\.)*"?|\S', '"\\', True), ("a*b", "a", False),
                (r"/\*.*?(?:\*/|\Z)|\S", "/*", True), (r"/\*.*?\*/|\S", "/* ", False)):
            work = re.compile(pattern, re.S).findall
            # Long enough to take milliseconds on a fast machine, too.
            self.assertEqual(is_linear(work, lambda n: unit * (n // len(unit)), 4 * LONG),
                             linear, pattern)

    def test_expressions(self):
        many = 0
        for path in READERS:
            name = str(path.relative_to(ROOT))
            for line, pattern, flags, used in expressions(path):
                many += 1
                if pattern is None:
                    self.assertTrue({(name, how) for how in used} & BY_FUNCTION,
                                    f"{name}:{line}: which pattern is it?")
                    continue
                found = list(itertools.islice(slow(pattern, flags, used), 1))
                self.assertEqual(found, [], f"{name}:{line}: {pattern}")
        self.assertGreater(many, 40)

    def readers(self):
        """Functions of one text, and how much they are to be given."""
        stub = {compared.plain(row) for row in (
            ROOT / "student/naive.cu").read_bytes().splitlines()}

        def read_nicknames(text):
            for row in csv_rows(text):
                nicknames.take(row, {"1": {"a"}}, {}, {}, set())

        def csv_rows(text):
            path = pathlib.Path(classroom.OUT / "linear.csv")
            path.write_text("id,nickname\n" + text, encoding="utf-8", newline="")
            return [row for _, row in nicknames.table(str(path))]
        classroom.fresh()
        return {
            "tokens": (lambda t: compared.tokens_of(t.encode(), stub), 4000),
            "pairs": (lambda t: compared.pairs(
                [compared.tokens_of(x.encode(), stub) for x in (t, t + "x", "y" + t)],
                30, 30, 5), 1500),
            "pairs of tokens": (lambda t: compared.pairs(
                [t.encode(), t.encode() + b"x"], 30, 30, 5), 1500),
            "nicknames": (read_nicknames, 20000),
            "looks": (nicknames.looks, 20000), "marks": (nicknames.marks, 20000),
            "a line": (words.line, 20000), "a cell": (words.cell, 20000),
            "a page": (page.clean, 20000),
            "whose": (lambda t: layouts.recognise(t, "file"), 4000),
            "whose folder": (lambda t: layouts.recognise(t, "folder"), 4000),
            "hand-out": (lambda t: leaks.leaks_in(t, {}), 4000),
        }

    def test_readers(self):
        for name, (work, n) in self.readers().items():
            for unit in CONSTRUCTS:
                for before, end in ("", ""), ('a"', "\0"):
                    def make(k):
                        return before + unit * (k // len(unit)) + end
                    if seconds(work, make(n)) > SLOW_S:
                        self.assertTrue(is_linear(work, make, n // 2),
                                        f"{name}: {unit!r}")


if __name__ == "__main__":
    classroom.main()
