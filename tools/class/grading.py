# SPDX-License-Identifier: MIT
"""Grades submissions, each by a process `scanlab grade`, and keeps the results.

A *place* is a folder in which one grade at a time is made. What ends otherwise
than with a grade is a fault: none of the submission's doing, never points. It is that
submission's alone: it is graded once more, with nothing beside it, and the others go
on, unless a probe finds that the grader itself cannot work (apart.py)."""
import collections
import hashlib
import json
import os
import shutil
import signal
import subprocess
import time

import words
from apart import Probe, is_passing, sentence
from ledger import FINISHED, REPORTS, Broken, brief, sync, write_whole
from translate import _
from walled import Fault

SCHEMA, STAFF = "scanlab/grade/v2", "staff.json"
TRIES, LATEST_S, TICK_S = 2, 3900, 0.05
FAULTS = 5  # of so many submissions, and no grade yet: does a stub have one here?


class Task:
    def __init__(self, key, wanted, sources, version=0):
        self.key, self.wanted, self.sources = key, wanted, sources
        # A number that an LMS would not give, and SQLite cannot keep.
        self.attempt = [wanted, min(version, (1 << 63) - 1)]
        self.tries, self.fault, self.words = 0, "", []
        self.seed = None  # whatever scanlab takes


class Grading:
    tries, first_trial = TRIES, FAULTS

    def __init__(self, request, ledger, jobs, out):
        self.request, self.ledger, self.jobs, self.out = request, ledger, jobs, out
        self.work = os.path.join(out, "work")
        self.feedback = os.path.join(out, "feedback")
        self.running = {}  # place: (process, task, latest)
        self.probe = Probe(out, self.caches())

    # ---- what a run has left ----

    def adopt(self, tasks):
        """Takes what a killed run had finished. The tasks that remain."""
        left, wanted = [], {t.key: t for t in tasks}
        os.makedirs(self.work, exist_ok=True)
        for place in self.left_places():
            finished = read_json(os.path.join(place, FINISHED)) or {}
            task = wanted.get(str(finished.get("submission")))
            if task and task.wanted == finished.get("hash") and \
                    is_whole(finished) and all(
                    file_hash(os.path.join(place, file)) == found or file_hash(
                        os.path.join(self.feedback, task.key, file)) == found
                    for file, found in finished["reports"].items()):
                self.keep(place, finished)
            remove(place)
        for task in tasks:
            if self.is_done(task):
                continue
            left.append(task)
        return left

    def left_places(self):
        """Of a run here, and of an array of Slurm."""
        for folder in self.work, os.path.join(self.out, "slurm/done"):
            for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
                yield os.path.join(folder, name)

    def is_done(self, task):
        """Its result is known, and its reports are as they were written."""
        reports = self.ledger.reports(task.key, task.wanted)
        return reports is not None and all(
            file_hash(os.path.join(self.feedback, task.key, name)) == found
            for name, found in reports.items())

    # ---- does the grader work here? ----

    def trial(self):
        """Compiles stubs, one of each language, as if for the first time. False:
        there is none. A compiler that does not work would cost all their points."""
        stubs = {}
        for lab, source in self.request.pairs:
            if os.path.exists(os.path.join(self.request.root, "student", source)):
                stubs.setdefault(os.path.splitext(source)[1], lab)
        if not stubs:
            return False
        place = os.path.join(self.work, "trial")
        remove(place)
        os.makedirs(os.path.join(place, "cache"), 0o700)
        command = self.request.command
        begin, options = command[:2], command[2 + len(self.request.labs):]
        if self.request.course:
            options += ["--student", "trial", "--handed-in", "1970-01-01T00:00Z"]
        try:
            done = subprocess.run(
                [*begin, *stubs.values(), *options, "-s", "student", "--cache",
                 os.path.join(place, "cache"), "--report",
                 "json=" + os.path.join(place, "grade.json")], cwd=self.request.root,
                env=self.environment(), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                timeout=LATEST_S)
        except (OSError, subprocess.TimeoutExpired) as why:
            raise Fault(sentence(why)) from None
        said, grade = last_line(done.stderr.decode(errors="replace")), \
            read_json(os.path.join(place, "grade.json"))
        remove(place)
        if done.returncode not in (0, 1) or not grade:
            raise Fault(said or _("scanlab grade ended with {status}",
                                  status=done.returncode))
        for lab in grade["labs"]:
            if lab["build_error"]:
                raise Fault(_("the compiler does not work here, the stub of {lab} does not "
                              "compile: {why}", lab=lab["id"], why=words.line(lab["build_error"])))
        return True

    def is_doubtful(self, place, grade):
        """Something that was handed in does not compile: its fault, or the
        compiler's?"""
        return any(lab["build_error"] and os.path.exists(os.path.join(
            place, "submission", source))
            for lab, (_, source) in zip(grade["labs"], self.request.pairs))

    # ---- one grade ----

    def environment(self):
        """Without make's; a grade does not outlive us, however we end. Commands in feedback
        are for a student's hand-out, wherever this ScanLab is installed."""
        kept = {k: v for k, v in os.environ.items() if k not in (
            "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "SCANLAB_FROM")}
        kept.setdefault("SCANLAB_PROGRAM", "build/bin/scanlab")
        return kept | {"SCANLAB_WITH": str(os.getpid()), "NO_COLOR": "1"}

    def caches(self):
        """Where a grade may keep what was compiled (grader/judge/cache.c)."""
        kept = self.environment()
        if kept.get("SCANLAB_CACHE"):
            return [kept["SCANLAB_CACHE"]]
        home = kept.get("XDG_CACHE_HOME") or os.path.join(kept.get("HOME", "/"), ".cache")
        return [os.path.join(self.request.build, "submissions"),
                os.path.join(home, "scanlab/submissions")]

    def start(self, place, task):
        remove(place)
        shutil.copytree(task.sources, os.path.join(place, "submission"))
        with open(os.path.join(place, "stderr"), "wb") as errors:
            process = subprocess.Popen(
                [*self.request.command, *task.words, "-s",
                 os.path.join(place, "submission")] + self.whole_report(place) +
                [w for form, file in REPORTS.items()
                 for w in ("--report", f"{form}={os.path.join(place, file)}")],
                cwd=self.request.root,  # so reports show paths from there
                env=self.environment(), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=errors)
        self.running[place] = process, task, time.monotonic() + LATEST_S

    def whole_report(self, place):
        """With a course: for the gradebook, because students do not see it all."""
        return ["--staff", "json=" + os.path.join(place, STAFF)] \
            if self.request.course else []

    def ended(self, place, process, task):
        """The finished grade that is in a place; Fault, if none is."""
        with open(os.path.join(place, "stderr"), "rb") as file:
            said = file.read(1 << 16).decode(errors="replace")
        if process.returncode not in (0, 1):
            raise Fault(last_line(said) or ended_how(process.returncode))
        grade = read_json(os.path.join(
            place, STAFF if self.request.course else REPORTS["json"])) or {}
        if grade.get("schema") != SCHEMA or [lab["id"] for lab in grade["labs"]] != \
                self.request.labs or task.seed not in (None, str(grade["seed"])):
            raise Fault(_("scanlab grade wrote no grade: {said}", said=last_line(said)))
        return grade

    def finish(self, place, task, grade):
        for file in REPORTS.values():
            sync(os.path.join(place, file))
        finished = {"submission": task.key, "hash": task.wanted, "grade": brief(grade),
                    "attempt": task.attempt, "reports": {file: file_hash(os.path.join(place, file))
                                for file in REPORTS.values()}}
        write_whole(os.path.join(place, FINISHED), json.dumps(finished))
        self.keep(place, finished)
        remove(place)

    def keep(self, place, finished):
        """Into the ledger, then the reports to their places. May be repeated."""
        self.ledger.put(finished)
        to = os.path.join(self.feedback, finished["submission"])
        os.makedirs(to, exist_ok=True)
        for file in finished["reports"]:
            if os.path.exists(os.path.join(place, file)):
                os.replace(os.path.join(place, file), os.path.join(to, file))
        sync(to)

    # ---- all of them ----

    def run(self, tasks, progress):
        """Grades them; what a task could not get is in its fault."""
        waiting, alone = collections.deque(tasks), collections.deque()
        self.places, self.crowded = [], False
        self.faults, self.enough = set(), self.first_trial  # whose; None: grades, too
        try:
            while waiting or alone or self.running:
                self.start_some(waiting, alone, progress)
                alone.extend(self.look(progress))
                if self.running:
                    time.sleep(TICK_S)
        finally:
            self.stop()

    def start_some(self, waiting, alone, progress):
        """What has failed once waits until all others are through."""
        while not self.crowded:
            queue = waiting or ([] if self.running else alone)
            if not queue or not self.jobs.take():
                return
            task = queue.popleft()
            place = self.free_place()
            try:
                self.start(place, task)
                continue
            except BaseException as why:
                self.jobs.give()
                if not isinstance(why, Exception):
                    raise
                trouble = why
            remove(place)
            if is_passing(trouble) and self.running:  # they may hold what it lacks
                queue.appendleft(task)
                self.crowded = True
            elif self.has_failed(task, trouble, progress):
                alone.append(task)

    def free_place(self):
        free = [p for p in self.places if p not in self.running]
        if not free:
            free = [os.path.join(self.work, str(len(self.places)))]
            self.places += free
        return free[0]

    def look(self, progress):
        """Takes what has ended. Tasks to be tried again."""
        ended, again, graded = [], [], []
        for place, (process, task, latest) in list(self.running.items()):
            if process.poll() is not None:
                del self.running[place]
                self.jobs.give()
                self.crowded = False
                ended.append((place, process, task))
            elif time.monotonic() > latest:
                process.kill()
        doubtful = False
        for place, process, task in ended:
            try:
                grade = self.ended(place, process, task)
                doubtful |= self.is_doubtful(place, grade)
                graded.append((place, task, grade))
            except Exception as why:
                remove(place)
                if self.has_failed(task, why, progress):
                    again.append(task)
        # They have ended; so the compiler that works now has worked for them.
        if doubtful:
            self.with_nothing_beside(self.trial)
        for place, task, grade in graded:
            try:
                self.finish(place, task, grade)
            except Broken:
                raise
            except Exception as why:
                remove(place)
                if self.has_failed(task, why, progress):
                    again.append(task)
                continue
            self.faults, task.fault = None, ""
            progress.done(task, False)
        return again

    def has_failed(self, task, why, progress):
        """It is the task's own trouble, else Fault. True: it is tried again."""
        task.tries += 1
        task.fault = sentence(why)
        self.with_nothing_beside(self.probe.check)
        if self.faults is not None:
            self.faults.add(task.key)
            if len(self.faults) >= self.enough:
                self.with_nothing_beside(self.trial)
                self.enough *= 4
        progress.done(task, task.tries < self.tries)
        return task.tries < self.tries

    def with_nothing_beside(self, check):
        """Where the check fails (Fault), what runs beside it may be why: again then,
        when that has ended."""
        try:
            check()
            return
        except Fault:
            if not self.running:
                raise
        while any(process.poll() is None for process, _, _ in self.running.values()):
            for process, _, latest in self.running.values():
                if time.monotonic() > latest:
                    process.kill()
            time.sleep(TICK_S)
        check()

    def stop(self):
        """Ends what is running; each cleans up behind itself."""
        for process, _, _ in self.running.values():
            process.terminate()
        for place, (process, _, _) in self.running.items():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            remove(place)
            self.jobs.give()
        self.running.clear()


def end_by_signals():
    """Those that ask a program to end raise SystemExit; once, for a terminal asks all
    of its programs, and then they ask each other."""
    def end(number, _):
        for each in asked:  # SIG_IGN would be told of one that has come already
            signal.signal(each, lambda *_: None)
        raise SystemExit(128 + number)
    asked = signal.SIGTERM, signal.SIGHUP, signal.SIGINT
    for number in asked:
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, end)


# ---- files ----

def is_whole(finished):
    """Has what finish() writes; a disk, or somebody, may have spoiled it."""
    attempt, reports = finished.get("attempt"), finished.get("reports")
    return isinstance(finished.get("grade"), dict) and isinstance(reports, dict) and \
        set(reports) <= set(REPORTS.values()) and isinstance(attempt, list) and \
        len(attempt) == 2 and isinstance(attempt[0], str) and \
        isinstance(attempt[1], int) and abs(attempt[1]) < 1 << 63


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def file_hash(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def remove(folder):
    shutil.rmtree(folder, ignore_errors=True)


def ended_how(status):
    """Of subprocess: negative, if a signal has ended it."""
    if status >= 0:
        return _("scanlab grade ended with {status}", status=status)
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = str(-status)
    return _("scanlab grade was ended by the signal {name}", name=name)


def last_line(said):
    rows = [row for row in said.splitlines() if row.strip()]
    return words.line(rows[-1].strip()) if rows else ""
