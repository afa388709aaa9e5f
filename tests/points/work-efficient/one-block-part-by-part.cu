// SPDX-License-Identifier: MIT
//: what: 2 log2 n launches, each of one block of 256 threads that scans the
//     next part of the input row by row in shared memory; the up-sweep is as
//     asked
//: kind: serial
//: group: seen
#include "scanlab.h"
#include "work_efficient.h"

/* Elements begin to end; *total is the sum of all before begin. */
__global__ void next_part(const int32_t *in, int32_t *out, int32_t *total,
                          size_t begin, size_t end) {
    __shared__ int32_t row[256];
    unsigned t = threadIdx.x;
    int32_t before = *total;
    for (size_t first = begin; first < end; first += 256) {
        int32_t mine = first + t < end ? in[first + t] : 0, sum = mine;
        for (unsigned d = 1; d < 256; d *= 2) {
            row[t] = sum;
            __syncthreads();
            if (t >= d) sum = scan_add(row[t - d], sum);
            __syncthreads();
        }
        row[t] = sum;
        __syncthreads();
        if (first + t < end)
            out[first + t] = t ? scan_add(before, row[t - 1]) : before;
        before = scan_add(before, row[255]);
        __syncthreads();
    }
    if (t == 0) *total = before;
}

cudaError_t work_efficient_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    if (n == 0) return cudaSuccess;
    size_t parts = 1;
    while ((size_t)1 << parts < n) parts++;
    parts *= 2;
    int32_t *total = NULL;
    cudaError_t status = cudaMalloc(&total, sizeof *total);
    if (status != cudaSuccess) return status;
    status = cudaMemsetAsync(total, 0, sizeof *total);
    for (size_t p = 0; p < parts && status == cudaSuccess; p++) {
        next_part<<<1, 256>>>(d_in, d_out, total, n * p / parts,
                              n * (p + 1) / parts);
        status = cudaGetLastError();
    }
    cudaError_t freed = cudaFree(total);
    return status != cudaSuccess ? status : freed;
}

/* ---- the functions that need the tree as it is ---- */

__global__ void up_level(int32_t *tree, size_t nodes, size_t stride) {
    size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= nodes) return;
    size_t right = (k + 1) * 2 * stride - 1;
    tree[right] = scan_add(tree[right - stride], tree[right]);
}

cudaError_t work_efficient_up_sweep(const int32_t *d_in, int32_t *d_out,
                                    size_t n) {
    cudaError_t status = cudaMemcpyAsync(d_out, d_in, n * sizeof *d_out,
                                         cudaMemcpyDeviceToDevice);
    for (size_t s = 1; s < n && status == cudaSuccess; s *= 2) {
        size_t nodes = n / (2 * s);
        up_level<<<(unsigned)((nodes + 255) / 256), 256>>>(d_out, nodes, s);
        status = cudaGetLastError();
    }
    if (status != cudaSuccess) return status;
    return cudaMemsetAsync(d_out + n - 1, 0, sizeof *d_out);
}

__global__ void add_input(const int32_t *in, int32_t *out, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = scan_add(in[i], out[i]);
}

cudaError_t work_efficient_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    cudaError_t status = work_efficient_exclusive_scan(d_in, d_out, n);
    if (status != cudaSuccess || n == 0) return status;
    add_input<<<(unsigned)((n + 255) / 256), 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
