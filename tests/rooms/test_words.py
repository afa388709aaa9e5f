#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_words.py ROOT: tools/words.py finds a private word as a part of an identifier
and in a comment, where the glossary says so and not elsewhere, and not in a text."""
import pathlib
import sys

ROOT = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
import words  # noqa: E402

TABLE = list(words.rows("""x
## Words of the code

| private | use | where |
|---|---|---|
| `stretch`, `stretches` (of a register) | live interval | `vgpu/core/*`, `tools/*` |

## Next

| `other` | x | `vgpu/*` |
"""))
CASES = (  # file, line, is it found?
    ("vgpu/core/decode/a.c", "uint32_t first_stretch;", True),
    ("vgpu/core/decode/a.c", "STRETCHES,", True),
    ("vgpu/core/decode/a.h", "/* a register's stretch */", True),
    ("tools/a.py", "class LongStretch:", True),
    ("tools/a.sh", "# a stretch of text", True),
    ("vgpu/core/decode/a.c", 'say("a stretch");', False),
    ("vgpu/core/decode/a.c", "int stretched, other;", False),
    ("vgpu/core/a.md", "a stretch", False),
    ("grader/a.c", "int stretch;", False),
)

failed = 0
for path, line, expected in CASES:
    class Root:
        def __truediv__(self, _):
            return self

        def read_text(self, errors):
            return f"int a;\n{line}\n"
    said = list(words.check(Root(), [path], TABLE))
    right = [f"{path}:2: "] if expected else []
    if len(said) != len(right) or not all(s.startswith(r) for s, r in zip(said, right)):
        print(f"{path}: {line}: {said}")
        failed += 1
print(f"{len(CASES)} lines, {failed} failed")
sys.exit(failed != 0)
