/* SPDX-License-Identifier: MIT
 *
 * streams.cu: what host code asks of the runtime around kernels: devices and
 * their attributes, streams, events, callbacks, occupancy, launches by other
 * names, several threads.
 */
//: expect: prints right
//: run: --check all
#include "cases.h"

#include <thread>

using std::vector;
enum { N = 4000, THREADS = 128, BLOCKS = (N + THREADS - 1) / THREADS };

__global__ void add(int *x, int value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += value;
}

/* ---- what there is ---- */

/* Every attribute there is has an answer, and no other. */
static bool all_answered(void) {
    int value;
    for (int a = 1; a < cudaDevAttrMax; a++) {
        value = -2;
        CHECK(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)a, 0));
        if (value < -1) return false;
    }
    bool ends = cudaDeviceGetAttribute(&value, cudaDevAttrMax, 0) ==
                cudaErrorInvalidValue;
    cudaGetLastError();
    return ends;
}

CASE(device_query) {
    int count = 0, driver = 0, runtime = 0, id = -1;
    cudaDeviceProp p;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&id));
    CHECK(cudaGetDeviceProperties(&p, 0));
    if (count != 1 || id || runtime != CUDART_VERSION || driver < runtime)
        return false;
    if (cudaSetDevice(1) != cudaErrorInvalidDevice) return false;
    cudaGetLastError();
    printf("%s, %d SMs\n", p.name, p.multiProcessorCount);
    static const struct {
        cudaDeviceAttr attribute;
        long long property;
    } same[] = {
        {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
        {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
        {cudaDevAttrMaxSharedMemoryPerBlock, (long long)p.sharedMemPerBlock},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin,
         (long long)p.sharedMemPerBlockOptin},
        {cudaDevAttrWarpSize, 32},
        {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {cudaDevAttrComputeCapabilityMajor, p.major},
        {cudaDevAttrComputeCapabilityMinor, p.minor},
        {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
        {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
        {cudaDevAttrL2CacheSize, p.l2CacheSize},
        {cudaDevAttrManagedMemory, p.managedMemory},
        {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
        {cudaDevAttrUnifiedAddressing, 1},
        {cudaDevAttrCooperativeLaunch, 1},
        {cudaDevAttrCanMapHostMemory, 1},
        {cudaDevAttrIntegrated, 0},
        {cudaDevAttrComputeMode, 0},
    };
    for (const auto &s : same) {
        int value = -1;
        CHECK(cudaDeviceGetAttribute(&value, s.attribute, 0));
        if (value != s.property) {
            printf("attribute %d: %d\n", s.attribute, value);
            return false;
        }
    }
    size_t free_bytes = 0, total = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    return all_answered() && total == p.totalGlobalMem && free_bytes <= total;
}

CASE(limits) {
    size_t stack = 0, heap = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    CHECK(cudaFuncSetCacheConfig(add, cudaFuncCachePreferL1));
    char bus[32];
    int device = -1;
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    CHECK(cudaDeviceGetByPCIBusId(&device, bus));
    return stack == 4096 && heap > 0 && device == 0;
}

/* ---- time and order ---- */

CASE(bandwidth) {
    vector<char> h(1 << 20, 7);
    char *d, *pinned;
    cudaEvent_t start, stop;
    CHECK(cudaMalloc(&d, h.size()));
    CHECK(cudaMallocHost(&pinned, h.size()));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    float ms[3] = {-1, -1, -1};
    for (int way = 0; way < 3; way++) {
        CHECK(cudaEventRecord(start));
        if (way == 0)
            CHECK(cudaMemcpy(d, h.data(), h.size(), cudaMemcpyHostToDevice));
        if (way == 1)
            CHECK(cudaMemcpyAsync(pinned, d, h.size(), cudaMemcpyDeviceToHost));
        if (way == 2)
            CHECK(cudaMemcpy(d, d + h.size() / 2, h.size() / 2,
                             cudaMemcpyDeviceToDevice));
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&ms[way], start, stop));
    }
    bool ok = !memcmp(pinned, h.data(), h.size());
    for (float t : ms) ok &= t >= 0 && t < 10000;
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return ok;
}

static void CUDART_CB count_up(void *n) {
    ++*(int *)n;
}
static void CUDART_CB count_status(cudaStream_t, cudaError_t status, void *n) {
    *(int *)n += status == cudaSuccess ? 10 : 1000;
}

CASE(streams) {
    enum { STREAMS = 4 };
    cudaStream_t stream[STREAMS];
    cudaEvent_t done[STREAMS], unused;
    int *h, *d, calls = 0, least = -1, greatest = -1;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaMallocHost(&h, N * sizeof(int)));
    CHECK(cudaMalloc(&d, N * sizeof(int)));
    for (int i = 0; i < N; i++) h[i] = i;
    for (int s = 0; s < STREAMS; s++) {
        if (s % 2)
            CHECK(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
        else
            CHECK(cudaStreamCreateWithPriority(&stream[s], 0, greatest));
        CHECK(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
    }
    int part = N / STREAMS;
    for (int s = 0; s < STREAMS; s++) { /* in, compute, out: a part each */
        int *from = h + s * part, *to = d + s * part;
        CHECK(cudaMemcpyAsync(to, from, part * sizeof(int),
                              cudaMemcpyHostToDevice, stream[s]));
        add<<<(part + 127) / 128, 128, 0, stream[s]>>>(to, 100 * s, part);
        CHECK(cudaMemcpyAsync(from, to, part * sizeof(int),
                              cudaMemcpyDeviceToHost, stream[s]));
        CHECK(cudaLaunchHostFunc(stream[s], count_up, &calls));
        CHECK(cudaEventRecord(done[s], stream[s]));
        CHECK(cudaStreamWaitEvent(stream[0], done[s], 0));
    }
    CHECK(cudaStreamAddCallback(stream[0], count_status, &calls, 0));
    CHECK(cudaStreamSynchronize(stream[0]));
    bool ok = calls == STREAMS + 10;
    for (int i = 0; i < N; i++) ok &= h[i] == i + 100 * (i / part);
    CHECK(cudaEventCreate(&unused));
    float ms;
    ok &= cudaEventQuery(done[1]) == cudaSuccess;
    ok &= cudaStreamQuery(stream[1]) == cudaSuccess;
    ok &= cudaEventElapsedTime(&ms, done[0], done[1]) ==
          cudaErrorInvalidResourceHandle; /* made without timing */
    ok &= cudaEventElapsedTime(&ms, unused, unused) ==
          cudaErrorInvalidResourceHandle; /* never recorded */
    unsigned flags = 9;
    CHECK(cudaStreamGetFlags(stream[1], &flags));
    ok &= flags == cudaStreamNonBlocking;
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaStreamDestroy(stream[s]));
        CHECK(cudaEventDestroy(done[s]));
    }
    CHECK(cudaEventDestroy(unused));
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(h));
    return ok;
}

/* What is gone is known to be gone. */
CASE(destroyed) {
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphExecDestroy(exec));
    bool ok = cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle;
    ok &= cudaEventSynchronize(event) == cudaErrorInvalidResourceHandle;
    ok &= cudaGraphInstantiate(&exec, graph, 0) == cudaErrorInvalidValue;
    ok &= cudaGraphLaunch(exec, 0) == cudaErrorInvalidValue;
    ok &= cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle;
    return ok;
}

/* ---- launches ---- */

__global__ void __launch_bounds__(256) smem_user(int *out, int n) {
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < n) atomicAdd(out, s[blockDim.x - 1 - threadIdx.x]);
}

CASE(launches) {
    buffer<int> x(N), out(1);
    int value = 3, n = N, few = 64, *p = x, *q = out;
    void *arguments[] = {&p, &value, &n};
    CHECK(cudaLaunchKernel(add, dim3(BLOCKS), dim3(THREADS), arguments, 0, 0));
    cudaLaunchConfig_t config = {};
    config.gridDim = BLOCKS;
    config.blockDim = THREADS;
    CHECK(cudaLaunchKernelEx(&config, add, p, 4, n));
    CHECK(cudaLaunchKernelExC(&config, (const void *)add, arguments));
    cudaFunction_t function;
    CHECK(cudaGetFuncBySymbol(&function, (const void *)add));
    const char *name = nullptr;
    CHECK(cudaFuncGetName(&name, (const void *)add));
    bool ok = strstr(name, "add") != nullptr;
    smem_user<<<1, 64, 64 * sizeof(int)>>>(q, few);
    vector<int> got = x.host();
    for (int v : got) ok &= v == 10;
    ok &= out.host()[0] == 63 * 64 / 2;
    int blocks = 0, least = 0, best = 0;
    size_t smem = 0;
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, smem_user));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, smem_user, 256,
                                                        1024));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &best, smem_user, 0, 0));
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&smem, smem_user, 1, 256));
    ok &= a.maxThreadsPerBlock == 256 && a.ptxVersion == 75 && blocks > 0;
    ok &= least > 0 && best == 256 && smem > 0;
    return ok;
}

/* Host threads with a stream each. */
CASE(threads) {
    vector<std::thread> all;
    bool good[4] = {};
    for (int t = 0; t < 4; t++)
        all.emplace_back([t, &good] {
            cudaStream_t stream;
            CHECK(cudaSetDevice(0));
            CHECK(cudaStreamCreate(&stream));
            buffer<int> x(1000);
            for (int k = 0; k < 10; k++)
                add<<<8, 128, 0, stream>>>(x, t + k, 1000);
            CHECK(cudaStreamSynchronize(stream));
            vector<int> got = x.host();
            good[t] = true;
            for (int v : got) good[t] &= v == 10 * t + 45;
            CHECK(cudaStreamDestroy(stream));
        });
    for (std::thread &t : all) t.join();
    return good[0] && good[1] && good[2] && good[3];
}

/* ---- errors come as they do from CUDA ---- */

__global__ void wild(int *x) {
    x[threadIdx.x] = 1; // BUG wild
}

CASE(errors) {
    bool ok = true;
    add<<<0, 32>>>(nullptr, 0, 0);
    ok &= cudaPeekAtLastError() == cudaErrorInvalidConfiguration;
    ok &= cudaGetLastError() == cudaErrorInvalidConfiguration;
    ok &= cudaGetLastError() == cudaSuccess;
    ok &= !strcmp(cudaGetErrorName(cudaErrorInvalidConfiguration),
                  "cudaErrorInvalidConfiguration");
    wild<<<1, 32>>>((int *)8); /* the launch is fine, the next call is not */
    ok &= cudaGetLastError() == cudaSuccess;
    ok &= cudaDeviceSynchronize() == cudaErrorIllegalAddress;
    int *d;
    ok &= cudaMalloc(&d, 4) == cudaErrorIllegalAddress;
    ok &= cudaGetLastError() == cudaErrorIllegalAddress;
    return ok;
}

CASE(entry_point) {
    void *driver = nullptr;
    return cudaGetDriverEntryPointByVersion("cuInit", &driver, 13000,
                                            cudaEnableDefault,
                                            nullptr) == cudaErrorNotSupported;
}

//: case: streams-device-query device-query
//: run: --check all | --check all --device h200
//: case: streams-limits limits
//: case: streams-bandwidth bandwidth
//: case: streams-streams streams
//: run: --check all | --check all --schedule random:SEED --memory-model weak:SEED
//: seeds: 2
//: case: streams-destroyed destroyed
//: gpu: no, a destroyed handle may do anything there
//: case: streams-launches launches
//: run: --check all | --check all --device h200
//: case: streams-threads threads
//: twice: no, host threads allocate in any order
//: case: streams-errors errors
//: run: --memcheck
//: expect: finding bad-launch at -
//: expect: finding out-of-bounds at wild
//: expect: prints right
//: case: streams-entry-point entry-point
//: expect: finding unsupported at - "cudaGetDriverEntryPointByVersion is not supported"
//: expect: prints right
int main(int argc, char **argv) {
    return run_case(argc, argv);
}
