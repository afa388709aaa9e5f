# SPDX-License-Identifier: MIT
"""The second half of docs/learning-systems.md (systems.py): a class in which things go wrong,
from the download to the upload, and the rules that decide."""
from book import fresh, put

NAMES = [("Ann", "Lee"), ("Bo", "Diaz"), ("Cy", "Ito"), ("Di", "Roy"), ("Ed", "Fox"),
         ("Fay", "Kim"), ("Gus", "Orr"), ("Hal", "Zed")]
FINAL = {"ann": "100", "bo": "90", "cy": "100", "di": "100", "ed": "100", "fay": "100",
         "gus": "55", "hal": "100"}
ADDED = """[student cy@x.edu]
extension = 2d
[student 2007]
cpu-scan override = 55
cpu-scan who = Prof. Lee
cpu-scan why = unpacked by hand
[files]
students = times.csv
groups = groups.csv
"""
HEAD = """## When something is odd

Eight students, by Canvas. Bo is late; Cy is late and has an extension; Di handed in a right one, and
the stub a day later; Ed has done it with Fay, and handed in alone; Gus has sent a RAR; Hal's file
has another name; and one file says nothing of whose it is.
"""
FIRST = """Nothing of this becomes a 0 without a word, and what each line asks for is in the table
below. Canvas says that Bo, Cy and Di were late and not when, so their times go into `times.csv`, Ed
and Fay into `groups.csv`, and the rest into the policy:
"""
SECOND = """`--attempts` grades all that Di has handed in, so that the policy may choose; `--accept`
takes Hal's file. The stray file was looked at, and taken out of the folder. Gus' line stays, until
what he sent lies there unpacked, as `orrgus_2007_17_cpu_scan.c`; the policy has points for him:
"""
RULES = """| it says | what to do |
|---|---|
| `lab0_final.c may be cpu_scan.c` | look at the file, then `--accept zedhal_2008` |
| `two versions of cpu_scan.c: ...` | `--accept KEY` for the one that is graded, `--accept KEY=FILE` for the other one |
| `work.zip: it is RAR`, `it is damaged` | unpack it beside the others, under a name such as the system gives; or an override |
| `cpu_scan.c: left out, it is a Word document`, `no cpu_scan.c was found, and lab.pdf is a PDF` | ask the student for the source; until then there are no points |
| `naive.cu.gz: not read, by its name it is no source` | unpack it, under its name; a link of an operating system (`.lnk`, `.url`) is no source: ask for it |
| `ann is a git repository without its files` | `git checkout` there, and `scanlab class` once more |
| `the list names submission_1, which is not there` | unpack Gradescope's export whole |
| `its name is that of 2 Ann Lee, whose id is another one` | if it is hers, `[student 2]` with `submission = KEY` |
| `nobody's: FILE` | give it the name that the system would have given it, or take it out of the folder |
| `late: unknown` | `handed-in` of that student; or `due = never` |
| `it may be of 1 Ann Lee or of 2 Ann Lee` | `[student 1]` with `submission = KEY` |
| `the last attempt alone was graded` | `scanlab class` once more, with `--attempts` |
| `students' totals have different maxima (100 (2 students), 200 (6 students) points): …` | `[course] out-of = 100`: some labs are dropped or exempt, so only percentages compare |

Exit status 1 means that such a line is left; then look before you upload. The keys of the policy
are in [running-a-course.md](running-a-course.md#the-policy).

### Which of two files

A file counts for a lab by its name: `cpu_scan.c`, also in other case, or with `(1)`, `-1`, ` copy` or
`.txt` behind it. Of several the first by this order is graded:

1. one in the folder with the most labs' files, then one that lies in fewer folders;
2. by Canvas, which numbers files: the one handed in last;
3. the one with exactly the lab's name, then the first by alphabet.

The stub as it was handed out comes last, unless it is all that was handed in the last time.

Another one with other bytes, which lies in as many folders, in one with as many labs' files (the
same folder, or `v1` beside `v2`), makes the row one that needs a look: its points are those of the
first one, until `--accept` says which one it is. No look is needed where it is the stub, where it
lies deeper or beside fewer labs' files, or where Canvas' numbers tell which one came later: then a
note says what was left out. `taken.txt` in the feedback tells the student, too.

### Which attempt counts

Autolab (versions), Blackboard and Brightspace (times) and Canvas (numbers of files: where two have
one name, as when two downloads lie in one folder) may give several attempts of a student. The last one is graded, and a note names the
others. With `scanlab class --attempts` all are, and the policy chooses, for the course or a lab:

    attempt = last        the last one, whenever it came: this is so without the key
    attempt = in-time     the last one in time; where none was, the last one
    attempt = best        the one with the most points, less what its lateness costs

Lateness is that of the attempt that counts, and feedback its report. An attempt counts for the labs
that it has. `handed-in` in the policy is of the last attempt. The download of other systems, and a
repository, has one attempt: there `best` is reported as not applied, and so is `in-time` for
whoever was late. Where attempts were not graded, `scanlab gradebook` refuses the last two rules and
writes nothing.

### What the student reads

Moodle's `Feedback comments`, and the column `told the student` of `gradebook.csv`, say all that made
other points of the graded ones: lateness and its cost, grace days, which attempt counts, a cap, a
drop, points by hand, an override, and your `comment`. **Who and why stay with you**: a reason may
be an illness, or another student's name. `tell = yes` beside them (`naive tell = yes` for one lab)
shows both to the student. A decision about a request to grade again is an answer, and is shown.

### What is assumed of Brightspace

None of us could look at one. A name is taken for Brightspace's when it is two numbers with `-`
between them, ` - `, a name, ` - `, and a time as in English: `Nov 30, 2026 802 PM`, 12 hours, with or
without a colon; the policy's `zone` says where. What the numbers mean is not known. So one name with
the same numbers is one student, who handed in several times, and one name with other numbers is
another row, with a note; if the roster has two students of that name, both are in doubt, and neither
has a 0. A name that begins so and goes on otherwise, as with a date in another language, is nobody's
and not graded, with the reason; nothing is guessed of it.
"""


def make(here, right, stub):
    """The eight in Canvas' form; ids from 2001 on."""
    def hand_in(number, name, data, late=""):
        first, last = NAMES[number - 2001]
        put(here / f"submissions/{(last + first).lower()}_{late}{number}_{name}", data)
    hand_in(2001, "11_cpu_scan.c", right)
    hand_in(2002, "12_cpu_scan.c", right + b"/* Bo's */\n", "LATE_")
    hand_in(2003, "13_cpu_scan.c", right + b"/* Cy's */\n", "LATE_")
    hand_in(2004, "14_cpu_scan.c", right + b"/* Di's */\n")
    hand_in(2004, "15_cpu_scan-1.c", stub, "LATE_")
    hand_in(2005, "16_cpu_scan.c", right + b"/* Ed's and Fay's */\n")
    hand_in(2007, "17_work.zip", b"Rar!\x1a\x07 and so on")
    hand_in(2008, "18_lab0_final.c", right + b"/* Hal's */\n")
    put(here / "submissions/stray.c", right)
    rows = ["Student,ID,SIS User ID,SIS Login ID,Section,Lab 0 (9)", "    Points Possible,,,,,100"]
    rows += [f'"{last}, {first}",{2001 + n},,{first.lower()}@x.edu,A,'
             for n, (first, last) in enumerate(NAMES)]
    put(here / "canvas.csv", "\n".join(rows) + "\n")
    put(here / "times.csv", "student,lab,handed_in\n" + "".join(
        f"{who}@x.edu,cpu-scan,2026-12-01T20:02\n" for who in ("bo", "cy", "di")))
    put(here / "groups.csv", "group,student\n1,ed@x.edu\n1,fay@x.edu\n")


def transcript(run, policy, right, stub):
    """The page's text; run: (words, folder): what it says, and its status."""
    here = fresh("odd")
    make(here, right, stub)
    put(here / "policy.ini", policy)
    book = "scanlab gradebook submissions.graded -p policy.ini -r canvas.csv -g canvas.csv " \
        "--column \"Lab 0\" --points cpu-scan"

    def typed(words, wanted):
        said, status = run(words, here)
        if status != wanted:
            raise SystemExit(f"odd: {words} ended with {status}:\n{said}")
        shown = words.replace(" --points", " \\\n          --points")
        return "\n".join(["    $ " + shown] + ["    " + line for line in said.split("\n") if line])
    parts = [HEAD, typed("scanlab class submissions/ cpu-scan --seed 5", 1) + "\n", FIRST]
    put(here / "policy.ini", policy.replace("[course]\n", "[course]\nattempt = in-time\n") +
        ADDED)
    parts += [typed("cat policy.ini", 0), typed("cat times.csv groups.csv", 0) + "\n"]
    (here / "submissions/stray.c").unlink()
    parts += [SECOND, typed("scanlab class submissions/ cpu-scan --seed 5 --attempts --accept "
                            "zedhal_2008", 1),
              typed(book, 0), typed("cut -c1-90 submissions.graded/final/canvas.csv", 0) + "\n", RULES]
    final = (here / "submissions.graded/final/canvas.csv").read_text().splitlines()[2:]
    found = {line.split(",")[4].partition("@")[0]: line.rpartition(",")[2] for line in final}
    if found != FINAL:
        raise SystemExit(f"odd: {found}, and not {FINAL}")
    return "\n".join(parts)
