// SPDX-License-Identifier: MIT
//: what: one cooperative launch does all steps of Hillis and Steele, with
//     grid.sync() between them
//: kind: honest
//: group: seen
#include <cooperative_groups.h>
#include "naive.h"
#include "scanlab.h"

namespace cg = cooperative_groups;

enum { THREADS = 128 };

__global__ void all_steps(const int32_t *in, int32_t *even, int32_t *odd,
                          size_t n) {
    cg::grid_group grid = cg::this_grid();
    const int32_t *from = in;
    int32_t *to = even, *other = odd;
    for (size_t d = 1; d < n; d += d) {
        for (size_t i = grid.thread_rank(); i < n; i += grid.size()) {
            int32_t mine = from[i];
            if (i >= d) mine = scan_add(from[i - d], mine);
            to[i] = mine;
        }
        grid.sync();
        from = to;
        to = other;
        other = const_cast<int32_t *>(from);
    }
}

static cudaError_t resident_blocks(size_t *blocks) {
    int device = 0, processors = 0, each = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&processors,
                                        cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, all_steps,
                                                               THREADS, 0);
    *blocks = (size_t)processors * (size_t)each;
    return status;
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    if (n == 1)
        return cudaMemcpyAsync(d_out, d_in, sizeof *d_out,
                               cudaMemcpyDeviceToDevice);
    size_t most = 0, wanted = (n + THREADS - 1) / THREADS;
    cudaError_t status = resident_blocks(&most);
    if (status != cudaSuccess) return status;
    int32_t *scratch = NULL;
    status = cudaMalloc(&scratch, n * sizeof *scratch);
    if (status != cudaSuccess) return status;
    bool odd = false;
    for (size_t d = 1; d < n; d += d) odd = !odd;
    int32_t *first = odd ? d_out : scratch, *second = odd ? scratch : d_out;
    void *arguments[] = {&d_in, &first, &second, &n};
    status = cudaLaunchCooperativeKernel(
        (const void *)all_steps,
        dim3((unsigned)(wanted < most ? wanted : most)), dim3(THREADS),
        arguments, 0, 0);
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
