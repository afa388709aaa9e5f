#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/grade-v2.schema.json and the tables of docs/grade.md, held in step with
grader/contract/facts.def and vgpu/include/vgpu_findings.def, and grades held
against the schema.

  grade_schema.py            do they have every row of facts.def, and no other?
                             does every FACT(ROW, {V(x), ...}) give the values
                             that its row names, and is every row made?
  grade_schema.py --fix      writes them
  grade_schema.py GRADE...   are these grades (JSON) as the schema says?

Exit status: 0 yes, 1 no, 77 the module jsonschema is missing.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FACTS = ROOT / "grader/contract/facts.def"
REPAIRS = ROOT / "grader/grade/repairs.def"  # its rows name the facts that they make
CHANGES = ROOT / "grader/judge/changes.def"
FINDINGS = ROOT / "vgpu/include/vgpu_findings.def"
SCHEMA = ROOT / "docs/grade-v2.schema.json"
PAGE = ROOT / "docs/grade.md"
# Kinds of an outcome that no fact names.
KINDS = ["bound", "difference", "finding", "ratio", "refused"]


def facts():
    """For each section of facts.def: id -> names of its values."""
    sections, rows = {}, {}
    for line in FACTS.read_text().splitlines():
        heading = re.match(r"/\* ---- (.*) ---- \*/", line)
        row = re.match(r'X\(\w+, "([^"]*)", "((?:[^"\\]|\\.)*)"', line)
        if heading:
            rows = sections.setdefault(heading[1], {})
        elif row:
            names = rows.setdefault(row[1], [])
            names += [name for name in
                      dict.fromkeys(re.findall(r"{(\w+)", row[2]))
                      if name not in names]
    return sections


def calls_fit():
    """FACT() cannot see how many values its row's sentence has."""
    rows = {row: len(set(re.findall(r"{(\w+)", sentence)))
            for row, sentence in re.findall(
                r'^X\((\w+), "[^"]*", "((?:[^"\\]|\\.)*)"',
                FACTS.read_text(), re.M)}
    good = True
    tables = REPAIRS.read_text() + CHANGES.read_text()
    made = {"NONE", *re.findall(r"\b(REPAIR_\w+)\)$", tables, re.M)}
    for path in sorted((ROOT / "grader").rglob("*.c")):
        text = path.read_text()
        for call in re.finditer(r"\bFACT\((\w+)(?:,\s*{(.*?)}\))?", text, re.S):
            given = len(re.findall(r"\bV\(", call[2] or ""))
            made.add(call[1])
            # No value at all: they are all 0 and their parts left out.
            if given not in (0, rows.get(call[1])):
                line = text.count("\n", 0, call.start()) + 1
                print(f"{path.relative_to(ROOT)}:{line}: {call[1]} is given "
                      f"{given} values, not {rows.get(call[1])}")
                good = False
    for row in sorted(rows.keys() - made):
        print(f"{FACTS.relative_to(ROOT)}: nobody makes the fact {row}")
        good = False
    return good


# What an argument of a finding's message is in JSON, by the column of TYPE.
ARGUMENTS = {"triple": {"type": "array", "items": {"type": "integer", "minimum": 0},
                        "minItems": 3, "maxItems": 3},
             "part": {"$ref": "#/definitions/said"},
             "list": {"type": "array", "items": {"$ref": "#/definitions/said"}}}


def messages():
    """Of what findings say: id -> the types of its arguments by name."""
    return {name.lower().replace("_", "-"): dict(
                (argument, kind) for kind, argument in
                re.findall(r"\bA\((\w+), (\w+)\)", row))
            for name, row in re.findall(r"^(?:MESSAGE|PART)\((\w+), (.*)\)$",
                                        FINDINGS.read_text(), re.M)}


def argument_schema(kind):
    """Of an argument of this type; it may be absent, which is null."""
    text = FINDINGS.read_text()
    form = re.search(rf'^TYPE\({kind}, \w+, "(\w+)"', text, re.M)[1]
    if form == "choice":
        words = re.search(rf"^CHOICE\({kind}, (.*)\)$", text, re.M)[1]
        return {"enum": json.loads(f"[{words}]")}
    return ARGUMENTS.get(form, {"type": form})


def said_schema():
    """The object `said` of a finding, and of each part in it."""
    kinds = {}
    for arguments in messages().values():
        for name, kind in arguments.items():
            kinds.setdefault(name, {})[kind] = None
    properties = {"id": {"enum": sorted(messages())}}
    for name in sorted(kinds):
        forms = [argument_schema(kind) for kind in sorted(kinds[name])]
        types = sorted({form["type"] for form in forms if list(form) == ["type"]})
        rest = [form for i, form in enumerate(forms)
                if list(form) != ["type"] and form not in forms[:i]]
        plain = {"type": [*types, "null"] if types else "null"}
        properties[name] = {"anyOf": [*rest, plain]} if rest else plain
    return {"type": "object", "additionalProperties": False,
            "properties": properties, "required": ["id"]}


def is_shape(section):
    return section.startswith(("shapes", "slips", "where it stands", "of "))


def tables():
    """Markdown: one table for each section."""
    lines = []
    for section, rows in facts().items():
        lines += [f"\n### {section[0].upper()}{section[1:]}\n",
                  "| id | values |", "|---|---|"]
        lines += [f"| `{row}` | {', '.join(f'`{n}`' for n in names)} |"
                  for row, names in rows.items()]
    return "\n".join(lines).strip() + "\n"


def message_table():
    return "\n".join(["| id | arguments |", "|---|---|"] + [
        f"| `{row}` | {', '.join(f'`{name}`' for name in arguments)} |"
        for row, arguments in sorted(messages().items())]) + "\n"


def new_page(page):
    for begin, end, new in (("<!-- facts -->\n", "<!-- end of facts -->", tables()),
                            ("<!-- messages -->\n", "<!-- end of messages -->",
                             message_table())):
        before, rest = page.split(begin)
        page = before + begin + "\n" + new + "\n" + end + rest.split(end)[1]
    return page


def new_schema(text):
    schema = json.loads(text)
    rows = [(section, row) for section, ids in facts().items() for row in ids]
    shapes = dict.fromkeys(r for s, r in rows if is_shape(s))
    others = dict.fromkeys(r for s, r in rows if not is_shape(s))
    places = schema["definitions"]
    places["shape"]["properties"]["id"]["enum"] = sorted(shapes)
    places["fact"]["properties"]["id"]["enum"] = sorted(others)
    places["said"] = said_schema()
    places["outcome"]["properties"]["kind"]["enum"] = sorted([*others, *KINDS])
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def in_step(fix):
    good = calls_fit()
    for path, new in ((PAGE, new_page), (SCHEMA, new_schema)):
        text = path.read_text()
        if new(text) == text:
            continue
        if fix:
            path.write_text(new(text))
        else:
            print(f"{path.relative_to(ROOT)}: not in step with the tables; "
                  "tools/grade_schema.py --fix mends it")
            good = False
    return good


def validate(grades):
    try:
        import jsonschema
    except ImportError:
        print("SKIP: the Python module jsonschema is missing")
        sys.exit(77)
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    good = True
    for grade in grades:
        whole = json.loads(pathlib.Path(grade).read_text())
        for error in validator.iter_errors(whole):
            where = "/".join(str(step) for step in error.path)
            print(f"{grade}: {where}: {error.message[:500]}")
            good = False
    return good


def main():
    given = sys.argv[1:]
    fix = given == ["--fix"]
    return in_step(fix) if fix or not given else validate(given)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
