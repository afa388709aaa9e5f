#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""catalogue_test.py FOLDER: tools/catalogue.py finds each planted mistake of a
translation, and takes one that is missing or says values in another order."""
import ast
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
import catalogue  # noqa: E402
GERMAN = (ROOT / "grader/po/de.po").read_text()
# What is replaced by what, and what is said then; None: nothing.
PLANTED = [
    ('msgstr "; %zu von %zu Elementen weichen ab, das letzte ist out[%zu]"',
     'msgstr "; %zu von %s Elementen weichen ab, das letzte ist out[%zu]"',
     "format specifications"),
    ('msgstr "braucht zuerst {check}"', 'msgstr "braucht etwas"',
     "values do not agree"),
    ('msgstr "braucht zuerst {check}"', 'msgstr "braucht {was}"',
     "values do not agree"),
    ('msgstr "braucht zuerst {check}"', 'msgstr "braucht {check"',
     "values do not agree"),
    ('msgstr "braucht zuerst {check}"', 'msgstr "braucht {check?eins}"',
     "values do not agree"),
    ('msgstr "braucht zuerst {check}"', 'msgstr "braucht <zuerst> {check}"',
     "values do not agree"),
    ('"setze ein __syncthreads() (oder, innerhalb eines Warps, ein __syncwarp()) "',
     '"{mend}setze ein __syncthreads() (oder, innerhalb eines Warps, ein __syncwarp()) "',
     "values do not agree"),
    ('msgstr "Byte {byte} des geteilten Speichers"',
     'msgstr "Byte {bite} des geteilten Speichers"', "values do not agree"),
    ('msgstr "höchstens {points}"', 'msgstr "höchstens {punkte}"', "values do not agree"),
    ('msgstr "%s von %s Punkten"', 'msgstr "%s Punkte"', "values do not agree"),
    ('msgstr " doppelt"', 'msgstr "doppelt"', "blanks at the ends"),
    ('msgid " twice"', 'msgid " thrice"', None),
    ('msgstr "braucht zuerst {check}"', 'msgstr ""', None),
    ('msgstr "ein Element ist falsch, out[{first}]"',
     'msgstr "out[{first}] ist als einziges falsch"', None),
]


def main():
    if not shutil.which("xgettext"):
        print("SKIP: GNU gettext is missing (Debian: gettext)")
        return 77
    for row, stale in (('PART(NOBODYS, , "what nobody ever says")', True),
                       ('PART(PAST_END, A(BYTES, distance), "past the end")', False)):
        if bool(list(catalogue.rows_nobody_says(row))) != stale:
            sys.exit(f"is it said? {row}")
    for text, words in (('f("two words here");', True), ('f(_("two words here"));', False),
                        ("f('\"', \"two words\");", True), ('f(" twice");', True),
                        ('f(_("two words of %" PRIu64 " more"));', False),
                        ('/* "two words" */ f("one");', False)):
        if bool(list(catalogue.bare(text))) != words:
            sys.exit(f"words past the catalogue? {text}")
    for text, words in (('f("two words here")', True), ('f(_("two words here"))', False),
                        ('f(f"two words {here}")', True), ('f(_("a {b}", b="two words"))', True),
                        ('"""Two words."""', False), ('f("SELECT two words")', False)):
        if bool(list(catalogue.bare_of(ast.parse(text)))) != words:
            sys.exit(f"words past the catalogue, in Python? {text}")
    for text, is_hidden in (("def f():\n  a, _ = b\n  return _('x')", True),
                            ("def f(_):\n  return _('x')", True),
                            ("def f():\n  return [a for a, _ in b], _('x')", False)):
        if bool(list(catalogue.hidden(ast.parse(text)))) != is_hidden:
            sys.exit(f"is _ a variable where it says sentences? {text}")
    path = pathlib.Path(sys.argv[1], "planted.po")
    for good, bad, said in PLANTED:
        if GERMAN.count(good) != 1:
            sys.exit(f"{good} is there {GERMAN.count(good)} times")
        path.write_text(GERMAN.replace(good, bad))
        done = subprocess.run([ROOT / "tools/catalogue.py", path], text=True,
                              capture_output=True, check=False)
        if done.returncode != (said is not None) or (said or "") not in done.stdout:
            sys.exit(f"{bad}: {done.returncode}\n{done.stdout}{done.stderr}")
    for good, bad in (("", ""), ('msgstr "braucht zuerst {check}"', 'msgstr ""'),
                      ('msgid " twice"', 'msgid " thrice"')):
        path.write_text(GERMAN.replace(good, bad) if good else GERMAN)
        done = subprocess.run([ROOT / "tools/catalogue.py", "--check", path], text=True,
                              capture_output=True, check=False)
        if done.returncode != bool(good) or ("has no" in done.stdout) != bool(good):
            sys.exit(f"--check, {bad}: {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"{len(PLANTED)} planted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
