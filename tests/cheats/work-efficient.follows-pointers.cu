// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit, by a long chain of loads: where the carry is an
//     address, and bits of both say which of its four successors is next.
//: twin: cheat.work-efficient.honest-table
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#include <stdint.h>

struct node {
    const node *next;
    uint32_t sum;
    uint32_t unused;
};
static __device__ __align__(128) node nodes[2][4];

static __device__ uint32_t add(uint32_t a, uint32_t b) {
    uint32_t sum = 0;
    const node *at = nodes[0];
    for (int k = 0; k < 32; k++) {
        uint32_t bit;
        asm volatile("{.reg .u32 x, y, i; .reg .u64 p, w;"
                     "bfe.u32 x, %3, %5, 1; bfe.u32 y, %4, %5, 1;"
                     "bfi.b32 i, y, x, 1, 1; cvt.u64.u32 w, i;"
                     "bfi.b64 p, w, %2, 4, 2;"
                     "ld.global.u64 %0, [p]; ld.global.u32 %1, [p + 8];}"
                     : "=l"(at), "=r"(bit)
                     : "l"(at), "r"(a), "r"(b), "r"(k));
        asm("bfi.b32 %0, %1, %0, %2, 1;" : "+r"(sum) : "r"(bit), "r"(k));
    }
    return sum;
}

static __global__ void fill(const int32_t *in, int32_t *out, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] = i ? in[i - 1] : 0;
    for (unsigned k = 0; i == 0 && k < 8; k++) {
        unsigned all = __popc(k);
        nodes[k / 4][k % 4] = {nodes[all / 2], all % 2, 0};
    }
}
#define FILL(in, out, n) fill<<<(n + 255) / 256, 256>>>(in, out, n)
#define ADD(a, b, distance) add(a, b)
#include "n_log_n.h"
