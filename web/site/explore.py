# SPDX-License-Identifier: MIT
"""explore.py: what makes a handout's pictures run: the teaching kernels of
web/site/kernels, and the formulas and numbers that move along with the sliders. None
of these is written here: kernels say all of theirs in their header lines, bounds are
those of lab.ini, T is the handout's, depths are those of plots/data/depth.csv.

Header lines of a kernel, `//: key: words`:
    lab, at            the handout, and the picture behind which it stands
    title, what        shown above; what may be repeated
    slider             name | label | values | the one at first; may be repeated
    switch             name | label | on or off; may be repeated
    args               the kernel's: arrays (numbers, results, others), n, sliders
    result             what `results` should hold: a row in site/js/explorable.js
    block, grid, n     formulas, where they are no sliders (grid: n/block rounded up)
    numbers            digits: other numbers than 3 1 7 0 4 1 6 3
    memory: weak       whether memory may be chosen
    order              in-order, reverse, random: the one at first
    clock              pram: depth is counted, too; teach: model time
    formula            label | formula; may be repeated
    counts             counters of the run that are shown
    picture            banks, asked: a picture of its own
"""
import csv
import pathlib
import re
import subprocess
import sys

from page import Trouble

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "tools"))
sys.path.append(str(ROOT / "plots"))
import overlaid  # noqa: E402
import tables  # noqa: E402

MANY = "what slider switch formula".split()
NEEDED = "lab at title what args result".split()
KEYS = NEEDED + "slider switch block grid n numbers memory order clock formula counts picture".split()
SUPERSCRIPTS = str.maketrans("²³", "23")


def header(path):
    keys = {key: [] for key in MANY}
    for key, words in re.findall(r"^//: (\w+): (.*)$", path.read_text(), re.M):
        if key not in KEYS or key in keys and key not in MANY:
            raise Trouble(f"{path}: no such key, or twice: {key}")
        if key in MANY:
            keys[key].append([w.strip() for w in words.split("|")])
        else:
            keys[key] = words
    for key in NEEDED:
        if not keys.get(key):
            raise Trouble(f"{path}: its header has no {key}")
    return keys


def compiled(path, nvcc):
    """Its PTX, without a path of the machine that made it."""
    done = subprocess.run([nvcc, "-ptx", "-lineinfo", "-arch=compute_75", "-o", "-", path],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise Trouble(f"{path}: {done.stderr.strip()}")
    return re.sub(r'(\.file\s+\d+\s+")[^"]*/', r"\1", done.stdout)


def kernel(path, nvcc):
    keys = header(path)
    ptx = compiled(path, nvcc) if nvcc else ""
    text = path.read_text()
    entry = re.findall(r"__global__ void (\w+)", text)
    if len(entry) != 1:
        raise Trouble(f"{path}: one kernel")
    return {**keys, "what": " ".join(w for one in keys["what"] for w in one),
            "slider": [{"name": n, "label": l, "values": list(map(int, v.split())),
                        "first": int(first)} for n, l, v, first in keys["slider"]],
            "switch": [{"name": n, "label": l, "first": int(first == "on")}
                       for n, l, first in keys["switch"]],
            "name": path.stem, "entry": entry[0], "source": text, "ptx": ptx}


def kernels(nvcc, folder=HERE / "kernels"):
    return [kernel(path, nvcc) for path in sorted(folder.glob("*.cu"))]


# ---- formulas that stand elsewhere ----

def plain(formula):
    """A handout's formula as lab.ini writes them."""
    formula = re.sub(r"log2 (\w)", r"log2(\1)", formula.translate(SUPERSCRIPTS))
    formula = re.sub(r"log₂ (\w)", r"log2(\1)", formula).replace("−", "-")
    formula = re.sub(r"(\w)([23])\b(?=\))", r"\1*\1", formula)  # k² in max(1, n/k²)
    formula = formula.replace("n/k*k", "n/(k*k)").replace("·", "*")
    return re.sub(r"\b(\d)\(", r"\1*(", formula)


def k_model(text):
    """[[map, formula], ...] of the block that says T, or nothing."""
    found = re.search(r"^T = (.*) · \{ (.*?) +(\w+)\n((?: +.*\n)+)```", text, re.M)
    if not found:
        return []
    rows = [[found[3], found[2]]]
    for line in found[4].rstrip("\n").split("\n"):
        words, name = line.strip().rstrip("} ").rsplit(None, 1)
        rows.append([name, words.strip()])
    return [[name, f"{plain(found[1])}*({plain(factor)})"] for name, factor in rows]


def bounds(lab_ini):
    """[{check, title, lines: [[counter, sign, formula, zero or ""]], given}]"""
    found = []
    for section in overlaid.sections(lab_ini.read_text()):
        if section.type != "check" or not section.value("bound"):
            continue
        text = [line.split("=", 1)[1] if k == 0 else line
                for key, entry in section.entries() if key == "bound"
                for k, line in enumerate(entry)]
        lines = [re.match(r"(\w+) *(<=|>=|==) *(.*?)(?: zero (.*))?$", line.strip())
                 for line in text]
        given = {name: section.value(name).split() for name in
                 ("banks", "order", "tuple", "threads", "devices") if section.value(name)}
        found.append({"check": section.name, "title": section.value("title"), "given": given,
                      "lines": [[m[1], m[2], m[3], m[4] or ""] for m in lines if m]})
    return found


def depths(lab):
    """The rows of a lab's table "depth and work", at every n that was counted."""
    with open(ROOT / "plots/data/depth.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    found = {}
    for row in rows:
        name, work, steps = tables.DEPTHS[row["series"]]
        entry = found.setdefault(name, {"lab": row["lab"], "work": work, "steps": steps,
                                        "at": {}})
        entry["at"][row["n"]] = [int(row[key]) for key in
                                 ("data_ops", "depth", "longest_chain", "launches")]
        for key in "work", "steps":
            formula = re.match(r"(?:< )?(.*?)(?: [a-z]+)?$", entry[key])[1]
            entry[key + "_formula"] = "" if formula.startswith("O(") or "round" in entry[key] \
                else plain(formula)
    labs = list(dict.fromkeys(entry["lab"] for entry in found.values()))
    shown = labs[:labs.index(lab) + 1] if lab in labs else []
    # Of lab 3, which has one block, only its own table (plots/tables.py).
    return {name: entry for name, entry in found.items() if entry["lab"] in shown and
            (entry["lab"] != "bank-conflicts" or lab == "bank-conflicts")}
