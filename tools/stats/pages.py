# SPDX-License-Identifier: MIT
"""The two pages as data (page.py): lecture.html for all, of known.anonymous();
staff.html with names and similar pairs."""
import numbers_of as numbers
import similar
import words
from known import ABSENT, FAIL, PASS, TODO, WAITS
from page import figure, whole

MOST_DIAGNOSES, MOST_CHECKS, MOST_PAIRS, MOST_NAME = 8, 3, 100, 100
KEY = ["key", [[PASS, "passed"], [FAIL, "failed"], [WAITS, "waits for another check"],
               [TODO, "not begun"]]]
STATUS = {"not handed in": "no file of a lab was handed in",
          "needs a look": "could not be read, or stands under another name",
          "fault": "not graded: the grader had a fault"}


def number(title):
    return [title, "number"]


def text(title):
    return [title, "words"]


def name(said):
    return {"words": said, "name": True}


def drawn_figure(drawn, of, what):
    return [figure(drawn[of]["light"], drawn[of]["dark"], what)] if of in drawn else []


# ---- sections ----

def scores(known, drawn):
    rows = [[lab.title, *(f"{value:g}" for value in lab[2:])]
            for lab in numbers.of_labs(known)]
    return {"id": "points", "title": "Points", "parts": [
        *drawn_figure(drawn, "scores", "How many submissions have how many of "
                      f"{words.many(known.max_score, 'point')}"),
        ["table", "Points of each lab's checks",
         [text("Lab"), number("of"), number("quarter has at most"), number("half"),
          number("three quarters"), number("all points"), number("handed in"),
          number("begun")], rows]]}


def mistake(wrong, handed_in, sentences):
    what, why = sentences.of(wrong.diagnosis)
    checks = [f"{title} ({times})" for title, times in wrong.checks[:MOST_CHECKS]]
    if len(wrong.checks) > MOST_CHECKS:
        checks.append(f"and {len(wrong.checks) - MOST_CHECKS} more")
    return [wrong.students, f"{numbers.percent(wrong.students, handed_in):.0f} %",
            {"words": what, "small": [why] if why else []},
            {"words": checks[0], "small": checks[1:]}]


def mistakes(known, sentences, drawn):
    parts = []
    for lab in numbers.causes(known):
        parts += [["title", lab.title],
                  ["note", f"Of {words.many(lab.handed_in, 'submission')}. One may have "
                   "several."],
                  *drawn_figure(drawn, f"causes-{lab.number}", f"What went wrong in {lab.title}"),
                  ["table", "", [number("submissions"), number("of 100"), text("what"),
                                 text("in these checks")],
                   [mistake(wrong, lab.handed_in, sentences)
                    for wrong in lab.wrong[:MOST_DIAGNOSES]]]]
        if len(lab.wrong) > MOST_DIAGNOSES:
            parts.append(["note", f"{len(lab.wrong) - MOST_DIAGNOSES} more, which are rarer."])
    if not parts:
        parts.append(["note", "Nothing: all checks that were begun have passed."])
    return {"id": "mistakes", "title": "What went wrong most often", "parts": parts}


def heat(known):
    parts = [["note", "Each column is a submission of the lab, those with most points "
              "first."], KEY]
    for lab, title in known.labs:
        rows = [[check.title, *numbers.share(known, check), numbers.strip(known, check)]
                for check in known.checks if check.lab == lab]
        if rows and rows[0][-1]:
            parts += [["title", title], ["table", "", [
                text("check"), number("passed"), number("failed"), number("left"),
                ["submissions", "strip"]], rows]]
    return {"id": "checks", "title": "Checks", "parts": parts}


def attempts(drawn):
    return {"id": "attempts", "title": "Times handed in", "parts": [
        *drawn_figure(drawn, "attempts", "How many submissions were handed in how often"),
        ["note", "Different ones that were graded here, or the number that the learning "
         "system gives."]]}


def traffic(found, drawn):
    parts = [["note", "What the virtual GPU counted, as a part of what the lab allows (1). A "
              "larger mark is more submissions. These are counts, not times."]]
    for of, _, _, what in found:
        if of.startswith("traffic"):
            parts += drawn_figure(drawn, of, what)
    return {"id": "traffic", "title": "Traffic and other counts", "parts": parts}


def places(what, names):
    """From the best on; equals have the same place."""
    is_time = what == "model time"
    for nickname, value in names:
        place = 1 + sum(v < value if is_time else v > value for _, v in names)
        yield [place, name(nickname), f"{value / 1000:.1f}" if is_time else f"{value:.2f}"]


def leaderboard(board):
    parts = [["note", "Of those who asked to be on it, what checks that passed have "
              "measured."]]
    for lab, title, what, names in board:
        unit = "model time, µs (not a GPU's)" if what == "model time" else \
            "speed beside what it is compared with"
        parts.append(["table", f"{lab}: {title}", [number(""), text("name"), number(unit)],
                      list(places(what, names))])
    if not board:
        parts.append(["note", "No check of these labs that passed measures a time."])
    return {"id": "leaderboard", "title": "Leaderboard", "parts": parts}


# ---- for staff ----

def person(student):
    return {"words": student.key, "name": True, "small": [
        " " + words.line(" ".join(filter(None, one)), MOST_NAME) for one in student.names]}


def people(known):
    rows = [[person(s), s.score, s.attempts,
             [s.states.get((c.lab, c.id), ABSENT) for c in known.checks]]
            for s in sorted(known.students, key=lambda s: (-s.score, s.key))]
    return {"id": "students", "title": "Students and checks", "parts": [
        ["note", "Each cell is a check, in the order of the labs. Hidden checks are among "
         "them. A gap is a lab that was not handed in."], KEY,
        ["table", "", [text("submission"), number("points"), number("times"),
                       ["checks", "strip"]], rows]]}


def of_lab(lab, found):
    same, rest = similar.groups(found)
    yield ["title", lab]
    for names in same:
        yield ["note", f"The same, to {similar.SAME} percent and more: ",
               *(part for one in names for part in (" ", {"name": one}))]
    if rest:
        yield ["table", "", [number("percent"), text("one"), text("other")],
               [[part, name(one), name(other)] for part, one, other in rest[:MOST_PAIRS]]]
    if len(rest) > MOST_PAIRS:
        yield ["note", f"{len(rest) - MOST_PAIRS} more are in similar.csv."]
    if not found:
        yield ["note", "no pairs"]


def alike(known, pairs, left_out):
    parts = [["note", "How much of one stands in the other, too, without what stands in the "
              "stub. Right solutions of a small lab are alike: look at both before you say "
              "anything."]]
    if len(known.students) > similar.EACH:
        parts.append(["note", f"There are more than {similar.EACH} submissions, so of each "
                      f"only the {similar.MOST_LIKE} pairs are shown that are most alike."])
    for lab, found in pairs.items():
        parts += of_lab(lab, found)
    parts += [["note", said] for said in left_out]
    return {"id": "similar", "title": "Similar pairs", "parts": parts}


# ---- the pages ----

def page(build, title, known, sections, notes):
    others = [f"{many} more: {STATUS.get(status, 'not graded')}"
              for status, many in sorted(known.others.items())]
    return whole(build, {
        "title": title, "score": [len(known.students), "graded submission" +
                                  "s" * (len(known.students) != 1)],
        "notes": others, "sections": sections, "foot": [
            *notes, f"Graded on: {known.device}. This page loads nothing."]})


def lecture(build, known, sentences, found, drawn, board, notes):
    """Of known.anonymous(). board: None, nobody was asked."""
    sections = [scores(known, drawn), mistakes(known, sentences, drawn), heat(known),
                attempts(drawn), traffic(found, drawn)]
    if board is not None:
        sections.append(leaderboard(board))
    return page(build, "How the class did", known, sections, notes)


def staff(build, known, pairs, left_out, notes):
    return page(build, "The class, with names: not for students", known,
                [people(known), alike(known, pairs, left_out)], notes)
