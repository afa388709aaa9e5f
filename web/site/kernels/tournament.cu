// SPDX-License-Identifier: MIT
//: lab: 02-work-efficient
//: at: up-sweep.svg
//: title: A tournament in one block
//: what: The same tree, of maxima: of two neighbours the larger one goes on, and
//: what: stands where the right one stood. Half as many threads play in each
//: what: round, and a barrier parts the rounds. Without it somebody may play
//: what: against a cell whose match is still going on.
//: slider: n | n | 2 4 8 16 32 64 | 8
//: switch: parted | barrier between rounds | on
//: args: numbers results n parted
//: block: n
//: clock: pram teach
//: result: tournament
//: formula: levels | clog2(n)
//: formula: nodes, all levels | n - 1
//: formula: nodes of the widest level | n/2
//: formula: additions of lab 1 for as many | n*clog2(n) - pow2ceil(n) + 1
//: counts: barriers warp_instructions

extern "C" __global__ void larger_goes_on(const int *numbers, int *results,
                                          unsigned n, unsigned parted) {
    __shared__ int cells[64];
    unsigned me = threadIdx.x;
    cells[me] = numbers[me];
    for (unsigned wide = 2; wide <= n; wide *= 2) {
        if (parted || wide == 2) __syncthreads();
        unsigned last = wide * me + wide - 1;
        if (last < n && cells[last - wide / 2] > cells[last])
            cells[last] = cells[last - wide / 2];
    }
    __syncthreads();
    results[me] = cells[me];
}
