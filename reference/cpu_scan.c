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
#ifdef SOLUTION
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum = scan_add(sum, in[i]);
        out[i] = sum;
    }
    return 0;
#else
    /* Step 1. Keep a running sum; out[i] is the sum after in[i] was added.
     * scan_add(a, b) adds without overflow trouble. About 5 lines; return 0. */
    (void)in, (void)out, (void)n; /* delete this line, here and below */
    return SCANLAB_TODO;
#endif
}

int cpu_exclusive_scan(const int32_t *in, int32_t *out, size_t n) {
#ifdef SOLUTION
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t item = in[i]; /* out may be in: read before writing */
        out[i] = sum;
        sum = scan_add(sum, item);
    }
    return 0;
#else
    /* Step 2. Now out[i] is the sum before in[i] is added. in and out may be
     * the same array: which of them must come first? About 6 lines. */
    (void)in, (void)out, (void)n;
    return SCANLAB_TODO;
#endif
}

/* ---- part 2: compaction ---- */

int cpu_compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out) {
#ifdef SOLUTION
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (in[i] != 0) out[kept++] = in[i];
    *n_out = kept;
    return 0;
#else
    /* Step 3. Copy what is not zero; count what you copied. About 6 lines. */
    (void)in, (void)out, (void)n, (void)n_out;
    return SCANLAB_TODO;
#endif
}

int cpu_compact_with_scan(const int32_t *in, int32_t *out, size_t n,
                          size_t *n_out) {
#ifdef SOLUTION
    *n_out = 0;
    if (n == 0) return 0;
    int32_t *flags = calloc(n, sizeof *flags);
    int32_t *index = calloc(n, sizeof *index);
    if (!flags || !index) {
        free(flags);
        free(index);
        return ENOMEM;
    }
    for (size_t i = 0; i < n; i++) flags[i] = in[i] != 0;
    int error = cpu_exclusive_scan(flags, index, n);
    for (size_t i = 0; i < n; i++)
        if (flags[i]) out[index[i]] = in[i];
    /* index[n-1] elements were kept before the last one. */
    *n_out = (size_t)(index[n - 1] + flags[n - 1]);
    free(flags);
    free(index);
    return error;
#else
    /* Step 4a. Map: an array of flags, 1 where in[i] is kept, else 0.
     * Step 4b. Scan: cpu_exclusive_scan of the flags. What does the result
     *          tell an element that is kept?
     * Step 4c. Scatter: each kept element goes where the scan says.
     * Step 4d. How many were kept? The last flag and the last sum know.
     * About 20 lines with malloc and free; mind n = 0. */
    (void)in, (void)out, (void)n, (void)n_out;
    return SCANLAB_TODO;
#endif
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
#ifdef SOLUTION
    const struct two_pass *job = context;
    size_t end = chunk_begin(job, t + 1);
    int32_t sum = 0;
    for (size_t i = chunk_begin(job, t); i < end; i++)
        sum = scan_add(sum, job->in[i]);
    job->sums[t] = sum;
#else
    /* Step 5a. job->sums[t] = the sum of the elements of chunk t. 4 lines. */
    const struct two_pass *job = context;
    (void)job, (void)t, (void)chunk_begin;
#endif
}

static void scan_chunk(void *context, int t) {
#ifdef SOLUTION
    const struct two_pass *job = context;
    size_t end = chunk_begin(job, t + 1);
    int32_t sum = job->sums[t];
    for (size_t i = chunk_begin(job, t); i < end; i++) {
        sum = scan_add(sum, job->in[i]);
        job->out[i] = sum;
    }
#else
    /* Step 5b. Inclusive scan of chunk t that starts from job->sums[t], which
     * by now is the sum of all chunks before t. 5 lines. */
    const struct two_pass *job = context;
    (void)job, (void)t;
#endif
}

int cpu_threaded_scan(const int32_t *in, int32_t *out, size_t n, int threads) {
#ifdef SOLUTION
    if (threads < 1) return EINVAL;
    int32_t *sums = calloc((size_t)threads, sizeof *sums);
    if (!sums) return ENOMEM;
    struct two_pass job = {in, out, n, threads, sums};
    int error = parallel_run(threads, reduce_chunk, &job);
    if (!error) error = cpu_exclusive_scan(sums, sums, (size_t)threads);
    if (!error) error = parallel_run(threads, scan_chunk, &job);
    free(sums);
    return error;
#else
    /* Step 5c. Allocate sums and fill a struct two_pass; then
     *   parallel_run(threads, reduce_chunk, &job)      all chunks at once
     *   an exclusive scan of sums, in place            a few elements: serial
     *   parallel_run(threads, scan_chunk, &job)        all chunks at once
     * Check what each returns, free sums. About 12 lines. */
    (void)in, (void)out, (void)n, (void)threads;
    (void)reduce_chunk, (void)scan_chunk;
    return SCANLAB_TODO;
#endif
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
#ifdef SOLUTION
    int32_t before = 0;
    while (tile > 0) {
        /* Spin: whoever owns the tile took its number earlier and is running,
         * so its sum is on the way. */
        uint64_t word =
            atomic_load_explicit(&job->status[tile - 1], memory_order_relaxed);
        if (tile_word_state(word) == TILE_NOTHING) continue;
        before = scan_add(before, tile_word_value(word));
        if (tile_word_state(word) == TILE_PREFIX) break;
        tile--;
    }
    return before;
#else
    /* Step 6b. Walk to the left from tile - 1. NOTHING: look again; AGGREGATE:
     * add it and go on to the left; PREFIX: add it and be done. The words are
     * read with atomic_load(&job->status[...]). About 12 lines. */
    (void)job, (void)tile, (void)tile_word_state, (void)tile_word_value;
    return 0;
#endif
}

static void scan_tiles(void *context, int thread) {
#ifdef SOLUTION
    struct single_pass *job = context;
    (void)thread;
    for (;;) {
        size_t tile = atomic_fetch_add(&job->next_tile, 1);
        if (tile >= job->n_tiles) return;
        size_t begin = tile * TILE_ITEMS;
        size_t end = job->n - begin < TILE_ITEMS ? job->n : begin + TILE_ITEMS;

        int32_t sum = 0;
        for (size_t i = begin; i < end; i++) sum = scan_add(sum, job->in[i]);
        /* Value and state are one word, and nothing else is published: no
         * other memory needs to be ordered, relaxed is enough. */
        atomic_store_explicit(&job->status[tile],
                              tile_word(TILE_AGGREGATE, sum),
                              memory_order_relaxed);
        int32_t before = look_back(job, tile);
        atomic_store_explicit(&job->status[tile],
                              tile_word(TILE_PREFIX, scan_add(before, sum)),
                              memory_order_relaxed);
        for (size_t i = begin; i < end; i++) {
            before = scan_add(before, job->in[i]);
            job->out[i] = before;
        }
    }
#else
    /* Step 6a. Until there are no more tiles: take the next number with
     * atomic_fetch_add(&job->next_tile, 1); sum the tile; publish the sum with
     * atomic_store(&job->status[tile], tile_word(TILE_AGGREGATE, sum)); look
     * back; publish the prefix; scan the tile. About 20 lines. */
    struct single_pass *job = context;
    (void)job, (void)thread, (void)look_back, (void)tile_word;
#endif
}

int cpu_single_pass_scan(const int32_t *in, int32_t *out, size_t n,
                         int threads) {
#ifdef SOLUTION
    if (n == 0) return 0;
    struct single_pass job = {.in = in, .out = out, .n = n};
    job.n_tiles = (n + TILE_ITEMS - 1) / TILE_ITEMS;
    job.status = calloc(job.n_tiles, sizeof *job.status); /* TILE_NOTHING */
    if (!job.status) return ENOMEM;
    int error = parallel_run(threads, scan_tiles, &job);
    free(job.status);
    return error;
#else
    /* Step 6c. Allocate one zeroed status word per tile, run scan_tiles on all
     * threads, free. About 9 lines. */
    (void)in, (void)out, (void)n, (void)threads, (void)scan_tiles;
    return SCANLAB_TODO;
#endif
}
