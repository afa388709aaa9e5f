/* SPDX-License-Identifier: MIT
 *
 * chained.cu: lab 5. LightScan: tiles in registers, a fixed grid, one carry
 * per tile. chained.h says what the functions promise, the handout
 * (labs/05-chained/README.md) why it works.
 *
 * How to read this: from a row (scan_row) to a warp (scan_warp), a block
 * (scan_tile), the array (scan_chain). Thread `lane` of a warp holds x[0], ...,
 * x[ROWS-1]: column `lane` of a matrix whose rows lie one behind the other. The
 * steps are in order, but 9 (grid_for) and 10 (scan_shifted) stand far below.
 */
#include "chained.h"
#include "scanlab.h"

enum {
    ROW = CHAINED_ROW,
    ROWS = CHAINED_ROWS,
    WARPS = CHAINED_WARPS,
    TILE = CHAINED_TILE,
    BLOCK_THREADS = WARPS * ROW
};
#define ALL_LANES 0xffffffffu

inline __device__ int lane_number(void) {
    return (int)threadIdx.x % ROW;
}

inline __device__ int warp_number(void) {
    return (int)threadIdx.x / ROW;
}

/* The index of this thread's element in the given row of the given tile. */
inline __device__ size_t element(size_t tile, int row) {
    return tile * TILE + (size_t)(warp_number() * ROWS + row) * ROW +
           (size_t)lane_number();
}

/* What lies past n counts as 0. */
inline __device__ void load_tile(int32_t x[ROWS], const int32_t *in, size_t n,
                                 size_t tile) {
#ifdef SOLUTION
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        size_t i = element(tile, row);
        x[row] = i < n ? in[i] : 0;
    }
#else
    /* Step 1. x[row] = the element at element(tile, row), for every row. Is
     *         there one? The loop wants "#pragma unroll", so that every x[row]
     *         is a register. About 5 lines. */
#endif
}

/* Element i goes to out[i + shift]. */
inline __device__ void store_tile(const int32_t x[ROWS], int32_t *out, size_t n,
                                  size_t tile, size_t shift) {
#ifdef SOLUTION
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        size_t i = element(tile, row) + shift;
        if (i < n) out[i] = x[row];
    }
#else
    /* Step 2. The way back. shift is 0 until step 15. About 5 lines. */
#endif
}

/* Inclusive scan across the lanes of a warp. */
inline __device__ int32_t scan_row(int32_t x) {
#ifdef SOLUTION
#pragma unroll
    for (int distance = 1; distance < ROW; distance *= 2) {
        int32_t left = __shfl_up_sync(ALL_LANES, x, (unsigned)distance);
        if (lane_number() >= distance) x = scan_add(left, x);
    }
    return x;
#else
    /* Step 3. Lab 1 in a warp: distances 1, 2, 4, 8, 16. All lanes take part in
     *         every __shfl_up_sync, also those that have no use for what they
     *         get. About 6 lines. */
    return x;
#endif
}

/* Inclusive scan of the warp's elements, row after row. */
inline __device__ void scan_warp(int32_t x[ROWS]) {
#ifdef SOLUTION
    x[0] = scan_row(x[0]);
#pragma unroll
    for (int row = 1; row < ROWS; row++) {
        int32_t above = __shfl_sync(ALL_LANES, x[row - 1], ROW - 1);
        x[row] = scan_add(above, scan_row(x[row]));
    }
#else
    /* Step 5. What must be added to a row? Which lane has it? About 6 lines. */
#endif
}

/* Inclusive scan of the block's elements; returns their sum. Every thread of
 * the block calls it, and totals[] may be used again after the next barrier. */
inline __device__ int32_t scan_tile(int32_t x[ROWS], int32_t totals[WARPS]) {
#ifdef SOLUTION
    scan_warp(x);
    if (lane_number() == ROW - 1) totals[warp_number()] = x[ROWS - 1];
    __syncthreads(); /* every warp's total is there */
    if (warp_number() == 0) {
        int32_t mine = lane_number() < WARPS ? totals[lane_number()] : 0;
        mine = scan_row(mine);
        if (lane_number() < WARPS) totals[lane_number()] = mine;
    }
    __syncthreads(); /* and now what lies before it */
    int32_t left = warp_number() > 0 ? totals[warp_number() - 1] : 0;
#pragma unroll
    for (int row = 0; row < ROWS; row++) x[row] = scan_add(left, x[row]);
    return totals[WARPS - 1];
#else
    /* Step 7. scan_warp; the lane that knows its warp's total leaves it in
     *         totals; warp 0 scans them with scan_row; every warp adds what
     *         lies before it. Which two barriers does that need? About 12
     *         lines. */
    return 0;
#endif
}

/* Scans every row, warp or tile on its own: steps 4, 6 and 8. */
enum part { PART_ROW, PART_WARP, PART_TILE };

__global__ void scan_parts(const int32_t *in, int32_t *out, size_t n,
                           enum part part) {
    __shared__ int32_t totals[WARPS];
    int32_t x[ROWS];
    load_tile(x, in, n, blockIdx.x);
    if (part == PART_ROW) {
#pragma unroll
        for (int row = 0; row < ROWS; row++) x[row] = scan_row(x[row]);
    } else if (part == PART_WARP) {
        scan_warp(x);
    } else {
        scan_tile(x, totals);
    }
    store_tile(x, out, n, blockIdx.x, 0);
}

inline size_t tiles_of(size_t n) {
    return (n + TILE - 1) / TILE;
}

cudaError_t launch_parts(const int32_t *d_in, int32_t *d_out, size_t n,
                         enum part part) {
    if (n == 0) return cudaSuccess;
    unsigned blocks = (unsigned)tiles_of(n);
    scan_parts<<<blocks, BLOCK_THREADS>>>(d_in, d_out, n, part);
    return cudaGetLastError();
}

cudaError_t chained_scan_rows(const int32_t *d_in, int32_t *d_out, size_t n) {
#ifdef SOLUTION
    return launch_parts(d_in, d_out, n, PART_ROW);
#else
    /* Step 4. Steps 1 to 3 are all it takes: launch_parts. 1 line. */
    return SCANLAB_TODO;
#endif
}

cudaError_t chained_scan_warps(const int32_t *d_in, int32_t *d_out, size_t n) {
#ifdef SOLUTION
    return launch_parts(d_in, d_out, n, PART_WARP);
#else
    /* Step 6. Likewise, after step 5. 1 line. */
    return SCANLAB_TODO;
#endif
}

cudaError_t chained_scan_tiles(const int32_t *d_in, int32_t *d_out, size_t n) {
#ifdef SOLUTION
    return launch_parts(d_in, d_out, n, PART_TILE);
#else
    /* Step 8. Likewise, after step 7. 1 line. */
    return SCANLAB_TODO;
#endif
}

/* A carry says what the sum of everything up to the end of a tile is: value
 * in the lower half, READY in the upper one. Both travel in one word, so that
 * nobody can see one without the other; all bits 0: not sent yet. */
typedef unsigned long long status_word;
#define READY ((status_word)1 << 32)

/* volatile: past this SM's L1 to where all blocks look, each time anew. */
inline __device__ void send(status_word *status, int32_t value) {
#ifdef SOLUTION
    *(volatile status_word *)status = READY | (uint32_t)value;
#else
    /* Step 12. One store of one word. Mind what a negative value does to the
     *          upper half when it is widened. 1 line. */
#endif
}

inline __device__ int32_t receive(const status_word *status) {
#ifdef SOLUTION
    status_word word;
    do word = *(const volatile status_word *)status;
    while ((word & READY) == 0);
    return (int32_t)(uint32_t)word;
#else
    /* Step 13. Read the word until it is ready. About 4 lines. */
    return 0;
#endif
}

/* statuses: a status word per tile, for its carry; all bits 0. */
__global__ void scan_chain(const int32_t *in, int32_t *out, size_t n,
                           size_t shift, status_word *statuses) {
#ifdef SOLUTION
    __shared__ int32_t totals[WARPS], before;
    int32_t x[ROWS];
    for (size_t tile = blockIdx.x; tile * TILE < n; tile += gridDim.x) {
        load_tile(x, in, n, tile);
        int32_t total = scan_tile(x, totals);
        if (threadIdx.x == 0) {
            before = tile > 0 ? receive(&statuses[tile - 1]) : 0;
            send(&statuses[tile], scan_add(before, total));
        }
        __syncthreads(); /* before is there, totals have been read by all */
#pragma unroll
        for (int row = 0; row < ROWS; row++) x[row] = scan_add(before, x[row]);
        store_tile(x, out, n, tile, shift);
        /* before is written again behind the barriers of scan_tile. */
    }
    if (shift > 0 && blockIdx.x == 0 && threadIdx.x == 0) out[0] = 0;
#else
    /* Step 11. For tile = blockIdx.x, blockIdx.x + gridDim.x, ...: load it,
     *          scan_tile, store it. That is all for a single tile; put steps 9
     *          and 10 first. About 6 lines.
     * Step 14. Between scan_tile and the store: one thread receives (step 13)
     *          what lies before the tile and sends on (step 12) what lies up to
     *          its end; all add what lies before. Send before you store: the
     *          next block is waiting. Which barriers does that need, beyond
     *          those of scan_tile? Think of the next round, too. About 10
     *          lines.
     * Step 15. Exclusive: everything moves one place to the right (shift).
     *          What remains to be done? 1 line. */
#endif
}

/* As many blocks as the device holds at once, but no more than tiles. All of
 * them must run: a block that waits does not end, and so makes no room. */
cudaError_t grid_for(size_t n, unsigned *blocks) {
#ifdef SOLUTION
    int device = 0, sms = 0, per_sm = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount,
                                        device);
    if (status == cudaSuccess)
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &per_sm, scan_chain, BLOCK_THREADS, 0);
    size_t resident = (size_t)sms * (size_t)per_sm, tiles = tiles_of(n);
    *blocks = (unsigned)(resident < tiles ? resident : tiles);
    return status;
#else
    /* Step 9.  cudaDeviceGetAttribute(cudaDevAttrMultiProcessorCount) and
     *          cudaOccupancyMaxActiveBlocksPerMultiprocessor know. About 10
     *          lines. */
    *blocks = 0;
    return SCANLAB_TODO;
#endif
}

cudaError_t scan_shifted(const int32_t *d_in, int32_t *d_out, size_t n,
                         size_t shift) {
#ifdef SOLUTION
    if (n == 0) return cudaSuccess;
    unsigned blocks = 0;
    cudaError_t status = grid_for(n, &blocks);
    if (status != cudaSuccess) return status;

    status_word *statuses = NULL;
    size_t bytes = tiles_of(n) * sizeof *statuses;
    status = cudaMalloc(&statuses, bytes);
    if (status == cudaSuccess) status = cudaMemsetAsync(statuses, 0, bytes);
    if (status == cudaSuccess) {
        scan_chain<<<blocks, BLOCK_THREADS>>>(d_in, d_out, n, shift, statuses);
        status = cudaGetLastError();
    }
    cudaError_t freed = cudaFree(statuses); /* waits; NULL is fine */
    return status != cudaSuccess ? status : freed;
#else
    /* Step 10. A status word for each of tiles_of(n) carries, all bits 0
     *          (cudaMemsetAsync), and one launch; free the words, also after an
     *          error. About 15 lines. */
    return SCANLAB_TODO;
#endif
}

cudaError_t chained_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                   size_t n) {
    return scan_shifted(d_in, d_out, n, 0);
}

cudaError_t chained_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                   size_t n) {
#ifdef SOLUTION
    return scan_shifted(d_in, d_out, n, 1);
#else
    /* Step 16. 1 line, after step 15. */
    return SCANLAB_TODO;
#endif
}
