/* SPDX-License-Identifier: MIT
 *
 * lookback.cu: lab 6 at the hardware's limit; lookback.h says what the
 * functions promise. The scans look back at the sums of tiles only (board.cuh),
 * by three engines (tiles.cuh, wave.cuh, stream.cuh). The steps on the way are
 * the lab's own.
 */
#include "lookback.h"
#include "scanlab.h"

/* A place for every tile of 2^31 - 1 elements: blocks need not be resident all
 * at once then. 64-bit elements: 3328 in a tile at least, two words for its
 * sum. A power of two. */
enum { BOARD_WORDS = 1 << 21 };

#include "launch.cuh"
#include "lookback_steps.cuh"

template <typename T>
static cudaError_t scan_by(const T *in, T *out, size_t n, int op) {
    switch (op) {
    case SCAN_SUM:
        return fast_scan<operation<SCAN_SUM, T, false>, 1, true>(in, out, n, 1);
    case SCAN_MAX:
        return fast_scan<operation<SCAN_MAX, T, false>, 1, true>(in, out, n, 1);
    case SCAN_XOR:
        return fast_scan<operation<SCAN_XOR, T, false>, 1, true>(in, out, n, 1);
    case SCAN_AFFINE:
        return fast_scan<operation<SCAN_AFFINE, T, false>, 1, true>(in, out, n,
                                                                    1);
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t lookback_scan_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                              int op) {
    return scan_by(d_in, d_out, n, op);
}

cudaError_t lookback_scan_i64(const int64_t *d_in, int64_t *d_out, size_t n,
                              int op) {
    return scan_by(d_in, d_out, n, op);
}

cudaError_t lookback_exclusive_sum(const int32_t *d_in, int32_t *d_out,
                                   size_t n) {
    return fast_scan<operation<SCAN_SUM, int32_t, true>, 1, true>(d_in, d_out,
                                                                  n, 1);
}

/* ---- steps on the way ---- */

cudaError_t lookback_tickets(const int32_t *d_in, int32_t *d_out, size_t n) {
    return do_step<WRITE_NUMBER>(d_in, d_out, n);
}

cudaError_t lookback_scan_tiles(const int32_t *d_in, int32_t *d_out, size_t n) {
    return do_step<SCAN_ALONE>(d_in, d_out, n);
}

cudaError_t lookback_neighbours(const int32_t *d_in, int32_t *d_out, size_t n) {
    return do_step<ASK_NEIGHBOUR>(d_in, d_out, n);
}

cudaError_t lookback_scan_serially(const int32_t *d_in, int32_t *d_out,
                                   size_t n) {
    return do_step<LOOK_SERIALLY>(d_in, d_out, n);
}

cudaError_t lookback_snapshot(const int32_t *d_prefix, const int32_t *d_values,
                              int32_t *d_out, size_t n) {
    if (n == 0) return cudaSuccess;
    unsigned blocks = (unsigned)((n + TILE_WARPS - 1) / TILE_WARPS);
    snapshot_kernel<<<blocks, TILE_THREADS>>>(d_prefix, d_values, d_out, n);
    return cudaGetLastError();
}
