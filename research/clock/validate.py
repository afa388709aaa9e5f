#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The clock's model times beside a GPU's (vgpu/docs/clock.md).

  validate.py join MODEL KINDS SCANS OUT   MODEL: what validate.sh left; the
                        others: times of the GPU; OUT: both, as CSV
  validate.py table CSV      the page's table, from that CSV
  validate.py inversions CSV the page's table of inversions, with what binds
                             (binds.csv); exit status 1: one that it lacks
  validate.py check CSV PAGE exit status 1: the page has other tables
  validate.py page CSV PAGE  puts them there
  validate.py worst CSV      the rows whose error is largest

A row judges if nobody looked at its kernel while the model was changed: the
kernels that kinds.cuh marks, all honest variants, CUB and Thrust.
"""
import csv
import fnmatch
import itertools
import pathlib
import sys

HOST = "*/honest-host-styles"  # what they vary is the host's calls


def of_host(r):
    return fnmatch.fnmatch(r["who"], HOST)


SMALL, GROUPS = 1 << 12, (
    ("labs: references", lambda r: r["set"] == "lab" and r["who"].startswith("reference/")),
    ("labs: fast scans", lambda r: r["set"] == "lab" and r["who"].startswith("fast/")),
    ("CUB, Thrust", lambda r: r["set"] == "peer"),
    ("honest variants", lambda r: r["set"] == "variant" and not of_host(r)),
    ("those of the host's calls", lambda r: r["set"] == "variant" and of_host(r)),
    ("other kernels, looked at", lambda r: r["set"] == "kind" and r["judges"] == "0"),
    ("other kernels, kept apart", lambda r: r["set"] == "kind" and r["judges"] == "1"),
    ("all that judge", lambda r: r["judges"] == "1"),
    ("all", lambda r: True))


def rows(path):
    with open(path, encoding="utf-8") as file:
        yield from csv.DictReader(line for line in file if line[0] != "#")


def kind_times(path):
    return {(r["who"], "kernel", int(r["n"])):
            (r["median_ns"], r["min_ns"], r["judges"]) for r in rows(path)}


def scan_times(path):
    return {(r["who"].replace("_", "-"), r["operation"], int(r["n"])):
            (r["median_ns"], r["min_ns"]) for r in rows(path)}


def join(model, kinds, scans, out):
    lines = []
    gpu = scan_times(scans)
    for key, (ns, _) in scan_times(f"{model}/scans.csv").items():
        lab = key[0].split("/")[0] in ("reference", "fast")
        peer = "/" not in key[0]
        seen = gpu.get(key)
        if seen:
            lines.append(("lab" if lab else "peer" if peer else "variant",
                          *key, seen[0], ns, seen[1], 0 if lab else 1))
    seen = kind_times(kinds)
    for key, (ns, _, judges) in kind_times(f"{model}/kinds.csv").items():
        if key in seen:
            lines.append(("kind", *key, seen[key][0], ns, seen[key][1], judges))
    with open(out, "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: MIT\n# origin: gpu_ns: NVIDIA H200, "
                   "medians, L2 full of other data; model_ns: model time, --clock=h200\n"
                   "# made by research/clock/validate.sh; one run each of "
                   "research/clock/scans and kinds\n")
        file.write("set,who,operation,n,gpu_ns,model_ns,gpu_least_ns,judges\n")
        for line in sorted(lines, key=lambda x: (x[0], x[1], x[2], x[3])):
            file.write(",".join(map(str, line)) + "\n")


def error(r):
    return float(r["model_ns"]) / float(r["gpu_ns"]) - 1


def pairs(group):
    """Slower and quicker of all pairs of the same operation, n and run whose
    GPU times differ by more than 1.3."""
    place = lambda r: (r["set"] in ("lab", "peer") or r["set"], r["operation"], r["n"])
    for _, same in itertools.groupby(sorted(group, key=lambda r: str(place(r))), place):
        for a, b in itertools.combinations(list(same), 2):
            if float(a["gpu_ns"]) < float(b["gpu_ns"]):
                a, b = b, a
            if float(a["gpu_ns"]) > 1.3 * float(b["gpu_ns"]):
                yield a, b


def inverted(pair):
    """The model puts them the other way round."""
    return float(pair[0]["model_ns"]) <= float(pair[1]["model_ns"])


def ratio(pair, column):
    return f"{float(pair[0][column]) / float(pair[1][column]):.2f}"


def span(values):
    low, high = min(values), max(values)
    return low if low == high else f"{low} to {high}"


def cells_of(pair):
    a, b = pair
    size = int(a["n"]).bit_length() - 1
    what = "" if a["operation"] == "kernel" else f", {a['operation']}"
    return [f"2^{size:02}", a["who"] + what, b["who"], ratio(pair, "gpu_ns"),
            ratio(pair, "gpu_least_ns"), ratio(pair, "model_ns")]


def inversion_table(path):
    """The table; whether binds.csv has a cause for each pair. Pairs with a
    variant of the host's calls are one line."""
    known = list(rows(pathlib.Path(__file__).with_name("binds.csv")))
    lines, complete = ["| n | slower on the GPU | quicker | GPU | its least times | model "
                       "| what binds |", "|---|---|---|---|---|---|---|"], True
    every = [r for r in rows(path) if int(r["n"]) >= SMALL]
    found = sorted(filter(inverted, pairs(every)),
                   key=lambda p: (int(p[0]["n"]), p[0]["who"], p[1]["who"],
                                  p[0]["operation"]))
    hosts = [p for p in found if of_host(p[0]) or of_host(p[1])]
    for pair in found:
        causes = [k["binds"] for k in known
                  if all(fnmatch.fnmatch(x, y) for x, y in
                         ((pair[0]["who"], k["slower"]), (pair[1]["who"], k["quicker"]),
                          (pair[0]["n"], k["n"])))]
        complete &= bool(causes)
        if pair not in hosts:
            cells = cells_of(pair) + [causes[0] if causes else "?"]
            lines.append("| " + " | ".join(cells).replace("2^0", "2^") + " |")
    if hosts:
        of = [span(c) for c in zip(*map(cells_of, hosts))]
        lines.append(f"| {of[0]} | {HOST}, {len(hosts)} pairs | others "
                     f"| {' | '.join(of[3:])} | F |".replace("2^0", "2^"))
    return "\n".join(lines) + "\n", complete


def table(path):
    every = [r for r in rows(path) if int(r["n"]) >= SMALL]
    lines = ["| n = 2^12 and more | times | median error | within 40 % | least, most error "
             "| inversions |", "|---|---|---|---|---|---|"]
    for name, belongs in GROUPS:
        group = [r for r in every if belongs(r)]
        errors = [error(r) for r in group]
        if not errors:
            continue
        sizes = sorted(map(abs, errors))
        lines.append(
            f"| {name} | {len(group)} | {100 * sizes[len(sizes) // 2]:.0f} % "
            f"| {100 * sum(e <= .4 for e in sizes) // len(sizes)} % "
            f"| {100 * min(errors):+.0f} %, {100 * max(errors):+.0f} % "
            f"| {sum(map(inverted, pairs(group)))} of {len(list(pairs(group)))} |")
    return "\n".join(lines) + "\n"


def put(path, page):
    """Both tables take the place of those that begin alike."""
    lines = pathlib.Path(page).read_text(encoding="utf-8")
    for text in table(path), inversion_table(path)[0]:
        at = lines.index(text[:text.index("\n") + 1])
        lines = lines[:at] + text + lines[lines.index("\n\n", at) + 1:]
    pathlib.Path(page).write_text(lines, encoding="utf-8")


def worst(path):
    for r in sorted(rows(path), key=lambda r: -abs(error(r)))[:40]:
        print(f"{100 * error(r):+5.0f} % {r['who']} {r['operation']} {r['n']} "
              f"{float(r['gpu_ns']) / 1e3:.1f} us, model {float(r['model_ns']) / 1e3:.1f}")


def main(words):
    if words[:1] == ["join"] and len(words) == 5:
        join(*words[1:])
    elif words[:1] == ["table"] and len(words) == 2:
        print(table(words[1]), end="")
    elif words[:1] == ["inversions"] and len(words) == 2:
        text, complete = inversion_table(words[1])
        print(text, end="")
        return 0 if complete else 1
    elif words[:1] == ["page"] and len(words) == 3:
        put(*words[1:])
    elif words[:1] == ["worst"] and len(words) == 2:
        worst(words[1])
    elif words[:1] == ["check"] and len(words) == 3:
        (why, complete), text = inversion_table(words[1]), table(words[1])
        with open(words[2], encoding="utf-8") as page:
            lines = page.read()
        for part in text, why:
            if part not in lines:
                print(f"{words[2]} has another table than {words[1]} gives:\n{part}")
                return 1
        return 0 if complete else 1
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
