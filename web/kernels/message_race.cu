// SPDX-License-Identifier: MIT
//: title: The same chain without fences
//: what: Nothing orders the sum and the flag: with weak memory, a block may see
//: what: the flag before the sum.
//: args: numbers results n flags
//: result: chain

extern "C" __global__ void message(const int *numbers, int *results, unsigned n,
                                   volatile unsigned *flags) {
    unsigned b = blockIdx.x;
    if (threadIdx.x != 0 || b >= n) return;
    int before = 0;
    if (b > 0) {
        while (flags[b - 1] == 0) continue;
        before = results[b - 1];
    }
    results[b] = before + numbers[b];
    flags[b] = 1;
}
