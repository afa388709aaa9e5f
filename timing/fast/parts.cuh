/* SPDX-License-Identifier: MIT
 *
 * parts.cuh: the kernels of a scan across devices: the engines of one device
 * with what lies outside (across.cuh), and the sum of a device's part, which
 * others wait for where the part is too long to be held (wave.cuh).
 */
#pragma once

#include "across.cuh"
#include "stream.cuh"
#include "tiles.cuh"
#include "wave.cuh"

enum { REDUCE_THREADS = 512, REDUCE_AT_ONCE = 8, REDUCE_MOST = 2048 };

template <class A>
__global__ void __launch_bounds__(stream_shape<A, 1, USUAL>::THREADS + 32, 1)
    part_stream_kernel(const typename A::Elem *in, typename A::Elem *out,
                       size_t n, stream_plan plan,
                       const __grid_constant__ post call) {
    extern __shared__ __align__(128) char bytes[];
    typedef stream_engine<A, 1, USUAL, across<A>> engine;
    engine e(*(typename engine::memory *)bytes, in, out, n, tuples<1>{1}, plan,
             across<A>(call));
    e.run();
}

template <class A, int ROWS>
__global__ void __launch_bounds__(wave_shape<ROWS, false>::THREADS,
                                  wave_shape<ROWS, false>::BESIDE)
    part_wave_kernel(const typename A::Elem *in, typename A::Elem *out,
                     unsigned n, unsigned tag,
                     const __grid_constant__ post call) {
    typedef wave_engine<A, ROWS, false, across<A>> engine;
    __shared__ typename engine::memory memory;
    engine e(memory, in, out, n, tag, 0, across<A>(call));
    e.run();
}

template <class A, int ROWS>
__global__ void __launch_bounds__(wave_shape<ROWS, true>::THREADS,
                                  wave_shape<ROWS, true>::BESIDE)
    part_holding_kernel(const typename A::Elem *in, typename A::Elem *out,
                        unsigned n, unsigned tag, unsigned held,
                        const __grid_constant__ post call) {
    typedef wave_engine<A, ROWS, true, across<A>> engine;
    extern __shared__ __align__(128) char bytes[];
    __shared__ typename engine::memory memory;
    engine e(memory, in, out, n, tag, held, across<A>(call));
    e.run_holding((typename engine::row *)bytes, held);
}

static __device__ unsigned long long the_part_sums[REDUCE_MOST];
static __device__ unsigned the_parts_done;

template <class A> __device__ typename A::Sum join_block(typename A::Sum sum) {
    __shared__ typename A::Sum of_warp[REDUCE_THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 16; d > 0; d /= 2) sum = A::join(sum, shuffle_down(sum, d));
    __syncthreads();
    if (lane == 0) of_warp[warp] = sum;
    __syncthreads();
    sum = A::none();
    for (int w = 0; w < REDUCE_THREADS / 32; w++)
        sum = A::join(sum, of_warp[w]);
    return sum;
}

/* What all of it comes to, from its end to its beginning: the L2 cache then
 * holds what the scan will read first. In the same order whenever it is called.
 * The last block sends it. */
template <class A>
__global__ void __launch_bounds__(REDUCE_THREADS, 2)
    part_sum_kernel(const typename A::Elem *in, size_t n,
                    const __grid_constant__ post call) {
    typedef typename A::Elem T;
    typedef typename A::Sum Sum;
    typedef pack<T> row;
    enum { TILE = REDUCE_THREADS * REDUCE_AT_ONCE };
    const row *packs = (const row *)in;
    size_t wide = n / row::SIZE, whole = wide / TILE;
    Sum sum = A::none();
    for (size_t t = blockIdx.x; t < whole; t += gridDim.x) {
        const row *from = packs + (whole - 1 - t) * TILE + threadIdx.x;
        row x[REDUCE_AT_ONCE];
#pragma unroll
        for (int k = 0; k < REDUCE_AT_ONCE; k++)
            x[k] = from[k * REDUCE_THREADS];
#pragma unroll
        for (int k = 0; k < REDUCE_AT_ONCE; k++)
#pragma unroll
            for (int i = 0; i < row::SIZE; i++) A::next(sum, x[k].item[i]);
    }
    if (blockIdx.x == 0)
        for (size_t i = whole * TILE * row::SIZE + threadIdx.x; i < n;
             i += REDUCE_THREADS)
            A::next(sum, in[i]);
    sum = join_block<A>(sum);
    __shared__ bool last;
    if (threadIdx.x == 0) {
        unsigned long long bits = 0;
        memcpy(&bits, &sum, sizeof sum);
        the_part_sums[blockIdx.x] = bits;
        __threadfence();
        last = atomicAdd(&the_parts_done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    sum = A::none();
    for (unsigned b = threadIdx.x; b < gridDim.x; b += REDUCE_THREADS) {
        unsigned long long bits = load_word(&the_part_sums[b]);
        Sum more;
        memcpy(&more, &bits, sizeof more);
        sum = A::join(sum, more);
    }
    sum = join_block<A>(sum);
    if (threadIdx.x > 0) return;
    the_parts_done = 0;
    across<A>(call).send(sum);
}
