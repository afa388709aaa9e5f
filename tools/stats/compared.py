#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compared.py tokens <TEXTS
compared.py pairs RUN LEAST MOST <TOKENS

Reads what strangers wrote; run by similar.py inside scanlab-walls. Both read
frames: a length of 4 bytes, most significant first, and so many bytes.

tokens: the first frame is the stub, each other one what somebody handed in. For
each of those a frame: one byte for each token that stands in no line of the stub.
Names are one kind of token, numbers another, so that other names hide nothing.

pairs: the frames are these tokens. Prints JSON: [[PERCENT, ONE, OTHER]...] by their
numbers: how much of one stands in the other, in runs of at least RUN tokens; the
greater of both ways. Of each no more than MOST others, those most like it.

Every step takes time and memory in proportion to its input, whatever that is: the
regular expressions match or fail at a character without looking at the rest again,
and no two texts are laid beside each other."""
import collections
import functools
import json
import operator
import re
import struct
import sys

# A table of zeros in two submissions makes them no more alike: a stretch of so many
# kinds of tokens is kept so many times.
STRETCH, TIMES = 12, 16
AT_A_TIME = 512  # others that one is compared with in one go
COMMENT = rb"/\*.*?(?:\*/|\Z)|//[^\n]*"
# In one expression, because a string may hold what begins a comment. Each part that
# begins to match does: one that ends nowhere goes to the end of its line, or file.
TOKEN = re.compile(COMMENT + rb"|[A-Za-z_]\w*|\d(?:'?[\w.])*|"
                   rb'"(?:[^"\\\n]|\\.)*"?|' rb"'(?:[^'\\\n]|\\.)*'?|\S", re.S)
WORDS = """auto break case char const continue default do double else enum extern float
for goto if inline int long register return short signed sizeof static struct switch
typedef union unsigned void volatile while template class bool __global__ __device__
__shared__ __syncthreads""".split()
KEYWORDS = {word.encode(): bytes([128 + n]) for n, word in enumerate(WORDS)}
NAME, NUMBER = b"x", b"0"


def plain(line):
    return line.translate(None, b" \t\n\r\f\v")


def own_lines(text, stub):
    """What stands in no line of the stub."""
    return b"\n".join(row for row in text.splitlines() if plain(row) not in stub)


def kind(token):
    first = token[:1]
    if first.isalpha() or first == b"_":
        return KEYWORDS.get(token, NAME)
    return NUMBER if first.isdigit() else first if first < b"\x80" else b"?"


def kinds(text):
    """A byte for each token of a program."""
    return b"".join(kind(token) for token in TOKEN.findall(text)
                    if token[:2] not in (b"//", b"/*"))


def unrepeated(tokens):
    """Without what repeats itself too often."""
    seen, kept = collections.Counter(), bytearray()
    for at in range(len(tokens)):
        stretch = tokens[max(0, at + 1 - STRETCH):at + 1]
        seen[stretch] += 1
        if seen[stretch] <= TIMES:
            kept.append(tokens[at])
    return bytes(kept)


def tokens_of(text, stub):
    return unrepeated(kinds(own_lines(text, stub)))


# ---- pairs ----

def hashes(tokens, run):
    """Of each run of so many tokens. Bytes are hashed with a key that no submission
    knows, so nobody can make two runs that are taken for one."""
    return [hash(tokens[at:at + run]) for at in range(len(tokens) - run + 1)]


def shared(texts, run):
    """The hashes that more than one text has."""
    first, found = {}, set()
    for n, text in enumerate(texts):
        for value in hashes(text, run):
            if first.setdefault(value, n) != n:
                found.add(value)
    return found


def covered(text, masks, run):
    """{other: how many tokens of this text lie in runs that it has, too}, where the
    bits of masks[hash] are the others."""
    many = collections.Counter()  # tokens by all the others that have their runs
    last = collections.deque()    # the masks of the runs a token may lie in
    until = {}                    # mask: before which token its last run ends
    for at in range(len(text)):
        if at + run <= len(text):
            mask = masks.get(hash(text[at:at + run]), 0)
            if mask:
                if mask not in until:
                    last.append(mask)
                until[mask] = at + run
        for _ in range(len(last)):
            mask = last.popleft()
            if until[mask] > at:
                last.append(mask)
            else:
                del until[mask]
        if last:
            many[functools.reduce(operator.or_, last)] += 1
    found = collections.Counter()
    for mask, times in many.items():
        while mask:
            low = mask & -mask
            found[low.bit_length() - 1] += times
            mask ^= low
    return found


def pairs(texts, run, least, most):
    """[[percent, one, other]...], the most alike first."""
    common, best = shared(texts, run), {}
    for begin in range(0, len(texts), AT_A_TIME):
        masks = collections.defaultdict(int)
        for n, text in enumerate(texts[begin:begin + AT_A_TIME]):
            for value in set(hashes(text, run)) & common:
                masks[value] |= 1 << n
        for one, text in enumerate(texts):
            for n, times in covered(text, masks, run).items():
                percent, other = 100 * times // len(text), begin + n
                if other != one and percent >= least:
                    at = min(one, other), max(one, other)
                    best[at] = max(best.get(at, 0), percent)
    found, of_each = [], collections.Counter()
    for percent, one, other in sorted(([p, *at] for at, p in best.items()),
                                      key=lambda p: (-p[0], p[1], p[2])):
        if of_each[one] < most or of_each[other] < most:
            found.append([percent, one, other])
        of_each.update((one, other))
    return found


# ---- frames ----

def frames(file):
    while len(head := file.read(4)) == 4:
        size, = struct.unpack(">I", head)
        if len(data := file.read(size)) < size:
            return
        yield data


def framed(data):
    return struct.pack(">I", len(data)) + data


def main(how, *numbers):
    given = frames(sys.stdin.buffer)
    if how == "pairs":
        json.dump(pairs(list(given), *map(int, numbers)), sys.stdout)
        return
    stub = {plain(row) for row in next(given).splitlines()}
    for text in given:
        sys.stdout.buffer.write(framed(tokens_of(text, stub)))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
