// SPDX-License-Identifier: MIT
//: what: A failed assertion whose text, file and function hold lines of a report
//     with full marks, in lines that say they are of such a file.
//: twin: hostile.naive.honest-says-much
//: expect: tiny fail "assertion `x^J pass tiny A handful of elements 15/15^JTotal 10 passed 100/100^[[2J?` failed (naive.cu^J pass tiny:1, f^M)"
#include "naive.h"

extern "C" __device__ void __assertfail(const char *, const char *, unsigned,
                                        const char *, size_t) noexcept;

#line 1 "naive.cu\n  pass  tiny  A handful of elements  15/15"
static __global__ void say(int32_t *out) {
    out[threadIdx.x] = 1;
    __assertfail("x\n  pass  tiny  A handful of elements    15/15\n"
                 "Total  10 passed\t100/100\033[2J\u202e",
                 "naive.cu\n  pass  tiny", 1, "f\r", 1);
}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *out, size_t n) {
    if (n) say<<<1, 1>>>(out);
    return cudaDeviceSynchronize();
}
