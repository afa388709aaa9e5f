/* SPDX-License-Identifier: MIT
 *
 * sam.cu: lab 7. SAM: scans of order q over tuples of size s in one kernel that
 * reads and writes every element once. sam.h says what the functions promise,
 * the handout (labs/07-sam/README.md) why it works.
 *
 * How to read this. The input is cut into chunks. Block b of k handles chunks
 * b, b + k, b + 2 k, ...; within a chunk, thread t walks down a column:
 * ITEMS elements of one slot, `tuple` apart. So s neighbouring threads share
 * ITEMS tuples, and threads t, t - s, t - 2 s, ... make up slot t % s.
 *
 *   tile        a chunk in shared memory, between coalesced and by columns
 *   encode      differences: what the scan undoes
 *   board       where blocks tell each other the sums of their chunks
 *   sam_kernel  scans; sam_once_kernel (bonus): all orders in one exchange
 *
 * The steps in their order: 1 and 2 in encode_kernel, 3 in encode; then one
 * chunk, further down in the file: 4 in scan_with, 5 in sam_kernel, 6 in
 * scan_columns; 7 in announce, 8 in await, 9 in collect; 10 and 11 in
 * sam_kernel, 12 in scan_columns, 13 and 14 in sam_kernel; 15 in the round
 * trips; the bonus, 16 to 21, from top to bottom.
 */
#include "sam.h"
#include "scanlab.h"

enum {
    THREADS = 256, /* at least 32 * SAM_MAX_TUPLE: a warp per slot */
    WARPS = THREADS / 32,
    ITEM_BYTES = 64 /* of a thread's column */
};
#define ALL_LANES 0xffffffffu

/* ---- the tile: given ---- */

/* One word of padding per column, so that lanes walking down their columns
 * meet different banks (lab 3). */
template <typename T> struct tile {
    enum { ITEMS = ITEM_BYTES / sizeof(T), SIZE = THREADS * ITEMS };
    T padded[SIZE + THREADS];
    __device__ T &operator[](int i) { return padded[i + i / ITEMS]; }
};

/* Threads that have a column: as many as make up whole tuples. */
inline __host__ __device__ int columns(int tuple) {
    return THREADS - THREADS % tuple;
}

template <typename T> inline __host__ __device__ int chunk_items(int tuple) {
    return columns(tuple) * tile<T>::ITEMS;
}

template <typename T> struct __align__(16) pack {
    enum { SIZE = 16 / sizeof(T) };
    T item[SIZE];
};

/* How many of length elements can be moved as packs. */
template <typename T> inline __device__ int packs(const T *at, int length) {
    return (uintptr_t)at % 16 == 0 ? length / pack<T>::SIZE : 0;
}

/* length elements from `from` to the front of the tile. */
template <typename T>
__device__ void load_tile(tile<T> &to, const T *from, int length) {
    int wide = packs(from, length);
#pragma unroll 4
    for (int p = threadIdx.x; p < wide; p += THREADS) {
        pack<T> in = ((const pack<T> *)from)[p];
        for (int k = 0; k < in.SIZE; k++) to[p * in.SIZE + k] = in.item[k];
    }
    for (int i = wide * pack<T>::SIZE + threadIdx.x; i < length; i += THREADS)
        to[i] = from[i];
}

template <typename T>
__device__ void store_tile(T *to, tile<T> &from, int length) {
    int wide = packs(to, length);
    for (int p = threadIdx.x; p < wide; p += THREADS) {
        pack<T> out;
        for (int k = 0; k < out.SIZE; k++) out.item[k] = from[p * out.SIZE + k];
        ((pack<T> *)to)[p] = out;
    }
    for (int i = wide * pack<T>::SIZE + threadIdx.x; i < length; i += THREADS)
        to[i] = from[i];
}

/* ---- encoding ---- */

enum { HALO = SAM_MAX_ORDER * SAM_MAX_TUPLE, ENCODE_ITEMS = 8 * THREADS };

/* q differences at once: out[i] = sum over d of (-1)^d C(q, d) in[i - d s]. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
    encode_kernel(const T *in, T *out, size_t n, int order, int tuple) {
#ifdef SOLUTION
    __shared__ T near[HALO + ENCODE_ITEMS]; /* near[HALO] is the first's */
    __shared__ T weight[SAM_MAX_ORDER + 1];
    size_t first = (size_t)blockIdx.x * ENCODE_ITEMS;
    for (int k = threadIdx.x; k < HALO + ENCODE_ITEMS; k += THREADS) {
        size_t i = first + k - HALO; /* wraps before element 0: beyond n */
        near[k] = i < n ? in[i] : 0;
    }
    if (threadIdx.x == 0)
        for (int d = 0, choose = 1; d <= order; d++) {
            weight[d] = choose;
            choose = -choose * (order - d) / (d + 1);
        }
    __syncthreads();
    for (int k = threadIdx.x; k < ENCODE_ITEMS && first + k < n; k += THREADS) {
        T sum = 0;
        for (int d = 0; d <= order; d++)
            sum += weight[d] * near[HALO + k - d * tuple];
        out[first + k] = sum;
    }
#else
    /* Step 1. The block writes ENCODE_ITEMS elements from `first` on. They need
     *         up to order * tuple elements before it: bring all of them into
     *         shared memory first, so that each is read from global memory
     *         once. What stands there for elements before 0?
     * Step 2. q differences: take them one after the other, or all at once
     *         with the binomials of the handout. About 18 lines in all. */
#endif
}

bool in_range(int order, int tuple) {
    return order >= 1 && order <= SAM_MAX_ORDER && tuple >= 1 &&
           tuple <= SAM_MAX_TUPLE;
}

template <typename T>
cudaError_t encode(const T *in, T *out, size_t n, int order, int tuple) {
#ifdef SOLUTION
    if (!in_range(order, tuple)) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    unsigned blocks = (unsigned)((n + ENCODE_ITEMS - 1) / ENCODE_ITEMS);
    encode_kernel<<<blocks, THREADS>>>(in, out, n, order, tuple);
    return cudaGetLastError();
#else
    /* Step 3. Refuse what is not in_range; nothing to do for n = 0; a block per
     *         ENCODE_ITEMS elements. About 5 lines. */
    return SCANLAB_TODO;
#endif
}

cudaError_t sam_encode_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                           int order, int tuple) {
    return encode((const uint32_t *)d_in, (uint32_t *)d_out, n, order, tuple);
}

cudaError_t sam_encode_i64(const int64_t *d_in, int64_t *d_out, size_t n,
                           int order, int tuple) {
    return encode((const uint64_t *)d_in, (uint64_t *)d_out, n, order, tuple);
}

/* ---- the board ---- */

/* Circular: chunk c uses place c % places. A place holds a chunk's sums, one
 * per order and slot; the flag says how far they are there: chunk c's sums of
 * orders 1 to o are, once the flag is at least c * order + o. */
template <typename T> struct board {
    unsigned *flags; /* [places], 0 at the start */
    T *sums;         /* [order][slot][places] */
    unsigned places; /* three rounds: see the handout */
    int order, tuple;

    __device__ T &sum(unsigned place, int o, int slot) {
        return sums[((o - 1) * tuple + slot) * places + place];
    }
};

/* Called by a whole warp whose lanes have put sums of the chunk there. */
template <typename T>
__device__ void announce(board<T> b, unsigned chunk, int o) {
#ifdef SOLUTION
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        __nv_atomic_store_n(&b.flags[chunk % b.places], chunk * b.order + o,
                            __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
#else
    /* Step 7. The lanes of this warp have stored their sums (b.sum(...) = ...).
     *         Make sure that they all have, then let one lane raise the place's
     *         flag to chunk * order + o, so that whoever sees the flag sees
     *         the sums. About 4 lines. */
#endif
}

/* How many chunks there are since this block's last one, that one included:
 * one per block of the grid, fewer in the first round. */
inline __device__ unsigned chunks_since(unsigned chunk) {
    return min(chunk, gridDim.x);
}

/* Called by all threads: together they wait for the sums of order o of these
 * chunks, chunk - 1, chunk - 2, ... A barrier is inside. */
template <typename T> __device__ void await(board<T> b, unsigned chunk, int o) {
#ifdef SOLUTION
    for (unsigned back = 1 + threadIdx.x; back <= chunks_since(chunk);
         back += THREADS) {
        unsigned other = chunk - back;
        while (
            __nv_atomic_load_n(&b.flags[other % b.places], __NV_ATOMIC_ACQUIRE,
                               __NV_THREAD_SCOPE_DEVICE) < other * b.order + o)
            ;
    }
    __syncthreads();
#else
    /* Step 8. Thread t looks at the flag of chunk - 1 - t until it says enough;
     *         with more chunks than threads, at others, too. Look at memory
     *         each time, and make sure that what is read afterwards is not
     *         older than the flag. A barrier. About 8 lines. */
#endif
}

/* Called by a whole warp after await. Lane 0 gets what these chunks add up to
 * in the slot. */
template <typename T>
__device__ T collect(board<T> b, unsigned chunk, int o, int slot) {
#ifdef SOLUTION
    T sum = 0;
#pragma unroll 4
    for (unsigned back = 1 + threadIdx.x % 32; back <= chunks_since(chunk);
         back += 32)
        sum += b.sum((chunk - back) % b.places, o, slot);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(ALL_LANES, sum, d);
    return sum;
#else
    /* Step 9. Lane l adds the sums of chunks chunk - 1 - l, chunk - 33 - l,
     *          ...: how far back? Then add up the lanes with shuffles, always
     *          in the same order. About 7 lines. */
    return 0;
#endif
}

/* ---- the board on its own: given ---- */

enum rehearsal { ANNOUNCE, AWAIT, COLLECT };

/* A block per chunk, and no chunk but a sum: in[chunk]. */
template <int UPTO>
__global__ void __launch_bounds__(THREADS)
    rehearse_kernel(const uint32_t *in, uint32_t *out, board<uint32_t> b) {
    unsigned chunk = blockIdx.x, t = threadIdx.x;
    uint32_t sum = 0;
    if (t == THREADS - 1) b.sum(chunk % b.places, b.order, 0) = in[chunk];
    if (t / 32 == WARPS - 1) announce(b, chunk, b.order);
    if (UPTO == ANNOUNCE) return;
    await(b, chunk, b.order);
    if (UPTO == COLLECT && t < 32) sum = collect(b, chunk, b.order, 0);
    if (UPTO == AWAIT && t == 0)
        for (unsigned back = 1; back <= chunks_since(chunk); back++)
            sum += b.sum((chunk - back) % b.places, b.order, 0);
    if (t == 0) out[chunk] = sum;
}

/* What the board says of each chunk, once all blocks have ended. */
__global__ void read_board(uint32_t *out, board<uint32_t> b) {
    unsigned chunk = blockIdx.x;
    bool there = b.flags[chunk % b.places] >= chunk * b.order + b.order;
    if (threadIdx.x == 0 && there)
        out[chunk] = b.sum(chunk % b.places, b.order, 0);
}

cudaError_t rehearse(enum rehearsal upto, const int32_t *d_in, int32_t *d_out,
                     size_t n) {
    const uint32_t *in = (const uint32_t *)d_in;
    uint32_t *out = (uint32_t *)d_out;
    unsigned blocks = (unsigned)n;
    board<uint32_t> b = {NULL, NULL, 3 * blocks, 2, 1};
    cudaError_t status = cudaMalloc(&b.sums, 2 * b.places * sizeof *b.sums);
    if (status == cudaSuccess)
        status = cudaMalloc(&b.flags, b.places * sizeof *b.flags);
    if (status == cudaSuccess)
        status = cudaMemset(b.flags, 0, b.places * sizeof *b.flags);
    if (status == cudaSuccess) {
        if (upto == ANNOUNCE)
            rehearse_kernel<ANNOUNCE><<<blocks, THREADS>>>(in, out, b);
        else if (upto == AWAIT)
            rehearse_kernel<AWAIT><<<blocks, THREADS>>>(in, out, b);
        else
            rehearse_kernel<COLLECT><<<blocks, THREADS>>>(in, out, b);
        if (upto == ANNOUNCE) read_board<<<blocks, 32>>>(out, b);
        status = cudaGetLastError();
    }
    cudaError_t freed = cudaFree(b.flags);
    if (status == cudaSuccess) status = freed;
    freed = cudaFree(b.sums);
    return status != cudaSuccess ? status : freed;
}

cudaError_t sam_announce_i32(const int32_t *d_in, int32_t *d_out, size_t n) {
#ifdef SOLUTION
    return rehearse(ANNOUNCE, d_in, d_out, n);
#else
    /* Step 7, continued: return rehearse(ANNOUNCE, d_in, d_out, n) instead. */
    (void)rehearse;
    return SCANLAB_TODO;
#endif
}

cudaError_t sam_await_i32(const int32_t *d_in, int32_t *d_out, size_t n) {
#ifdef SOLUTION
    return rehearse(AWAIT, d_in, d_out, n);
#else
    /* Step 8, continued: the same with AWAIT. */
    return SCANLAB_TODO;
#endif
}

cudaError_t sam_collect_i32(const int32_t *d_in, int32_t *d_out, size_t n) {
#ifdef SOLUTION
    return rehearse(COLLECT, d_in, d_out, n);
#else
    /* Step 9, continued: the same with COLLECT. */
    return SCANLAB_TODO;
#endif
}

/* ---- the scan ---- */

/* For thread t: the sum over threads t - s, t - 2 s, ..., without t. Leaves
 * the sums of each warp and slot in by_warp. A barrier is inside. */
template <typename T>
__device__ T scan_columns(T (*by_warp)[SAM_MAX_TUPLE], T sum, int tuple) {
#ifdef SOLUTION
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int slot = threadIdx.x % tuple;
    for (int d = tuple; d < 32; d *= 2) {
        T left = __shfl_up_sync(ALL_LANES, sum, d);
        if (lane >= d) sum += left;
    }
    if (lane >= 32 - tuple) by_warp[warp][slot] = sum; /* the slot's last */
    T before = __shfl_up_sync(ALL_LANES, sum, tuple);
    if (lane < tuple) before = 0;
    __syncthreads();
    T warps = 0;
    for (int w = 0; w < warp; w++) warps += by_warp[w][slot];
    return warps + before;
#else
    /* Step 6. Within the warp: Hillis-Steele with shuffles, at distances 1, 2,
     *         4, ...; the last lane knows the warp's sum. What does the lane to
     *         the left know?
     *         Across warps: barrier, add the sums of the warps before.
     * Step 12. Tuples: which distances stay within a slot? Which lanes know
     *          the warp's sums now? About 15 lines. */
    return 0;
#endif
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    sam_kernel(const T *in, T *out, size_t n, board<T> b) {
#ifdef SOLUTION
    enum { ITEMS = tile<T>::ITEMS };
    __shared__ tile<T> tile;
    __shared__ T by_warp[WARPS][SAM_MAX_TUPLE];
    __shared__ T carry[SAM_MAX_ORDER + 1][SAM_MAX_TUPLE];

    int t = threadIdx.x, warp = t / 32, slot = t % b.tuple;
    int top = (t - slot) * ITEMS + slot; /* of this thread's column */
    bool last = t / b.tuple == columns(b.tuple) / b.tuple - 1; /* of a slot */
    size_t size = chunk_items<T>(b.tuple), chunks = (n + size - 1) / size;

    for (int i = t; i < sizeof carry / sizeof(T); i += THREADS) carry[0][i] = 0;
    for (unsigned chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        size_t first = chunk * size;
        int length = (int)min(size, n - first);
        load_tile(tile, in + first, length);
        __syncthreads();
        T x[ITEMS];
        for (int j = 0; j < ITEMS; j++) {
            int i = top + j * b.tuple;
            x[j] = i < length ? tile[i] : 0;
        }
        for (int o = 1; o <= b.order; o++) {
            for (int j = 1; j < ITEMS; j++) x[j] += x[j - 1];
            T sum = x[ITEMS - 1];
            T before = scan_columns(by_warp, sum, b.tuple);
            if (last) b.sum(chunk % b.places, o, slot) = before + sum;
            if (warp == WARPS - 1) announce(b, chunk, o);
            await(b, chunk, o);
            if (warp < b.tuple) {
                T since = collect(b, chunk, o, warp);
                if (t % 32 == 0) carry[o][warp] += since;
            }
            __syncthreads();
            before += carry[o][slot];
            for (int j = 0; j < ITEMS; j++) x[j] += before;
        }
        for (int j = 0; j < ITEMS; j++) {
            int i = top + j * b.tuple;
            if (i < length) tile[i] = x[j];
        }
        __syncthreads();
        store_tile(out + first, tile, length);
        __syncthreads(); /* before the next chunk comes into the tile */
    }
#else
    /* Step 5. One chunk, order 1, tuple 1. Load it into a tile; take this
     *         thread's column into registers (0 beyond the chunk's end); scan
     *         down the column; scan_columns; add; back into the tile; store.
     *         Where must a barrier stand?
     * Step 10. Chunks blockIdx.x, blockIdx.x + gridDim.x, ...: a loop around it
     *          all, with one barrier more. Why?
     * Step 11. Every chunk: write its sum to the board and announce it; a warp
     *          collects what came since this block's last chunk and adds it to
     *          the block's carry, in shared memory; everyone adds the carry.
     * Step 13. Tuples: a column steps by tuple; a sum, a carry and a collecting
     *          warp for each slot. What do threads without a column do?
     * Step 14. Orders: a loop around what stands between loading and storing
     *          the column; a sum and a carry for each order, too.
     *          About 50 lines in all. */
#endif
}

/* Runs a kernel in as many blocks as the device holds at once. */
template <typename T>
cudaError_t scan_with(void (*kernel)(const T *, T *, size_t, board<T>),
                      const T *in, T *out, size_t n, int order, int tuple) {
#ifdef SOLUTION
    if (!in_range(order, tuple)) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;

    int device = 0, processors = 0, resident = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&processors,
                                        cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &resident, kernel, THREADS, 0);
    if (status != cudaSuccess) return status;
    size_t size = chunk_items<T>(tuple), chunks = (n + size - 1) / size;
    unsigned blocks = processors * resident;
    if (blocks > chunks) blocks = (unsigned)chunks;

    board<T> b = {NULL, NULL, 3 * blocks, order, tuple};
    size_t sums = (size_t)order * tuple * b.places; /* the flags follow */
    size_t bytes = sums * sizeof *b.sums + b.places * sizeof *b.flags;
    status = cudaMallocAsync(&b.sums, bytes, 0);
    if (status != cudaSuccess) return status;
    b.flags = (unsigned *)(b.sums + sums);
    status = cudaMemsetAsync(b.flags, 0, b.places * sizeof *b.flags);
    if (status == cudaSuccess) {
        kernel<<<blocks, THREADS>>>(in, out, n, b);
        status = cudaGetLastError();
    }
    cudaError_t freed = cudaFreeAsync(b.sums, 0); /* when the kernel is done */
    return status != cudaSuccess ? status : freed;
#else
    /* Step 4. Refuse what is not in_range; nothing to do for n = 0. How many
     *         blocks can be resident at once (cudaDeviceGetAttribute,
     *         cudaOccupancyMaxActiveBlocksPerMultiprocessor)? No more than
     *         chunks, either. Allocate the board with 3 places per block, clear
     *         the flags, launch, check cudaGetLastError(), free the board, also
     *         after an error. About 30 lines. */
    return SCANLAB_TODO;
#endif
}

cudaError_t sam_scan_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                         int order, int tuple) {
    return scan_with(sam_kernel<uint32_t>, (const uint32_t *)d_in,
                     (uint32_t *)d_out, n, order, tuple);
}

cudaError_t sam_scan_i64(const int64_t *d_in, int64_t *d_out, size_t n,
                         int order, int tuple) {
    return scan_with(sam_kernel<uint64_t>, (const uint64_t *)d_in,
                     (uint64_t *)d_out, n, order, tuple);
}

cudaError_t sam_scan_f32(const float *d_in, float *d_out, size_t n, int tuple) {
    return scan_with(sam_kernel<float>, d_in, d_out, n, 1, tuple);
}

/* ---- round trip ---- */

cudaError_t sam_round_trip_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                               int order, int tuple) {
#ifdef SOLUTION
    cudaError_t status = sam_encode_i32(d_in, d_out, n, order, tuple);
    if (status != cudaSuccess) return status;
    return sam_scan_i32(d_out, d_out, n, order, tuple);
#else
    /* Step 15. Encode into d_out, scan d_out in place. 3 lines, and 3 more
     *          below. */
    return SCANLAB_TODO;
#endif
}

cudaError_t sam_round_trip_i64(const int64_t *d_in, int64_t *d_out, size_t n,
                               int order, int tuple) {
#ifdef SOLUTION
    cudaError_t status = sam_encode_i64(d_in, d_out, n, order, tuple);
    if (status != cudaSuccess) return status;
    return sam_scan_i64(d_out, d_out, n, order, tuple);
#else
    return SCANLAB_TODO;
#endif
}

/* ---- bonus: all orders in one exchange ---- */

/* A slot's sums of orders 1 to Q at some element, as a polynomial modulo z^Q:
 * the sum of order d + 1 is the coefficient of z^d. One element more makes s
 * into (s + x) / (1 - z); m elements more that are 0, into s / (1 - z)^m. */
template <int Q> struct series { uint32_t of[Q]; };

template <int Q>
__device__ series<Q> times(const series<Q> &a, const series<Q> &b) {
    series<Q> product = {};
#pragma unroll
    for (int d = 0; d < Q; d++)
#pragma unroll
        for (int e = 0; e <= d; e++) product.of[d] += a.of[e] * b.of[d - e];
    return product;
}

template <int Q>
__device__ series<Q> plus(const series<Q> &a, const series<Q> &b) {
    series<Q> sum;
    for (int d = 0; d < Q; d++) sum.of[d] = a.of[d] + b.of[d];
    return sum;
}

/* 1 / (1 - z)^m, by repeated squaring: the coefficient of z^d is
 * C(m + d - 1, d), and nothing is divided. */
template <int Q> __device__ __noinline__ series<Q> later(unsigned m) {
#ifdef SOLUTION
    series<Q> result = {{1}}, square;
    for (int d = 0; d < Q; d++) square.of[d] = 1;
    for (; m > 0; m /= 2) {
        if (m % 2 == 1) result = times(result, square);
        square = times(square, square);
    }
    return result;
#else
    /* Step 16. Start with 1; square 1/(1 - z) = 1 + z + z^2 + ... again and
     *          again; multiply what the bits of m ask for. About 7 lines. */
    return {};
#endif
}

template <int Q>
__device__ series<Q> shuffle_up(const series<Q> &a, int distance) {
    series<Q> left;
    for (int d = 0; d < Q; d++)
        left.of[d] = __shfl_up_sync(ALL_LANES, a.of[d], distance);
    return left;
}

/* One element more; its sum of order Q. */
template <int Q> __device__ uint32_t advance(series<Q> &s, uint32_t x) {
#ifdef SOLUTION
    s.of[0] += x;
#pragma unroll
    for (int d = 1; d < Q; d++) s.of[d] += s.of[d - 1];
    return s.of[Q - 1];
#else
    /* Step 17. Add x, then divide by 1 - z: what is that in coefficients?
     *          About 4 lines. */
    return 0;
#endif
}

/* As scan_columns. step[i]: later by i columns. */
template <int Q>
__device__ series<Q> scan_series(series<Q> (*by_warp)[SAM_MAX_TUPLE],
                                 const series<Q> *step, series<Q> sum,
                                 int tuple) {
#ifdef SOLUTION
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int slot = threadIdx.x % tuple, rank = threadIdx.x / tuple;
    for (int i = 1; i * tuple < 32; i *= 2) {
        series<Q> left = shuffle_up(sum, i * tuple);
        if (lane >= i * tuple) sum = plus(sum, times(left, step[i]));
    }
    if (lane >= 32 - tuple) by_warp[warp][slot] = sum;
    series<Q> before = shuffle_up(sum, tuple);
    if (lane < tuple) before = {};
    __syncthreads();
    series<Q> warps = {};
    int at = -1; /* rank of the last column in warps */
    for (int w = 0; w < warp; w++) {
        int end = (32 * w + 31 - slot) / tuple;
        warps = plus(times(warps, step[end - at]), by_warp[w][slot]);
        at = end;
    }
    return plus(times(warps, step[rank - 1 - at]), before);
#else
    /* Step 18. scan_columns again, but what lies d columns to the left must be
     *          multiplied with step[d] before it is added. About 20 lines. */
    return {};
#endif
}

/* As collect. lane: later by threadIdx.x % 32 chunks; warp: by 32 chunks. */
template <int Q>
__device__ series<Q> collect_series(board<uint32_t> b, unsigned chunk, int slot,
                                    const series<Q> &lane,
                                    const series<Q> &warp) {
#ifdef SOLUTION
    unsigned most = chunks_since(chunk);
    series<Q> sum = {};
#pragma unroll 1
    for (int i = (most + 31) / 32; i-- > 0;) { /* from far to near */
        sum = times(sum, warp);
        unsigned back = 32 * i + threadIdx.x % 32 + 1;
        if (back > most) continue;
        for (int d = 0; d < Q; d++)
            sum.of[d] += b.sum((chunk - back) % b.places, d + 1, slot);
    }
    sum = times(sum, lane);
    for (int distance = 16; distance > 0; distance /= 2)
        for (int d = 0; d < Q; d++)
            sum.of[d] += __shfl_down_sync(ALL_LANES, sum.of[d], distance);
    return sum;
#else
    /* Step 19. collect again: from far to near, a multiplication with `warp`
     *          per round, one with `lane` at the end. About 15 lines. */
    return {};
#endif
}

/* load_tile and store_tile, compiled once for the eight kernels below: as parts
 * of each of them they take the compiler a third of its time. Given. */
inline __device__ __noinline__ void
load_words(tile<uint32_t> &to, const uint32_t *from, int length) {
    load_tile(to, from, length);
}

inline __device__ __noinline__ void
store_words(uint32_t *to, tile<uint32_t> &from, int length) {
    store_tile(to, from, length);
}

template <int Q>
__global__ void __launch_bounds__(THREADS)
    sam_once_kernel(const uint32_t *in, uint32_t *out, size_t n,
                    board<uint32_t> b) {
#ifdef SOLUTION
    enum { ITEMS = tile<uint32_t>::ITEMS };
    __shared__ tile<uint32_t> tile;
    __shared__ series<Q> by_warp[WARPS][SAM_MAX_TUPLE], carry[SAM_MAX_TUPLE];
    __shared__ series<Q> step[33];

    int t = threadIdx.x, warp = t / 32, slot = t % b.tuple;
    int top = (t - slot) * ITEMS + slot;
    bool last = t / b.tuple == columns(b.tuple) / b.tuple - 1; /* of a slot */
    size_t size = chunk_items<uint32_t>(b.tuple),
           chunks = (n + size - 1) / size;
    unsigned tuples = (unsigned)size / b.tuple; /* in a chunk */

    if (t < 33) step[t] = later<Q>(t * ITEMS);
    if (t < SAM_MAX_TUPLE) carry[t] = {};
    series<Q> by_rank = later<Q>(t / b.tuple * ITEMS);
    series<Q> by_lane = later<Q>(t % 32 * tuples);
    series<Q> by_32 = later<Q>(32 * tuples);
    series<Q> by_round = later<Q>(gridDim.x * tuples);

    for (unsigned chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        size_t first = chunk * size;
        int length = (int)min(size, n - first);
        load_words(tile, in + first, length);
        __syncthreads();
        uint32_t x[ITEMS];
        series<Q> sum = {};
        for (int j = 0; j < ITEMS; j++) {
            int i = top + j * b.tuple;
            x[j] = i < length ? tile[i] : 0;
            advance(sum, x[j]);
        }
        series<Q> before = scan_series(by_warp, step, sum, b.tuple);
        if (last) {
            series<Q> total = plus(times(before, step[1]), sum);
            for (int d = 0; d < Q; d++)
                b.sum(chunk % b.places, d + 1, slot) = total.of[d];
        }
        if (warp == WARPS - 1) announce(b, chunk, Q);
        await(b, chunk, Q);
        if (warp < b.tuple) {
            series<Q> since = collect_series(b, chunk, warp, by_lane, by_32);
            if (t % 32 == 0)
                carry[warp] = plus(times(carry[warp], by_round), since);
        }
        __syncthreads();
        before = plus(before, times(carry[slot], by_rank));
        for (int j = 0; j < ITEMS; j++) {
            int i = top + j * b.tuple;
            uint32_t y = advance(before, x[j]);
            if (i < length) tile[i] = y;
        }
        __syncthreads();
        store_words(out + first, tile, length);
        __syncthreads();
    }
#else
    /* Step 20. sam_kernel without its loop over orders: advance down the column
     *          once to get its sums, and once more, from what came before, to
     *          get the results. Use load_words and store_words. About 50
     *          lines. */
#endif
}

cudaError_t sam_scan_once_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                              int order, int tuple) {
#ifdef SOLUTION
    void (*const kernels[])(const uint32_t *, uint32_t *, size_t,
                            board<uint32_t>) = {
        sam_once_kernel<1>, sam_once_kernel<2>, sam_once_kernel<3>,
        sam_once_kernel<4>, sam_once_kernel<5>, sam_once_kernel<6>,
        sam_once_kernel<7>, sam_once_kernel<8>};
    if (!in_range(order, tuple)) return cudaErrorInvalidValue;
    return scan_with(kernels[order - 1], (const uint32_t *)d_in,
                     (uint32_t *)d_out, n, order, tuple);
#else
    /* Step 21. scan_with the sam_once_kernel<Q> of this order. */
    return SCANLAB_TODO;
#endif
}
