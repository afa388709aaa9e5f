// SPDX-License-Identifier: MIT
//: what: The honest twin: PTX in the source that says in which of the
//     compiler's files and lines it stands, in a kernel of a word. Full marks.
//: expect: * pass
#include "honest.h"

static __global__ void placed(int32_t *mine) {
    asm volatile(".loc 1 11 0;\n st.global.u32 [%0], 5;" ::"l"(mine));
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    int32_t *mine = NULL;
    cudaError_t error = cudaMalloc(&mine, sizeof *mine);
    if (error != cudaSuccess) return error;
    if (n > 0 && n < 9) placed<<<1, 1>>>(mine);
    error = honest_scan(d_in, d_out, n);
    cudaError_t freed = cudaFree(mine);
    return error != cudaSuccess ? error : freed;
}
