#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rooms.py [--fix] [--commands FILE] [ROOT]

Checks the rooms of vgpu/rooms.txt, grader/rooms.txt, web/rooms.txt,
timing/rooms.txt and research/rooms.txt against the sources:
  * an include is a bare name, of the room itself or of one it uses;
  * a room uses only rooms above it in the table, and all that it says it uses;
  * the labs' solutions and stubs include headers of labs/ and their own only;
  * a name of a header is not ambiguous where it can be included;
  * a header names no struct, union or enum that a room above its own defines;
  * files of a room do not include each other in circles of more than two;
  * a function has at most 60 lines, but for those that ONE_UNIT lists;
  * a file that a comment names is there;
  * the virtual GPU's rooms do not name ScanLab, their guest;
  * docs/architecture.md has the same table (--fix writes it);
  * --commands: compile_commands.json looks for headers in those rooms only,
    no object file there calls a room above its own, and none has variables
    for the whole process but where STATE says.
Prints what is wrong, a line each, and exits with 1; 0: nothing is.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from collections import namedtuple

HOUSE, TABLE = "vgpu/rooms.txt", "grader/rooms.txt"
WINGS = "web/rooms.txt", "timing/rooms.txt", "research/rooms.txt"
PAGE = "docs/architecture.md"
BEGIN = "<!-- Made from vgpu/rooms.txt and grader/rooms.txt by tools/rooms.py --fix: -->\n"
END = "<!-- end -->\n"
SOURCE = re.compile(r"\.(c|h|def|cu|cuh|cpp)$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', re.M)
CODE = re.compile(r"((vgpu/|web/|timing/|research/)?tests/.*\.[ch]|.*\.(cu|cuh))$")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
TYPE = re.compile(r"\b(struct|union|enum)\s+(\w+)(\s*\{)?")
NAMED = re.compile(r"(?<![\w./*-])((?:[\w-]+/)*\w+\.(?:c|h|def))\b")
MOST_LINES = 60
# Kernels whose parts share registers and barriers from end to end.
ONE_UNIT = {
    "reference/applications.cu: sort_pass": "a tile's keys stay in registers",
    "timing/fast/applications_sort.cuh: sort_pass": "the same, tuned",
    "reference/sam.cu: sam_kernel": "sums of all orders go from step to step",
    "reference/sam.cu: sam_once_kernel": "the same, in one pass",
}
MOST_IN_CIRCLE = 2
# The names of the device, which programs print, are "ScanLab virtual GPU (teach)".
GUEST = re.compile(r"scanlab(?!-vgpu-000| virtual GPU)|grader/", re.I)

Room = namedtuple("Room", "name folder uses text files")


def read_sources(root, folder):
    """{path: text} of all sources under the folder."""
    found = {}
    for at, _, names in os.walk(os.path.join(root, folder)):
        for name in filter(SOURCE.search, names):
            path = os.path.relpath(os.path.join(at, name), root)
            with open(os.path.join(root, path), encoding="utf-8") as file:
                found[path] = file.read()
    return found


def read_table(root, table):
    rooms = {}
    with open(os.path.join(root, table), encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            name, folder, uses, text = (w.strip() for w in line.split("|"))
            rooms[name] = Room(name, folder, uses.split(), text, {})
    return rooms


def read_tables(root, with_wings=True):
    """The virtual GPU's rooms, the grader's, then those of web/, timing/ and
    research/, where they are."""
    rooms = read_table(root, HOUSE)
    rooms.update(read_table(root, TABLE))
    for wing in WINGS if with_wings else ():
        if os.path.exists(os.path.join(root, wing)):
            rooms.update(read_table(root, wing))
    return rooms


def reach(rooms, name):
    """The room and all that it uses, themselves or through others."""
    found, todo = [], [name]
    while todo:
        at = todo.pop(0)
        if at in rooms and at not in found:
            found.append(at)
            todo += rooms[at].uses
    return found


# ---- the checks: each yields what is wrong ----

def table_of(room):
    """Which table has the room."""
    own = room.folder.split("/")[0] + "/rooms.txt"
    return own if own in (HOUSE, *WINGS) else TABLE


def check_table(rooms, _):
    above = set()
    for room in rooms.values():
        for used in room.uses:
            if used not in above:
                yield (f"{table_of(room)}: {room.name} uses {used}, which does not "
                       "stand above it")
        above.add(room.name)
        if not room.files:
            yield f"{table_of(room)}: {room.name}: no sources in {room.folder}"


def check_placed(rooms, sources):
    placed = {path for room in rooms.values() for path in room.files}
    for path in sorted(set(sources) - placed):
        if re.match(r"vgpu/(?!tests/|examples?/)|grader/|web/(?!kernels/|site/|tests/)|"
                    r"timing/(?!fast/|tests/)|"
                    r"research/(?!tests/|on-gpu/)", path):
            yield f"{path}: its folder is no room of {path.split('/')[0]}/rooms.txt"


def owners(rooms, names, header):
    return [n for n in names
            if os.path.join(rooms[n].folder, header) in rooms[n].files]


def check_includes(rooms, _):
    for room in rooms.values():
        used = set()
        for path, text in room.files.items():
            for header in INCLUDE.findall(text):
                rooms_of = owners(rooms, rooms, header)
                if room.name in rooms_of or not rooms_of:
                    continue
                allowed = [n for n in rooms_of if n in room.uses]
                used.update(allowed)
                if not allowed:
                    yield (f"{path}: includes {header} of {rooms_of[0]}, "
                           f"which {room.name} may not use ({table_of(room)})")
        for idle in sorted(set(room.uses) & set(rooms) - used):
            yield f"{table_of(room)}: {room.name} says that it uses {idle}; it does not"


def check_bare(rooms, sources):
    for path, text in sources.items():
        for header in INCLUDE.findall(text):
            if "../" in header:
                yield f"{path}: includes {header}: no ../ in an include"
    for room in rooms.values():
        for path, text in room.files.items():
            for header in INCLUDE.findall(text):
                base = os.path.basename(header)
                if base != header and owners(rooms, rooms, base):
                    yield f"{path}: includes {header}: say {base}"


def check_labs(_, sources):
    """Solutions and stubs: what students write sees labs/ only."""
    known = {os.path.basename(path) for path in sources}
    labs = {os.path.basename(p) for p in sources if p.startswith("labs/")}
    for path, text in sources.items():
        if path.startswith(("reference/", "student/", "timing/fast/")):
            own = {os.path.basename(p) for p in sources
                   if os.path.dirname(p) == os.path.dirname(path)}
            for header in INCLUDE.findall(text):
                if header in known - labs - own:
                    yield f"{path}: includes {header}, which is no header of labs/"


def check_names(rooms, _):
    for room in rooms.values():
        seen = {}
        for name in reach(rooms, room.name):
            for path in rooms[name].files:
                header = os.path.basename(path)
                if not header.endswith((".c", ".cu", ".cpp")):
                    seen.setdefault(header, set()).add(path)
        for header, paths in seen.items():
            if len(paths) > 1:
                yield (f"{room.name}: {header} may be "
                       + " or ".join(sorted(paths)))


def check_types(rooms, _):
    """Not even declared: what is opaque below has no name there."""
    where, named = {}, {}
    for room in rooms.values():
        for path, text in room.files.items():
            for kind, name, body in TYPE.findall(COMMENT.sub("", text)):
                if body:
                    where.setdefault((kind, name), set()).add(room.name)
                elif not path.endswith((".c", ".cu", ".cpp")):
                    named.setdefault((path, kind, name), room.name)
    for (path, kind, name), own in sorted(named.items()):
        defined = where.get((kind, name), set())
        if defined & set(reach(rooms, own)) or own in HANDLES:
            continue
        for to in sorted(r for r in defined if own in reach(rooms, r)):
            yield (f"{path}: names {kind} {name} of {to}, which uses {own}")


def circles(graph):
    """Tarjan's strongly connected components, those of more than one."""
    index, low, stack, out = {}, {}, [], []

    def visit(x):
        index[x] = low[x] = len(index)
        stack.append(x)
        for y in graph.get(x, ()):
            if y not in index:
                visit(y)
            if y in stack:
                low[x] = min(low[x], low[y])
        if low[x] == index[x]:
            at = stack.index(x)
            out.append(sorted(stack[at:]))
            del stack[at:]

    for x in sorted(graph):
        if x not in index:
            visit(x)
    return out


def check_circles(rooms, _):
    """x.c, x.h and x.def are one node: what x includes is what it needs."""
    for room in rooms.values():
        def stem(header):
            return os.path.splitext(os.path.basename(header))[0]
        own = {os.path.basename(path) for path in room.files}
        graph = {}
        for path, text in room.files.items():
            graph.setdefault(stem(path), set()).update(
                stem(h) for h in INCLUDE.findall(text)
                if h in own and stem(h) != stem(path))
        for circle in circles(graph):
            if len(circle) > MOST_IN_CIRCLE:
                yield (f"{room.folder}: these include each other in a circle: "
                       + " ".join(circle))


def check_named(rooms, sources):
    """Files that comments of rooms name, as judge/case.c, are there."""
    known = {os.path.basename(path) for path in sources}
    folders = {part for path in sources for part in path.split("/")[:-1]}
    for room in rooms.values():
        for path, text in room.files.items():
            for comment in COMMENT.findall(text):
                for whole in NAMED.findall(comment):
                    *above, name = whole.split("/")
                    ours = not above or above[0] in folders
                    if ours and (name not in known or not any(
                            ("/" + p).endswith("/" + whole) for p in sources)):
                        yield f"{path}: {whole} is named and is not there"


def check_guest(rooms, _):
    for room in rooms.values():
        for path, text in room.files.items():
            if room.folder.startswith("vgpu/") and GUEST.search(text):
                yield f"{path}: names {GUEST.search(text)[0]}, vgpu's guest"


def functions(text):
    """(line, name, lines) of each function; the layout is clang-format's:
    what begins in the first column ends at a "}" or a ";" there."""
    start = None
    for number, line in enumerate(text.split("\n"), 1):
        if start is None:
            if not re.match(r"(?!namespace|extern \"C\")[A-Za-z_]", line):
                continue
            start, head, is_open = number, "", False
        if is_open:
            if line == "}" and "(" in head and "=" not in head:
                words = re.findall(r"(\w+)\(", head)
                yield start, next((w for w in words if w not in NO_NAMES),
                                  "?"), number - start + 1
            if line.startswith("}"):
                start = None
        elif line.endswith("{"):
            head, is_open = f"{head} {line}", True
        elif line.endswith((";", "}")) or not line:
            start = None
        else:
            head += " " + line


def check_lengths(rooms, sources):
    """Of rooms, of tests in C, of all CUDA."""
    checked = {path for path in sources if CODE.match(path)}
    checked.update(*(room.files for room in rooms.values()))
    for path in sorted(checked):
        for line, name, length in functions(sources[path]):
            if length > MOST_LINES and not path.endswith(".def") and \
                    f"{path}: {name}" not in ONE_UNIT:
                yield (f"{path}:{line}: {name} has {length} lines, "
                       f"more than {MOST_LINES}")


# ---- the compiler's command lines, the page ----

def check_commands(rooms, root, file):
    """-I of a source's command: folders of rooms that it may use only."""
    with open(file, encoding="utf-8") as stream:
        commands = json.load(stream)
    folders = {os.path.join(root, room.folder): room.name
               for room in rooms.values()}
    owner = {os.path.join(root, path): room.name
             for room in rooms.values() for path in room.files}
    for command in commands:
        name = owner.get(os.path.realpath(command["file"]))
        seen = {os.path.realpath(i) for i in
                re.findall(r"-I\s*(\S+)", command.get("command", ""))}
        may = reach(rooms, name) if name else []
        for folder in sorted(seen & set(folders)):
            if name and folders[folder] not in may:
                yield (f"{os.path.relpath(command['file'], root)}: is compiled "
                       f"with the folder of {folders[folder]}")


Unit = namedtuple("Unit", "path room defined undefined variables")


def read_symbols(object_files):
    """(defined, undefined, variables that can change) of each object file."""
    files = {name: ([], [], []) for name in object_files}
    out = subprocess.run(["nm", "-f", "sysv", *files], check=True, text=True,
                         capture_output=True).stdout if files else ""
    found = files[object_files[0]] if len(files) == 1 else None
    for line in out.splitlines():
        words = [word.strip() for word in line.split("|")]
        if line.startswith("Symbols from ") and line[13:-1] in files:
            found = files[line[13:-1]]
        elif len(words) == 7 and len(words[2]) == 1:
            name, kind, section = words[0], words[2], words[6]
            if kind == "U":
                found[1].append(name)
            elif kind in "TDRBVWC":
                found[0].append(name)
            if re.match(r"\.t?(bss|data)(\.(?!rel\.ro)|$)|\*COM", section):
                found[2].append(re.sub(r"\.\d+$", "", name))
    return files


def read_units(rooms, root, file):
    """What the compiler made of the rooms' sources; of those that it has."""
    owner = {os.path.join(root, path): room.name
             for room in rooms.values() for path in room.files}
    with open(file, encoding="utf-8") as stream:
        commands = json.load(stream)
    sources = {}
    for command in commands:
        source = os.path.realpath(command["file"])
        words = command["command"].split()
        if source in owner and "-o" in words:
            made = os.path.join(command["directory"],
                                words[words.index("-o") + 1])
            if os.path.exists(made):
                sources[made] = source
    return [Unit(os.path.relpath(sources[made], root), owner[sources[made]],
                 *symbols)
            for made, symbols in read_symbols(list(sources)).items()]


def check_calls(rooms, units):
    """Nobody calls up, by a header below that declares what is above. What
    implements an interface may stand above its users: no circle, no arrow."""
    where = {name: unit.room for unit in units
             if not LIKE_LIBC.match(unit.path) for name in unit.defined}
    for unit in units:
        for name in unit.undefined:
            to = where.get(name, unit.room)
            if unit.room != to and unit.room in reach(rooms, to):
                yield (f"{unit.path}: calls {name} of {to}, which uses "
                       f"{unit.room}")


def check_state(units):
    for unit in units:
        for name in unit.variables:
            if not STATE.match(unit.path):
                yield f"{unit.path}: {name} is state of the whole process"


def page_table(rooms):
    rows = [BEGIN, "| Room | Folder | Uses | What it is |\n",
            "| --- | --- | --- | --- |\n"]
    for r in rooms.values():
        rows.append(f"| {r.name} | `{r.folder}` | {', '.join(r.uses)} | "
                    f"{r.text} |\n")
    return "".join(rows) + END


def check_page(rooms, root, fix):
    path = os.path.join(root, PAGE)
    with open(path, encoding="utf-8") as file:
        page = file.read()
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    right = before + page_table(rooms) + after
    if not begin or not end:
        yield f"{PAGE}: there is no table of rooms between its two marks"
    elif page != right and fix:
        with open(path, "w", encoding="utf-8") as file:
            file.write(right)
    elif page != right:
        yield (f"{PAGE}: its table of rooms is not that of {HOUSE} and {TABLE}; "
               "tools/rooms.py --fix writes it")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--commands")
    parser.add_argument("root", nargs="?", default=os.path.join(
        os.path.dirname(os.path.realpath(__file__)), ".."))
    options = parser.parse_args()
    root = os.path.realpath(options.root)
    rooms = read_tables(root)
    sources = {}
    for folder in ("vgpu", "grader", "web", "timing", "research", "labs",
                   "reference", "student", "tests", "slides"):
        sources.update(read_sources(root, folder))
    by_length = sorted(rooms.values(), key=lambda r: -len(r.folder))
    for path, text in sources.items():
        for room in by_length:
            if path.startswith(room.folder + "/"):
                room.files[path] = text
                break
    wrong = [text for check in CHECKS for text in check(rooms, sources)]
    wrong += check_page(read_tables(root, False), root, options.fix)
    if options.commands:
        wrong += check_commands(rooms, root, options.commands)
        units = list(read_units(rooms, root, options.commands))
        wrong += check_calls(rooms, units)
        wrong += check_state(units)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


# The runtime that a program links has no handle to hang its state on, a signal
# handler none either; a judge's fork servers are the process's children, and a
# process ends as a whole; it speaks one language, chosen before it says anything.
# The others are tables, made at first use and never changed.
STATE = re.compile("vgpu/(cuda/client/|cuda/driver/|cuda/sizes/|base/translate.c|core/ptx/form.c|core/alu/alu_tables.c)|"
                   "grader/(home/ending.c|runner/(signals|heap|shares|fails|watch[a-z_]*).c|judge/forkserver.c)")
# An interface's handles are opaque: who implements it, above, says what they are.
HANDLES = ("vgpu.h",)
# In the runner, and for ordercheck, these stand in libc's place; who calls free elsewhere calls libc's.
LIKE_LIBC = re.compile("grader/runner/(heap|starts).c|vgpu/cuda/sizes/sizes.c")
NO_NAMES = ("__attribute__", "format", "target", "_Alignas", "__launch_bounds__")
CHECKS = (check_table, check_placed, check_includes, check_bare, check_labs, check_names,
          check_types, check_circles, check_lengths, check_named, check_guest)

if __name__ == "__main__":
    sys.exit(main())
