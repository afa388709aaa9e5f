// SPDX-License-Identifier: MIT
//
// data.cu: see data.cuh; the checks are check.cu's.
#include "data_parts.cuh"

#include <type_traits>

namespace {

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
