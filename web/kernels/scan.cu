// SPDX-License-Identifier: MIT
//: title: Scan in a block, by Hillis and Steele
//: what: Each thread adds the cell at its left, then the one two to the left,
//: what: then four. A barrier stands between reading a cell and writing it, and
//: what: another one before the next step.
//: args: numbers results n
//: result: scan

extern "C" __global__ void hillis_steele(const int *numbers, int *sums,
                                         unsigned n) {
    __shared__ int cells[1024];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cells[t] = i < n ? numbers[i] : 0;
    __syncthreads();
    for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
        int left = t >= distance ? cells[t - distance] : 0;
        __syncthreads();
        cells[t] += left;
        __syncthreads();
    }
    if (i < n) sums[i] = cells[t];
}
