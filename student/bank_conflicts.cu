/* SPDX-License-Identifier: MIT
 *
 * bank_conflicts.cu: lab 3. Blelloch's scan of one block in shared memory,
 * under three maps from the nodes of the tree to words. bank_conflicts.h says
 * what the functions promise, the handout (labs/03-bank-conflicts/README.md)
 * why it works.
 *
 * How to read this: first the maps; then the sweeps, which are the same for
 * every map; then the kernels and what launches them. Steps 1 to 7 are the
 * scan under the plain map, 8 adds Padding, 9 to 11 LeftRight.
 */
#include "bank_conflicts.h"
#include "scanlab.h"

enum { WARP = 32, MOST_THREADS = 512 };

/* Which map, for 2^h banks. */
struct layout {
    int map;
    unsigned h;
};

inline __host__ __device__ unsigned log2_of(unsigned power_of_two) {
    unsigned log2 = 0;
    while (power_of_two >> log2 > 1) log2++;
    return log2;
}

/* ---- the maps: the word of node x of level m ---- */

inline __device__ unsigned plain_word(unsigned m, unsigned x) {
    /* Step 1. The last of the 2^m leaves that the node covers. 1 line. */
    return 0;
}

inline __device__ unsigned padding_word(unsigned h, unsigned m, unsigned x) {
    /* Step 8. Where the plain map puts it, and one word further for every
     *         2^h words before that. 2 lines. */
    return 0;
}

inline __device__ unsigned leftright_word(unsigned h, unsigned m, unsigned x) {
    /* Step 9. RST_h(x * 2^m): x * 2^m with its h lowest bits cleared. Plus
     *         ROT_h^m(x): the h lowest bits of x, rotated left m times. m may
     *         be more than h; h turns change nothing.
     * Step 10. For m > h: take the word of level h for a new x, and m - h for
     *          a new m, until m <= h. About 5 lines in all. */
    return 0;
}

inline __device__ unsigned word_of(struct layout l, unsigned m, unsigned x) {
    if (l.map == BANK_MAP_LEFTRIGHT) return leftright_word(l.h, m, x);
    if (l.map == BANK_MAP_PADDING) return padding_word(l.h, m, x);
    return plain_word(m, x);
}

/* Words of shared memory for a tree. */
inline __host__ __device__ unsigned words_for(unsigned leaves,
                                              struct layout l) {
    return l.map == BANK_MAP_PADDING ? leaves + (leaves >> l.h) : leaves;
}

/* One thread per node number, counted from the root (bank_conflicts.h). */
__global__ void node_words(const int32_t *node, int32_t *word, unsigned n,
                           struct layout l) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = (unsigned)node[i] & (2 * n - 1), m = 0;
    while (v > 0 && v << m < n) m++; /* v << m: its first leaf's number */
    word[i] = (int32_t)(v ? word_of(l, m, v - (n >> m)) : words_for(n, l));
}

cudaError_t bank_index(const int32_t *d_in, int32_t *d_out, size_t n, int map,
                       int banks) {
    /* Step 2. Make a layout, launch node_words with a thread per element.
     *         About 7 lines. */
    return SCANLAB_TODO;
}

/* ---- the sweeps ---- */

/* Node x of level m, level 1 or higher: where its sum lives, which is in the
 * place of one of its children, and where the other child lives. */
struct node {
    unsigned sum, other;
    bool at_left; /* sum is in the left child's place */
};

inline __device__ struct node node_of(struct layout l, unsigned m, unsigned x) {
    struct node node;
    unsigned left = word_of(l, m - 1, 2 * x);
    unsigned right = word_of(l, m - 1, 2 * x + 1);
    node.sum = word_of(l, m, x);
    node.at_left = node.sum == left;
    node.other = node.at_left ? right : left;
    return node;
}

/* All threads of the block. Ends with the sums made, not yet with a barrier. */
inline __device__ void up_sweep(int32_t *tree, unsigned leaves,
                                struct layout l) {
    /* Step 3. Level by level, m = 1, 2, ...; leaves >> m nodes each, node x
     *         for thread x (and x + blockDim.x, ...). The node's word gets
     *         the sum of both children.
     *         Read what is at node.sum first, then what is at node.other, in
     *         this order for all maps: the handout ("Which child first?").
     * Step 11. Whose value is left in node.other? If it is the right child's,
     *          store the left child's there. About 10 lines in all. */
}

/* Likewise; the root's word already holds 0. */
inline __device__ void down_sweep(int32_t *tree, unsigned leaves,
                                  struct layout l) {
    /* Step 5. From the root's level to level 1. node.sum holds what lies
     *         before the node, node.other the sum of its left half. The left
     *         child gets the one, the right child both together; which of
     *         them lives at node.sum? About 10 lines. */
}

/* ---- the kernels: one block ---- */

/* Consecutive threads store consecutive leaves. */
inline __device__ void load_leaves(int32_t *tree, const int32_t *in, unsigned n,
                                   unsigned leaves, struct layout l) {
    for (unsigned i = threadIdx.x; i < leaves; i += blockDim.x)
        tree[word_of(l, 0, i)] = i < n ? in[i] : 0;
}

inline __device__ void store_leaves(int32_t *out, const int32_t *tree,
                                    unsigned n, struct layout l) {
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = tree[word_of(l, 0, i)];
}

__global__ void up_sweep_block(const int32_t *in, int32_t *out, unsigned n,
                               unsigned leaves, struct layout l) {
    extern __shared__ int32_t tree[];
    load_leaves(tree, in, n, leaves, l);
    up_sweep(tree, leaves, l);
    __syncthreads();
    store_leaves(out, tree, n, l);
}

__global__ void scan_block(const int32_t *in, int32_t *out, unsigned n,
                           unsigned leaves, struct layout l) {
    extern __shared__ int32_t tree[];
    /* Step 6. As up_sweep_block, with two things between the sweep and the
     *         last barrier: before the root there is nothing; then down.
     *         Which thread has just made the root? About 8 lines. */
}

typedef void block_kernel(const int32_t *, int32_t *, unsigned, unsigned,
                          struct layout);

cudaError_t launch_block(block_kernel *kernel, const int32_t *d_in,
                         int32_t *d_out, size_t n, int map, int banks) {
    /* Step 4. n > BANK_MAX_N: refused. Else n' leaves; one block of n' / 2
     *         threads, WARP to MOST_THREADS; words_for(...) words of shared
     *         memory, third argument in <<< >>>, in bytes. About 10 lines. */
    return SCANLAB_TODO;
}

cudaError_t bank_up_sweep(const int32_t *d_in, int32_t *d_out, size_t n,
                          int map, int banks) {
    return launch_block(up_sweep_block, d_in, d_out, n, map, banks);
}

cudaError_t bank_scan(const int32_t *d_in, int32_t *d_out, size_t n, int map,
                      int banks) {
    /* Step 7. As bank_up_sweep, with the other kernel. 1 line. */
    return SCANLAB_TODO;
}
