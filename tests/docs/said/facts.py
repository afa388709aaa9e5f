# SPDX-License-Identifier: MIT
"""Numbers of handouts that stand in other files: clocks, stubs, pictures."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
TABLES = ROOT / "vgpu/include"


def clock(name, field):
    """A constant of a clock's profile; rates are bytes per ns."""
    rows = re.split(r"(?m)^CLOCK\(", (TABLES / "vgpu_clocks.def").read_text())
    row, = (x for x in rows if x.startswith(f"{name},"))
    return int(re.search(rf"\.{field} = (\d+)", row)[1])


def steps(source):
    """How many steps a student's stub has: all numbers from 1 on are there."""
    have = {int(k) for k in re.findall(r"\bStep (\d+)\b", (ROOT / "student" / source).read_text())}
    if have != set(range(1, len(have) + 1)):
        raise ValueError(f"student/{source} has these steps: {sorted(have)}")
    return len(have)


def drawn(picture):
    """How many rows a picture of a run has."""
    text = (ROOT / "labs" / picture).read_text()
    return max(int(k) for k in re.findall(r">step (\d+)<", text))


NAMES = {"clock": clock, "steps": steps, "drawn": drawn}
