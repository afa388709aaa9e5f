// SPDX-License-Identifier: MIT
//: title: A chain of blocks, with fences
//: what: Each block waits until the block before it has raised its flag, adds
//: what: its own number to the sum that it finds, and raises its flag. A fence
//: what: stands between sum and flag on both sides.
//: args: numbers results n flags
//: result: chain

extern "C" __global__ void message(const int *numbers, int *results, unsigned n,
                                   volatile unsigned *flags) {
    unsigned b = blockIdx.x;
    if (threadIdx.x != 0 || b >= n) return;
    int before = 0;
    if (b > 0) {
        while (flags[b - 1] == 0) continue;
        __threadfence();
        before = results[b - 1];
    }
    results[b] = before + numbers[b];
    __threadfence();
    flags[b] = 1;
}
