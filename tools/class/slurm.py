# SPDX-License-Identifier: MIT
"""Grades as an array of jobs of Slurm, on machines that see the same OUT and the
same ScanLab. Slurm has the queue. Here tasks are handed to it (tasks.json,
array.sh), results are collected as they come, and what a task has not brought
when the array is over goes into another array.

A task (node.py) leaves each grade whole, in slurm/done; a fault in slurm/faults.
The array is known by its name, which OUT decides: also a run that was killed
between sbatch and its answer has left nothing that the next one does not find."""
import json
import os
import re
import shlex
import subprocess
import sys
import time

import words
from grading import FAULTS, Grading, last_line, read_json, remove
from ledger import write_whole
from translate import _
from walled import DiskFull, Fault

# Slurm's own limit is 1001 unless a site has another one (MaxArraySize).
MOST_TASKS, TRIES, FEW, POLL_S, SILENT_S = 1000, 3, 5, 1.0, 600
HERE = os.path.dirname(os.path.abspath(__file__))
# What a site has to say otherwise it says in sbatch's own variables
# (SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT...), which go before these.
SCRIPT = """#!/bin/sh
#SBATCH --ntasks=1 --cpus-per-task=1 --mem-per-cpu=2G --requeue --open-mode=append
# Made by scanlab class --slurm. Each task of the array grades a share.
exec {python} -I -B {node} {tasks}
"""


class NoSlurm(Fault):
    pass


def call(*command):
    """What one of Slurm's programs says; Fault, with its words."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        raise NoSlurm(_("there is no {program} here: --slurm hands the grades to Slurm, on a "
                        "machine from which jobs are submitted", program=command[0])) from None
    if done.returncode:
        raise Fault(f"{command[0]}: " + last_line(done.stderr))
    return done.stdout


class Queue:
    """The jobs of an OUT."""

    def __init__(self, out):
        self.name = "scanlab-" + words.digest(os.path.realpath(out))[:16]
        self.heard = time.monotonic()

    def jobs(self):
        """[state] of those that are waiting or running; None: Slurm is silent. A
        controller that is started anew is not the end of a class."""
        try:
            said = call("squeue", "--noheader", "--array", "--user", str(os.getuid()),
                        "--name", self.name, "--format", "%T")
        except NoSlurm:
            raise
        except Fault:
            if time.monotonic() - self.heard > SILENT_S:
                raise
            return None
        self.heard = time.monotonic()
        return said.split()

    def cancel(self):
        """Nothing of it is running any more."""
        while self.jobs() != []:
            try:
                call("scancel", "--user", str(os.getuid()), "--name", self.name)
            except Fault:
                pass  # jobs() says when Slurm has been silent for too long
            time.sleep(POLL_S)


def end_old(out):
    """What a killed run may have left in the queue reads OUT/taken."""
    if os.path.isdir(os.path.join(out, "slurm")):
        Queue(out).cancel()


class Cluster(Grading):
    def __init__(self, request, ledger, jobs, out):
        super().__init__(request, ledger, jobs, out)
        self.place = os.path.join(out, "slurm")
        self.queue = Queue(out)
        self.share_of = {}  # of what was submitted last

    def trial(self):
        """Not here: grades are not made here. A task tries its machine's compilers
        when something does not compile."""
        return True

    def run(self, tasks, progress):
        self.faults = set()
        waiting = {task.key: task for task in tasks}
        try:
            while waiting:
                before = len(waiting)
                self.submit(list(waiting.values()))
                while (states := self.queue.jobs()) != []:
                    self.jobs.running = sum(state == "RUNNING" for state in states or [])
                    self.collect(waiting, progress)
                    time.sleep(POLL_S)
                self.collect(waiting, progress)
                self.count_lost(waiting, before, progress)
        except NoSlurm:
            raise
        except BaseException:
            self.queue.cancel()
            raise

    # ---- to Slurm ----

    def submit(self, tasks):
        for name in "faults", "said", "work":
            remove(os.path.join(self.place, name))
        for name in "done", "faults", "said", "work":
            os.makedirs(os.path.join(self.place, name), exist_ok=True)
        n = min(len(tasks), MOST_TASKS)
        shares = [[{name: getattr(task, name) for name in (
            "key", "wanted", "sources", "words", "seed", "attempt")}
                   for task in tasks[i::n]] for i in range(n)]
        given = [*self.request.given, "output=" + self.out]
        order, script = (os.path.join(self.place, name)
                         for name in ("tasks.json", "array.sh"))
        write_whole(order, json.dumps({
            "given": given, "folder": os.getcwd(), "shares": shares,
            "compilers": self.request.compilers()}))
        write_whole(script, SCRIPT.format(
            python=shlex.quote(os.path.realpath(sys.executable)),
            node=shlex.quote(os.path.join(HERE, "node.py")), tasks=shlex.quote(order)))
        limit = f"%{self.request.jobs}" if self.request.jobs else ""
        self.share_of = {t["key"]: i for i, share in enumerate(shares) for t in share}
        call("sbatch", "--parsable", "--job-name", self.queue.name,
             "--array", f"0-{n - 1}{limit}", "--chdir", os.path.join(self.place, "said"),
             "--output", "%a.txt", script)
        self.faulty = set()  # who has been told a fault of this array

    # ---- from Slurm ----

    def collect(self, waiting, progress):
        done, faults = (os.path.join(self.place, name) for name in ("done", "faults"))
        for name in sorted(os.listdir(done)):
            place = os.path.join(done, name)
            finished = read_json(os.path.join(place, "finished.json")) or {}
            task = waiting.get(finished.get("submission"))
            if task and finished.get("hash") == task.wanted:
                self.keep(place, finished)
                del waiting[task.key]
                self.faults, task.fault = None, ""
                progress.done(task, False)
            remove(place)
        for name in sorted(os.listdir(faults)):
            if not re.fullmatch(r"\d+-\d+\.json", name):
                continue  # not whole yet
            said = read_json(os.path.join(faults, name)) or {}
            os.unlink(os.path.join(faults, name))
            if task := waiting.get(said.get("submission")):
                self.faulty.add(task.key)
                self.failed(waiting, task, said["fault"], progress,
                            said["full"], said["here"])

    def failed(self, waiting, task, why, progress, full=False, here=False):
        """full, here: what a machine's own probe has found."""
        task.tries += 1
        task.fault = words.line(why)
        if full:
            raise DiskFull(task.fault)
        if task.tries == TRIES:
            del waiting[task.key]
        if here and self.faults is not None:
            self.faults.add(task.key)
            if len(self.faults) >= FAULTS:
                raise Fault(_("the grader does not work there: {why}", why=task.fault))
        progress.done(task, task.key in waiting)

    def count_lost(self, waiting, before, progress):
        """The array is over: whose task has brought nothing?"""
        lost = [task for key, task in waiting.items() if key not in self.faulty]
        if lost and len(lost) == before >= FEW:
            raise Fault(_("no task of the array has brought anything: {why}",
                          why=self.last(lost[0])))
        for task in lost:
            self.failed(waiting, task, _("Slurm lost the task: {why}", why=self.last(task)),
                        progress)

    def last(self, task):
        path = os.path.join(self.place, "said", f"{self.share_of[task.key]}.txt")
        try:
            with open(path, "rb") as file:
                return last_line(file.read(1 << 16).decode(errors="replace")) or \
                    _("it said nothing")
        except OSError:
            return _("it was not begun")
