# SPDX-License-Identifier: MIT
"""What differs between two results, and which differences are explained."""
import difflib
import json
import re

# What no two runs have in common; a small repair is found by the clock, or not.
IGNORED = {"seconds", "submission", "repair"}


def key_of(item, i):
    """What a list's item is called: a check has an id, a line has a number."""
    if not isinstance(item, dict):
        return str(i)
    for names in (("id",), ("file", "line"), ("name",)):
        if all(name in item for name in names):
            return ":".join(str(item[name]) for name in names)
    return str(i)


def by_name(items):
    """A list as a dictionary; items of one name are numbered."""
    out = {}
    for i, item in enumerate(items):
        name = key_of(item, i)
        while name in out:
            name += "'"
        out[name] = item
    return out


def text_differences(path, a, b):
    lines = [line for line in difflib.unified_diff(
        a.splitlines(), b.splitlines(), lineterm="", n=0)
        if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    if lines:
        yield path, " / ".join(lines)


def differences(a, b, path="", grown=False):
    """(where, what) for each. grown: fields that only b has are none, since
    its schema is a later one."""
    items = isinstance(a, list) and isinstance(b, list)
    if items:
        a, b = by_name(a), by_name(b)
    if isinstance(a, dict) and isinstance(b, dict):
        grown = grown or a.get("schema") != b.get("schema")
        for name in [*a, *(name for name in b if name not in a)]:
            if name in IGNORED:
                continue
            here = f"{path}/{name}"
            if name in a and name in b:
                yield from differences(a[name], b[name], here, grown)
            elif name in a:
                yield here, f"only before: {short(a[name])}"
            elif items or not grown:
                yield here, f"only after: {short(b[name])}"
    elif isinstance(a, str) and isinstance(b, str) and "\n" in a + b:
        yield from text_differences(path, a, b)
    elif a != b:
        yield path, f"{short(a)} -> {short(b)}"


def short(value):
    return json.dumps(value, ensure_ascii=False)[:300]


def without_times(value):
    """The checks of lab 0 that are timed tell what they measured."""
    if isinstance(value, dict):
        return {name: without_times(item) for name, item in value.items()}
    if isinstance(value, list):
        return [without_times(item) for item in value]
    if isinstance(value, str):
        return re.sub(r"[\d.]+ times the throughput of (.*?) \(quartiles "
                      r"[\d.]+ and [\d.]+, \d+ pairs\)",
                      r"TIMES the throughput of \1", value)
    return value


def comparable(result, loose):
    """A step's result as far as it is compared."""
    if loose:
        return {name: result.get(name) for name in ("exit", "stdout")}
    out = dict(result)
    try:
        out["report"] = json.loads(result.get("report") or "null")
    except ValueError:
        pass
    # progress, with times
    out["stderr"] = re.sub(r"\d+\.\d+ s\b", "TIME", out.get("stderr", ""))
    return without_times(out)


class Explained:
    """Lines "REGEX => reason"; a difference is explained when the regular
    expression is found in "CASE WHERE: WHAT"."""

    def __init__(self, path):
        self.rules = []
        if path and path.exists():
            for line in path.read_text().splitlines():
                if line.strip() and not line.startswith("#"):
                    regex, arrow, reason = line.partition(" => ")
                    if not arrow:
                        raise ValueError(f"{path}: no ' => ' in: {line}")
                    self.rules.append((re.compile(regex.strip()), reason))

    def reason(self, text):
        return next((reason for regex, reason in self.rules
                     if regex.search(text)), None)
