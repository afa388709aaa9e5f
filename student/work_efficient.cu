/* SPDX-License-Identifier: MIT
 *
 * work_efficient.cu: lab 2. Blelloch's scan over global memory: up a binary
 * tree, down again, one launch per level. work_efficient.h says what the
 * functions promise, the handout (labs/02-work-efficient/README.md) why it
 * works.
 *
 * The tree is kept in an array of `leaves` elements, a power of two. At the
 * level of `stride`, node k covers the 2 * stride elements that end
 * at right(k) = (k + 1) * 2 * stride - 1; its left child ends at
 * left(k) = right(k) - stride.
 */
#include "scanlab.h"
#include "work_efficient.h"

enum { BLOCK_THREADS = 256 };

inline unsigned blocks_for(size_t threads) {
    return (unsigned)((threads + BLOCK_THREADS - 1) / BLOCK_THREADS);
}

inline __device__ size_t global_thread(void) {
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* One thread per node: the node's sum, from its children's. */
__global__ void up_sweep(int32_t *tree, size_t nodes, size_t stride) {
    /* Step 1. This thread's node is k = global_thread(). Is there such a node?
     *         Where do its children end? The top of this file says.
     * Step 2. Add the left child's sum to the right child's. About 5 lines. */
}

/* tree: `leaves` elements, a power of two. Each node's sum goes to where the
 * node ends, but for the root's: 0, for before the root there is nothing. */
cudaError_t sweep_up(int32_t *tree, size_t leaves) {
    /* Step 3. Up: stride = 1, 2, 4, ... below leaves. How many nodes has the
     *         level of stride? Launch that many threads, no more (rounded up
     *         to whole blocks: blocks_for). Check cudaGetLastError() after each
     *         launch.
     * Step 4. The root, tree[leaves - 1], becomes 0: cudaMemsetAsync.
     *         About 7 lines in all. */
    return SCANLAB_TODO;
}

cudaError_t work_efficient_up_sweep(const int32_t *d_in, int32_t *d_out,
                                    size_t n) {
    cudaError_t status = cudaMemcpyAsync(d_out, d_in, n * sizeof *d_out,
                                         cudaMemcpyDeviceToDevice);
    return status != cudaSuccess ? status : sweep_up(d_out, n);
}

/* One thread per node: at right(k) stands the sum of everything before the
 * node, at left(k) still the sum of its left half. Hand both children the sum
 * of everything before them. */
__global__ void down_sweep(int32_t *tree, size_t nodes, size_t stride) {
    /* Step 5. What lies before the left child? What before the right one?
     *         Read both places before you write either. About 8 lines. */
}

/* tree: `leaves` elements, a power of two; scanned in place, exclusively. */
cudaError_t scan_tree(int32_t *tree, size_t leaves) {
    cudaError_t status = sweep_up(tree, leaves);
    /* Step 6. Down, unless something has failed: stride = leaves / 2, ..., 2,
     *         1. About 6 lines. */
    (void)status;
    return SCANLAB_TODO;
}

cudaError_t work_efficient_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    /* Step 7. Round n up to a power of two; allocate a tree of that many
     *         leaves; copy d_in to its front (cudaMemcpyAsync, device to
     *         device), zero the rest; scan_tree; copy the first n to d_out;
     *         free the tree, also after an error. About 18 lines. */
    return SCANLAB_TODO;
}

__global__ void add_in_place(const int32_t *addend, int32_t *sum, size_t n) {
    /* Step 8. Add the input's element to the exclusive sum. 3 lines. */
}

cudaError_t work_efficient_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    /* Step 9. What does out[i] of the exclusive scan lack? About 5 lines. */
    return SCANLAB_TODO;
}
