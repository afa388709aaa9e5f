// SPDX-License-Identifier: MIT
//: what: steps of four instead of two: an element adds the neighbours at d,
//     2d and 3d, and d grows by 4; half as many launches
//: kind: honest
//: group: seen
#include "naive.h"
#include "scanlab.h"

/* src: sums of d elements; dst: of 4 * d. */
__global__ void step_of_four(const int32_t *src, int32_t *dst, size_t n,
                             size_t d) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int32_t sum = src[i];
    for (size_t back = d; back < 4 * d && back <= i; back += d)
        sum = scan_add(src[i - back], sum);
    dst[i] = sum;
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    int32_t *scratch = NULL;
    cudaError_t status = cudaMalloc(&scratch, n * sizeof *scratch);
    if (status != cudaSuccess) return status;
    const int32_t *src = d_in;
    int32_t *dst = d_out;
    for (size_t d = 1; d < n && status == cudaSuccess; d *= 4) {
        step_of_four<<<(unsigned)((n + 127) / 128), 128>>>(src, dst, n, d);
        status = cudaGetLastError();
        src = dst;
        dst = dst == d_out ? scratch : d_out;
    }
    if (status == cudaSuccess && src != d_out)
        status = cudaMemcpyAsync(d_out, src, n * sizeof *d_out,
                                 cudaMemcpyDeviceToDevice);
    cudaError_t freed = cudaFree(scratch);
    return status != cudaSuccess ? status : freed;
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    cudaError_t status = cudaMemsetAsync(d_out, 0, sizeof *d_out);
    if (status != cudaSuccess || n == 1) return status;
    return naive_inclusive_scan(d_in, d_out + 1, n - 1);
}
