/* SPDX-License-Identifier: MIT
 *
 * Does nothing and says that all is well.
 */
// expect: naive/tiny fail "n = 1:"
// expect-score: naive 0
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    return cudaSuccess;
}
