#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_rooms.py ROOT: tools/rooms.py finds nothing wrong in a copy of the
sources, and each fault that is put into it."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = sys.argv[1]
FOLDERS = ("vgpu", "grader", "labs", "reference", "student", "cmake", "tests/walls")

# What is appended to, or the text that becomes another; what is to be said.
FAULTS = (
    ("grader/course/formula.h", '#include "compile.h"\n',
     "formula.h: includes compile.h of judge, which course may not use"),
    ("grader/runner/copies.c", '#include "text.h"\n',
     "copies.c: includes text.h of base, which runner may not use"),
    ("vgpu/core/ptx/lexer.c", '#include "vgpu.h"\n',
     "lexer.c: includes vgpu.h of vgpu.h, which ptx may not use"),
    ("grader/judge/judge.c", '#include "../course/lab.h"\n',
     "judge.c: includes ../course/lab.h: no ../ in an include"),
    ("grader/judge/judge.c", '#include "course/lab.h"\n',
     "judge.c: includes course/lab.h: say lab.h"),
    ("reference/naive.cu", '#include "text.h"\n',
     "naive.cu: includes text.h, which is no header of labs/"),
    ("vgpu/base/text.h", "/* See judge/texts.c. */\n",
     "text.h: judge/texts.c is named and is not there"),
    ("vgpu/base/text.h", "/* As `scanlab grade` does. */\n",
     "text.h: names scanlab, vgpu's guest"),
    ("vgpu/base/lab.h", "int lab;\n",
     "course: lab.h may be grader/course/lab.h or vgpu/base/lab.h"),
    ("vgpu/core/machine/machine.h", "struct race_block;\n",
     "machine.h: names struct race_block of watch, which uses machine"),
    ("vgpu/core/decode/program.h", "enum run_result *result_of(int);\n",
     "program.h: names enum run_result of exec, which uses decode"),
    ("vgpu/core/machine/machine.h", "/* See struct race_block. */\n", None),
    ("grader/new/new.c", "int new_room;\n",
     "new.c: its folder is no room of grader/rooms.txt"),
    ("grader/rooms.txt", "attic | grader/attic | cli | nothing yet\n",
     "attic: no sources in grader/attic"),
    ("grader/rooms.txt", ("| contract ", "| judge contract "),
     "uses judge, which does not stand above it"),
    ("grader/rooms.txt", ("grader/judge         | ",
                          "grader/judge         | fatbin "),
     "judge says that it uses fatbin; it does not"),
    ("docs/architecture.md", ("| course | `grader/course` |",
                              "| course | `grader/course` | judge,"),
     "its table of rooms is not that of vgpu/rooms.txt and grader/rooms.txt"),
    ("vgpu/base/long.c",
     "int longest(void)\n{\n" + 57 * "    ;\n" + "}\n", None),
    ("vgpu/base/long.c",
     "static int too_long(int a,\n    int b) {\n" + 58 * "    ;\n" + "}\n",
     "long.c:1: too_long has 61 lines"),
    ("reference/long.cu",
     "__global__ void too_long(int a,\n    int b) {\n" + 58 * "    ;\n" + "}\n",
     "long.cu:1: too_long has 61 lines"),
)
# What takes times is above all of these, where it is there at all.
WING = "timing"
WING_FAULTS = (
    ("grader/judge/judge.c", '#include "plan.h"\n',
     "judge.c: includes plan.h of bench, which judge may not use"),
    ("grader/rooms.txt", ("grader/cli           | ",
                          "grader/cli           | bench "),
     "cli uses bench, which does not stand above it"),
)
CIRCLE = {f"vgpu/base/{a}.{kind}": f'#include "{b}.h"\n'
          for a, kind, b in (("one", "h", "two"), ("two", "c", "three"),
                             ("two", "h", "four"), ("three", "h", "one"))}
PAIR = {"vgpu/base/one.c": '#include "two.h"\n', "vgpu/base/one.h": "\n",
        "vgpu/base/two.c": '#include "one.h"\n', "vgpu/base/two.h": "\n"}
# Files that are compiled; base calls judge by a declaration of its own.
OBJECTS = (
    ({"vgpu/base/below.c": "void up(void); void b(void) { up(); }\n",
      "grader/judge/above.c": "void b(void); void up(void) { b(); }\n"},
     "below.c: calls up of judge, which uses base"),
    ({"vgpu/base/state.c": "int f(void) { static int n; return n++; }\n"},
     "state.c: n is state of the whole process"),
    ({"vgpu/base/table.c": "static const char *const names[] = {\"a\"};\n"
      "const char *f(int i) { return names[i]; }\n"}, None),
)


def look(root, *options):
    done = subprocess.run(
        [sys.executable, "-S", os.path.join(ROOT, "tools/rooms.py"), *options,
         root],
        capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def expect(root, what, says, *options):
    """says None: nothing is wrong."""
    status, text = look(root, *options)
    if (status, says is None) == (1, False) and says in text:
        return True
    if (status, text, says) == (0, "", None):
        return True
    print(f"{what}: expected {says or 'nothing'}, got {status}:\n{text}")
    return False


def with_files(root, files, says):
    """With these files changed, and then put back."""
    kept = {}
    for path, change in files.items():
        whole = os.path.join(root, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        kept[whole] = None
        if os.path.exists(whole):
            with open(whole, encoding="utf-8") as file:
                kept[whole] = file.read()
        text = kept[whole] or ""
        after = (text.replace(*change, 1) if isinstance(change, tuple)
                 else text + change)
        if after == text:
            print(f"{path}: does not hold {change[0]!r}")
            return False
        with open(whole, "w", encoding="utf-8") as file:
            file.write(after)
    ok = expect(root, f"{files}", says)
    for whole, text in kept.items():
        if text is None:
            os.remove(whole)
        else:
            with open(whole, "w", encoding="utf-8") as file:
                file.write(text)
    return ok


def with_command(root, includes, says):
    source = os.path.join(root, "grader/course/formula.c")
    path = os.path.join(root, "commands.json")
    words = " ".join(f"-I{root}/{folder}" for folder in includes)
    with open(path, "w", encoding="utf-8") as file:
        json.dump([{"file": source, "command": f"cc {words} -c {source}"}],
                  file)
    return expect(root, words, says, "--commands", path)


def with_objects(root, texts, says):
    path, commands = os.path.join(root, "commands.json"), []
    for name, text in texts.items():
        source = os.path.join(root, name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        words = ["cc", "-c", source, "-o", source + ".o"]
        subprocess.run(words, check=True)
        commands.append({"file": source, "directory": root,
                         "command": " ".join(words)})
    with open(path, "w", encoding="utf-8") as file:
        json.dump(commands, file)
    ok = expect(root, f"{texts}", says, "--commands", path)
    for name in texts:
        os.remove(os.path.join(root, name))
    return ok


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.realpath(folder)
        has_wing = os.path.isdir(os.path.join(ROOT, WING))
        for name in FOLDERS + (WING,) * has_wing:
            shutil.copytree(os.path.join(ROOT, name), os.path.join(root, name))
        os.mkdir(os.path.join(root, "docs"))
        shutil.copy(os.path.join(ROOT, "docs/architecture.md"),
                    os.path.join(root, "docs"))
        ok = [expect(root, "the sources as they are", None)]
        ok += [with_files(root, {path: change}, says)
               for path, change, says in FAULTS + WING_FAULTS * has_wing]
        ok.append(with_files(root, PAIR, None))
        ok.append(with_files(root, CIRCLE, "in a circle: one three two"))
        ok.append(with_command(root, ["grader/course", "vgpu/base"], None))
        ok.append(with_command(root, ["grader/judge"],
                               "formula.c: is compiled with the folder of "
                               "judge"))
        ok += [with_objects(root, texts, says) for texts, says in OBJECTS]
    print(f"{len(ok)} cases, {ok.count(False)} failed")
    return 0 if all(ok) else 1


if __name__ == "__main__":
    sys.exit(main())
