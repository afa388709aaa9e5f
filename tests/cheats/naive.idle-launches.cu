// SPDX-License-Identifier: MIT
//: what: Lab 4's scan in three launches, and before it launches that add up
//     elements for nobody, as many as the steps that are missing.
//: twin: mutant.naive.honest-copy-at-the-ends
//: expect: launches fail "useful_launches"
//: expect: work fail
//: expect: depth pass
#include "naive.h"
#include "scanlab.h"

__device__ int32_t warp_scan(int32_t x) {
    for (unsigned d = 1; d < 32; d *= 2) {
        int32_t y = __shfl_up_sync(~0u, x, d);
        if (threadIdx.x % 32 >= d) x += y;
    }
    return x;
}
__device__ int32_t block_scan(int32_t x, int32_t *s) {
    x = warp_scan(x);
    if (threadIdx.x % 32 == 31) s[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32)
        s[threadIdx.x] =
            warp_scan(threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0);
    __syncthreads();
    if (threadIdx.x >= 32) x += s[threadIdx.x / 32 - 1];
    return x;
}
__global__ void tiles(const int32_t *in, int32_t *out, size_t n, int32_t *sum) {
    __shared__ int32_t s[32];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    int32_t x = block_scan(i < n ? in[i] : 0, s);
    if (i < n) out[i] = x;
    if (threadIdx.x == blockDim.x - 1) sum[blockIdx.x] = x;
}
__global__ void sums(int32_t *sum, unsigned m) { /* one block */
    __shared__ int32_t s[32];
    int32_t carry = 0;
    for (unsigned k = 0; k < m; k += 1024) {
        unsigned i = k + threadIdx.x;
        int32_t x = block_scan(i < m ? sum[i] : 0, s);
        if (i < m) sum[i] = x + carry;
        carry += s[31];
        __syncthreads();
    }
}
__global__ void add(int32_t *out, size_t n, const int32_t *sum) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && blockIdx.x) out[i] += sum[blockIdx.x - 1];
}
__global__ void pretend(const int32_t *in, int32_t *junk, size_t n, size_t d) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) junk[i] = i < d ? in[i] : in[i] + in[i - d];
}
cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    unsigned b = (unsigned)((n + 1023) / 1024);
    int32_t *sum = 0;
    cudaError_t e = cudaMalloc(&sum, (n + b) * 4);
    if (e) return e;
    int left = 0;
    while ((size_t)1 << left < n) left++;
    size_t d = 1;
    for (; left > 3; left--, d *= 2) {
        pretend<<<b, 1024>>>(d_in, sum + b, n, d);
        if (!e) e = cudaGetLastError();
    }
    tiles<<<b, 1024>>>(d_in, d_out, n, sum);
    if (!e) e = cudaGetLastError();
    if (b > 1) {
        sums<<<1, 1024>>>(sum, b);
        if (!e) e = cudaGetLastError();
        add<<<b, 1024>>>(d_out, n, sum);
        if (!e) e = cudaGetLastError();
    }
    cudaError_t f = cudaFree(sum);
    return e ? e : f;
}
cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    cudaError_t e = cudaMemsetAsync(d_out, 0, 4);
    return e ? e : naive_inclusive_scan(d_in, d_out + 1, n - 1);
}
