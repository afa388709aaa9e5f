#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""main.py NAME=VALUE...: the points of a class that `scanlab class` graded, by a policy
and a roster. Grades nothing, and changes nothing of what it reads.

Started by `scanlab gradebook`, which has read the options (grader/cli/gradebook.c).
docs/running-a-course.md says what comes of it, and docs/parts.md how."""
import dataclasses
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE] + [os.path.join(os.path.dirname(HERE), name)
                         for name in ("stats", "class")]
import attempts  # noqa: E402
import compute  # noqa: E402
import given  # noqa: E402
import giveback  # noqa: E402
import gittime  # noqa: E402
import groups  # noqa: E402
import known  # noqa: E402
import layouts  # noqa: E402
import match  # noqa: E402
import members  # noqa: E402
import parts  # noqa: E402
import policy  # noqa: E402
import questions  # noqa: E402
import regrade  # noqa: E402
import report  # noqa: E402
import results  # noqa: E402
import roster  # noqa: E402
import table  # noqa: E402
import times  # noqa: E402
import translate  # noqa: E402
import tree  # noqa: E402
import words  # noqa: E402
from ledger import write_whole  # noqa: E402
from translate import _  # noqa: E402

DONE, LOOK_AT, TROUBLE = 0, 1, 2
# What a run may write that another one does not.
GIVEN_BACK = {f"{form}.csv" for form in (*roster.FORMATS, *giveback.NEW, "questions", "requests")
              } | {"moodle-feedback.zip", "questions.html"}
MOST_TOLD = 20  # sentences on a terminal; summary.txt has them all


def say(text):
    print("scanlab gradebook: " + words.line(text, 2000), file=sys.stderr, flush=True)


def git_times(folder, told):
    """{submission: seconds} of the repositories in a folder of submissions."""
    found = {}
    with tree.Folder.open(folder) as top:
        entries = layouts.without_litter(top.names(1000000))
        for name, kind in entries:
            if kind != "folder":
                continue
            key = layouts.key_of(layouts.recognise(name, kind)[1])
            try:
                with top.folder(name) as below:
                    found[key] = gittime.of_repository(below)
            except (gittime.NoTime, tree.Unreadable) as why:
                told.append(words.line(_("{name}: no time of a commit: {why}", name=name, why=why)))
    return found


class Book:
    """What was asked for, and what comes of it."""

    def __init__(self, given):
        self.given, self.told = given, []
        self.folder = known.folder_of(given["from"])
        self.out = os.path.abspath(given.get("output") or os.path.join(self.folder, "final"))
        self.sources = dict(lab.split("/", 1) for lab in given["lab"])
        self.handouts = dict(lab.split("/", 1) for lab in given.get("handout", ()))
        self.put = None  # what a system's file has been given
        self.files = {}  # name in self.out: bytes or text
        self.older = []  # names of files of an earlier run that this one does not make

    def read(self):
        works, self.labs = results.read(self.folder, self.sources)
        self.policy = policy.read(self.given["policy"], self.given.get("course"),
                                  [*self.labs, *self.sources])
        if why := attempts.refused(works, self.policy, self.labs):
            raise policy.Wrong(why)
        if known.is_unfinished(self.folder):
            self.told.append(_("the last `scanlab class` runs, or has not finished: these are the "
                               "results of the one before it; run it again, it goes on"))
        self.tell_nobodys()
        self.told += results.give_zone(works, self.policy.zone)
        self.students, told = members.students_of(works, self.read_roster(), self.policy)
        self.told += told + groups.share(self.policy, self.students)
        members.hold_claimed(self.students)
        self.told += members.give_rules(self.policy, self.students)
        self.clock = compute.Clock()
        self.questions = questions.Questions(
            self.folder, self.handouts, list(self.labs), self.reference())
        self.clock.answers = {work.key: self.questions.of(work.key) for work in works}
        self.told += questions.drop_old(
            self.policy.marks, self.questions.answers(self.clock.answers))
        if "handed_in" in self.given:
            self.clock.all = times.seconds(self.given["handed_in"], self.policy.zone)
        if "git" in self.given:
            self.clock.git = git_times(self.given["git"], self.told)
        self.lab = self.given.get("points")
        if self.lab is not None and self.lab not in self.labs:
            raise table.Unusable(_("no lab '{lab}' was graded", lab=self.lab) + policy.near(
                self.lab, self.labs))

    def tell_nobodys(self):
        self.nobody = results.nobody(self.folder)
        if self.nobody:
            self.told.append(_(
                "{hand_ins} of nobody, not graded: {which}",
                hand_ins=words.many(len(self.nobody), "hand-in"),
                which="; ".join(f"{name}: {why}" for name, why in self.nobody[:3])))

    def read_roster(self):
        """Its people; None: there is none."""
        self.rows, people = None, None
        if "roster" in self.given:
            self.rows, self.form, people = roster.read(
                self.given["roster"], self.given.get("roster_format"), self.policy.zone)
            people, told = roster.without_doubles(people, self.rows)
            self.told += told
            bad = [p for p in people if p.told]
            if bad:
                self.told.append(_("{file}: {times} that cannot be used, as {why}",
                                   file=self.rows.name(), why=bad[0].told,
                                   times=words.many(len(bad), "time")))
        return people

    def reference(self):
        """The file of answers; that of this copy of ScanLab, if it has one."""
        given = self.given.get("answers")
        if given and not os.path.isfile(given):
            raise table.Unusable(_("{file}: there is no such file", file=given))
        return given or os.path.join(self.given.get("root", ""), "reference/answers.md")

    def ask(self):
        """What is to be marked by hand."""
        keys = [key for key, found in self.clock.answers.items() if found]
        if not keys:
            return
        answers = self.questions.answers(keys)
        self.files["questions.html"] = questions.page(self.questions, answers)
        self.files["questions.csv"] = questions.sheet(answers, self.policy.marks)
        left = sum(line.not_marked for s in self.students for line in s.lines)
        if left:
            self.told.append(
                _("1 written answer has no points yet: fill in a copy of questions.csv, and name "
                  "it in the policy, [files] questions") if left == 1 else
                _("{n} written answers have no points yet: fill in a copy of questions.csv, and "
                  "name it in the policy, [files] questions", n=left))

    def compute(self):
        for student in self.students:
            compute.compute(student, self.labs, self.policy, self.clock)
        self.told += attempts.not_applied(self.students, self.policy, self.labs)
        self.told += [words.line(f"{s.called()}: {line.lab}: {line.doubt}", 600)
                      for s in self.students for line in s.lines
                      if line.doubt and line.doubt != s.may_be and
                      line.late != compute.UNKNOWN and line.override is None]
        for student, why in parts.drafts(self.students):
            student.remark = why
            self.told.append(words.line(f"{student.called()}: {why}", 600))
        for lab in compute.rules_without_due(self.policy, self.labs):
            if not all(line.due is not None for s in self.students for line in s.lines
                       if line.lab == lab and s.work):
                self.told.append(_("[late] is for {lab}, which has no due time: it cannot be "
                                   "applied; write [lab {lab}] due = TIME, or due = never",
                                   lab=lab))
        self.ask()
        if self.policy.requests:
            self.files["requests.csv"] = regrade.listed(self.policy)
            left = sum(r["decision"] == regrade.OPEN for r in self.policy.requests)
            self.told += [_("1 request to grade again is open") if left == 1 else
                          _("{n} requests to grade again are open", n=left)] * bool(left)
        self.files["gradebook.csv"] = report.gradebook(self.students, self.labs)
        self.files["labs.csv"] = report.of_labs(self.students)

    def check_matched(self, file, people, found, works):
        """A file of another class or assignment: who handed in would have nothing in it."""
        if works and people and found * 4 < min(works, people):
            raise table.Unusable(words.line(_(
                "{file}: of {submissions} {n} are of somebody in it, so nothing is written: is "
                "it of this class, and of this assignment?", file=file, n=found,
                submissions=words.many(works, "submission"))))

    def give_back(self):
        fill, new = self.given.get("give_back"), self.given.get("export")
        if self.rows and (fill or new):
            self.check_matched(self.rows.name(), sum(s.person is not None for s in self.students),
                               sum(bool(s.person and s.work) for s in self.students),
                               sum(bool(s.work) for s in self.students))
        wanted = self.given.get("column")
        if fill:
            self.fill(fill, wanted)
        if new:
            text, told = giveback.new(new, self.students, self.labs, self.lab, wanted)
            self.files[f"{new}.csv"] = text
            self.told += told

    def fill(self, path, wanted):
        """The system's own file; its people are matched anew if it is not the roster."""
        students = self.students
        if self.rows and os.path.realpath(path) == os.path.realpath(self.given["roster"]):
            rows, form = self.rows, self.form
        else:
            rows, form, people = roster.read(path, self.given.get("roster_format")
                                             if not self.rows else None, self.policy.zone)
            students = self.matched_anew(people, rows)
        self.put = given.Given(self.out, form, [*self.labs], bool(self.given.get("overwrite")))
        self.told += giveback.fill(form, rows, students, self.lab, wanted, self.put)
        # Under a name of ours: the file's own might be that of another one here.
        self.files[f"{form}.csv"] = rows.bytes()
        if form == "moodle":
            self.files["moodle-feedback.zip"], told = giveback.feedback(
                self.folder, rows, students, self.lab)
            self.told += told

    def matched_anew(self, people, rows):
        """The students, with the rows of another file than the roster; also who handed in
        nothing: that may be points, too."""
        found, doubts = match_again(people, self.students)
        self.check_matched(rows.name(), len(people), sum(
            bool(self.students[at].work) for at in found), sum(
                bool(s.work) for s in self.students))
        self.told += [f"{rows.name()}: {self.students[at].called()}: {why}"
                      for at, why in doubts.items()]
        students = []
        for at, student in enumerate(self.students):
            if at in found:
                student = dataclasses.replace(student, person=people[found[at][0]])
                students.append(student)
            elif at not in doubts and (student.work or student.final is not None):
                self.told.append(_("{file}: {who} is not in it", file=rows.name(),
                                   who=student.called()))
        return students

    def write(self):
        if os.path.realpath(self.out) == os.path.realpath(self.folder):
            raise table.Unusable(_("{folder} has what `scanlab class` wrote: name another folder "
                                   "with -o", folder=self.out))
        for name in self.files:
            path = os.path.join(self.out, name)
            for word in ("give_back", "roster"):
                if word in self.given and os.path.exists(path) and os.path.samefile(
                        path, self.given[word]):
                    raise table.Unusable(_("{file} would be written over: name another folder "
                                           "with -o", file=path))
        os.makedirs(self.out, 0o700, exist_ok=True)
        self.older = sorted(GIVEN_BACK.intersection(os.listdir(self.out)) - set(self.files))
        self.files["summary.txt"] = report.summary(self.students, self.labs, self.told,
                                                   self.rows is not None, self.nobody)
        for name, data in self.files.items():
            path = os.path.join(self.out, name)
            write_whole(path, data.encode("utf-8", "replace") if isinstance(data, str)
                        else data)
        if self.put:
            self.put.write()

    def say(self):
        """The exit status."""
        undecided = report.undecided(self.students)
        told = self.told + undecided
        for text in told[:MOST_TOLD]:
            say(text)
        if len(told) > MOST_TOLD:
            say(_("summary.txt has more: {sentences}",
                  sentences=words.many(len(told) - MOST_TOLD, "sentence")))
        unknown = [s for s in self.students if report.lateness(s) == compute.UNKNOWN]
        if unknown:
            say(_("late: unknown, for {students}: a rule of lateness could not be applied, and "
                  "their points are without it; summary.txt has names",
                  students=words.many(len(unknown), "student")))
        for line in report.count(self.students, self.labs):
            print(line)
        print(f"{words.line(self.out)}: {', '.join(sorted(self.files))}")
        if self.older:
            print(_("of an earlier run, and not made anew: {files}",
                    files=", ".join(self.older)))
        return LOOK_AT if told or unknown else DONE


def match_again(people, students):
    """Finds the students, who were matched with the roster already, among the people of
    another file: by the id, address and name that the roster has of them."""
    works = []
    for at, student in enumerate(students):
        _key, id, _login, email, name, *_more = report.who(student)
        works.append(compute.Work(
            student.work.key if student.work else f"#{at + 1}", id, name, email,
            own=student.person.own if student.person else ""))
    return match.match(people, works, {})[:2]


def run(given):
    if why := translate.speak(given.get("build", ""), given.get("course")):
        say(f"note: {why}")
    book = Book(given)
    book.read()
    book.compute()
    book.give_back()
    book.write()
    return book.say()


TROUBLES = known.Unusable, table.Unusable, policy.Wrong, times.NoTime, OSError


def sentence(why):
    if isinstance(why, OSError) and why.filename:
        return f"{why.filename}: {why.strerror}"
    return str(why)


def read(given):
    """The words NAME=VALUE."""
    found = {"lab": [], "policy": [], "handout": []}
    for name, value in (word.split("=", 1) for word in given):
        found[name] = found[name] + [value] if name in found and isinstance(
            found[name], list) else value
    return found


def main():
    os.umask(0o077)
    sys.stdout.reconfigure(errors="replace")
    sys.stderr.reconfigure(errors="replace")
    try:
        sys.exit(run(read(sys.argv[1:])))
    except TROUBLES as why:
        say(sentence(why))
    sys.exit(TROUBLE)


if __name__ == "__main__":
    main()
