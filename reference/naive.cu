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
#ifdef SOLUTION
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    /* An element with nothing `offset` to its left is finished, but it must
     * come along: the next step reads it from dst. */
    dst[i] = i < offset ? src[i] : scan_add(src[i - offset], src[i]);
#else
    /* Step 1. Find this thread's element i from blockIdx, blockDim, threadIdx.
     * Step 2. The last block may reach beyond n: those threads do nothing.
     * Step 3. dst[i] is src[i] plus its neighbour `offset` to the left, if it
     *         has one. What if not? About 5 lines in all. */
#endif
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
#ifdef SOLUTION
    if (n == 0) return cudaSuccess;
    size_t bytes = n * sizeof *d_out;
    if (n == 1)
        return cudaMemcpyAsync(d_out, d_in, bytes, cudaMemcpyDeviceToDevice);

    int32_t *scratch = NULL;
    cudaError_t status = cudaMalloc(&scratch, bytes);
    if (status != cudaSuccess) return status;

    unsigned blocks = (unsigned)((n + BLOCK_THREADS - 1) / BLOCK_THREADS);
    unsigned steps = 0; /* ceil(log2 n) */
    while ((size_t)1 << steps < n) steps++;

    /* The last step has to write d_out; counting back from there tells where
     * the first one writes. */
    const int32_t *src = d_in;
    int32_t *dst = steps % 2 == 1 ? d_out : scratch;
    for (unsigned k = 0; k < steps && status == cudaSuccess; k++) {
        hillis_steele_step<<<blocks, BLOCK_THREADS>>>(src, dst, n,
                                                      (size_t)1 << k);
        status = cudaGetLastError();
        src = dst;
        dst = dst == d_out ? scratch : d_out;
    }
    cudaError_t freed = cudaFree(scratch); /* waits for the last step */
    return status != cudaSuccess ? status : freed;
#else
    /* Step 4. n = 0: nothing to do. n = 1: no step to take, yet d_out wants
     *         its element.
     * Step 5. Allocate a scratch array of n elements.
     * Step 6. One launch per step, offset = 1, 2, 4, ... while it is below n.
     *         The first reads d_in, each next one what the last one wrote; the
     *         last one must write d_out. Where, then, does the first write?
     *         Check cudaGetLastError() after each launch.
     * Step 7. Free the scratch array, also after an error. About 25 lines. */
    return SCANLAB_TODO;
#endif
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
#ifdef SOLUTION
    if (n == 0) return cudaSuccess;
    /* The inclusive scan of all but the last element, one place further on. */
    cudaError_t status = cudaMemsetAsync(d_out, 0, sizeof *d_out);
    if (status != cudaSuccess) return status;
    return naive_inclusive_scan(d_in, d_out + 1, n - 1);
#else
    /* Step 8. How does the exclusive result differ from the inclusive one? No
     * new kernel is needed. About 6 lines. */
    return SCANLAB_TODO;
#endif
}
