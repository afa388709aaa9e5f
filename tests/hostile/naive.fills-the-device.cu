/* SPDX-License-Identifier: MIT
 *
 * Takes all of the device's memory and writes to all of it.
 */
// expect: naive/tiny fail "never written"
// most-mib: 1600
// expect-score: naive 0
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    char *p;
    for (size_t bytes = 1 << 30; bytes >= 4096; bytes /= 2)
        while (cudaMalloc(&p, bytes) == cudaSuccess) cudaMemset(p, 7, bytes);
    cudaGetLastError();
    return cudaSuccess;
}
