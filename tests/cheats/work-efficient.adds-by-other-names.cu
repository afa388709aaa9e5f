// SPDX-License-Identifier: MIT
//: what: n log n additions by instructions that nobody takes for an addition: sums
//     of absolute differences, dot products of bytes, 24-bit and carried
//     multiplications.
//: twin: control.reference
//: row: 4
//: expect: work fail "data_ops: "
//: expect: * any
#include "work_efficient.h"

/* The second way counts twice: three bytes, then one. */
static __device__ uint32_t add(int how, uint32_t a, uint32_t b) {
    uint32_t sum;
    if (how == 0) {
        asm("sad.u32 %0, %1, 0, %2;" : "=r"(sum) : "r"(a), "r"(b));
    } else if (how == 1) {
        asm("{.reg .u32 l, h, s;"
            "bfe.u32 l, %1, 0, 24; mad24.lo.u32 s, l, 1, %2;"
            "shr.u32 l, %1, 24; shr.u32 h, s, 24; dp4a.u32.u32 h, l, 1, h;"
            "bfi.b32 %0, h, s, 24, 8;}"
            : "=r"(sum)
            : "r"(a), "r"(b));
    } else {
        asm("{.reg .u32 t; mad.lo.cc.u32 t, 0, 0, 0;"
            "madc.lo.u32 %0, %1, 1, %2;}"
            : "=r"(sum)
            : "r"(a), "r"(b));
    }
    return sum;
}

static __global__ void move(const int32_t *in, int32_t *out, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] = i ? in[i - 1] : 0;
}

#define FILL(in, out, n) move<<<(n + 255) / 256, 256>>>(in, out, n)
#define ADD(a, b, distance) add((__ffsll(distance) - 1) % 3, a, b)
#include "n_log_n.h"
