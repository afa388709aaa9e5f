/* SPDX-License-Identifier: MIT
 *
 * applications_sort.cuh: radix sort, lowest digit first, as in lab 8 and in
 * "Onesweep" (Adinets, Merrill): all digits are counted in one reading, then
 * one launch per digit reads each key once and writes it once.
 *
 * How to read it: count_digits, then sort_pass and what it calls, from the
 * top: rank_keys, place_in_tile, look_back_digit. sort_digits, at the end,
 * launches them.
 */
#pragma once

#include "applications_tiles.cuh"

constexpr int DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS;
constexpr int PASSES = 32 / DIGIT_BITS;
constexpr int SORT_WARPS = SHAPE_SORT_WARPS, SORT_THREADS = 32 * SORT_WARPS;
/* Of a tile, alone and with values: as many as registers admit. */
template <bool PAIRS> struct sort_shape {
    static constexpr int ITEMS = PAIRS ? SHAPE_SORT_PAIRS : SHAPE_SORT_KEYS;
    static constexpr int TILE = SORT_THREADS * ITEMS;
};

inline unsigned sort_tiles(size_t n, bool pairs) {
    size_t tile = pairs ? sort_shape<true>::TILE : sort_shape<false>::TILE;
    return (unsigned)((n + tile - 1) / tile);
}

__device__ inline unsigned digit_of(uint32_t key, unsigned bit) {
    return key >> bit & (DIGITS - 1);
}

/* table[digit_of(key, bit)]: turned so that the digit lies where a byte offset
 * has it, an instruction less than shifting there and back. */
template <class T>
__device__ inline T &of_digit(T *table, uint32_t key, unsigned bit) {
    constexpr unsigned SIZE = sizeof(T), SHIFT = SIZE == 4 ? 2 : 1;
    uint32_t turned = __funnelshift_l(key, key, SHIFT - bit);
    uint32_t mask = SIZE * (0xffffffffu >> bit & (DIGITS - 1));
    return *(T *)((char *)table + (turned & mask));
}

/* ---- how often each digit occurs ---- */

/* Of all passes; one call after the other uses it. */
__device__ uint32_t digit_totals[PASSES * DIGITS];

constexpr int COUNT_THREADS = 512, COUNT_ITEMS = 8, COUNT_BLOCKS_PER_SM = 4;
/* A warp adds to 32 random words: three of them or more are in one bank. With
 * a table for each of eight groups of lanes, and the tables' words side by
 * side, it is seldom more than three, and equal keys cost less. */
constexpr int COUNT_TABLES = 8;

template <int N>
__global__ void __launch_bounds__(COUNT_THREADS)
    count_digits(const uint32_t *keys, size_t n, unsigned bit) {
    __shared__ uint32_t counts[N * DIGITS * COUNT_TABLES];
    for (unsigned i = threadIdx.x; i < N * DIGITS * COUNT_TABLES;
         i += COUNT_THREADS)
        counts[i] = 0;
    __syncthreads();
    uint32_t *table = counts + threadIdx.x % COUNT_TABLES;
    constexpr size_t STEP = COUNT_THREADS * COUNT_ITEMS;
    for (size_t base = blockIdx.x * STEP; base < n; base += gridDim.x * STEP) {
        uint32_t key[COUNT_ITEMS];
#pragma unroll
        for (int k = 0; k < COUNT_ITEMS; k++) {
            size_t i = base + (size_t)k * COUNT_THREADS + threadIdx.x;
            key[k] = i < n ? keys[i] : 0;
        }
#pragma unroll
        for (int k = 0; k < COUNT_ITEMS; k++) {
            if (base + (size_t)k * COUNT_THREADS + threadIdx.x >= n) break;
#pragma unroll
            for (int p = 0; p < N; p++) {
                unsigned digit = digit_of(key[k], bit + p * DIGIT_BITS);
                atomicAdd(&table[(p * DIGITS + digit) * COUNT_TABLES], 1u);
            }
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < N * DIGITS; i += COUNT_THREADS) {
        uint32_t count = 0;
        for (int c = 0; c < COUNT_TABLES; c++)
            count += counts[i * COUNT_TABLES + c];
        if (count) atomicAdd(&digit_totals[i], count);
    }
}

/* ---- the chain ---- */

/* A row of DIGITS words per tile: state in the upper two bits, a count below.
 * A word says all by itself, so relaxed will do. PREFIX: up to and with the
 * tile, smaller digits included. (Selection publishes no prefixes. But 256
 * words for each of some hundred tiles are too many to be added up.) */
enum { NOT_YET, AGGREGATE, PREFIX };

/* All passes use the same words, and nobody clears them in between: a pass
 * leaves every word as a PREFIX, and for the next pass, that means NOT_YET.
 * So states are counted on, modulo 4, from 2 * pass. */
struct digit_chain {
    uint32_t *tickets; /* PASSES of them */
    uint32_t *words;
    unsigned pass;
    uint32_t minus_one; /* see lanes_with */

    __device__ void publish(uint32_t *word, unsigned state,
                            uint32_t count) const {
        uint32_t bits = (2 * pass + state) << 30 | count;
        __nv_atomic_store_n(word, bits, __NV_ATOMIC_RELAXED,
                            __NV_THREAD_SCOPE_DEVICE);
    }
    __device__ static uint32_t get(uint32_t *word) {
        return __nv_atomic_load_n(word, __NV_ATOMIC_RELAXED,
                                  __NV_THREAD_SCOPE_DEVICE);
    }
    __device__ unsigned state_of(uint32_t bits) const {
        return ((bits >> 30) - 2 * pass) % 4;
    }
};

inline size_t digit_chain_words(size_t n, bool pairs) {
    return PASSES + (size_t)sort_tiles(n, pairs) * DIGITS;
}

constexpr int BURST = SHAPE_SORT_BURST; /* rows stored at a time */
constexpr int LOOK =
    SHAPE_SORT_LOOK; /* tiles asked at once: a trip to L2 is long */

/* How many keys come before those of this thread's digit in the tile. own:
 * the tile's word, in which its count is published already. */
__device__ uint32_t look_back_digit(const digit_chain &chain, uint32_t *own,
                                    unsigned tile) {
    uint32_t before = 0;
    for (bool done = false; !done; own -= LOOK * DIGITS, tile -= LOOK) {
        uint32_t seen[LOOK];
#pragma unroll
        for (unsigned k = 0; k < LOOK; k++)
            seen[k] = k < tile ? chain.get(own - (k + 1) * DIGITS) : 0;
#pragma unroll
        for (unsigned k = 0; k < LOOK; k++) {
            if (done) continue; /* tile 0 has a PREFIX only */
            while (chain.state_of(seen[k]) == NOT_YET)
                seen[k] = chain.get(own - (k + 1) * DIGITS);
            before += seen[k] & 0x3fffffff;
            done = chain.state_of(seen[k]) == PREFIX;
        }
    }
    return before;
}

/* ---- a tile ---- */

struct sort_tables {
    /* First how many keys each warp has of each digit, then their place. */
    uint16_t counts[SORT_WARPS][DIGITS];
    uint32_t shifts[DIGITS]; /* from place in tile to place in out */
    uint32_t warp_totals[DIGITS / 32];
    unsigned tile;
};

/* Elements first, first + 32 and so on; ones where there are none. */
template <int ITEMS>
__device__ inline void load_rows(uint32_t (&items)[ITEMS], const uint32_t *from,
                                 unsigned first, unsigned size) {
    if (size == SORT_THREADS * ITEMS) {
#pragma unroll
        for (unsigned k = 0; k < ITEMS; k++) items[k] = from[first + 32 * k];
    } else {
#pragma unroll
        for (unsigned k = 0; k < ITEMS; k++)
            items[k] =
                first + 32 * k < size ? from[first + 32 * k] : 0xffffffffu;
    }
}

/* The lanes whose digit is the same. Eight votes are faster than one
 * __match_any_sync, which takes a turn for every different value. In assembly,
 * because most of a pass is this, on the pipe for logic and comparing: a vote
 * is turned round where the lane's bit is zero by a multiplication, -x - 1,
 * which has a pipe of its own; a compiler that knew the -1 would undo that. */
__device__ inline unsigned lanes_with(unsigned digit, uint32_t minus_one) {
    unsigned same[DIGIT_BITS];
#pragma unroll
    for (int b = 0; b < DIGIT_BITS; b++)
        asm volatile("{\n"
                     ".reg .pred one;\n"
                     ".reg .b32 bit;\n"
                     "and.b32 bit, %1, %2;\n"
                     "setp.ne.u32 one, bit, 0;\n"
                     "vote.sync.ballot.b32 %0, one, 0xffffffff;\n"
                     "@!one mad.lo.u32 %0, %0, %3, %3;\n"
                     "}"
                     : "=r"(same[b])
                     : "r"(digit), "r"(1u << b), "r"(minus_one));
    unsigned peers = same[0];
#pragma unroll
    for (int b = 1; b + 1 < DIGIT_BITS; b += 2)
        asm("lop3.b32 %0, %0, %1, %2, 0x80;" /* all three */
            : "+r"(peers)
            : "r"(same[b]), "r"(same[b + 1]));
    return peers & same[DIGIT_BITS - 1];
}

/* rank[k]: how many keys of the warp with the same digit come before key[k].
 * counts: the warp's table, all zero; afterwards how many there are. */
template <int ITEMS>
__device__ inline void rank_keys(const uint32_t (&key)[ITEMS],
                                 uint32_t (&rank)[ITEMS], unsigned bit,
                                 uint16_t *counts, uint32_t minus_one) {
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        unsigned peers = lanes_with(digit_of(key[k], bit), minus_one);
        uint16_t &count = of_digit(counts, key[k], bit);
        rank[k] = count + (unsigned)__popc(peers & lanes_below());
        __syncwarp();
        bool last_of_them = peers >> lane_id() == 1;
        if (last_of_them) count = (uint16_t)(rank[k] + 1);
        __syncwarp();
    }
}

/* Threads 0 to DIGITS - 1 bring a count each, the others 0; returns what comes
 * before it. All threads of the block call it. */
__device__ uint32_t scan_digits(uint32_t count, uint32_t *warp_totals) {
    unsigned warp = threadIdx.x / 32;
    uint32_t upto = warp_inclusive(count), before = 0;
    if (lane_id() == 31 && warp < DIGITS / 32) warp_totals[warp] = upto;
    __syncthreads();
    for (unsigned w = 0; w < DIGITS / 32; w++)
        if (w < warp) before += warp_totals[w];
    __syncthreads();
    return before + upto - count;
}

/* Thread d has digit d. Replaces the warps' counts by their places in the
 * tile. Returns how many keys have the digit, and where it starts. own: the
 * thread's word of the chain, NULL without a digit. */
__device__ uint32_t place_in_tile(const digit_chain &chain, sort_tables *s,
                                  uint32_t *own, uint32_t padding,
                                  uint32_t *start) {
    uint32_t count = 0;
#pragma unroll
    for (int w = 0; w < SORT_WARPS; w++)
        if (own != NULL) count += s->counts[w][threadIdx.x];
    /* As early as can be; tile 0 will have a PREFIX at once. */
    if (own != NULL && s->tile > 0)
        chain.publish(own, AGGREGATE, count - padding);
    uint32_t place = *start = scan_digits(count, s->warp_totals);
#pragma unroll
    for (int w = 0; w < SORT_WARPS; w++) {
        if (own == NULL) continue;
        uint16_t of_warp = s->counts[w][threadIdx.x];
        s->counts[w][threadIdx.x] = (uint16_t)place;
        place += of_warp;
    }
    return count - padding;
}

/* From `sorted`, which holds the tile's keys, to where they belong; then the
 * values, by the same way. A few rows at a time: more at once stand in each
 * other's way. */
template <bool PAIRS, int ITEMS>
__device__ inline void
store_tile(uint32_t *sorted, const sort_tables *s, uint32_t *keys_out,
           uint32_t *values_out, const uint32_t (&rank)[ITEMS],
           const uint32_t (&value)[ITEMS], unsigned size, unsigned bit) {
    unsigned thread = threadIdx.x;
    /* Neighbours here are neighbours there, as long as the digit is the same.
     */
    uint32_t to[ITEMS];
#pragma unroll
    for (int first = 0; first < ITEMS; first += BURST) {
        if (first * SORT_THREADS + thread >= size) continue;
        uint32_t moved[BURST];
#pragma unroll
        for (int k = first; k < first + BURST; k++)
            if (k < ITEMS) moved[k - first] = sorted[k * SORT_THREADS + thread];
#pragma unroll
        for (int k = first; k < first + BURST && k < ITEMS; k++) {
            unsigned i = (unsigned)k * SORT_THREADS + thread;
            to[k] = of_digit(s->shifts, moved[k - first], bit) + i;
            if (i < size) keys_out[to[k]] = moved[k - first];
        }
    }
    if (!PAIRS) return;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) sorted[rank[k]] = value[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        unsigned i = (unsigned)k * SORT_THREADS + thread;
        if (i < size) values_out[to[k]] = sorted[i];
    }
}

/* Moves keys (and values) to where the digit from `bit` on wants them. */
template <bool PAIRS>
__global__ void __launch_bounds__(SORT_THREADS, SHAPE_SORT_BLOCKS)
    sort_pass(const uint32_t *keys, const uint32_t *values, uint32_t *keys_out,
              uint32_t *values_out, uint32_t n, unsigned bit,
              const digit_chain chain) {
    constexpr int ITEMS = sort_shape<PAIRS>::ITEMS;
    constexpr int TILE = sort_shape<PAIRS>::TILE;
    __shared__ uint32_t sorted[TILE];
    __shared__ sort_tables s;
    unsigned thread = threadIdx.x, warp = thread / 32;
    if (thread == 0) s.tile = atomicAdd(&chain.tickets[chain.pass], 1u);
    for (unsigned d = lane_id(); d < DIGITS; d += 32) s.counts[warp][d] = 0;
    __syncthreads();
    unsigned tile = s.tile;
    uint32_t base = tile * TILE;
    unsigned size = min(n - base, (unsigned)TILE);

    /* A warp has neighbouring rows of 32 keys: rows in order, lanes in order.
     * Padding has the largest digit and comes last, so it stays last. */
    unsigned first = warp * 32 * ITEMS + lane_id();
    uint32_t key[ITEMS], rank[ITEMS];
    load_rows(key, keys + base, first, size);
    rank_keys(key, rank, bit, s.counts[warp], chain.minus_one);
    __syncthreads();

    bool has_digit = thread < DIGITS;
    uint32_t *own =
        has_digit ? chain.words + (size_t)tile * DIGITS + thread : NULL;
    bool largest = thread == digit_of(0xffffffffu, bit);
    uint32_t start, before = 0;
    uint32_t count =
        place_in_tile(chain, &s, own, largest ? TILE - size : 0, &start);
    if (tile == 0)
        before = scan_digits(
            has_digit ? digit_totals[chain.pass * DIGITS + thread] : 0,
            s.warp_totals);
    __syncthreads();

#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        rank[k] += of_digit(s.counts[warp], key[k], bit);
        sorted[rank[k]] = key[k];
    }
    uint32_t value[ITEMS];
    if (PAIRS) load_rows(value, values + base, first, size);
    if (has_digit) {
        if (tile > 0) before = look_back_digit(chain, own, tile);
        chain.publish(own, PREFIX, before + count);
        s.shifts[thread] = before - start;
    }
    __syncthreads();

    store_tile<PAIRS>(sorted, &s, keys_out, values_out, rank, value, size, bit);
}

/* ---- calls ---- */

struct sort_task {
    const uint32_t *keys, *values; /* values NULL: keys alone */
    uint32_t *keys_out, *values_out;
    size_t n;
    unsigned bit, passes; /* passes: 1 or PASSES */
};

/* Starts the counting of all digits. */
static cudaError_t count_all(const sort_task &t) {
    void *totals = NULL;
    unsigned sms = 0;
    TRY(count_sms(&sms));
    TRY(cudaGetSymbolAddress(&totals, digit_totals));
    TRY(cudaMemsetAsync(totals, 0, sizeof digit_totals));
    size_t steps = (t.n - 1) / (COUNT_THREADS * COUNT_ITEMS) + 1;
    unsigned blocks = (unsigned)min(steps, (size_t)COUNT_BLOCKS_PER_SM * sms);
    auto count = t.passes == 1 ? count_digits<1> : count_digits<PASSES>;
    count<<<blocks, COUNT_THREADS>>>(t.keys, t.n, t.bit);
    return cudaGetLastError();
}

/* scratch: the chain, then room for the keys and values of every second
 * pass; the last pass writes the output. */
static cudaError_t move_all(const sort_task &t, uint32_t *scratch) {
    size_t words = digit_chain_words(t.n, t.values != NULL);
    TRY(cudaMemsetAsync(scratch, 0, words * sizeof *scratch));
    const uint32_t *keys = t.keys, *values = t.values;
    for (unsigned pass = 0; pass < t.passes; pass++) {
        bool to_out = (t.passes - pass) % 2 == 1;
        uint32_t *keys_to = to_out ? t.keys_out : scratch + words;
        uint32_t *values_to = to_out ? t.values_out : scratch + words + t.n;
        digit_chain chain = {scratch, scratch + PASSES, pass, ~0u};
        auto move = t.values != NULL ? sort_pass<true> : sort_pass<false>;
        move<<<sort_tiles(t.n, t.values != NULL), SORT_THREADS>>>(
            keys, values, keys_to, values_to, (uint32_t)t.n,
            t.bit + pass * DIGIT_BITS, chain);
        TRY(cudaGetLastError());
        keys = keys_to, values = values_to;
    }
    return cudaSuccess;
}

static cudaError_t sort_digits(const sort_task &t) {
    if (t.n == 0) return cudaSuccess;
    bool pairs = t.values != NULL;
    size_t other = t.passes == 1 ? 0 : pairs ? 2 * t.n : t.n;
    scratch_memory scratch;
    TRY(count_all(t)); /* while the host allocates */
    TRY(scratch.take((digit_chain_words(t.n, pairs) + other) *
                     sizeof(uint32_t)));
    cudaError_t status = move_all(t, (uint32_t *)scratch.at);
    cudaError_t freed = scratch.give_back();
    return status != cudaSuccess ? status : freed;
}
