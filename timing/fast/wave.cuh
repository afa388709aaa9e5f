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
    WAVE_LOOKS = 4      /* blocks that a lane looks at together */
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

    struct memory {
        Sum by_warp[wave_shape<ROWS>::THREADS / 32],
            before; /* before: the block */
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

    /* Which blocks those are: first, first + 32, ... of those before this. */
    static __device__ void ask(unsigned long long w[][WORDS], unsigned first) {
#pragma unroll
        for (int i = 0; i < WAVE_LOOKS; i++)
#pragma unroll
            for (int k = 0; k < WORDS; k++)
                if (first + 32 * i < blockIdx.x)
                    w[i][k] =
                        load_word(&the_wave[k * WAVE_BLOCKS + first + 32 * i]);
    }
    static __device__ bool is_missing(const unsigned long long w[][WORDS],
                                      unsigned first, unsigned tag) {
        bool some = false;
#pragma unroll
        for (int i = 0; i < WAVE_LOOKS; i++)
#pragma unroll
            for (int k = 0; k < WORDS; k++)
                if (first + 32 * i < blockIdx.x) some |= w[i][k] >> 32 != tag;
        return some;
    }
    /* What the blocks before this one come to. A whole warp. */
    static __device__ Sum look_back(unsigned lane, unsigned tag) {
        Sum sum = A::none();
        for (unsigned block = 0; block < blockIdx.x; block += 32 * WAVE_LOOKS) {
            unsigned long long w[WAVE_LOOKS][WORDS];
            unsigned first = block + lane;
            ask(w, first);
            for (;;) {
                bool some = is_missing(w, first, tag);
                if (!__any_sync(ALL_LANES, some)) break;
                if (some) ask(w, first);
            }
#pragma unroll
            for (int i = 0; i < WAVE_LOOKS; i++) {
                words_of<Sum> words;
#pragma unroll
                for (int k = 0; k < WORDS; k++)
                    words.word[k] = (unsigned)w[i][k];
                if (first + 32 * i < blockIdx.x)
                    sum = A::join(sum, words.sum());
            }
        }
        return of_lanes(sum);
    }

    static __device__ void run(memory &m, const T *in, T *out, unsigned n,
                               unsigned tag) {
        unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        unsigned warps = blockDim.x / 32;
        unsigned first =
            ((blockIdx.x * warps + warp) * ROWS * 32 + lane) * row::SIZE;
        row x[ROWS];
        Sum upto[ROWS]; /* of the row, inclusive */
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
        /* Then, while it is on its way, the rows. */
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            upto[r] = A::none();
#pragma unroll
            for (int i = 0; i < row::SIZE; i++) A::next(upto[r], x[r].item[i]);
        }
#pragma unroll
        for (int d = 1; d < 32; d *= 2)
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                Sum left = shuffle_up(upto[r], d);
                if (lane >= d) upto[r] = A::join(left, upto[r]);
            }
        /* What lies before this thread's rows in the block. */
        Sum before = of_lanes(lane < warp ? m.by_warp[lane] : A::none());
        Sum ahead[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            Sum left = shuffle_up(upto[r], 1);
            ahead[r] = lane == 0 ? before : A::join(before, left);
            before = A::join(before, from_lane(upto[r], 31));
        }
        if (warp == 0) {
            sum = look_back(lane, tag);
            if (lane == 0) m.before = sum;
        }
        __syncthreads();

#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            Sum s = A::join(m.before, ahead[r]);
#pragma unroll
            for (int i = 0; i < row::SIZE; i++)
                x[r].item[i] = A::next(s, x[r].item[i]);
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
