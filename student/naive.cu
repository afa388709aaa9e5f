/* SPDX-License-Identifier: MIT
 *
 * naive.cu: lab 1. The scan of Hillis and Steele, over global memory, one
 * launch per step. naive.h says what the functions promise, the handout
 * (labs/01-naive/README.md) why it works.
 */
#include "naive.h"
#include "scanlab.h"

enum { BLOCK_THREADS = 256 };

/* One step: src holds, at i, the sum of the `offset` elements that end at i
 * (fewer near the start); afterwards dst holds the sum of 2 * offset.
 * src and dst are different arrays of n elements. One thread per element. */
__global__ void hillis_steele_step(const int32_t *src, int32_t *dst, size_t n,
                                   size_t offset) {
    /* Step 1. Find this thread's element i from blockIdx, blockDim, threadIdx.
     * Step 2. The last block may reach beyond n: those threads do nothing.
     * Step 3. dst[i] is src[i] plus its neighbour `offset` to the left, if it
     *         has one. What if not? About 5 lines in all. */
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    /* Step 4. n = 0: nothing to do. n = 1: no step to take, yet d_out wants
     *         its element.
     * Step 5. Allocate a scratch array of n elements.
     * Step 6. One launch per step, offset = 1, 2, 4, ... while it is below n.
     *         The first reads d_in, each next one what the last one wrote; the
     *         last one must write d_out. Where, then, does the first write?
     *         Check cudaGetLastError() after each launch.
     * Step 7. Free the scratch array, also after an error. About 25 lines. */
    return SCANLAB_TODO;
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    /* Step 8. How does the exclusive result differ from the inclusive one? No
     * new kernel is needed. About 6 lines. */
    return SCANLAB_TODO;
}
