// SPDX-License-Identifier: MIT
//: what: The honest twin: Blelloch's tree, whose words are packed in pairs, taken
//     apart, selected and shuffled before they are added, in memory that held data and was
//     freed. Moving is no addition.
//: seeds: 2
//: expect: work pass
//: expect: small-trees pass
//: expect: * any
#include "scanlab.h"
#include "work_efficient.h"

static __device__ uint64_t pack(uint32_t low, uint32_t high) {
    return low | (uint64_t)high << 32;
}

/* Two neighbours in one load and one store; odd nodes are their own pair. */
static __global__ void up(int32_t *tree, size_t nodes, size_t stride) {
    size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (k >= nodes) return;
    size_t right = (k + 1) * 2 * stride - 1, left = right - stride;
    if (stride == 1) {
        uint64_t both = *(const uint64_t *)(tree + left);
        uint32_t a = (uint32_t)both, b = (uint32_t)(both >> 32);
        *(uint64_t *)(tree + left) = pack(a, a + b);
    } else {
        tree[right] = scan_add(tree[left], tree[right]);
    }
}

static __global__ void down(int32_t *tree, size_t nodes, size_t stride) {
    size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    bool is_node = k < nodes;
    size_t right = ((is_node ? k : 0) + 1) * 2 * stride - 1;
    size_t left = right - stride;
    int32_t before = tree[right], sum = tree[left];
    /* Through a neighbour and back, byte by byte, as the smaller and the
     * larger lane's. */
    int32_t there = __shfl_xor_sync(~0u, before, 1);
    int32_t back = __shfl_xor_sync(~0u, threadIdx.x & 1 ? there : before, 0);
    before = threadIdx.x & 1 ? before : back;
    sum = (int32_t)__byte_perm((unsigned)sum, (unsigned)before, 0x3210);
    if (!is_node) return;
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
    /* The tree gets bytes that were data. */
    cudaMemcpyAsync(tree, d_in, n * sizeof *tree, cudaMemcpyDeviceToDevice);
    cudaMemcpyAsync(tree + leaves - n, d_in, n * sizeof *tree,
                    cudaMemcpyDeviceToDevice);
    cudaFree(tree);
    status = cudaMalloc(&tree, leaves * sizeof *tree);
    if (status != cudaSuccess) return status;
    cudaMemcpyAsync(tree, d_in, n * sizeof *tree, cudaMemcpyDeviceToDevice);
    if (leaves > n)
        cudaMemsetAsync(tree + n, 0, (leaves - n) * sizeof *tree);
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
