# SPDX-License-Identifier: MIT
"""words.py: what the site says by itself in another language: that of a course, on the
pages that the course has written in it. Its own words are words/LANGUAGE.json; those of
the replay and of what the checks find are the reports', grader/po/LANGUAGE.po."""
import configparser
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE_WORDS = ROOT / "grader/report/page_words.def"
FINDINGS = ROOT / "vgpu/include/vgpu_findings.def"
STRING = r'"((?:[^"\\]|\\.)*)"'
KIND = re.compile(rf'^KIND\(\w+, {STRING}, \w+, \w+, {STRING}, (?:{STRING}|NULL)\)', re.M)


def of_reports(language):
    """{English: translated}"""
    text = re.sub(r'"\n"', "", (ROOT / f"grader/po/{language}.po").read_text())
    found = re.findall(rf"^msgid {STRING}\nmsgstr {STRING}$", text, re.M)
    return {english: said for english, said in found if english and said}


def languages():
    return sorted(path.stem for path in (HERE / "words").glob("*.json"))


def of_course(course):
    """Its language, if the site speaks it; or en."""
    if not course:
        return "en"
    ini = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    ini.read_string((course / "course.ini").read_text())
    language = ini.get("course", "language", fallback="en")
    return language if language in languages() else "en"


class Words:
    """Of a page in a language."""

    def __init__(self, language):
        self.language = language
        self.own, self.reports = {}, {}
        if language != "en":
            self.own = json.loads((HERE / f"words/{language}.json").read_text())
            self.reports = of_reports(language)

    def __call__(self, english):
        return self.own.get(english, english)

    def data(self):
        """For scripts: base.js looks words up, explorable.js what was found."""
        if self.language == "en":
            return {}, {}
        listed = re.findall(rf"^X\({STRING}\)$", PAGE_WORDS.read_text(), re.M)
        words = {w: self.reports[w] for w in listed if w in self.reports}
        kinds = KIND.findall(FINDINGS.read_text())
        said = self.reports.get
        return {**words, **self.own}, {
            "kinds": {name: said(means, means) for name, means, _ in kinds},
            "causes": {name: said(cause, cause) for name, _, cause in kinds if cause}}

    def kernel(self, one):
        """With the words of its header lines."""
        return {**one, "title": self(one["title"]), "what": self(one["what"]),
                "slider": [{**s, "label": self(s["label"])} for s in one["slider"]],
                "switch": [{**s, "label": self(s["label"])} for s in one["switch"]],
                "formula": [[self(label), formula] for label, formula in one["formula"]]}

    def depths(self, found):
        return {self(name): {**of, "work": self(of["work"]), "steps": self(of["steps"])}
                for name, of in found.items()}
