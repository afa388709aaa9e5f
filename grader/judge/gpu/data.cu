// SPDX-License-Identifier: MIT
//
// data.cu: see data.cuh.
#include "data.cuh"

#include <stdlib.h>
#include <type_traits>

namespace {

enum { THREADS = 256, PART = 1024, MOST_BLOCKS = 8192 };

unsigned blocks_for(size_t n) {
    size_t blocks = (n + THREADS - 1) / THREADS;
    return (unsigned)(blocks < 1             ? 1
                      : blocks > MOST_BLOCKS ? MOST_BLOCKS
                                             : blocks);
}

#define EACH(i, n)                                                             \
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;                  \
    i < (n);                                                                   \
    i += (size_t)gridDim.x * blockDim.x

// ---- inputs ----

__host__ __device__ uint64_t mix64(uint64_t x) { // splitmix64's finaliser
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

__device__ uint64_t draw(size_t i, uint32_t seed) {
    return mix64(i * 0x9e3779b97f4a7c15ull + seed);
}

// One to one on 32-bit numbers (the finaliser of MurmurHash3), and back.
__device__ uint32_t scramble(uint32_t x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

__device__ uint32_t unscramble(uint32_t x) {
    x = (x ^ x >> 16) * 0x7ed1b41du;
    x = (x ^ x >> 13 ^ x >> 26) * 0xa5cb9243u;
    return x ^ x >> 16;
}

// Whole numbers small enough that sums of 2^30 of them, which wander as a
// random walk does, stay exact: below 2^24 for float, 2^53 for double.
template <class T> __device__ T number(uint64_t random) {
    if (std::is_same<T, float>::value) return (T)(2 * (int)(random & 63) - 63);
    if (std::is_same<T, double>::value)
        return (T)(2 * (int)(random & 0xfffff) - 0xfffff);
    return (T)random;
}

template <class T>
__global__ void fill_random(T *out, size_t n, uint32_t seed) {
    for (EACH(i, n)) out[i] = number<T>(draw(i, seed));
}

__device__ bool begins_run(size_t i, uint32_t seed) {
    return i == 0 || (draw(i, seed) & 7) == 0;
}

__global__ void fill_runs(uint32_t *out, size_t n, uint32_t seed) {
    for (EACH(i, n)) {
        size_t first = i;
        while (!begins_run(first, seed)) first--;
        out[i] = (uint32_t)(draw(first, seed) >> 20);
    }
}

__global__ void fill_values(uint32_t *out, size_t n, uint32_t seed) {
    for (EACH(i, n)) out[i] = scramble((uint32_t)i ^ seed);
}

enum { CHANGED = 1 << 14, SAMPLED = 1 << 16 };

template <class T> __global__ void change(T *out, size_t n, uint32_t by) {
    for (EACH(k, CHANGED)) {
        size_t i = draw(k, by) % n;
        out[i] = number<T>(draw(i, ~by));
    }
}

__device__ void add_up(unsigned long long *place, unsigned long long mine);

// by 0: all n elements.
template <class T>
__global__ void differ(const T *a, const T *b, size_t n, uint32_t by,
                       unsigned long long *count) {
    unsigned long long wrong = 0;
    for (EACH(k, by ? (size_t)SAMPLED : n)) {
        size_t i = by ? draw(k, by) % n : k;
        wrong += !(a[i] == b[i]);
    }
    add_up(count, wrong);
}

__global__ void read_all(const int4 *in, size_t words, int *sink) {
    int sum = 0;
    for (EACH(i, words)) sum ^= in[i].x ^ in[i].w;
    if (sum == 0x13572468) *sink = sum;
}

// ---- checks ----

struct tally {
    unsigned long long wrong, hash_in, hash_out, kept;
};

__device__ void add_up(unsigned long long *place, unsigned long long mine) {
    for (int d = 16; d; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
    if (threadIdx.x % 32 == 0 && mine) atomicAdd(place, mine);
}

template <class T> struct arithmetic { // what wraps is computed in unsigned
    typedef typename std::conditional<sizeof(T) == 8, uint64_t, uint32_t>::type
        type;
};
template <> struct arithmetic<float> { typedef float type; };
template <> struct arithmetic<double> { typedef double type; };

struct binomials {
    int c[9];
}; // of (1 - z)^q

// The difference of order q over s interleaved sequences of `whole`, at i.
template <class T>
__device__ T difference(const T *whole, size_t i, int q, int s, binomials b) {
    typedef typename arithmetic<T>::type A;
    A sum = 0;
    for (int j = 0; j <= q && (size_t)j * s <= i; j++)
        sum += (A)b.c[j] * (A)whole[i - (size_t)j * s];
    return (T)sum;
}

template <class T>
__global__ void check_difference(const T *whole, const T *steps, size_t n,
                                 int q, int s, binomials b, tally *t) {
    unsigned long long wrong = 0;
    for (EACH(i, n)) wrong += difference(whole, i, q, s, b) != steps[i];
    add_up(&t->wrong, wrong);
}

template <class T>
__global__ void check_exclusive(const T *in, const T *out, size_t n, tally *t) {
    unsigned long long wrong = 0;
    binomials b = {{1, -1}};
    for (EACH(i, n))
        wrong += i ? difference(out, i, 1, 1, b) != in[i - 1] : out[0] != T(0);
    add_up(&t->wrong, wrong);
}

template <class T>
__global__ void check_copy(const T *in, const T *out, size_t n, tally *t) {
    unsigned long long wrong = 0;
    for (EACH(i, n)) wrong += in[i] != out[i];
    add_up(&t->wrong, wrong);
}

// What selections keep, and where runs begin.
__device__ bool kept(const int32_t *in, size_t i, bool runs) {
    return runs ? i == 0 || in[i] != in[i - 1] : in[i] < 0;
}

__global__ void count_kept(const int32_t *in, size_t n, bool runs,
                           unsigned long long *counts) {
    __shared__ unsigned count;
    size_t i = blockIdx.x * (size_t)PART + threadIdx.x;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    unsigned votes = __ballot_sync(~0u, i < n && kept(in, i, runs));
    if (threadIdx.x % 32 == 0) atomicAdd(&count, __popc(votes));
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

// Element i's place among those kept; offsets: kept before each part.
__device__ size_t place_of(bool mine, const unsigned long long *offsets) {
    __shared__ unsigned warps[PART / 32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned votes = __ballot_sync(~0u, mine);
    if (lane == 0) warps[warp] = __popc(votes);
    __syncthreads();
    size_t place = offsets[blockIdx.x] + __popc(votes & ((1u << lane) - 1));
    for (unsigned w = 0; w < warp; w++) place += warps[w];
    return place;
}

__global__ void check_kept(const int32_t *in, const int32_t *out, size_t n,
                           const unsigned long long *offsets, bool partition,
                           tally *t) {
    size_t i = blockIdx.x * (size_t)PART + threadIdx.x;
    bool mine = i < n && kept(in, i, false), wrong = false;
    size_t place = place_of(mine, offsets);
    if (mine) wrong = out[place] != in[i];
    if (i < n && !mine && partition) wrong = out[n - 1 - (i - place)] != in[i];
    add_up(&t->wrong, wrong);
}

__global__ void note_starts(const int32_t *in, size_t n,
                            const unsigned long long *offsets,
                            uint32_t *starts) {
    size_t i = blockIdx.x * (size_t)PART + threadIdx.x;
    bool mine = i < n && kept(in, i, true);
    size_t place = place_of(mine, offsets);
    if (mine) starts[place] = (uint32_t)i;
}

__global__ void check_runs(const int32_t *in, const uint32_t *values, size_t n,
                           const uint32_t *starts, size_t runs,
                           const int32_t *out, const uint32_t *out2, tally *t) {
    unsigned long long wrong = 0;
    for (EACH(p, runs)) {
        size_t first = starts[p], end = p + 1 < runs ? starts[p + 1] : n;
        uint32_t sum = (uint32_t)(end - first);
        if (values) {
            sum = 0;
            for (size_t i = first; i < end; i++) sum += values[i];
        }
        wrong += out[p] != in[first] || out2[p] != sum;
    }
    add_up(&t->wrong, wrong);
}

__global__ void check_sorted(const uint32_t *in, const uint32_t *out, size_t n,
                             tally *t) {
    unsigned long long wrong = 0, hash_in = 0, hash_out = 0;
    for (EACH(i, n)) {
        wrong += i && out[i - 1] > out[i];
        hash_in += mix64(in[i]);
        hash_out += mix64(out[i]);
    }
    add_up(&t->wrong, wrong);
    add_up(&t->hash_in, hash_in);
    add_up(&t->hash_out, hash_out);
}

__global__ void check_pairs(const uint32_t *in, const uint32_t *out,
                            const uint32_t *out2, size_t n, uint32_t seed,
                            tally *t) {
    unsigned long long wrong = 0;
    for (EACH(i, n)) {
        size_t from = unscramble(out2[i]) ^ seed;
        bool bad = from >= n || in[from] != out[i];
        if (i && !bad) {
            size_t before = unscramble(out2[i - 1]) ^ seed;
            bad =
                out[i - 1] > out[i] || (out[i - 1] == out[i] && before >= from);
        }
        wrong += bad;
    }
    add_up(&t->wrong, wrong);
}

// ---- on the host ----

binomials binomials_of(int q) {
    binomials b = {{1}};
    for (int k = 1; k <= q; k++)
        for (int j = k; j > 0; j--) b.c[j] -= b.c[j - 1];
    return b;
}

size_t parts_of(size_t n) {
    return (n + PART - 1) / PART;
}

bool is_select(int operation) {
    return operation == BENCH_select_half || operation == BENCH_partition_half;
}
bool is_runs(int operation) {
    return operation == BENCH_run_length || operation == BENCH_reduce_by_key;
}

// Counts per part become kept elements before it; their sum.
cudaError_t count_parts(const int32_t *in, size_t n, bool runs,
                        unsigned long long *offsets, uint64_t *total) {
    size_t parts = parts_of(n), bytes = parts * sizeof *offsets;
    unsigned long long *host = (unsigned long long *)malloc(bytes), sum = 0;
    if (!host) return cudaErrorMemoryAllocation;
    count_kept<<<(unsigned)parts, PART>>>(in, n, runs, offsets);
    cudaError_t error =
        cudaMemcpy(host, offsets, bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < parts; i++) {
        unsigned long long count = host[i];
        host[i] = sum;
        sum += count;
    }
    if (!error)
        error = cudaMemcpy(offsets, host, bytes, cudaMemcpyHostToDevice);
    free(host);
    *total = sum;
    return error;
}

template <class T>
void check_scan(const bench_cell *c, size_t n, const data_call *d, tally *t) {
    const T *in = (const T *)d->in, *out = (const T *)d->out;
    unsigned blocks = blocks_for(n);
    binomials b = binomials_of(c->order);
    switch (c->operation) {
    case BENCH_copy: check_copy<<<blocks, THREADS>>>(in, out, n, t); break;
    case BENCH_inclusive_sum:
        check_difference<<<blocks, THREADS>>>(out, in, n, c->order, c->tuple, b,
                                              t);
        break;
    case BENCH_encode:
        check_difference<<<blocks, THREADS>>>(in, out, n, c->order, c->tuple, b,
                                              t);
        break;
    default: check_exclusive<<<blocks, THREADS>>>(in, out, n, t);
    }
}

cudaError_t check_selection(const bench_cell *c, const data_call *d,
                            char *scratch, tally *t, uint64_t *count) {
    size_t n = c->n, parts = parts_of(n);
    unsigned long long *offsets = (unsigned long long *)scratch;
    uint32_t *starts = (uint32_t *)(offsets + parts);
    const int32_t *in = (const int32_t *)d->in, *out = (const int32_t *)d->out;
    cudaError_t error =
        count_parts(in, n, is_runs(c->operation), offsets, count);
    if (error) return error;
    if (is_select(c->operation)) {
        check_kept<<<(unsigned)parts, PART>>>(
            in, out, n, offsets, c->operation == BENCH_partition_half, t);
        return cudaGetLastError();
    }
    note_starts<<<(unsigned)parts, PART>>>(in, n, offsets, starts);
    check_runs<<<blocks_for(*count), THREADS>>>(
        in,
        c->operation == BENCH_reduce_by_key ? (const uint32_t *)d->in2 : NULL,
        n, starts, *count, out, (const uint32_t *)d->out2, t);
    return cudaGetLastError();
}

uint64_t least_bytes(const bench_cell *c, uint64_t kept) {
    static const size_t widths[] = {
#define X(name, type, bytes) bytes,
#include "bench_types.def"
#undef X
    };
    uint64_t array = c->n * widths[c->type], part = kept * sizeof(int32_t);
    switch (c->operation) {
    case BENCH_select_half: return array + part;
    case BENCH_run_length: return array + 2 * part;
    case BENCH_reduce_by_key: return 2 * array + 2 * part;
    case BENCH_sort_pairs: return 4 * array;
    default: return 2 * array;
    }
}

} // namespace

cudaError_t data_fill(enum data_kind kind, int type, void *out, size_t n,
                      uint32_t seed) {
    unsigned blocks = blocks_for(n);
    if (kind == DATA_RUNS)
        fill_runs<<<blocks, THREADS>>>((uint32_t *)out, n, seed);
    else if (kind == DATA_VALUES)
        fill_values<<<blocks, THREADS>>>((uint32_t *)out, n, seed);
    else
        switch (type) {
#define X(name, type, bytes)                                                   \
    case BENCH_TYPE_##name:                                                    \
        fill_random<<<blocks, THREADS>>>((type *)out, n, seed);                \
        break;
#include "bench_types.def"
#undef X
        default: return cudaErrorInvalidValue;
        }
    return cudaGetLastError();
}

cudaError_t data_change(int type, void *out, size_t n, uint32_t by) {
    switch (type) {
#define X(name, type, bytes)                                                   \
    case BENCH_TYPE_##name:                                                    \
        change<<<blocks_for(CHANGED), THREADS>>>((type *)out, n, by);          \
        break;
#include "bench_types.def"
#undef X
    default: return cudaErrorInvalidValue;
    }
    return cudaGetLastError();
}

namespace {

cudaError_t count_differences(int type, const void *a, const void *b, size_t n,
                              uint32_t by, void *count, uint64_t *wrong) {
    unsigned long long *place = (unsigned long long *)count;
    unsigned blocks = blocks_for(by ? (size_t)SAMPLED : n);
    *wrong = 0;
    if (n == 0) return cudaSuccess;
    cudaError_t error = cudaMemsetAsync(place, 0, sizeof *place);
    if (error) return error;
    switch (type) {
#define X(name, type, bytes)                                                   \
    case BENCH_TYPE_##name:                                                    \
        differ<<<blocks, THREADS>>>((const type *)a, (const type *)b, n, by,   \
                                    place);                                    \
        break;
#include "bench_types.def"
#undef X
    default: return cudaErrorInvalidValue;
    }
    error = cudaGetLastError();
    return error ? error
                 : cudaMemcpy(wrong, place, sizeof *wrong,
                              cudaMemcpyDeviceToHost);
}

} // namespace

cudaError_t data_sample(int type, const void *a, const void *b, size_t n,
                        uint32_t by, void *count, uint64_t *wrong) {
    return count_differences(type, a, b, n, by | 1, count, wrong);
}

cudaError_t data_compare(int type, const void *a, const void *b, size_t n,
                         void *count, uint64_t *wrong) {
    return count_differences(type, a, b, n, 0, count, wrong);
}

cudaError_t data_flush(const void *buffer, size_t bytes) {
    size_t words = bytes / sizeof(int4);
    read_all<<<blocks_for(words), THREADS>>>((const int4 *)buffer, words,
                                             (int *)buffer);
    return cudaGetLastError();
}

size_t data_scratch_bytes(int operation, size_t n) {
    size_t parts = parts_of(n) * sizeof(unsigned long long);
    return sizeof(tally) + (is_runs(operation) ? parts + n * sizeof(uint32_t)
                            : is_select(operation) ? parts
                                                   : 0);
}

cudaError_t data_check(const struct bench_cell *c, size_t covered,
                       const struct data_call *d, void *scratch,
                       uint64_t *wrong, uint64_t *bytes) {
    tally *t = (tally *)scratch, result;
    uint64_t count = d->n_out;
    unsigned blocks = blocks_for(c->n);
    cudaError_t error = cudaMemset(t, 0, sizeof *t);
    if (error) return error;
    if (is_select(c->operation) || is_runs(c->operation))
        error = check_selection(c, d, (char *)(t + 1), t, &count);
    else if (c->operation == BENCH_sort_keys)
        check_sorted<<<blocks, THREADS>>>((const uint32_t *)d->in,
                                          (const uint32_t *)d->out, c->n, t);
    else if (c->operation == BENCH_sort_pairs)
        check_pairs<<<blocks, THREADS>>>(
            (const uint32_t *)d->in, (const uint32_t *)d->out,
            (const uint32_t *)d->out2, c->n, d->seed, t);
    else
        switch (c->type) {
#define X(name, type, bytes)                                                   \
    case BENCH_TYPE_##name:                                                    \
        check_scan<type>(c, covered, d, t);                                    \
        break;
#include "bench_types.def"
#undef X
        default: return cudaErrorInvalidValue;
        }
    if (!error) error = cudaGetLastError();
    if (!error)
        error = cudaMemcpy(&result, t, sizeof result, cudaMemcpyDeviceToHost);
    if (error) return error;
    *wrong = result.wrong + (result.hash_in != result.hash_out) +
             (count != d->n_out);
    *bytes = least_bytes(c, count);
    return cudaSuccess;
}
