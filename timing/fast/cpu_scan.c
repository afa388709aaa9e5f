/* SPDX-License-Identifier: MIT
 *
 * cpu_scan.c: lab 0 as fast as the machine copies memory. The functions are
 * those of labs/00-cpu-scan/cpu_scan.h. Read reference/cpu_scan.c first: it
 * says the same things plainly.
 *
 * The one pass (part 4) is what this file is for. Memory bounds a large scan:
 * n elements must be read and n written, so a copy is the floor. What it does
 * to get there:
 *   - A tile is read from memory once, to be summed, and a second time from the
 *     level-2 cache, to be scanned.
 *   - Both happen in one loop: while a thread scans its tile it sums its next
 *     one. So memory is read and written all the time, as a copy does, and
 *     not in turns.
 *   - The sum reads in several pages at once, with prefetches: how many lines
 *     are under way bounds what one core can read.
 *   - The results are stored past the caches (non-temporal): an ordinary store
 *     would first read the line that it is going to overwrite.
 *   - The prefix goes from tile to tile in a chain of messages, each in a cache
 *     line of its own. No look-back is needed: a thread has its tile's sum
 *     before it comes to wait, so the chain moves on at once.
 *   - A vector of elements is scanned at a time (cpu_vectors.h, cpu_pieces.h).
 * Measurements: research/performance-cpu.md. Sizes in #ifndef are for tests.
 */
#include "cpu_scan.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cpu_vectors.h"
#include "parallel.h"
#include "scanlab.h"

/* ---- one piece, one thread ---- */

enum {
    LINE_ITEMS = 16, /* a cache line */
    /* Memory is read in so many places at once, so many lines ahead. The
     * hardware's prefetcher follows a stream to the end of its page only. */
    STREAMS = 8,
    AHEAD = 4
};

/* Functions for one piece, in one instruction set (cpu_pieces.h).
 *   sum   of n elements
 *   scan  n elements from `before`; stream: out begins a line
 *   both  scans a tile and sums the next one, n elements each, n a multiple of
 *         STREAMS lines. The scan reads the cache, the sum reads memory, the
 *         stores write memory. */
struct pieces {
    int32_t (*sum)(const int32_t *in, size_t n);
    void (*scan)(const int32_t *in, int32_t *out, size_t n, int32_t before,
                 bool stream);
    int32_t (*both)(const int32_t *in, int32_t *out, const int32_t *next,
                    size_t n, int32_t before, bool stream);
};

static void scan_plainly(const int32_t *in, int32_t *out, size_t n,
                         int32_t before) {
    for (size_t i = 0; i < n; i++) {
        before = scan_add(before, in[i]);
        out[i] = before;
    }
}

#define ISA CPU_BASE
#include "cpu_pieces.h"
#if CPU_WIDE >= 1
#pragma GCC push_options
#pragma GCC target("avx2")
#define ISA avx2
#include "cpu_pieces.h"
#pragma GCC pop_options
#endif
#if CPU_WIDE >= 2
#pragma GCC push_options
#pragma GCC target("avx512f")
#define ISA avx512
#include "cpu_pieces.h"
#pragma GCC pop_options
#endif

static const struct pieces *best_pieces(void) {
#if CPU_WIDE >= 2
    if (__builtin_cpu_supports("avx512f")) return &avx512_pieces;
#endif
#if CPU_WIDE >= 1
    if (__builtin_cpu_supports("avx2")) return &avx2_pieces;
#endif
    return &CPU_BASE_PIECES;
}

/* How many elements lie before the first one that begins a line, at most n. */
static size_t to_line(const int32_t *p, size_t n) {
    size_t place = (uintptr_t)p / sizeof *p % LINE_ITEMS;
    size_t lead = place ? LINE_ITEMS - place : 0;
    return lead < n ? lead : n;
}

/* So many elements do not stay in the caches until somebody reads them. */
#ifndef STREAM_ITEMS
#define STREAM_ITEMS ((size_t)512 << 10)
#endif
static inline bool worth_streaming(size_t n) {
    return n >= STREAM_ITEMS;
}

/* ---- part 1: serial scans ---- */

static void serial_scan(const int32_t *in, int32_t *out, size_t n) {
    size_t lead = to_line(out, n);
    scan_plainly(in, out, lead, 0);
    best_pieces()->scan(in + lead, out + lead, n - lead,
                        lead ? out[lead - 1] : 0, worth_streaming(n));
    stream_fence();
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    if (n) serial_scan(in, out, n);
    return 0;
}

int cpu_exclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    int32_t sum = 0;
    size_t i = 0;
    for (; i < n; i++) {
        int32_t item = in[i];
        out[i] = sum;
        sum = scan_add(sum, item);
    }
    return 0;
}

/* ---- part 2: compaction ---- */

int cpu_compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out) {
    size_t kept = 0;
    /* No branch to mispredict: a store that is not kept is overwritten, and
     * kept <= i, so that it stays inside out. */
    for (size_t i = 0; i < n; i++) {
        int32_t item = in[i];
        out[kept] = item;
        kept += item != 0;
    }
    *n_out = kept;
    return 0;
}

int cpu_compact_with_scan(const int32_t *in, int32_t *out, size_t n,
                          size_t *n_out) {
    *n_out = 0;
    if (n == 0) return 0;
    int32_t *index = malloc(n * sizeof *index);
    if (!index) return ENOMEM;
    for (size_t i = 0; i < n; i++) index[i] = in[i] != 0;
    int error = cpu_exclusive_scan(index, index, n);
    for (size_t i = 0; i < n; i++)
        if (in[i] != 0) out[index[i]] = in[i];
    *n_out = (size_t)index[n - 1] + (in[n - 1] != 0);
    free(index);
    return error;
}

/* ---- part 3: two passes on several threads ---- */

/* Making a thread takes some 25 microseconds; in that time one that is there
 * scans so many elements. */
#ifndef LEAST_ITEMS
#define LEAST_ITEMS (512 << 10)
#endif
enum { MOST_THREADS = 256 };

static int useful_threads(size_t n, int threads) {
    size_t most = n / LEAST_ITEMS + 1;
    return most < (size_t)threads ? (int)most : threads;
}

struct two_pass {
    const struct pieces *pieces;
    const int32_t *in;
    int32_t *out;
    size_t n;
    int threads;
    int32_t sums[MOST_THREADS];
};

/* Chunks of whole lines of out, as far as there are; the first has the rest. */
static size_t chunk_begin(const struct two_pass *job, int t) {
    size_t lead = to_line(job->out, job->n);
    size_t lines = (job->n - lead) / LINE_ITEMS;
    if (t == 0) return 0;
    if (t == job->threads) return job->n;
    size_t k = (size_t)t, p = (size_t)job->threads;
    return lead + (lines / p * k + lines % p * k / p) * LINE_ITEMS;
}

static void reduce_chunk(void *context, int t) {
    struct two_pass *job = context;
    size_t begin = chunk_begin(job, t);
    job->sums[t] =
        job->pieces->sum(job->in + begin, chunk_begin(job, t + 1) - begin);
}

static void scan_chunk(void *context, int t) {
    struct two_pass *job = context;
    size_t begin = chunk_begin(job, t), end = chunk_begin(job, t + 1);
    int32_t before = t ? job->sums[t - 1] : 0;
    if (t == 0) { /* chunk 0 need not begin a line */
        begin = to_line(job->out, end);
        scan_plainly(job->in, job->out, begin, 0);
        if (begin) before = job->out[begin - 1];
    }
    job->pieces->scan(job->in + begin, job->out + begin, end - begin, before,
                      worth_streaming(job->n));
    stream_fence();
}

int cpu_threaded_scan(const int32_t *in, int32_t *out, size_t n, int threads) {
    if (threads < 1 || threads > MOST_THREADS) return EINVAL;
    struct two_pass job = {.pieces = best_pieces(),
                           .in = in,
                           .out = out,
                           .n = n,
                           .threads = useful_threads(n, threads)};
    if (job.threads == 1) return cpu_inclusive_scan(in, out, n);
    int error = parallel_run(job.threads, reduce_chunk, &job);
    if (error) return error;
    scan_plainly(job.sums, job.sums, (size_t)job.threads, 0);
    return parallel_run(job.threads, scan_chunk, &job);
}

/* ---- part 4: one pass on several threads ---- */

/* Two tiles per thread are in its level-2 cache: 128 KiB each. */
#ifndef TILE_ITEMS
#define TILE_ITEMS 32768
#endif
enum {
    LEAST_TILES = 4, /* for each thread, also when n is small */
    TILE_GRAIN = STREAMS * LINE_ITEMS,
    N_LINKS = 16,
    SPINS = 1000 /* then somebody else may need the core */
};
_Static_assert(LEAST_ITEMS >= 2 * LEAST_TILES * TILE_GRAIN,
               "every thread has LEAST_TILES tiles of a grain at least");

/* Says of one tile: its number + 1 in the upper half, the sum of all elements
 * up to its end in the lower half. Tile t writes into link t mod N_LINKS: the
 * tile that was there has been read, else the chain would not have come to t.
 */
struct link {
    _Alignas(64) _Atomic uint64_t word;
};

struct one_pass {
    const struct pieces *pieces;
    const int32_t *in;
    int32_t *out;
    size_t n, n_tiles, tile_items;
    size_t lead; /* so many elements more has tile 0: to a line of out */
    bool stream;
    _Alignas(64) atomic_size_t next_tile; /* the first nobody has taken */
    struct link links[N_LINKS];
};

static size_t tile_begin(const struct one_pass *job, size_t tile) {
    return tile ? job->lead + tile * job->tile_items : 0;
}

static size_t tile_end(const struct one_pass *job, size_t tile) {
    size_t end = job->lead + (tile + 1) * job->tile_items;
    return end < job->n ? end : job->n;
}

static int32_t tile_sum(const struct one_pass *job, size_t tile) {
    size_t begin = tile_begin(job, tile);
    return job->pieces->sum(job->in + begin, tile_end(job, tile) - begin);
}

/* Waits for the sum of all tiles before, and tells it on. Whoever has the tile
 * before took its number earlier and waits for nobody behind it. */
static int32_t chain(struct one_pass *job, size_t tile, int32_t sum) {
    int32_t before = 0;
    /* Value and number are one word and nothing else is told: relaxed. */
    if (tile > 0) {
        _Atomic uint64_t *link = &job->links[(tile - 1) % N_LINKS].word;
        uint64_t word;
        for (int spins = 0;; spins++) {
            word = atomic_load_explicit(link, memory_order_relaxed);
            if (word >> 32 == (uint32_t)tile) break;
            if (spins < SPINS)
                relax();
            else
                sched_yield();
        }
        before = (int32_t)(uint32_t)word;
    }
    atomic_store_explicit(&job->links[tile % N_LINKS].word,
                          (uint64_t)(uint32_t)(tile + 1) << 32 |
                              (uint32_t)scan_add(before, sum),
                          memory_order_relaxed);
    return before;
}

/* Scans a tile and returns the sum of the next one, if there is one. */
static int32_t scan_tile(struct one_pass *job, size_t tile, int32_t before,
                         size_t next) {
    size_t begin = tile_begin(job, tile), end = tile_end(job, tile);
    if (tile == 0) {
        begin = job->lead;
        scan_plainly(job->in, job->out, begin, before);
        if (begin) before = job->out[begin - 1];
    }
    const int32_t *in = job->in + begin;
    int32_t *out = job->out + begin;
    if (next + 1 < job->n_tiles)
        return job->pieces->both(in, out, job->in + tile_begin(job, next),
                                 job->tile_items, before, job->stream);
    /* The last tile may be shorter than the others. */
    int32_t sum = next < job->n_tiles ? tile_sum(job, next) : 0;
    job->pieces->scan(in, out, end - begin, before, job->stream);
    return sum;
}

static void scan_tiles(void *context, int thread) {
    struct one_pass *job = context;
    (void)thread;
    size_t tile = atomic_fetch_add(&job->next_tile, 1);
    int32_t sum = tile < job->n_tiles ? tile_sum(job, tile) : 0;
    while (tile < job->n_tiles) {
        int32_t before = chain(job, tile, sum);
        size_t next = atomic_fetch_add(&job->next_tile, 1);
        sum = scan_tile(job, tile, before, next);
        tile = next;
    }
    stream_fence();
}

int cpu_single_pass_scan(const int32_t *in, int32_t *out, size_t n,
                         int threads) {
    if (threads < 1 || threads > MOST_THREADS) return EINVAL;
    threads = useful_threads(n, threads);
    if (threads == 1) return cpu_inclusive_scan(in, out, n);
    struct one_pass job = {.pieces = best_pieces(),
                           .in = in,
                           .out = out,
                           .n = n,
                           .lead = to_line(out, n),
                           .stream = worth_streaming(n)};
    size_t share = n / (size_t)(threads * LEAST_TILES);
    job.tile_items = share < TILE_ITEMS ? share : TILE_ITEMS;
    job.tile_items -= job.tile_items % TILE_GRAIN;
    job.n_tiles = (n - job.lead + job.tile_items - 1) / job.tile_items;
    return parallel_run(threads, scan_tiles, &job);
}
