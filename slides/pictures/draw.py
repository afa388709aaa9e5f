#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""draw.py KIND FORMAT FILE... [OPTION=VALUE...]: a picture of what a run of
`scanlab trace -o FILE.json` or `scanlab run --timeline FILE` did, as LaTeX for
the slides (built step by step) or as SVG for the handouts, to standard output.
Nothing is drawn that is not in the file.

    steps   an array after each step, and from which cells the new ones are made
            from=1 to=9   steps of the trace; what was there after `from` is the
            first row, and where it is 0, the input
    words   what tiles told each other: a row holds what follows from rows above
            it and not from its own. states=P or states=AP: the flags 1, 2 ...; gap=2: mm between rows
            tile=7  whose lines are marked (all)
    banks   the stores of sums, of one file for each map: banks by stores
            names=plain,Padding   what the maps are called
    chart   blocks over model time, waiting and not, and words between them
            until=6  the axis' end in us   film=1,2  us until
            which pages uncover it   note=..., below it

FORMAT is tex or svg."""
import json
import sys

from canvas import Picture

CELL, HIGH, GAP, LEFT = 10.5, 5, 4.2, 24


# ---- an array, step after step ----

def row_of(name, writes):
    """What stands beside a row."""
    by = writes[0]["by"]
    if by == "fill":
        return "root = " + writes[0]["value"]
    if by == "copy":
        return "leaves"
    return name.split(",")[0]


def draw_steps(traces, option):
    trace, = traces
    n, first = trace["n"], int(option["from"])
    picture = Picture("%s of %d elements" % (trace["function"], n))
    inputs = [w for w in trace["before"]
              if trace["arrays"][w["array"]]["name"] == "d_in"]
    place = {w["id"]: w["cell"] for w in trace["before"]}
    array, now, rows = None, {}, 0
    for cell in range(n):
        picture.text(1, LEFT + CELL * (cell + .5), 2.5, str(cell), faint=True)

    def row(label, writes):
        y, style = 6 + rows * (HIGH + GAP), {}
        for w in writes:
            moved = len(w["from"]) == 1
            style[w["cell"]] = "half" if moved else "new"
            for source in w["from"]:
                picture.line(rows + 1, LEFT + CELL * (place[source["id"]] + .5),
                             y - GAP, LEFT + CELL * (w["cell"] + .5), y,
                             "move" if moved else "join")
        for cell in range(n):
            picture.cell(rows + 1, LEFT + CELL * cell, y, CELL, HIGH,
                         now.get(cell, "."), style.get(cell, "old"))
        picture.text(rows + 1, LEFT - 2, y + HIGH / 2, label, "right")

    if first == 0:
        now = {w["cell"]: w["value"] for w in inputs}
        row("in", ())
        rows = 1
    for step in trace["steps"][:int(option["to"])]:
        writes = step["writes"]
        if writes[0]["array"] != array:
            array, now = writes[0]["array"], {}
        now = now | {w["cell"]: w["value"] for w in writes}
        if step["step"] >= first:
            row(row_of(step["name"], writes), writes if rows else ())
            rows += 1
        place |= {w["id"]: w["cell"] for w in writes}
    return picture


# ---- what tiles told each other ----

def told(trace):
    """The stores to status words, which are 64 bits, flag:value; id -> write."""
    return {w["id"]: w for step in trace["steps"] for w in step["writes"]
            if trace["arrays"][w["array"]]["kind"] == "global"
            and w["by"] == "store" and ":" in w["value"]}


def draw_words(traces, option):
    trace, = traces
    words, row_of_word = told(trace), {}
    picture = Picture("Words between tiles in %s" % trace["function"])
    high, gap, wide, left = HIGH, float(option["gap"]), 14, 16
    shown = int(option.get("tile", -1))
    tiles = 1 + max(w["cell"] // 2 for w in words.values())
    place = {}
    for t in range(tiles):
        picture.text(1, left + wide * (t + .5), 2.5, "tile %d" % t if t == 0
                     else str(t), faint=True)
    for k in sorted(words):  # in the order in which they were stored
        sources = [f["id"] for f in words[k]["from"] if f["id"] in words]
        row_of_word[k] = 1 + max((row_of_word[s] for s in sources), default=0)
        flag, value = words[k]["value"].split(":")
        state, r = option["states"][int(flag) - 1], row_of_word[k]
        tile = words[k]["cell"] // 2
        x = left + wide * tile
        y = 6 + (r - 1) * (high + gap)
        # A tile may speak twice in a row; the second one is what counts.
        if (r, words[k]["cell"]) in place:
            raise SystemExit("two words of a tile in one row")
        place[r, words[k]["cell"]] = k
        for s in sources:
            s_y = 6 + (row_of_word[s] - 1) * (high + gap) + high
            picture.line(r, left + wide * (words[s]["cell"] // 2 + .5), s_y,
                         x + wide / 2, y,
                         "join" if shown in (-1, tile) else "move")
        picture.cell(r, x + .3, y, wide - .6, high, state + " " + value,
                     "new" if state == "P" else "half")
    for r in range(1, 1 + max(row_of_word.values())):
        picture.text(r, left - 2, 6 + (r - 1) * (high + gap) + high / 2,
                     "step %d" % r, "right", True)
    return picture


# ---- banks ----

def sums_of(trace):
    """The accesses that store sums: at lines that store what was made of two
    values of shared memory."""
    kind = [a["kind"] for a in trace["arrays"]]
    lines = {w["place"] for s in trace["steps"] for w in s["writes"]
             if w["by"] == "store" and kind[w["array"]] == "shared"
             and len(w["from"]) == 2}
    return [a for a in trace["accesses"]
            if a["does"] == "write" and a["place"] in lines]


def draw_banks(traces, option):
    picture = Picture("Stores of sums in the banks of shared memory")
    names, k = option["names"].split(","), traces[0]["banks"]
    wide, high, gap, left = 2.2, 5, .8, 8
    block = k * wide + 5
    picture.text(1, 4, 1.5, "level", faint=True)
    for m, (name, trace) in enumerate(zip(names, traces)):
        x, total = left + m * block, 0
        picture.text(1, x + k * wide / 2, 1.5, name)
        for level, access in enumerate(sums_of(trace), 1):
            y = 5 + (level - 1) * (high + gap)
            if m == 0:
                picture.text(level, 4, y + high / 2, str(level))
            banks = [w % k for w in set(access["words"])]
            conflict = access["wavefronts"] > access["ideal"]
            for bank in range(k):
                n = banks.count(bank)
                picture.cell(level, x + wide * bank, y, wide, high,
                             str(n) if n > 1 and conflict else "",
                             "zero" if n == 0 else "new" if conflict else "half")
            total += access["wavefronts"]
            picture.text(level, x + wide * k + 1.5, y + high / 2,
                         str(access["wavefronts"]), "left")
        picture.text(level, x + k * wide / 2, y + high + 3,
                     "%d passes" % total)
    return picture


# ---- blocks over time ----

def waiting(events, block, warps):
    """When a block's warps first began to wait for a word, and when the last
    one had it."""
    spans = [(e["ts"], e["ts"] + e["dur"]) for e in events
             if e.get("cat") == "wait" and e["name"].split(",")[0] == "message of a block"
             and warps[e["tid"]] == block]
    return (min(s[0] for s in spans), max(s[1] for s in spans)) if spans \
        else None


def draw_chart(traces, option):
    events = traces[0]["traceEvents"]
    kernel = next(e for e in events
                  if e.get("cat") == "command" and "args" in e)
    until = float(option["until"])
    name = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"
            and e["pid"] == 2 and e["name"] == "thread_name"}
    blocks = sorted((e for e in events if e.get("cat") == "block"),
                    key=lambda e: (e["ts"], e["tid"]))
    row = {e["tid"]: i for i, e in enumerate(blocks)}
    # "SM 3, place 0, warp 7" is of the block in "SM 3, place 0"
    tid = {words: t for t, words in name.items()}
    warps = {e["tid"]: tid[e["args"]["name"].rsplit(",", 1)[0]]
             for e in events if e["ph"] == "M" and e["pid"] == 3
             and e["name"] == "thread_name"}
    wide, high = 106.0, 32 / len(blocks)
    x_of = lambda ts: 17 + (ts - kernel["ts"]) / until * wide
    y_of = lambda t: 1 + row[t] * high
    picture = Picture("Blocks of %s over model time" % kernel["name"])
    bottom = 1 + len(blocks) * high
    for us in range(int(until) + 1):
        x = 17 + us / until * wide
        picture.line(1, x, 0, x, bottom + 1, "axis")
        picture.text(1, x, bottom + 3, "%d" % us if us else "0 µs", faint=True)
    for e in blocks:
        y, t = y_of(e["tid"]) + high * .14, e["tid"]
        start, end = x_of(e["ts"]), x_of(e["ts"] + e["dur"])
        if len(blocks) <= 8 or row[t] % 4 == 0:
            picture.text(1, 15, y + high * .36, "block %d" % row[t] if row[t] == 0
                         else str(row[t]), "right", True)
        picture.cell(1, start, y, end - start, high * .72, "", "busy")
        wait = waiting(events, t, warps)
        if wait:
            picture.cell(1, x_of(wait[0]), y, x_of(wait[1]) - x_of(wait[0]),
                         high * .72, "", "half")
    sent = {e["id"]: e for e in events if e["ph"] == "s"}
    for e in (e for e in events if e["ph"] == "f"):
        s = sent[e["id"]]
        picture.line(1, x_of(s["ts"]), y_of(s["tid"]) + high / 2,
                     x_of(e["ts"]), y_of(e["tid"]) + high / 2, "word")
    for line, words in enumerate(option["note"].split("; ")):
        picture.text(1, 17, bottom + 7.5 + 5 * line, words, "left", True)
    w = picture.size()[0]
    picture.film = [x_of(kernel["ts"] + float(us))
                    for us in option["film"].split(",")] + [w]
    return picture


KINDS = {"steps": draw_steps, "words": draw_words, "banks": draw_banks,
         "chart": draw_chart}


def main():
    kind, form, *rest = sys.argv[1:]
    option = dict(word.split("=", 1) for word in rest if "=" in word)
    traces = []
    for path in (word for word in rest if "=" not in word):
        with open(path, encoding="utf-8") as file:
            traces.append(json.load(file))
    picture = KINDS[kind](traces, option)
    made_by = "drawn by slides/pictures/run.sh from a run of the reference"
    if form == "svg":
        picture.write_svg(sys.stdout, made_by)
    else:
        print("%% SPDX-License-Identifier: MIT\n%% %s" % made_by)
        picture.write_tikz(sys.stdout)


if __name__ == "__main__":
    main()
