/* SPDX-License-Identifier: MIT
 *
 * sam.cu: lab 7 at the hardware's limit; sam.h says what the functions promise.
 * All orders of a scan are carried in one exchange, whatever the type. How:
 *
 *   algebra.cuh   what sums of order q are, and how they are carried past m
 *                 elements
 *   shape.cuh     the numbers found by measuring
 *   columns.cuh   a tile in shared memory and a group of threads that scans it
 *   board.cuh     what blocks tell each other
 *   tiles.cuh     the engine for small n and for every device
 *   wave.cuh      the engine for what all multiprocessors hold at once
 *   held.cuh      what it holds in shared memory
 *   stream.cuh    the engine for large n from compute capability 9.0 on
 *   groups.cuh    what its blocks tell each other where sums are long
 *   bulk.cuh      copies that the hardware makes by itself
 */
#include "sam.h"
#include "scanlab.h"

/* Room for 512 tiles of order 8, tuple 8, 64 bits; a power of two. */
enum { BOARD_WORDS = 1024 * 8 * 8 };

#include "launch.cuh"

static bool in_range(int order, int tuple) {
    return order >= 1 && order <= SAM_MAX_ORDER && tuple >= 1 &&
           tuple <= SAM_MAX_TUPLE;
}

/* Orders of single elements and tuples of order 1 have kernels of their own;
 * orders of tuples share one for each order. */
template <typename T, int Q>
cudaError_t scan_of_order(const T *in, T *out, size_t n, int tuple) {
    if (tuple == 1) return fast_scan<orders<T, Q>, 1, true>(in, out, n, 1);
    return fast_scan<orders<T, Q>, 0, true>(in, out, n, tuple);
}

template <typename T>
cudaError_t scan(const T *in, T *out, size_t n, int order, int tuple) {
    if (!in_range(order, tuple)) return cudaErrorInvalidValue;
    switch (order) {
    case 1: return scan_of_order<T, 1>(in, out, n, tuple);
    case 2: return scan_of_order<T, 2>(in, out, n, tuple);
    case 3: return scan_of_order<T, 3>(in, out, n, tuple);
    case 4: return scan_of_order<T, 4>(in, out, n, tuple);
    case 5: return scan_of_order<T, 5>(in, out, n, tuple);
    case 6: return scan_of_order<T, 6>(in, out, n, tuple);
    case 7: return scan_of_order<T, 7>(in, out, n, tuple);
    default: return scan_of_order<T, 8>(in, out, n, tuple);
    }
}

cudaError_t sam_scan_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                         int order, int tuple) {
    return scan((const uint32_t *)d_in, (uint32_t *)d_out, n, order, tuple);
}

cudaError_t sam_scan_i64(const int64_t *d_in, int64_t *d_out, size_t n,
                         int order, int tuple) {
    return scan((const uint64_t *)d_in, (uint64_t *)d_out, n, order, tuple);
}

cudaError_t sam_scan_f32(const float *d_in, float *d_out, size_t n, int tuple) {
    if (!in_range(1, tuple)) return cudaErrorInvalidValue;
    return scan_of_order<float, 1>(d_in, d_out, n, tuple);
}

/* Not part of the lab: for the comparison of types. */
extern "C" cudaError_t sam_scan_f64(const double *d_in, double *d_out, size_t n,
                                    int tuple) {
    if (!in_range(1, tuple)) return cudaErrorInvalidValue;
    return scan_of_order<double, 1>(d_in, d_out, n, tuple);
}

/* Blocks of 256 threads whatever n is: without the streaming engine. */
template <int Q>
static cudaError_t scan_once(const uint32_t *in, uint32_t *out, size_t n,
                             int tuple) {
    return tuple == 1
               ? fast_scan<orders<uint32_t, Q>, 1, false>(in, out, n, 1)
               : fast_scan<orders<uint32_t, Q>, 0, false>(in, out, n, tuple);
}

cudaError_t sam_scan_once_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                              int order, int tuple) {
    static cudaError_t (*const of[])(const uint32_t *, uint32_t *, size_t,
                                     int) = {
        scan_once<1>, scan_once<2>, scan_once<3>, scan_once<4>,
        scan_once<5>, scan_once<6>, scan_once<7>, scan_once<8>};
    if (!in_range(order, tuple)) return cudaErrorInvalidValue;
    return of[order - 1]((const uint32_t *)d_in, (uint32_t *)d_out, n, tuple);
}

/* ---- the inverse ---- */

enum {
    ENCODE_THREADS = 256,
    ENCODE_BYTES = 16384, /* of a block's elements */
    MOST_BEFORE = SAM_MAX_ORDER * SAM_MAX_TUPLE
};

/* The difference of order q: the binomials of q with alternating signs. */
struct binomials {
    int of[SAM_MAX_ORDER + 1];
};

template <typename T>
__global__ void __launch_bounds__(ENCODE_THREADS)
    encode_kernel(const T *in, T *out, size_t n, int order, int tuple,
                  binomials c) {
    enum { SIZE = ENCODE_BYTES / sizeof(T) };
    __shared__ __align__(16) T room[MOST_BEFORE + SIZE];
    T *tile = room + MOST_BEFORE;
    int t = threadIdx.x, before = order * tuple;
    size_t first = (size_t)blockIdx.x * SIZE;
    int length = (int)min((size_t)SIZE, n - first);
    load_tile<orders<T, 1>, ENCODE_THREADS>(tile, SIZE, in + first, length, t);
    if (t < before)
        tile[t - before] = blockIdx.x > 0 ? in[first + t - before] : 0;
    __syncthreads();
    T x[SIZE / ENCODE_THREADS];
#pragma unroll
    for (int j = 0; j < SIZE / ENCODE_THREADS; j++) {
        const T *at = tile + j * ENCODE_THREADS + t;
        x[j] = *at;
        for (int k = 1; k <= order; k++) x[j] += (T)c.of[k] * at[-k * tuple];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < SIZE / ENCODE_THREADS; j++)
        tile[j * ENCODE_THREADS + t] = x[j];
    __syncthreads();
    store_tile<ENCODE_THREADS>(out + first, tile, length, t);
}

template <typename T>
static cudaError_t encode(const T *in, T *out, size_t n, int order, int tuple) {
    if (!in_range(order, tuple)) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    binomials c = {{1}};
    for (int k = 1; k <= order; k++)
        c.of[k] = -c.of[k - 1] * (order - k + 1) / k;
    size_t size = ENCODE_BYTES / sizeof(T);
    encode_kernel<<<(unsigned)((n + size - 1) / size), ENCODE_THREADS>>>(
        in, out, n, order, tuple, c);
    return cudaGetLastError();
}

cudaError_t sam_encode_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                           int order, int tuple) {
    return encode((const uint32_t *)d_in, (uint32_t *)d_out, n, order, tuple);
}

cudaError_t sam_encode_i64(const int64_t *d_in, int64_t *d_out, size_t n,
                           int order, int tuple) {
    return encode((const uint64_t *)d_in, (uint64_t *)d_out, n, order, tuple);
}

/* Steps on the way. The scans above need none of them; here they are done by a
 * thread per chunk. */
__global__ void sum_before(const int32_t *in, int32_t *out) {
    int32_t sum = 0;
    for (unsigned i = 0; i < blockIdx.x; i++) sum = scan_add(sum, in[i]);
    out[blockIdx.x] = sum;
}

cudaError_t sam_announce_i32(const int32_t *d_in, int32_t *d_out, size_t n) {
    return cudaMemcpyAsync(d_out, d_in, n * sizeof *d_out,
                           cudaMemcpyDeviceToDevice);
}

cudaError_t sam_await_i32(const int32_t *d_in, int32_t *d_out, size_t n) {
    sum_before<<<(unsigned)n, 1>>>(d_in, d_out);
    return cudaGetLastError();
}

cudaError_t sam_collect_i32(const int32_t *d_in, int32_t *d_out, size_t n) {
    return sam_await_i32(d_in, d_out, n);
}

cudaError_t sam_round_trip_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                               int order, int tuple) {
    cudaError_t status = sam_encode_i32(d_in, d_out, n, order, tuple);
    if (status != cudaSuccess) return status;
    return sam_scan_i32(d_out, d_out, n, order, tuple);
}

cudaError_t sam_round_trip_i64(const int64_t *d_in, int64_t *d_out, size_t n,
                               int order, int tuple) {
    cudaError_t status = sam_encode_i64(d_in, d_out, n, order, tuple);
    if (status != cudaSuccess) return status;
    return sam_scan_i64(d_out, d_out, n, order, tuple);
}
