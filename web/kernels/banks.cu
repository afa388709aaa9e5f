// SPDX-License-Identifier: MIT
//: title: Bank conflicts: a table by columns
//: what: Each warp puts its 32 numbers into a column of a table: all threads
//: what: meet in one bank, and the access takes 32 turns. Then each thread adds
//: what: its number and that of the thread across.
//: args: numbers results n
//: result: mirror
//: least: 32

extern "C" __global__ void across(const int *numbers, int *results,
                                  unsigned n) {
    __shared__ int table[32 * 32];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    unsigned lane = t % 32, row = t / 32;
    table[lane * 32 + row] = i < n ? numbers[i] : 0;
    __syncthreads();
    if (i < n)
        results[i] = table[lane * 32 + row] + table[(31 - lane) * 32 + row];
}
