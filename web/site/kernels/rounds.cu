// SPDX-License-Identifier: MIT
//: lab: 07-sam
//: at: sam-time.svg
//: title: k blocks take turns
//: what: Of each chunk one number, its sum. Block b takes the chunks b, b + k,
//: what: b + 2k and so on: it announces the chunk's number, then collects what
//: what: has been announced since its last chunk. More than the resident blocks
//: what: would wait for ever, so k is what fits: 8 at most here.
//: slider: n | chunks | 1 2 4 8 11 16 24 32 | 11
//: slider: k | resident blocks k | 1 2 3 4 6 8 | 4
//: switch: fences | fences | on
//: args: numbers results n sums flags fences
//: block: 1
//: grid: k
//: memory: weak
//: clock: pram teach
//: result: chain
//: formula: rounds | ceildiv(n, k)
//: formula: numbers that a block collects for a chunk, at most | min(k, n - 1)
//: formula: numbers collected, all blocks | n*min(k, n) - min(k, n)*(min(k, n) + 1)/2
//: formula: places of the board that are enough | 3*k

extern "C" __global__ void take_turns(const int *numbers, int *results,
                                      unsigned n, int *sums,
                                      volatile unsigned *flags,
                                      unsigned fences) {
    int carry = 0;
    unsigned seen = 0;
    for (unsigned turn = blockIdx.x; turn < n; turn += gridDim.x) {
        sums[turn] = numbers[turn];
        if (fences) __threadfence();
        flags[turn] = 1;
        for (; seen <= turn; seen++) {
            while (!flags[seen]) continue;
            if (fences) __threadfence();
            carry += sums[seen];
        }
        results[turn] = carry;
    }
}
