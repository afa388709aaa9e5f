/* SPDX-License-Identifier: MIT
 *
 * cpu_scan.c: lab 0. Scans and compaction on the CPU, in the order in which
 * the handout (labs/00-cpu-scan/README.md) asks for them: serial scans first,
 * then compaction, then threads. cpu_scan.h says what each function promises.
 */
#include "cpu_scan.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "parallel.h"
#include "scanlab.h"

/* ---- part 1: serial scans ---- */

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    /* Step 1. Keep a running sum; out[i] is the sum after in[i] was added.
     * scan_add(a, b) adds without overflow trouble. About 5 lines; return 0. */
    (void)in, (void)out, (void)n; /* delete this line, here and below */
    return SCANLAB_TODO;
}

int cpu_exclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    /* Step 2. Now out[i] is the sum before in[i] is added. in and out may be
     * the same array: which of them must come first? About 6 lines. */
    (void)in, (void)out, (void)n;
    return SCANLAB_TODO;
}

/* ---- part 2: compaction ---- */

int cpu_compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out) {
    /* Step 3. Copy what is not zero; count what you copied. About 6 lines. */
    (void)in, (void)out, (void)n, (void)n_out;
    return SCANLAB_TODO;
}

int cpu_compact_with_scan(const int32_t *in, int32_t *out, size_t n,
                          size_t *n_out) {
    /* Step 4a. Map: an array of flags, 1 where in[i] is kept, else 0.
     * Step 4b. Scan: cpu_exclusive_scan of the flags. What does the result
     *          tell an element that is kept?
     * Step 4c. Scatter: each kept element goes where the scan says.
     * Step 4d. How many were kept? The last flag and the last sum know.
     * About 20 lines with malloc and free; mind n = 0. */
    (void)in, (void)out, (void)n, (void)n_out;
    return SCANLAB_TODO;
}

/* ---- part 3: two passes on several threads ---- */

/* What the threads share. Thread t owns the chunk [chunk_begin(t),
 * chunk_begin(t + 1)) of the elements, and sums[t]. */
struct two_pass {
    const int32_t *in;
    int32_t *out;
    size_t n;
    int threads;
    int32_t *sums; /* first each chunk's sum, then the sum before the chunk */
};

/* Where the chunk of thread t begins: chunks differ by at most one element,
 * chunk 0 begins at 0, chunk `threads` (not there) at n. */
static inline size_t chunk_begin(const struct two_pass *job, int t) {
    size_t size = job->n / (size_t)job->threads;
    size_t longer = job->n % (size_t)job->threads; /* so many have one more */
    size_t index = (size_t)t;
    return index * size + (index < longer ? index : longer);
}

static void reduce_chunk(void *context, int t) {
    /* Step 5a. job->sums[t] = the sum of the elements of chunk t. 4 lines. */
    const struct two_pass *job = context;
    (void)job, (void)t, (void)chunk_begin;
}

static void scan_chunk(void *context, int t) {
    /* Step 5b. Inclusive scan of chunk t that starts from job->sums[t], which
     * by now is the sum of all chunks before t. 5 lines. */
    const struct two_pass *job = context;
    (void)job, (void)t;
}

int cpu_threaded_scan(const int32_t *in, int32_t *out, size_t n, int threads) {
    /* Step 5c. Allocate sums and fill a struct two_pass; then
     *   parallel_run(threads, reduce_chunk, &job)      all chunks at once
     *   an exclusive scan of sums, in place            a few elements: serial
     *   parallel_run(threads, scan_chunk, &job)        all chunks at once
     * Check what each returns, free sums. About 12 lines. */
    (void)in, (void)out, (void)n, (void)threads;
    (void)reduce_chunk, (void)scan_chunk;
    return SCANLAB_TODO;
}

/* ---- part 4, stretch: one pass with look-back ---- */

/* One word per tile holds both what is known of the tile and the value, so
 * that no reader can ever see one without the other. */
enum tile_state {
    TILE_NOTHING,   /* not yet summed */
    TILE_AGGREGATE, /* value: the sum of this tile alone */
    TILE_PREFIX     /* value: the sum of this tile and all before it */
};

static inline uint64_t tile_word(enum tile_state state, int32_t value) {
    return (uint64_t)state << 32 | (uint32_t)value;
}

static inline enum tile_state tile_word_state(uint64_t word) {
    return (enum tile_state)(word >> 32);
}

static inline int32_t tile_word_value(uint64_t word) {
    return (int32_t)(uint32_t)word;
}

/* 32 KiB: the second reading of a tile still finds it in the cache. */
enum { TILE_ITEMS = 8192 };

struct single_pass {
    const int32_t *in;
    int32_t *out;
    size_t n, n_tiles;
    atomic_size_t next_tile;  /* the first tile nobody has taken */
    _Atomic uint64_t *status; /* a tile_word per tile */
};

/* The sum of all elements before the tile. */
static inline int32_t look_back(struct single_pass *job, size_t tile) {
    /* Step 6b. Walk to the left from tile - 1. NOTHING: look again; AGGREGATE:
     * add it and go on to the left; PREFIX: add it and be done. The words are
     * read with atomic_load(&job->status[...]). About 12 lines. */
    (void)job, (void)tile, (void)tile_word_state, (void)tile_word_value;
    return 0;
}

static void scan_tiles(void *context, int thread) {
    /* Step 6a. Until there are no more tiles: take the next number with
     * atomic_fetch_add(&job->next_tile, 1); sum the tile; publish the sum with
     * atomic_store(&job->status[tile], tile_word(TILE_AGGREGATE, sum)); look
     * back; publish the prefix; scan the tile. About 20 lines. */
    struct single_pass *job = context;
    (void)job, (void)thread, (void)look_back, (void)tile_word;
}

int cpu_single_pass_scan(const int32_t *in, int32_t *out, size_t n,
                         int threads) {
    /* Step 6c. Allocate one zeroed status word per tile, run scan_tiles on all
     * threads, free. About 9 lines. */
    (void)in, (void)out, (void)n, (void)threads, (void)scan_tiles;
    return SCANLAB_TODO;
}
