// SPDX-License-Identifier: MIT
//: title: Neighbours, and one past the end
//: what: Each thread adds its number and the one to the right. The last one has
//: what: no neighbour, and reads past the end all the same.
//: args: numbers results n
//: result: pairs

extern "C" __global__ void pairs(const int *numbers, int *results, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) results[i] = numbers[i] + numbers[i + 1];
}
