// SPDX-License-Identifier: MIT
//: what: at most 64 threads have elements: each adds up its piece of the
//     leaves in registers, the sums of the pieces are a tree in shared memory
//     under the map, then each thread scans its piece; the up-sweep is as asked
//: kind: honest
//: group: seen
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
    return ((x + 1) << m) - 1;
}

inline __device__ unsigned padding_word(unsigned h, unsigned m, unsigned x) {
    unsigned last = plain_word(m, x);
    return last + (last >> h);
}

inline __device__ unsigned leftright_word(unsigned h, unsigned m, unsigned x) {
    unsigned low = (1u << h) - 1;
    /* After h levels the rotation has come round and the offset is x's own. */
    for (; m > h; m -= h) x = (x << h) + (x & low);
    unsigned base = (x << m) & ~low;
    unsigned offset = ((x & low) << m | (x & low) >> (h - m)) & low;
    return base + offset;
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
    if (n > BANK_MAX_N) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    struct layout l = {map, log2_of((unsigned)banks)};
    unsigned blocks = ((unsigned)n + MOST_THREADS - 1) / MOST_THREADS;
    node_words<<<blocks, MOST_THREADS>>>(d_in, d_out, (unsigned)n, l);
    return cudaGetLastError();
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
    for (unsigned m = 1; leaves >> m > 0; m++) {
        __syncthreads(); /* the level below is complete */
        for (unsigned x = threadIdx.x; x < leaves >> m; x += blockDim.x) {
            struct node node = node_of(l, m, x);
            int32_t here = tree[node.sum], there = tree[node.other];
            tree[node.sum] = scan_add(here, there);
            /* On the way down we want to know the left half's sum. */
            if (node.at_left) tree[node.other] = here;
        }
    }
}

/* Likewise; the root's word already holds 0. */
inline __device__ void down_sweep(int32_t *tree, unsigned leaves,
                                  struct layout l) {
    for (unsigned m = 31u - (unsigned)__clz((int)leaves); m > 0; m--) {
        __syncthreads(); /* the level above is complete */
        for (unsigned x = threadIdx.x; x < leaves >> m; x += blockDim.x) {
            struct node node = node_of(l, m, x);
            int32_t before = tree[node.sum], left_sum = tree[node.other];
            int32_t middle = scan_add(before, left_sum);
            tree[node.sum] = node.at_left ? before : middle;
            tree[node.other] = node.at_left ? middle : before;
        }
    }
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

/* As many leaves of the tree as threads. */
__global__ void scan_block(const int32_t *in, int32_t *out, unsigned n,
                           unsigned leaves, struct layout l) {
    extern __shared__ int32_t tree[];
    unsigned pieces = leaves < 64 ? leaves : 64;
    if (pieces > blockDim.x) pieces = blockDim.x;
    unsigned size = leaves / pieces;
    unsigned begin = threadIdx.x * size;
    int32_t sum = 0;
    if (threadIdx.x < pieces) {
        for (unsigned i = begin; i < begin + size && i < n; i++)
            sum = scan_add(sum, in[i]);
        tree[word_of(l, 0, threadIdx.x)] = sum;
    }
    up_sweep(tree, pieces, l);
    __syncthreads();
    if (threadIdx.x == 0)
        tree[word_of(l, 31u - (unsigned)__clz((int)pieces), 0)] = 0;
    down_sweep(tree, pieces, l);
    __syncthreads();
    if (threadIdx.x >= pieces) return;
    sum = tree[word_of(l, 0, threadIdx.x)];
    for (unsigned i = begin; i < begin + size && i < n; i++) {
        out[i] = sum;
        sum = scan_add(sum, in[i]);
    }
}

typedef void block_kernel(const int32_t *, int32_t *, unsigned, unsigned,
                          struct layout);

cudaError_t launch_block(block_kernel *kernel, const int32_t *d_in,
                         int32_t *d_out, size_t n, int map, int banks) {
    if (n > BANK_MAX_N) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    struct layout l = {map, log2_of((unsigned)banks)};
    unsigned leaves = 1;
    while (leaves < n) leaves *= 2;
    unsigned threads = leaves / 2 < MOST_THREADS ? leaves / 2 : MOST_THREADS;
    if (threads < WARP) threads = WARP;
    size_t bytes = words_for(leaves, l) * sizeof *d_in;
    kernel<<<1, threads, bytes>>>(d_in, d_out, (unsigned)n, leaves, l);
    return cudaGetLastError();
}

cudaError_t bank_up_sweep(const int32_t *d_in, int32_t *d_out, size_t n,
                          int map, int banks) {
    return launch_block(up_sweep_block, d_in, d_out, n, map, banks);
}

cudaError_t bank_scan(const int32_t *d_in, int32_t *d_out, size_t n, int map,
                      int banks) {
    return launch_block(scan_block, d_in, d_out, n, map, banks);
}
