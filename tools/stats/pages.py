# SPDX-License-Identifier: MIT
"""The two pages: lecture.html for all, of known.anonymous(); staff.html with names
and similar pairs."""
import numbers_of as numbers
import similar
import words
from known import FAIL, PASS, TODO, WAITS
from page import Page

MOST_DIAGNOSES, MOST_CHECKS, MOST_PAIRS, MOST_NAME = 20, 3, 100, 100
KEY = ((PASS, "passed"), (FAIL, "failed"), (WAITS, "waits for another check"),
       (TODO, "not begun"))
STATUS = {"empty": "nothing to grade in it", "unreadable": "could not be read",
          "fault": "not graded: the grader had a fault"}


def begin(page, known, sections):
    page.add('<a class="jump" href="#main">To the content</a>\n<header>\n<h1>%s</h1>\n',
             page.title)
    page.add('<p class="score"><strong>%s</strong> graded submissions</p>\n',
             len(known.students))
    for status, many in sorted(known.others.items()):
        page.add('<p class="note">%s more: %s</p>\n', many, STATUS.get(status, "not graded"))
    page.add('<button id="theme" type="button" data-words="Theme: system|Theme: light|Theme: dark" hidden>Theme</button>\n</header>\n<nav><ul>\n')
    for id, title in sections:
        page.add('<li><a href="#%s">%s</a></li>\n', id, title)
    page.add('</ul></nav>\n<main id="main">\n')


def figure(page, drawn, name, what):
    if name in drawn:
        page.picture(drawn[name]["light"], drawn[name]["dark"], what)


def scores(page, known, drawn):
    page.add('<section id="points"><h2>Points</h2>\n')
    figure(page, drawn, "scores", "How many submissions have how many of "
           f"{known.max_score} points")
    page.add('<div class="wide"><table>\n<caption>Points of each lab\'s checks</caption>\n'
             '<tr><th class="words" scope="col">Lab</th><th scope="col">of</th>'
             '<th scope="col">quarter has at most</th><th scope="col">half</th>'
             '<th scope="col">three quarters</th><th scope="col">all points</th>'
             '<th scope="col">begun</th></tr>\n')
    for lab in numbers.of_labs(known):
        page.add('<tr><th class="words" scope="row">%s</th>', lab.title)
        for value in lab[2:]:
            page.add("<td>%s</td>", f"{value:g}")
        page.add("</tr>\n")
    page.add("</table></div></section>\n")


def mistakes(page, known, sentences):
    found = numbers.wrong(known)
    page.add('<section id="mistakes"><h2>What went wrong most often</h2>\n<div class="wide">'
             '<table>\n<tr><th scope="col">submissions</th><th class="words" scope="col">what'
             '</th><th class="words" scope="col">lab, and its checks</th></tr>\n')
    for wrong in found[:MOST_DIAGNOSES]:
        what, why = sentences.of(wrong.diagnosis)
        page.add('<tr><td>%s</td><td class="words">%s', wrong.students, what)
        if why:
            page.add("<small>%s</small>", why)
        page.add('</td><td class="words">%s', wrong.lab)
        for title, times in wrong.checks[:MOST_CHECKS]:
            page.add("<small>%s (%s)</small>", title, times)
        if len(wrong.checks) > MOST_CHECKS:
            page.add("<small>and %s more</small>", len(wrong.checks) - MOST_CHECKS)
        page.add("</td></tr>\n")
    page.add("</table></div>\n")
    if len(found) > MOST_DIAGNOSES:
        page.add('<p class="note">%s more, which are rarer.</p>\n',
                 len(found) - MOST_DIAGNOSES)
    if not found:
        page.add("<p>Nothing: all checks that were begun have passed.</p>\n")
    page.add("</section>\n")


def legend(page):
    page.add('<p class="key note">')
    for state, means in KEY:
        page.strip([state])
        page.add("%s", means)
    page.add("</p>\n")


def heat(page, known):
    page.add('<section id="checks"><h2>Checks</h2>\n<p class="note">Each column is a '
             'submission, those with most points first.</p>\n')
    legend(page)
    for lab, title in known.labs:
        checks = [c for c in known.checks if c.lab == lab]
        if not checks:
            continue
        page.add('<h3>%s</h3><div class="wide"><table class="heat">\n<tr><th class="words" '
                 'scope="col">check</th><th scope="col">passed</th><th scope="col">failed</th>'
                 '<th scope="col">left</th><th class="words" scope="col">submissions</th>'
                 '</tr>\n', title)
        for check in checks:
            page.add('<tr><th scope="row">%s</th>', check.title)
            for many in numbers.share(known, check):
                page.add("<td>%s</td>", many)
            page.add("<td>")
            page.strip([s.states.get((lab, check.id), TODO) for s in known.students])
            page.add("</td></tr>\n")
        page.add("</table></div>\n")
    page.add("</section>\n")


def attempts(page, drawn):
    page.add('<section id="attempts"><h2>Times handed in</h2>\n')
    figure(page, drawn, "attempts", "How many submissions were handed in how often")
    page.add('<p class="note">Different ones that were graded here, or the number that the '
             'learning system gives.</p></section>\n')


def traffic(page, found, drawn):
    page.add('<section id="traffic"><h2>Traffic and other counts</h2>\n<p class="note">What '
             'the virtual GPU counted, as a part of what the lab allows (1). A larger mark is '
             'more submissions. These are counts, not times.</p>\n')
    for name, _, _, what in found:
        if name.startswith("traffic"):
            figure(page, drawn, name, what)
    page.add("</section>\n")


def leaderboard(page, board):
    page.add('<section id="leaderboard"><h2>Leaderboard</h2>\n<p class="note">Of those who '
             'asked to be on it, what checks that passed have measured.</p>\n')
    for lab, title, what, names in board:
        unit = "model time, µs (not a GPU's)" if what == "model time" else \
            "speed beside what it is compared with"
        page.add('<div class="wide"><table>\n<caption>%s: %s</caption>\n<tr><th scope="col">'
                 '</th><th class="words" scope="col">name</th><th scope="col">%s</th></tr>\n',
                 lab, title, unit)
        for nickname, value in names:
            place = 1 + sum(v < value if what == "model time" else v > value
                            for _, v in names)
            page.add('<tr><td>%s</td><td class="words"><bdi>%s</bdi></td><td>%s</td></tr>\n',
                     place, nickname,
                     f"{value / 1000:.1f}" if what == "model time" else f"{value:.2f}")
        page.add("</table></div>\n")
    if not board:
        page.add("<p>No check of these labs that passed measures a time.</p>\n")
    page.add("</section>\n")


def end(page, known, notes):
    page.add('</main>\n<footer>\n')
    for note in notes:
        page.add("<p>%s</p>\n", note)
    page.add('<p class="note">Graded on: %s. This page loads nothing.</p></footer>\n',
             known.device)


def lecture(root, known, sentences, found, drawn, board, notes):
    """Of known.anonymous(). board: None, nobody was asked."""
    page = Page(root, "How the class did")
    sections = [("points", "Points"), ("mistakes", "What went wrong most often"),
                ("checks", "Checks"), ("attempts", "Times handed in"),
                ("traffic", "Traffic and other counts")]
    if board is not None:
        sections.append(("leaderboard", "Leaderboard"))
    begin(page, known, sections)
    scores(page, known, drawn)
    mistakes(page, known, sentences)
    heat(page, known)
    attempts(page, drawn)
    traffic(page, found, drawn)
    if board is not None:
        leaderboard(page, board)
    end(page, known, notes)
    return page.whole()


# ---- for staff ----

def people(page, known):
    page.add('<section id="students"><h2>Students and checks</h2>\n<p class="note">Each cell '
             'is a check, in the order of the labs. Hidden checks are among them.</p>\n')
    legend(page)
    page.add('<div class="wide"><table class="heat">\n<tr><th class="words" scope="col">'
             'submission</th><th scope="col">points</th><th scope="col">times</th>'
             '<th class="words" scope="col">checks</th></tr>\n')
    for s in sorted(known.students, key=lambda s: (-s.score, s.key)):
        page.add('<tr><th scope="row"><bdi>%s</bdi>', s.key)
        for person in s.names:
            page.add("<small> <bdi>%s</bdi></small>", words.line(
                " ".join(filter(None, person)), MOST_NAME))
        page.add("</th><td>%s</td><td>%s</td><td>", s.score, s.attempts)
        page.strip([s.states.get((c.lab, c.id), TODO) for c in known.checks])
        page.add("</td></tr>\n")
    page.add("</table></div></section>\n")


def table_of_pairs(page, pairs):
    if not pairs:
        return
    page.add('<div class="wide"><table>\n<tr><th scope="col">percent</th><th class="words" '
             'scope="col">one</th><th class="words" scope="col">other</th></tr>\n')
    for part, one, other in pairs:
        page.add('<tr><td>%s</td><td class="words"><bdi>%s</bdi></td><td class="words"><bdi>%s'
                 '</bdi></td></tr>\n', part, one, other)
    page.add("</table></div>\n")


def alike(page, known, pairs, left_out):
    page.add('<section id="similar"><h2>Similar pairs</h2>\n<p class="note">How much of one '
             'stands in the other, too, without what stands in the stub. Right solutions of '
             'a small lab are alike: look at both before you say anything.</p>\n')
    if len(known.students) > similar.EACH:
        page.add('<p class="note">There are more than %s submissions, so of each only the %s '
                 'pairs are shown that are most alike.</p>\n', similar.EACH,
                 similar.MOST_LIKE)
    for lab, found in pairs.items():
        same, rest = similar.groups(found)
        page.add("<h3>%s</h3>\n", lab)
        for names in same:
            page.add('<p class="note">The same, to %s percent and more: ', similar.SAME)
            for name in names:
                page.add(" <bdi>%s</bdi>", name)
            page.add("</p>\n")
        table_of_pairs(page, rest[:MOST_PAIRS])
        if len(rest) > MOST_PAIRS:
            page.add('<p class="note">%s more are in similar.csv.</p>\n',
                     len(rest) - MOST_PAIRS)
        if not found:
            page.add('<p class="note">no pairs</p>\n')
    for text in left_out:
        page.add("<p>%s</p>\n", text)
    page.add("</section>\n")


def staff(root, known, pairs, left_out, notes):
    page = Page(root, "The class, with names: not for students")
    begin(page, known, [("students", "Students and checks"), ("similar", "Similar pairs")])
    people(page, known)
    alike(page, known, pairs, left_out)
    end(page, known, notes)
    return page.whole()
