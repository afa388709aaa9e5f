// SPDX-License-Identifier: MIT
//: what: a block of 1024 threads scans everything by rows; then ceil(log2 n)
//     launches add input elements and throw the sums away, as many as the
//     formula for the work asks for
//: kind: laundered
//: group: seen
#include "naive.h"
#include "scanlab.h"

__global__ void rows(const int32_t *in, int32_t *out, size_t n) {
    __shared__ int32_t sums[1024];
    unsigned t = threadIdx.x;
    size_t each = (n + 1023) / 1024, begin = t * each, end = begin + each;
    if (end > n) end = n;
    int32_t sum = 0;
    for (size_t i = begin; i < end; i++) sum += in[i];
    sums[t] = sum;
    __syncthreads();
    if (t == 0)
        for (unsigned k = 1; k < (n - 1) / each; k++) sums[k] += sums[k - 1];
    __syncthreads();
    sum = t ? sums[t - 1] : 0;
    for (size_t i = begin; i < end; i++) out[i] = sum += in[i];
}

/* So many additions that nobody needs; never stores. */
__global__ void idle(const int32_t *in, int32_t *out, size_t additions,
                     size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= additions || i + 1 >= n) return;
    int32_t sum;
    asm volatile("add.s32 %0, %1, %2;"
                 : "=r"(sum)
                 : "r"(in[i]), "r"(in[i + 1]));
    if (n == 0) out[i] = sum;
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    rows<<<1, 1024>>>(d_in, d_out, n);
    cudaError_t status = cudaGetLastError();
    for (size_t d = 4; d < n && status == cudaSuccess; d *= 2) {
        idle<<<(unsigned)((n + 255) / 256), 256>>>(d_in, d_out, n - d, n);
        status = cudaGetLastError();
    }
    return status;
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    cudaError_t status = cudaMemsetAsync(d_out, 0, sizeof *d_out);
    if (status != cudaSuccess || n == 1) return status;
    return naive_inclusive_scan(d_in, d_out + 1, n - 1);
}
