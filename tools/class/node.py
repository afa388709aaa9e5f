# SPDX-License-Identifier: MIT
"""node.py TASKS: one task of an array that slurm.py has submitted: grades the share
$SLURM_ARRAY_TASK_ID of TASKS, one after the other, and leaves what came of it in
slurm/done and slurm/faults. The ledger is not its business. It may be run twice,
also at the same time: whoever is first has made the grade."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import translate  # noqa: E402
from apart import sentence  # noqa: E402
from grading import Grading, Task, end_by_signals, remove, sync  # noqa: E402
from jobs import Jobs  # noqa: E402
from ledger import write_whole  # noqa: E402
from request import Request  # noqa: E402
from translate import _  # noqa: E402
from walled import DiskFull, Fault  # noqa: E402


class Node(Grading):
    tries, first_trial = 1, 1  # the next is on another machine, perhaps

    def __init__(self, request, order, number, cache):
        self.cache = cache
        super().__init__(request, None, Jobs(1, ""), request.out)
        self.place = os.path.join(request.out, "slurm")
        self.called = f"{number}-{os.getpid()}"
        self.work = os.path.join(self.place, "work", self.called)
        if order["compilers"] != request.compilers():
            raise Fault(_("the compilers of {machine} are not those of the machine that "
                          "submitted: grades could differ", machine=os.uname().nodename))

    def environment(self):
        """A cache on this machine: locks and speed of a shared one are not ours."""
        return super().environment() | {"SCANLAB_CACHE": self.cache}

    def keep(self, place, finished):
        try:
            os.rename(place, os.path.join(self.place, "done", finished["submission"]))
        except FileExistsError:
            return
        except OSError as why:
            if not os.path.isdir(os.path.join(self.place, "done", finished["submission"])):
                raise why
        sync(os.path.join(self.place, "done"))

    def done(self, task, _):
        """As the progress of a run: tells faults."""
        if task.fault:
            self.tell(task, task.fault)

    def tell(self, task, why, here=False):
        """here: of this machine, which its own probe has found."""
        name = f"{task.number}-{os.getpid()}.json"
        write_whole(os.path.join(self.place, "faults", name), json.dumps(
            {"submission": task.key, "fault": str(why), "full": isinstance(why, DiskFull),
             "here": here}))
        print(f"{task.key}: {why}", flush=True)


def main(path, number):
    with open(path, encoding="utf-8") as file:
        order = json.load(file)
    os.chdir(order["folder"])  # some paths are as seen from there
    request = Request(order["given"])
    translate.speak(request.build, request.course)
    request.command = request.of_grade()
    tasks = []
    for at, row in enumerate(order["shares"][number]):
        task = Task(row["key"], row["wanted"], row["sources"])
        task.attempt, task.words, task.seed = row["attempt"], row["words"], row["seed"]
        task.number = number * 100000 + at
        if not os.path.isdir(os.path.join(request.out, "slurm/done", task.key)):
            tasks.append(task)
    with tempfile.TemporaryDirectory(prefix="scanlab-") as cache:
        node = Node(request, order, number, cache)
        os.makedirs(node.work)
        try:
            for task in tasks:
                try:
                    node.run([task], node)
                except Fault as why:  # it has nothing to do with points
                    node.tell(task, why, True)
                except Exception as why:
                    node.tell(task, sentence(why))
        finally:
            remove(node.work)


if __name__ == "__main__":
    os.umask(0o077)
    end_by_signals()
    try:
        main(sys.argv[1], int(os.environ["SLURM_ARRAY_TASK_ID"]))
    except Fault as fault:
        sys.exit(f"scanlab class: {fault}")
