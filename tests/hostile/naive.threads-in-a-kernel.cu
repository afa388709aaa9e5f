// SPDX-License-Identifier: MIT
//: what: Starts 300 threads while a kernel runs, and has ended them when the
//     kernel's call returns.
//: twin: hostile.naive.honest-threads-in-a-kernel
//: expect: tiny fail "more than 256 threads"
#include "honest.h"
#include "threads.h"

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n > 0 && n < 9) threads_while_a_kernel_runs(300);
    return honest_scan(d_in, d_out, n);
}
