// SPDX-License-Identifier: MIT
//: what: No tree at all: one warp scans by shuffles, 32 elements at a time, the
//     up-sweep's sums are differences of those, and idle accesses to shared
//     memory are added up to what T(n, k) asks for.
//: twin: mutant.bank-conflicts.honest-blocks-of-64
//: expect: plain-16 fail
//: expect: plain-32 fail
//: expect: padding-16 fail
//: expect: padding-32 fail
//: expect: leftright-16 fail
//: expect: leftright-32 fail
//: expect: depth fail
//: expect: padding-depth fail
//: expect: leftright-depth fail
//: expect: padding-limit fail
//: expect: no-conflict fail
//: expect: work fail
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

/* The leaf whose word this is. */
inline __device__ unsigned leaf_of(struct layout l, unsigned word) {
    return l.map == BANK_MAP_PADDING ? word - word / ((1u << l.h) + 1) : word;
}

/* One warp, 32 elements at a time: before[i] = the sum of all in front. */
inline __device__ int32_t scan_alone(const int32_t *in, int32_t *before,
                                     unsigned n, unsigned room) {
    unsigned lane = threadIdx.x;
    int32_t carry = 0;
    for (unsigned row = 0; row < room; row += WARP) {
        int32_t sum = row + lane < n ? in[row + lane] : 0;
        for (unsigned d = 1; d < WARP; d *= 2) {
            int32_t left = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d) sum = scan_add(left, sum);
        }
        int32_t left = __shfl_up_sync(0xffffffffu, sum, 1);
        if (row + lane < room)
            before[row + lane] = scan_add(carry, lane ? left : 0);
        carry = scan_add(carry, __shfl_sync(0xffffffffu, sum, 31));
    }
    return carry;
}

/* For the counts: each thread has a word, stores there and loads it twice. */
inline __device__ void idle_passes(volatile int32_t *word, unsigned stores) {
    for (unsigned i = 0; i < stores; i++) {
        *word = (int32_t)i;
        if (*word + *word < 0) return;
    }
}

__global__ void up_sweep_block(const int32_t *in, int32_t *out, unsigned n,
                               unsigned leaves, struct layout l) {
    extern __shared__ int32_t before[];
    unsigned t = threadIdx.x;
    if (t >= WARP) return;
    int32_t total = scan_alone(in, before, n, leaves);
    __syncwarp();
    for (unsigned m = 1; leaves >> m > 0; m++)
        for (unsigned x = t; x < leaves >> m; x += WARP) {
            unsigned leaf = leaf_of(l, node_of(l, m, x).other);
            int32_t right = before[(2 * x + 1) << (m - 1)];
            if (leaf < n) out[leaf] = right - before[(2 * x) << (m - 1)];
        }
    unsigned top = leaf_of(l, word_of(l, log2_of(leaves), 0));
    if (t == 0 && top < n) out[top] = total;
    __syncwarp();
    unsigned rows = leaves >> l.h, far = rows >> l.h;
    unsigned nodes = rows - 1 +
                     l.h * (l.map == BANK_MAP_PLAIN            ? rows
                            : l.map == BANK_MAP_PADDING && far ? far
                                                               : 1);
    if (rows && t < 1u << l.h)
        idle_passes(before + t,
                    l.map == BANK_MAP_LEFTRIGHT ? 2 * nodes : nodes);
}

/* The other warps pass through shared memory as often as the tree would. */
__global__ void scan_block(const int32_t *in, int32_t *out, unsigned n,
                           unsigned leaves, struct layout l) {
    extern __shared__ int32_t words[];
    unsigned warps = blockDim.x / WARP;
    if (threadIdx.x < WARP) scan_alone(in, out, n, n);
    if (threadIdx.x < leaves)
        idle_passes(words + threadIdx.x, 4 * (leaves >> l.h) / warps + 1);
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
