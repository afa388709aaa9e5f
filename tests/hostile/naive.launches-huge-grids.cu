/* SPDX-License-Identifier: MIT
 *
 * The largest grid there is, of blocks that do nothing.
 */
// expect: naive/tiny fail "did not return within"
// limit-ms: 4000
// most-mib: 300
// expect-score: naive 0
#include "naive.h"

static __global__ void nothing(void) {}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    nothing<<<dim3(2147483647, 65535, 65535), 1>>>();
    return cudaDeviceSynchronize();
}
