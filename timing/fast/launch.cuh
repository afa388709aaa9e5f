/* SPDX-License-Identifier: MIT
 *
 * launch.cuh: which engine, how many blocks.
 */
#pragma once

#include "stream.cuh"
#include "tiles.cuh"
#include "wave.cuh"

/* Bytes from which on streaming is faster (research/performance.md). */
#ifndef STREAM_FROM_BYTES
#define STREAM_FROM_BYTES ((size_t)24 << 20)
#endif
/* And long sums, of which tiles have few elements, from here on. */
#ifndef SHAPE_LONG_STREAM_FROM
#define SHAPE_LONG_STREAM_FROM ((size_t)6 << 20)
#endif
template <class A> size_t stream_from(void) {
    const size_t usual = STREAM_FROM_BYTES, longer = SHAPE_LONG_STREAM_FROM;
    bool is_long = A::SHIFTS && sizeof(typename A::Sum) >= 64;
    return is_long && longer < usual ? longer : usual;
}
/* But a wave that holds some in shared memory, too, goes as far as this. */
#ifndef SHAPE_HOLD_TO_BYTES
#define SHAPE_HOLD_TO_BYTES (STREAM_FROM_BYTES / 2 * 3)
#endif

/* What is asked of a device, or of a kernel on it, is asked once. */
inline cudaError_t multiprocessors(int *processors, int device) {
    static int of_device = -1, count;
    if (of_device != device) {
        cudaError_t status = cudaDeviceGetAttribute(
            &count, cudaDevAttrMultiProcessorCount, device);
        if (status != cudaSuccess) return status;
        of_device = device;
    }
    *processors = count;
    return cudaSuccess;
}

struct capacity {
    int device, resident; /* blocks on all of the device; 0: none */
};

template <typename kernel_type>
cudaError_t measure(capacity *c, kernel_type kernel, int device, int threads,
                    size_t dynamic) {
    int processors = 0;
    c->resident = 0;
    cudaError_t status = multiprocessors(&processors, device);
    if (status == cudaSuccess && dynamic > 0) {
        int most = 0;
        cudaFuncAttributes is;
        status = cudaDeviceGetAttribute(
            &most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        if (status == cudaSuccess) status = cudaFuncGetAttributes(&is, kernel);
        if (status != cudaSuccess) return status;
        c->device = device;
        if (is.ptxVersion < 90 || (size_t)most < dynamic) return cudaSuccess;
        status = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)dynamic);
    }
    if (status == cudaSuccess)
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &c->resident, kernel, threads, dynamic);
    if (status != cudaSuccess) return status;
    c->device = device;
    c->resident *= processors;
    return cudaSuccess;
}

inline bool is_aligned(const void *p) {
    return (uintptr_t)p % 16 == 0;
}

template <class A, int S, int ITEMS>
cudaError_t scan_in_tiles(const typename A::Elem *in, typename A::Elem *out,
                          size_t n, int tuple, int device) {
    typedef tile_engine<A, S, ITEMS> engine;
    static capacity can = {-1, 0};
    if (can.device != device) {
        cudaError_t status = measure(&can, scan_tiles_kernel<A, S, ITEMS>,
                                     device, TILE_THREADS, 0);
        if (status != cudaSuccess) return status;
    }
    size_t size = engine::size(tuple), tiles = (n + size - 1) / size;
    size_t blocks = can.resident;
    if (blocks > MOST_BLOCKS) blocks = MOST_BLOCKS;
    if (blocks > tiles) blocks = tiles;
    scan_tiles_kernel<A, S, ITEMS>
        <<<(unsigned)blocks, TILE_THREADS>>>(in, out, n, tuples<S>{tuple});
    return cudaGetLastError();
}

/* What a streaming kernel makes of A. */
template <class A, int S, stream_kind KIND>
using stream_algebra = std::conditional_t<stream_shape<A, S, KIND>::SQUARES,
                                          typename squaring<A>::type, A>;

/* *done: false when the device cannot stream. */
template <class A, int S, stream_kind KIND = USUAL>
cudaError_t scan_in_stream(const typename A::Elem *in, typename A::Elem *out,
                           size_t n, int tuple, int device, bool *done) {
    typedef stream_algebra<A, S, KIND> algebra;
    typedef stream_engine<algebra, S, KIND> engine;
    if constexpr (KIND == USUAL && engine::shape::SPLITS_SLOTS)
        if (engine::shape::is_long(tuple))
            return scan_in_stream<A, S, LONG_SLOTS>(in, out, n, tuple, device,
                                                    done);
    static capacity can = {-1, 0};
    *done = false;
    if (can.device != device) {
        cudaError_t status =
            measure(&can, scan_stream_kernel<algebra, S, KIND>, device,
                    engine::THREADS, sizeof(typename engine::memory));
        if (status != cudaSuccess) return status;
    }
    if (can.resident == 0) return cudaSuccess;
    stream_plan plan = engine::plan_for(n, tuple, can.resident);
    size_t size = engine::in_tile(plan.part), tiles = (n + size - 1) / size;
    size_t blocks = can.resident;
    if (blocks > tiles) blocks = tiles;
    scan_stream_kernel<algebra, S, KIND>
        <<<(unsigned)blocks, engine::threads(plan),
           sizeof(typename engine::memory)>>>(in, out, n, tuples<S>{tuple},
                                              plan);
    *done = true;
    return cudaGetLastError();
}

/* Of this file's kernels: the number of the next call, which is its tag. */
inline unsigned next_tag(void) {
    static unsigned last;
    if (++last == 0) last = 1; /* what static memory begins with */
    return last;
}

/* Blocks of a wave at most: all are resident. */
inline cudaError_t blocks_of_wave(size_t *most, const capacity &can, int beside,
                                  int device) {
    int processors = 0;
    cudaError_t status = multiprocessors(&processors, device);
    *most = (size_t)processors * beside;
    if (*most > (size_t)can.resident) *most = can.resident;
    if (*most > WAVE_BLOCKS) *most = WAVE_BLOCKS;
    return status;
}

struct wave_grid {
    unsigned blocks, threads;
};

/* A warp's part has so many packs for each lane; as many warps as there are
 * parts, dealt out to all multiprocessors. */
template <typename T>
wave_grid wave_grid_for(size_t n, size_t packs, size_t most) {
    size_t part = 32 * packs * pack<T>::SIZE;
    size_t warps = (n + part - 1) / part;
    size_t in_block = (warps + most - 1) / most;
    if (in_block < SHAPE_WAVE_LEAST / 32) in_block = SHAPE_WAVE_LEAST / 32;
    return wave_grid{(unsigned)((warps + in_block - 1) / in_block),
                     (unsigned)(32 * in_block)};
}

/* *done: false where it does not fit ROWS packs for a thread. */
template <class A, int ROWS>
cudaError_t scan_in_wave(const typename A::Elem *in, typename A::Elem *out,
                         size_t n, int device, bool *done) {
    typedef wave_shape<ROWS, false> shape;
    static capacity can = {-1, 0};
    *done = false;
    cudaError_t status = cudaSuccess;
    if (can.device != device)
        status =
            measure(&can, scan_wave_kernel<A, ROWS>, device, shape::THREADS, 0);
    size_t most = 0;
    if (status == cudaSuccess)
        status = blocks_of_wave(&most, can, shape::BESIDE, device);
    if (status != cudaSuccess || most == 0) return status;
    wave_grid is = wave_grid_for<typename A::Elem>(n, ROWS, most);
    if (is.threads > shape::THREADS) return cudaSuccess;
    scan_wave_kernel<A, ROWS>
        <<<is.blocks, is.threads>>>(in, out, (unsigned)n, next_tag());
    *done = true;
    return cudaGetLastError();
}

/* The same, with as few packs of a thread in shared memory as will do. *done:
 * false where that does not do, or the device cannot. */
template <class A>
cudaError_t scan_in_holding_wave(const typename A::Elem *in,
                                 typename A::Elem *out, size_t n, int device,
                                 bool *done) {
    enum { ROWS = SHAPE_WAVE_HOLD_ROWS, MOST = SHAPE_WAVE_HELD };
    typedef wave_shape<ROWS, true> shape;
    typedef pack<typename A::Elem> row;
    static_assert(MOST % 2 == 1, "held.cuh wants odd columns");
    static capacity can = {-1, 0};
    *done = false;
    cudaError_t status = cudaSuccess;
    if (can.device != device)
        status = measure(&can, scan_holding_wave_kernel<A, ROWS>, device,
                         shape::THREADS, sizeof(row) * MOST * shape::THREADS);
    size_t most = 0;
    if (status == cudaSuccess)
        status = blocks_of_wave(&most, can, shape::BESIDE, device);
    if (status != cudaSuccess || most == 0) return status;
    unsigned held = 1;
    wave_grid is = {};
    for (; held <= MOST; held += 2) {
        is = wave_grid_for<typename A::Elem>(n, ROWS + held, most);
        if (is.threads <= shape::THREADS) break;
    }
    if (held > MOST) return cudaSuccess;
    scan_holding_wave_kernel<A, ROWS>
        <<<is.blocks, is.threads, sizeof(row) * held * is.threads>>>(
            in, out, (unsigned)n, next_tag(), held);
    *done = true;
    return cudaGetLastError();
}

/* With as few packs for a thread as will do. */
template <class A, int ROWS>
cudaError_t scan_in_one_wave(const typename A::Elem *in, typename A::Elem *out,
                             size_t n, int device, bool *done) {
    enum { MOST = sizeof *in == 8 ? SHAPE_WAVE_ROWS_64 : SHAPE_WAVE_ROWS_32 };
    *done = false;
    if constexpr (ROWS <= MOST) {
        cudaError_t status = scan_in_wave<A, ROWS>(in, out, n, device, done);
        if (*done || status != cudaSuccess) return status;
        return scan_in_one_wave<A, 2 * ROWS>(in, out, n, device, done);
    }
    if constexpr (ROWS > MOST && MOST > 0 && SHAPE_WAVE_HELD > 0)
        if (n * sizeof *in < SHAPE_HOLD_TO_BYTES)
            return scan_in_holding_wave<A>(in, out, n, device, done);
    return cudaSuccess;
}

/* One wave is for calls that follow one another and are made once (wave.cuh).
 */
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
enum { CALLS_FOLLOW = 0 };
#else
enum { CALLS_FOLLOW = 1 };
#endif

/* STREAMS: instantiate the engines for large and for very small n, too. Small
 * tiles as long as there are only few of them for a multiprocessor. */
template <class A, int S, bool STREAMS>
cudaError_t fast_scan(const typename A::Elem *in, typename A::Elem *out,
                      size_t n, int tuple) {
    if (n == 0) return cudaSuccess;
    int device = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status != cudaSuccess) return status;
    const size_t wave_to = STREAM_FROM_BYTES < SHAPE_HOLD_TO_BYTES
                               ? SHAPE_HOLD_TO_BYTES
                               : STREAM_FROM_BYTES;
    if constexpr (CALLS_FOLLOW && STREAMS && S == 1 && !A::SHIFTS &&
                  !A::IN_ORDER)
        if (n * sizeof *in < wave_to && is_aligned(in) && is_aligned(out)) {
            bool done;
            status = scan_in_one_wave<A, 1>(in, out, n, device, &done);
            if (done || status != cudaSuccess) return status;
        }
    if constexpr (STREAMS)
        if (n * sizeof *in >= stream_from<A>() && is_aligned(in) &&
            is_aligned(out)) {
            bool done;
            status = scan_in_stream<A, S>(in, out, n, tuple, device, &done);
            if (done || status != cudaSuccess) return status;
        }
    enum {
        MANY = column<typename A::Elem>::ITEMS,
        FEW = sizeof *in == 8 ? SHAPE_FEW_64 : SHAPE_FEW_32,
        SMALL_TILE = TILE_THREADS * FEW
    };
    if constexpr (S == 1 && !A::SHIFTS) {
        int processors = 0;
        status = multiprocessors(&processors, device);
        if (status != cudaSuccess) return status;
        if (n <= (size_t)SHAPE_FEW_TILES * processors * SMALL_TILE)
            return scan_in_tiles<A, S, FEW>(in, out, n, tuple, device);
    }
    return scan_in_tiles<A, S, MANY>(in, out, n, tuple, device);
}
