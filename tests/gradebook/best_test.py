# SPDX-License-Identifier: MIT
"""best_test.py SCANLAB OUT: drops, grace days and attempts are chosen so that a student has
the most: compared with all the choices that there are, on drawn cases; and that a drop or a
grace day lowers nobody. Points lost by lateness are those of labs that count."""
import fractions
import itertools
import random
import time
import unittest

import book
from book import a_class, handed_in, lab, put, run, students
import best

DUE = {"cpu-scan": "2026-11-23T12:00+00:00", "naive": "2026-11-30T12:00+00:00"}
RULES = "".join(f"[lab {name}]\ndue = {at}\n" for name, at in DUE.items()) + \
    "[late]\npercent = 10\nmost = 50\n"


def every(labs, days, drops):
    """All choices: options, None where a lab is dropped; one lab with points counts."""
    ways = [[*of.options, *([None] if of.may_drop else [])] for of in labs]
    for picked in itertools.product(*ways):
        gone = sum(option is None for option in picked)
        counted = [of for of, option in zip(labs, picked) if option and of.most]
        if sum(option.days for option in picked if option) <= days and gone <= drops and (
                counted or not gone):
            yield picked


def share(labs, picked):
    points = sum(option.points for option in picked if option)
    most = sum(of.most for of, option in zip(labs, picked) if option)
    return fractions.Fraction(points, most) if most else fractions.Fraction(points)


class Best(unittest.TestCase):
    def drawn(self, draw):
        labs = []
        for _ in range(draw.randint(1, 4)):
            most = draw.choice((0, 10, 50, 100))
            options = [best.Option(0, 1, draw.randint(0, most))]
            for days in range(1, draw.randint(1, 4)):
                options.append(best.Option(days, 1, options[-1].points + draw.randint(1, 20)))
            if draw.random() < .3:
                options.append(best.Option(0, 2, draw.randint(0, most)))
            labs.append(best.Lab(options, most, bool(most) and draw.random() < .7))
        return labs, draw.randint(0, 4), draw.randint(0, 3)

    def test_all_choices(self):
        """1500 drawn students: no choice has a greater percentage; of those with the same,
        none drops more, and of these none uses fewer days."""
        draw = random.Random(39)
        for turn in range(1500):
            labs, days, drops = self.drawn(draw)
            found = best.choose(labs, days, drops)
            choices = list(every(labs, days, drops))
            self.assertIn(tuple(found), choices, turn)

            def order(picked):
                return (share(labs, picked), sum(option is None for option in picked),
                        -sum(option.days for option in picked if option))
            self.assertEqual(order(found), max(map(order, choices)), (turn, labs, days, drops))
            self.assertEqual(found, best.choose(labs, days, drops), "the same each time")

    def test_a_drop_lowers_nobody(self):
        draw = random.Random(40)
        for turn in range(500):
            labs, days, drops = self.drawn(draw)
            more = share(labs, best.choose(labs, days, drops + 1))
            self.assertGreaterEqual(more, share(labs, best.choose(labs, days, drops)), turn)
            more = share(labs, best.choose(labs, days + 1, drops))
            self.assertGreaterEqual(more, share(labs, best.choose(labs, days, drops)), turn)

    def test_many_labs(self):
        """Thirty labs, fifteen drops, a hundred days."""
        labs = [best.Lab([best.Option(d, 1, 50 + n + d * 5) for d in range(8)], 100, n % 3 > 0)
                for n in range(30)]
        begun = time.process_time()
        found = best.choose(labs, 100, 15)
        self.assertLess(time.process_time() - begun, 60)
        self.assertEqual(sum(option is None for option in found), 15)

    def made(self, rows, text, status=0):
        out = a_class("class", rows)
        put(out / "policy.ini", text)
        done = run(out, "-p", out / "policy.ini")
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.said = done.stdout
        return out

    def came(self, key, naive, scan, when="2026-12-01T12:00+00:00"):
        """Both labs at one time: scan 8 days late, naive one."""
        return handed_in(key, {"naive": naive, "cpu-scan": scan}, (key, key, ""),
                         form="gradescope", handed_in=when)

    def test_a_lab_that_always_counts(self):
        """Ann has 30 in the lab that is never dropped: without a drop 60 %, with one 30 %."""
        text = "[course]\ndrop = 1\n[lab naive]\ndrop = no\n"
        out = self.made([handed_in("ann", {"naive": 30, "cpu-scan": 90}),
                         handed_in("bo", {"naive": 90, "cpu-scan": 30})], text)
        found = students(out)
        self.assertEqual([(found[k]["final"], found[k]["max points"]) for k in ("ann", "bo")],
                         [("120", "200"), ("90", "100")])
        self.assertIn("totals have different maxima (100 (1 student), 200 (1 student) points)", self.said)
        out = self.made([handed_in("ann", {"naive": 30, "cpu-scan": 90}),
                         handed_in("bo", {"naive": 90, "cpu-scan": 30})],
                        text.replace("[lab", "out-of = 100\n[lab"))
        found = students(out)
        self.assertEqual([(found[k]["final"], found[k]["max points"]) for k in ("ann", "bo")],
                         [("60", "100"), ("90", "100")])
        self.assertNotIn("totals have different maxima", self.said)

    def test_no_day_for_what_is_dropped(self):
        """One day, and the lab that was due first is dropped: the day is for the other."""
        text = RULES + "[course]\ngrace-days = 1\ndrop = 1\n"
        out = self.made([self.came("ann", 100, 60)], text)
        row = students(out)["ann"]
        self.assertEqual((row["final"], row["cost of lateness"], row["max points"]),
                         ("100", "0", "100"))
        self.assertEqual((lab(out, "cpu-scan")["ann"]["dropped"],
                          lab(out, "cpu-scan")["ann"]["grace days"],
                          lab(out, "naive")["ann"]["grace days"]), ("dropped", "", "1"))
        self.assertIn("cpu-scan: dropped", row["note"])
        self.assertIn("naive: 1 grace day", row["note"])

    def test_days_where_they_are_worth_most(self):
        """The first lab has 20 points, of which a day saves 2; the second one 100."""
        out = self.made([self.came("ann", 100, 20, "2026-12-01T11:00+00:00")],
                        RULES.replace("11-23", "11-30") + "[course]\ngrace-days = 1\n")
        self.assertEqual(students(out)["ann"]["final"], "118")

    def test_no_day_for_what_is_set_by_hand(self):
        out = self.made([self.came("ann", 100, 60)], RULES.replace("11-23", "11-30") +
                        "[course]\ngrace-days = 1\n[student ann]\ncpu-scan override = 50\n"
                        "cpu-scan who = Lee\ncpu-scan why = x\n")
        self.assertEqual(students(out)["ann"]["final"], "150")

    def test_lost_points_are_of_what_counts(self):
        text = RULES + "[course]\ndrop = 1\n"
        out = self.made([self.came("ann", 100, 60)], text)
        self.assertEqual(students(out)["ann"]["cost of lateness"], "10")
        self.assertIn("    10  points lost by lateness, all students together", self.said)
        self.assertEqual(lab(out, "cpu-scan")["ann"]["cost of lateness"], "30")
        out = self.made([self.came("ann", 100, 60)], RULES)
        self.assertIn("    40  points lost by lateness, all students together", self.said)


book.main()
