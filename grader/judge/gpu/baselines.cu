// SPDX-License-Identifier: MIT
//
// baselines.cu: what timed checks of a grade compare with, as functions that
// are called as the labs' are: in a runner of their own, on the same arrays.
// CUB's temporary storage is kept from call to call, as its users do.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <stddef.h>
#include <stdint.h>

namespace {

struct storage {
    void *base;
    size_t bytes;
};

// Calls work(temp, bytes) as CUB wants it: first for the size.
template <class Work> cudaError_t with_storage(Work work) {
    static storage kept;
    size_t bytes = 0;
    cudaError_t error = work(NULL, bytes);
    if (!error && bytes > kept.bytes) {
        cudaFree(kept.base);
        error = cudaMalloc(&kept.base, bytes);
        kept.bytes = error ? 0 : bytes;
    }
    return error ? error : work(kept.base, bytes);
}

template <class T>
cudaError_t scan(const T *in, T *out, size_t n, int order, int tuple) {
    if (order < 1 || tuple != 1) return cudaErrorInvalidValue;
    cudaError_t error = with_storage([=](void *temp, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(temp, bytes, in, out, (int64_t)n);
    });
    for (int q = 1; q < order && !error; q++)
        error = with_storage([=](void *temp, size_t &bytes) {
            return cub::DeviceScan::InclusiveSum(temp, bytes, out, out,
                                                 (int64_t)n);
        });
    return error;
}

__global__ void nothing() {}

struct less_than {
    int32_t pivot;
    __host__ __device__ bool operator()(const int32_t &x) const {
        return x < pivot;
    }
};

} // namespace

extern "C" {

// Launches a kernel that does nothing: what a timed call costs without work.
cudaError_t baseline_nothing(const int32_t *, int32_t *, size_t) {
    nothing<<<1, 1>>>();
    return cudaGetLastError();
}

// n: 32-bit words.
cudaError_t baseline_copy(const int32_t *in, int32_t *out, size_t n) {
    return cudaMemcpyAsync(out, in, n * sizeof *in, cudaMemcpyDeviceToDevice);
}

cudaError_t cub_inclusive_sum(const int32_t *in, int32_t *out, size_t n) {
    return scan(in, out, n, 1, 1);
}

cudaError_t cub_exclusive_sum(const int32_t *in, int32_t *out, size_t n) {
    return with_storage([=](void *temp, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(temp, bytes, in, out, (int64_t)n);
    });
}

// op: sums only.
cudaError_t cub_scan_op_i32(const int32_t *in, int32_t *out, size_t n, int op) {
    return op ? cudaErrorInvalidValue : scan(in, out, n, 1, 1);
}

cudaError_t cub_scan_op_i64(const int64_t *in, int64_t *out, size_t n, int op) {
    return op ? cudaErrorInvalidValue : scan(in, out, n, 1, 1);
}

// Tuples of 1 only.
cudaError_t cub_sam_scan_i32(const int32_t *in, int32_t *out, size_t n,
                             int order, int tuple) {
    return scan(in, out, n, order, tuple);
}

cudaError_t cub_sam_scan_i64(const int64_t *in, int64_t *out, size_t n,
                             int order, int tuple) {
    return scan(in, out, n, order, tuple);
}

cudaError_t cub_select_less(const int32_t *in, int32_t *out, size_t n,
                            int32_t pivot, size_t *n_out) {
    static unsigned long long *count;
    unsigned long long result = 0;
    cudaError_t error =
        count ? cudaSuccess : cudaMalloc((void **)&count, sizeof *count);
    if (!error)
        error = with_storage([=](void *temp, size_t &bytes) {
            return cub::DeviceSelect::If(temp, bytes, in, out, count,
                                         (int64_t)n, less_than{pivot});
        });
    if (!error)
        error =
            cudaMemcpy(&result, count, sizeof result, cudaMemcpyDeviceToHost);
    *n_out = (size_t)result;
    return error;
}

cudaError_t cub_sort_u32(const uint32_t *in, uint32_t *out, size_t n) {
    return with_storage([=](void *temp, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(temp, bytes, in, out, (int64_t)n);
    });
}

} // extern "C"
