// SPDX-License-Identifier: MIT
//: what: the exclusive scan is the naive one of lab 1, n log n additions;
//     each is made of eight lookups in a table, at an index into which bfi
//     packs two nibbles and the carry. The up-sweep is as asked
//: kind: laundered
//: group: seen
#include "scanlab.h"
#include "work_efficient.h"

__device__ unsigned char table[512]; /* carry, nibble, nibble: five bits */

__global__ void fill_table(void) {
    unsigned i = threadIdx.x;
    table[i] = (unsigned char)((i & 15) + (i >> 4 & 15) + (i >> 8));
}

__device__ int32_t sum_of(uint32_t a, uint32_t b) {
    uint32_t sum = 0, carry = 0;
    for (int at = 0; at < 32; at += 4) {
        uint32_t index, x, y;
        asm("bfe.u32 %0, %1, %2, 4;" : "=r"(x) : "r"(a), "r"(at));
        asm("bfe.u32 %0, %1, %2, 4;" : "=r"(y) : "r"(b), "r"(at));
        asm("bfi.b32 %0, %1, %2, 4, 4;" : "=r"(index) : "r"(y), "r"(x));
        asm("bfi.b32 %0, %1, %0, 8, 1;" : "+r"(index) : "r"(carry));
        uint32_t found = table[index];
        asm("bfi.b32 %0, %1, %0, %2, 4;" : "+r"(sum) : "r"(found), "r"(at));
        asm("bfe.u32 %0, %1, 4, 1;" : "=r"(carry) : "r"(found));
    }
    return (int32_t)sum;
}

__global__ void step(const int32_t *src, int32_t *dst, size_t n, size_t d) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    dst[i] = i < d ? src[i] : sum_of((uint32_t)src[i - d], (uint32_t)src[i]);
}

cudaError_t work_efficient_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    if (n == 0) return cudaSuccess;
    int32_t *a = NULL;
    cudaError_t status = cudaMalloc(&a, 2 * n * sizeof *a);
    if (status != cudaSuccess) return status;
    int32_t *b = a + n, *base = a;
    fill_table<<<1, 512>>>();
    status = cudaGetLastError();
    if (status == cudaSuccess) status = cudaMemsetAsync(a, 0, sizeof *a);
    if (status == cudaSuccess)
        status = cudaMemcpyAsync(a + 1, d_in, (n - 1) * sizeof *a,
                                 cudaMemcpyDeviceToDevice);
    for (size_t d = 1; d < n && status == cudaSuccess; d *= 2) {
        step<<<(unsigned)((n + 255) / 256), 256>>>(a, b, n, d);
        status = cudaGetLastError();
        int32_t *swap = a;
        a = b;
        b = swap;
    }
    if (status == cudaSuccess)
        status =
            cudaMemcpyAsync(d_out, a, n * sizeof *a, cudaMemcpyDeviceToDevice);
    cudaError_t freed = cudaFree(base);
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
