// SPDX-License-Identifier: MIT
//: lab: 08-applications
//: at: select.svg
//: title: Where do I put it?
//: what: A block keeps what is less than the limit. Each thread writes a flag,
//: what: counts the flags before its own, and so knows its place. (It counts one
//: what: by one, which a scan does not.) Without the barrier it counts flags that
//: what: nobody has written yet.
//: slider: n | n | 2 4 8 16 32 64 | 8
//: slider: limit | keep what is less than | 0 1 2 4 6 8 | 4
//: switch: waits | barrier behind the flags | on
//: args: numbers results n limit waits
//: block: n
//: numbers: digits
//: clock: pram teach
//: result: kept
//: formula: elements moved in three launches, if half is kept | 13*n/2
//: formula: elements moved in one launch, if half is kept | 3*n/2
//: formula: flags that are counted here, one by one | n*(n - 1)/2
//: counts: barriers shared_wavefronts

extern "C" __global__ void find_a_place(const int *numbers, int *results,
                                        unsigned n, int limit,
                                        unsigned waits) {
    __shared__ unsigned keeps[64];
    unsigned me = threadIdx.x, place = 0;
    int number = numbers[me];
    keeps[me] = number < limit;
    if (waits) __syncthreads();
    for (unsigned other = 0; other < me; other++) place += keeps[other];
    if (number < limit) results[place] = number;
}
