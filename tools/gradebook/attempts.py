# SPDX-License-Identifier: MIT
"""Which of a student's attempts count for a lab, as the policy says:

    last     the last one, whenever it came
    in-time  the last one that came in time; where none did, the last one
    best     the one with the most final points: best.py, with what lateness costs

An attempt counts for the labs that it has. `scanlab class --attempts` grades them all;
without it the earlier ones have no points, and the last two rules are refused."""
import words
from results import LOOK, NONE, UNGRADED, Part
from translate import _

LAST, IN_TIME, BEST = RULES = "last", "in-time", "best"
# Systems whose download has all attempts of a student; that of others has the last.
SEVERAL = "autolab", "blackboard", "brightspace", "canvas", "prairielearn"
# Systems that number files: the last attempt has all that those before it had.
GROWING = "canvas", "prairielearn"
# Systems whose names say of each who handed in whether it was late.
MARKS = ("canvas",)


def rule(text):
    if text not in RULES:
        raise ValueError(_("'{text}' is none of {rules}", text=text[:40], rules=", ".join(RULES)))
    return text


def part_of(work, lab, most):
    """What a work has of a lab."""
    part = work.labs.get(lab)
    if part is None:
        part = Part(NONE if work.state == NONE else LOOK, None, most)
    return part


def having(work, lab, most):
    """The attempts that have a lab, the last one last. The last one, if none has it."""
    if work.form in GROWING and part_of(work, lab, most).state == NONE:
        return [work]
    return [one for one in (*work.earlier, work) if one.state == UNGRADED or
            part_of(one, lab, most).state != NONE] or [work]


def is_in_time(line, late, work):
    """None: that is not known."""
    if line.due == "never":
        return True
    if line.handed_in is None:
        return not work.is_late(line.lab) if work.form in MARKS else None
    return None if line.due is None else line.behind <= late.grace


def in_time(lines, works, late):
    """The number of the line that counts, and a doubt."""
    for at in reversed(range(len(lines))):
        known = is_in_time(lines[at], late, works[at])
        if known:
            return at, ""
        if known is None:
            return len(lines) - 1, _("whether attempt {n} came in time nothing says", n=at + 1)
    return len(lines) - 1, ""


def without_points(lines):
    """A doubt, where one of these may be the best and nobody could grade it."""
    return next((_("attempt {attempt} may be the best, and it is '{state}'", attempt=line.attempt,
                   state=_(line.state))
                 for line in lines if line.points is None and line.state != NONE), "")


def refused(works, policy, labs):
    """Why the policy cannot be applied to what was graded, or ""."""
    of = sorted({lab for lab in labs if policy.attempt_of(lab) != LAST})
    several = {work.key for work in works if any(w.state == UNGRADED for w in work.earlier)}
    if not of or not several:
        return ""
    return words.line(
        _("the policy says attempt = {rule} for {labs}, and of {submissions} ({which}) the last "
          "attempt alone was graded: run scanlab class with --attempts, then this again; or "
          "write attempt = last", rule=policy.attempt_of(of[0]), labs=", ".join(of),
          submissions=words.many(len(several), "submission"),
          which=", ".join(sorted(several)[:3])), 600)


def not_applied_to(lab, wanted, hand_ins, systems):
    if wanted == IN_TIME:
        return _("attempt = {rule} for {lab}: not applied to {hand_ins} that came late "
                 "({systems}): only the last attempt is there", rule=wanted, lab=lab,
                 hand_ins=hand_ins, systems=systems)
    return _("attempt = {rule} for {lab}: not applied to {hand_ins} ({systems}): only the last "
             "attempt is there", rule=wanted, lab=lab, hand_ins=hand_ins, systems=systems)


def not_applied(students, policy, labs):
    """Where a rule chooses among attempts that the download does not have: sentences."""
    told = []
    for lab in labs:
        wanted = policy.attempt_of(lab)
        lines = [(student.work.form, line) for student in students if student.work
                 for line in student.lines if line.lab == lab and line.points is not None]
        alone = [form or _("of no system") for form, line in lines if form not in SEVERAL and
                 (wanted == BEST or wanted == IN_TIME and line.after_due)]
        if alone:
            of_these = words.many(len(alone), "hand-in"), ", ".join(sorted(set(alone)))
            told.append(not_applied_to(lab, wanted, *of_these))
    return told
