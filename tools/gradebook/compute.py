# SPDX-License-Identifier: MIT
"""From what was graded, a policy and a roster to final points, student by student.

Each figure that a rule made stands apart: points as graded, by how much it was late,
what that cost, what was added by hand, an override with who and why, the final points.
A rule that could not be applied leaves the points as they are, and says so in `doubt`."""
import dataclasses
import decimal

import attempts
import best
import match
import parts
import questions
import roster
import times
import words
from policy import NEVER, Own
from results import BROKEN, FAULT, GRADED, LOOK, NONE, UNGRADED, Part, Work
from translate import N_, _

UNKNOWN, MARKED = "unknown", "marked"  # of a lateness
EXEMPT = N_("exempt")
PARTS = 10000  # a policy's points have four digits behind the point


@dataclasses.dataclass
class Line:
    """One lab of one student, by one attempt."""
    lab: str
    state: str
    most: object
    key: str = ""             # of the attempt's reports
    attempt: int = 0          # its number, and how many there are
    attempts: int = 0
    after_due: bool = False   # it came after the due time, and after its grace
    points: object = None     # as graded
    handed_in: object = None
    source: str = ""          # who says when
    due: object = None
    behind: object = None     # seconds that it came behind the due time; None: not known
    late: str = ""            # "", no, a duration, unknown, marked
    late_s: int = 0
    percent: int = 0
    cost: object = decimal.Decimal(0)
    grace_days: int = 0       # used
    add: object = None
    asked: object = None      # of written questions; None: there are none
    not_marked: int = 0       # answers without points yet
    marked: int = 0           # those with points
    override: object = None
    who: str = ""
    why: str = ""
    tell: bool = False        # the student: who and why
    comment: str = ""
    capped: bool = False
    dropped: bool = False
    final: object = None      # None: not decided
    doubt: str = ""

    def counts(self):
        return self.state != EXEMPT and not self.dropped


@dataclasses.dataclass
class Student:
    person: object = None     # of the roster
    work: object = None
    how: str = ""             # matched by
    giver: object = None      # of a group: the student who handed the work in
    rules: dict = dataclasses.field(default_factory=dict)  # lab or "": Own
    lines: list = dataclasses.field(default_factory=list)
    doubt: str = ""
    remark: str = ""          # what the system says of it, and no rule is for
    may_be: str = ""          # a work of another assignment, which nobody has yet
    points: object = None
    cost: object = None
    most: object = decimal.Decimal(0)
    capped: bool = False
    final: object = None

    def own(self, lab=""):
        return self.rules.get(lab, Own())

    def ids(self):
        """All that is this one's alone, as it is compared."""
        own = self.work and self.how != "group"  # else it is another one's work
        texts = [self.work.key, self.work.email] if own else []
        if own and not (self.person and self.how in ("policy", "name") and
                        self.work.form == "moodle"):  # of another assignment, or a team's
            texts.append(self.work.id)
        if self.person:
            texts += self.person.ids + self.person.emails + self.person.logins
        return {roster.folded(text) for text in texts} - {""}

    def names(self):
        return ([self.work.name] if self.work and self.how != "group" else []) + (
            self.person.names if self.person else [])

    def called(self):
        if self.person:
            return match.called(self.person)
        return words.line(" ".join(filter(None, dict.fromkeys(
            [self.work.id, self.work.name]))) or self.work.key, 120)

    def is_decided(self):
        """By hand, where a grade is none or not the last word."""
        return not self.doubt and (self.own().override is not None or bool(self.lines) and all(
            line.override is not None or line.state in (EXEMPT, NONE) for line in self.lines))

    def works(self):
        """The attempts that count for some lab."""
        counted = {line.key for line in self.lines}
        return [work for work in (*self.work.earlier, self.work)
                if work.key in counted] or [self.work]

    def state(self):
        """Of all labs together."""
        if self.doubt:
            return LOOK
        if not self.work:
            return NONE
        for work in self.works():
            if work.state not in (GRADED, BROKEN):
                return work.state
        states = {line.state for line in self.lines} - {EXEMPT}
        return next((s for s in (FAULT, LOOK) if s in states), self.works()[-1].state)


# ---- one lab ----

def handed_in(student, lab, clock, work=None):
    """Seconds and who says so, of the last attempt, or of one work of several; None, ""
    where nobody does."""
    work = work or student.work
    for own in student.own(lab), student.own():
        if own.handed_in is not None:
            return own.handed_in, "policy"
    if student.giver:  # what one of a group handed in came when it came
        return handed_in(student.giver, lab, clock)
    if work.handed_in is not None:
        return work.handed_in, work.form or "list"
    if student.person and student.person.submitted is not None and \
            parts.is_of_sheet(student, work):
        return student.person.submitted, "roster"
    if work.key in clock.git:
        return clock.git[work.key], "git"
    if clock.all is not None:
        return clock.all, "all"
    return None, ""


def attempt_handed_in(student, lab, work, due, clock):
    """The same of each attempt. One before another that was in time was in time."""
    if work.joined:
        return handed_in(student, lab, clock, work)
    last = handed_in(student, lab, clock)
    if work is student.work:
        return last
    if work.handed_in is not None:
        return work.handed_in, work.form
    if last[0] is not None and (due == NEVER or due is not None and last[0] <= due):
        return last[0], "the last attempt"
    return None, ""


def extended(student, work, due):
    """Moodle's extension, where it is for this work and later than what is due for all."""
    until = student.person.extended if student.person and student.work else None
    return until if until is not None and isinstance(due, int) and until > due and \
        parts.is_of_sheet(student, work) else due


def due_of(student, lab, policy, work):
    """The student's in the policy, an extension of the system's, the policy's of all, the
    system's of all."""
    found = next((due for due in (student.own(lab).due, student.own().due)
                  if due is not None), None)
    if found is None:
        work = work or Work("")
        found = extended(student, work, next((
            due for due in (work.own_due, policy.lab_of(lab).due, work.due)
            if due is not None), None))
    if found in (None, NEVER):
        return found
    return times.later(found, student.own(lab).extension or student.own().extension,
                       policy.zone)


@dataclasses.dataclass
class Clock:
    """Times that are not in the results."""
    all: object = None  # --handed-in
    git: dict = dataclasses.field(default_factory=dict)
    answers: dict = dataclasses.field(default_factory=dict)  # key: {lab: {number: text}}


def give_marks(line, work, policy, clock):
    """Points of written answers, which no lateness touches. Without an answer there are
    none; an answer that nobody has marked has none yet, which is said."""
    most = policy.lab_of(line.lab).questions
    line.most += sum(most)
    if not work:
        return
    code = questions.code_of(work.key)
    answers = clock.answers.get(work.key, {}).get(line.lab, {})
    line.asked, comments = decimal.Decimal(0), [line.comment]
    for number in range(1, len(most) + 1):
        points, comment, _text = policy.marks.get((code, line.lab, number), (None, "", ""))
        line.asked += points or 0
        line.marked += points is not None
        line.not_marked += points is None and bool(answers.get(number))
        comments.append(comment and _("question {n}: {comment}", n=number, comment=comment))
    line.comment = "; ".join(filter(None, comments))


def state_without_work(student, most):
    return Part(LOOK if student.doubt else NONE, None, most)


def line_of(student, lab, most, policy, clock, work):
    """All but lateness, of one attempt."""
    part = attempts.part_of(work, lab, most) if work else state_without_work(student, most)
    own = student.own(lab)
    if part.state == NONE and student.may_be:
        part = Part(LOOK, None, part.most)
    line = Line(lab, part.state, decimal.Decimal(most), add=own.add, override=own.override,
                who=own.who, why=own.why, tell=own.tell, comment=own.comment)
    if line.state == LOOK and student.may_be:
        line.doubt = student.may_be
    if part.points is not None:
        line.points = decimal.Decimal(part.points)
    if own.exempt or student.own().exempt:
        line.state, line.most = EXEMPT, decimal.Decimal(0)
    elif line.state == NONE and policy.missing is not None:
        line.points = policy.missing
    if policy.lab_of(lab).questions and line.state != EXEMPT:
        give_marks(line, work if work and work.joined else student.work, policy, clock)
    line.due = due_of(student, lab, policy, work if work and work.joined else student.work)
    if work:
        line.key, line.attempt, line.attempts = work.key, work.number, \
            1 if work.joined else len(student.work.earlier) + 1
        if work.state == UNGRADED:
            line.doubt = _("the last attempt has none, and earlier ones were not graded: "
                           "scanlab class --attempts")
        if line.state in (GRADED, BROKEN, LOOK):
            line.handed_in, line.source = attempt_handed_in(student, lab, work, line.due, clock)
        if line.handed_in is not None and isinstance(line.due, int):
            line.behind = times.behind(line.handed_in, line.due, policy.zone)
    return line


def judge(line, work, late):
    """Whether a line is late, as far as that can be known."""
    if line.state not in (GRADED, BROKEN):
        return
    line.after_due = attempts.is_in_time(line, late, work) is False
    if not late.percent or line.due == NEVER:
        line.late = "no" if line.due == NEVER else MARKED if work.is_late(line.lab) else ""
        if line.behind is not None:  # it costs nothing, and is known
            line.late_s = max(0, line.behind)
            line.late = times.long(line.late_s) if line.late_s > late.grace else "no"
        return
    if line.due is None:
        line.late, line.doubt = UNKNOWN, _("the lab has no due time")
        return
    if line.handed_in is None:
        if work.form in attempts.MARKS and not work.is_late(line.lab):
            line.late, line.source = "no", f"{work.form}'s mark"
        else:
            line.late = UNKNOWN
            line.doubt = _("marked late, and by how much nothing says") \
                if work.is_late(line.lab) else _("when it was handed in nothing says")
        return
    line.late_s = max(0, line.behind)
    if work.is_late(line.lab) and line.source == "all" and line.late_s <= late.grace:
        line.late, line.doubt = UNKNOWN, _("marked late, and --handed-in says it is not")
        line.late_s = 0
        return
    line.late = times.long(line.late_s) if line.late_s > late.grace else "no"


def cut(line, cap):
    if cap is not None and line.final is not None and line.final > cap:
        line.final, line.capped = cap, True


def settle(line, late, days, cap):
    """What a lab comes to with so many grace days."""
    line.grace_days, line.percent, line.cost, line.capped = days, 0, decimal.Decimal(0), False
    if line.state == EXEMPT:
        return
    if line.override is not None:
        line.final = line.override
        return
    if line.points is None:
        by_hand = [part for part in (line.add, line.asked or None) if part is not None]
        line.final = max(sum(by_hand), decimal.Decimal(0)) if by_hand else None
        cut(line, cap)
        return
    if line.late not in ("", "no", UNKNOWN, MARKED):
        line.percent = late.lost(line.late_s - days * times.DAY)
        # Rounded in the student's favour, as scanlab grade does.
        line.cost = (line.points * line.percent / 100).to_integral_value(decimal.ROUND_FLOOR)
    line.final = max(decimal.Decimal(0), line.points - line.cost + (line.add or 0) +
                     (line.asked or 0))
    cut(line, cap)


# ---- one student ----

@dataclasses.dataclass
class Choice:
    """What a lab may come to: a line for each attempt that may count, with grace days."""
    lab: str
    lines: dict  # number of the attempt: Line
    late: object
    cap: object
    doubt: str = ""
    options: list = dataclasses.field(default_factory=list)

    def add(self, line, left):
        """Options of an attempt: each number of days that is worth more than fewer are."""
        settle(line, self.late, 0, self.cap)
        kept = line.final
        if kept is None:
            return
        self.options.append(best.Option(0, line.attempt, int(kept * PARTS)))
        for days in range(1, min(left, -(-line.late_s // times.DAY)) + 1 if line.cost else 1):
            settle(line, self.late, days, self.cap)
            if line.final > kept:
                kept = line.final
                self.options.append(best.Option(days, line.attempt, int(kept * PARTS)))

    def first(self):
        return next(iter(self.lines.values()))

    def taken(self, option):
        """The line that counts. None: it is dropped, and shows what it is without grace
        days."""
        dropped = option is None
        if not self.options:  # nobody has decided its points
            self.first().dropped = dropped
            return self.first()
        if dropped:
            option = max((o for o in self.options if not o.days),
                         key=lambda o: (o.points, o.attempt))
        line = self.lines[option.attempt]
        settle(line, self.late, option.days, self.cap)
        line.dropped = dropped
        return line


def choice_of(student, lab, most, policy, clock, left):
    late, works = policy.late_of(lab), [student.work]
    if student.work:
        works = attempts.having(student.work, lab, most)
    lines = [line_of(student, lab, most, policy, clock, work) for work in works]
    for line, work in zip(lines, works):
        judge(line, work, late)
    at, doubt, wanted = len(lines) - 1, "", policy.attempt_of(lab)
    if wanted == attempts.IN_TIME and len(lines) > 1:
        at, doubt = attempts.in_time(lines, works, late)
    if wanted == attempts.BEST:
        doubt = attempts.without_points(lines)
    else:
        lines = [lines[at]]
    choice = Choice(lab, {line.attempt: line for line in reversed(lines)}, late,
                    policy.lab_of(lab).cap, doubt)
    for line in lines:
        choice.add(line, left)
    return choice


def choose(choices, policy, left):
    """The lines that count, in the order of choices: the best for the student. Points that
    nobody has decided are none as yet, so such a lab is dropped before others."""
    def due(choice):
        at = choice.first().due
        return at if isinstance(at, int) else 1 << 60
    open_ones = sorted((c for c in choices if c.options or c.first().most), key=due)
    labs = [best.Lab(c.options or [best.Option(0, 0, 0)], int(c.first().most * PARTS),
                     bool(c.first().most) and policy.lab_of(c.lab).drop) for c in open_ones]
    found = {c.lab: c.taken(option) for c, option in zip(
        open_ones, best.choose(labs, left, policy.drop))}
    lines = [found.get(choice.lab) or choice.first() for choice in choices]
    for choice, line in zip(choices, lines):
        line.doubt = "; ".join(filter(None, [line.doubt, choice.doubt]))
    return lines


def compute(student, labs, policy, clock):
    own = student.own()
    left = policy.grace_days if own.grace_days is None else own.grace_days
    student.lines = choose([choice_of(student, lab, most, policy, clock, left)
                            for lab, most in labs.items()], policy, left)
    counted = [line for line in student.lines if line.counts()]
    graded = [line for line in student.lines if line.points is not None]
    student.points = sum((line.points for line in graded), decimal.Decimal(0)) \
        if graded else None
    student.cost = sum((line.cost for line in counted), decimal.Decimal(0))
    student.most = sum((line.most for line in counted), decimal.Decimal(0))
    add_up(student, [line.final for line in counted if line.final is not None], policy)


def add_up(student, finals, policy):
    """The total: of the labs that count; by percent of `out-of`, if there is one."""
    own, total = student.own(), sum(finals, decimal.Decimal(0))
    if policy.out_of is not None and student.most:
        total = (total * policy.out_of / student.most).quantize(
            decimal.Decimal("0.01"), decimal.ROUND_HALF_UP)
        student.most = policy.out_of
    if own.override is not None:
        student.final = own.override
    elif finals or own.add is not None:
        student.final = max(decimal.Decimal(0), total + (own.add or 0))
        if policy.cap is not None and student.final > policy.cap:
            student.final, student.capped = policy.cap, True


def rules_without_due(policy, labs):
    """Labs that a late rule is for, and no due time is known of."""
    return [lab for lab in labs if policy.late_of(lab).percent and
            policy.lab_of(lab).due is None]

