// SPDX-License-Identifier: MIT
//
// functions.cu: functions of labs, right and wrong in one thing, by one thread
// each: what the measuring process of scanlab bench must tell apart. The ending of
// a name says which thing is wrong.
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

enum wrong {
    RIGHT,
    ONE_OFF,    // one element in the middle is one too large
    TAIL,       // the last element is not written
    COUNT,      // one more is told than there are
    NOT_STABLE, // equal keys change places; kept elements, too
    LOST,       // one key twice, another lost
    NOTHING     // nothing is written
};

namespace {

template <class T>
__global__ void scan(const T *in, T *out, size_t n, int order, int tuple,
                     bool exclusive, int wrong) {
    for (size_t i = 0; i < n; i++) out[i] = in[i];
    for (int q = 0; q < order; q++)
        for (size_t i = tuple; i < n; i++) out[i] += out[i - tuple];
    if (exclusive)
        for (size_t i = n; i-- > 0;) out[i] = i ? out[i - 1] : 0;
    if (wrong == ONE_OFF) out[n / 2] += 1;
    if (wrong == TAIL) out[n - 1] = (T)0x5a5a5a5a;
}

template <class T>
__global__ void encode(const T *in, T *out, size_t n, int order, int tuple,
                       int wrong) {
    for (size_t i = 0; i < n; i++) out[i] = in[i];
    for (int q = 0; q < order; q++)
        for (size_t i = n; i-- > (size_t)tuple;) out[i] -= out[i - tuple];
    if (wrong == ONE_OFF) out[n / 2] += 1;
}

__global__ void select(const int32_t *in, int32_t *out, size_t n, bool both,
                       size_t *count, int wrong) {
    size_t kept = 0, other = n;
    for (size_t i = 0; i < n; i++)
        if (in[i] < 0)
            out[kept++] = in[i];
        else if (both)
            out[--other] = in[i];
    if (wrong == NOT_STABLE) {
        int32_t first = out[0];
        out[0] = out[1];
        out[1] = first;
    }
    *count = kept + (wrong == COUNT);
}

__global__ void runs(const int32_t *in, const int32_t *values, int32_t *out,
                     int32_t *out2, size_t n, size_t *count, int wrong) {
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && in[i] != in[i - 1]) k++;
        if (i == 0 || in[i] != in[i - 1]) out[k] = in[i], out2[k] = 0;
        out2[k] += values ? values[i] : 1;
    }
    if (wrong == ONE_OFF) out2[k / 2]++;
    *count = k + 1 + (wrong == COUNT);
}

// Counting the smaller ones: slow, plain, stable.
__global__ void sort(const uint32_t *in, const uint32_t *in2, uint32_t *out,
                     uint32_t *out2, size_t n, int wrong) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        size_t place = 0;
        for (size_t k = 0; k < n; k++)
            place += in[k] < in[i] || (in[k] == in[i] && k < i);
        out[place] = in[i];
        if (in2) out2[place] = in2[i];
    }
    (void)wrong;
}

__global__ void spoil(uint32_t *out, uint32_t *out2, size_t n, int wrong) {
    if (wrong == LOST) out[n / 2] = out[n / 2 - 1];
    if (wrong == NOT_STABLE) {
        uint32_t value = out2[n / 2];
        out2[n / 2] = out2[n / 2 - 1];
        out2[n / 2 - 1] = value;
    }
}

cudaError_t counted(size_t *place, size_t *n_out) {
    cudaError_t error = cudaMemcpy(n_out, place, sizeof *n_out,
                                   cudaMemcpyDeviceToHost);
    cudaFree(place);
    return error;
}

cudaError_t run_select(const int32_t *in, int32_t *out, size_t n, bool both,
                       size_t *n_out, int wrong) {
    size_t *place;
    cudaError_t error = cudaMalloc((void **)&place, sizeof *place);
    if (error) return error;
    select<<<1, 1>>>(in, out, n, both, place, wrong);
    return counted(place, n_out);
}

cudaError_t run_runs(const int32_t *in, const int32_t *values, int32_t *out,
                     int32_t *out2, size_t n, size_t *n_out, int wrong) {
    size_t *place;
    cudaError_t error = cudaMalloc((void **)&place, sizeof *place);
    if (error) return error;
    runs<<<1, 1>>>(in, values, out, out2, n, place, wrong);
    return counted(place, n_out);
}

cudaError_t run_sort(const uint32_t *in, const uint32_t *in2, uint32_t *out,
                     uint32_t *out2, size_t n, int wrong) {
    sort<<<4, 128>>>(in, in2, out, out2, n, wrong);
    spoil<<<1, 1>>>(out, out2, n, wrong);
    return cudaGetLastError();
}

} // namespace

// X(what is wrong): the functions, each with that ending.
#define ALL(X)                                                                 \
    X(RIGHT) X(ONE_OFF) X(TAIL) X(COUNT) X(NOT_STABLE) X(LOST) X(NOTHING)

extern "C" {
// Wants nearly all memory to be free; returns in MiB what is not.
cudaError_t room_left(const int32_t *in, int32_t *out, size_t n) {
    size_t available, total;
    cudaError_t error = cudaMemGetInfo(&available, &total);
    if (error) return error;
    size_t used = (total - available) >> 20;
    if (used > 16) return (cudaError_t)used;
    scan<<<1, 1>>>(in, out, n, 1, 1, true, RIGHT);
    return cudaGetLastError();
}
#define X(wrong)                                                               \
    cudaError_t sam_##wrong(const int32_t *in, int32_t *out, size_t n,         \
                            int order, int tuple) {                            \
        if (wrong != NOTHING)                                                  \
            scan<<<1, 1>>>(in, out, n, order, tuple, false, wrong);            \
        return cudaGetLastError();                                             \
    }                                                                          \
    cudaError_t wide_##wrong(const int64_t *in, int64_t *out, size_t n,        \
                             int order, int tuple) {                           \
        scan<<<1, 1>>>(in, out, n, order, tuple, false, wrong);                \
        return cudaGetLastError();                                             \
    }                                                                          \
    cudaError_t floats_##wrong(const float *in, float *out, size_t n,          \
                               int tuple) {                                    \
        scan<<<1, 1>>>(in, out, n, 1, tuple, false, wrong);                    \
        return cudaGetLastError();                                             \
    }                                                                          \
    cudaError_t exclusive_##wrong(const int32_t *in, int32_t *out, size_t n) { \
        scan<<<1, 1>>>(in, out, n, 1, 1, true, wrong);                         \
        return cudaGetLastError();                                             \
    }                                                                          \
    cudaError_t encode_##wrong(const int32_t *in, int32_t *out, size_t n,      \
                               int order, int tuple) {                         \
        encode<<<1, 1>>>(in, out, n, order, tuple, wrong);                     \
        return cudaGetLastError();                                             \
    }                                                                          \
    cudaError_t select_##wrong(const int32_t *in, int32_t *out, size_t n,      \
                               int32_t, size_t *n_out) {                       \
        return run_select(in, out, n, false, n_out, wrong);                    \
    }                                                                          \
    cudaError_t partition_##wrong(const int32_t *in, int32_t *out, size_t n,   \
                                  int32_t, size_t *n_out) {                    \
        return run_select(in, out, n, true, n_out, wrong);                     \
    }                                                                          \
    cudaError_t runs_##wrong(const int32_t *in, int32_t *out, int32_t *out2,   \
                             size_t n, size_t *n_out) {                        \
        return run_runs(in, NULL, out, out2, n, n_out, wrong);                 \
    }                                                                          \
    cudaError_t by_key_##wrong(const int32_t *in, const int32_t *in2,          \
                               int32_t *out, int32_t *out2, size_t n,          \
                               size_t *n_out) {                                \
        return run_runs(in, in2, out, out2, n, n_out, wrong);                  \
    }                                                                          \
    cudaError_t sort_##wrong(const uint32_t *in, uint32_t *out, size_t n) {    \
        return run_sort(in, NULL, out, NULL, n, wrong);                        \
    }                                                                          \
    cudaError_t pairs_##wrong(const uint32_t *in, const uint32_t *in2,         \
                              uint32_t *out, uint32_t *out2, size_t n) {       \
        return run_sort(in, in2, out, out2, n, wrong);                         \
    }
ALL(X)
#undef X
}
