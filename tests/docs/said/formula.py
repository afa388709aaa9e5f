# SPDX-License-Identifier: MIT
"""Formulas as pages write them, 120·(log2 n' + 2), and as lab.ini does."""
import ast
import itertools
import math
import re

SIGNS = (("·", "*"), ("−", "-"), ("×", "*"), ("^", "**"), ("²", "**2"), ("³", "**3"),
         ("log₂₀₄₈", "log2048"), ("log₂", "log2"), ("⌈", "ceil("), ("⌉", ")"), ("⌊", "floor("),
         ("⌋", ")"), ("'", "_up"), (" %", "/100"))
TOKEN = re.compile(r"\d+\.?\d*|[A-Za-z_]\w*|\*\*|<=|>=|\S")


WORDS = {word: str(k) for k, word in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen".split())}


def clog2(n):
    return max(0, math.ceil(n) - 1).bit_length()


def pow2ceil(n):
    return 2 ** clog2(n) if n else 0


def scan(row):
    return list(itertools.accumulate(row))


FUNCTIONS = {
    "scan": scan, "xscan": lambda row: [0, *scan(row)[:-1]],
    "ceil": math.ceil, "floor": math.floor, "min": min, "max": max, "sum": sum, "len": len,
    "range": range, "sorted": sorted, "comb": math.comb, "clog2": clog2, "pow2ceil": pow2ceil,
    "log2": math.log2, "log2048": lambda n: math.log2(n) / 11, "ones": lambda n: bin(n).count("1"),
    "ceildiv": lambda a, b: -(-a // b)}
CALLED = {"log2", "log2048"}  # also without brackets: log2 n


def python(text):
    """A page's formula as Python writes it."""
    text = re.sub(r"(\d),(?=\d{3}\b)", r"\1", text)
    for sign, other in SIGNS:
        text = text.replace(sign, other)
    have, done = TOKEN.findall(text), []
    for at, token in enumerate(have):
        before = have[at - 1] if at else ""
        if before[:1].isdigit() and (token[0].isalpha() or token == "("):
            done.append("*")
        bare = before in CALLED and token != "("
        done.append(f"({token})" if bare else token)
    return " ".join(done)


def said(text):
    """What a page says in one place: code of a formula, or of a list; 1,2 is a pair."""
    text = WORDS.get(text.lower(), text)
    cells = text.replace("[", " ").replace("]", " ").replace("|", " ").split()
    if len(cells) > 1 and all(re.fullmatch(r"[-−]?\d+", cell) for cell in cells):
        return "[" + ",".join(cell.replace("−", "-") for cell in cells) + "]"
    if len(cells) > 1 and all(re.fullmatch(r"\d+[,-]\d+", cell) for cell in cells):
        return "[" + ",".join("(" + cell.replace("-", ",") + ")" for cell in cells) + "]"
    return python(text)


def value(code, names):
    # the tables are part of the tests, and a page's words are checked here
    tree = ast.parse(code.strip(), mode="eval")
    return eval(compile(tree, "<said>", "eval"), {**FUNCTIONS, **names})  # pylint: disable=eval-used


def bound(text, names):
    """A formula of lab.ini: exact, / rounds down."""
    whole = {**names, "log2": lambda n: max(0, int(n).bit_length() - 1)}
    return value(text.replace("/", "//"), whole)


def near(a, b, part, whole):
    """Within a part of it, or so many; a list cell by cell."""
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple, range)):
        a, b = list(a) if isinstance(a, (list, tuple)) else [a], list(b)
        return len(a) == len(b) and all(near(x, y, part, whole) for x, y in zip(a, b))
    return abs(a - b) <= max(part * abs(b), whole) + 1e-9 * abs(b)
