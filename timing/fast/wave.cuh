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
 * Where that is not enough, and the device has bulk copies (compute capability
 * 9.0), a warp HOLDS more in shared memory, behind its rows (held.cuh).
 *
 * Rows are scanned while later ones are on their way, but for the last ones:
 * they are only summed then, and scanned while others learn of the sum.
 */
#pragma once

#include "board.cuh"
#include "held.cuh"
#include "tiles.cuh"

enum {
    WAVE_BLOCKS = 1024, /* at most */
    WAVE_AT_ONCE = 4    /* rows that are scanned together */
};

/* Threads of a block at most, and such blocks on a multiprocessor; of the rows,
 * those that are scanned while others are on their way. */
template <int ROWS, bool HOLDS> struct wave_shape {
    enum {
        THREADS = HOLDS      ? SHAPE_WAVE_THREADS_HELD
                  : ROWS > 2 ? SHAPE_WAVE_THREADS_LONG
                             : SHAPE_WAVE_THREADS,
        BESIDE = 1024 / THREADS,
        LAST = HOLDS ? SHAPE_WAVE_LAST_HELD : SHAPE_WAVE_LAST,
        EARLY = ROWS > LAST ? ROWS - LAST : 0
    };
};

/* Word k of block b's sum is word k * WAVE_BLOCKS + b. */
static __device__ unsigned long long the_wave[2 * WAVE_BLOCKS];

template <class A, int ROWS, bool HOLDS, class OUTSIDE = nothing_outside>
struct wave_engine {
    typedef typename A::Elem T;
    typedef typename A::Sum Sum;
    typedef pack<T> row;
    typedef wave_shape<ROWS, HOLDS> shape;
    enum { WORDS = words_of<Sum>::WORDS };
    static_assert(WORDS <= 2, "the_wave has two words for a sum");

    struct memory {
        enum { WARPS = shape::THREADS / 32 };
        Sum by_warp[WARPS];
        __align__(16)
            Sum before[WARPS]; /* the block, as far as each warp has looked */
        gate arrival[HOLDS ? WARPS : 1];
        Sum outside;
        static_assert(WARPS % 4 == 0, "before_warp adds four at a time");
    };

    memory &m;
    const T *in;
    T *out;
    unsigned n, tag, lane, warp, warps;
    unsigned first; /* element of this lane's first row */
    row x[ROWS];
    Sum before; /* what lies before the next row in this warp */
    OUTSIDE outside;

    /* held: packs of a column in shared memory. */
    __device__ wave_engine(memory &shared, const T *from, T *to, unsigned count,
                           unsigned call, unsigned held,
                           OUTSIDE others = OUTSIDE())
        : m(shared), in(from), out(to), n(count), tag(call),
          lane(threadIdx.x % 32), warp(threadIdx.x / 32),
          warps(blockDim.x / 32),
          first(((blockIdx.x * warps + warp) * (ROWS + held) * 32 + lane) *
                row::SIZE),
          before(A::none()), outside(others) {}

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

    __device__ unsigned row_at(int r) const {
        return first + r * 32 * row::SIZE;
    }

    /* What the lane so many to the left has; nothing where there is none. The
     * shuffle says which: where a condition did, nvcc 13.0 made branches of it,
     * and put the next shuffle into both, where half of the lanes are. */
    static __device__ Sum from_left(const Sum &sum, int lanes) {
        words_of<Sum> w(sum), none(A::none());
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            asm volatile("{ .reg .pred there;\n"
                         "shfl.sync.up.b32 %0|there, %0, %1, 0, 0xffffffff;\n"
                         "selp.b32 %0, %0, %2, there; }"
                         : "+r"(w.word[k])
                         : "r"(lanes), "r"(none.word[k]));
        return w.sum();
    }

    /* COUNT rows become what they are behind `before`, which moves on. */
    template <int COUNT> static __device__ void scan_some(row *x, Sum &before) {
        Sum upto[COUNT]; /* of the row, inclusive */
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            row &p = x[k];
            upto[k] = A::none();
#pragma unroll
            for (int i = 0; i < row::SIZE; i++) A::next(upto[k], p.item[i]);
        }
#pragma unroll
        for (int d = 1; d < 32; d *= 2)
#pragma unroll
            for (int k = 0; k < COUNT; k++) {
                upto[k] = A::join(from_left(upto[k], d), upto[k]);
            }
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            Sum s = A::join(before, from_left(upto[k], 1));
            before = A::join(before, from_lane(upto[k], 31));
            row &p = x[k];
#pragma unroll
            for (int i = 0; i < row::SIZE; i++)
                p.item[i] = A::next(s, p.item[i]);
        }
    }
    template <int FROM, int END>
    static __device__ void scan_rows(row *x, Sum &before) {
        if constexpr (FROM < END) {
            enum {
                LEFT = END - FROM,
                COUNT = LEFT < WAVE_AT_ONCE ? LEFT : WAVE_AT_ONCE
            };
            scan_some<COUNT>(x + FROM, before);
            scan_rows<FROM + COUNT, END>(x, before);
        }
    }

    /* What this lane has in rows that are not scanned yet. */
    __device__ Sum sum_of_last(void) const {
        Sum sum = A::none();
#pragma unroll
        for (int r = shape::EARLY; r < ROWS; r++)
#pragma unroll
            for (int i = 0; i < row::SIZE; i++) A::next(sum, x[r].item[i]);
        return sum;
    }

    /* What lies before this lane's column, behind the rows. */
    static __device__ Sum before_column(Sum upto, const Sum &before) {
#pragma unroll
        for (int d = 1; d < 32; d *= 2)
            upto = A::join(from_left(upto, d), upto);
        return A::join(before, from_left(upto, 1));
    }

    /* Says what the block comes to. All others wait for it. */
    __device__ void tell(Sum of_warp) {
        if (lane == 0) m.by_warp[warp] = of_warp;
        __syncthreads();
        if (warp > 0) return;
        /* Warps that are not there look back at nothing. */
        if (lane >= warps && lane < memory::WARPS) m.before[lane] = A::none();
        Sum sum = of_lanes(lane < warps ? m.by_warp[lane] : A::none(), warps);
        if (lane == 0) publish(sum, tag);
    }

    /* What lies before this warp, in the block and before it. */
    __device__ Sum before_warp(void) {
        Sum in_block = of_lanes(lane < warp ? m.by_warp[lane] : A::none());
        Sum sum = look_back(threadIdx.x, blockDim.x, tag);
        if (lane == 0) m.before[warp] = sum;
        __syncthreads();
        sum = A::none();
        /* Warps beyond the last block have found nothing. */
#pragma unroll 1
        for (unsigned w = 0; w < memory::WARPS && w * 32 < blockIdx.x; w += 4)
#pragma unroll
            for (int k = 0; k < 4; k++) sum = A::join(sum, m.before[w + k]);
        if constexpr (OUTSIDE::WARPS > 0)
            sum = A::join(before_device(sum), sum);
        return A::join(sum, in_block);
    }
    /* What lies before this device. Its last block tells the others first what
     * it comes to. */
    __device__ Sum before_device(const Sum &before_block) {
        if (warp == 0) {
            Sum block = of_lanes(lane < warps ? m.by_warp[lane] : A::none());
            if (blockIdx.x == gridDim.x - 1 && lane == 0)
                outside.send(A::join(before_block, block));
            Sum sum = outside.before(0, lane);
            if (lane == 0) m.outside = sum;
        }
        __syncthreads();
        return m.outside;
    }

    /* All of the warp's rows are before n: nothing stands between accesses. */
    __device__ bool whole(void) const {
        return first - lane * row::SIZE + ROWS * 32 * row::SIZE <= n;
    }
    __device__ void load_rows(void) {
        if (whole()) {
            const row *from = (const row *)(in + first);
#pragma unroll
            for (int r = 0; r < ROWS; r++) x[r] = load_pack(from + r * 32);
        } else
#pragma unroll
            for (int r = 0; r < ROWS; r++) x[r] = load(in, row_at(r), n);
    }
    __device__ void store_rows(const Sum &behind) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int i = 0; i < row::SIZE; i++)
                x[r].item[i] = A::join(behind, x[r].item[i]);
        if (whole()) {
            row *to = (row *)(out + first);
#pragma unroll
            for (int r = 0; r < ROWS; r++) to[r * 32] = x[r];
        } else
#pragma unroll
            for (int r = 0; r < ROWS; r++) store(out, row_at(r), n, x[r]);
    }

    __device__ void run(void) {
        load_rows();
        scan_rows<0, shape::EARLY>(x, before);
        tell(A::join(before, of_lanes(sum_of_last())));
        scan_rows<shape::EARLY, ROWS>(x, before);
        store_rows(before_warp());
    }

    __device__ void run_holding(row *room, unsigned held) {
        held_part<A> more(room + warp * held * 32, held, lane,
                          first - lane * row::SIZE + ROWS * 32 * row::SIZE, n,
                          &m.arrival[warp]);
        if (SHAPE_WAVE_HELD_FIRST) more.bring(in);
        load_rows();
        if (!SHAPE_WAVE_HELD_FIRST) more.bring(in);
        scan_rows<0, shape::EARLY>(x, before);
        Sum column = more.sum();
        tell(A::join(before, of_lanes(A::join(sum_of_last(), column))));
        scan_rows<shape::EARLY, ROWS>(x, before);
        column = before_column(column, before);
        if (SHAPE_WAVE_WALK_EARLY) more.walk(column);
        Sum behind = before_warp();
        if (SHAPE_WAVE_WALK_EARLY) {
            store_rows(behind);
            more.store(out, behind);
            return;
        }
        more.walk(A::join(behind, column));
        more.take_away(out);
        store_rows(behind);
        if (lane == 0) await_writes();
    }
};

template <class A, int ROWS>
__global__ void __launch_bounds__(wave_shape<ROWS, false>::THREADS,
                                  wave_shape<ROWS, false>::BESIDE)
    scan_wave_kernel(const typename A::Elem *in, typename A::Elem *out,
                     unsigned n, unsigned tag) {
    typedef wave_engine<A, ROWS, false> engine;
    __shared__ typename engine::memory memory;
    engine e(memory, in, out, n, tag, 0);
    e.run();
}

/* Empty where the device cannot; then nobody calls it. */
template <class A, int ROWS>
__global__ void __launch_bounds__(wave_shape<ROWS, true>::THREADS,
                                  wave_shape<ROWS, true>::BESIDE)
    scan_holding_wave_kernel(const typename A::Elem *in, typename A::Elem *out,
                             unsigned n, unsigned tag, unsigned held) {
#if __CUDA_ARCH__ >= 900
    typedef wave_engine<A, ROWS, true> engine;
    extern __shared__ __align__(128) char bytes[];
    __shared__ typename engine::memory memory;
    engine e(memory, in, out, n, tag, held);
    e.run_holding((typename engine::row *)bytes, held);
#endif
}
