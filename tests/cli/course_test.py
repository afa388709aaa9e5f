#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""course_test.py SCANLAB COMMON: grades under --course, of a lab in C: nothing
that students see tells of a hidden check before its time, whatever the
submission does; points, seeds and what comes late are as the course says."""
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SCANLAB, COMMON = (pathlib.Path(a).resolve() for a in sys.argv[1:])
FORMATS = ["text", "html", "json", "autolab", "prairielearn", "github",
           "markdown", "junit", "tap"]
# Of the hidden check alone: its id, words, size and what is printed in it.
SECRETS = ["zebra-crossing", "Zebras", "stripes", "7919", "printed-at"]

LAB = """[lab]
id = tiny
title = A tiny lab
source = tiny.c
header = tiny.h
time_limit_ms = 400
[function sum]
symbol = tiny_scan
signature = scan
oracle = inclusive_sum
[check small]
kind = correct
title = Small
points = 4
sizes = 0 1 5
hint = A hint.
[check large]
kind = correct
title = Large
points = 6
parent = small
sizes = 1000
"""
HIDDEN = """[check small]
points = 30
[check zebra-crossing]
kind = correct
title = Zebras
points = 70
parent = small
sizes = 7919
cause = They have stripes.
hint = Count the stripes.
visibility = %s
"""
SOURCE = """#include "tiny.h"
#include <stdio.h>
int tiny_scan(const int32_t *in, int32_t *out, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (uint32_t)in[i];
        out[i] = (int32_t)(%s);
    }
    %s
    return 0;
}
"""
PRINTS = 'if (n > 5000) printf("printed-at %zu\\n", n);\n    '
n_held = 0


def held(condition, what):
    global n_held
    n_held += 1
    if not condition:
        sys.exit(f"FAILED: {what}")


def write(path, text):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def scanlab(*words):
    return subprocess.run([SCANLAB, *words], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL)


def grade(submission, *words):
    """The exit status; reports lie in out/, the staff's too."""
    shutil.rmtree("out", ignore_errors=True)
    os.mkdir("out")
    reports = [word for f in [*FORMATS, "gradescope"]
               for word in ("--report", f"{f}=out/{f}")]
    done = scanlab("grade", "--submission", submission, "--course", "over", "-v",
                   *reports, "--staff", "json=out/staff", *words)
    held(done.returncode < 2, done.stderr)
    pathlib.Path("out/said").write_text(done.stdout + done.stderr)
    return done.returncode


def report(name):
    return json.loads(pathlib.Path("out", name).read_text())


def when(**after):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(
        **after)
    return at.strftime("%Y-%m-%dT%H:%MZ")


def world(visibility="hidden", course="[course]\nseed = 5\n"):
    write("over/05-tiny/lab.ini", HIDDEN % visibility)
    write("over/course.ini", course)


def secrets_in(text):
    """A number counts as a whole: a longer one may have 7919 in it by chance."""
    return [s for s in SECRETS if re.search(rf"(?<![\d.]){re.escape(s)}(?!\d)", text)]


def tells(name):
    return secrets_in(pathlib.Path("out", name).read_text())


def hidden_checks_stay_hidden():
    write("wrong/tiny.c", SOURCE % ("n > 5000 ? 0 : sum", PRINTS))
    write("crash/tiny.c", SOURCE % ("sum", PRINTS + "if (n > 5000) "
                                    "__builtin_trap();"))
    write("slow/tiny.c", SOURCE % ("sum", PRINTS + "while (n > 5000) {}"))
    write("right/tiny.c", SOURCE % ("sum", PRINTS))
    write("broken/tiny.c", SOURCE % ("sum +", ""))
    for visibility, course in (
            ("hidden", "[course]\nseed = 5\n"),
            ("after-deadline",
             f"[course]\nseed = 5\n[lab tiny]\ndue = {when(days=2)}\n"),
            ("after-deadline",
             f"[course]\nseed = 5\n[lab tiny]\ndue = {when(days=-2)}\n"
             "[late]\npercent = 1\nuntil = 3d\n")):
        world(visibility, course)
        for submission in "right", "wrong", "crash", "slow", "broken":
            status = grade(submission)
            held(status == (submission != "right" or "late" in course),
                 f"{submission} ended with {status}")
            for name in [*FORMATS, "said"]:
                held(not tells(name), f"{name} of {submission} tells of "
                                      f"{tells(name)}")
            held("Zebras" in pathlib.Path("out/staff").read_text(), "staff")
            marks_them(submission, visibility)
            seconds = sum(c["seconds"] for c in report("json")["labs"][0]["checks"])
            for told in (report("json")["seconds"],
                         report("gradescope")["execution_time"]):
                held(abs(told - seconds) < 0.01, f"{submission}: {told} s in all, "
                     f"{seconds} s that are shown")
        held(report("json")["max_score"] == 36, "points that students see")


def hidden_ones_run_out_of_time():
    """A check behind a hidden one has all its time, and its own message."""
    write("late/tiny.c", SOURCE % ("sum", "while (n >= 1000) {}"))
    write("over/05-tiny/lab.ini", "[check large]\nvisibility = hidden\n"
          "[check last]\nkind = correct\ntitle = Last\npoints = 1\n"
          "parent = small\nsizes = 2000\n")
    write("over/course.ini", "[course]\nseed = 5\n")
    grade("late")
    checks = {c["id"]: c for c in report("json")["labs"][0]["checks"]}
    held(set(checks) == {"small", "last"}, f"checks {set(checks)}")
    last, staff = checks["last"], report("staff")["labs"][0]["checks"]
    held(last["status"] == "fail" and
         "did not return within" in last["message"], last["message"])
    held(["did not return within" in c["message"] for c in staff] ==
         [False, True, True], "what staff see")
    held("large" not in pathlib.Path("out/said").read_text(), "the report")


def marks_them(submission, visibility):
    """Gradescope has them, marked, and no other part of it tells of them."""
    whole = report("gradescope")
    shown = [t for t in whole["tests"] if t["visibility"] == "visible"]
    rest = [t for t in whole["tests"] if t["visibility"] != "visible"]
    held(len(shown) == 2 and len(rest) == 1, "tests")
    held(rest[0]["visibility"] == {"hidden": "hidden", "after-deadline":
                                   "after_due_date"}[visibility], "which")
    text = json.dumps({**whole, "tests": shown})
    held(not secrets_in(text), f"gradescope of {submission}")
    held("of 36 points" in whole["output"], "the head's points")


def after_the_deadline():
    world("after-deadline", "[course]\nseed = 5\n[lab tiny]\n"
          f"due = {when(days=-2)}\n[late]\npercent = 10\nuntil = 1d\n")
    grade("wrong", "--handed-in", when(days=-3))
    for name in FORMATS:
        held("zebra-crossing" in tells(name), f"{name} does not show it")
    held("Count the stripes." in pathlib.Path("out/tap").read_text(), "hint")
    held(report("json")["max_score"] == 106, "all points")
    held(all(t["visibility"] == "visible" for t in report("gradescope")["tests"]),
         "gradescope shows it")


def paths_of_this_machine():
    here = os.getcwd()
    world()
    done = grade(f"{here}/wrong", "--labs", f"{here}/labs")
    held(done == 1, "it is wrong")
    for name in [*FORMATS, "gradescope", "said"]:
        held(here not in pathlib.Path("out", name).read_text(),
             f"{name} names {here}")
    again = [c["reproduce"] for lab in report("staff")["labs"]
             for c in lab["checks"] if c["reproduce"]]
    held(again and all("--course over" in a for a in again), "staff's command")
    done = subprocess.run([SCANLAB, *again[0].split()[1:]], check=False,
                          capture_output=True, text=True)
    held(done.returncode == 1 and "ScanLab" in done.stdout, "it does the same")


def late_ones():
    world("hidden", "[course]\nseed = 5\n[lab tiny]\ndue = 2026-01-10T12:00Z\n"
          "[late]\ngrace = 15m\npercent = 10\nmost = 50\nuntil = 7d\n")
    for at, percent in (("2026-01-10T12:15Z", 0), ("2026-01-10T12:16Z", 10),
                        ("2026-01-11T12:16+00:00", 20),
                        ("2026-01-17T13:00+01:00", 50),
                        ("2026-01-17T12:01Z", 100)):
        status = grade("right", "--handed-in", at)
        theirs, staff = report("json"), report("staff")
        lost = [36 * percent // 100, 106 * percent // 100]
        held(status == (percent > 0), f"status {status}")
        held([theirs["score"], staff["score"]] == [36 - lost[0], 106 - lost[1]],
             f"{at}: {theirs['score']}, {staff['score']}")
        held([lab["late"]["lost"] for lab in theirs["labs"] + staff["labs"]] ==
             lost, "lost")
        held(report("gradescope")["score"] == staff["score"], "gradescope")
        text = pathlib.Path("out/text").read_text()
        held((f"late: {percent} % less" in text) == (percent > 0), text)


def seeds():
    world(course="[course]\nseed = 5\nseeds = student\n")
    seen = {}
    for name in "ada", "bob", "ada":
        grade("right", "--student", name)
        seen.setdefault(name, set()).add(report("json")["seed"])
    held(len(seen["ada"]) == 1 and seen["ada"] != seen["bob"], f"{seen}")
    grade("right", "--student", "ada", "--seed", "9")
    held(report("json")["seed"] == 9, "--seed")
    done = scanlab("grade", "-s", "right", "--course", "over")
    held(done.returncode == 2 and "--student says" in done.stderr, done.stderr)
    world()
    of_class = []
    for more in "", "", "// Answers to what the last report said of me.\n":
        source = pathlib.Path("right/tiny.c")
        source.write_text(source.read_text() + more)
        grade("right", "--student", "ada" if more else "bob")
        of_class.append(report("json")["seed"])
    held(of_class[0] == of_class[1] != of_class[2], f"{of_class}")


def slips():
    world()
    for words, said in (
            (["grade", "--student", "ada"], "--student says something to"),
            (["grade", "--handed-in", "now"], "'now' is not a time such as"),
            (["grade", "--course", "no"], "no: cannot read the folder of"),
            (["list", "--course", "no"], "no: cannot read the folder of")):
        done = scanlab(*words)
        held(done.returncode == 2 and said in done.stderr, done.stderr)
    done = scanlab("list", "-v", "--course", "over")
    held("30  correct    small" in done.stdout and
         "Zebras (hidden)" in done.stdout, done.stdout)
    held("Zebra" not in scanlab("list", "-v").stdout, "without it")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ.update(SCANLAB_ROOT=folder, LC_ALL="C")
        write("labs/05-tiny/lab.ini", LAB)
        write("labs/05-tiny/tiny.h", "#include <stddef.h>\n#include <stdint.h>\n"
              "int tiny_scan(const int32_t *in, int32_t *out, size_t n);\n")
        shutil.copytree(COMMON, "labs/common")
        hidden_checks_stay_hidden()
        hidden_ones_run_out_of_time()
        after_the_deadline()
        paths_of_this_machine()
        late_ones()
        seeds()
        slips()
        os.chdir("/")
    print(f"{n_held} things hold")


if __name__ == "__main__":
    main()
