// SPDX-License-Identifier: MIT
//: what: kernels copy the elements to and from managed memory; the host
//     scans them there
//: kind: cheat
//: group: seen
#include "naive.h"
#include "scanlab.h"

__global__ void move(const int32_t *from, int32_t *to, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    unsigned blocks = (unsigned)((n + 255) / 256);
    int32_t *both = NULL;
    cudaError_t status = cudaMallocManaged(&both, n * sizeof *both);
    if (status != cudaSuccess) return status;
    move<<<blocks, 256>>>(d_in, both, n);
    status = cudaDeviceSynchronize();
    if (status == cudaSuccess) {
        for (size_t i = 1; i < n; i++) both[i] = scan_add(both[i - 1], both[i]);
        move<<<blocks, 256>>>(both, d_out, n);
        status = cudaGetLastError();
    }
    cudaError_t freed = cudaFree(both);
    return status != cudaSuccess ? status : freed;
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    cudaError_t status = cudaMemsetAsync(d_out, 0, sizeof *d_out);
    if (status != cudaSuccess || n == 1) return status;
    return naive_inclusive_scan(d_in, d_out + 1, n - 1);
}
