// SPDX-License-Identifier: MIT
//: what: one cooperative launch sweeps up and down, with grid.sync() between
//     the levels
//: kind: honest
//: group: seen
#include <cooperative_groups.h>
#include "scanlab.h"
#include "work_efficient.h"

namespace cg = cooperative_groups;

__global__ void both_sweeps(const int32_t *in, int32_t *tree, int32_t *out,
                            size_t n, size_t leaves) {
    cg::grid_group grid = cg::this_grid();
    size_t me = grid.thread_rank(), all = grid.size(), s = 1;
    for (size_t i = me; i < leaves; i += all) tree[i] = i < n ? in[i] : 0;
    for (; s < leaves; s *= 2) {
        grid.sync();
        for (size_t k = me; k < leaves / (2 * s); k += all) {
            size_t right = (k + 1) * 2 * s - 1;
            tree[right] = scan_add(tree[right - s], tree[right]);
        }
    }
    grid.sync();
    if (me == 0) tree[leaves - 1] = 0;
    for (s /= 2; s > 0; s /= 2) {
        grid.sync();
        for (size_t k = me; k < leaves / (2 * s); k += all) {
            size_t right = (k + 1) * 2 * s - 1;
            int32_t before = tree[right], left = tree[right - s];
            tree[right - s] = before;
            tree[right] = scan_add(before, left);
        }
    }
    grid.sync();
    for (size_t i = me; i < n; i += all) out[i] = tree[i];
}

cudaError_t work_efficient_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    if (n == 0) return cudaSuccess;
    size_t leaves = 1;
    while (leaves < n) leaves *= 2;
    int device = 0, processors = 0, each = 0;
    int32_t *tree = NULL;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&processors,
                                        cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &each, both_sweeps, 256, 0);
    if (status == cudaSuccess)
        status = cudaMalloc(&tree, leaves * sizeof *tree);
    if (status != cudaSuccess) return status;
    size_t blocks = (leaves / 2 + 255) / 256;
    if (blocks > (size_t)(processors * each))
        blocks = (size_t)(processors * each);
    if (blocks == 0) blocks = 1;
    void *arguments[] = {&d_in, &tree, &d_out, &n, &leaves};
    status = cudaLaunchCooperativeKernel((const void *)both_sweeps,
                                         dim3((unsigned)blocks), dim3(256),
                                         arguments, 0, 0);
    cudaError_t freed = cudaFree(tree);
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
