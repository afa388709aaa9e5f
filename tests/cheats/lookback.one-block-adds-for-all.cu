// SPDX-License-Identifier: MIT
//: what: No look-back: a fixed grid, whose first block adds up what all blocks
//     have in a round, and tells each of them what lies before its tile.
//: twin: mutant.lookback.honest-persistent
//: expect: decoupled fail "side_messages"
//: expect: walk fail "side_messages"
//: expect: exclusive-parallel fail "side_messages"
//: expect: windows pass
//: expect: * any
#include "lookback.h"
#include "scanlab.h"

enum {
    LANES = 32,
    WARPS = 8,
    BLOCK_THREADS = WARPS * LANES,
    TILE = LOOKBACK_TILE,
    ITEMS = TILE / BLOCK_THREADS /* per thread */
};
#define ALL_LANES 0xffffffffu

template <enum scan_operator OP> __device__ int32_t join(int32_t x, int32_t y) {
    return scan_join_i32(OP, x, y);
}

template <enum scan_operator OP> __device__ int64_t join(int64_t x, int64_t y) {
    return scan_join_i64(OP, x, y);
}

template <enum scan_operator OP, typename T> __device__ T identity(void) {
    return sizeof(T) == 8 ? (T)scan_identity_i64(OP) : (T)scan_identity_i32(OP);
}

inline __device__ int lane_number(void) {
    return (int)threadIdx.x % LANES;
}

inline __device__ int warp_number(void) {
    return (int)threadIdx.x / LANES;
}

/* ---- a block and its tile ---- */

/* The number of this block's tile: 0 for the first block that asks, 1 for the
 * next, and so on. Every thread of the block gets it. */
inline __device__ unsigned take_ticket(unsigned *counter) {

    __shared__ unsigned ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(counter, 1);
    __syncthreads();
    return ticket;

}

/* 16 bytes of neighbouring elements: what one thread loads at once. A row of a
 * warp is 32 of them, and a thread has ROWS rows. */
template <typename T> struct __align__(16) wide {
    enum { WIDTH = 16 / sizeof(T), ROWS = ITEMS / WIDTH };
    T item[WIDTH];
};

/* The index of the first of this thread's elements in a row. */
template <typename T> __device__ size_t element(unsigned tile, int row) {
    size_t of_warp = (size_t)(warp_number() * wide<T>::ROWS + row) * LANES;
    return (size_t)tile * TILE +
           (of_warp + (size_t)lane_number()) * wide<T>::WIDTH;
}

/* 16 bytes at a time want an aligned array and a full tile. */
template <typename T>
__device__ bool is_wide(const T *array, size_t n, unsigned tile) {
    return (uintptr_t)array % sizeof(wide<T>) == 0 &&
           ((size_t)tile + 1) * TILE <= n;
}

/* What lies past n is loaded as the identity, and not stored. */
template <enum scan_operator OP, typename T>
__device__ void load_tile(wide<T> x[], const T *in, size_t n, unsigned tile) {
    bool wides = is_wide(in, n, tile);
#pragma unroll
    for (int row = 0; row < wide<T>::ROWS; row++) {
        size_t i = element<T>(tile, row);
        if (wides) x[row] = *(const wide<T> *)(in + i);
        for (int k = 0; k < wide<T>::WIDTH && !wides; k++)
            x[row].item[k] = i + k < n ? in[i + k] : identity<OP, T>();
    }
}

/* __stcs: an ordinary store of something that is not wanted again soon. */
template <typename T>
__device__ void store_tile(const wide<T> x[], T *out, size_t n, unsigned tile) {
    bool wides = is_wide(out, n, tile);
#pragma unroll
    for (int row = 0; row < wide<T>::ROWS; row++) {
        size_t i = element<T>(tile, row);
        if (wides) __stcs((int4 *)(out + i), *(const int4 *)&x[row]);
        for (int k = 0; k < wide<T>::WIDTH && !wides; k++)
            if (i + k < n) out[i + k] = x[row].item[k];
    }
}

/* Inclusive scan across the lanes of a warp. */
template <enum scan_operator OP, typename T> __device__ T scan_lanes(T x) {

#pragma unroll
    for (int distance = 1; distance < LANES; distance *= 2) {
        T left = __shfl_up_sync(ALL_LANES, x, (unsigned)distance);
        if (lane_number() >= distance) x = join<OP>(left, x);
    }
    return x;

}

/* Scan of the warp's elements, inclusive or exclusive; returns their total. */
template <enum scan_operator OP, bool EXCLUSIVE, typename T>
__device__ T scan_warp(wide<T> x[]) {
    T above = identity<OP, T>();

#pragma unroll
    for (int row = 0; row < wide<T>::ROWS; row++) {
        T sum = x[row].item[0];
#pragma unroll
        for (int k = 1; k < wide<T>::WIDTH; k++)
            sum = join<OP>(sum, x[row].item[k]);
        T upto = join<OP>(above, scan_lanes<OP>(sum));
        T before = __shfl_up_sync(ALL_LANES, upto, 1);
        if (lane_number() == 0) before = above;
        above = __shfl_sync(ALL_LANES, upto, LANES - 1);
#pragma unroll
        for (int k = 0; k < wide<T>::WIDTH; k++) {
            T with_own = join<OP>(before, x[row].item[k]);
            x[row].item[k] = EXCLUSIVE ? before : with_own;
            before = with_own;
        }
    }

    return above;
}

/* ---- what blocks tell each other ----
 *
 * A tile's status: words that hold 32 bits of the value and the flag each, so
 * that none is ever seen by halves. A 32-bit value has one word, a 64-bit value
 * two. All bits 0: NOTHING. */
enum flag { NOTHING, AGGREGATE, PREFIX };

template <typename T> struct tile_status {
    enum { WORDS = sizeof(T) / 4 };
    unsigned long long word[WORDS];
};

/* One lane calls it. volatile: to memory, where all blocks look. */
template <typename T>
__device__ void publish(tile_status<T> *s, enum flag flag, T value) {

    unsigned long long bits = (unsigned long long)value;
#pragma unroll
    for (int k = 0; k < tile_status<T>::WORDS; k++)
        *(volatile unsigned long long *)&s->word[k] =
            (unsigned long long)flag << 32 | (uint32_t)(bits >> 32 * k);

}

/* What a tile has published. Between two states that is NOTHING. */
template <typename T>
__device__ enum flag inspect(const tile_status<T> *s, T *value) {

    unsigned long long bits = 0;
    unsigned flag = PREFIX | AGGREGATE;
#pragma unroll
    for (int k = 0; k < tile_status<T>::WORDS; k++) {
        unsigned long long w =
            *(const volatile unsigned long long *)&s->word[k];
        flag &= (unsigned)(w >> 32);
        bits |= (w & 0xffffffffu) << 32 * k;
    }
    *value = (T)bits;
    return (enum flag)flag;

}

/* ---- looking back: the whole warp calls it, every lane gets the result ----
 */

/* What the tile before has published first or last. */
template <typename T>
__device__ T ask_neighbour(const tile_status<T> *statuses, unsigned tile) {
    T value;

    enum flag flag;
    do flag = inspect(&statuses[tile - 1], &value);
    while (flag == NOTHING);

    return value;
}

/* Everything before the tile, one tile at a time. */
template <enum scan_operator OP, typename T>
__device__ T look_serially(const tile_status<T> *statuses, unsigned tile) {
    T before = identity<OP, T>();

    enum flag flag = NOTHING;
    for (unsigned t = tile; flag != PREFIX;) {
        T value;
        t--;
        do flag = inspect(&statuses[t], &value);
        while (flag == NOTHING);
        before = join<OP>(value, before);
    }

    return before;
}

/* Lane k has the value of the tile k before the newest of a window of 32. Puts
 * the values, up to and with the first prefix, before *before. Is that all? */
template <enum scan_operator OP, typename T>
__device__ bool join_window(T value, bool is_prefix, T *before) {

    unsigned prefixes = __ballot_sync(ALL_LANES, is_prefix);
    int last = prefixes ? __ffs((int)prefixes) - 1 : LANES - 1;
    if (lane_number() > last) value = identity<OP, T>();
#pragma unroll
    for (int distance = 1; distance < LANES; distance *= 2) {
        T older = __shfl_down_sync(ALL_LANES, value, (unsigned)distance);
        value = join<OP>(older, value); /* lane 0 gets all, in order */
    }
    *before = join<OP>(__shfl_sync(ALL_LANES, value, 0), *before);
    return prefixes != 0;

}

/* Everything before the tile, 32 tiles at a time. */
template <enum scan_operator OP, typename T>
__device__ T look_by_windows(const tile_status<T> *statuses, unsigned tile) {
    T before = identity<OP, T>(), value;

    enum flag flag;
    int newest = (int)tile - 1;
    do {
        /* Lanes past the beginning look at tile 0: it will have a prefix. */
        int t = max(newest - lane_number(), 0);
        do flag = inspect(&statuses[t], &value);
        while (__any_sync(ALL_LANES, flag == NOTHING));
        newest -= LANES;
    } while (!join_window<OP>(value, flag == PREFIX, &before));

    return before;
}

/* ---- the kernel ---- */

enum how { ALONE, NEIGHBOUR, SERIALLY, BY_WINDOWS };

/* What lies before the tile, by the step that is to be tried. Warp 0. */
template <enum scan_operator OP, enum how HOW, typename T>
__device__ T before_tile(tile_status<T> *statuses, unsigned tile, T total) {
    T before = identity<OP, T>();
    if (HOW == ALONE) return before;

    bool speaks = lane_number() == 0;
    if (tile > 0) {
        if (speaks) publish(&statuses[tile], AGGREGATE, total);
        if (HOW == NEIGHBOUR) return ask_neighbour(statuses, tile);
        before = HOW == SERIALLY ? look_serially<OP>(statuses, tile)
                                 : look_by_windows<OP>(statuses, tile);
    }
    if (speaks) publish(&statuses[tile], PREFIX, join<OP>(before, total));

    return before;
}

template <typename T, enum scan_operator OP, enum how HOW, bool EXCLUSIVE>
__global__ void scan(const T *in, T *out, size_t n, tile_status<T> *statuses,
                     unsigned *counter) {
    unsigned tile = take_ticket(counter);
    wide<T> x[wide<T>::ROWS];
    load_tile<OP>(x, in, n, tile);

    __shared__ T befores[WARPS]; /* first the totals of the warps */
    T total = scan_warp<OP, EXCLUSIVE>(x);
    if (lane_number() == 0) befores[warp_number()] = total;
    __syncthreads();
    if (warp_number() == 0) {
        T mine =
            lane_number() < WARPS ? befores[lane_number()] : identity<OP, T>();
        T upto = scan_lanes<OP>(mine);
        total = __shfl_sync(ALL_LANES, upto, LANES - 1);
        T before = before_tile<OP, HOW>(statuses, tile, total);
        T left = __shfl_up_sync(ALL_LANES, upto, 1);
        if (lane_number() > 0 && HOW != NEIGHBOUR)
            before = join<OP>(before, left);
        if (lane_number() < WARPS) befores[lane_number()] = before;
    }
    __syncthreads();
    T before = befores[warp_number()];
#pragma unroll
    for (int row = 0; row < wide<T>::ROWS; row++)
#pragma unroll
        for (int k = 0; k < wide<T>::WIDTH; k++)
            x[row].item[k] =
                HOW == NEIGHBOUR ? before : join<OP>(before, x[row].item[k]);

    store_tile(x, out, n, tile);
}

/* One block per tile; status words and counter begin at 0. */
template <typename T, enum scan_operator OP, enum how HOW, bool EXCLUSIVE>
cudaError_t launch(const T *d_in, T *d_out, size_t n) {
    if (n == 0) return cudaSuccess;
    size_t tiles = (n + TILE - 1) / TILE;
    size_t bytes = tiles * sizeof(tile_status<T>) + sizeof(unsigned);
    tile_status<T> *statuses = NULL;
    cudaError_t status = cudaMalloc(&statuses, bytes);
    if (status == cudaSuccess) status = cudaMemsetAsync(statuses, 0, bytes);
    if (status == cudaSuccess) {
        scan<T, OP, HOW, EXCLUSIVE><<<(unsigned)tiles, BLOCK_THREADS>>>(
            d_in, d_out, n, statuses, (unsigned *)(statuses + tiles));
        status = cudaGetLastError();
    }
    cudaError_t freed = cudaFree(statuses); /* waits; NULL is fine */
    return status != cudaSuccess ? status : freed;
}

/* No look-back: a fixed grid; in each round all blocks tell block 0 their
 * totals, block 0 scans these and tells each block what lies before its tile. */
template <typename T, enum scan_operator OP, bool EXCLUSIVE>
__global__ void scan_master(const T *in, T *out, size_t n,
                            tile_status<T> *totals, tile_status<T> *befores_of,
                            unsigned tiles) {
    __shared__ T befores[WARPS];
    wide<T> x[wide<T>::ROWS];
    T sum = identity<OP, T>(); /* of the rounds before: block 0, warp 0 */
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        load_tile<OP>(x, in, n, tile);
        T total = scan_warp<OP, EXCLUSIVE>(x);
        if (lane_number() == 0) befores[warp_number()] = total;
        __syncthreads();
        if (warp_number() == 0) {
            T mine = lane_number() < WARPS ? befores[lane_number()]
                                           : identity<OP, T>();
            T upto = scan_lanes<OP>(mine);
            total = __shfl_sync(ALL_LANES, upto, LANES - 1);
            if (lane_number() == 0) publish(&totals[tile], AGGREGATE, total);
            if (blockIdx.x == 0)
                for (unsigned first = tile;
                     first < tile + gridDim.x && first < tiles;
                     first += LANES) {
                    unsigned t = first + lane_number();
                    bool is = t < tile + gridDim.x && t < tiles;
                    T value = identity<OP, T>();
                    enum flag flag = AGGREGATE;
                    do if (is) flag = inspect(&totals[t], &value);
                    while (__any_sync(ALL_LANES, flag == NOTHING));
                    if (!is) value = identity<OP, T>();
                    T all = scan_lanes<OP>(value);
                    T left = __shfl_up_sync(ALL_LANES, all, 1);
                    T b = lane_number() == 0 ? sum : join<OP>(sum, left);
                    if (is) publish(&befores_of[t], PREFIX, b);
                    sum = join<OP>(sum, __shfl_sync(ALL_LANES, all, LANES - 1));
                }
            T before;
            while (inspect(&befores_of[tile], &before) == NOTHING)
                ;
            T left = __shfl_up_sync(ALL_LANES, upto, 1);
            if (lane_number() > 0) before = join<OP>(before, left);
            if (lane_number() < WARPS) befores[lane_number()] = before;
        }
        __syncthreads();
        T before = befores[warp_number()];
#pragma unroll
        for (int row = 0; row < wide<T>::ROWS; row++)
#pragma unroll
            for (int k = 0; k < wide<T>::WIDTH; k++)
                x[row].item[k] = join<OP>(before, x[row].item[k]);
        store_tile(x, out, n, tile);
        __syncthreads();
    }
}

template <typename T, enum scan_operator OP, bool EXCLUSIVE>
cudaError_t master(const T *d_in, T *d_out, size_t n) {
    if (n == 0) return cudaSuccess;
    size_t tiles = (n + TILE - 1) / TILE;
    int device, sms, each;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount,
                                        device);
    if (status == cudaSuccess)
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &each, scan_master<T, OP, EXCLUSIVE>, BLOCK_THREADS, 0);
    if (status != cudaSuccess) return status;
    size_t bytes = 2 * tiles * sizeof(tile_status<T>);
    unsigned blocks = (unsigned)min(tiles, (size_t)(sms * each));
    tile_status<T> *statuses = NULL;
    status = cudaMalloc(&statuses, bytes);
    if (status == cudaSuccess) status = cudaMemsetAsync(statuses, 0, bytes);
    if (status == cudaSuccess) {
        scan_master<T, OP, EXCLUSIVE><<<blocks, BLOCK_THREADS>>>(
            d_in, d_out, n, statuses, statuses + tiles, (unsigned)tiles);
        status = cudaGetLastError();
    }
    cudaError_t freed = cudaFree(statuses);
    return status != cudaSuccess ? status : freed;
}

__global__ void write_tickets(int32_t *out, size_t n, unsigned *counter) {
    unsigned tile = take_ticket(counter);
    for (int k = 0; k < ITEMS; k++) {
        size_t i = (size_t)tile * TILE + k * BLOCK_THREADS + threadIdx.x;
        if (i < n) out[i] = (int32_t)tile;
    }
}

cudaError_t lookback_tickets(const int32_t *d_in, int32_t *d_out, size_t n) {
    (void)d_in;

    if (n == 0) return cudaSuccess;
    unsigned *counter = NULL;
    cudaError_t status = cudaMalloc(&counter, sizeof *counter);
    if (status == cudaSuccess)
        status = cudaMemsetAsync(counter, 0, sizeof *counter);
    if (status == cudaSuccess) {
        unsigned blocks = (unsigned)((n + TILE - 1) / TILE);
        write_tickets<<<blocks, BLOCK_THREADS>>>(d_out, n, counter);
        status = cudaGetLastError();
    }
    cudaError_t freed = cudaFree(counter);
    return status != cudaSuccess ? status : freed;

}

cudaError_t lookback_scan_tiles(const int32_t *d_in, int32_t *d_out, size_t n) {

    return launch<int32_t, SCAN_SUM, ALONE, false>(d_in, d_out, n);

}

cudaError_t lookback_neighbours(const int32_t *d_in, int32_t *d_out, size_t n) {

    return launch<int32_t, SCAN_SUM, NEIGHBOUR, false>(d_in, d_out, n);

}

cudaError_t lookback_scan_serially(const int32_t *d_in, int32_t *d_out,
                                   size_t n) {

    return master<int32_t, SCAN_SUM, false>(d_in, d_out, n);

}

/* One warp per tile. */
__global__ void join_snapshot(const int32_t *prefix, const int32_t *values,
                              int32_t *out, size_t n) {

    size_t tile = (size_t)blockIdx.x * WARPS + (size_t)warp_number();
    if (tile >= n) return; /* the whole warp */
    int32_t before = 0, value;
    bool is_prefix;
    int newest = (int)tile - 1;
    if (tile > 0) do {
            int t = max(newest - lane_number(), 0);
            value = values[t];
            is_prefix = t == 0 || prefix[t] != 0;
            newest -= LANES;
        } while (!join_window<SCAN_SUM>(value, is_prefix, &before));
    if (lane_number() == 0) out[tile] = before;

}

cudaError_t lookback_snapshot(const int32_t *d_prefix, const int32_t *d_values,
                              int32_t *d_out, size_t n) {

    if (n == 0) return cudaSuccess;
    unsigned blocks = (unsigned)((n + WARPS - 1) / WARPS);
    join_snapshot<<<blocks, BLOCK_THREADS>>>(d_prefix, d_values, d_out, n);
    return cudaGetLastError();

}

template <typename T>
cudaError_t launch_op(const T *d_in, T *d_out, size_t n, int op) {

    switch (op) {
    case SCAN_SUM:
        return master<T, SCAN_SUM, false>(d_in, d_out, n);
    case SCAN_MAX:
        return master<T, SCAN_MAX, false>(d_in, d_out, n);
    case SCAN_XOR:
        return master<T, SCAN_XOR, false>(d_in, d_out, n);
    case SCAN_AFFINE:
        return master<T, SCAN_AFFINE, false>(d_in, d_out, n);
    default: return cudaErrorInvalidValue;
    }

}

cudaError_t lookback_scan_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                              int op) {
    return launch_op(d_in, d_out, n, op);
}

cudaError_t lookback_scan_i64(const int64_t *d_in, int64_t *d_out, size_t n,
                              int op) {

    return launch_op(d_in, d_out, n, op);

}

cudaError_t lookback_exclusive_sum(const int32_t *d_in, int32_t *d_out,
                                   size_t n) {

    return master<int32_t, SCAN_SUM, true>(d_in, d_out, n);

}
