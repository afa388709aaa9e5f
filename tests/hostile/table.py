#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""table.py [--fix]: docs/attacks.md lists every attack that is a test, with its
honest twin, from the headers of tests/cheats and tests/hostile and the names in
tests/walls/sources.py. Says whether the page is in step, or writes it. An attack
without a twin, or with one that there is not, is an error; so is a row of the
review without a test."""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/tools"), str(ROOT / "vgpu/tests/tools")]
sys.dont_write_bytecode = True
import case  # noqa: E402
import graded  # noqa: E402

PAGE = ROOT / "docs/attacks.md"
LEAST = 40  # attacks that no review brought

# What a review found to work in an early version. Tests that are in no header:
# name, file, words in that file.
ROWS = {
    1: ("options for the linker's plugin in sections of the object: the linker "
        "overwrites any file", ()),
    2: ("the source is the reference's or another's, by `#include` or a link", (
        ("judge.compile", "tests/judge/test_compile.c",
         "files_outside_are_not_read"),)),
    3: ("any file's bytes in the library or in the compiler's messages", (
        ("judge.compile", "tests/judge/test_compile.c",
         "compiler_message_names_the_file_only"),)),
    4: ("additions that nobody asked for or nobody counts (a scan by one thread: "
        "[SECURITY.md](../SECURITY.md#what-is-not-promised-and-why))", ()),
    5: ("images of megabytes of PTX, sent by hand", ()),
    6: ("half a megabyte of local memory a thread", ()),
    7: ("a header that is a FIFO, or a link to standard input", ()),
    8: ("another's compiled library: an included file emptied with its old time, "
        "or two submissions at one path", (
        ("judge.compile", "tests/judge/test_compile.c",
         "an old time of change hides nothing"),
        ("walls.build", "tests/walls/attacks.py", "another's entry"))),
    9: ("shell words in the names of folders", (
        ("setup.make", "tests/setup/test_make.sh", "$(shell touch"),)),
    10: ("endless headers and gigabytes of filling at compile time", ()),
    11: ("answers on the host, read from the amount of free memory", ()),
    12: ("another process moved to another core", ()),
    13: ("data rebuilt through predicates, tables or votes, so that it is not seen "
         "as data", ()),
    14: ("files left by killed compilers, a grade without end, questions whether "
         "files are there, odd characters in names", (
        ("walls.build", "tests/walls/attacks.py", "def ended("),
        ("judge.grade", "tests/judge/test_grade.c", "time_limit_s"),
        ("report.clean_text", "tests/report/test_clean_text.c",
         "names_have_one_line"))),
}
# Of tests/walls: which row it is, and twins other than "alone".
WALLS = {
    "options for the linker's plugin": (1, None),
    "includes another's work": (2, "another source"),
    "includes the reference": (2, "another source"),
    "includes the reference, relatively": (2, "another source"),
    "source is a link": (2, "another source"),
    "includes a secret": (3, "own headers"),
    "embeds a secret": (3, "embeds its own"),
    "embeds the reference": (3, "embeds its own"),
    "header is a FIFO": (7, "own headers"),
    "header is a link to the input": (7, "own headers"),
    "includes no end": (10, "own headers"),
    "fills a disk": (10, "embeds its own"),
    "includes it by a macro": (None, "own headers"),
    "embeds the environment": (None, "embeds its own"),
    "embeds no end": (None, "embeds its own"),
    "embeds a terminal": (None, "embeds its own"),
    "says its lines are a secret's": (None, "lines of a generator"),
    "warns in a secret's lines": (None, "lines of a generator"),
    "header is precompiled": (None, "a folder that is called so"),
    "header is a folder": (None, "own headers"),
    "folder is a link": (None, "own headers"),
    "header is a link": (None, "own headers"),
    "header of 5 GiB": (None, "own headers"),
    "1100 headers": (None, "own headers"),
    "odd names": (None, "own headers"),
}
# In tests of other parts: what, test, file, words in that file.
ELSEWHERE = (
    ("The name of a submission's folder is a command for gnuplot and its shell, "
     "when its figures are drawn; so are the words of a file of data", "plots.student",
     "tests/plots/test_student.sh", 'touch RAN'),
    ("A file's name in the debug information is a command for the terminal of whoever "
     "traces the program", "device.trace", "vgpu/tests/device/test_trace.c", "lines_with(\"\\033"),
    ("Debug information that names files without number, and lines that they do not "
     "have, for whoever profiles the program", "profile.lines_test",
     "vgpu/tests/profile/lines_test.c", "a_number_of_files"),
    ("A file's name is an escape sequence, markup, right-to-left, no UTF-8, or a character "
     "that no XML may have, for whoever looks at steps as text, page, picture or data",
     "steps.hostile", "tests/steps/hostile.py", "def names("),
    ("A name whose cut for the steps lies within a character, so that no JSON is written",
     "steps.hostile", "tests/steps/hostile.py", "within a character"),
    ("A name of 4 MB in each of 2000 lines, kept and looked through once for each",
     "steps.hostile", "tests/steps/hostile.py", "a long name in every line"),
    ("65536 writes of which each is made of 64 cells: a gigabyte while the steps are written "
     "as data", "steps.hostile", "tests/steps/hostile.py", "many sources"),
    ("390 steps with 160 rows each, searched through for every row", "steps.hostile",
     "tests/steps/hostile.py", "many rows"),
    ("Stores to shared memory here and there, among 1000 variables: which it is was looked "
     "for byte by byte, out of reach of the time limit", "steps.hostile",
     "tests/steps/hostile.py", "many variables"),
    ("A value added to itself 31 times, more often than a number counts", "steps.hostile",
     "tests/steps/hostile.py", "doubled"),
    ("Is wrong at once, and waits in those calls that are made again to explain it",
     "steps.hostile", "tests/steps/hostile.py", "def again("),
    ("Markup, comments and no UTF-8 in the lines that a report shows around a fault",
     "steps.hostile", "tests/steps/hostile.py", "def source("),
    ("A link in the place of a report, a picture of steps or a timeline, to another's file or to nothing",
     "steps.hostile", "tests/steps/hostile.py", "def links("),
    ("Has in tables the answers to the inputs of its last report, whose seed is the course's",
     "cli.course", "tests/cli/course_test.py", "Answers to what the last report said"),
    ("The same in a class that is graded again in the folder that has its seed",
     "class.crashes", "tests/class/crashes_test.py", "request.seed_of"),
    ("Is called as another student, but for a capital letter, so that the other's feedback "
     "is looked for in its folder", "class.crashes", "tests/class/crashes_test.py",
     "def test_names_alike"),
    ("On a real GPU: Unix sockets by path, also from sockets that the driver has; the network, also by "
     "a family whose upper half the kernel does not see", "walls.gpu",
     "tests/walls/gpu/hostile/naive.cu", "the network by an upper half"),
    ("On a real GPU: set-uid bits of the user's files, files, whether they are there, core_pattern",
     "walls.gpu", "tests/walls/gpu/hostile/naive.cu", "a set-uid bit"),
    ("On a real GPU: memory that outlives the process, limits, signals and memory of others",
     "walls.gpu", "tests/walls/gpu/hostile/naive.cu", "SysV memory"),
    ("On a real GPU: requests to the driver, or to what else is open, that no computation makes",
     "walls.gpu", "tests/walls/gpu/hostile/naive.cu", "an ioctl that is not listed"),
    ("The same and more, 23 kinds, behind the walls of a real GPU's process, on a machine without "
     "one, by a thread that was there before the last wall, too", "walls.locked",
     "tests/walls/locked.c", "static void *early_thread"),
    ("Arguments of system calls whose upper halves the kernel does not look at, for every rule of "
     "every filter", "walls.filters", "tests/walls/test_filters.c", "static uint64_t upper_half"),
    ("Another's work, or a class, graded on a real GPU by root", "walls.root",
     "tests/walls/root.py", "as root the real GPU"),
    ("Sixteen archives, each of which takes nearly a minute to read", "class.archives",
     "tests/class/archives_test.py", "def test_many_slow_ones"),
    ("A folder, a file or an archive is swapped in a loop for a link to "
     "what only the grader may read, or while a slow archive is read", "class.moving",
     "tests/class/moving_test.py", "class Swapping"),
    ("A second name of another's file", "class.moving",
     "tests/class/moving_test.py", "def test_second_name"),
    ("A mount in a submission, of the same file system, too", "class.moving",
     "tests/class/moving_test.py", "def test_mount"),
    ("20,000 empty headers, and a lab's file behind them", "class.moving",
     "tests/class/moving_test.py", "def test_20000_headers"),
    ("5,000 names that a rule for names would go over again and again", "class.moving",
     "tests/class/moving_test.py", "def test_odd_names_cost_little"),
    ("Its folder has entries as another LMS's layout has them, also where "
     "it is the only one", "class.layouts",
     "tests/class/layouts_test.py", "def test_one_entry"),
    ("A list of Gradescope's among others' folders", "class.layouts",
     "tests/class/layouts_test.py", "def test_a_list_among_others"),
    ("Names whose keys could meet: capital letters, accents, full width, a "
     "hash that is known, names that Windows reserves", "class.layouts",
     "tests/class/layouts_test.py", "def test_a_key_is_of_its_name_alone"),
    ("An archive whose paths fit into one folder of the grader's and not "
     "into the next", "class.property",
     "tests/class/hostile_rows.py", "def long_paths"),
    ("Words for a full disk or for want of processes as names, comments, "
     "`#include`, and in what a compiler says", "class.property",
     "tests/class/hostile_rows.py", "def words_of_a_disk"),
    ("A broken grader's sentence in a dozen submissions that come first", "class.apart",
     "tests/class/apart_test.py", "def test_same_sentence_of_many"),
    ("Sizes of 2^44 and 2^63, offsets, dates, methods and lengths that "
     "cannot be, in tar, pax, zip and zip64", "class.apart",
     "tests/class/apart_test.py", "def test_fields"),
    ("Version numbers of 90 digits, and some that SQLite cannot keep", "class.property",
     "tests/class/hostile_rows.py", "def large_numbers"),
    ("A terabyte of zeros called an archive, which liblzma takes for what "
     "may stand before a beginning", "class.property",
     "tests/class/hostile_rows.py", "def sparse"),
    ("Fills a class that is one archive", "class.apart",
     "tests/class/apart_test.py", "def test_class_in_an_archive"),
    ("A damaged part of a class that is one archive", "class.apart",
     "tests/class/apart_test.py", "def test_one_damaged_part"),
    ("Takes what others need while they are graded, so that these fail", "class.apart",
     "tests/class/apart_test.py", "def test_fault_beside_others"),
    ("120 KB of quotes and backslashes in `#if 0`, and other words that a regular "
     "expression of the grader's would go over again and again", "class.linear",
     "tests/class/linear_test.py", "def test_readers"),
    ("Two signs in random order, a table of zeros, or brackets without end, so that nobody "
     "is compared with anybody", "class.stats", "tests/class/stats_test.py",
     "def test_similar_beside_hostile"),
    ("A string that holds what begins a comment, so that the rest is not compared",
     "class.stats", "tests/class/stats_test.py", "def test_hides_nothing"),
    ("Takes over what reads it to be compared, or keeps it busy", "class.stats",
     "tests/class/stats_test.py", "def test_wrong_answers"),
    ("A nickname on the leaderboard that looks like another's name, holds another's row, or "
     "ends the file", "class.stats", "tests/class/stats_test.py",
     "def test_hostile_nicknames"),
    ("A folder or a header in a submission that another file system is mounted on",
     "walls.mounts", "tests/walls/mounts.py", "mount -t tmpfs none parts"),
    ("A second name, in a student's folder, of a file that only the grader may read, graded by "
     "itself", "walls.mounts", "tests/walls/mounts.py", "ANOTHERS"),
    ("A name that begins a formula behind a semicolon, which parts cells in countries that "
     "write commas in numbers, whatever quotes say", "class.layouts",
     "tests/class/layouts_test.py", "def test_cells_in_other_countries"),
    ("Ids that look as another's: capital letters, signs and letters that nobody sees, full "
     "width", "class.layouts", "tests/class/layouts_test.py", "def test_ids_that_look_alike"),
    ("Links, pipes and devices in tar and zip, and files behind such a link", "class.archives",
     "tests/class/archives_test.py", "def test_file_through_a_link"),
    ("A runner that answers each request of the judge with any answers, texts, prints, "
     "descriptors and bytes of buffers", "fuzz.judge", "tests/fuzz/fuzz_judge.c",
     "what passes is right"),
    ("Asks the live report's port as a page of another host, without its secret, too slowly, "
     "too often", "cli.serve", "tests/cli/serve_test.py", "def the_page_and_its_state"),
    ("Saves files without end in a folder that is watched", "cli.commands",
     "tests/cli/test_cli.sh", "Where others save without end"),
)
SAME = "in the same test"
CROWD = "the others of `hostile.class-of-30`"
HEAD = """\
<!-- Made by tests/hostile/table.py --fix from the tests' headers. -->
# Attacks, and the tests that hold them off

Each row is a submission that tries to get points without the work, to read or change what is not
its own, or to outlast its grade; and an honest one that does something like it and loses nothing.
{n} attacks are tests: {found} belong to the 14 that worked when a review tried them on an early
version, {own} are others. A file that asks for many things counts once.

Every test says which points there must be and what the message says. Of all submissions that
`tests/tools/graded.py` grades, attacks or not, it also says that no process and no temporary file
is left and that what was handed in is as it was; `walls.build` says so of others' files and of the
cache. What is not held off is in [SECURITY.md](../SECURITY.md).

`hostile.class-of-30` grades a class of which every third is hostile, twice, and holds the others'
grades to those of a class without.
"""


def fail(text):
    sys.exit(f"attacks: {text}")


class Attack:
    def __init__(self, test, what, twin, row):
        self.test, self.what, self.twin, self.row = test, what, twin, row


def sentence(path):
    """The value of "what", with the lines of the comment that go on."""
    text = re.search(r"(?m)^//: what: +(.*(?:\n//  +.*)*)", path.read_text())[1]
    return re.sub(r"\s*\n//\s+", " ", text)


def of_headers():
    for prefix, folder in ("cheat", "cheats"), ("hostile", "hostile"):
        for path in sorted((ROOT / "tests" / folder).glob("*.c*")):
            if path.suffix not in (".c", ".cu") or ".honest-" in path.name:
                continue
            header = case.read(path, graded.KEYS)[0]
            if len(header.all("twin")) != 1:
                fail(f"{path.name} has no twin, or several")
            yield Attack(f"{prefix}.{path.stem}", sentence(path),
                         header.one("twin"), int(header.one("row", "0")))


def of_walls():
    tree = ast.parse((ROOT / "tests/walls/sources.py").read_text())
    keys = {node.targets[0].id: [key.value for key in node.value.keys]
            for node in tree.body if isinstance(node, ast.Assign) and
            isinstance(node.value, ast.Dict)}
    names = keys["ATTACKS"] + keys["HARMLESS"]
    for name in WALLS.keys() - set(names):
        fail(f"tests/walls has no attack called {name}")
    for name in names:
        row, twin = WALLS.get(name, (None, None))
        twin = twin or "alone"
        if twin not in keys["HONEST"]:
            fail(f"tests/walls has no twin called {twin}")
        yield Attack("walls.build", name, f"walls.build: {twin}", row)


def of_class():
    for path in sorted((ROOT / "tests/hostile/class").glob("*.c")):
        what = re.search(r"(?s)class_of_30.py: (.*?)\.", path.read_text())[1]
        yield Attack("hostile.class-of-30", re.sub(r"\s*\n \*\s+", " ", what),
                     CROWD, 0)


def of_elsewhere():
    for what, test, file, words in ELSEWHERE:
        if words not in (ROOT / file).read_text():
            fail(f"{test}: {file} has no {words}")
        yield Attack(test, what, SAME, 0)


def check_twin(attack):
    """It is there, and it is honest."""
    name = attack.twin
    if name in (CROWD, SAME) or name.startswith("walls.build: "):
        return
    prefix, _, rest = name.partition(".")
    if prefix == "mutant":
        lab, _, rest = rest.partition(".")
        path = ROOT / "tests/mutants" / lab / f"{rest}.patch"
    elif prefix == "control":
        path = ROOT / "tests/mutants/controls" / f"{rest}.case"
    else:
        lab, _, rest = rest.partition(".")
        folder = ROOT / "tests" / {"cheat": "cheats"}.get(prefix, prefix)
        path = next(folder.glob(f"{lab}.{rest}.c*"), folder / rest)
    if not path.is_file() or not (rest.startswith("honest-") or
                                  name == "control.reference"):
        fail(f"{attack.test}: no honest twin {name}")


def cell(text):
    text = text.rstrip(".").replace("|", "\\|").replace("<", "&lt;")
    return re.sub(r"(?<!`)\*", "\\*", text)


def plain(name):
    """A twin's name as code; a case of walls.build behind it in words."""
    test, _, of = name.partition(": ")
    return name if name in (CROWD, SAME) else f"`{test}`" + (f": {of}" if of else "")


def unique(words):
    return "; ".join(dict.fromkeys(words))


def review(attacks):
    yield "\n## Once they worked\n"
    yield "| | attack | tests | honest twins |"
    yield "|---|---|---|---|"
    for number, (what, others) in ROWS.items():
        mine = [a for a in attacks if a.row == number]
        for test, file, words in others:
            if words not in (ROOT / file).read_text():
                fail(f"{test}: {file} has no {words}")
        if not mine and not others:
            fail(f"row {number} has no test")
        tests = [f"`{a.test}`" + (f": {a.what}" if a.test == "walls.build"
                                  else "") for a in mine]
        tests += [f"`{test}`" for test, _, _ in others]
        twins = [plain(a.twin) for a in mine] or [SAME]
        yield (f"| {number} | {cell(what)} | {unique(tests)} | {unique(twins)} |")


def all_of(attacks):
    yield "\n## All\n"
    yield "| attack | test | honest twin |"
    yield "|---|---|---|"
    for a in attacks:
        yield f"| {cell(a.what)} | `{a.test}` | {plain(a.twin)} |"


def check_channel():
    """Attacks on the device's channel speak its protocol: else each ends at the first
    header, and shows nothing."""
    protocol = ROOT / "vgpu/cuda/protocol"
    names = re.findall(r"(?m)^(?:X|ASK)\((\w+),", (protocol / "requests.def").read_text())
    version = re.search(r"VGPU_PROTOCOL_VERSION = (\d+)",
                        (protocol / "protocol.h").read_text())[1]
    text = (ROOT / "tests/hostile/channel.h").read_text()
    if f"PROTOCOL_VERSION = {version} " not in text:
        fail(f"channel.h does not speak version {version} of the protocol")
    number = -1
    rows = re.search(r"rows of requests.def, by number \*/(.*?)\}", text, re.S)[1]
    for name, given in re.findall(r"(\w+)(?: = (\d+))?", rows):
        number = int(given) if given else number + 1
        if names[number:number + 1] != [name]:
            fail(f"channel.h: request {number} is not {name}")


def main():
    check_channel()
    attacks = [*of_headers(), *of_walls(), *of_class(), *of_elsewhere()]
    for attack in attacks:
        check_twin(attack)
    found = sum(bool(a.row) for a in attacks)
    own = len(attacks) - found
    if own < LEAST:
        fail(f"{own} besides those of the review, not {LEAST}")
    new = "\n".join([HEAD.format(n=len(attacks), found=found, own=own).rstrip(),
                     *review(attacks), *all_of(attacks), ""])
    if sys.argv[1:] == ["--fix"]:
        PAGE.write_text(new)
    elif not PAGE.exists() or PAGE.read_text() != new:
        fail(f"{PAGE.name} is not what the tests say: "
             "tests/hostile/table.py --fix writes it")
    print(f"{len(attacks)} attacks, {own} of them not of the review")


main()
