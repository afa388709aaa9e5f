/* SPDX-License-Identifier: MIT
 *
 * applications_tiles.cuh: what happens to a tile of the input, step by step,
 * and simple_tiles, the kernel that does one step after the other. The steps
 * are count_chunk, finish_count with publish, look_back, place_chunk,
 * store_output; applications.cu says how they belong together.
 */
#pragma once

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#include "shape.cuh"

#define ALL_LANES 0xffffffffu

#define TRY(call)                                                              \
    do {                                                                       \
        cudaError_t status_ = (call);                                          \
        if (status_ != cudaSuccess) return status_;                            \
    } while (0)

inline cudaError_t count_sms(unsigned *sms) {
    int device = 0, count = 0;
    TRY(cudaGetDevice(&device));
    TRY(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    *sms = (unsigned)count;
    return cudaSuccess;
}

/* Scratch of a call. Allocating and freeing some takes 12 to 80 us, and much of
 * it as long as sorting does in one pass. A pool that keeps what is given back
 * to it does not: the next call finds it there. */
struct scratch_memory {
    void *at = NULL;
    bool pooled = false;

    cudaError_t take(size_t bytes) {
        int device = 0, has_pools = 0;
        uint64_t all = UINT64_MAX;
        cudaMemPool_t pool;
        TRY(cudaGetDevice(&device));
        TRY(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported,
                                   device));
        if (!has_pools) return cudaMalloc(&at, bytes);
        TRY(cudaDeviceGetDefaultMemPool(&pool, device));
        TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
                                    &all));
        pooled = true;
        return cudaMallocFromPoolAsync(&at, bytes, pool, 0);
    }
    cudaError_t give_back() const {
        if (at == NULL) return cudaSuccess;
        return pooled ? cudaFreeAsync(at, 0) : cudaFree(at);
    }
};

/* ---- what is asked for ---- */

enum kind { SUM, SELECT, PARTITION, RUNS, BY_KEY };

struct task {
    const int32_t *in, *values; /* values: BY_KEY only */
    int32_t *out, *sums;        /* sums: RUNS and BY_KEY */
    uint64_t *chain;            /* NULL: the static one */
    uint32_t *result;           /* where the count goes */
    uint32_t n, tiles, tag;
    int32_t pivot;
    bool in_place;
};

template <kind K> constexpr bool IS_RUNS = K == RUNS || K == BY_KEY;
template <kind K> constexpr bool HAS_COUNTS = K != SUM;
template <kind K> constexpr bool HAS_SUMS = K == SUM || IS_RUNS<K>;

/* How the work of a kernel is cut. A chunk is what one warp places: ROWS times
 * 32 neighbours. */
template <int PLACERS, int ROWS_PER_WARP> struct shape {
    static constexpr int WARPS = PLACERS, ROWS = ROWS_PER_WARP;
    static constexpr int CHUNK = 32 * ROWS, TILE = WARPS * CHUNK;
    /* Room for a tile, for the element behind it, and for moving it by up to
     * three elements so that 16-byte accesses fit both here and in global
     * memory. */
    static constexpr int ROOM = TILE + 8;
};

template <kind K>
using small_shape = shape<8, IS_RUNS<K> ? 8 : 16>; /* two arrays: half */

/* ---- parts: what is scanned ---- */

/* Of a stretch of elements: how many were counted, and the sum of those behind
 * the last counted one (of all, if none was). {0, 0}: of no element. */
struct part {
    uint32_t count, sum;
};

__device__ inline unsigned lane_id() {
    return threadIdx.x % 32;
}

__device__ inline unsigned lanes_below() {
    return (1u << lane_id()) - 1;
}

__device__ inline uint32_t warp_sum(uint32_t x) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, x);
#else
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(ALL_LANES, x, d);
    return x;
#endif
}

__device__ inline uint32_t warp_max(uint32_t x) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(ALL_LANES, x);
#else
    for (int d = 16; d > 0; d /= 2)
        x = max(x, __shfl_xor_sync(ALL_LANES, x, d));
    return x;
#endif
}

__device__ inline uint32_t warp_inclusive(uint32_t x) {
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        uint32_t left = __shfl_up_sync(ALL_LANES, x, d);
        if (lane_id() >= d) x += left;
    }
    return x;
}

/* The same for several numbers of a lane. Side by side: one after the other,
 * each would wait for five shuffles. */
template <int N> __device__ void warp_inclusive_all(uint32_t (&x)[N]) {
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        uint32_t left[N];
#pragma unroll
        for (int k = 0; k < N; k++)
            left[k] = __shfl_up_sync(ALL_LANES, x[k], d);
#pragma unroll
        for (int k = 0; k < N; k++)
            if (lane_id() >= d) x[k] += left[k];
    }
}

/* Adds up a row of 32 parts, earlier lanes first, and further rows behind it.
 * Sums stay spread over the lanes until the end: what a counted part cuts off
 * is dropped lane by lane, so that no row needs a shuffle. */
struct row_sum {
    uint32_t count = 0, sum = 0; /* of this lane */
    bool cut = false;            /* was anything counted? The same in a warp. */

    /* behind: the sum of what lies behind the lane's last counted element. */
    __device__ void add(uint32_t counted, uint32_t behind) {
        unsigned who = __ballot_sync(ALL_LANES, counted != 0);
        int last = 31 - __clz((int)who); /* -1: nobody */
        if (who) sum = 0, cut = true;
        if ((int)lane_id() >= last) sum += behind;
        count += counted;
    }
    __device__ part total() const {
        part p = {warp_sum(count), warp_sum(sum)};
        return p;
    }
};

/* ---- the chain: what tiles tell each other ---- */

/* A word per tile, for its count, and one for its sum. The upper half is the
 * tag of the call that wrote it, so nobody has to clear words from earlier
 * calls, and value and tag cannot be seen apart. Only the tile's own part is
 * ever published: every block keeps the running prefix of its last tile and
 * adds the tiles since then. That is about a word per block, few enough to be
 * read at once, and no tile waits for another one's look-back.
 * Static words, because allocating some costs as much as all the rest of a
 * call for a small n; more than these are allocated. */
constexpr unsigned STATIC_WORDS = 8000; /* in place, 65536 bytes are allowed */
__device__ uint64_t static_chain[STATIC_WORDS];

template <kind K>
constexpr unsigned WORDS_PER_TILE = HAS_COUNTS<K> + HAS_SUMS<K>;

__device__ inline uint64_t *count_words(const task &t) {
    return t.chain != NULL ? t.chain : static_chain;
}

template <kind K> __device__ uint64_t *sum_words(const task &t) {
    return count_words(t) + (HAS_COUNTS<K> ? t.tiles : 0);
}

/* Tiles are handed out in order: a block may wait only for tiles that somebody
 * has begun, and accesses that are near in time are near in memory. */
__device__ unsigned next_ticket;

__device__ inline unsigned take_ticket(unsigned tiles) {
    unsigned ticket = atomicAdd(&next_ticket, 1u);
    /* Every block draws until it gets one too many. The last of these tidies
     * up for the next call. */
    if (ticket == tiles + gridDim.x - 1) atomicExch(&next_ticket, 0u);
    return ticket;
}

__device__ inline void put_word(uint64_t *word, uint32_t tag, uint32_t value) {
    __nv_atomic_store_n(word, (uint64_t)tag << 32 | value, __NV_ATOMIC_RELAXED,
                        __NV_THREAD_SCOPE_DEVICE);
}

__device__ inline uint64_t get_word(uint64_t *word) {
    return __nv_atomic_load_n(word, __NV_ATOMIC_RELAXED,
                              __NV_THREAD_SCOPE_DEVICE);
}

/* In place, a word also says that the tile has been read and may be
 * overwritten: release here, acquire in look_back. */
template <kind K>
__device__ void publish(const task &t, unsigned tile, part own) {
    if (K == SELECT && t.in_place) __threadfence();
    if (HAS_COUNTS<K>) put_word(&count_words(t)[tile], t.tag, own.count);
    if (HAS_SUMS<K>) put_word(&sum_words<K>(t)[tile], t.tag, own.sum);
}

/* WINDOWS times 32 words are asked for before the first answer is used: a trip
 * to L2 and back is long. 5 * 32 covers one block on each SM of an H200. */
constexpr int WINDOWS = 5;

__device__ inline void ask_words(uint64_t *chain, unsigned from, unsigned end,
                                 uint32_t tag, uint64_t (&words)[WINDOWS]) {
#pragma unroll
    for (int w = 0; w < WINDOWS; w++) {
        unsigned tile = from + (unsigned)w * 32 + lane_id();
        words[w] = tile < end ? get_word(&chain[tile]) : (uint64_t)tag << 32;
    }
}

__device__ inline void await_words(uint64_t *chain, unsigned from, uint32_t tag,
                                   uint64_t (&words)[WINDOWS]) {
#pragma unroll
    for (int w = 0; w < WINDOWS; w++) {
        unsigned tile = from + (unsigned)w * 32 + lane_id();
        while (words[w] >> 32 != tag) words[w] = get_word(&chain[tile]);
    }
}

/* What comes before the next tile of a block. One warp owns it. */
struct prefix {
    part before = {0, 0};
    unsigned seen = 0; /* tiles that are in it */
};

/* Called by a warp: moves the prefix on to the tile. */
template <kind K>
__device__ part look_back(const task &t, unsigned tile, prefix &p) {
    row_sum more;
    for (unsigned from = p.seen; from < tile; from += 32 * WINDOWS) {
        uint64_t counts[WINDOWS] = {}, sums[WINDOWS] = {};
        if (HAS_COUNTS<K>) ask_words(count_words(t), from, tile, t.tag, counts);
        if (HAS_SUMS<K>) ask_words(sum_words<K>(t), from, tile, t.tag, sums);
        if (HAS_COUNTS<K>) await_words(count_words(t), from, t.tag, counts);
        if (HAS_SUMS<K>) await_words(sum_words<K>(t), from, t.tag, sums);
        for (int w = 0; w < WINDOWS; w++)
            more.add((uint32_t)counts[w], (uint32_t)sums[w]);
    }
    if (K == SELECT && t.in_place) __threadfence();
    part added = more.total();
    p.before.sum = more.cut ? added.sum : p.before.sum + added.sum;
    p.before.count += added.count;
    p.seen = tile;
    return p.before;
}

/* ---- a tile in shared memory ---- */

/* Everything about a tile but its elements. */
template <class S> struct tile_facts {
    unsigned tile;
    /* In each chunk, later before each; tails: the sum of each one's part. */
    uint32_t chunk_counts[S::WARPS], chunk_sums[S::WARPS], tails[S::WARPS];
    part before, own;
};

/* The elements of a tile; both in shared memory. */
struct tile_view {
    const int32_t *items, *values;
    unsigned tile;
    unsigned size; /* elements that there are */
    unsigned last; /* where the last of all elements would be in this tile */
};

template <class S>
__device__ tile_view view_of(const task &t, unsigned tile, const int32_t *items,
                             const int32_t *values) {
    unsigned rest = t.n - tile * S::TILE;
    tile_view v = {items, values, tile, min(rest, (unsigned)S::TILE), rest - 1};
    return v;
}

/* Every tile but the last is full, and has an element behind it. The functions
 * below are compiled a second time for those: without a look at size. */
template <class S> __device__ inline bool is_full(const tile_view &v) {
    return v.last >= S::TILE;
}

/* Does the element have a place of its own in the output? Kept ones do, and
 * those that end a run. */
template <kind K, bool FULL>
__device__ inline bool counts(const task &t, const tile_view &v, unsigned at) {
    if (K == SUM || (!FULL && at >= v.size)) return false;
    if (!IS_RUNS<K>) return v.items[at] < t.pivot;
    return (!FULL && at == v.last) || v.items[at + 1] != v.items[at];
}

template <kind K, bool FULL>
__device__ inline uint32_t value_of(const tile_view &v, unsigned at) {
    if (!FULL && at >= v.size) return 0;
    return (uint32_t)(K == SUM ? v.items : v.values)[at];
}

/* Of a chunk: its part, and the sum of all its values (SUM and BY_KEY). */
struct chunk_sums {
    part own;
    uint32_t all;
};

/* Called by a warp. A lane counts for itself, row by row; the lanes meet only
 * at the end. */
template <kind K, class S, bool FULL>
__device__ chunk_sums count_chunk(const task &t, const tile_view &v,
                                  unsigned chunk) {
    unsigned begin = chunk * S::CHUNK + lane_id();
    uint32_t count = 0, all = 0, behind = 0; /* behind: the last counted one */
    uint32_t values[S::ROWS];
#pragma unroll
    for (int row = 0; row < S::ROWS; row++) {
        unsigned at = begin + row * 32;
        if (counts<K, FULL>(t, v, at)) count++, behind = at + 1;
        if (K == SUM || K == BY_KEY)
            all += values[row] = value_of<K, FULL>(v, at);
    }
    chunk_sums c = {{HAS_COUNTS<K> ? warp_sum(count) : 0, 0}, 0};
    if (K == SUM) c.own.sum = c.all = warp_sum(all);
    if (!IS_RUNS<K>) return c;
    behind = warp_max(behind);
    if (K == RUNS) {
        unsigned from = max(behind, chunk * S::CHUNK);
        unsigned end = min(v.size, (chunk + 1) * S::CHUNK);
        c.own.sum = end > from ? end - from : 0;
    } else {
        uint32_t sum = 0;
#pragma unroll
        for (int row = 0; row < S::ROWS; row++)
            if (begin + row * 32 >= behind) sum += values[row];
        c.own.sum = warp_sum(sum);
        c.all = warp_sum(all);
    }
    return c;
}

template <kind K, class S>
__device__ void count_into(const task &t, const tile_view &v, unsigned chunk,
                           tile_facts<S> *facts) {
    chunk_sums c = is_full<S>(v) ? count_chunk<K, S, true>(t, v, chunk)
                                 : count_chunk<K, S, false>(t, v, chunk);
    if (lane_id() != 0) return;
    facts->chunk_counts[chunk] = c.own.count;
    facts->chunk_sums[chunk] = c.all;
    facts->tails[chunk] = c.own.sum;
}

/* Called by a warp, when the facts of all chunks are there: replaces what is
 * in each chunk by what comes before it, and publishes the tile. */
template <kind K, class S>
__device__ void finish_count(const task &t, unsigned tile,
                             tile_facts<S> *facts) {
    unsigned lane = lane_id();
    bool mine = lane < S::WARPS;
    uint32_t count = mine ? facts->chunk_counts[lane] : 0;
    uint32_t sum = mine ? facts->chunk_sums[lane] : 0;
    row_sum parts;
    parts.add(count, mine ? facts->tails[lane] : 0);
    part own = parts.total();
    if (lane == 0) {
        publish<K>(t, tile, own);
        facts->own = own;
    }
    uint32_t upto[2] = {count, sum};
    warp_inclusive_all(upto);
    if (mine) facts->chunk_counts[lane] = upto[0] - count;
    if (mine) facts->chunk_sums[lane] = upto[1] - sum;
}

/* ---- from the tile to the output ---- */

/* Elements from 16-byte boundary to p. */
__device__ inline unsigned offset16(const void *p) {
    return (unsigned)((uintptr_t)p / 4 % 4);
}

/* to[i] = from[i], or from[i] - from[i - 1]. `from` is in shared memory, both
 * are equally far from a 16-byte boundary. */
template <bool DIFFERENCES, int THREADS>
__device__ void store_piece(int32_t *to, const uint32_t *from, unsigned count,
                            unsigned thread) {
    unsigned head = min(count, (0u - offset16(to)) % 4);
    unsigned quads = (count - head) / 4, behind = head + quads * 4;
    for (unsigned q = thread; q < quads; q += THREADS) {
        unsigned i = head + q * 4;
        uint4 x = *(const uint4 *)(from + i);
        if (DIFFERENCES) {
            uint32_t left = from[(int)i - 1];
            x = make_uint4(x.x - left, x.y - x.x, x.z - x.y, x.w - x.z);
        }
        *(uint4 *)(to + i) = x;
    }
    /* At most three elements before the first boundary and behind the last. */
    unsigned i = thread < head ? thread : behind + thread - head;
    if (thread < 6 && i < count)
        to[i] = (int32_t)(from[i] - (DIFFERENCES ? from[(int)i - 1] : 0));
}

/* Where the parts of a tile's output wait in shared memory: as far from a
 * 16-byte boundary as where they go. */
template <kind K, class S> struct output {
    int32_t *to, *to_second;  /* the second: rest, or sums */
    uint32_t *first, *second; /* in scratch */
    unsigned count, second_count;

    __device__ output(const task &t, const tile_view &v,
                      const tile_facts<S> *facts, uint32_t *scratch) {
        count = facts->own.count;
        second_count = K == PARTITION ? v.size - count : count;
        to = t.out + facts->before.count;
        first = scratch + offset16(to);
        if (K == PARTITION) {
            /* The rest stand at the end, the first of them last. */
            unsigned rest = v.tile * S::TILE - facts->before.count;
            to_second = t.out + (t.n - rest - second_count);
            unsigned end = (unsigned)(first + count - scratch);
            second = scratch + end + (offset16(to_second) - end) % 4;
        } else if (IS_RUNS<K>) {
            to_second = t.sums + facts->before.count;
            second = scratch + S::ROOM + 4 + offset16(to_second);
        }
    }
};

/* *to = x, where wanted is not 0; in shared memory. In assembly, because a
 * compiler branches. */
__device__ inline void put_if(unsigned wanted, uint32_t *to, uint32_t x) {
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.u32 p, %0, 0;\n"
                 "@p st.shared.u32 [%1], %2;\n"
                 "}" ::"r"(wanted),
                 "r"((uint32_t)__cvta_generic_to_shared(to)), "r"(x)
                 : "memory");
}

/* What a warp does with its chunk: every element that counts goes to scratch,
 * at the place that the ones before it leave it. For runs, the sum of all
 * values of the tile up to there goes along: the sum of a run is the
 * difference to that of the run before.
 * All is read before anything is written. A row's loads could not pass the
 * stores of the row before, which may be to the same place for all that a
 * compiler knows, and every row would take its whole way by itself. */
template <kind K, class S, bool FULL>
__device__ void place_chunk(const task &t, const tile_view &v,
                            const tile_facts<S> *facts, unsigned chunk,
                            const output<K, S> &o) {
    unsigned begin = chunk * S::CHUNK + lane_id();
    uint32_t items[S::ROWS], upto[S::ROWS];
    unsigned who[S::ROWS], me = 1u << lane_id();
#pragma unroll
    for (int row = 0; row < S::ROWS; row++) {
        unsigned at = begin + row * 32;
        items[row] = FULL || at < v.size ? (uint32_t)v.items[at] : 0;
        who[row] = __ballot_sync(ALL_LANES, counts<K, FULL>(t, v, at));
        upto[row] = K == BY_KEY ? value_of<K, FULL>(v, at) : at + 1;
    }
    if (K == BY_KEY) { /* RUNS: every value is 1 */
        uint32_t before = facts->chunk_sums[chunk], all[S::ROWS];
        warp_inclusive_all(upto);
#pragma unroll
        for (int row = 0; row < S::ROWS; row++)
            all[row] = __shfl_sync(ALL_LANES, upto[row], 31);
#pragma unroll
        for (int row = 0; row < S::ROWS; row++)
            upto[row] += before, before += all[row];
    }
    uint32_t place = facts->chunk_counts[chunk], own[S::ROWS];
#pragma unroll
    for (int row = 0; row < S::ROWS; row++) {
        own[row] = place + (unsigned)__popc(who[row] & lanes_below());
        place += (unsigned)__popc(who[row]);
    }
#pragma unroll
    for (int row = 0; row < S::ROWS; row++) {
        unsigned at = begin + row * 32, counted = who[row] & me;
        uint32_t *rest = o.second + (o.second_count - 1) - at + own[row];
        if (K == PARTITION)
            put_if(FULL || at < v.size, counted ? o.first + own[row] : rest,
                   items[row]);
        else
            put_if(counted, o.first + own[row], items[row]);
        if (IS_RUNS<K>) put_if(counted, o.second + own[row], upto[row]);
    }
    /* What the first run of the tile already had before it. */
    if (IS_RUNS<K> && chunk == 0 && lane_id() == 0)
        *(o.second - 1) = 0u - facts->before.sum;
}

template <kind K, class S>
__device__ void store_output(const output<K, S> &o, unsigned thread) {
    store_piece<false, 32 * S::WARPS>(o.to, o.first, o.count, thread);
    if (K == PARTITION || IS_RUNS<K>)
        store_piece<IS_RUNS<K>, 32 * S::WARPS>(o.to_second, o.second,
                                               o.second_count, thread);
}

/* SUM: every element has its place already. */
template <class S, bool FULL>
__device__ void store_sums(const task &t, const tile_view &v,
                           const tile_facts<S> *facts, unsigned chunk) {
    uint32_t sum = facts->before.sum + facts->chunk_sums[chunk];
    int32_t *out = t.out + (size_t)v.tile * S::TILE;
#pragma unroll
    for (int row = 0; row < S::ROWS; row++) {
        unsigned at = chunk * S::CHUNK + row * 32 + lane_id();
        uint32_t value = value_of<SUM, FULL>(v, at);
        uint32_t upto = sum + warp_inclusive(value);
        sum = __shfl_sync(ALL_LANES, upto, 31);
        if (FULL || at < v.size) out[at] = (int32_t)(upto - value);
    }
}

/* Called by a warp: everything that needs the chunk's elements. */
template <kind K, class S>
__device__ void finish_chunk(const task &t, const tile_view &v,
                             const tile_facts<S> *facts, unsigned chunk,
                             const output<K, S> &o) {
    bool full = is_full<S>(v);
    if constexpr (K == SUM) {
        if (full)
            store_sums<S, true>(t, v, facts, chunk);
        else
            store_sums<S, false>(t, v, facts, chunk);
    } else {
        if (full)
            place_chunk<K, S, true>(t, v, facts, chunk, o);
        else
            place_chunk<K, S, false>(t, v, facts, chunk, o);
    }
}

/* The last tile knows how many elements the whole output has. */
template <kind K, class S>
__device__ void leave_result(const task &t, unsigned tile,
                             const tile_facts<S> *facts) {
    if (HAS_COUNTS<K> && tile == t.tiles - 1)
        *t.result = facts->before.count + facts->own.count;
}

/* ---- one step after the other ---- */

template <kind K>
__global__ void __launch_bounds__(32 * small_shape<K>::WARPS)
    simple_tiles(const task t) {
    using S = small_shape<K>;
    constexpr int THREADS = 32 * S::WARPS;
    __shared__ int32_t items[S::ROOM], values[K == BY_KEY ? S::ROOM : 1];
    __shared__ alignas(16) uint32_t scratch[K == SUM     ? 1
                                            : IS_RUNS<K> ? 2 * S::ROOM
                                                         : S::ROOM];
    __shared__ tile_facts<S> facts;
    unsigned thread = threadIdx.x, warp = thread / 32;
    prefix p; /* used by warp 0 */
    for (;;) {
        if (thread == 0) facts.tile = take_ticket(t.tiles);
        __syncthreads(); /* also: the tile before is stored */
        unsigned tile = facts.tile;
        if (tile >= t.tiles) return;

        tile_view v = view_of<S>(t, tile, items, values);
        size_t base = (size_t)tile * S::TILE;
#pragma unroll
        for (unsigned i = thread; i < S::TILE; i += THREADS) {
            if (i >= v.size) continue;
            items[i] = t.in[base + i];
            if (K == BY_KEY) values[i] = t.values[base + i];
        }
        if (IS_RUNS<K> && thread == 0 && v.last >= S::TILE)
            items[S::TILE] = t.in[base + S::TILE];
        __syncthreads();

        count_into<K, S>(t, v, warp, &facts);
        __syncthreads();
        if (warp == 0) {
            finish_count<K, S>(t, tile, &facts);
            part before = look_back<K>(t, tile, p);
            if (thread == 0) facts.before = before;
        }
        __syncthreads();

        output<K, S> o(t, v, &facts, scratch);
        finish_chunk<K, S>(t, v, &facts, warp, o);
        if (HAS_COUNTS<K>) {
            __syncthreads();
            store_output<K, S>(o, thread);
        }
        if (thread == 0) leave_result<K, S>(t, tile, &facts);
    }
}
