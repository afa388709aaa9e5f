# SPDX-License-Identifier: MIT
"""What is counted of a class (known.Known). Nothing here is drawn or written."""
import collections
import statistics

from known import ABSENT, FAIL, PASS

BINS = 10  # of the points, each a tenth; full marks are the last one's
MANY = 10  # attempts that are counted as so many or more

Wrong = collections.namedtuple("Wrong", "lab diagnosis students checks")
Causes = collections.namedtuple("Causes", "number lab title handed_in wrong")
OfLab = collections.namedtuple("OfLab", "id title most low median high full handed_in begun")


def percent(score, most):
    return 100 * score / most if most else 0


def bins(known):
    """How many submissions have 0 to 9 %, 10 to 19 %, ..., 90 to 100 % of the points of
    the labs that they handed in."""
    found = [0] * BINS
    most = {(c.lab, c.id): c.max_score for c in known.checks}
    for s in known.students:
        if s.states:
            of_these = percent(s.score, sum(most[at] for at in s.states))
            found[min(BINS - 1, max(0, int(of_these * BINS / 100)))] += 1
    return found


def attempts(known):
    """How many were handed in once, twice, ..., MANY times or more."""
    found = collections.Counter(min(s.attempts, MANY) for s in known.students)
    return [found[n] for n in range(1, MANY + 1)]


def of_labs(known):
    """The points of each lab's checks: quartiles; how many have all, have begun."""
    return [of_lab(known, *lab) for lab in known.labs
            if any(c.lab == lab[0] for c in known.checks)]


def of_lab(known, lab, title):
    checks = [(c.lab, c.id) for c in known.checks if c.lab == lab]
    most = sum(c.max_score for c in known.checks if c.lab == lab)
    points = [sum(s.points[at] for at in checks if at in s.points)
              for s in handed_in(known, lab)]
    begun = sum(any(s.states.get(at) in (PASS, FAIL) for at in checks)
                for s in known.students)
    low, middle, high = statistics.quantiles(points, n=4, method="inclusive") \
        if len(points) > 1 else (points or [0]) * 3
    return OfLab(lab, title, most, low, middle, high, sum(p >= most for p in points),
                 len(points), begun)


def handed_in(known, lab):
    """What was not handed in counts nowhere."""
    return [s for s in known.students if any(of == lab for of, _ in s.states)]


def causes(known):
    """For each lab in which something went wrong: how many handed it in, and the
    diagnoses, the most frequent first."""
    found = wrong(known)
    return [Causes(number, lab, title, len(handed_in(known, lab)), of_this)
            for number, (lab, title) in enumerate(known.labs, 1)
            if (of_this := [w for w in found if w.lab == lab])]


def wrong(known):
    """Diagnoses, the most frequent first: of how many submissions, and in how many
    of their checks. What is not begun is not wrong."""
    students, checks = collections.Counter(), collections.defaultdict(collections.Counter)
    for s in known.students:
        of_this = {(at[0], tuple(d)) for at, d in s.diagnoses.items()}
        students.update(of_this)
        for at, diagnosis in s.diagnoses.items():
            checks[at[0], tuple(diagnosis)][at[1]] += 1
    order = {lab: n for n, (lab, _) in enumerate(known.labs)}
    titles = {(c.lab, c.id): c.title for c in known.checks}
    found = [Wrong(lab, diagnosis, n, [(titles[lab, check], times) for check, times in sorted(
        checks[lab, diagnosis].items(), key=lambda item: (-item[1], item[0]))])
        for (lab, diagnosis), n in students.items()]
    return sorted(found, key=lambda w: (-w.students, order[w.lab], w.diagnosis))


def traffic(known):
    """For each count that has a bound: (check, counter, {count / bound: how many})."""
    found = {}
    for check in known.checks:
        at = check.lab, check.id
        for s in known.students:
            for counter, count, _, bound in s.counts.get(at, []):
                ratios = found.setdefault((at, counter), collections.Counter())
                ratios[round(count / bound, 3)] += 1
    return [(lab, check, counter, dict(sorted(ratios.items())))
            for ((lab, check), counter), ratios in found.items()]


def share(known, check):
    """Of those who handed in the lab: how many pass a check, how many fail, how many
    are left."""
    states = strip(known, check)
    return states.count(PASS), states.count(FAIL), \
        len(states) - states.count(PASS) - states.count(FAIL)


def strip(known, check):
    """The check's state for each who handed in the lab."""
    return [s.states.get((check.lab, check.id), ABSENT)
            for s in handed_in(known, check.lab)]


def board(known, chosen):
    """chosen: {key: nickname}. [(lab, check's title, what, [(nickname, value)])], the
    best first; only what passed has a number, and only who wants to be is there. Of
    hidden checks the class learns nothing."""
    found, hidden = collections.defaultdict(list), {(c.lab, c.id) for c in known.checks
                                                    if c.hidden}
    for s in known.students:
        for at, (what, value) in s.speeds.items() if s.key in chosen else ():
            if at in hidden:
                continue
            found[at, what].append((chosen[s.key], value))
    titles = {(c.lab, c.id): c.title for c in known.checks}
    return [(at[0], titles.get(at, at[1]), what, sorted(
        names, key=lambda item: (item[1] if what == "model time" else -item[1], item[0])))
        for (at, what), names in found.items()]
