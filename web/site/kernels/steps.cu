// SPDX-License-Identifier: MIT
//: lab: 01-naive
//: at: naive-steps.svg
//: title: The steps of one block
//: what: A block adds the cell one to the left, then two, then four. Reading and
//: what: writing are parted by a barrier; without it a thread may find a cell
//: what: that its neighbour has already changed. One warp in order does not show
//: what: it: shuffle the order, or take more than 32 threads.
//: slider: n | n | 4 8 16 32 64 | 8
//: slider: block | threads of a block | 8 16 32 64 | 64
//: switch: parted | barrier between reading and writing | on
//: args: numbers results n parted
//: clock: pram teach
//: result: scan
//: formula: steps | clog2(n)
//: formula: additions of the network | n*clog2(n) - pow2ceil(n) + 1
//: formula: additions of a serial loop | n - 1
//: counts: barriers warp_instructions

extern "C" __global__ void further_each_time(const int *numbers, int *results,
                                             unsigned n, unsigned parted) {
    __shared__ int cells[64];
    unsigned me = threadIdx.x, place = blockIdx.x * blockDim.x + me;
    cells[me] = place < n ? numbers[place] : 0;
    __syncthreads();
    for (unsigned far = 1; far < blockDim.x && far < n; far += far) {
        int left = me < far ? 0 : cells[me - far];
        if (parted) __syncthreads();
        cells[me] = left + cells[me];
        __syncthreads();
    }
    if (place < n) results[place] = cells[me];
}
