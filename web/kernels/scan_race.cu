// SPDX-License-Identifier: MIT
//: title: The same scan, a barrier missing
//: what: The barrier between reading and writing is missing: a thread may read
//: what: a cell that its neighbour has already changed. One warp in order does
//: what: not show it.
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
        cells[t] += left;
        __syncthreads();
    }
    if (i < n) sums[i] = cells[t];
}
