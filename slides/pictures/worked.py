#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""worked.py KIND NUMBER...: a worked example as SVG, to standard output: what a page
shows in numbers and no run of a lab's function can show so small. The arithmetic is
done here; run.sh says with which numbers.

    two-passes PARTS     lab 0: chunks are added up, their sums scanned, scanned again
    tiles ROW            lab 4: a rake along a tile, ROW elements of each thread
    select LIMIT         lab 8: flags, positions, and where what is kept goes
"""
import itertools
import sys

from canvas import Picture

CELL, HIGH, GAP, LEFT = 8.5, 5, 6.5, 24


def before(numbers):
    return [0, *itertools.accumulate(numbers)][:-1]


def row(picture, label, y, cells):
    """cells: [(x, width, words, style), ...]"""
    picture.text(1, LEFT - 2, y + HIGH / 2, label, "right")
    for x, width, words, style in cells:
        picture.cell(1, x, y, width, HIGH, str(words), style)


def parts_of(numbers, size, space=3):
    """[(x, numbers), ...]: parts that stand beside each other."""
    return [(LEFT + k // size * (size * CELL + space), numbers[k:k + size])
            for k in range(0, len(numbers), size)]


def elements(parts, style):
    return [(x + CELL * i, CELL, number, style)
            for x, numbers in parts for i, number in enumerate(numbers)]


def fan(picture, parts, y_parts, y_one, style, up=False):
    """Lines between a part's elements and the one cell in its middle."""
    for x, numbers in parts:
        for i in range(len(numbers)):
            ends = [(x + CELL * (i + .5), y_parts), (x + CELL * len(numbers) / 2, y_one)]
            (x0, y0), (x1, y1) = reversed(ends) if up else ends
            picture.line(1, x0, y0, x1, y1, style)


def reduce_then_scan(title, names, numbers, size, scan):
    """Parts are added up, the sums scanned, and the parts scanned from there."""
    picture = Picture(title)
    parts = parts_of(numbers, size)
    sums = [sum(part) for _, part in parts]
    scanned = [(x, [first + s for s in scan(part)])
               for (x, part), first in zip(parts, before(sums))]
    ys = [4 + k * (HIGH + GAP) for k in range(4)]
    middle = [x + CELL * (len(part) / 2 - .75) for x, part in parts]
    row(picture, names[0], ys[0], elements(parts, "old"))
    fan(picture, parts, ys[0] + HIGH, ys[1], "join")
    row(picture, names[1], ys[1], [(x, 1.5 * CELL, s, "new") for x, s in zip(middle, sums)])
    row(picture, names[2], ys[2],
        [(x, 1.5 * CELL, s, "half") for x, s in zip(middle, before(sums))])
    for k in range(len(sums) - 1):
        for later in range(k + 1, len(sums)):
            picture.line(1, middle[k] + .75 * CELL, ys[1] + HIGH,
                         middle[later] + .75 * CELL, ys[2], "join")
    fan(picture, parts, ys[3], ys[2] + HIGH, "move", up=True)
    row(picture, names[3], ys[3], elements(scanned, "new"))
    return picture


def draw_two_passes(threads, numbers):
    return reduce_then_scan("Two passes over the chunks of an array",
                            ["in", "5a reduce", "5c scan", "5b scan"],
                            numbers, len(numbers) // threads, itertools.accumulate)


def draw_tiles(size, numbers):
    return reduce_then_scan("A rake along a tile", ["tile", "own", "before", "tile"],
                            numbers, size, before)


def draw_select(limit, numbers):
    picture = Picture("Where what is kept goes")
    flags = [int(number < limit) for number in numbers]
    positions = before(flags)
    ys = [4 + k * (HIGH + GAP / 2) for k in range(3)] + [4 + 3 * HIGH + 3.2 * GAP]
    for k, (name, values) in enumerate((("in", numbers), ("flags", flags),
                                        ("positions", positions))):
        row(picture, name, ys[k], [
            (LEFT + CELL * i, CELL, value,
             ("new" if k < 2 else "half") if flags[i] else "zero" if k else "old")
            for i, value in enumerate(values)])
    kept = [(i, number) for i, number in enumerate(numbers) if flags[i]]
    for at, (i, _) in enumerate(kept):
        picture.line(1, LEFT + CELL * (i + .5), ys[2] + HIGH,
                     LEFT + CELL * (at + .5), ys[3], "word")
    row(picture, "out", ys[3], [(LEFT + CELL * at, CELL, number, "new")
                                for at, (_, number) in enumerate(kept)])
    return picture


KINDS = {"two-passes": draw_two_passes, "tiles": draw_tiles, "select": draw_select}


def main():
    kind, option, *numbers = sys.argv[1:]
    picture = KINDS[kind](int(option), list(map(int, numbers)))
    picture.write_svg(sys.stdout, "drawn by slides/pictures/worked.py (run.sh)")


if __name__ == "__main__":
    main()
