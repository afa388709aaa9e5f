// SPDX-License-Identifier: MIT
//: what: The honest twin: 200 threads while a kernel runs.
//: expect: tiny pass
#include "honest.h"
#include "threads.h"

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n > 0 && n < 9 && !threads_while_a_kernel_runs(200))
        return cudaErrorUnknown;
    return honest_scan(d_in, d_out, n);
}
