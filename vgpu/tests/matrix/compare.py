#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The virtual GPU answers ask.cu as a GPU did.

  compare.py VGPU ASK ANSWERS.xz     ASK: ask.cu; ANSWERS: of `ask 27` on a GPU

Registers that an instruction does not write are left out: the GPU's compiler
leaves some value in them, which all lanes have. Exit status: 0: all the same;
1: some differ.
"""
import array
import lzma
import subprocess
import sys

CASES, LEFT_OVER, LANES = 27, 0xfffdc0, 32


def words(data):
    return array.array("I", data)


def main():
    vgpu, ask, answers = sys.argv[1:]
    real = words(lzma.open(answers).read())
    mine = words(subprocess.run([vgpu, "--check", "all", ask, str(CASES)],
                                stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, check=False).stdout)
    if len(mine) != len(real):
        sys.exit(f"{len(mine)} words, not {len(real)}")
    compared = apart = 0
    for at in range(0, len(real), LANES):
        row = real[at:at + LANES]
        if all(x == LEFT_OVER for x in row):
            continue
        compared += LANES
        for lane, x in enumerate(row):
            if mine[at + lane] != x:
                apart += 1
                print(f"word {at + lane}: {x:#x}, not {mine[at + lane]:#x}")
    print(f"{compared} words, {apart} apart")
    sys.exit(1 if apart or compared < len(real) * 9 // 10 else 0)


if __name__ == "__main__":
    main()
