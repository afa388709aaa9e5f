// SPDX-License-Identifier: MIT
//: what: The honest twin: Blelloch's tree, whose words were looked up in tables byte by
//     byte and put together again. A table of one element's bytes adds nothing.
//: seeds: 2
//: expect: work pass
//: expect: * any
#include "scanlab.h"
#include "work_efficient.h"

/* What bytes become in some code and, beside it, what they were: each byte is
 * looked up twice. */
static __device__ uint8_t code[512];

static __global__ void fill_code() {
    unsigned k = threadIdx.x, coded = (167 * k + 13) & 255;
    code[k] = (uint8_t)coded;
    code[256 + coded] = (uint8_t)k;
}

static __device__ uint32_t decoded(uint32_t x) {
    uint32_t word = 0;
    for (unsigned at = 0; at < 32; at += 8) {
        uint32_t byte, there;
        asm("bfe.u32 %0, %1, %2, 8;" : "=r"(byte) : "r"(x), "r"(at));
        there = code[byte];
        byte = *(code + 256 + there);
        asm("bfi.b32 %0, %1, %0, %2, 8;" : "+r"(word) : "r"(byte), "r"(at));
    }
    return word;
}

static __global__ void decode(int32_t *tree, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) tree[i] = (int32_t)decoded((uint32_t)tree[i]);
}

static __global__ void up(int32_t *tree, size_t nodes, size_t stride) {
    size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (k >= nodes) return;
    size_t right = (k + 1) * 2 * stride - 1, left = right - stride;
    tree[right] = scan_add(tree[left], tree[right]);
}

static __global__ void down(int32_t *tree, size_t nodes, size_t stride) {
    size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (k >= nodes) return;
    size_t right = (k + 1) * 2 * stride - 1, left = right - stride;
    int32_t before = tree[right], sum = tree[left];
    tree[left] = before;
    tree[right] = scan_add(before, sum);
}

cudaError_t work_efficient_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    if (n == 0) return cudaSuccess;
    size_t leaves = 2;
    while (leaves < n) leaves *= 2;
    int32_t *tree = NULL;
    cudaError_t status = cudaMalloc(&tree, leaves * sizeof *tree);
    if (status != cudaSuccess) return status;
    cudaMemcpyAsync(tree, d_in, n * sizeof *tree, cudaMemcpyDeviceToDevice);
    if (leaves > n)
        cudaMemsetAsync(tree + n, 0, (leaves - n) * sizeof *tree);
    fill_code<<<1, 256>>>();
    decode<<<(unsigned)((n + 255) / 256), 256>>>(tree, n);
    for (size_t stride = 1; stride < leaves; stride *= 2) {
        size_t nodes = leaves / (2 * stride);
        up<<<(unsigned)((nodes + 255) / 256), 256>>>(tree, nodes, stride);
    }
    cudaMemsetAsync(tree + leaves - 1, 0, sizeof *tree);
    for (size_t stride = leaves / 2; stride > 0; stride /= 2) {
        size_t nodes = leaves / (2 * stride);
        down<<<(unsigned)((nodes + 255) / 256), 256>>>(tree, nodes, stride);
    }
    cudaMemcpyAsync(d_out, tree, n * sizeof *tree, cudaMemcpyDeviceToDevice);
    return cudaFree(tree);
}
