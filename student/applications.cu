/* SPDX-License-Identifier: MIT
 *
 * applications.cu: lab 8. What scan is for: selecting, partitioning, encoding
 * runs, reducing by key, sorting. applications.h says what the functions
 * promise, the handout (labs/08-applications/README.md) why it works.
 *
 * How to read it: one scan serves all (scan_parts: decoupled look-back, as in
 * lab 6). It scans pairs, a count and a sum. Selection counts what is kept,
 * the plain sum uses the sum alone, runs use both. Sorting looks back once per
 * digit value.
 */
#include "applications.h"
#include "scanlab.h"

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    ITEMS = 15, /* per thread; odd: ITEMS * thread has no bank conflicts */
    TILE = THREADS * ITEMS,
    DIGIT_BITS = 8,
    DIGITS = 1 << DIGIT_BITS, /* as many as THREADS: one thread each */
    PASSES = 32 / DIGIT_BITS
};
#define ALL_LANES 0xffffffffu

inline unsigned tiles_for(size_t n) {
    return (unsigned)((n + TILE - 1) / TILE);
}

/* ---- parts: what is scanned ---- */

/* Of a stretch of elements: how many were counted, and the sum of those behind
 * the last counted one (of all, if none was). {0, 0}: of no element. */
struct part {
    uint32_t count, sum;
};

/* The part of two neighbouring stretches; a is the earlier one. */
inline __device__ struct part combine(struct part a, struct part b) {
    /* Counts and plain sums, enough for steps 1 to 8.
     * Step 9. A counted element in b ends what was summed up before it. */
    struct part both = {a.count + b.count, a.sum + b.sum};
    return both;
}

inline __device__ struct part shuffle_up(struct part p, unsigned lanes) {
    p.count = __shfl_up_sync(ALL_LANES, p.count, lanes);
    p.sum = __shfl_up_sync(ALL_LANES, p.sum, lanes);
    return p;
}

inline __device__ struct part shuffle_down(struct part p, unsigned lanes) {
    p.count = __shfl_down_sync(ALL_LANES, p.count, lanes);
    p.sum = __shfl_down_sync(ALL_LANES, p.sum, lanes);
    return p;
}

/* One part per thread: returns what comes before the thread in its block.
 * total: of the whole block. All threads call it, at most once in a kernel. */
__device__ struct part block_scan(struct part own, struct part *total) {
    struct part before = {0, 0};
    *total = before;
    /* Step 2. Scan the parts of the warp (shuffle_up by 1, 2, 4, 8, 16; the
     *         earlier part is combine's first argument), put each warp's total
     *         into shared memory, add up those of the warps before yours.
     *         About 15 lines. */
    return before;
}

/* ---- the chain of tiles ---- */

/* chain[0] is the counter that hands out tiles, chain[1 + t] the word of tile
 * t: state, count and sum in one, so that nobody sees half of it. */
enum { NOT_YET, AGGREGATE, PREFIX }; /* AGGREGATE: of the tile alone */

inline __device__ uint64_t pack(unsigned state, struct part p) {
    return (uint64_t)state << 62 | (uint64_t)p.count << 32 | p.sum;
}

inline __device__ unsigned state_of(uint64_t word) {
    return (unsigned)(word >> 62);
}

inline __device__ struct part unpack(uint64_t word) {
    struct part p = {(uint32_t)(word >> 32) & 0x3fffffff, (uint32_t)word};
    return p;
}

/* Release and acquire: who sees the word knows that all the block read and
 * wrote before is done. Selecting in place rests on it. */
inline __device__ void publish(uint64_t *word, unsigned state, struct part p) {
    __nv_atomic_store_n(word, pack(state, p), __NV_ATOMIC_RELEASE,
                        __NV_THREAD_SCOPE_DEVICE);
}

inline __device__ uint64_t wait_for(uint64_t *word) {
    uint64_t seen;
    do
        seen = __nv_atomic_load_n(word, __NV_ATOMIC_ACQUIRE,
                                  __NV_THREAD_SCOPE_DEVICE);
    while (state_of(seen) == NOT_YET);
    return seen;
}

/* The next tile nobody works on. blockIdx would not do: a block may wait only
 * for tiles that somebody has begun. */
inline __device__ unsigned take_tile(void *chain) {
    __shared__ unsigned tile;
    if (threadIdx.x == 0) tile = atomicAdd((unsigned *)chain, 1u);
    __syncthreads();
    return tile;
}

/* Called by one warp: all that comes before the tile; right in lane 0. */
__device__ struct part look_back(uint64_t *words, unsigned tile) {
    struct part behind = {0, 0}; /* between the window and the tile */
    /* Step 3. Lane l waits for the word of tile - 1 - l. Combine the words up
     *         to and with the nearest PREFIX, older ones first; while there is
     *         none, go on with the 32 tiles before. Before tile 0 there is
     *         nothing. Or start with one lane and one tile at a time.
     *         About 18 lines. */
    return behind;
}

/* What comes before the thread, before the tile, and the tile itself. */
struct place {
    struct part thread, tile, own;
};

/* The scan of all threads' parts, over all tiles. */
__device__ struct place scan_parts(struct part own, unsigned tile,
                                   uint64_t *chain) {
    struct place place = {};
    /* Step 4. block_scan; publish the tile's AGGREGATE; one warp looks back;
     *         publish the PREFIX; tell the block through shared memory.
     *         About 14 lines. */
    return place;
}

/* Scratch for a chain over n elements, all zero. */
cudaError_t chain_new(size_t n, uint64_t **chain) {
    size_t bytes = (1 + tiles_for(n)) * sizeof **chain;
    cudaError_t status = cudaMalloc(chain, bytes);
    return status != cudaSuccess ? status : cudaMemsetAsync(*chain, 0, bytes);
}

/* Frees it. n_out: the count of all n elements, from the last tile's prefix;
 * NULL: not wanted. Returns status, or what went wrong here. */
cudaError_t chain_end(uint64_t *chain, size_t n, cudaError_t status,
                      size_t *n_out) {
    uint64_t last = 0;
    if (status == cudaSuccess && n_out != NULL) {
        status = cudaMemcpy(&last, chain + tiles_for(n), sizeof last,
                            cudaMemcpyDeviceToHost);
        *n_out = last >> 32 & 0x3fffffff;
    }
    cudaError_t freed = cudaFree(chain);
    return status != cudaSuccess ? status : freed;
}

/* ---- tiles in shared memory ---- */

/* Neighbouring threads load neighbouring elements; afterwards each thread may
 * take any. size: elements of the tile that there are. */
inline __device__ void load_tile(int32_t *items, const int32_t *in,
                                 unsigned size) {
#pragma unroll
    for (unsigned i = threadIdx.x; i < TILE; i += THREADS)
        if (i < size) items[i] = in[i];
}

inline __device__ void store_tile(int32_t *out, const int32_t *items,
                                  unsigned size) {
    for (unsigned i = threadIdx.x; i < size; i += THREADS) out[i] = items[i];
}

inline __device__ unsigned tile_size(size_t n, unsigned tile) {
    return (unsigned)min((size_t)TILE, n - (size_t)tile * TILE);
}

/* ---- selection in three launches ---- */

__global__ void flag_less(const int32_t *in, int32_t *flags, size_t n,
                          int32_t pivot) {
    /* Step 1. Block b has the TILE elements from b * TILE on. Neighbouring
     *         threads take neighbouring elements. About 3 lines. */
}

cudaError_t apps_flag_less(const int32_t *d_in, int32_t *d_flags, size_t n,
                           int32_t pivot) {
    /* Step 1, continued: the launch. 3 lines. */
    return SCANLAB_TODO;
}

__global__ void exclusive_sum(const int32_t *in, int32_t *out, size_t n,
                              uint64_t *chain) {
    /* Step 5. take_tile; load_tile; thread t sums items t * ITEMS and on;
     *         scan_parts; the exclusive sums replace the items; store_tile.
     *         Where does one thread read what another wrote? About 18 lines. */
}

cudaError_t apps_exclusive_sum(const int32_t *d_in, int32_t *d_out, size_t n) {
    /* Step 5, continued: chain_new, the launch, chain_end. About 8 lines. */
    return SCANLAB_TODO;
}

__global__ void scatter(const int32_t *in, const int32_t *flags,
                        const int32_t *positions, int32_t *out, size_t n) {
    /* Step 6. A kept element goes to its position. About 3 lines. */
}

cudaError_t apps_select_staged(const int32_t *d_in, int32_t *d_out, size_t n,
                               int32_t pivot, size_t *n_out) {
    /* Step 6, continued. Scratch for flags and positions; the three launches.
     *         How many are kept: what do the last flag and the last position
     *         say? About 20 lines. */
    return SCANLAB_TODO;
}

/* ---- selection and partition in one launch ---- */

/* in may be out, unless the rest is wanted, too. */
__global__ void compact_less(const int32_t *in, int32_t *out, size_t n,
                             int32_t pivot, bool keep_rest, uint64_t *chain) {
    /* Step 7. As exclusive_sum, but count the elements to keep, and hold the
     *         thread's elements in registers: after scan_parts, items is where
     *         the tile's kept elements are put side by side. Then store them
     *         behind those of the tiles before. About 22 lines.
     * Step 8. keep_rest: how many of the rest come before element i? Put them
     *         at the end of items, backwards. Where in out do they go?
     *         About 7 lines. */
}

cudaError_t compact(const int32_t *d_in, int32_t *d_out, size_t n,
                    int32_t pivot, bool keep_rest, size_t *n_out) {
    /* Step 7, continued: chain_new, the launch, chain_end. About 10 lines. */
    return SCANLAB_TODO;
}

cudaError_t apps_select_less(const int32_t *d_in, int32_t *d_out, size_t n,
                             int32_t pivot, size_t *n_out) {
    return compact(d_in, d_out, n, pivot, false, n_out);
}

cudaError_t apps_partition_less(const int32_t *d_in, int32_t *d_out, size_t n,
                                int32_t pivot, size_t *n_out) {
    /* Step 8, continued. 1 line. */
    return SCANLAB_TODO;
}

/* ---- runs ---- */

/* The last element of a run is the one that counts: it carries key and sum of
 * the run to their place. values NULL: every value is 1. */
__global__ void reduce_runs(const int32_t *keys, const int32_t *values,
                            int32_t *keys_out, int32_t *sums, size_t n,
                            uint64_t *chain) {
    /* Step 10. Which elements are the last of their run? The tile's last one
     *          needs to see one key more. The part of such an element is
     *          {1, 0}, of any other {0, its value}. Scan. What comes before
     *          the last element of a run says where the run goes and, with the
     *          element's own value, what it sums up to. About 35 lines.
     * Step 11. values that are not NULL. About 2 lines. */
}

cudaError_t apps_reduce_by_key(const int32_t *d_keys, const int32_t *d_values,
                               int32_t *d_keys_out, int32_t *d_sums, size_t n,
                               size_t *n_out) {
    /* Step 11, continued. About 10 lines. */
    return SCANLAB_TODO;
}

/* A reduction by key in which every value is 1. */
cudaError_t apps_run_length_encode(const int32_t *d_in, int32_t *d_unique,
                                   int32_t *d_counts, size_t n, size_t *n_out) {
    /* Step 10, continued. About 10 lines. */
    return SCANLAB_TODO;
}

/* ---- sorting ---- */

inline __device__ unsigned digit_of(uint32_t key, unsigned bit) {
    return key >> bit & (DIGITS - 1);
}

/* counts[pass][digit] += how many keys have it, for all passes at once. The
 * first pass's digit begins at `bit`. */
__global__ void count_digits(const uint32_t *keys, size_t n, unsigned bit,
                             unsigned passes, uint32_t *counts) {
    /* Step 12. A table of counts in shared memory, cleared, filled with
     *          atomicAdd, then added to the one in global memory.
     *          About 15 lines. */
}

/* The chain of a pass: [0] hands out tiles; then a row of DIGITS words for
 * "before tile 0", then one for each tile. A word has its state in the upper
 * two bits, below it a count. It says all by itself, so relaxed will do. */
inline __host__ __device__ size_t digit_chain_words(size_t n) {
    return 1 + (1 + (n + TILE - 1) / TILE) * DIGITS;
}

inline __device__ void publish_count(uint32_t *word, unsigned state,
                                     uint32_t count) {
    __nv_atomic_store_n(word, state << 30 | count, __NV_ATOMIC_RELAXED,
                        __NV_THREAD_SCOPE_DEVICE);
}

inline __device__ uint32_t wait_for_count(uint32_t *word) {
    uint32_t seen;
    do
        seen = __nv_atomic_load_n(word, __NV_ATOMIC_RELAXED,
                                  __NV_THREAD_SCOPE_DEVICE);
    while (seen >> 30 == NOT_YET);
    return seen;
}

/* One block per pass: before tile 0 come all keys with a smaller digit. */
__global__ void place_digits(const uint32_t *counts, uint32_t *chains,
                             size_t chain_words) {
    /* Step 13. An exclusive scan of this pass's counts; each is published as
     *          the PREFIX of row 0. About 4 lines. */
}

/* How many keys of this thread's digit come before the tile, counting from the
 * start of the output; count: how many are in it. */
__device__ uint32_t look_back_digit(uint32_t *chain, unsigned tile,
                                    uint32_t count) {
    uint32_t before = 0;
    /* Step 14. One thread per digit, one tile at a time. Row 0 always holds a
     *          PREFIX. About 8 lines. */
    return before;
}

/* Moves keys (and values, unless NULL) to where the digit from `bit` on wants
 * them. Stable. */
__global__ void sort_pass(const uint32_t *keys, const uint32_t *values,
                          uint32_t *keys_out, uint32_t *values_out, size_t n,
                          unsigned bit, uint32_t *chain) {
    /* Step 15. The place of a key is the number of keys with a smaller digit,
     *          plus those with the same digit before it: in tiles before
     *          (look_back_digit), in warps before, in rounds before, in lanes
     *          before (__match_any_sync). About 50 lines.
     * Step 17. values that are not NULL go to the same place. 2 lines. */
}

/* Sorts by `passes` digits from `bit` on; 1 or an even number of them. */
cudaError_t sort_digits(const uint32_t *d_keys, const uint32_t *d_values,
                        uint32_t *d_keys_out, uint32_t *d_values_out, size_t n,
                        unsigned bit, unsigned passes) {
    /* Step 15, continued. For one pass: scratch for counts and chain, cleared;
     *         count_digits, place_digits, sort_pass. About 18 lines.
     * Step 16. All passes, lowest digit first, each with a chain of its own. A
     *         second array to go back and forth; the last pass writes to the
     *         output. About 12 lines. */
    return SCANLAB_TODO;
}

cudaError_t apps_sort_digit(const uint32_t *d_in, uint32_t *d_out, size_t n,
                            int bit) {
    return sort_digits(d_in, NULL, d_out, NULL, n, (unsigned)bit, 1);
}

cudaError_t apps_sort_u32(const uint32_t *d_in, uint32_t *d_out, size_t n) {
    /* Step 16, continued. 1 line. */
    return SCANLAB_TODO;
}

cudaError_t apps_sort_pairs_u32(const uint32_t *d_keys,
                                const uint32_t *d_values, uint32_t *d_keys_out,
                                uint32_t *d_values_out, size_t n) {
    /* Step 17, continued. 1 line. */
    return SCANLAB_TODO;
}
