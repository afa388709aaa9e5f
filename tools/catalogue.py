#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The sentences that reports say, and their translations in grader/po.

  catalogue.py [PO...]  do printf's conversions, and the values and marks of facts,
                        agree? says how many sentences are translated, and how
                        many the sources have changed since
  catalogue.py --check  is each sentence translated, and in the catalogue? Literals of
                        rooms that make reports count, too, where they are words
  catalogue.py --fix    brings the catalogues up to date (GNU msgmerge): new
                        sentences untranslated, those that are gone left out
  catalogue.py --list   the sentences

A sentence that has no translation stays English: but for --check that is no mistake.
Exit status: 0 yes, 1 no, 77 GNU gettext is missing.
"""
import ast
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Where sentences stand in calls: _(), N_() and those whose argument is words.
ROOMS = ("grader/grade", "grader/report", "grader/judge", "grader/course", "grader/cli",
         "vgpu/core", "vgpu/device", "vgpu/observers", "vgpu/cuda")
CALLS = (("_", "N_", "page_label:2", "page_label_own:2", "page_label_line:2",
          "race_stop:2", "server_violation:2", "check_range:2", "vgpu_charge:3", "charges_add:3",
          "charges_bytes:3", "charges_zeroed:3", "charges_grown:5", "charges_text:3",
          "charges_map:3", "charges_refuse:3"),
         ("race_stop:3",))
FINDINGS = "vgpu/include/vgpu_findings.def"
# Tables, and which strings of a row are said.
TABLES = {"grader/contract/facts.def": (2, 3),
          "grader/contract/refusals.def": (2,),
          "vgpu/include/vgpu_counters.def": (3,),
          "vgpu/include/vgpu_limits.def": (2,),
          "grader/report/page_words.def": (0,),
          "grader/grade/spots.def": (2,),
          "grader/grade/lab_states.def": (2,),
          "grader/grade/finding_reasons.def": (1,)}
# Of the table of findings: the kinds' causes, what messages and parts say.
ROWS = {"KIND": (5,), "MESSAGE": (-2, -1), "PART": (-1,)}
# Rooms where all words are for students, and files whose words are not a report's.
SAYING = "grader/grade", "grader/report"
NOT_SAID = {"grader/grade/source_make.c": "pages of scanlab profile",
            "grader/report/html_profile.c": "pages of scanlab profile",
            "grader/report/sweep_words.c": "scanlab sweep",
            "grader/report/sweep_picture.c": "pictures of scanlab sweep",
            "grader/report/html/view_profile.js": "pages of scanlab profile",
            "grader/report/html/costs.js": "pages of scanlab profile",
            "grader/report/html/timeline.js": "pages of scanlab profile",
            "grader/report/html/view_class.js": "pages of scanlab stats",
            "grader/report/html/live.js": "the live page's line of state",
            "grader/report/picture.c": "styles",
            "grader/report/junit.c": "XML"}
# What says in Python what comes of a class, and its words that are data: columns of systems'
# files and of ours, names of rows, of fields and of types.
PYTHON = "tools/class", "tools/gradebook", "tools/stats/known.py"
DATA = {"tools/class/words.py": {"grace day", "other file", "written answer"},
        "tools/class/collect.py": {"other file"},
        "tools/class/main.py": {"scanlab class: ", "of the course", "other file"},
        "tools/stats/known.py": {"not handed in", "model time"},
        "tools/class/node.py": {"scanlab class: "},
        "tools/class/jobs.py": {"no pipe"},
        "tools/class/tree.py": {"not one name"},
        "tools/class/unpack.py": {"no file", "odd name", "out of it", "one name", "too deep"},
        "tools/gradebook/compute.py": {"the last attempt"},
        "tools/gradebook/questions.py": {"written answer"},
        "tools/gradebook/giveback.py": {"Feedback comments", "Grade can be changed",
                                        "points possible", "Full name"},
        "tools/gradebook/given.py": {"in all: ", "comment "},
        "tools/gradebook/main.py": {"scanlab gradebook: "},
        "tools/gradebook/moodle.py": {
            "Bewertung kann geändert werden", "Zuletzt geändert (Abgabe)", "Full name",
            "Zuletzt geändert (Bewertung)", "Feedback als Kommentar", "Email address",
            "Grade can be changed", "Last modified (submission)", "Last modified (grade)",
            "Feedback comments", "ID number", "Extension granted until",
            "Verlängertes Abgabeende bis", "Erweiterung der Abgabe möglich bis",
            "Draft (not submitted)", "Entwurf (nicht abgegeben)", "Submitted for grading",
            "Zur Bewertung abgegeben"},
        "tools/gradebook/report.py": {
            "matched by", "max points", "cost of lateness", "told the student", "handed in",
            "said by", "grace days", "percent lost", "grace day"},
        "tools/gradebook/results.py": {"not graded", "not handed in", "does not compile"},
        "tools/gradebook/roster.py": {"points possible"},
        "tools/class/translate.py": {"it is no name of a language", "there is no translation '"}}
NO_SENTENCES = re.compile(r"\s*(?:SELECT|INSERT|CREATE|PRAGMA|<|FROM|\">|body\{|#!/bin/sh)")
NO_SAYERS = "namedtuple", "form", "split"
# Classes of a page's parts, options and words of formats.
NO_WORDS = {"line bank", "bank many", "bank one", "flow wrong", "flow alone",
            "cell new wrong", "cell new", "wide steps", "details.lab, details.together",
            " here", " there", "use strict", " --device gpu", "not ",
            r"TAP version 14\n1..%zu\n"}
# Two words, or one that is put into a sentence.
WORDS = re.compile(r"[A-Za-z]{2,},? [a-z]{2,}|^[,;]? [a-z]{3,}$|^[a-z]{3,} $")
STRING = r'"((?:[^"\\]|\\.)*)"'
FIELD = re.compile(STRING + r"|([^,()\s]+)")


def table_sentences():
    """Those of the tables: not printf's, but facts have {values} and <parts>."""
    for name, columns in TABLES.items():
        text = (ROOT / name).read_text()
        macros = dict(re.findall(rf"^#define (\w+) {STRING}", text, re.M))
        for row in re.finditer(r"^X\((.*)\)$", text, re.M):
            fields = [macros.get(word, "") if word else said
                      for said, word in FIELD.findall(row[1])]
            for column in columns:
                if column < len(fields) and fields[column]:
                    yield fields[column], name
    yield from ((said, FINDINGS) for said in finding_sentences())
    yield from lab_words()


def lab_words():
    """Names in lab.ini that reports say in sentences: parts, and groups of sizes."""
    for path in sorted((ROOT / "labs").glob("*/lab.ini")):
        text = path.read_text()
        said = [name for line in re.findall(r"^parts = (.*)$", text, re.M)
                for name in line.split()[::2]]
        said += re.findall(r"^(?:sizes =)? +(\S[^:=#]*?) \d+(?: of [\w-]+)?: ", text, re.M)
        yield from ((name, str(path)) for name in said)


def finding_sentences():
    text = (ROOT / FINDINGS).read_text()
    macros = dict(re.findall(rf"^#define (\w+) {STRING}", text, re.M))
    for macro, row in re.findall(r"^(KIND|MESSAGE|PART)\((.*)\)$", text, re.M):
        fields = [macros.get(word, "") if word else said
                  for said, word in FIELD.findall(row)]
        yield from (fields[column] for column in ROWS[macro] if fields[column])


def bare_literals():
    """Words that reach a report past the catalogue."""
    files = [p for room in SAYING for kind in ("*.c", "html/*.js")
             for p in sorted((ROOT / room).glob(kind))]
    for path in files:
        name = str(path.relative_to(ROOT))
        if name not in NOT_SAID:
            text = re.sub(r'^#include.*$', "", path.read_text(), flags=re.M)
            yield from (f"{name}: {said!r} is no sentence of the catalogue"
                        for said in bare(text))
    for room in "grader/judge", "grader/course":  # values of facts
        for path in sorted((ROOT / room).rglob("*.c")):
            for said in re.findall(rf"\bV\((?:\([^()]*\))?{STRING}\)", path.read_text()):
                if WORDS.search(said):
                    yield f"{path.relative_to(ROOT)}: {said!r} is no sentence"


def bare(text):
    """Its literals that are words and stand in no _() or N_()."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"(?m)^\s*//.*$", "", text)
    text = re.sub(r"'\\?[\"']'", "", text)
    text = re.sub(rf"\bN?_\(\s*(?:{STRING}|PRI\w+|\s)+\)", "", text)
    for said in re.findall(STRING, text):
        if (WORDS.search(said) and not re.search(r"[<>={}]", said)
                and said not in NO_WORDS):
            yield said


def python_files():
    for room in PYTHON:
        path = ROOT / room
        yield from sorted(path.glob("*.py")) if path.is_dir() else [path]


def bare_python():
    """The same of what says in Python what comes of a class."""
    for path in python_files():
        name, text = str(path.relative_to(ROOT)), path.read_text()
        yield from (f"{name}: {said!r} is no sentence of the catalogue"
                    for said in bare_of(ast.parse(text)) if said not in DATA.get(name, ()))
        yield from (f"{name}:{line}: _ is a variable here, and says sentences, too"
                    for line in hidden(ast.parse(text)))


def name_of(call):
    """Of what is called."""
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def bare_of(node):
    """Its literals that are words and stand in no _() or N_(), and are no description."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.Call) and name_of(child) in ("_", "N_"):
            for value in child.keywords:
                yield from bare_of(value)
        elif isinstance(child, ast.Call) and name_of(child) in NO_SAYERS:
            continue
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            if WORDS.search(child.value) and not NO_SENTENCES.match(child.value):
                yield child.value
        else:
            yield from bare_of(child)


SCOPES = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def hidden(node):
    """Lines of functions in which _ is a variable and is called."""
    def names(scope):
        for child in ast.iter_child_nodes(scope):
            yield child
            if not isinstance(child, SCOPES):
                yield from names(child)
    for scope in (n for n in ast.walk(node) if isinstance(n, SCOPES)):
        own = list(names(scope))
        is_variable = any(isinstance(n, ast.Name) and n.id == "_" and
                          isinstance(n.ctx, ast.Store) for n in own) or any(
            n.arg == "_" for arguments in own if isinstance(arguments, ast.arguments)
            for n in ast.walk(arguments) if isinstance(n, ast.arg))
        if is_variable and any(isinstance(n, ast.Call) and name_of(n) == "_"
                               for n in ast.walk(scope)):
            yield scope.lineno


def lacking(path, said=None):
    """Those of the sentences, of all where none are given, that have no translation or
    are not in this catalogue."""
    if said is None:
        with tempfile.TemporaryDirectory() as folder:
            template = pathlib.Path(folder, "scanlab.pot")
            write_template(template)
            said = sentences(template)
    listed = dict(entries(path))
    yield from (f"{path.name} has no {s!r}" for s in said if not listed.get(s))


def write_template(path):
    """All sentences, as a catalogue without translations."""
    called = re.compile(r"\b(" + "|".join(
        call.partition(":")[0] for calls in CALLS for call in calls) + r")\(")
    sources = sorted(p.relative_to(ROOT) for room in ROOMS
                     for p in (ROOT / room).rglob("*.c") if called.search(p.read_text()))
    path.touch()
    for calls in CALLS:
        subprocess.run(
            ["xgettext", "-L", "C", "--from-code=UTF-8", "--join-existing", "-k",
             *(f"-k{call}" for call in calls), "--flag=_:1:pass-c-format",
             "--omit-header", "--no-location", "-o", path, *sources],
            cwd=ROOT, check=True)
    there = set(sentences(path))
    with path.open("a") as file:
        of_python = (as_written(said) for said in sorted(python_sentences()))
        for said in dict.fromkeys([*(s for s, _ in table_sentences()), *of_python]):
            if said not in there:
                file.write(f'\nmsgid "{said}"\nmsgstr ""\n')


def entries(path):
    """msgid, msgstr, as the file has them without its line breaks."""
    text = re.sub(r'"\n"', "", path.read_text())
    return [(m[1], m[2]) for m in re.finditer(
        rf"^msgid {STRING}\nmsgstr {STRING}$", text, re.M) if m[1]]


def sentences(path):
    return [said for said, _ in entries(path)]


def marks(sentence):
    """What a fact's sentence is made of; None: it is not well-formed."""
    braces = re.findall(r"{([^{}]*)}", sentence)
    rest = re.sub(r"{[^{}]*}", "{", sentence)
    if re.search("}", rest) or not re.fullmatch(r"[^<>]*(<[^<>{]*{[^<>]*>[^<>]*)*",
                                                rest):
        return None
    if any("?" in b and b.count("|") != 1 for b in braces):
        return None
    return {re.split("[:?]", b)[0] for b in braces}


def fact_agrees(said, translation):
    """Values may stand in another order; none may be new, and none may be lost
    but where its word for one and for more was all that it was for."""
    ours, theirs = marks(said), marks(translation)
    if theirs is None:
        return False
    needed = {re.split("[:?]", b)[0] for b in re.findall(r"{([^{}]*)}", said)
              if "?" not in b}
    return needed <= theirs <= ours


def problems(path):
    listed = dict(entries(path))
    facts = {said for said, name in table_sentences() if "facts" in name}
    messages = set(finding_sentences())
    of_python = set(map(as_written, python_sentences()))
    of_pages = {said for said, name in table_sentences() if "page_words" in name}
    for said, translation in listed.items():
        if translation and (said in facts and not fact_agrees(said, translation) or
                            said in messages
                            and not message_agrees(said, translation) or
                            said in of_python and names_in(said) != names_in(translation) or
                            said in of_pages and said.count("%s") !=
                            translation.count("%s")):
            yield f"values do not agree: {translation!r}"
        if translation and said[0] + said[-1] != " " + " " and (
                said.startswith(" ") != translation.startswith(" ")
                or said.endswith(" ") != translation.endswith(" ")):
            yield f"blanks at the ends do not agree: {translation!r}"
    if re.search("^#, .*fuzzy", path.read_text(), re.M):
        yield "has a fuzzy translation, which msgfmt leaves out"
    said = subprocess.run(["msgfmt", "--check", "-o", "/dev/null", path],
                          capture_output=True, text=True, check=False)
    if said.returncode:
        yield said.stderr.strip()


def names_in(sentence):
    return set(re.findall(r"{(\w*)", sentence))


def python_sentences():
    """Those of what says in Python what comes of a class."""
    return {ast.literal_eval(child.args[0]) for path in python_files()
            for child in ast.walk(ast.parse(path.read_text()))
            if isinstance(child, ast.Call) and name_of(child) in ("_", "N_")
            and isinstance(child.args[0], ast.Constant)}


def as_written(said):
    """A sentence as a catalogue has it between quotes."""
    return said.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def message_agrees(said, translation):
    """The same arguments, but for those that only choose a word, and as many
    words for each choice; what may be left out ends where it begins."""
    def choices(sentence):
        return {name: words.count("|")
                for name, words in re.findall(r"{(\w+)\?([^{}]*)}", sentence)}

    def names(sentence):
        return set(re.findall(r"{(\w+)}", sentence))
    ours, theirs = choices(said), choices(translation)
    rest = re.sub(r"{\w+(\?[^{}]*)?}", "", translation)
    return (names(said) == names(translation)
            and all(words == ours.get(name) for name, words in theirs.items())
            and not re.search("[{}]", rest)
            and translation.count("<") == translation.count(">"))


def rows_nobody_says(table):
    """Messages and parts of findings that no code makes."""
    said = "\n".join(path.read_text() for folder in ("vgpu", "grader/judge")
                     for path in [*(ROOT / folder).rglob("*.c"),
                                  *(ROOT / folder).rglob("misuse.def")])
    made = set(re.findall(r"VGPU_SAY(?:_PLAIN)?\([^,;]+,\s*(\w+)", said)
               + re.findall(r"VGPU_MESSAGE_(\w+)", said)
               + re.findall(r"^X\(\w+, \w+, (\w+)", said, re.M))
    for row in re.findall(r"^(?:MESSAGE|PART)\((\w+)", table, re.M):
        if row not in made:
            yield row


def main():
    if not all(map(shutil.which, ("xgettext", "msgmerge", "msgfmt"))):
        print("SKIP: GNU gettext is missing (Debian: gettext)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        template = pathlib.Path(folder, "scanlab.pot")
        write_template(template)
        if "--list" in sys.argv:
            print(template.read_text())
            return 0
        bad = 0
        for row in rows_nobody_says((ROOT / FINDINGS).read_text()):
            print(f"{FINDINGS}: nobody says {row}")
            bad += 1
        named = [pathlib.Path(a).resolve() for a in sys.argv[1:]
                 if not a.startswith("--")]
        for path in named or sorted((ROOT / "grader/po").glob("*.po")):
            if "--fix" in sys.argv:
                subprocess.run(["msgmerge", "--quiet", "--update",
                                "--no-fuzzy-matching", "--backup=none",
                                "--no-location", "--sort-output", path, template],
                               check=True)
                subprocess.run(["msgattrib", "--no-obsolete", "-o", path, path],
                               check=True)
            found = list(problems(path))
            for what in found:
                print(f"{path.name}: {what}")
            bad += len(found)
            if "--check" in sys.argv:
                found = [*lacking(path, sentences(template)), *bare_literals(), *bare_python()]
                print(*found, sep="\n", end="\n" if found else "")
                bad += len(found)
            listed = entries(path)
            done = sum(bool(translation) for _, translation in listed)
            ours, theirs = set(sentences(template)), {s for s, _ in listed}
            print(f"{path.stem}: {done} of {len(listed)} sentences; the others "
                  "stay English")
            # Not to be in the way of who changes a sentence.
            if ours != theirs:
                print(f"{path.stem}: {len(ours - theirs)} are new and "
                      f"{len(theirs - ours)} are gone: tools/catalogue.py --fix")
        return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
