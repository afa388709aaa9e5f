// SPDX-License-Identifier: MIT
//: what: the launches of the steps are recorded into a CUDA graph by stream
//     capture, and the graph is launched
//: kind: honest
//: group: seen
#include "naive.h"
#include "scanlab.h"

__global__ void step(const int32_t *src, int32_t *dst, size_t n, size_t d) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = i < d ? src[i] : scan_add(src[i - d], src[i]);
}

static cudaError_t record(cudaStream_t stream, const int32_t *in, int32_t *out,
                          int32_t *scratch, size_t n, cudaGraph_t *graph) {
    cudaError_t status =
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    if (status != cudaSuccess) return status;
    int steps = 0;
    while ((size_t)1 << steps < n) steps++;
    for (int k = 0; k < steps; k++) {
        int32_t *dst = (steps - k) % 2 ? out : scratch;
        step<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(in, dst, n,
                                                              (size_t)1 << k);
        in = dst;
    }
    status = cudaGetLastError();
    cudaError_t ended = cudaStreamEndCapture(stream, graph);
    return status != cudaSuccess ? status : ended;
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    if (n == 1)
        return cudaMemcpyAsync(d_out, d_in, 4, cudaMemcpyDeviceToDevice);
    int32_t *scratch = NULL;
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    cudaError_t status = cudaMalloc(&scratch, n * sizeof *scratch);
    if (status == cudaSuccess) status = cudaStreamCreate(&stream);
    if (status == cudaSuccess)
        status = record(stream, d_in, d_out, scratch, n, &graph);
    if (status == cudaSuccess) status = cudaGraphInstantiate(&ready, graph, 0);
    if (status == cudaSuccess) status = cudaGraphLaunch(ready, 0);
    if (status == cudaSuccess) status = cudaStreamSynchronize(0);
    if (ready) cudaGraphExecDestroy(ready);
    if (graph) cudaGraphDestroy(graph);
    if (stream) cudaStreamDestroy(stream);
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
