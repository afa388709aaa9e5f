// SPDX-License-Identifier: MIT
//: what: the tree is allocated from a memory pool and swept in a stream of
//     its own; events order it with the default stream
//: kind: honest
//: group: unseen
#include "scanlab.h"
#include "work_efficient.h"

__global__ void up(int32_t *tree, size_t nodes, size_t stride) {
    size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= nodes) return;
    int32_t *right = tree + (k + 1) * 2 * stride - 1;
    *right = scan_add(right[-(ptrdiff_t)stride], *right);
}

__global__ void down(int32_t *tree, size_t nodes, size_t stride) {
    size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= nodes) return;
    int32_t *right = tree + (k + 1) * 2 * stride - 1, *left = right - stride;
    int32_t before = *right, half = *left;
    *left = before;
    *right = scan_add(before, half);
}

#define TRY(call)                                                              \
    do {                                                                       \
        if (status == cudaSuccess) status = (call);                            \
    } while (0)

static cudaError_t sweep(int32_t *tree, size_t leaves, cudaStream_t stream) {
    cudaError_t status = cudaSuccess;
    for (size_t s = 1; s < leaves && status == cudaSuccess; s *= 2) {
        size_t nodes = leaves / 2 / s;
        up<<<(unsigned)((nodes + 127) / 128), 128, 0, stream>>>(tree, nodes, s);
        status = cudaGetLastError();
    }
    TRY(cudaMemsetAsync(tree + leaves - 1, 0, sizeof *tree, stream));
    for (size_t s = leaves / 2; s > 0 && status == cudaSuccess; s /= 2) {
        size_t nodes = leaves / 2 / s;
        down<<<(unsigned)((nodes + 127) / 128), 128, 0, stream>>>(tree, nodes,
                                                                  s);
        status = cudaGetLastError();
    }
    return status;
}

cudaError_t work_efficient_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    if (n == 0) return cudaSuccess;
    size_t leaves = 1, bytes = n * sizeof *d_out;
    while (leaves < n) leaves *= 2;
    cudaStream_t stream = NULL;
    cudaEvent_t ready = NULL, done = NULL;
    int32_t *tree = NULL;
    cudaError_t status =
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    TRY(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    TRY(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    TRY(cudaEventRecord(ready, 0));
    TRY(cudaStreamWaitEvent(stream, ready, 0));
    TRY(cudaMallocAsync((void **)&tree, leaves * sizeof *tree, stream));
    TRY(cudaMemsetAsync(tree, 0, leaves * sizeof *tree, stream));
    TRY(cudaMemcpyAsync(tree, d_in, bytes, cudaMemcpyDeviceToDevice, stream));
    TRY(sweep(tree, leaves, stream));
    TRY(cudaMemcpyAsync(d_out, tree, bytes, cudaMemcpyDeviceToDevice, stream));
    if (tree) {
        cudaError_t freed = cudaFreeAsync(tree, stream);
        TRY(freed);
    }
    TRY(cudaEventRecord(done, stream));
    TRY(cudaStreamWaitEvent(0, done, 0));
    if (done) cudaEventDestroy(done);
    if (ready) cudaEventDestroy(ready);
    if (stream) cudaStreamDestroy(stream);
    return status;
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
