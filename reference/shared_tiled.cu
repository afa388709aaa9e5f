/* SPDX-License-Identifier: MIT
 *
 * shared_tiled.cu: lab 4. Arrays of any length, a tile for each block: scanned
 * and propagated (4n of traffic), then reduced and scanned (3n).
 * shared_tiled.h says what the functions promise, the handout
 * (labs/04-shared-tiled/README.md) why it works.
 *
 * How to read this: what moves a tile between global and shared memory; the
 * three kernels; the two strategies, which differ in nothing but the order in
 * which they launch them.
 */
#include "scanlab.h"
#include "shared_tiled.h"

enum {
    THREADS = 256,
    ITEMS = TILED_TILE / THREADS, /* in a row, for one thread */
    BANKS = 32,
    TILE_WORDS = TILED_TILE + TILED_TILE / BANKS
};

/* ---- a tile in shared memory ---- */

/* Lab 3's padding. Without it, threads that walk over ITEMS words each meet in
 * every ITEMS-th bank. */
inline __device__ unsigned word_of(unsigned i) {
    return i + i / BANKS;
}

inline __device__ bool is_wide(const int32_t *p, unsigned items) {
    return items == TILED_TILE && (uintptr_t)p % sizeof(int4) == 0;
}

/* in: the tile's first element; items: how many it has. Past them, 0. Ends with
 * a barrier. */
inline __device__ void load_tile(int32_t *tile, const int32_t *in,
                                 unsigned items) {
    if (is_wide(in, items)) {
        for (unsigned i = threadIdx.x; i < TILED_TILE / 4; i += THREADS) {
            int4 four = ((const int4 *)in)[i];
            unsigned w = word_of(4 * i); /* the same gap for all four */
            tile[w] = four.x;
            tile[w + 1] = four.y;
            tile[w + 2] = four.z;
            tile[w + 3] = four.w;
        }
    } else {
        for (unsigned i = threadIdx.x; i < TILED_TILE; i += THREADS)
            tile[word_of(i)] = i < items ? in[i] : 0;
    }
    __syncthreads();
}

/* Begins with a barrier. */
inline __device__ void store_tile(int32_t *out, const int32_t *tile,
                                  unsigned items) {
    __syncthreads();
    if (is_wide(out, items)) {
        for (unsigned i = threadIdx.x; i < TILED_TILE / 4; i += THREADS) {
            unsigned w = word_of(4 * i);
            ((int4 *)out)[i] =
                make_int4(tile[w], tile[w + 1], tile[w + 2], tile[w + 3]);
        }
    } else {
        for (unsigned i = threadIdx.x; i < items; i += THREADS)
            out[i] = tile[word_of(i)];
    }
}

/* This block's tile: its first element, and how many of the n it has. */
inline __device__ size_t first_of_tile(void) {
    return (size_t)blockIdx.x * TILED_TILE;
}

inline __device__ unsigned items_of_tile(size_t n) {
    size_t left = n - first_of_tile();
    return left < TILED_TILE ? (unsigned)left : TILED_TILE;
}

inline size_t tiles_for(size_t n) {
    return (n + TILED_TILE - 1) / TILED_TILE;
}

/* ---- the kernels: a block per tile ---- */

/* sums: one word per thread, in shared memory. Leaves the inclusive scan of all
 * threads' `own` there, for everyone to read. */
inline __device__ void scan_of_threads(int32_t *sums, int32_t own) {
#ifdef SOLUTION
    unsigned t = threadIdx.x;
    sums[t] = own;
    __syncthreads();
    for (unsigned offset = 1; offset < THREADS; offset *= 2) {
        int32_t left = t >= offset ? sums[t - offset] : 0;
        __syncthreads(); /* everyone has read */
        sums[t] = scan_add(left, sums[t]);
        __syncthreads(); /* everyone has written */
    }
#else
    /* Step 3. Lab 1's scan, in place: the offsets 1, 2, 4, ... below THREADS.
     *         Which two barriers does each step need? About 9 lines. */
#endif
}

/* One block, an element per thread; each thread stores another one's sum. */
__global__ void scan_block(const int32_t *in, int32_t *out, unsigned n) {
    __shared__ int32_t sums[THREADS];
    unsigned t = threadIdx.x;
    scan_of_threads(sums, t < n ? in[t] : 0);
    if (t < n) out[n - 1 - t] = sums[n - 1 - t];
}

/* before: for each tile, what its first element begins with (NULL: with 0).
 * total: for each tile, its sum goes there (NULL: nowhere). */
__global__ void scan_tiles(const int32_t *in, int32_t *out, size_t n,
                           const int32_t *before, int32_t *total,
                           bool is_inclusive) {
    __shared__ int32_t tile[TILE_WORDS], sums[THREADS];
    unsigned t = threadIdx.x, items = items_of_tile(n);
    load_tile(tile, in + first_of_tile(), items);
#ifdef SOLUTION
    int32_t own = 0;
    for (unsigned i = t * ITEMS; i < (t + 1) * ITEMS; i++)
        own = scan_add(own, tile[word_of(i)]);
    scan_of_threads(sums, own);
    if (total && t == THREADS - 1) total[blockIdx.x] = sums[t];

    int32_t running = t > 0 ? sums[t - 1] : 0;
    if (before) running = scan_add(before[blockIdx.x], running);
    for (unsigned i = t * ITEMS; i < (t + 1) * ITEMS; i++) {
        int32_t next = scan_add(running, tile[word_of(i)]);
        tile[word_of(i)] = is_inclusive ? next : running;
        running = next;
    }
#else
    (void)t, (void)sums, (void)before, (void)total, (void)is_inclusive;
    /* Step 1. This thread's items are those from t * ITEMS on, ITEMS of them;
     *         item i is at tile[word_of(i)]. Walk over them, and put into the
     *         place of each the sum of those before it, beginning with 0.
     * Step 4. Before that, add up this thread's items; scan_of_threads (step 3,
     *         above). What lies before them? The walk begins with that.
     * Step 7. Where total is not NULL, one thread stores the tile's sum.
     * Step 10. Where before is not NULL, begin with before[blockIdx.x].
     * Step 12. Inclusive: what lies before, and the item itself.
     *         About 14 lines in all. */
#endif
    store_tile(out + first_of_tile(), tile, items);
}

/* total[tile] = the sum of the tile. */
__global__ void reduce_tiles(const int32_t *in, int32_t *total, size_t n) {
    __shared__ int32_t tile[TILE_WORDS], sums[THREADS];
    unsigned t = threadIdx.x;
    load_tile(tile, in + first_of_tile(), items_of_tile(n));
#ifdef SOLUTION
    int32_t own = 0;
    for (unsigned i = t; i < TILED_TILE; i += THREADS)
        own = scan_add(own, tile[word_of(i)]);
    sums[t] = own;
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) sums[t] = scan_add(sums[t], sums[t + half]);
    }
    if (t == 0) total[blockIdx.x] = sums[0];
#else
    (void)t, (void)sums, (void)total;
    /* Step 5. Every thread adds up ITEMS items, any of them, and stores the sum
     *         in sums[t]. Then half of the threads add two of these sums, a
     *         quarter two of those, ... until sums[0] is the sum of the tile.
     *         Where does it need a barrier? About 9 lines. */
#endif
}

/* Adds to every element of a tile what lies before the tile. */
__global__ void add_before(int32_t *out, size_t n, const int32_t *before) {
#ifdef SOLUTION
    int32_t *tile = out + first_of_tile();
    unsigned items = items_of_tile(n);
    int32_t sum = before[blockIdx.x];
    if (is_wide(tile, items)) {
        for (unsigned i = threadIdx.x; i < TILED_TILE / 4; i += THREADS) {
            int4 four = ((int4 *)tile)[i];
            four.x = scan_add(sum, four.x);
            four.y = scan_add(sum, four.y);
            four.z = scan_add(sum, four.z);
            four.w = scan_add(sum, four.w);
            ((int4 *)tile)[i] = four;
        }
    } else {
        for (unsigned i = threadIdx.x; i < items; i += THREADS)
            tile[i] = scan_add(sum, tile[i]);
    }
#else
    /* Step 8. Neighbouring threads take neighbouring elements. (Four at a time
     *         is faster: see store_tile.) About 4 lines. */
#endif
}

/* ---- the functions ---- */

cudaError_t shared_tiled_tiles(const int32_t *d_in, int32_t *d_out, size_t n) {
#ifdef SOLUTION
    if (n == 0) return cudaSuccess;
    scan_tiles<<<(unsigned)tiles_for(n), THREADS>>>(d_in, d_out, n, NULL, NULL,
                                                    false);
    return cudaGetLastError();
#else
    /* Step 2. A block of THREADS for each tile. About 4 lines. */
    return SCANLAB_TODO;
#endif
}

cudaError_t shared_tiled_threads(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
#ifdef SOLUTION
    scan_block<<<1, THREADS>>>(d_in, d_out, (unsigned)n);
    return cudaGetLastError();
#else
    /* Step 3, continued: one block, scan_block. 2 lines. */
    return SCANLAB_TODO;
#endif
}

cudaError_t shared_tiled_totals(const int32_t *d_in, int32_t *d_out, size_t n,
                                size_t *n_tiles) {
#ifdef SOLUTION
    *n_tiles = tiles_for(n);
    if (n == 0) return cudaSuccess;
    reduce_tiles<<<(unsigned)*n_tiles, THREADS>>>(d_in, d_out, n);
    return cudaGetLastError();
#else
    /* Step 6. Likewise; and *n_tiles. About 4 lines. */
    return SCANLAB_TODO;
#endif
}

cudaError_t shared_tiled_scan_propagate(const int32_t *d_in, int32_t *d_out,
                                        size_t n) {
#ifdef SOLUTION
    unsigned tiles = (unsigned)tiles_for(n);
    if (tiles <= 1) return shared_tiled_tiles(d_in, d_out, n);

    int32_t *before = NULL;
    cudaError_t status = cudaMalloc(&before, tiles * sizeof *before);
    if (status == cudaSuccess) {
        scan_tiles<<<tiles, THREADS>>>(d_in, d_out, n, NULL, before, false);
        status = cudaGetLastError();
    }
    /* The tiles' sums become what lies before each tile. */
    if (status == cudaSuccess)
        status = shared_tiled_scan_propagate(before, before, tiles);
    if (status == cudaSuccess) {
        add_before<<<tiles, THREADS>>>(d_out, n, before);
        status = cudaGetLastError();
    }
    cudaError_t freed = cudaFree(before); /* waits; NULL is fine */
    return status != cudaSuccess ? status : freed;
#else
    /* Step 9. One tile: shared_tiled_tiles does it. More: an array with an
     *         element per tile; scan_tiles into d_out, and the tiles' sums into
     *         that array; scan the array, in place, by this very function;
     *         add_before; free the array, also after an error.
     *         About 16 lines. */
    return SCANLAB_TODO;
#endif
}

cudaError_t reduce_scan(const int32_t *d_in, int32_t *d_out, size_t n,
                        bool is_inclusive) {
#ifdef SOLUTION
    if (n == 0) return cudaSuccess;
    unsigned tiles = (unsigned)tiles_for(n);
    int32_t *before = NULL;
    cudaError_t status = cudaSuccess;
    if (tiles > 1) {
        status = cudaMalloc(&before, tiles * sizeof *before);
        if (status == cudaSuccess) {
            reduce_tiles<<<tiles, THREADS>>>(d_in, before, n);
            status = cudaGetLastError();
        }
        if (status == cudaSuccess)
            status = reduce_scan(before, before, tiles, false);
    }
    if (status == cudaSuccess) {
        scan_tiles<<<tiles, THREADS>>>(d_in, d_out, n, before, NULL,
                                       is_inclusive);
        status = cudaGetLastError();
    }
    cudaError_t freed = cudaFree(before);
    return status != cudaSuccess ? status : freed;
#else
    /* Step 11. More than one tile: an array with an element per tile;
     *          reduce_tiles; scan the array, in place, by this very function,
     *          exclusively. Then, for one tile as well, scan_tiles with that
     *          array as `before`. About 18 lines. */
    return SCANLAB_TODO;
#endif
}

cudaError_t shared_tiled_reduce_scan(const int32_t *d_in, int32_t *d_out,
                                     size_t n) {
    return reduce_scan(d_in, d_out, n, false);
}

cudaError_t shared_tiled_reduce_scan_inclusive(const int32_t *d_in,
                                               int32_t *d_out, size_t n) {
#ifdef SOLUTION
    return reduce_scan(d_in, d_out, n, true);
#else
    /* Step 13. 1 line. */
    return SCANLAB_TODO;
#endif
}
