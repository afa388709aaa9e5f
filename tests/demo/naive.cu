/* SPDX-License-Identifier: MIT
 *
 * naive.cu: what `make demo` begins with: a lab 1 that looks right, and gives
 * right answers for a handful of elements. Its kernel updates the array in
 * place: a thread may read what its neighbour has already changed.
 */
#include "naive.h"
#include "scanlab.h"

enum { BLOCK_THREADS = 256 };

__global__ void add_neighbour(int32_t *a, size_t n, size_t offset) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i >= offset)
        a[i] = scan_add(a[i - offset], a[i]);
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    unsigned blocks = (unsigned)((n + BLOCK_THREADS - 1) / BLOCK_THREADS);
    cudaError_t status = cudaMemcpyAsync(d_out, d_in, n * sizeof *d_out,
                                         cudaMemcpyDeviceToDevice);
    for (size_t offset = 1; offset < n && !status; offset *= 2) {
        add_neighbour<<<blocks, BLOCK_THREADS>>>(d_out, n, offset);
        status = cudaGetLastError();
    }
    return status;
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    return SCANLAB_TODO;
}
