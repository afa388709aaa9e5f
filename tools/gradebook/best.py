# SPDX-License-Identifier: MIT
"""Which attempts count, which labs get grace days and which are dropped: the choice with
which a student has the most.

The most is the percentage: the final points of the labs that count, of the sum of their
maxima. So a lab is dropped only where that lowers nobody, and no grace day is spent on a
lab that is dropped. Of choices that are equally good the first of these decides: more
labs are dropped (students' totals are then out of the same maximum); fewer grace days are
used; drops, and days, go to the labs that were due first; a later attempt counts.

How: for a guessed percentage p/q a lab with so many points of so many at most is worth
q * points - p * most. The choice with the greatest sum of these is found lab by lab, in a
table by how many days and drops are left. The percentage that this choice reaches is the
next guess, until it grows no more (Dinkelbach 1967). The test gradebook.best compares the
result with all the choices that there are."""
import collections

# points, most: whole numbers. attempt: its number.
Option = collections.namedtuple("Option", "days attempt points")
Lab = collections.namedtuple("Lab", "options most may_drop")


def choose(labs, days, drops):
    """The option of each lab, None of one that is dropped. labs: in the order of their due
    times; each has an option without days."""
    days = min(days, sum(max(option.days for option in lab.options) for lab in labs))
    # One lab with points always counts.
    drops = max(0, min(drops, sum(lab.may_drop for lab in labs),
                       sum(lab.most > 0 for lab in labs) - 1))
    ratio = 0, 1
    while True:
        found = against(labs, days, drops, *ratio)
        kept = [(option.points, lab.most) for option, lab in zip(found, labs) if option]
        points, most = (sum(column) for column in zip((0, 0), *kept))
        if not drops or points * ratio[1] <= ratio[0] * most:
            return found
        ratio = points, most


def against(labs, days, drops, p, q):
    """The best options where a lab is worth q * points - p * most."""
    table = {(d, k): ((0, 0, 0, ()), ()) for d in range(days + 1) for k in range(drops + 1)}
    for lab in reversed(labs):
        table = {(d, k): max(with_lab(lab, table, d, k, p, q), key=lambda one: one[0])
                 for d, k in table}
    return table[days, drops][1]


def with_lab(lab, table, days, drops, p, q):
    """Each way to go on with a lab: ((worth, dropped, -days used, order), options)."""
    if lab.may_drop and drops:
        (worth, dropped, used, order), rest = table[days, drops - 1]
        yield (worth, dropped + 1, used, ((1, 0, 0), *order)), (None, *rest)
    for option in lab.options:
        if option.days <= days:
            (worth, dropped, used, order), rest = table[days - option.days, drops]
            yield (worth + q * option.points - p * lab.most, dropped, used - option.days,
                   ((0, option.days, option.attempt), *order)), (option, *rest)
