// SPDX-License-Identifier: MIT
//
// naive.cu: what honest work may ask of a real GPU, beside its scan: streams,
// events, pinned and managed memory, pools, graphs, printf, a heap, threads.
// Each must succeed in the process that the walls are around;
// tests/walls/gpu.py looks for FAILED.
#include <cuda_runtime.h>
#if CUDART_VERSION >= 13000
#include <cooperative_groups.h>
#define MEET cooperative_groups::this_grid().sync()
#else
#define MEET
#endif
#include <cstdio>
#include <thread>
#include <vector>

#include "naive.h"
#include "scanlab.h"

#define TRY(x)                                                                 \
    do {                                                                       \
        cudaError_t e_ = (x);                                                  \
        if (e_) printf("FAILED %s: %s\n", #x, cudaGetErrorString(e_));         \
        cudaGetLastError();                                                    \
    } while (0)

enum { MIB = 1 << 20 };

__global__ void serial(const int32_t *in, int32_t *out, size_t n,
                       int exclusive) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t x = in[i];
        if (exclusive) out[i] = sum;
        sum = scan_add(sum, x);
        if (!exclusive) out[i] = sum;
    }
}

__global__ void say(int x) {
    printf("device says %d\n", x);
}

__global__ void heap(int *p) {
    int *q = (int *)malloc(64);
    if (q) {
        *q = 5;
        *p = *q;
    }
    free(q);
}

__global__ void together(int *p) {
    MEET;
    if (threadIdx.x == 0) atomicAdd(p, 1);
}

__global__ void one(int *p) {
    *p += 1;
}

static void waits(int *p) {
    cudaStream_t stream, many[64], first;
    cudaEvent_t before, after, blocking;
    float ms;
    int low, high;
    TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TRY(cudaEventCreate(&before));
    TRY(cudaEventCreate(&after));
    TRY(cudaEventRecord(before, stream));
    one<<<1, 1, 0, stream>>>(p);
    TRY(cudaEventRecord(after, stream));
    TRY(cudaEventSynchronize(after));
    TRY(cudaEventElapsedTime(&ms, before, after));
    for (auto &s : many) {
        if (cudaError_t error = cudaStreamCreate(&s)) TRY(error);
        one<<<1, 1, 0, s>>>(p);
    }
    TRY(cudaDeviceSynchronize());
    TRY(cudaDeviceGetStreamPriorityRange(&low, &high));
    TRY(cudaStreamCreateWithPriority(&first, cudaStreamNonBlocking, high));
    TRY(cudaEventCreateWithFlags(&blocking, cudaEventBlockingSync));
    TRY(cudaEventRecord(blocking, first));
    TRY(cudaEventSynchronize(blocking));
    TRY(cudaLaunchHostFunc(
        stream, [](void *) { puts("host function"); }, nullptr));
    TRY(cudaStreamSynchronize(stream));
    TRY(cudaStreamDestroy(stream));
}

static void memory(int *p) {
    size_t left, all;
    int *m, *big;
    std::vector<char> host(64 * MIB);
    TRY(cudaMemGetInfo(&left, &all));
    TRY(cudaHostAlloc(&m, 64 * MIB, cudaHostAllocMapped));
    TRY(cudaMemcpyAsync(p, m, MIB, cudaMemcpyHostToDevice));
    TRY(cudaFreeHost(m));
    for (int i = 0; i < 40; i++)
        if (cudaError_t error = cudaMallocHost(&m, 3 * MIB)) TRY(error);
    TRY(cudaHostRegister(host.data(), host.size(), 0));
    TRY(cudaHostUnregister(host.data()));
    TRY(cudaMallocAsync(&m, MIB, 0));
    one<<<1, 1>>>(m);
    TRY(cudaFreeAsync(m, 0));
    TRY(cudaMalloc(&big, (size_t)4096 * MIB));
    TRY(cudaMemset(big, 0, (size_t)4096 * MIB));
    TRY(cudaMemcpy(big, host.data(), host.size(), cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(host.data(), big, host.size(), cudaMemcpyDeviceToHost));
    TRY(cudaFree(big));
}

static void managed() {
    int *m;
#if CUDART_VERSION >= 13000
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
#define PREFETCH(m, bytes) cudaMemPrefetchAsync(m, bytes, here, 0)
#else
    int here = 0;
#define PREFETCH(m, bytes) cudaMemPrefetchAsync(m, bytes, here)
#endif
    TRY(cudaMallocManaged(&m, 4 * MIB));
    one<<<1, 1>>>(m);
    TRY(cudaDeviceSynchronize());
    printf("managed %d\n", *m);
    TRY(cudaMemAdvise(m, 4 * MIB, cudaMemAdviseSetPreferredLocation, here));
    TRY(cudaMemAdvise(m, 4 * MIB, cudaMemAdviseSetReadMostly, here));
    TRY(cudaMemAdvise(m, 4 * MIB, cudaMemAdviseSetAccessedBy, here));
    TRY(PREFETCH(m, 4 * MIB));
    TRY(cudaDeviceSynchronize());
    TRY(cudaFree(m));
}

static void launches(int *p) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    void *arguments[] = {&p};
    TRY(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    TRY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 * MIB));
    say<<<1, 2>>>(7);
    heap<<<1, 1>>>(p);
    TRY(cudaLaunchCooperativeKernel((const void *)together, 4, 32, arguments, 0,
                                    0));
    TRY(cudaDeviceSynchronize());
    TRY(cudaStreamCreate(&stream));
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    one<<<1, 1, 0, stream>>>(p);
    TRY(cudaStreamEndCapture(stream, &graph));
    TRY(cudaGraphInstantiate(&ready, graph, 0));
    TRY(cudaGraphLaunch(ready, stream));
    TRY(cudaStreamSynchronize(stream));
}

static void threads() {
    std::vector<std::thread> all;
    for (int t = 0; t < 4; t++)
        all.emplace_back([] {
            int *q;
            TRY(cudaMalloc(&q, 4 * MIB));
            one<<<1, 1, 0, cudaStreamPerThread>>>(q);
            TRY(cudaStreamSynchronize(cudaStreamPerThread));
            TRY(cudaFree(q));
        });
    for (auto &thread : all) thread.join();
}

static cudaError_t scan(const int32_t *in, int32_t *out, size_t n,
                        int exclusive) {
    static bool done;
    int *p;
    if (!done) {
        done = true;
        TRY(cudaMalloc(&p, MIB));
        launches(p);
        waits(p);
        memory(p);
        managed();
        threads();
        TRY(cudaFree(p));
    }
    if (n) serial<<<1, 1>>>(in, out, n, exclusive);
    return cudaGetLastError();
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    return scan(d_in, d_out, n, 0);
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    return scan(d_in, d_out, n, 1);
}
