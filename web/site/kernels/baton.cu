// SPDX-License-Identifier: MIT
//: lab: 05-chained
//: at: chain.svg
//: title: Hand it on
//: what: A block for each tile, and of each tile one number, its total. A block
//: what: waits for the flag of the block before it, adds its number, and raises
//: what: its own flag. With weak memory and without fences it may see the flag
//: what: before the sum.
//: slider: n | tiles | 1 2 4 6 8 12 16 32 | 8
//: switch: fences | fences | on
//: args: numbers results n flags fences
//: block: 1
//: grid: n
//: memory: weak
//: clock: pram teach
//: result: chain
//: formula: messages that wait for each other | n - 1
//: formula: words, one for each tile | n

extern "C" __global__ void hand_it_on(const int *numbers, int *results,
                                      unsigned n, volatile unsigned *flags,
                                      unsigned fences) {
    unsigned me = blockIdx.x;
    int sum = numbers[me];
    if (me > 0) {
        while (!flags[me - 1]) continue;
        if (fences) __threadfence();
        sum += results[me - 1];
    }
    results[me] = sum;
    if (fences) __threadfence();
    flags[me] = 1;
}
