// SPDX-License-Identifier: MIT
//: lab: 06-lookback
//: at: lookback.svg
//: title: Ask those before you
//: what: A block for each tile, and of each tile one number. A word says 1 and
//: what: the tile's own number, or 2 and the sum up to its end. A block asks the
//: what: tiles before it, one after the other, until a word says 2. Without
//: what: "aggregates" no tile announces its own number, so each tile waits for
//: what: its neighbour's sum: lab 5's chain.
//: slider: n | tiles | 1 2 4 6 8 12 16 32 | 8
//: switch: aggregates | aggregates | on
//: args: numbers results n flags aggregates
//: block: 1
//: grid: n
//: order: random
//: memory: weak
//: clock: pram teach
//: result: chain
//: formula: messages of a chain | n - 1
//: formula: words that tiles publish, with aggregates | 2*n - 1
//: formula: words that tiles publish, without | n
//: picture: asked

extern "C" __global__ void ask_those_before(const int *numbers, int *results,
                                            unsigned n,
                                            volatile unsigned *flags,
                                            unsigned aggregates) {
    unsigned me = blockIdx.x;
    unsigned mine = (unsigned)numbers[me], sum = mine;
    if (me > 0 && aggregates) flags[me] = mine << 2 | 1;
    for (unsigned asked = me; asked-- > 0;) {
        unsigned says;
        while ((says = flags[asked]) == 0) continue;
        sum += says >> 2;
        if ((says & 3) == 2) break;
    }
    flags[me] = sum << 2 | 2;
    results[me] = (int)sum;
}
