// SPDX-License-Identifier: MIT
//: what: No tree in shared memory: one thread has it in local memory, which no
//     count of banks sees, and makes as many idle passes in shared memory as
//     the formulas say.
//: twin: mutant.bank-conflicts.honest-blocks-of-64
//: expect: plain-16 fail "depth"
//: expect: plain-32 fail "depth"
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

enum { ROOM = BANK_MAX_N + BANK_MAX_N / 8 };

struct tree {
    int map;
    unsigned h, leaves; /* 2^h banks */
};

/* The word of node x of level m. */
static __host__ __device__ unsigned word_of(struct tree t, unsigned m,
                                            unsigned x) {
    unsigned last = ((x + 1) << m) - 1, k = (1u << t.h) - 1;
    if (t.map == BANK_MAP_PLAIN) return last;
    if (t.map == BANK_MAP_PADDING) return last + (last >> t.h);
    for (; m > t.h; m -= t.h) x = ((x << t.h) & ~k) + (x & k);
    unsigned low = x & k, turns = m % t.h;
    return ((x << m) & ~k) + ((low << turns | low >> (t.h - turns)) & k);
}

static struct tree tree_of(size_t n, int map, int banks) {
    struct tree t = {map, 0, 1};
    while (t.leaves < n) t.leaves *= 2;
    while (1 << t.h < banks) t.h++;
    return t;
}

static __global__ void words(const int32_t *in, int32_t *out, unsigned n,
                             struct tree t) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = (unsigned)in[i] & (2 * n - 1), m = 0;
    while (v > 0 && v << m < n) m++;
    out[i] = v                           ? (int)word_of(t, m, v - (n >> m))
             : t.map == BANK_MAP_PADDING ? (int)(n + (n >> t.h))
                                         : (int)n;
}

cudaError_t bank_index(const int32_t *d_in, int32_t *d_out, size_t n, int map,
                       int banks) {
    if (n == 0) return cudaSuccess;
    words<<<(unsigned)((n + 255) / 256), 256>>>(d_in, d_out, (unsigned)n,
                                                tree_of(n, map, banks));
    return cudaGetLastError();
}

static __device__ void idle_passes(unsigned stores) {
    if (!stores) return;
    extern __shared__ volatile int32_t idle[];
    idle[0] = 0;
    for (unsigned i = 1; i < stores; i++) idle[0] = idle[0] + 1;
}

static __device__ void up(int32_t *tree, struct tree t) {
    for (unsigned m = 1; t.leaves >> m; m++)
        for (unsigned x = 0; x < t.leaves >> m; x++) {
            unsigned l = word_of(t, m - 1, 2 * x), w = word_of(t, m, x),
                     r = word_of(t, m - 1, 2 * x + 1);
            int32_t left = tree[l], right = tree[r];
            tree[w == l ? r : l] = left;
            tree[w] = scan_add(left, right);
        }
}

static __device__ void take(int32_t *tree, const int32_t *in, unsigned n,
                            struct tree t) {
    for (unsigned i = 0; i < t.leaves; i++)
        tree[word_of(t, 0, i)] = i < n ? in[i] : 0;
}

static __global__ void up_alone(const int32_t *in, int32_t *out, unsigned n,
                                struct tree t, unsigned stores) {
    int32_t tree[ROOM];
    take(tree, in, n, t);
    up(tree, t);
    for (unsigned i = 0; i < n; i++) out[i] = tree[word_of(t, 0, i)];
    idle_passes(stores);
}

cudaError_t bank_up_sweep(const int32_t *d_in, int32_t *d_out, size_t n,
                          int map, int banks) {
    if (n > BANK_MAX_N) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    struct tree t = tree_of(n, map, banks);
    unsigned rows = t.leaves >> t.h, far = rows >> t.h;
    unsigned nodes = rows - 1 +
                     t.h * (map == BANK_MAP_PLAIN            ? rows
                            : map == BANK_MAP_PADDING && far ? far
                                                             : 1);
    unsigned stores = rows + (map == BANK_MAP_LEFTRIGHT ? 2 : 1) * nodes;
    up_alone<<<1, 1, 64>>>(d_in, d_out, (unsigned)n, t, rows ? stores : 0);
    return cudaGetLastError();
}

static __global__ void scan_alone(const int32_t *in, int32_t *out, unsigned n,
                                  struct tree t) {
    int32_t tree[ROOM], sum = 0;
    take(tree, in, n, t);
    up(tree, t);
    idle_passes(2 * (t.leaves >> t.h) + 2);
    for (unsigned i = 0; i < n; i++) {
        out[i] = sum;
        sum = scan_add(sum, in[i]);
    }
}

cudaError_t bank_scan(const int32_t *d_in, int32_t *d_out, size_t n, int map,
                      int banks) {
    if (n > BANK_MAX_N) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    scan_alone<<<1, 1, 64>>>(d_in, d_out, (unsigned)n, tree_of(n, map, banks));
    return cudaGetLastError();
}
