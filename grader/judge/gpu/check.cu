// SPDX-License-Identifier: MIT
//
// check.cu: the check of outputs; see data.cuh.
#include "data_parts.cuh"

#include <stdlib.h>
#include <type_traits>

namespace {

enum { PART = 1024 };

struct tally {
    unsigned long long wrong, hash_in, hash_out, kept;
};

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
