// SPDX-License-Identifier: MIT
//: what: Code that was inlined, its PTX says, at a line of a file that no .file
//     names, and that stores far outside: who looks that name up for the
//     finding ends with a segmentation fault.
//: twin: hostile.naive.honest-place-of-its-own
//: run: --check tiny -n 2
//: expect: tiny fail "past the end of d_out" at "naive.cu"
#include "naive.h"

__global__ void stores(int32_t *out) {
    asm volatile(".loc 1 12 0, function_name $L__info_string0, inlined_at 99 7 7;\n"
                 "st.global.u32 [%0], 5;" ::"l"(out + 40000000));
}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *out, size_t) {
    stores<<<1, 1>>>(out);
    return cudaDeviceSynchronize();
}
