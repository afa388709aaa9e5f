// SPDX-License-Identifier: MIT
//: title: Sum of a block, as a tree
//: what: Half of the threads add a cell from the other half, then half of
//: what: these, until one is left. Thread 0 writes the sum of its block.
//: args: numbers results n
//: result: sum

extern "C" __global__ void sum_tree(const int *numbers, int *totals,
                                    unsigned n) {
    __shared__ int cells[1024];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cells[t] = i < n ? numbers[i] : 0;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) cells[t] += cells[t + half];
    }
    if (t == 0) totals[blockIdx.x] = cells[0];
}
