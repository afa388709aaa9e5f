# SPDX-License-Identifier: MIT
"""signatures.py ROOT: docs/adding-a-lab.md has each row of signatures.def, and no other;
and each function of formulas that a rule may have."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
page = (root / "docs/adding-a-lab.md").read_text(encoding="utf-8")
rows = re.findall(r'^X\((\w+),.*?"([^"]*)"\)',
                  (root / "grader/contract/signatures.def").read_text(), re.M | re.S)
table = page[page.index("| signature | prototype |"):]
shown = re.findall(r"^\| `(\w+)` \| `([^`]*)` \|$", table[:table.index("\n\n")], re.M)
if len(rows) < 15 or shown != rows:
    sys.exit(f"in one only: {sorted(set(shown) ^ set(rows))}, or in another order")
functions = re.findall(r"^X\((\w+), (\d)", (
    root / "grader/course/formula_functions.def").read_text(), re.M)
part = page[page.index("## 7."):]
missing = [name for name, _ in functions if not re.search(rf"`{name}\b", part)
           and name not in ("clog2", "log2", "pow2ceil", "ceildiv")]  # of bounds
if missing:
    sys.exit(f"no word of {missing}")
