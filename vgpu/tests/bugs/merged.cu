/* SPDX-License-Identifier: MIT
 *
 * merged.cu: a load that the compiler made of one in each branch has no line of
 * its own.
 */
//: case: merged-loads
//: run: --check all
//: expect: finding out-of-bounds at branch "code merged from several lines near"
#include "check.h"

__global__ void scale(const unsigned *in, unsigned *out, unsigned n) {
    unsigned i = threadIdx.x;
    if (i < n) { // BUG branch
        out[i] = in[i + 100] * 3;
    } else {
        unsigned v = in[i + 100];
        out[i + 1] = v + n;
    }
}

int main() {
    unsigned *in, *out;
    CHECK(cudaMalloc(&in, 256));
    CHECK(cudaMalloc(&out, 256));
    scale<<<1, 32>>>(in, out, 7);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
