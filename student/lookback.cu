/* SPDX-License-Identifier: MIT
 *
 * lookback.cu: lab 6. Single-pass scan with decoupled look-back, for any
 * associative operator. lookback.h says what the functions promise, the handout
 * (labs/06-lookback/README.md) why it works.
 *
 * How to read this: T is the type of the elements, OP the operator; join<OP>
 * and identity<OP, T> are all that is known of it. First a block and its tile
 * (take_ticket, scan_warp), then what blocks tell each other (publish,
 * inspect), then the two ways to look back, at last the kernel and its launch.
 *
 * The steps in their order, which is not that of the file: 1 in take_ticket, 2
 * in lookback_tickets, 3 in scan_lanes, 4 in scan_warp, 5 in the kernel, 6 in
 * lookback_scan_tiles, 7 in publish, 8 in inspect, 9 in ask_neighbour and
 * before_tile, 10 in look_serially, 11 in before_tile, 12 in join_window, 13 in
 * the snapshot, 14 in look_by_windows, 15 in before_tile and launch_op, 16 and
 * 17 at the end.
 */
#include "lookback.h"
#include "scanlab.h"

enum {
    LANES = 32,
    WARPS = 8,
    BLOCK_THREADS = WARPS * LANES,
    TILE = LOOKBACK_TILE,
    ITEMS = TILE / BLOCK_THREADS /* per thread */
};
#define ALL_LANES 0xffffffffu

template <enum scan_operator OP> __device__ int32_t join(int32_t x, int32_t y) {
    return scan_join_i32(OP, x, y);
}

template <enum scan_operator OP> __device__ int64_t join(int64_t x, int64_t y) {
    return scan_join_i64(OP, x, y);
}

template <enum scan_operator OP, typename T> __device__ T identity(void) {
    return sizeof(T) == 8 ? (T)scan_identity_i64(OP) : (T)scan_identity_i32(OP);
}

inline __device__ int lane_number(void) {
    return (int)threadIdx.x % LANES;
}

inline __device__ int warp_number(void) {
    return (int)threadIdx.x / LANES;
}

/* ---- a block and its tile ---- */

/* The number of this block's tile: 0 for the first block that asks, 1 for the
 * next, and so on. Every thread of the block gets it. */
inline __device__ unsigned take_ticket(unsigned *counter) {
    /* Step 1. One thread asks the counter (atomicAdd), and tells the others
     *         through shared memory. About 4 lines. */
    return blockIdx.x;
}

/* 16 bytes of neighbouring elements: what one thread loads at once. A row of a
 * warp is 32 of them, and a thread has ROWS rows. */
template <typename T> struct __align__(16) wide {
    enum { WIDTH = 16 / sizeof(T), ROWS = ITEMS / WIDTH };
    T item[WIDTH];
};

/* The index of the first of this thread's elements in a row. */
template <typename T> __device__ size_t element(unsigned tile, int row) {
    size_t of_warp = (size_t)(warp_number() * wide<T>::ROWS + row) * LANES;
    return (size_t)tile * TILE +
           (of_warp + (size_t)lane_number()) * wide<T>::WIDTH;
}

/* 16 bytes at a time want an aligned array and a full tile. */
template <typename T>
__device__ bool is_wide(const T *array, size_t n, unsigned tile) {
    return (uintptr_t)array % sizeof(wide<T>) == 0 &&
           ((size_t)tile + 1) * TILE <= n;
}

/* What lies past n is loaded as the identity, and not stored. */
template <enum scan_operator OP, typename T>
__device__ void load_tile(wide<T> x[], const T *in, size_t n, unsigned tile) {
    bool wides = is_wide(in, n, tile);
#pragma unroll
    for (int row = 0; row < wide<T>::ROWS; row++) {
        size_t i = element<T>(tile, row);
        if (wides) x[row] = *(const wide<T> *)(in + i);
        for (int k = 0; k < wide<T>::WIDTH && !wides; k++)
            x[row].item[k] = i + k < n ? in[i + k] : identity<OP, T>();
    }
}

/* __stcs: an ordinary store of something that is not wanted again soon. */
template <typename T>
__device__ void store_tile(const wide<T> x[], T *out, size_t n, unsigned tile) {
    bool wides = is_wide(out, n, tile);
#pragma unroll
    for (int row = 0; row < wide<T>::ROWS; row++) {
        size_t i = element<T>(tile, row);
        if (wides) __stcs((int4 *)(out + i), *(const int4 *)&x[row]);
        for (int k = 0; k < wide<T>::WIDTH && !wides; k++)
            if (i + k < n) out[i + k] = x[row].item[k];
    }
}

/* Inclusive scan across the lanes of a warp. */
template <enum scan_operator OP, typename T> __device__ T scan_lanes(T x) {
    /* Step 3. As in lab 5. What was there before comes first: join<OP>(left,
     *         mine). About 5 lines. */
    return x;
}

/* Scan of the warp's elements, inclusive or exclusive; returns their total. */
template <enum scan_operator OP, bool EXCLUSIVE, typename T>
__device__ T scan_warp(wide<T> x[]) {
    T above = identity<OP, T>();
    /* Step 4. Row after row: join the WIDTH elements of this thread; scan the
     *         sums of the lanes; what lies before this thread's elements? (In
     *         this row, and above.) Put it before each of them. `above` becomes
     *         the total of all rows so far, in every lane.
     *         EXCLUSIVE: leave out the element itself. About 18 lines. */
    return above;
}

/* ---- what blocks tell each other ----
 *
 * A tile's status: words that hold 32 bits of the value and the flag each, so
 * that none is ever seen by halves. A 32-bit value has one word, a 64-bit value
 * two. All bits 0: NOTHING. */
enum flag { NOTHING, AGGREGATE, PREFIX };

template <typename T> struct tile_status {
    enum { WORDS = sizeof(T) / 4 };
    unsigned long long word[WORDS];
};

/* One lane calls it. volatile: to memory, where all blocks look. */
template <typename T>
__device__ void publish(tile_status<T> *s, enum flag flag, T value) {
    /* Step 7. Word k: the flag in its upper half, bits 32 k to 32 k + 31 of the
     *         value in its lower half, in one volatile store. Begin with 32-bit
     *         values, which have one word. About 4 lines. */
}

/* What a tile has published. Between two states that is NOTHING. */
template <typename T>
__device__ enum flag inspect(const tile_status<T> *s, T *value) {
    /* Step 8. Load each word once. The value is whole when all words carry the
     *         same flag; otherwise return NOTHING. About 8 lines. */
    *value = 0;
    return PREFIX;
}

/* ---- looking back: the whole warp calls it, every lane gets the result ----
 */

/* What the tile before has published first or last. */
template <typename T>
__device__ T ask_neighbour(const tile_status<T> *statuses, unsigned tile) {
    T value;
    /* Step 9. Inspect its status until there is something. About 3 lines. */
    value = 0;
    return value;
}

/* Everything before the tile, one tile at a time. */
template <enum scan_operator OP, typename T>
__device__ T look_serially(const tile_status<T> *statuses, unsigned tile) {
    T before = identity<OP, T>();
    /* Step 10. Tiles tile - 1, tile - 2, ...: wait until there is something;
     *          join it to what you have, on the right side; a PREFIX ends it.
     *          Why is there one at tile 0 at the latest? About 8 lines. */
    return before;
}

/* Lane k has the value of the tile k before the newest of a window of 32. Puts
 * the values, up to and with the first prefix, before *before. Is that all? */
template <enum scan_operator OP, typename T>
__device__ bool join_window(T value, bool is_prefix, T *before) {
    /* Step 12. Which lanes have a prefix (__ballot_sync)? Which is the first of
     *          them (__ffs)? Older tiles than that count as the identity. Join
     *          the lanes by __shfl_down_sync, oldest first. About 10 lines. */
    return true;
}

/* Everything before the tile, 32 tiles at a time. */
template <enum scan_operator OP, typename T>
__device__ T look_by_windows(const tile_status<T> *statuses, unsigned tile) {
    T before = identity<OP, T>(), value;
    /* Step 14. Lane k inspects tile newest - k; the warp waits until all 32
     *          have something (__any_sync); join_window; if that was not all,
     *          the next 32. About 9 lines. */
    (void)value;
    return before;
}

/* ---- the kernel ---- */

enum how { ALONE, NEIGHBOUR, SERIALLY, BY_WINDOWS };

/* What lies before the tile, by the step that is to be tried. Warp 0. */
template <enum scan_operator OP, enum how HOW, typename T>
__device__ T before_tile(tile_status<T> *statuses, unsigned tile, T total) {
    T before = identity<OP, T>();
    if (HOW == ALONE) return before;
    (void)statuses, (void)total;
    /* Step 9.  One lane publishes the total. HOW == NEIGHBOUR: ask_neighbour,
     *          and that is the result. Tile 0 has nobody to ask, and its total
     *          is its prefix.
     * Step 11. HOW == SERIALLY: look_serially, then publish the prefix.
     * Step 15. HOW == BY_WINDOWS: look_by_windows instead. About 9 lines. */
    return before;
}

template <typename T, enum scan_operator OP, enum how HOW, bool EXCLUSIVE>
__global__ void scan(const T *in, T *out, size_t n, tile_status<T> *statuses,
                     unsigned *counter) {
    unsigned tile = take_ticket(counter);
    wide<T> x[wide<T>::ROWS];
    load_tile<OP>(x, in, n, tile);
    /* Step 5. Every warp scans its elements and leaves its total in shared
     *         memory; warp 0 scans the totals (scan_lanes), asks before_tile
     *         what lies before the tile, and writes down what lies before each
     *         warp; every thread puts that before its elements.
     *         HOW == NEIGHBOUR: every element becomes what before_tile says,
     *         and nothing else. About 25 lines. */
    (void)statuses;
    store_tile(x, out, n, tile);
}

/* One block per tile; status words and counter begin at 0. */
template <typename T, enum scan_operator OP, enum how HOW, bool EXCLUSIVE>
cudaError_t launch(const T *d_in, T *d_out, size_t n) {
    if (n == 0) return cudaSuccess;
    size_t tiles = (n + TILE - 1) / TILE;
    size_t bytes = tiles * sizeof(tile_status<T>) + sizeof(unsigned);
    tile_status<T> *statuses = NULL;
    cudaError_t status = cudaMalloc(&statuses, bytes);
    if (status == cudaSuccess) status = cudaMemsetAsync(statuses, 0, bytes);
    if (status == cudaSuccess) {
        scan<T, OP, HOW, EXCLUSIVE><<<(unsigned)tiles, BLOCK_THREADS>>>(
            d_in, d_out, n, statuses, (unsigned *)(statuses + tiles));
        status = cudaGetLastError();
    }
    cudaError_t freed = cudaFree(statuses); /* waits; NULL is fine */
    return status != cudaSuccess ? status : freed;
}

__global__ void write_tickets(int32_t *out, size_t n, unsigned *counter) {
    unsigned tile = take_ticket(counter);
    for (int k = 0; k < ITEMS; k++) {
        size_t i = (size_t)tile * TILE + k * BLOCK_THREADS + threadIdx.x;
        if (i < n) out[i] = (int32_t)tile;
    }
}

cudaError_t lookback_tickets(const int32_t *d_in, int32_t *d_out, size_t n) {
    (void)d_in;
    /* Step 2. Allocate a counter and set it to 0 (cudaMemsetAsync); launch
     *         write_tickets, one block per tile; free the counter. `launch`
     *         above shows how. About 12 lines. */
    return SCANLAB_TODO;
}

cudaError_t lookback_scan_tiles(const int32_t *d_in, int32_t *d_out, size_t n) {
    /* Step 6. launch<type, operator, how, exclusive?>(...), how: ALONE. */
    return SCANLAB_TODO;
}

cudaError_t lookback_neighbours(const int32_t *d_in, int32_t *d_out, size_t n) {
    /* Step 9. Likewise. */
    return SCANLAB_TODO;
}

cudaError_t lookback_scan_serially(const int32_t *d_in, int32_t *d_out,
                                   size_t n) {
    /* Step 11. Likewise. */
    return SCANLAB_TODO;
}

/* One warp per tile. */
__global__ void join_snapshot(const int32_t *prefix, const int32_t *values,
                              int32_t *out, size_t n) {
    /* Step 13. Which tile is this warp's? As long as join_window says that it
     *          was not all: the next 32 tiles, one per lane. Lanes that would
     *          look before tile 0 look at tile 0. About 14 lines. */
}

cudaError_t lookback_snapshot(const int32_t *d_prefix, const int32_t *d_values,
                              int32_t *d_out, size_t n) {
    /* Step 13. One warp per tile, WARPS per block. */
    return SCANLAB_TODO;
}

template <typename T>
cudaError_t launch_op(const T *d_in, T *d_out, size_t n, int op) {
    /* Step 15. One case per operator. */
    return SCANLAB_TODO;
}

cudaError_t lookback_scan_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                              int op) {
    return launch_op(d_in, d_out, n, op);
}

cudaError_t lookback_scan_i64(const int64_t *d_in, int64_t *d_out, size_t n,
                              int op) {
    /* Step 16. A 64-bit value needs two words: look at steps 7 and 8 again. */
    return SCANLAB_TODO;
}

cudaError_t lookback_exclusive_sum(const int32_t *d_in, int32_t *d_out,
                                   size_t n) {
    /* Step 17. EXCLUSIVE, step 4. */
    return SCANLAB_TODO;
}
