#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""class_of_30.py SCANLAB OUT [STUDENTS]

Grades a class of which every third is hostile, and holds the others' grades to
those of a class without hostile ones: the same but for times. The whole class
twice with one cache, one after the other and then two at a time. Nothing may be
left: no process, no file, no shared memory, no changed byte of another's."""
import difflib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/tools"))
sys.dont_write_bytecode = True
import graded  # noqa: E402
import left  # noqa: E402

SCANLAB, OUT = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
STUDENTS = int((sys.argv[3:] or [30])[0])
LABS = {"cpu-scan": "cpu_scan.c", "naive": "naive.cu"}
TOKEN, KEY = "scanlab-left-" + str(os.getpid()), 0x5CA00000 + os.getpid()
LATEST = 900  # seconds, of one grade
SHARED = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run"]
complaints = []


def complain(text):
    print("FAILED:", text, flush=True)
    complaints.append(text)


# ---- the class ----

def patched(lab, patch, folder):
    subprocess.run(["patch", "--silent", "--no-backup-if-mismatch", "--fuzz=0",
                    folder / LABS[lab], patch], check=True)


def honest(number, folder):
    """A right one, with words of its own; two with a mistake; one who has not
    begun."""
    of, sort = divmod(number, 4)
    for lab, source in LABS.items():
        shutil.copy(ROOT / ("student" if sort == 3 else "reference") / source,
                    folder)
        # One that reads freed memory is told another number each time.
        patches = sorted(p for p in (ROOT / "tests/mutants" / lab).glob(
            "[!h]*.patch") if not p.stem.endswith("frees-early"))
        if sort - 1 == list(LABS).index(lab):
            patched(lab, patches[of * 5 % len(patches)], folder)
    graded.handed_in(folder)
    for source in LABS.values():
        with open(folder / source, "a") as file:
            file.write(f"/* Student {number}. */\n")


def linked(folder):
    """Sections that have the linker's plugin write a listing over what the
    first of the class has handed in; by nvcc's link, too."""
    made = subprocess.run(
        ["gcc", "-flto", "-S", "-o", "-", "-x", "c", "-", "-Xassembler",
         f"-aln={OUT}/class/s00/cpu_scan.c"],
        input=b"int evil(void) { return 1; }\n", capture_output=True, check=True)
    lines = (made.stdout.decode() + ".text\n").splitlines()
    for source in LABS.values():
        (folder / source).write_text("".join(
            f"__asm__({json.dumps(line + chr(10))});\n" for line in lines))


def piped(folder):
    os.mkfifo(folder / "cpu_scan.c")


def laughing(folder):
    (folder / "cpu_scan.c").write_text("#define A0 int\n" + "".join(
        f"#define A{i} {' '.join([f'A{i - 1}'] * 8)}\n"
        for i in range(1, 13)) + "A12 x;\n")


def another(folder):
    """Another's work, by name and byte by byte."""
    (folder / "naive.cu").write_text('#include "../s00/naive.cu"\n')
    (folder / "cpu_scan.c").symlink_to("../s00/cpu_scan.c")


# What a hostile one hands in: files of tests/cheats and tests/hostile, or
# functions that fill a folder.
HOSTILE = [
    ("hostile/class/poisons.c", "hostile/naive.fills-the-device.cu"),
    ("hostile/class/stays.c", "cheats/naive.kills-the-judge.cu"),
    (linked,),
    ("cheats/cpu-scan.memory-bomb.c", "hostile/naive.large-images.cu"),
    ("cheats/cpu-scan.thread-bomb.c", "hostile/naive.host-printf-flood.cu"),
    (laughing, "hostile/naive.local-memory.cu"),
    ("cheats/cpu-scan.ignores-signals.c", "cheats/naive.endless-kernel.cu"),
    (another, "cheats/naive.writes-everywhere.cu"),
    (piped, "cheats/naive.forges-the-answer.cu"),
    ("hostile/cpu-scan.asks-for-others.c", "hostile/naive.printf-flood.cu"),
]


def hostile(number, folder):
    for what in reversed(HOSTILE[number % len(HOSTILE)]):
        if callable(what):
            what(folder)
            continue
        source = ROOT / "tests" / what
        shutil.copy(source, folder / LABS["naive" if source.suffix == ".cu"
                                          else "cpu-scan"])
    shutil.copy(HERE / "channel.h", folder)
    places = [OUT / "class/s00", OUT / "class/s00/naive.cu", OUT / "cache",
              *OUT.glob("cache/*"), OUT / "alone/s00.json", OUT / "home",
              ROOT / "build", ROOT / "reference", *SHARED]
    (folder / "places.h").write_text(
        f'#define TOKEN "{TOKEN}"\n#define KEY {KEY}\n#define PLACES ' +
        ", ".join(json.dumps(str(p)) for p in places[:100]) + "\n")


def is_hostile(number):
    return number % 3 == 2


def hand_in(number):
    folder = OUT / f"class/s{number:02}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (hostile if is_hostile(number) else honest)(
        number // 3 if is_hostile(number) else number - (number + 1) // 3, folder)


# ---- grading ----

def start(number, wave, cache):
    report = OUT / wave / f"s{number:02}.json"
    environment = os.environ | {"TMPDIR": str(OUT / "tmp"),
                                "HOME": str(OUT / "home")}
    environment.pop("XDG_CACHE_HOME", None)
    return subprocess.Popen(
        [SCANLAB, "grade", *LABS, "--device", "vgpu", "--seed", "1",
         "--submission", OUT / f"class/s{number:02}", "--cache", OUT / cache,
         "--report", f"json={report}"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment,
        cwd=OUT / "cwd", stderr=open(OUT / wave / f"s{number:02}.err", "w"))


def run(students, wave, cache, at_a_time):
    """What each took: seconds of processors, MiB of the largest process."""
    for folder in wave, cache, "tmp", "home", "cwd":
        (OUT / folder).mkdir(exist_ok=True, mode=0o700)
    waiting, running, took = list(students), {}, {}
    begun = time.monotonic()
    while waiting or running:
        while waiting and len(running) < at_a_time:
            number = waiting.pop(0)
            signal.alarm(LATEST)  # ends this program: that is no grade
            process = start(number, wave, cache)
            running[process.pid] = number, process
        pid, status, usage = os.wait4(-1, 0)
        if pid not in running:
            continue  # an orphan; looked for below
        number, process = running.pop(pid)
        process.returncode = status  # else the next start would wait for it
        took[number] = (usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10)
        if os.waitstatus_to_exitcode(status) not in (0, 1):
            complain(f"{wave}: student {number}: exit status {status}: " +
                     (OUT / wave / f"s{number:02}.err").read_text())
    signal.alarm(0)
    print(f"{wave}: {len(took)} grades, {time.monotonic() - begun:.0f} s, "
          f"{sum(t for t, _ in took.values()):.0f} s of processors, "
          f"at most {max(m for _, m in took.values())} MiB", flush=True)
    return took


# ---- what may not be there afterwards ----

def processes_left(wave):
    for pid, line in left.processes().items():
        complain(f"{wave}: process {pid} is left: {line}")


def files_left(wave, before, cache):
    if left.state(OUT / "class") != before:
        complain(f"{wave}: what somebody handed in has changed")
    stay = [p for place in (*SHARED, OUT / "alone", OUT / "class", ROOT / "build",
                            ROOT / "reference")
            for p in pathlib.Path(place).glob("*" + TOKEN + "*")]
    stay += [p for folder in ("tmp", "home", "cwd") for p in
             (OUT / folder).iterdir()]
    stay += [p for p in (OUT / cache).iterdir()
             if not re.fullmatch("[0-9a-f]+", p.name)]
    if stay:
        complain(f"{wave}: left: {stay}")
    for sort in "shm", "sem", "msg":
        if f" {KEY} " in pathlib.Path(f"/proc/sysvipc/{sort}").read_text():
            complain(f"{wave}: a {sort} of System V is left")


# ---- the grades ----

def without_times(path):
    """Of a check that is timed only its name."""
    grade = json.loads(path.read_text())
    for lab in grade["labs"]:
        lab["checks"] = [c if c["kind"] != "fast" else {"id": c["id"]}
                         for c in lab["checks"]]
    return re.sub(r'"seconds": [-+.0-9e]+', "", json.dumps(grade, indent=1))


def compare(wave, students):
    for number in students:
        one, other = (without_times(OUT / w / f"s{number:02}.json")
                      for w in ("alone", wave))
        if one != other:
            complain(f"{wave}: the grade of student {number} is another:\n" +
                     "\n".join(difflib.unified_diff(
                         one.splitlines(), other.splitlines(), n=1,
                         lineterm="")))


def scores(wave, students):
    for number in students:
        grade = json.loads((OUT / wave / f"s{number:02}.json").read_text())
        yield number, grade["score"], grade["max_score"]


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    left.adopt_orphans()
    everybody = range(STUDENTS)
    others = [n for n in everybody if not is_hostile(n)]
    for number in others:
        hand_in(number)
    run(others, "alone", "cache-alone", 2)
    processes_left("alone")
    best = list(scores("alone", others))
    if len({score for _, score, _ in best}) < 4 or best[0][1] != best[0][2]:
        complain(f"these honest ones show little: {best}")
    for wave, at_a_time in ("first", 1), ("second", 2):
        # What is hostile learns anew what there is: the cache's entries.
        for number in everybody:
            if is_hostile(number):
                hand_in(number)
        before = left.state(OUT / "class")
        run(everybody, wave, "cache", at_a_time)
        processes_left(wave)
        files_left(wave, before, "cache")
        compare(wave, others)
    for number, score, most in scores("second", everybody):
        if is_hostile(number):
            print(f"hostile student {number}: {score} of {most}")
            if score == most:
                complain(f"hostile student {number} has full marks")
    sys.exit(bool(complaints))


main()
