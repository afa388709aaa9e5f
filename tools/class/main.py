#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""main.py NAME=VALUE...: grades what a class has handed in.

Started by `scanlab class`, which has read the options (grader/cli/class.c) and
has the text of --help. docs/running-a-course.md says what comes of it, and
docs/parts.md (A class) how."""
import collections
import fcntl
import functools
import os
import stat
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import before  # noqa: E402
import gradebook  # noqa: E402
import layouts  # noqa: E402
import translate  # noqa: E402
import tree  # noqa: E402
import unpack  # noqa: E402
import words  # noqa: E402
from apart import Probe, RowTrouble, apart, sentence  # noqa: E402
from collect import Collector  # noqa: E402
from grading import Grading, Task, end_by_signals, remove  # noqa: E402
from gradebook import FAULT, GRADED, LOOK_AT, MEANS, NOT_HANDED_IN, Row  # noqa: E402
from jobs import Jobs  # noqa: E402
from ledger import Ledger, write_whole  # noqa: E402
from request import Request  # noqa: E402
from slurm import Cluster, end_old  # noqa: E402
from translate import _  # noqa: E402
from walled import FULL, DiskFull, Fault, Walls  # noqa: E402

DONE, LOOK, TROUBLE = 0, 1, 2
# A class in one archive: MiB and files of each who handed in; seconds of a processor.
EACH_MIB, EACH_FILES, CLASS_S = 128, 20000, 900
MOST_ENTRIES = 1000000  # of DIR
MOST_FILES = 20  # that whose.txt names of a submission
EVERY_S = 30  # a line of progress, where there is no terminal
LEAVES_S = 3  # whoever was killed


def say(text):
    print("scanlab class: " + words.line(text, 2000), file=sys.stderr, flush=True)


def trouble(why):
    """What an error of the system means, as a Fault."""
    full = why.errno in FULL
    return (DiskFull if full else Fault)(words.line(
        f"{why.filename}: {why.strerror}" if why.filename else why.strerror))


def check_owner(out):
    """OUT's name is known before it is there: who may write beside DIR could have made
    it, or a link to a folder of ours, which would be emptied."""
    for about in os.lstat(out), os.stat(out):
        if about.st_uid != os.geteuid():
            raise Fault(_("{out} belongs to another user; give another one with -o",
                          out=words.line(out)))
    if about.st_mode & stat.S_IWOTH:
        raise Fault(_("others may write into {out}; give another one with -o",
                      out=words.line(out)))
    above = os.path.realpath(out)
    while above != "/":  # who may rename what we work in has another one in its place
        above = os.path.dirname(above)
        mode = os.stat(above).st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise Fault(_("others may rename what is in {folder}, as OUT; give another OUT "
                          "with -o, or set the sticky bit: chmod +t", folder=words.line(above)))


class Progress:
    """One line on a terminal; elsewhere a line now and then."""

    def __init__(self, to_do, before, jobs):
        self.all, self.ready, self.before, self.faults = to_do, 0, before, 0
        self.jobs, self.began, self.last = jobs, time.monotonic(), time.monotonic()
        self.terminal = sys.stderr.isatty()

    def done(self, task, again):
        self.ready += not again
        self.faults += bool(task.fault) and not again
        now = time.monotonic()
        if not self.terminal and now - self.last < EVERY_S and self.ready < self.all:
            return
        self.last = now
        left = (now - self.began) / max(self.ready, 1) * (self.all - self.ready)
        text = _("{ready} of {all} graded, {running} running", ready=self.ready, all=self.all,
                 running=self.jobs.running)
        text += _(", {n} as before", n=self.before) if self.before else ""
        text += _(", faults: {n}", n=self.faults) if self.faults else ""
        text += _(", about {n:.0f} min left", n=left / 60) if left >= 60 else ""
        if self.terminal:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        else:
            say(text)

    def end(self):
        if self.terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Class:
    def __init__(self, request):
        self.request, self.out = request, request.out
        if not os.path.lexists(request.folder):
            raise Fault(_("there is no {folder}", folder=words.line(request.folder)))
        if (os.path.realpath(self.out) + "/").startswith(
                os.path.realpath(request.folder).rstrip("/") + "/"):
            raise Fault(_("OUT lies in DIR, which is only read; give another with -o"))
        os.makedirs(self.out, 0o700, exist_ok=True)
        check_owner(self.out)
        self.lock = open(os.path.join(self.out, "lock"), "w", encoding="utf-8")
        self.take_lock()
        end_old(self.out)
        self.walls = Walls(request.build, request.require_walls)
        if "files" in self.walls.missing and not request.weaker_walls:
            raise Fault(_("nothing keeps a submission's compiler from your files here, the "
                          "wall `files` is missing (docs/robustness.md, Walls); as a user who "
                          "can read nothing else, add --weaker-walls"))
        for wall in self.walls.missing:
            say(_("note: around the reading of archives the wall `{wall}` is missing", wall=wall))
        self.rows = {}     # key: Row
        self.earlier = {}  # the same of attempts before the last one
        self.cut, self.told, self.said_all = {}, [], True
        self.probe = Probe(self.out)

    def take_lock(self):
        """One that was killed a moment ago may still be about to go."""
        until = time.monotonic() + LEAVES_S
        while True:
            try:
                return fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise Fault(_("{out} is in use by another scanlab class",
                                  out=words.line(self.out))) from None
            time.sleep(0.05)

    def path(self, *names):
        return os.path.join(self.out, *names)

    # ---- whose is what ----

    def place(self):
        where = self.request.folder
        if os.path.isfile(where):
            where = self.unpack(where)
        elif not os.path.isdir(where):
            raise Fault(_("{where} is neither a folder nor an archive", where=words.line(where)))
        self.root = tree.Folder.open(where)
        entries = self.entries(self.root)
        before.check_folder(self.root, entries)
        if name := layouts.only_folder(entries):
            entries = self.enter(name, entries)
        if layouts.has_list(entries):
            self.submissions, self.nobody = layouts.gradescope(entries, self.read_list())
        else:
            self.submissions, self.nobody = layouts.by_names(entries)
        if self.request.says_when:  # of all of whom nothing else says it
            for s in self.submissions:
                s.handed_in = s.handed_in or self.request.handed_in
        self.told += layouts.settle_keys(self.submissions)
        self.submissions.sort(key=lambda s: s.key)
        self.told += layouts.rows_of_one(self.submissions)
        self.told += before.check(self.out, self.request.labs, [s.key for s in self.submissions])
        own = {source for _, source in self.request.pairs} & {n for n, _ in self.nobody}
        if own:
            say(_("note: {name} lies in DIR itself; to grade one submission: scanlab grade -s "
                  "DIR", name=sorted(own)[0]))

    def entries(self, folder):
        try:
            return layouts.without_litter(folder.names(MOST_ENTRIES))
        except tree.Unreadable as why:
            raise Fault(f"{words.line(self.request.folder)}: {why}") from None

    def enter(self, name, entries):
        """DIR has one folder and nothing else. If it is called as Gradescope calls the
        one around a class, and has the list, the class is in it."""
        if layouts.EXPORT.fullmatch(name):
            try:
                below = self.root.folder(name)
            except tree.Unreadable as why:
                raise Fault(f"{words.line(name)}: {why}") from None
            inside = self.entries(below)
            if layouts.has_list(inside):
                self.root.close()
                self.root = below
                return inside
            below.close()
        if layouts.recognise(name, "folder")[0] == "folder":
            say(_("note: there is one folder, {name}, taken for one student's; if it has the "
                  "class in it, give {what}", name=words.line(name), what=_("that folder")
                  if os.path.isdir(self.request.folder) else
                  _("an archive without it, or unpack this one and give that folder")))
        return entries

    def read_list(self):
        try:
            fd = self.root.file(layouts.GRADESCOPE)
        except tree.Unreadable as why:
            raise Fault(f"{layouts.GRADESCOPE}: {why}") from None
        try:
            answer = self.walls.run("yaml", fd, layouts.GRADESCOPE)
        finally:
            os.close(fd)
        if not isinstance(answer.get("yaml"), dict):
            raise Fault(f"{layouts.GRADESCOPE}: {unpack.again(str(answer.get('refused')))}")
        return answer["yaml"]

    def unpack(self, archive):
        to = self.path("class")
        remove(to)
        os.makedirs(to, 0o700)
        with open(archive, "rb") as file:
            answer = self.walls.run("archive", file, archive, to, ("all", EACH_MIB, EACH_FILES),
                                    EACH_MIB + 1, CLASS_S)
        if "refused" in answer:
            raise Fault(f"{words.line(archive)}: {unpack.again(answer['refused'])}")
        for note in answer["notes"]:
            say(_("note: {text}", text=words.line(unpack.again(note))))
        self.cut = answer["cut"] if isinstance(answer.get("cut"), dict) else {}
        return to

    def collect(self):
        """Copies of all submissions, in OUT/taken; what can be said at once."""
        collector = Collector(
            self.walls, self.request.pairs, self.path("unpacked"), self.request.symbols,
            self.request.accept, dict(self.request.stubs()))
        self.unfinished = before.begin(self.out)
        remove(self.path("taken"))
        remove(self.path("answers"))
        self.request.accept.open(self.out)
        tasks = []
        for s in self.submissions:
            if not self.request.attempts:
                s.notes += layouts.left_out(s)
            tasks += self.take(collector, s, self.rows)
            for one in s.before() if self.request.attempts else ():
                tasks += self.take(collector, one, self.earlier)
        remove(self.path("unpacked"))
        self.request.accept.write()
        self.root.close()
        return tasks

    def check_accepted(self):
        """What --accept names in vain; the results of the last run stay as they are."""
        accept = self.request.accept
        try:
            accept.check(self.every())
        except Fault:
            if not self.unfinished:
                before.end(self.out)
            raise
        for key in accept.unused():
            say(_("note: --accept {key}: nothing of it had to be accepted", key=key))

    def take(self, collector, s, rows):
        """Makes a row; the task, if there is something to be graded."""
        try:
            taken = apart(self.probe, self.collect_row, collector, s)
            rows[s.key] = row = self.row_of(s, taken)
        except RowTrouble as why:
            rows[s.key] = Row(s, None, FAULT if why.again else LOOK_AT, str(why))
            return []
        return [Task(s.key, taken.hash, self.path("taken", s.key), s.version)] \
            if row.status == FAULT else []

    def every(self):
        """All rows, and those of earlier attempts."""
        return {**self.rows, **self.earlier}

    def collect_row(self, collector, submission):
        to = self.path("taken", submission.key)
        remove(to)
        os.makedirs(to, 0o700)
        taken = collector.collect(submission, self.root, to)
        if not submission.of:  # answers are those of the last attempt
            answers = self.path("answers", submission.key)
            remove(answers)
            collector.write_answers(answers)
        return taken

    def row_of(self, submission, taken):
        """Until it is graded."""
        if why := next((self.cut[p.entry] for p in submission.pieces
                        if p.entry in self.cut), None):
            return Row(submission, taken, LOOK_AT, words.line(unpack.again(why)))
        if taken.empty:
            look = taken.unreadable or taken.looks
            return Row(submission, taken, LOOK_AT if look else NOT_HANDED_IN,
                       "; ".join(taken.looks + taken.notes))
        return Row(submission, taken, FAULT, _("it was not its turn yet"))

    def tell_whose(self):
        lines = []
        for key, row in self.every().items():
            s = row.submission
            people = ", ".join(filter(None, (" ".join(filter(None, p)) for p in s.persons)))
            how = [s.form] + [_("late")] * s.late
            how += [_("an attempt before {last}", last=s.of)] if s.of else []
            lines += [f"{key}: {people} ({', '.join(how)})"]
            files = row.taken.files if row.taken else []
            lines += ["    " + text for text in files[:MOST_FILES]]
            if len(files) > MOST_FILES:
                lines += ["    " + _("and {files}", files=words.many(
                    len(files) - MOST_FILES, "other file"))]
            looks, notes = row.told()
            lines += ["    " + _("needs a look: {text}", text=text) for text in looks]
            lines += ["    " + _("note: {text}", text=text) for text in notes]
        lines += [_("nobody's: {name}: {why}", name=name, why=why) for name, why in self.nobody]
        lines += [_("note: {text}", text=text) for text in self.told]
        text = "".join(words.line(row) + "\n" for row in lines)
        write_whole(self.path("whose.txt"), text)
        return text

    # ---- grades ----

    def grade(self, tasks):
        """Grades what is not graded yet. Why it ended early, or None."""
        ledger = Ledger(self.path("ledger.sqlite3"))
        self.request.settle(ledger)
        every = self.every()
        for task in tasks:
            task.words = self.request.of_student(every[task.key].submission)
            task.seed = self.request.seed_of(task.wanted)
            if task.seed:
                task.words += ["--seed", task.seed]
            task.wanted = words.digest(task.wanted, self.request.hash, *task.words)
        jobs = Jobs(self.request.jobs, os.environ.get("MAKEFLAGS", ""))
        if jobs.note:
            say(_("note: {text}", text=jobs.note))
        grading, why = (Cluster if self.request.slurm else Grading)(
            self.request, ledger, jobs, self.out), None
        try:
            left = tasks if self.request.again else grading.adopt(tasks)
            progress = Progress(len(left), len(tasks) - len(left), jobs)
            if left and not grading.trial():
                say(_("note: no lab has a stub in student/: the compilers were not tried"))
            grading.run(left, progress)
            progress.end()
        except Fault as fault:
            why = fault
        except OSError as error:
            why = trouble(error)
        except Exception as error:  # the grades that there are count
            why = Fault(sentence(error))
        for task in tasks:
            row = every[task.key]
            known = ledger.reports(task.key, task.wanted) is not None
            row.read = functools.partial(
                ledger.grade, task.key, task.wanted) if known else None
            looks = row.looks() if known else []
            row.status = FAULT if not known else LOOK_AT if looks else GRADED
            row.note = "; ".join(looks + row.taken.notes) if known else \
                task.fault or words.line(why or row.note)
        return why

    def write(self):
        rows, labs = list(self.rows.values()), self.request.labs
        os.makedirs(self.path("feedback"), exist_ok=True)
        for row in self.every().values():
            try:
                apart(self.probe, gradebook.write_feedback,
                      self.path("feedback", row.submission.key), row)
            except RowTrouble as why:
                say(_("no feedback for {key}: {why}", key=row.submission.key, why=why))
                self.said_all = False
        gradebook.drop_others(self.path("feedback"), self.every())
        gradebook.write_csv(self.path("gradebook.csv"), rows, labs)
        gradebook.write_sqlite(self.path("gradebook.sqlite3"), rows, labs, self.nobody,
                               {"seed": self.request.seed or "of the course"}, self.earlier)
        before.end(self.out)

    def summary(self, why):
        rows = list(self.every().values())
        counts = collections.Counter(row.status for row in rows)
        print(_("{submissions}, seed {seed}", submissions=words.many(
            len(self.rows), "submission"), seed=self.request.seed or _("of the course")))
        if self.earlier:
            print(f"{len(self.earlier):6}  " + _("more, handed in before the last one"))
        for status in GRADED, NOT_HANDED_IN, LOOK_AT, FAULT:
            if counts[status]:
                print(f"{counts[status]:6}  {_(MEANS[status])}")
        mixed = gradebook.versions(rows)
        if len(mixed) > 1:
            print(_("these grades are not to be compared: they are by several versions of the "
                    "points ({versions}); update the nodes' programs and labs, and grade again",
                    versions=", ".join(mixed)))
        for row in rows:
            if row.status == NOT_HANDED_IN and not row.submission.of:
                print(words.line(f"{row.submission.key}: {_(row.status)}" +
                                 f": {row.note}" * bool(row.note)))
            if row.status in (LOOK_AT, FAULT):
                print(words.line(f"{row.submission.key}: {_(row.status)}: {row.note}"))
        if any(row.taken and row.taken.acceptable for row in rows):
            print(_("the likely file is graded after: scanlab class ... --accept KEY (or all)"))
        for name, why_not in self.nobody:
            print(words.line(_("nobody's: {name}: {why}", name=name, why=why_not)))
        for text in self.told:
            print(words.line(_("note: {text}", text=text)))
        print(_("{out}: gradebook.csv, gradebook.sqlite3, feedback, whose.txt",
                out=words.line(self.out)))
        if why or counts[FAULT] or not self.said_all:
            return TROUBLE
        return LOOK if counts[LOOK_AT] or self.nobody or len(mixed) > 1 else DONE


def run(given):
    request = Request(given)
    if why := translate.speak(request.build, request.course):
        say(f"note: {why}")
    a_class = Class(request)
    a_class.place()
    tasks = a_class.collect()
    a_class.check_accepted()
    whose = a_class.tell_whose()
    if a_class.request.list:
        print(whose, end="")
        if not a_class.unfinished:
            before.end(a_class.out)
        to_look_at = [r for r in a_class.every().values() if r.told()[0]]
        return LOOK if to_look_at or a_class.nobody else DONE
    if not a_class.rows:
        before.end(a_class.out)
        raise Fault(_("nothing in DIR is a submission; see whose.txt in {out}",
                      out=words.line(a_class.out)))
    why = a_class.grade(tasks)
    if why:
        say(_("ended early: {why}", why=why))
    a_class.write()
    return a_class.summary(why)


def main():
    end_by_signals()
    os.umask(0o077)
    sys.stdout.reconfigure(errors="replace")
    sys.stderr.reconfigure(errors="replace")
    try:
        sys.exit(run(sys.argv[1:]))
    except Fault as why:
        say(str(why))
    except OSError as why:
        say(str(trouble(why)))
    except Exception as why:  # as MemoryError
        say(sentence(why))
    sys.exit(TROUBLE)


if __name__ == "__main__":
    main()
