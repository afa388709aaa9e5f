/* SPDX-License-Identifier: MIT
 *
 * wave.cuh: the engine for what all multiprocessors hold in registers at once:
 * a block on each, which reads its part of the input once, says what it comes
 * to, adds up what the blocks before it have said, and writes. Three trips to
 * memory, one after another, and nothing else that waits: no ticket, no
 * clearing, no ledger. The host counts the calls, and a call's number is the
 * tag of its words (board.cuh says what a tag is for), so that no block has to
 * tell the next call anything.
 *
 * So calls must follow one another, as they do on the legacy default stream,
 * made by one thread of the host: two at a time would write the same words. And
 * a tag must never come twice, as it would in a graph that is launched again.
 * CUDA refuses to capture the legacy stream; where a compiler option has made
 * the default stream one of each thread, which can be captured, this engine is
 * not used (launch.cuh).
 *
 * A thread has ROWS packs of 16 bytes; a warp's rows are 512 bytes each, one
 * behind another, so that every access of a warp is to neighbouring bytes.
 */
#pragma once

#include "board.cuh"
#include "tiles.cuh"

enum {
    WAVE_BLOCKS = 1024, /* at most */
    WAVE_AT_ONCE = 4    /* rows that are scanned together */
};

/* Threads of a block at most, and such blocks on a multiprocessor. */
template <int ROWS> struct wave_shape {
    enum {
        THREADS = ROWS > 2 ? SHAPE_WAVE_THREADS_LONG : SHAPE_WAVE_THREADS,
        BESIDE = 1024 / THREADS
    };
};

/* Word k of block b's sum is word k * WAVE_BLOCKS + b. */
static __device__ unsigned long long the_wave[2 * WAVE_BLOCKS];

template <class A, int ROWS> struct wave_engine {
    typedef typename A::Elem T;
    typedef typename A::Sum Sum;
    typedef pack<T> row;
    enum { WORDS = words_of<Sum>::WORDS };
    static_assert(WORDS <= 2, "the_wave has two words for a sum");

    enum { AT_ONCE = ROWS < WAVE_AT_ONCE ? ROWS : WAVE_AT_ONCE };

    struct memory {
        enum { WARPS = wave_shape<ROWS>::THREADS / 32 };
        Sum by_warp[WARPS];
        Sum before[WARPS]; /* the block, as far as each warp has looked */
    };

    static __device__ row load(const T *in, unsigned at, unsigned n) {
        if (n - at >= row::SIZE && at < n) return *(const row *)(in + at);
        row x;
#pragma unroll
        for (int i = 0; i < row::SIZE; i++)
            x.item[i] = at + i < n ? in[at + i] : A::nothing();
        return x;
    }
    static __device__ void store(T *out, unsigned at, unsigned n,
                                 const row &x) {
        if (n - at >= row::SIZE && at < n) {
            *(row *)(out + at) = x;
            return;
        }
#pragma unroll
        for (int i = 0; i < row::SIZE; i++)
            if (at + i < n) out[at + i] = x.item[i];
    }

    static __device__ Sum from_lane(const Sum &sum, int lane) {
        words_of<Sum> w(sum);
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            w.word[k] = __shfl_sync(ALL_LANES, w.word[k], lane);
        return w.sum();
    }
    /* What the first `lanes` lanes have together; lane 0 learns it, and all do
     * when `lanes` is 32. Others have nothing. */
    static __device__ Sum of_lanes(Sum sum, unsigned lanes = 32) {
#pragma unroll
        for (unsigned d = 1; d < 32; d *= 2) {
            if (d >= lanes) break;
            words_of<Sum> w(sum);
#pragma unroll
            for (int k = 0; k < WORDS; k++)
                w.word[k] = __shfl_xor_sync(ALL_LANES, w.word[k], d);
            sum = A::join(sum, w.sum());
        }
        return sum;
    }

    static __device__ void publish(const Sum &sum, unsigned tag) {
        words_of<Sum> w(sum);
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            store_word(&the_wave[k * WAVE_BLOCKS + blockIdx.x], tag, w.word[k]);
    }

    /* What some of the blocks before this one come to: block `block`, and so on
     * in steps of `step`, whose words each lane waits for by itself. */
    static __device__ Sum look_back(unsigned block, unsigned step,
                                    unsigned tag) {
        Sum sum = A::none();
        for (; block < blockIdx.x; block += step) {
            words_of<Sum> words;
            unsigned long long w[WORDS];
            bool some;
            do {
                some = false;
#pragma unroll
                for (int k = 0; k < WORDS; k++)
                    w[k] = load_word(&the_wave[k * WAVE_BLOCKS + block]);
#pragma unroll
                for (int k = 0; k < WORDS; k++) some |= w[k] >> 32 != tag;
            } while (some);
#pragma unroll
            for (int k = 0; k < WORDS; k++) words.word[k] = (unsigned)w[k];
            sum = A::join(sum, words.sum());
        }
        __syncwarp();
        return of_lanes(sum);
    }

    /* Rows r, r + 1, ... become what they are behind `before`, which moves on.
     */
    static __device__ void scan_rows(row *x, int r, unsigned lane,
                                     Sum &before) {
        Sum upto[AT_ONCE]; /* of the row, inclusive */
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            row &p = x[r + k];
            upto[k] = A::none();
#pragma unroll
            for (int i = 0; i < row::SIZE; i++) A::next(upto[k], p.item[i]);
        }
#pragma unroll
        for (int d = 1; d < 32; d *= 2)
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) {
                Sum left = shuffle_up(upto[k], d);
                if (lane >= d) upto[k] = A::join(left, upto[k]);
            }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            Sum left = shuffle_up(upto[k], 1);
            Sum s = lane == 0 ? before : A::join(before, left);
            before = A::join(before, from_lane(upto[k], 31));
            row &p = x[r + k];
#pragma unroll
            for (int i = 0; i < row::SIZE; i++)
                p.item[i] = A::next(s, p.item[i]);
        }
    }

    static __device__ void run(memory &m, const T *in, T *out, unsigned n,
                               unsigned tag) {
        unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        unsigned warps = blockDim.x / 32;
        unsigned first =
            ((blockIdx.x * warps + warp) * ROWS * 32 + lane) * row::SIZE;
        row x[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            x[r] = load(in, first + r * 32 * row::SIZE, n);
        /* What the block comes to, first of all: all others wait for it. */
        Sum sum = A::none();
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int i = 0; i < row::SIZE; i++) A::next(sum, x[r].item[i]);
        sum = of_lanes(sum);
        if (lane == 0) m.by_warp[warp] = sum;
        __syncthreads();
        if (warp == 0) {
            sum = of_lanes(lane < warps ? m.by_warp[lane] : A::none(), warps);
            if (lane == 0) publish(sum, tag);
        }
        /* Then, while it is on its way, the rows, behind what lies before
         * them in the block. */
        Sum before = of_lanes(lane < warp ? m.by_warp[lane] : A::none());
#pragma unroll
        for (int r = 0; r < ROWS; r += AT_ONCE) scan_rows(x, r, lane, before);
        sum = look_back(threadIdx.x, blockDim.x, tag);
        if (lane == 0) m.before[warp] = sum;
        __syncthreads();

        before = m.before[0];
        for (unsigned w = 1; w < warps && w * 32 < blockIdx.x; w++)
            before = A::join(before, m.before[w]);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
#pragma unroll
            for (int i = 0; i < row::SIZE; i++)
                x[r].item[i] = A::join(before, x[r].item[i]);
            store(out, first + r * 32 * row::SIZE, n, x[r]);
        }
    }
};

template <class A, int ROWS>
__global__ void __launch_bounds__(wave_shape<ROWS>::THREADS,
                                  wave_shape<ROWS>::BESIDE)
    scan_wave_kernel(const typename A::Elem *in, typename A::Elem *out,
                     unsigned n, unsigned tag) {
    typedef wave_engine<A, ROWS> engine;
    __shared__ typename engine::memory memory;
    engine::run(memory, in, out, n, tag);
}
