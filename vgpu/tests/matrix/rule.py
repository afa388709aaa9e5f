#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How an H200 computes a matrix instruction, and that it does.

  rule.py ANSWERS.xz [CASES]    ANSWERS: of `ask CASES`, 27 unless said otherwise

The rule, for f16, bf16 and tf32: an element of the result is a sum of all
products of its row and column and of c, no matter how many. All are aligned to
the largest exponent among them (of a product the sum of its factors'), 25 bits
below it are kept, and the rest is cut off; the sum of these is cut to f32, or
rounded to f16 to nearest even. Zero is +0. Nothing counts as subnormal on the
way. NaN, or infinities that cancel, give 0x7fffffff or 0x7fff.

Exit status: 0: all answers agree; 1: some do not.
"""
import array
import lzma
import sys

# registers of a, b, c and d; types of a and b, of c; products in a sum
FORMS = (("f32_f16_16", 4, 2, 4, 4, "f16", "f32", 16),
         ("f16_f16_16", 4, 2, 2, 2, "f16", "f16", 16),
         ("f32_f16_8", 2, 1, 4, 4, "f16", "f32", 8),
         ("f16_f16_8", 2, 1, 2, 2, "f16", "f16", 8),
         ("f32_bf16_16", 4, 2, 4, 4, "bf16", "f32", 16),
         ("f32_bf16_8", 2, 1, 4, 4, "bf16", "f32", 8),
         ("f32_tf32_8", 4, 2, 4, 4, "tf32", "f32", 8),
         ("f32_tf32_4", 2, 1, 4, 4, "tf32", "f32", 4))
MODES, KEPT = 9, 25
FIELDS = {"f16": (5, 10), "bf16": (8, 7), "tf32": (8, 10), "f32": (8, 23)}
ALL = (1 << 64) - 1


class Random:
    """cases.h, matrix_random."""

    def __init__(self, state):
        self.state = state
        for _ in range(3):
            self.next()

    def next(self):
        self.state = (self.state + 0x9e3779b97f4a7c15) & ALL
        z = self.state
        z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & ALL
        z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & ALL
        return z >> 32


def number_around(r, bits, total, middle, spread):
    fraction, most = total - 1 - bits, (1 << bits) - 2
    e = (middle - spread + (r >> 8) % (2 * spread + 1)) & 0xffffffff
    if e > most:
        e = (r >> 8) % most + 1
    return (r & 1) << (total - 1) | e << fraction | (
        (r >> 12) & ((1 << fraction) - 1))


def number(random, kind, mode):
    total = 16 if kind in ("f16", "bf16") else 32
    bits = 5 if kind == "f16" else 8
    bias, fraction = (1 << (bits - 1)) - 1, total - 1 - bits
    r, rest = random.next(), random.next() & ((1 << total) - 1)

    def around(x, spread):
        return number_around(x, bits, total, bias, spread)

    if mode == 5:
        return ((r & 1) << (total - 1) |
                (r >> 4 & 3) << (fraction if kind == "f16" else fraction + 5) |
                ((r >> 8) & ((1 << fraction) - 1) &
                 (0xffffffff if r & 2 else 1)))
    return {0: lambda: around(r, 2),
            1: lambda: around(r & ~1, 1),
            2: lambda: around(r, 7 if kind == "f16" else 12),
            3: lambda: around(r, 14 if kind == "f16" else 40),
            4: lambda: 0 if rest & 7 else around(r, 12),
            6: lambda: around(r, 6) if r & 15 else rest,
            7: lambda: (r & 1) << (total - 1),
            8: lambda: around(r, 12) >> fraction << fraction}[mode]()


def operand(form, case, which, kind, registers):
    random = Random(form << 40 | case << 8 | which)
    words = []
    for _ in range(registers * 32):
        x = number(random, kind, case % MODES)
        if kind in ("f16", "bf16"):
            x |= number(random, kind, case % MODES) << 16
        words.append(x)
    return words  # [register * 32 + lane]


def decoded(x, kind):
    """mantissa, exponent of its last bit, exponent; or what it is, sign."""
    bits, fraction = FIELDS[kind]
    if kind == "tf32":
        x >>= 13
    sign, e = x >> (bits + fraction), x >> fraction & ((1 << bits) - 1)
    m, bias = x & ((1 << fraction) - 1), (1 << (bits - 1)) - 1
    if e == (1 << bits) - 1:
        return ("nan" if m else "inf", sign, 0)
    e, m = (1 - bias, m) if not e else (e - bias, m | 1 << fraction)
    return (-m if sign else m, e - fraction, e)


def cut(m, shift):
    if shift >= 0:
        return m << shift
    return -(-m >> -shift) if m < 0 else m >> -shift


def encoded(v, last, kind, nearest):
    bits, fraction = FIELDS[kind]
    bias = (1 << (bits - 1)) - 1
    sign, v = v < 0, abs(v)
    if not v:
        return 0
    unit = max(v.bit_length() - 1 + last, 1 - bias) - fraction
    m = cut(v, last - unit)
    if nearest and unit > last:
        rest, half = v & ((1 << (unit - last)) - 1), 1 << (unit - last - 1)
        m += rest > half or (rest == half and m & 1)
    if not m:
        return 0
    e = m.bit_length() - 1 + unit
    if e > bias:
        m, e = 0, (1 << bits) - 1
    else:
        m, e = (m, 0) if m < 1 << fraction else (
            m >> (m.bit_length() - 1 - fraction), e + bias)
    return sign << (bits + fraction) | e << fraction | m & (
        (1 << fraction) - 1)


def special(pairs, c, kind):
    """What NaN and infinities make of the sum; None: there are none."""
    signs, nan = set(), c[0] == "nan"
    if c[0] == "inf":
        signs.add(c[1])
    for x, y in pairs:
        if "nan" in (x[0], y[0]):
            nan = True
        elif "inf" in (x[0], y[0]):
            nan |= 0 in (x[0], y[0])
            signs.add(int(sum(v[1] if v[0] == "inf" else v[0] < 0
                              for v in (x, y)) == 1))
    if nan or len(signs) == 2:
        return 0x7fff if kind == "f16" else 0x7fffffff
    if signs:
        bits, fraction = FIELDS[kind]
        return (min(signs) << bits | (1 << bits) - 1) << fraction
    return None


def element(pairs, c, kind, to):
    pairs = [(decoded(x, kind), decoded(y, kind)) for x, y in pairs]
    c = decoded(c, to)
    answer = special(pairs, c, to)
    if answer is not None:
        return answer
    terms = [c] + [(x[0] * y[0], x[1] + y[1], x[2] + y[2]) for x, y in pairs]
    unit = max([t[2] for t in terms if t[0]], default=0) - KEPT
    total = sum(cut(t[0], t[1] - unit) for t in terms)
    return encoded(total, unit, to, to == "f16")


def half(words, at, which):
    return words[at] >> (16 * which) & 0xffff


def elements(form, case, answers):
    """((pairs, c), the answer) of each; PTX ISA has where they lie."""
    name, na, nb, nc, nd, kind, to, depth = FORMS[form]
    a, b, c = (operand(form, case, w, t, n) for w, t, n in (
        (0, kind, na), (1, kind, nb), (2, to, nc)))

    def of_a(row, k):
        if kind == "tf32":
            return a[(row // 8 + 2 * (k // 4)) * 32 + row % 8 * 4 + k % 4]
        return half(a, (row // 8 + 2 * (k // 8)) * 32 + row % 8 * 4 +
                    k % 8 // 2, k % 2)

    def of_b(k, column):
        if kind == "tf32":
            return b[k // 4 * 32 + column * 4 + k % 4]
        return half(b, k // 8 * 32 + column * 4 + k % 8 // 2, k % 2)

    def of_c(words, row, column):
        lane = row % 8 * 4 + column // 2
        if to == "f16":
            return half(words, row // 8 * 32 + lane, column % 2)
        return words[(row // 8 * 2 + column % 2) * 32 + lane]

    for row in range(16):
        for column in range(8):
            yield ([(of_a(row, k), of_b(k, column)) for k in range(depth)],
                   of_c(c, row, column)), of_c(answers, row, column)


def main():
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 27
    words = array.array("I")
    words.frombytes(lzma.open(sys.argv[1]).read())
    at = apart = compared = 0
    for form, (name, _, _, _, nd, kind, to, _) in enumerate(FORMS):
        for case in range(cases):
            answers = words[at:at + nd * 32]
            at += nd * 32
            for (pairs, c), answer in elements(form, case, answers):
                compared += 1
                mine = element(pairs, c, kind, to)
                if mine != answer:
                    apart += 1
                    print(f"{name}, case {case}: {answer:#x}, not {mine:#x}")
    print(f"{compared} elements of {len(FORMS)} forms, {apart} apart")
    sys.exit(1 if apart or not compared else 0)


if __name__ == "__main__":
    main()
