// SPDX-License-Identifier: MIT
//: title: The same sum without barriers
//: what: Without a barrier in the loop, nothing orders what one thread writes
//: what: and another one reads.
//: args: numbers results n
//: result: sum

extern "C" __global__ void sum_tree(const int *numbers, int *totals,
                                    unsigned n) {
    __shared__ int cells[1024];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cells[t] = i < n ? numbers[i] : 0;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) cells[t] += cells[t + half];
    }
    if (t == 0) totals[blockIdx.x] = cells[0];
}
