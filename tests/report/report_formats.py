# SPDX-License-Identifier: MIT
"""Reads reports as the programs that they are for document it. read(path)
returns what is in them as {"lab check": points}, or raises Wrong. The schemas
in formats/ are ours, written from the readers' documentation."""
import json
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as xml

import jsonschema

SCHEMAS = pathlib.Path(__file__).resolve().parent / "formats"
COMMANDS = {"error", "warning", "notice"}
PROPERTIES = {"file", "line", "endLine", "col", "endColumn", "title"}


class Wrong(Exception):
    pass


def require(holds, what):
    if not holds:
        raise Wrong(what)


def valid(name, data):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    try:
        jsonschema.Draft7Validator(schema).validate(data)
    except jsonschema.ValidationError as why:
        at = "/".join(map(str, why.absolute_path))
        raise Wrong(f"{name}: {at}: {why.message}") from why


def key(name):
    """"naive one-block: Around warps" is "naive one-block"."""
    return name.split(":")[0]


def gradescope(text):
    data = json.loads(text)
    valid("gradescope", data)
    require(data["score"] == sum(t["score"] for t in data["tests"]), "total")
    for test in data["tests"]:
        require((test["status"] == "passed") == (test["output"] == ""),
                f"{test['name']} says nothing, or too much")
    return {key(t["name"]): t["score"] for t in data["tests"]}


def prairielearn(text):
    require(len(text.encode()) <= 1000000, "it is larger than 1 MB")
    data = json.loads(text)
    valid("prairielearn", data)
    return {key(t["name"]): t["points"] for t in data["tests"]}


def autolab(text):
    last = text.splitlines()[-1]
    # As Autolab's server does before it parses.
    again = re.sub(r"([a-zA-Z0-9]+):", r'"\1":', last)
    require(again == last, "Autolab would put quotes into the line")
    data = json.loads(again)
    valid("autolab", data)
    return data["scores"]


def junit(text):
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(text)
        file.flush()
        said = subprocess.run(
            ["xmllint", "--noout", "--schema", SCHEMAS / "junit.xsd",
             file.name], capture_output=True, text=True, check=False)
    require(said.returncode == 0, said.stderr)
    root, points = xml.fromstring(text), {}
    for suite in [root, *root]:
        cases = list(suite.iter("testcase"))
        for count, tag in ("failures", "failure"), ("skipped", "skipped"):
            n = sum(c.find(tag) is not None for c in cases)
            require(int(suite.get(count)) == n, f"{count} of {suite.get('name')}")
        require(int(suite.get("tests")) == len(cases), "tests")
    for suite in root:
        scores = {p.get("name"): p.get("value") for p in suite.iter("property")}
        points[suite.get("name")] = int(scores["score"])
    return points


def tap(text):
    lines = text.splitlines()
    require(lines.pop(0) == "TAP version 14", "version")
    plan = re.fullmatch(r"1\.\.(\d+)", lines.pop(0))
    require(plan, "the plan")
    points, number = {}, 0
    while lines:
        line = lines.pop(0)
        if line.startswith("# "):
            continue
        test = re.fullmatch(r"(not )?ok (\d+) - ([\w-]+ [\w-]+): "
                            r"((?:[^#\\]|\\[#\\])*)(?: # SKIP (.+))?", line)
        require(test, f"no line of TAP: {line}")
        number += 1
        require(int(test[2]) == number, f"number {test[2]}")
        if not test[1]:
            points[test[3]] = None
            continue
        require(lines.pop(0) == "  ---", "no diagnostics")
        block = {}
        while lines[0] != "  ...":
            entry = re.fullmatch(r"  (\w+): (.+)", lines.pop(0))
            require(entry, "no entry of YAML")
            block[entry[1]] = json.loads(entry[2])
        lines.pop(0)
        require(set(block) == {"message", "severity", "score", "max_score",
                               "output"}, f"keys {sorted(block)}")
        require(block["severity"] in ("fail", "todo"), block["severity"])
        points[test[3]] = block["score"]
    require(number == int(plan[1]), "the plan has another number")
    return points


def commands(text):
    """Of GitHub's runner: name, properties, message; without what stands
    between stop-commands and its word."""
    found, stopped = [], None
    for line in text.splitlines():
        # The runner takes blanks away before it looks.
        if stopped:
            if line.strip() == f"::{stopped}::":
                stopped = None
            continue
        command = re.match(r"\s*::([\w-]+)(?: ([^:]*))?::(.*)", line)
        require(command, f"unquoted: {line}")
        if command[1] == "stop-commands":
            stopped = command[3]
            require(re.fullmatch("[0-9a-f]{32}", stopped), "its word")
            continue
        pairs = [p.split("=", 1) for p in (command[2] or "").split(",")]
        require(all(len(p) == 2 for p in pairs), f"properties of {line}")
        found.append((command[1], dict(pairs), command[3]))
    require(not stopped, "commands stay stopped")
    return found


def github(text):
    found = commands(text)
    for name, properties, message in found:
        require(name in COMMANDS, f"unknown command {name}")
        require(set(properties) <= PROPERTIES, f"{sorted(properties)}")
        require("title" in properties and message, "it says nothing")
        require(name == "notice" or "file" in properties
                or " more%3A " in message or " more: " in message, "no file")
        require(properties.get("line", "1").isdigit(), "line")
    require(found and found[-1][0] == "notice", "no notice")
    require(sum(f[0] == "error" for f in found) <= 10, "GitHub shows ten")
    return None


def markdown(text):
    require(len(text.encode()) < 1 << 20, "it is larger than 1 MiB")
    tags = re.findall("<[^<>]*>", text)
    opened = []
    for tag in tags:
        name = tag.strip("</>")
        require(name in ("details", "summary", "pre", "code"), tag)
        if tag.startswith("</"):
            require(opened and opened.pop() == name, f"{tag} closes nothing")
        else:
            opened.append(name)
    require(not opened, f"{opened} stay open")
    require(text.count("<") == len(tags) and text.startswith("# ScanLab: "),
            "words that are markup")
    points = {}
    for row in re.findall("(?m)^\\|.*", re.sub("(?s)<pre>.*?</pre>", "", text)):
        require(row.count("|") == 5, row)
        cells = [c.strip() for c in row.split("|")[1:-1]]
        score = re.fullmatch(r"(?:bonus )?(\d+)/\d+", cells[3])
        if score:
            points[cells[1]] = int(score[1])
    require(points, "no table")
    return None


READERS = {f.__name__: f for f in (gradescope, prairielearn, autolab, junit,
                                   tap, github, markdown)}


def read(path):
    try:
        return READERS[path.suffix[1:]](path.read_text())
    except Wrong as why:
        raise Wrong(f"{path.name}: {why}") from why


def agrees(path, grade):
    """What is read is what the JSON report has."""
    points = read(path)
    labs = {lab["id"]: lab["score"] for lab in grade["labs"]}
    checks = {f"{lab['id']} {c['id']}": c["score"]
              for lab in grade["labs"] for c in lab["checks"]}
    if points is None:
        return
    if path.suffix == ".tap":
        points = {k: checks[k] if v is None else v for k, v in points.items()}
    require(points in (labs, checks), f"{path.name}: {points}")


# ---- renaming ----

# Objects in which the names are ours.
OURS = {"extra_data", "scores"}


def renamed(data, where=""):
    """The same data, with one key renamed in each."""
    if isinstance(data, dict):
        for name in data:
            yield (f"{where}.{name}",
                   {name + "_" if k == name else k: v for k, v in data.items()})
            if name in OURS:
                continue
            for what, inner in renamed(data[name], f"{where}.{name}"):
                yield what, {**data, name: inner}
    elif isinstance(data, list) and data:
        for what, inner in renamed(data[0], f"{where}[0]"):
            yield what, [inner, *data[1:]]


def renamed_json(text):
    *before, last = [text] if text.startswith("{") else text.splitlines()
    for what, data in renamed(json.loads(last)):
        yield what, "\n".join([*before, json.dumps(data)])


def renamed_words(text, pattern):
    """Each word that the pattern finds, once."""
    seen = set()
    for match in re.finditer(pattern, text):
        word = match[1]
        if word in seen:
            continue
        seen.add(word)
        yield word, text[:match.end(1)] + "_" + text[match.end(1):]


def renamed_commands(text):
    for command in re.finditer(r"(?m)^::([\w-]+)(?: ([^:\n]*))?::", text):
        at = command.start(2)
        names = [(command[1], command.end(1))] + [
            (p[1], at + p.end(1)) for p in re.finditer(r"(\w+)=",
                                                       command[2] or "")]
        for name, end in names:
            yield name, text[:end] + "_" + text[end:]


# What is a name in each format.
WAYS = {
    "gradescope": renamed_json,
    "prairielearn": renamed_json,
    "autolab": renamed_json,
    "junit": lambda text: renamed_words(
        text, r'(?:</?(?=[a-z-]+[ >/])| (?=[a-z-]+="))([a-z-]+)'),
    "tap": lambda text: renamed_words(text, r"(?m)^(TAP|  \w+(?=:)|(?:not )?ok"
                                      r"|.*# SKIP)"),
    "github": renamed_commands,
    "markdown": lambda text: renamed_words(text, r"<(\w+)>"),
}


def wrong(name, text):
    try:
        READERS[name](text)
    except (Wrong, ValueError, KeyError, SyntaxError):
        return True
    return False


def names_count(path):
    """Renames each field of a report, one at a time: none may be read then."""
    name, text = path.suffix[1:], path.read_text()
    n = 0
    for what, other in WAYS[name](text):
        n += 1
        if not wrong(name, other):
            raise Wrong(f"{path.name}: it does not matter that {what} is "
                        "renamed")
    require(n, f"{path.name}: no names")
    return n
