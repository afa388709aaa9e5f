# SPDX-License-Identifier: MIT
"""From what was graded, a policy and a roster to final points, student by student.

Each figure that a rule made stands apart: points as graded, by how much it was late,
what that cost, what was added by hand, an override with who and why, the final points.
A rule that could not be applied leaves the points as they are, and says so in `doubt`."""
import collections
import dataclasses
import decimal

import match
import questions
import roster
import times
import words
from policy import NEVER, Own
from results import BROKEN, FAULT, GRADED, LOOK, NONE, Part, Work

UNKNOWN, MARKED = "unknown", "marked"  # of a lateness
EXEMPT = "exempt"
# Systems whose names say of each who handed in whether it was late.
MARKS = ("canvas",)


@dataclasses.dataclass
class Line:
    """One lab of one student."""
    lab: str
    state: str
    most: object
    points: object = None     # as graded
    handed_in: object = None
    source: str = ""          # who says when
    due: object = None
    late: str = ""            # "", no, a duration, unknown, marked
    late_s: int = 0
    percent: int = 0
    cost: object = decimal.Decimal(0)
    grace_days: int = 0       # used
    add: object = None
    asked: object = None      # of written questions; None: there are none
    not_marked: int = 0       # answers without points yet
    override: object = None
    who: str = ""
    why: str = ""
    comment: str = ""
    dropped: bool = False
    final: object = None      # None: not decided
    doubt: str = ""


@dataclasses.dataclass
class Student:
    person: object = None     # of the roster
    work: object = None
    how: str = ""             # matched by
    rules: dict = dataclasses.field(default_factory=dict)  # lab or "": Own
    lines: list = dataclasses.field(default_factory=list)
    doubt: str = ""
    points: object = None
    cost: object = None
    most: object = decimal.Decimal(0)
    final: object = None

    def own(self, lab=""):
        return self.rules.get(lab, Own())

    def ids(self):
        """All that is this one's alone, as it is compared."""
        own = self.work and self.how != "group"  # else it is another one's work
        texts = [self.work.key, self.work.id, self.work.email] if own else []
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
        return not self.doubt and (self.own().override is not None or all(
            line.override is not None or line.state in (EXEMPT, NONE) for line in self.lines))

    def state(self):
        """Of all labs together."""
        if self.doubt:
            return LOOK
        if not self.work:
            return NONE
        if self.work.state not in (GRADED, BROKEN):
            return self.work.state
        states = {line.state for line in self.lines} - {EXEMPT}
        return next((s for s in (FAULT, LOOK) if s in states), self.work.state)


# ---- who is there ----

def settled_by(policy, students, works):
    """{key of a submission: number of the student}, as the policy says; what it says in vain."""
    found, told, keys = {}, [], {work.key for work in works}
    for who, rules in policy.owns.items():
        key = rules[""].submission if "" in rules else ""
        fits = match.people_of(who, students) if key else []
        if key and (len(fits) != 1 or key not in keys):
            told.append(words.line(f"the policy says that {key} is {who}'s: " + (
                "there is no such submission" if key not in keys else
                f"{len(fits)} students are called so")))
        elif key:
            found[key] = fits[0]
    return found, told


def students_of(works, people, policy):
    """Those of a roster in its order, then who is not on it; sentences that are told."""
    if people is None:
        return [Student(work=work) for work in works], []
    students = [Student(person=person) for person in people]
    settled, told = settled_by(policy, students, works)
    found, doubts, may_be = match.match(people, works, settled)
    for number, why in may_be.items():
        students[number].doubt = why
    for at, (number, how) in sorted(found.items()):
        students[number].work, students[number].how = works[at], how
    for at, work in enumerate(works):
        if at in found:
            continue
        other = Student(work=work, doubt=doubts.get(at, "it is of nobody on the roster"))
        told.append(words.line(f"{work.key}: {other.doubt}", 600))
        students.append(other)
    return students, told


def give_rules(policy, students):
    """Gives each student what the policy says of them; what could not be given."""
    told, index = [], collections.defaultdict(list)
    for number, student in enumerate(students):
        for text in student.ids():
            index[text].append(number)
    for who, rules in policy.owns.items():
        fits = index.get(roster.folded(who)) or match.people_of(who, students)
        if len(fits) == 1 and not students[fits[0]].rules:
            students[fits[0]].rules = rules
        elif len(fits) == 1:
            told.append(words.line(f"the policy's student {who} is "
                                   f"{students[fits[0]].called()}, who stands in it by "
                                   "another name as well: this one is not applied"))
        elif fits:
            told.append(words.line(f"the policy's student {who} may be " + " or ".join(
                students[n].called() for n in fits[:5]) + ": not applied", 600))
        else:
            told.append(words.line(f"the policy's student {who} is nobody here: not applied"))
    return told


# ---- one lab ----

def handed_in(student, lab, clock):
    """Seconds and who says so; None, "" where nobody does."""
    for own in student.own(lab), student.own():
        if own.handed_in is not None:
            return own.handed_in, "policy"
    if student.work.handed_in is not None:
        return student.work.handed_in, student.work.form or "list"
    if student.person and student.person.submitted is not None:
        return student.person.submitted, "roster"
    if student.work.key in clock.git:
        return clock.git[student.work.key], "git"
    if clock.all is not None:
        return clock.all, "all"
    return None, ""


def due_of(student, lab, policy):
    """The student's in the policy, an extension of the system's, the policy's of all, the
    system's of all."""
    work = student.work or Work("")
    found = next((due for due in (student.own(lab).due, student.own().due, work.own_due,
                                  policy.lab_of(lab).due, work.due) if due is not None), None)
    if found in (None, NEVER):
        return found
    return found + (student.own(lab).extension or student.own().extension)


@dataclasses.dataclass
class Clock:
    """Times that are not in the results."""
    all: object = None  # --handed-in
    git: dict = dataclasses.field(default_factory=dict)
    answers: dict = dataclasses.field(default_factory=dict)  # key: {lab: {number: text}}


def give_marks(line, student, policy, clock):
    """Points of written answers, which no lateness touches. Without an answer there are
    none; an answer that nobody has marked has none yet, which is said."""
    most = policy.lab_of(line.lab).questions
    line.most += sum(most)
    if not student.work:
        return
    code = questions.code_of(student.work.key)
    answers = clock.answers.get(student.work.key, {}).get(line.lab, {})
    line.asked, comments = decimal.Decimal(0), [line.comment]
    for number in range(1, len(most) + 1):
        points, comment = policy.marks.get((code, line.lab, number), (None, ""))
        line.asked += points or 0
        line.not_marked += points is None and bool(answers.get(number))
        comments.append(comment and f"question {number}: {comment}")
    line.comment = "; ".join(filter(None, comments))


def line_of(student, lab, most, policy, clock):
    """All but lateness."""
    part = student.work.labs.get(lab) if student.work else None
    if part is None:
        state = student.work.state if student.work else LOOK if student.doubt else NONE
        part = Part(LOOK if state in (GRADED, BROKEN) else state, None, most)
    own = student.own(lab)
    line = Line(lab, part.state, decimal.Decimal(most), add=own.add, override=own.override,
                who=own.who, why=own.why, comment=own.comment)
    if part.points is not None:
        line.points = decimal.Decimal(part.points)
    if own.exempt or student.own().exempt:
        line.state, line.most = EXEMPT, decimal.Decimal(0)
    elif line.state == NONE and policy.missing is not None:
        line.points = policy.missing
    if policy.lab_of(lab).questions and line.state != EXEMPT:
        give_marks(line, student, policy, clock)
    line.due = due_of(student, lab, policy)
    if student.work and line.state in (GRADED, BROKEN):
        line.handed_in, line.source = handed_in(student, lab, clock)
    return line


def judge(line, student, late):
    """Whether a line is late, as far as that can be known."""
    if line.state not in (GRADED, BROKEN):
        return
    marked = student.work.late
    if not late.percent or line.due == NEVER:
        line.late = "no" if line.due == NEVER else MARKED if marked else ""
        return
    if line.due is None:
        line.late, line.doubt = UNKNOWN, "the lab has no due time"
        return
    if line.handed_in is None:
        if student.work.form in MARKS and not marked:
            line.late, line.source = "no", f"{student.work.form}'s mark"
        else:
            line.late = UNKNOWN
            line.doubt = "marked late, and by how much nothing says" if marked else \
                "when it was handed in nothing says"
        return
    line.late_s = max(0, line.handed_in - line.due)
    if marked and line.source == "all" and line.late_s <= late.grace:
        line.late, line.doubt = UNKNOWN, "marked late, and --handed-in says it is not"
        line.late_s = 0
        return
    line.late = times.long(line.late_s) if line.late_s > late.grace else "no"


def spend(line, late, left):
    """Uses the fewest grace days with which the least is lost. How many are left."""
    if line.late in ("", "no", UNKNOWN, MARKED):
        return left
    losses = [late.lost(line.late_s - days * times.DAY) for days in range(left + 1)]
    line.grace_days = losses.index(min(losses))
    line.percent = losses[line.grace_days]
    if line.points is not None:
        # Rounded in the student's favour, as scanlab grade does.
        line.cost = (line.points * line.percent / 100).to_integral_value(decimal.ROUND_FLOOR)
    return left - line.grace_days


def finish(line, cap):
    if line.state == EXEMPT:
        return
    if line.override is not None:
        line.final = line.override
        return
    if line.points is None:
        by_hand = [part for part in (line.add, line.asked or None) if part is not None]
        line.final = max(sum(by_hand), decimal.Decimal(0)) if by_hand else None
        return
    line.final = max(decimal.Decimal(0), line.points - line.cost + (line.add or 0) +
                     (line.asked or 0))
    if cap is not None:
        line.final = min(line.final, cap)


# ---- one student ----

def drop(lines, policy):
    """The lowest labs, in percent, do not count; one always does."""
    there = [line for line in lines if line.final is not None and line.most and
             policy.lab_of(line.lab).drop]
    there.sort(key=lambda line: line.final / line.most)
    counted = sum(line.final is not None for line in lines)
    for line in there[:max(0, min(policy.drop, counted - 1))]:
        line.dropped = True


def compute(student, labs, policy, clock):
    student.lines = [line_of(student, lab, most, policy, clock) for lab, most in labs.items()]
    all_labs = student.own()
    left = policy.grace_days if all_labs.grace_days is None else all_labs.grace_days
    # In the order in which they were due; who has several late days uses them so.
    for line in sorted(student.lines, key=lambda line: (
            line.due if isinstance(line.due, int) else 1 << 60)):
        late = policy.late_of(line.lab)
        judge(line, student, late)
        left = spend(line, late, left)
        finish(line, policy.lab_of(line.lab).cap)
    drop(student.lines, policy)
    counted = [line for line in student.lines if line.state != EXEMPT and not line.dropped]
    decided = [line for line in counted if line.final is not None]
    graded = [line for line in student.lines if line.points is not None]
    student.points = sum((line.points for line in graded), decimal.Decimal(0)) \
        if graded else None
    student.cost = sum((line.cost for line in student.lines), decimal.Decimal(0))
    student.most = sum((line.most for line in counted), decimal.Decimal(0))
    if all_labs.override is not None:
        student.final = all_labs.override
    elif decided or all_labs.add is not None:
        student.final = max(decimal.Decimal(0), sum(
            (line.final for line in decided), all_labs.add or decimal.Decimal(0)))
        if policy.cap is not None:
            student.final = min(student.final, policy.cap)


def rules_without_due(policy, labs):
    """Labs that a late rule is for, and no due time is known of."""
    return [lab for lab in labs if policy.late_of(lab).percent and
            policy.lab_of(lab).due is None]

