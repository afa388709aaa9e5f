# SPDX-License-Identifier: MIT
"""term.py SCANLAB OUT N WEEKS [SEED]: a term. N students hand in a lab a week, by Canvas
and by Moodle: in time and late, with extensions, under other names, twice, with overrides,
and twelve of them are hostile. After each week the class is graded, once in peace and once
with kills at random (-9) and a file system that takes no more; then the gradebook is made,
killed, and made again, and each system's own file filled in.

Both terms have the same gradebooks byte for byte; so has one without the hostile, but for
their rows. No hostile one has all points. What a submission is worth is graded for real,
once for each kind of source; after that a program plays these grades back, because 300
times nine real ones would take hours (class.of-300 grades for real)."""
import csv
import hashlib
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import book
from book import OUT, ROOT, SCANLAB, fresh, put
from classroom import BUILD

N, WEEKS = int(sys.argv[3]), int(sys.argv[4])
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 7
HOSTILE = 12 if N >= 100 else 1
FIRST_DUE = 1_791_000_000  # a Sunday in October 2026
WEEK, DAY = 7 * 86400, 86400
complaints = []

PLAYER = r"""#!/usr/bin/python3 -IS
import hashlib, json, os, re, sys, time
home = os.path.dirname(os.path.dirname(os.path.realpath(sys.argv[0])))
given = dict(zip(sys.argv, sys.argv[1:]))
made = dict(w.split("=", 1) for w in sys.argv if w[:5] in ("text=", "html=", "json="))
known = json.load(open(home + "/known.json"))
wanted = sys.argv[2:sys.argv.index("--device")]
labs = []
for lab in wanted:
    kept = known[lab]
    path = os.path.join(given["-s"], kept["source"])
    try:
        data = re.sub(rb"/\* student [^\n]*\*/\n", b"", open(path, "rb").read())
        labs.append(kept["graded"][hashlib.sha256(data).hexdigest()])
    except FileNotFoundError:
        labs.append(kept["none"])
grade = dict(known["head"], seed=int(given.get("--seed", 0)), labs=labs,
             score=sum(l["score"] for l in labs), max_score=sum(l["max_score"] for l in labs))
for form, path in made.items():
    with open(path, "w") as file:
        file.write(json.dumps(grade) if form == "json" else "points: %d\n" % grade["score"])
sys.exit(1)
"""


def complain(text):
    print("FAILED:", text, flush=True)
    complaints.append(text)


# ---- real grades, once for each kind ----

class Kinds:
    """What students hand in, and what it is worth. kinds: {lab: {kind: bytes}}"""

    def __init__(self):
        listed = subprocess.run([SCANLAB, "list"], cwd=ROOT, text=True, check=True,
                                capture_output=True).stdout
        names = re.findall(r"(?m)^ *\d+ +\d+  ([\w-]+) ", listed)[:WEEKS]
        self.sources = {lab: re.search(r"(?m)^source *= *(\S+)", next(
            (ROOT / "labs").glob(f"*-{lab}")).joinpath("lab.ini").read_text())[1]
            for lab in names}
        self.kinds, self.points, known = {}, {}, {}
        for lab, source in self.sources.items():
            stub = (ROOT / "student" / source).read_bytes()
            self.kinds[lab] = {
                "right": b"#define SOLUTION\n" + (ROOT / "reference" / source).read_bytes(),
                "stub": stub, "broken": stub + b"\nthis is no C;\n"}
        cheats = sorted(path for path in (ROOT / "tests/cheats").glob("cpu-scan.*.c")
                        if "honest" not in path.name)
        self.hostile = [f"hostile {n}" for n in range(min(HOSTILE, len(cheats)))]
        for n, path in enumerate(cheats[:len(self.hostile)]):
            self.kinds["cpu-scan"][f"hostile {n}"] = path.read_bytes()
        for lab, kinds in self.kinds.items():
            known[lab] = self.graded(lab, kinds)
        head = {k: v for k, v in self.head.items() if k not in ("labs", "score", "max_score")}
        put(OUT / "played/known.json", json.dumps(known | {"head": head}))

    def grade(self, lab, files):
        folder, report = fresh("graded"), OUT / "grade.json"
        for name, data in files.items():
            put(folder / name, data)
        report.unlink(missing_ok=True)
        subprocess.run([SCANLAB, "grade", lab, "-s", folder, "--called", "student", "--device",
                        "vgpu", "--seed", "1", "--repairs", "0", "--report", f"json={report}"],
                       cwd=ROOT, check=False, capture_output=True)
        self.head = json.loads(report.read_text())
        return self.head["labs"][0]

    def graded(self, lab, kinds):
        source, found = self.sources[lab], {}
        for kind, data in kinds.items():
            made = found[hashlib.sha256(data).hexdigest()] = self.grade(lab, {source: data})
            self.points[lab, kind] = made["score"], made["max_score"]
        return {"source": source, "graded": found, "none": self.grade(lab, {})}


def player():
    put(OUT / "played/bin/scanlab", PLAYER)
    (OUT / "played/bin/scanlab").chmod(0o755)
    for name in "libexec", "lib":
        if (BUILD / name).exists() and not (OUT / "played" / name).exists():
            (OUT / "played" / name).symlink_to(BUILD / name)


# ---- a class ----

class Student:
    def __init__(self, n, kinds, chance):
        self.n, self.chance = n, chance
        self.name = f"Name{n} {'Ñ' if n % 7 == 0 else ''}Family{n}"
        self.canvas = n % 2 == 0
        self.hostile = f"hostile {n // 5}" if n % 5 == 4 and n // 5 < len(kinds.hostile) else ""
        self.files = {}  # lab: (kind, name of the file)

    def hand_in(self, lab, source, week, kinds):
        kind = self.chance.choices(["right", "stub", "broken", "none"], [6, 2, 1, 1])[0]
        name = source
        if self.hostile and lab == "cpu-scan":
            kind = self.hostile
        elif kind == "right" and self.chance.random() < 0.1:
            stem, dot, ending = source.rpartition(".")
            name = f"{stem}_final{dot}{ending}"
        if kind != "none":
            self.files[lab] = kind, name
        again = [of for of in self.files if of != lab]
        if again and self.chance.random() < 0.2:  # a lab of before, once more
            of = self.chance.choice(again)
            if not self.files[of][0].startswith("hostile"):
                self.files[of] = "right", self.files[of][1]
        return kind

    def put(self, where, kinds):
        for lab, (kind, name) in self.files.items():
            data = kinds.kinds[lab][kind] + f"/* student {self.n} */\n".encode()
            if self.canvas:
                put(where / f"family{self.n}name{self.n}_{1000 + self.n}_{self.n}_{name}", data)
            else:
                put(where / f"{self.name}_{self.n}_assignsubmission_file_/{name}", data)


def canvas_file(students, labs):
    out = io.StringIO(newline="")
    rows = csv.writer(out)
    rows.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Term (77)"])
    rows.writerow(["    Points Possible", "", "", "", "", 100 * labs])
    for s in students:
        first, last = s.name.split(" ")
        rows.writerow([f"{last}, {first}", 1000 + s.n, f"sis{s.n}", f"u{s.n}@x.edu", "A", ""])
    return out.getvalue()


def moodle_file(students, labs):
    out = io.StringIO(newline="")
    rows = csv.writer(out, quoting=csv.QUOTE_ALL)
    rows.writerow(["Identifier", "Full name", "Email address", "Status", "Grade",
                   "Maximum Grade", "Grade can be changed", "Last modified (submission)",
                   "Last modified (grade)", "Feedback comments"])
    for s in students:
        if not s.canvas:
            rows.writerow([f"Participant {s.n}", s.name, f"u{s.n}@x.edu", "Submitted", "",
                           f"{100 * labs}.00", "Yes", "", "-", ""])
    return out.getvalue()


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(seconds))


class Term:
    """What is handed in, week by week, and what the teacher says of it."""

    def __init__(self, kinds):
        self.kinds, self.labs = kinds, list(kinds.sources)
        self.students = [Student(n, kinds, random.Random(f"{SEED} {n}")) for n in range(N)]
        self.late = {}  # (n, lab): seconds behind the due time
        self.extended = {s.n for s in self.students if s.n % 17 == 3}
        self.overridden = {s.n: self.labs[s.n % len(self.labs)] for s in self.students
                           if s.n % 29 == 5}

    def due(self, lab):
        return FIRST_DUE + self.labs.index(lab) * WEEK

    def week(self, number, *folders):
        lab = self.labs[number]
        for s in self.students:
            s.hand_in(lab, self.kinds.sources[lab], number, self.kinds)
            self.late[s.n, lab] = s.chance.choice([0, 0, 0, 3600, DAY + 60, 3 * DAY])
        for where, hostile in folders:
            shutil.rmtree(where, ignore_errors=True)
            where.mkdir()
            for s in self.students:
                if hostile or not s.hostile:
                    s.put(where, self.kinds)

    def policy(self, where):
        lines = ["[course]\nmissing = zero\ngrace-days = 1\ndrop = 1\n[late]\ngrace = 15m\n"
                 "percent = 10\nmost = 50\n"]
        lines += [f"[lab {lab}]\ndue = {stamp(self.due(lab))}\n" for lab in self.labs]
        lines += [f"[student {1000 + n if n % 2 == 0 else f'u{n}@x.edu'}]\n{lab} override = 42\n"
                  f"{lab} who = Prof. Lee\n{lab} why = by hand\n"
                  for n, lab in self.overridden.items()]
        put(where / "policy.ini", "".join(lines) + "[files]\nstudents = times.csv\n")
        out = io.StringIO(newline="")
        rows = csv.writer(out)
        rows.writerow(["student", "lab", "handed_in", "extension"])
        for s in self.students:
            for lab in self.labs:
                rows.writerow([f"u{s.n}@x.edu" if s.n not in self.overridden or s.n % 2 else
                               1000 + s.n, lab, stamp(self.due(lab) + self.late[s.n, lab]),
                               "2d" if s.n in self.extended else ""])
        put(where / "times.csv", out.getvalue())
        put(where / "canvas.csv", canvas_file(self.students, len(self.labs)))
        put(where / "moodle.csv", moodle_file(self.students, len(self.labs)))

    def of_lab(self, s, lab, days):
        """The final points of one lab with so many grace days."""
        if self.overridden.get(s.n) == lab:
            return 42
        kind = s.files.get(lab, ("none", ""))[0]
        if kind == "none":
            return 0
        late = self.late[s.n, lab] - (2 * DAY if s.n in self.extended else 0) - days * DAY
        points = self.kinds.points[lab, kind][0]
        return points - points * (min(50, 10 * -(-late // DAY)) if late > 900 else 0) // 100

    def expected(self, s):
        """The final points of one, without the tool's code: all ways to give the one grace
        day to a lab, and to drop another one; all labs have the same maximum."""
        whole = [self.of_lab(s, lab, 0) for lab in self.labs]
        found = []
        for day in range(len(self.labs)):
            points = list(whole)
            points[day] = self.of_lab(s, self.labs[day], 1)
            found.append(sum(points) - (min(points) if len(points) > 1 else 0))
        return max(found)


# ---- runs ----

def grade_words(where, out, labs):
    words = [sys.executable, "-I", "-B", ROOT / "tools/class/main.py", f"folder={where}",
             f"output={out}", f"build={OUT / 'played'}", f"root={ROOT}",
             f"labs={ROOT}/labs/common", "jobs=2", "seed=1", "accept=all"]
    for lab, source in labs.items():
        words.append(f"lab={lab}/{source}")
        ini = next((ROOT / "labs").glob(f"*-{lab}")).joinpath("lab.ini").read_text()
        words += [f"symbol={source}/{symbol}"
                  for symbol in re.findall(r"(?m)^symbol *= *(\w+)", ini)]
    return words


def run(words, **how):
    with open(OUT / "said", "a", encoding="utf-8") as said:
        return subprocess.Popen(words, stdout=said, stderr=subprocess.STDOUT, **how)


def grade(where, out, labs):
    status = run(grade_words(where, out, labs)).wait()
    if status not in (0, 1):
        complain(f"{out.name}: scanlab class ended with {status}")


def disturbed(where, out, labs, chance):
    """Killed, then without room, then killed, then let alone."""
    words = grade_words(where, out, labs)
    for room in False, True, False:
        if room:  # SQLite's file, or a report, grows beyond what it may
            full = run(words, preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_FSIZE, (24 << 10, 24 << 10)))
            if full.wait() not in (2, -signal.SIGXFSZ):
                complain(f"without room it ended with {full.returncode}")
            continue
        child = run(words)
        time.sleep(0.2 + chance.random())
        child.send_signal(signal.SIGKILL)
        child.wait()
    grade(where, out, labs)


def final(out, where, kill, chance):
    words = [SCANLAB, "gradebook", out, "-p", where / "policy.ini", "-r", where / "canvas.csv",
             "-g", where / "canvas.csv", "--column", "Term (77)"]
    if kill:
        child = run(words, cwd=ROOT)
        time.sleep(0.1 + chance.random() / 2)
        child.send_signal(signal.SIGKILL)
        child.wait()
    begun = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run(words, cwd=ROOT).wait() not in (0, 1):
        complain(f"{out.name}: scanlab gradebook fails")
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{out.name}: gradebook: {now.ru_utime + now.ru_stime - begun.ru_utime - begun.ru_stime:.2f}"
          " CPU s", flush=True)
    words[words.index("-g") + 1] = where / "moodle.csv"
    moodle = out / "final/moodle"
    if run([*words[:-2], "-o", moodle], cwd=ROOT).wait() not in (0, 1):
        complain(f"{out.name}: scanlab gradebook fails with Moodle's worksheet")


FILES = ("gradebook.csv", "gradebook.sqlite3", "final/gradebook.csv", "final/labs.csv",
         "final/summary.txt", "final/canvas.csv", "final/moodle/moodle.csv",
         "final/moodle/moodle-feedback.zip")


def compare(peace, storm):
    for name in FILES:
        if (peace / name).read_bytes() != (storm / name).read_bytes():
            complain(f"{name} is another after kills")


def cells(data):
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def check_points(term, out, where):
    """Each one's final points, and the systems' own files, in which nothing else moved."""
    rows = {row["email"]: row for row in book.rows(out / "final/gradebook.csv")}
    if len(rows) != N:
        complain(f"{len(rows)} rows for {N} students")
    for s in term.students:
        row = rows[f"u{s.n}@x.edu"]
        if row["final"] != str(term.expected(s)):
            complain(f"{s.name}: {row['final']} points, not {term.expected(s)}: {s.files} "
                     f"{row['note']}")
        if s.hostile:
            got, most = term.kinds.points["cpu-scan", s.hostile]
            if got >= most:
                complain(f"{s.name}: a hostile one has {got} points")
    for name, column, key in ("canvas.csv", 5, 1), ("moodle/moodle.csv", 4, 0):
        before, after = (cells(data.read_bytes()) for data in (
            where / name.split("/")[-1], out / "final" / name))
        for old, new in zip(before, after, strict=True):
            if [c for at, c in enumerate(old) if at != column and at != 9] != \
                    [c for at, c in enumerate(new) if at != column and at != 9]:
                complain(f"{name}: more than points has changed: {new}")
            digits = re.sub(r"\D", "", old[key])
            n = int(digits) - (1000 if column == 5 else 0) if digits else None
            nothing = n is not None and not term.students[n].files and not new[column]
            if n is not None and not nothing and \
                    float(new[column]) != term.expected(term.students[n]):
                complain(f"{name}: {new[key]} has {new[column]}")


def check_undisturbed(term, with_hostile, without):
    """Nobody else's row is another because of the hostile ones."""
    theirs = {f"u{s.n}@x.edu" for s in term.students if s.hostile}
    all_of, rest = ({row["email"]: row for row in book.rows(out / "final/labs.csv")
                     if row["email"] not in theirs} for out in (with_hostile, without))
    if all_of != rest or not theirs:
        complain("the hostile ones change other rows")


def main():
    print(f"seed {SEED}", flush=True)
    fresh()
    kinds = Kinds()
    player()
    graded = resource.getrusage(resource.RUSAGE_CHILDREN)
    term, chance = Term(kinds), random.Random(SEED)
    peace, storm, without = (fresh(name) for name in ("peace", "storm", "without"))
    for number in range(WEEKS):
        labs = kinds.sources  # all count from the first week on, as in one OUT
        term.week(number, (OUT / "class", True), (OUT / "class-without", False))
        grade(OUT / "class", peace, labs)
        disturbed(OUT / "class", storm, labs, chance)
    grade(OUT / "class-without", without, kinds.sources)
    term.policy(OUT)
    for out in peace, storm, without:
        final(out, OUT, out == storm, chance)
    compare(peace, storm)
    check_points(term, peace, OUT)
    check_undisturbed(term, peace, without)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{N} students, {WEEKS} labs: real grades {graded.ru_utime + graded.ru_stime:.0f} CPU s;"
          f" three terms {used.ru_utime + used.ru_stime - graded.ru_utime - graded.ru_stime:.0f}"
          f" CPU s; most memory of a process {used.ru_maxrss >> 10} MiB", flush=True)
    sys.exit(bool(complaints))


main()
