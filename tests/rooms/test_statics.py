#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_statics.py ROOT: tools/statics.py sees a name in one file more than may have
it, and one that got rarer; other names, and those of no static function, it lets be."""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "tools"))
import statics  # noqa: E402

ADD = "static void add(struct text *t) {\n}\n"
ATTRIBUTE = "static __attribute__((noinline)) int add(int a,\n                 int b) {\n}\n"
CASES = (  # the files, the list, what is said
    ([ADD] * 3, {}, ["static add stands in 3 files, 2 may have it"]),
    ([ADD, "static inline int *add(int a) {\n}\n", ATTRIBUTE], {},
     ["static add stands in 3 files, 2 may have it"]),
    ([ADD] * 4, {"add": 3}, ["static add stands in 4 files, 3 may have it"]),
    ([ADD] * 3, {"add": 3}, []),
    ([ADD] * 3, {"add": 4}, ["static add stands in 3 files, no longer 4"]),
    ([ADD] * 2, {"add": 3}, ["static add stands in 2 files, no longer 3"]),
    ([ADD] * 2, {}, []),
    ([ADD] * 2 + ["/* static void add(void) { */\n"], {}, []),
    ([ADD] * 2 + ["void add(void) {\n}\n", "static const int add = 3;\n"], {}, []),
    ([ADD + ADD] * 2, {}, []),
)

failed = 0
for texts, listed, expected in CASES:
    said = list(statics.complaints(statics.count(texts), listed))
    if len(said) != len(expected) or not all(
            s.startswith(e) for s, e in zip(said, expected)):
        print(f"{texts}, {listed}: {said}, not {expected}")
        failed += 1
print(f"{len(CASES)} cases, {failed} failed")
sys.exit(failed != 0)
