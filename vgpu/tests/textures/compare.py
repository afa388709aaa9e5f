#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py VGPU PROGRAM RECORDED: textures.cu on the virtual GPU gives, word for word, what it gave on a GPU.

Lines whose name ends in "~" are filtered: a GPU adds the products in an order of its own, so that the last bits may
differ: by FAR of the largest texel. Of "3d" the weights themselves differ by one of 256 here and there.
"""
import struct
import subprocess
import sys

FAR = 2.0**-20
WEIGHT = 2.0**-8
LARGEST = 32  # of the texels


def real(word):
    return struct.unpack("<f", struct.pack("<I", int(word, 16)))[0]


def differs(name, mine, theirs):
    if mine == theirs:
        return False
    far = (WEIGHT if name.startswith("3d") else FAR) * LARGEST
    return "~" not in name or abs(real(mine) - real(theirs)) > far


def lines(text):
    return [line.rstrip("\n") for line in text.splitlines() if line and not line.startswith("#")]


def main(vgpu, program, recorded):
    run = subprocess.run([vgpu, program, "past"], capture_output=True, text=True, check=False)
    mine, theirs = lines(run.stdout), lines(open(recorded, encoding="utf-8").read())
    bad = len(mine) != len(theirs)
    for a, b in zip(mine, theirs):
        name, _, words = a.partition(":")
        other, _, expected = b.partition(":")
        words, expected = words.split(), expected.split()
        if name != other or len(words) != len(expected):
            print("expected:", b, "\ngot:     ", a)
            bad = True
            continue
        for k, (x, y) in enumerate(zip(words, expected)):
            if differs(name, x, y):
                print(f"{name}: word {k} is {x}, on a GPU {y}")
                bad = True
    if "1. out-of-bounds in kernel past" not in run.stderr or "1 finding" not in run.stderr:
        print(run.stderr)
        bad = True
    print(f"{len(theirs)} lines")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
