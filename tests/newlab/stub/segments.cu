// SPDX-License-Identifier: MIT
// expect: segments/correct fail "segment_scan is not implemented yet"
// expect: segments/clean skip
// expect: segments/launches skip
// expect-score: segments 0
#include "scanlab.h"
#include "segments.h"

cudaError_t segment_scan(const int32_t *d_in, int32_t *d_out, size_t n) {
    (void)d_in, (void)d_out, (void)n;
    return SCANLAB_TODO;
}
