#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""german.py SCANLAB [OUT]: courses/german has every text of labs 0 and 1, as many hints
as they have, and nothing else; under it reports are in German, but for what
has no translation; names, numbers and JSON's data stay. With OUT a wrong CUDA
scan is graded, too: what the virtual GPU says of it."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))
from graded import handed_in  # noqa: E402
import page_data  # noqa: E402
SCANLAB = sys.argv[1]
TEXTS = ("title", "cause", "hint", "serial", "deadlock", "unwritten")


def texts(path):
    """(section, key): how many; and the values."""
    counts, values, section, key = {}, [], "", ""
    for line in path.read_text().splitlines():
        heading = re.match(r"\[(.+)\]", line)
        entry = re.match(r"(\w+) = (.*)", line)
        if heading:
            section = heading[1]
        elif entry:
            key = entry[1]
            counts[section, key] = counts.get((section, key), 0) + 1
            values.append(entry[2])
    return counts, values


def run(lab, submission, folder, *more):
    done = subprocess.run(
        [SCANLAB, "grade", lab, "--device", "vgpu", "--submission", submission, "--seed", "1",
         "--report", "text=-", "--report", f"json={folder}/json",
         "--report", f"html={folder}/html", "--report", f"tap={folder}/tap",
         *more], cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "LANGUAGE": "fr", "LC_ALL": "C"})
    if done.returncode != 1:
        sys.exit(f"{lab}: {done.returncode}\n{done.stderr}")
    return (done.stdout, json.loads(pathlib.Path(folder, "json").read_text()),
            pathlib.Path(folder, "html").read_text(),
            pathlib.Path(folder, "tap").read_text())


def sentences_only(value):
    """A grade without what is data in every language (docs/grade.md)."""
    if isinstance(value, dict):
        return {k: sentences_only(v) for k, v in value.items() if k != "outcome"}
    return [sentences_only(v) for v in value] if isinstance(value, list) else value


def same_data(english, german):
    """But for sentences and times the two grades are the same."""
    said = {"message", "where", "cause", "about", "lost", "title", "hints", "reproduce",
            "seconds", "trust", "submission", "read", "device", "build_error"}
    if isinstance(english, dict):
        return english.keys() == german.keys() and all(
            key in said or (key == "text" and "step" in english) or
            same_data(english[key], german[key]) for key in english)
    if isinstance(english, list):
        return len(english) == len(german) and all(map(same_data, english,
                                                       german))
    return english == german


def has(text, *parts):
    unwrapped = " ".join(text.split())
    for part in parts:
        if part not in unwrapped:
            sys.exit(f"no {part!r} in:\n{text}")


def finding(out, folder):
    """A race: its sentence and parts within it, and its data as ever."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    shutil.copy(ROOT / "reference/naive.cu", out)
    subprocess.run(["patch", "--silent", out / "naive.cu",
                    ROOT / "tests/mutants/naive/in-place.patch"], check=True)
    handed_in(out)
    _, english, _, _ = run("naive", out, folder)
    text, grade, page, _ = run("naive", out, folder, "--course", "courses/german")
    if not same_data(english, grade):
        sys.exit("the two grades differ in more than words")
    shown = "\n".join(page_data.texts(sentences_only(page_data.data(page))))
    for report in text, shown:
        has(report, "Wettlauf: Dieser Thread schreibt d_out[", "; das "
            "hat Block (0,0,0), Thread (1,0,0) in Zeile ", "und nichts legt fest, wer zuerst "
            "kommt: eine Anweisung liest und schreibt, so dass manche")
    if "race: this" in text or "race: this" in shown:
        sys.exit("it says it in English, too")


def main():
    if not shutil.which("msgfmt"):
        print("SKIP: no msgfmt, so no translations (Debian: gettext)")
        return 77
    for lab in "00-cpu-scan", "01-naive":
        ours, values = texts(ROOT / "labs" / lab / "lab.ini")
        theirs, german = texts(ROOT / "courses/german" / lab / "lab.ini")
        wanted = {k: n for k, n in ours.items() if k[1] in TEXTS}
        if theirs != wanted:
            sys.exit(f"{lab}: {set(theirs.items()) ^ set(wanted.items())}")
        if set(values) & set(german):
            sys.exit(f"{lab}: in English: {set(values) & set(german)}")
    with tempfile.TemporaryDirectory() as folder:
        source = (ROOT / "student/cpu_scan.c").read_text()
        wrong = pathlib.Path(folder, "wrong")
        wrong.mkdir()
        begin = source.index("int cpu_inclusive_scan(")
        begin = source.index("{", begin) + 1
        end = source.index("\n}", begin)
        (wrong / "cpu_scan.c").write_text(
            source[:begin] + "\n    for (size_t i = 0; i < n; i++) out[i] = "
            "in[i];\n    return 0;" + source[end:])
        text, english, _, _ = run("cpu-scan", wrong, folder)
        has(text, "passed", "TODO", "Inclusive scan")
        text, grade, page, tap = run("cpu-scan", wrong, folder, "--course",
                                     "courses/german")
        if not same_data(english, grade):
            sys.exit("the two grades differ in more than words")
        has(text, "ist noch nicht geschrieben", "Inklusiver Scan", "Summe",
            "Aufgabe 0", "out ist eine Kopie von in: nichts wurde addiert",
            "worum Diese Prüfung: out[i] muss")
        has(page, '<html lang="de">', "von 100 Punkten</title>")
        has(page_data.without_scripts(page), "Inklusiver Scan", "Aufgabe 0", "nochmal")
        has(tap, "not ok 1 - cpu-scan inclusive: Inklusiver Scan", "Tipp 1: ")
        has("\n".join(page_data.texts(page_data.data(page))), "Inklusiver Scan",
            "um das erste falsche Element")
        spoken = json.loads(re.search('id="data">(.*?)</script>', page)[1])["words"]
        wanted = {"%s of %s points": "%s von %s Punkten", "fail": "falsch",
                  "expected": "erwartet", "got": "erhalten", "Copy": "Kopieren",
                  "Theme: dark": "Farben: dunkel"}
        if spoken | wanted != spoken:
            sys.exit(f"the page's own words: {spoken}")
        if sys.argv[2:]:
            finding(pathlib.Path(sys.argv[2]), folder)
        bad = pathlib.Path(folder, "course")
        bad.mkdir()
        (bad / "course.ini").write_text("[course]\nlanguage = xx\n")
        done = subprocess.run([SCANLAB, "grade", "--course", bad], cwd=ROOT,
                              capture_output=True, text=True, check=False)
        if done.returncode != 2 or "there is no 'xx'" not in done.stderr:
            sys.exit(f"xx: {done.returncode} {done.stderr}")
    print("German")
    return 0


if __name__ == "__main__":
    sys.exit(main())
