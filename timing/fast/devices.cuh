/* SPDX-License-Identifier: MIT
 *
 * devices.cuh: a scan across the devices of one host. Which kernels, how many
 * blocks; the calls of all devices come from one thread of the host.
 *
 * Parts that all multiprocessors hold at once (wave.cuh) are read once: a
 * device's letter leaves before anything is written. Longer parts are summed
 * first and read again: what the L2 cache still holds of them, from there.
 * Where tiles are dealt out, each is read once.
 */
#pragma once

#include "launch.cuh"
#include "parts.cuh"

/* Tiles that are dealt out together. */
#ifndef SHAPE_DEALT_TILES
#define SHAPE_DEALT_TILES 32
#endif

/* All devices are alike. */
struct several {
    int devices, processors;
    cudaStream_t stream[MOST_DEVICES];
    letter_word *inbox[MOST_DEVICES];
    unsigned letters; /* of each device, in an inbox */
    unsigned tag;     /* of the last call */
    unsigned chunk;   /* tiles that are dealt out together */
};

/* Columns of a part of a tile that is dealt out, and its elements. */
template <class A> int dealt_part(void) {
    typedef stream_engine<A, 1, USUAL, across<A>> engine;
    return engine::MOST_IN_PART - engine::MOST_IN_PART % engine::unit(1);
}
template <class A> size_t dealt_tile(void) {
    typedef stream_engine<A, 1, USUAL, across<A>> engine;
    return engine::in_tile(dealt_part<A>());
}

/* What a kernel may need is asked, and allowed, once for each device. */
template <typename kernel_type>
cudaError_t allow(kernel_type kernel, size_t bytes) {
    return cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
}
template <class A> cudaError_t prepare_part_kernels(void) {
    typedef stream_engine<A, 1, USUAL, across<A>> engine;
    cudaError_t status =
        allow(part_stream_kernel<A>, sizeof(typename engine::memory));
    if (status == cudaSuccess)
        status = allow(part_holding_kernel<A, SHAPE_WAVE_HOLD_ROWS>,
                       sizeof(pack<typename A::Elem>) * SHAPE_WAVE_HELD *
                           wave_shape<SHAPE_WAVE_HOLD_ROWS, true>::THREADS);
    return status;
}

/* ---- one device's part ---- */

template <typename T> struct part {
    const T *in;
    T *out;
    size_t n;
    int processors;
    cudaStream_t stream;
};

/* Tiles of a part; dealt: all of one length, whatever there is. */
template <class A>
cudaError_t stream_any(const part<typename A::Elem> &p, const post &others) {
    typedef stream_engine<A, 1, USUAL, across<A>> engine;
    stream_plan plan = engine::plan_for(p.n, 1, p.processors);
    if (others.layout == DEALT) plan.part = dealt_part<A>();
    size_t size = engine::in_tile(plan.part), tiles = (p.n + size - 1) / size;
    unsigned blocks = (unsigned)p.processors;
    if (blocks > tiles) blocks = (unsigned)tiles;
    part_stream_kernel<A>
        <<<blocks, engine::threads(plan), sizeof(typename engine::memory),
           p.stream>>>(p.in, p.out, p.n, plan, others);
    return cudaGetLastError();
}

/* *done: false where it does not fit. */
template <class A, int ROWS>
cudaError_t wave_part(const part<typename A::Elem> &p, const post &others,
                      bool *done) {
    if constexpr (ROWS <= 8) {
        typedef wave_shape<ROWS, false> shape;
        size_t most = (size_t)p.processors * shape::BESIDE;
        wave_grid is = wave_grid_for<typename A::Elem>(p.n, ROWS, most);
        if (is.threads > shape::THREADS)
            return wave_part<A, 2 * ROWS>(p, others, done);
        part_wave_kernel<A, ROWS><<<is.blocks, is.threads, 0, p.stream>>>(
            p.in, p.out, (unsigned)p.n, others.tag, others);
    } else {
        enum { HOLDS = SHAPE_WAVE_HOLD_ROWS };
        typedef wave_shape<HOLDS, true> shape;
        size_t most = (size_t)p.processors * shape::BESIDE;
        unsigned held = 1;
        wave_grid is = {};
        for (; held <= SHAPE_WAVE_HELD; held += 2) {
            is = wave_grid_for<typename A::Elem>(p.n, HOLDS + held, most);
            if (is.threads <= shape::THREADS) break;
        }
        if (held > SHAPE_WAVE_HELD) return cudaSuccess;
        size_t bytes = sizeof(pack<typename A::Elem>) * held * is.threads;
        part_holding_kernel<A, HOLDS>
            <<<is.blocks, is.threads, bytes, p.stream>>>(
                p.in, p.out, (unsigned)p.n, others.tag, held, others);
    }
    *done = true;
    return cudaGetLastError();
}

template <class A>
cudaError_t sum_part(const part<typename A::Elem> &p, const post &others) {
    size_t tile =
        (size_t)REDUCE_THREADS * REDUCE_AT_ONCE * pack<typename A::Elem>::SIZE;
    size_t tiles = (p.n + tile - 1) / tile, blocks = 2 * (size_t)p.processors;
    if (blocks > tiles) blocks = tiles;
    part_sum_kernel<A>
        <<<(unsigned)blocks, REDUCE_THREADS, 0, p.stream>>>(p.in, p.n, others);
    return cudaGetLastError();
}

/* Do all multiprocessors hold so many elements at once? */
template <typename T> bool is_held(size_t n, int processors) {
    typedef wave_shape<SHAPE_WAVE_HOLD_ROWS, true> shape;
    size_t most = (size_t)processors * shape::BESIDE;
    enum { ROWS = SHAPE_WAVE_HOLD_ROWS + SHAPE_WAVE_HELD };
    return wave_grid_for<T>(n, ROWS, most).threads <= shape::THREADS;
}

/* ---- all of them ---- */

/* n: what each device has; tile: elements of a tile that is dealt out. */
inline post post_for(const several *s, enum layout layout, int device,
                     const size_t *n, size_t tile) {
    post others = {};
    others.layout = layout;
    others.device = (unsigned)device;
    others.devices = (unsigned)s->devices;
    others.tag = s->tag;
    others.chunk = layout == DEALT ? s->chunk : ~0u;
    for (int d = 0; d < s->devices; d++)
        others.tiles[d] = (unsigned)((n[d] + tile - 1) / tile);
    others.letters = s->letters;
    for (int d = 0; d < s->devices; d++) others.inbox[d] = s->inbox[d];
    return others;
}

/* in[d], out[d], n[d]: what device d has (devices_plan.h says what that is). No
 * part of a layout but the last ones may be empty. Returns when all is under
 * way. */
template <class A>
cudaError_t scan_across(several *s, enum layout layout,
                        const typename A::Elem *const *in,
                        typename A::Elem *const *out, const size_t *n) {
    typedef typename A::Elem T;
    s->tag = next_tag();
    bool held = layout != DEALT && is_held<T>(n[0], s->processors);
    for (int step = 0; step < 2; step++)
        for (int d = 0; d < s->devices; d++) {
            part<T> p = {in[d], out[d], n[d], s->processors, s->stream[d]};
            bool sums = layout != DEALT && !held && d + 1 < s->devices;
            if (p.n == 0 || (step == 0 && !sums)) continue;
            post others = post_for(s, layout, d, n, dealt_tile<A>());
            cudaError_t status = cudaSetDevice(d);
            bool done = false;
            if (status != cudaSuccess) return status;
            if (step == 0)
                status = sum_part<A>(p, others);
            else if (held)
                status = wave_part<A, 1>(p, others, &done);
            if (step == 1 && !done && status == cudaSuccess)
                status = stream_any<A>(p, others);
            if (status != cudaSuccess) return status;
        }
    return cudaSuccess;
}
