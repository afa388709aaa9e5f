// SPDX-License-Identifier: MIT
//: lab: 00-cpu-scan
//: at: two-passes.svg
//: title: Two passes, thread by thread
//: what: Each thread stands for one of the CPU's threads and has a chunk of its
//: what: own. It adds its chunk up, waits for all, adds what lies before its
//: what: chunk, and goes over the chunk again. Without the wait it may read a sum
//: what: that nobody has written yet.
//: slider: n | n | 4 8 12 16 24 32 48 64 | 12
//: slider: block | threads | 1 2 3 4 8 16 32 | 3
//: switch: waits | wait between the passes | on
//: args: numbers results n waits
//: grid: 1
//: clock: pram teach
//: result: scan
//: formula: serial loop, additions | n - 1
//: formula: two passes, additions | n - block + n
//: formula: serial loop, elements read and written | 2*n
//: formula: two passes, elements read and written | 3*n

extern "C" __global__ void two_times_over(const int *numbers, int *results,
                                          unsigned n, unsigned waits) {
    __shared__ int sums[32];
    unsigned me = threadIdx.x, all = blockDim.x;
    unsigned from = n * me / all, to = n * (me + 1) / all;
    int mine = 0;
    for (unsigned k = from; k < to; k++) mine += numbers[k];
    sums[me] = mine;
    if (waits) __syncthreads();
    int total = 0;
    for (unsigned other = 0; other < me; other++) total += sums[other];
    for (unsigned k = from; k < to; k++) results[k] = total += numbers[k];
}
