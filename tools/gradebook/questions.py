# SPDX-License-Identifier: MIT
"""Written questions: what a class answered to the questions of the handouts, beside the
reference's answers, as a page and a table for whoever marks them.

A student's answers.md has the answers of a lab below a heading that names the lab (`## Lab
1: naive`, `## naive`, `## 1`), each behind its number; without a heading they are those of
the one lab that the class is graded in. `scanlab class` keeps it in OUT/answers.

Whoever marks sees codes, made of the submissions' keys, and no names."""
import csv
import html
import io
import os
import re

import table
import words
from translate import Spoken, _

# The number of a question: "1. text" or "2) text", indented by three blanks at most. A list
# within an answer is indented more, so its numbers are not taken for questions.
ITEM = re.compile(r" {0,3}(\d{1,3})[.)](?:\s+(.*)|\s*)")
MOST_FILE, MOST_ANSWER = 256 << 10, 20000
STYLE = "body{font:16px sans-serif;max-width:60em;margin:1em auto;padding:0 1em}" \
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:3px solid #888;" \
    "padding-left:.7em;margin:.3em 0 1em}.given pre{border-color:#2a2}h3{margin-top:2em}"


def code_of(key):
    return words.digest(key)[:8]


def heading_of(line):
    """Its words; None: it is none."""
    words_of = line.lstrip("#")
    level = len(line) - len(words_of)
    return words_of.strip().rstrip("#").strip() if 0 < level < 7 and \
        words_of[:1].isspace() else None


def lab_named(heading, labs):
    """The lab that a heading means: its id, its number, or both."""
    parts = re.findall(r"[\w-]+", heading.casefold())
    for number, lab in labs:
        if lab in parts or parts in ([str(number)], ["lab", str(number)]):
            return lab
    return None


def items(lines):
    """{number: text}; what stands before the first number is nobody's answer."""
    found, now, fence = {}, None, False
    for line in lines:
        fence ^= line.lstrip().startswith("```")
        begins = None if fence else ITEM.fullmatch(line)
        if begins and int(begins[1]) not in found and (
                now is None or int(begins[1]) > now):
            now = int(begins[1])
            found[now] = [begins[2] or ""]
        elif now is not None:
            found[now].append(line)
    return {number: "\n".join(text).strip()[:MOST_ANSWER]
            for number, text in found.items()}


def of_labs(text, labs, alone=None):
    """{lab: {number: answer}} of a file; labs: [(number, id)]; alone: the lab of what
    stands below no lab's heading."""
    parts, lab, fence = {}, alone, False
    for line in text.splitlines():
        fence ^= line.lstrip().startswith("```")
        heading = None if fence else heading_of(line)
        if heading is not None:
            named = lab_named(heading, labs)
            lab = named if named else alone if len(labs) == 1 else lab
            if named:
                continue
        if lab:
            parts.setdefault(lab, []).append(line)
    return {lab: found for lab, lines in parts.items() if (found := items(lines))}


def asked_in(page):
    """The questions of a handout: {number: text}."""
    found = re.search(r"(?ms)^## Questions\n(.*?)(?=^## |\Z)", page)
    return items(found[1].splitlines()) if found else {}


def read(path, most=MOST_FILE):
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except OSError:
        return ""
    return data[:most].decode("utf-8", "replace")


class Questions:
    """handouts: {lab: folder}; reference: a file of answers."""

    def __init__(self, folder, handouts, graded, reference):
        self.labs = [(int(re.match(r"\d*", os.path.basename(at))[0] or 0), lab)
                     for lab, at in handouts.items()]
        self.asked = {lab: asked_in(read(os.path.join(handouts[lab], "README.md"), 1 << 22))
                      for lab in graded if lab in handouts}
        self.given = of_labs(read(reference, 1 << 22), self.labs) if reference else {}
        self.folder = os.path.join(folder, "answers")
        self.alone = graded[0] if len(graded) == 1 else None

    def of(self, key):
        path = os.path.join(self.folder, key, "answers.md")
        return of_labs(read(path), self.labs, self.alone) if os.path.isfile(path) else {}

    def answers(self, keys):
        """{lab: {number: [(code, answer)]}}, in the order of codes."""
        found = {lab: {number: [] for number in asked}
                 for lab, asked in self.asked.items()}
        for key in sorted(set(keys), key=code_of):
            for lab, said in self.of(key).items():
                for number, text in said.items():
                    if text and number in found.get(lab, ()):
                        found[lab][number].append((code_of(key), text))
        return found


def page(questions, answers):
    """For who marks: no script, loads nothing; what students wrote is text."""
    def quoted(text, kind=""):
        text = "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)
        return f'<div class="{kind}"><pre>{html.escape(text)}</pre></div>'
    parts = [f"<!doctype html><html lang=\"{Spoken.language}\"><head><meta charset=\"utf-8\">",
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
             "style-src 'unsafe-inline'\">",
             f"<title>{_('Questions')}</title><style>{STYLE}</style></head><body>",
             f"<h1>{_('Questions')}</h1><p>" + html.escape(
                 _("Points go into questions.csv, by code, lab and number. Green: the "
                   "reference's answer."), quote=False) + "</p>"]
    for lab, numbers in answers.items():
        if not any(numbers.values()):
            continue
        parts.append(f"<h2>{html.escape(lab)}</h2>")
        for number, found in numbers.items():
            parts += [f"<h3>{number}. {html.escape(questions.asked[lab][number])}</h3>"]
            if given := questions.given.get(lab, {}).get(number):
                parts.append(quoted(given, "given"))
            for code, text in found:
                parts.append(f"<h4>{code}</h4>" + quoted(text))
    return "\n".join([*parts, "</body></html>"]) + "\n"


def mark_of(text):
    """By which an answer is known again: whoever hands in another one has to be marked anew."""
    return words.digest(text)[:8]


def sheet(answers, marks):
    """The table that is filled in by hand; what is filled in already stays."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["code", "lab", "question", "points", "comment", "answer"])
    for lab, numbers in answers.items():
        for number, found in numbers.items():
            for code, text in found:
                points, comment, _text = marks.get((code, lab, number), ("", "", ""))
                writer.writerow([code, lab, number, points, words.cell(comment), mark_of(text)])
    return out.getvalue()


def drop_old(marks, answers):
    """Takes out the points of answers that are not there, or are others than those that
    were marked; sentences."""
    now = {(code, lab, number): mark_of(text) for lab, numbers in answers.items()
           for number, found in numbers.items() for code, text in found}
    gone = [mark for mark in marks if mark not in now]
    other = [mark for mark, (_points, _comment, text) in marks.items()
             if mark in now and text and text != now[mark]]
    for mark in (*gone, *other):
        del marks[mark]

    def named(list_of):
        return ", ".join(f"{code} {lab} {number}" for code, lab, number in list_of[:3]) + \
            (", ..." if len(list_of) > 3 else "")
    return [_("points for {answers} that nobody has handed in are not counted: {which}",
              answers=words.many(len(gone), "written answer"), which=named(gone))] * bool(gone) + \
        [_("points for {answers} are not counted, another text has been handed in since: "
           "{which}; questions.csv asks for them again", which=named(other),
           answers=words.many(len(other), "written answer"))] * bool(other)


def read_marks(reader, path):
    """Into the policy of a reader: {(code, lab, number): (points, comment, mark_of the answer, or
    "")}. `points` that are empty are not decided yet."""
    rows = table.Table(path)
    at = reader.columns(rows, "code", "lab", "question", "points")
    for row in range(1, len(rows.rows)):
        where, value = _("row {n}", n=row + 1), lambda name: rows.value(row, at[name]).strip()
        if not any(value(name) for name in ("code", "lab", "question")):
            continue
        lab = reader.lab(where, value("lab"))
        most = reader.policy.lab_of(lab).questions
        number = value("question")
        if not number.isdecimal() or len(number) > 3 or not 0 < int(number) <= len(most):
            raise reader.wrong(where, _("question '{number}': [lab {lab}] questions has points "
                                        "for {most}", number=number[:40], lab=lab, most=len(most)))
        if not value("points"):
            continue
        mark = (value("code"), lab, int(number))
        if mark in reader.policy.marks:
            raise reader.wrong(where, _("this answer has points already"))
        try:
            points = reader.points(value("points"))
        except ValueError as why:
            raise reader.wrong(where, str(why)) from None
        if points > most[int(number) - 1]:
            raise reader.wrong(where, _("points {points}, and question {number} has at most "
                                        "{most}", points=points, number=number,
                                        most=most[int(number) - 1]))
        reader.policy.marks[mark] = points, *(
            rows.value(row, at[name]).strip() if name in at else "" for name in ("comment", "answer"))
