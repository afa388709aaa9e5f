/* SPDX-License-Identifier: MIT
 *
 * streams.cu: what host code asks of the runtime around kernels: devices and
 * their attributes, streams, events, callbacks, occupancy, launches by other
 * names, several threads.
 */
#include "cases.h"

#include <thread>

using std::vector;
enum { N = 4000, THREADS = 128, BLOCKS = (N + THREADS - 1) / THREADS };

__global__ void add(int *x, int value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += value;
}

/* ---- what there is ---- */

static bool run_device_query() {
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
    for (int a = 1; a < cudaDevAttrMax; a++) { /* every one has an answer */
        int value = -2;
        CHECK(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)a, 0));
        if (value < -1) return false;
    }
    int value;
    bool ends = cudaDeviceGetAttribute(&value, cudaDevAttrMax, 0) ==
                cudaErrorInvalidValue;
    cudaGetLastError();
    size_t free_bytes = 0, total = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    return ends && total == p.totalGlobalMem && free_bytes <= total;
}

static bool run_limits() {
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

static bool run_bandwidth() {
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

static bool run_streams() {
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
static bool run_destroyed() {
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

static bool run_launches() {
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
static bool run_threads() {
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

/* ---- graphs, by capture ---- */

static bool run_graphs() {
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus status;
    int *d, *h, calls = 0, value = 5;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaMalloc(&d, 2 * N * sizeof(int)));
    CHECK(cudaMallocHost(&h, 2 * N * sizeof(int)));
    for (int i = 0; i < 2 * N; i++) h[i] = i;
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(d, h, N * sizeof(int), cudaMemcpyHostToDevice, a));
    CHECK(cudaEventRecord(fork, a));
    CHECK(cudaStreamWaitEvent(b, fork, 0));
    CHECK(cudaStreamIsCapturing(b, &status));
    bool ok = status == cudaStreamCaptureStatusActive;
    CHECK(cudaMemsetAsync(d + N, 0, N * sizeof(int), b));
    add<<<BLOCKS, THREADS, 0, b>>>(d + N, 100, N);
    value = 1; /* arguments are those of the capture */
    add<<<BLOCKS, THREADS, 0, a>>>(d, value, N);
    value = 1000;
    CHECK(cudaEventRecord(join, b));
    CHECK(cudaStreamWaitEvent(a, join, 0));
    CHECK(cudaMemcpyAsync(h, d, 2 * N * sizeof(int), cudaMemcpyDeviceToHost, a));
    CHECK(cudaLaunchHostFunc(a, count_up, &calls));
    CHECK(cudaStreamEndCapture(a, &graph));
    CHECK(cudaStreamIsCapturing(b, &status));
    ok &= status == cudaStreamCaptureStatusNone && h[N] == N && !calls;
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    ok &= nodes == 6;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    for (int k = 0; k < 3; k++) CHECK(cudaGraphLaunch(exec, b));
    CHECK(cudaStreamSynchronize(b));
    for (int i = 0; i < N; i++) ok &= h[i] == i + 3 && h[N + i] == 100;
    ok &= calls == 3;
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(h));
    return ok;
}

/* What a capture does not survive: the call fails, and then the capture has no
 * graph to give. CUDA Programming Guide, "Prohibited and Unhandled Operations";
 * what is unsafe by itself is forbidden unless the capture is relaxed. The
 * errors were measured on an H200 (driver 580.159.04, CUDA 13.0.88,
 * 2026-11-22), those of relaxed captures when this case ran on it; UNSAFE's
 * are not measured where relaxed, but are as cudaMalloc's. */
struct captured {
    cudaStream_t a; /* captures */
    cudaStream_t other, apart; /* apart: does not wait for the legacy stream */
    cudaEvent_t inside, outside;
    int *d;
};
static const struct {
    const char *name;
    cudaError_t error, relaxed;
    cudaError_t (*call)(const captured &);
} forbidden[] = {
#define CALL(name, error, relaxed, call)                                       \
    {name, cudaError##error, cuda##relaxed,                                    \
     [](const captured &c) -> cudaError_t {                                    \
         (void)c;                                                              \
         return call;                                                          \
     }}
#define ALWAYS(name, error, call) CALL(name, error, Error##error, call)
#define UNSAFE(name, call) CALL(name, StreamCaptureUnsupported, Success, call)
    ALWAYS("wait for the stream", StreamCaptureUnsupported,
           cudaStreamSynchronize(c.a)),
    ALWAYS("ask the stream", StreamCaptureUnsupported, cudaStreamQuery(c.a)),
    ALWAYS("wait for its event", CapturedEvent, cudaEventSynchronize(c.inside)),
    ALWAYS("ask its event", CapturedEvent, cudaEventQuery(c.inside)),
    ALWAYS("wait for the device", StreamCaptureUnsupported,
           cudaDeviceSynchronize()),
    ALWAYS("a callback", StreamCaptureUnsupported,
           cudaStreamAddCallback(c.a, count_status, nullptr, 0)),
    ALWAYS("wait for the legacy stream", StreamCaptureImplicit,
           cudaStreamSynchronize(cudaStreamLegacy)),
    ALWAYS("copy at once", StreamCaptureImplicit,
           cudaMemcpy(c.d, c.d + 1, 4, cudaMemcpyDeviceToDevice)),
    ALWAYS("fill in the legacy stream", StreamCaptureImplicit,
           cudaMemsetAsync(c.d, 0, 4, 0)),
    ALWAYS("launch in the legacy stream", StreamCaptureImplicit,
           (add<<<1, 1>>>(c.d, 1, 1), cudaGetLastError())),
    ALWAYS("record in the legacy stream", StreamCaptureImplicit,
           cudaEventRecord(c.outside, 0)),
    ALWAYS("make the legacy stream wait", StreamCaptureImplicit,
           cudaStreamWaitEvent(0, c.inside, 0)),
    ALWAYS("wait for what is outside", StreamCaptureIsolation,
           cudaStreamWaitEvent(c.a, c.outside, 0)),
    CALL("allocate", StreamCaptureUnsupported, Success,
         ([] {
             void *p = nullptr;
             cudaError_t error = cudaMalloc(&p, 4);
             return error ? error : cudaFree(p);
         }())),
    CALL("ask another event", StreamCaptureUnsupported, Success,
         cudaEventQuery(c.outside)),
    UNSAFE("wait for another stream", cudaStreamSynchronize(c.other)),
    UNSAFE("ask another stream", cudaStreamQuery(c.other)),
    UNSAFE("wait for one apart", cudaStreamSynchronize(c.apart)),
    UNSAFE("wait for the thread's stream",
           cudaStreamSynchronize(cudaStreamPerThread)),
    UNSAFE("free no host memory", cudaFreeHost(nullptr)),
    UNSAFE("allocate in another stream", ([&] {
               void *p = nullptr;
               cudaError_t error = cudaMallocAsync(&p, 4, c.other);
               return error ? error : cudaFreeAsync(p, c.other);
           }())),
    ALWAYS("capture the legacy stream", StreamCaptureImplicit,
           cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal)),
#undef UNSAFE
#undef ALWAYS
#undef CALL
};

static bool run_captures() {
    captured c;
    bool ok = true;
    auto is = [&](const char *name, const char *what, int got, int want) {
        if (got != want) printf("%s: %s %d, not %d\n", name, what, got, want);
        ok &= got == want;
    };
    CHECK(cudaStreamCreate(&c.a));
    CHECK(cudaStreamCreate(&c.other));
    CHECK(cudaStreamCreateWithFlags(&c.apart, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&c.inside));
    CHECK(cudaEventCreate(&c.outside));
    CHECK(cudaMalloc(&c.d, 8));
    CHECK(cudaMemset(c.d, 0, 8));
    CHECK(cudaEventRecord(c.outside, c.other));
    CHECK(cudaDeviceSynchronize());
    add<<<1, 1, 0, c.a>>>(c.d, 1, 0); /* loaded before anything captures */
    CHECK(cudaStreamSynchronize(c.a));
    for (const auto &f : forbidden)
        for (bool relaxed : {false, true}) {
            cudaGraph_t graph = nullptr;
            cudaStreamCaptureStatus status;
            cudaError_t error = relaxed ? f.relaxed : f.error;
            CHECK(cudaStreamBeginCapture(c.a, relaxed
                                                  ? cudaStreamCaptureModeRelaxed
                                                  : cudaStreamCaptureModeGlobal));
            CHECK(cudaMemsetAsync(c.d, 0, 4, c.a));
            CHECK(cudaEventRecord(c.inside, c.a));
            cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
            if (relaxed) CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
            is(f.name, "gives", f.call(c), error);
            if (relaxed) CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
            CHECK(cudaStreamIsCapturing(c.a, &status));
            is(f.name, "leaves status", status,
               error ? cudaStreamCaptureStatusInvalidated
                     : cudaStreamCaptureStatusActive);
            add<<<1, 1, 0, c.a>>>(c.d, 1, 1);
            is(f.name, "then a launch",
               cudaGetLastError() == cudaSuccess, error == cudaSuccess);
            if (error && !relaxed)
                is(f.name, "then to ask the stream", cudaStreamQuery(c.a),
                   cudaErrorStreamCaptureUnsupported);
            is(f.name, "ends as", cudaStreamEndCapture(c.a, &graph),
               error ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
            is(f.name, "has a graph", graph != nullptr, error == cudaSuccess);
            if (graph) CHECK(cudaGraphDestroy(graph));
            cudaGetLastError();
            CHECK(cudaStreamIsCapturing(c.a, &status));
            is(f.name, "at last status", status, cudaStreamCaptureStatusNone);
            CHECK(cudaStreamSynchronize(c.a)); /* it is a stream again */
        }
    CHECK(cudaEventDestroy(c.inside));
    CHECK(cudaEventDestroy(c.outside));
    CHECK(cudaStreamDestroy(c.a));
    CHECK(cudaStreamDestroy(c.other));
    CHECK(cudaStreamDestroy(c.apart));
    CHECK(cudaFree(c.d));
    return ok;
}

/* Two captures, streams that do not wait for the legacy one, and what is wrong
 * with beginning and ending. */
static bool run_capture_ends() {
    cudaStream_t a, b;
    cudaEvent_t event;
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureStatus status;
    int *d;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaMalloc(&d, 8));
    bool ok = cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) ==
              cudaErrorStreamCaptureUnsupported;
    ok &= cudaStreamEndCapture(a, &graph) == cudaErrorIllegalState;
    cudaGetLastError();

    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    CHECK(cudaMemsetAsync(d, 0, 8, a));
    CHECK(cudaMemsetAsync(d, 0, 8, 0)); /* not joined by a */
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaEventRecord(event, a));
    CHECK(cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed));
    ok &= cudaStreamWaitEvent(b, event, 0) == cudaErrorStreamCaptureMerge;
    ok &= cudaStreamEndCapture(b, &graph) == cudaErrorStreamCaptureInvalidated;
    ok &= !graph;
    ok &= cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureInvalidated;
    ok &= !graph;
    cudaGetLastError();
    CHECK(cudaStreamIsCapturing(0, &status));
    ok &= status == cudaStreamCaptureStatusNone;

    /* To ask whether the legacy stream captures has no answer, no harm either. */
    cudaStream_t blocking;
    CHECK(cudaStreamCreate(&blocking));
    CHECK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeThreadLocal));
    ok &= cudaStreamIsCapturing(0, &status) == cudaErrorStreamCaptureImplicit;
    cudaGetLastError();
    std::thread([&ok] { /* its own captures are what it may not disturb */
        cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
        void *p;
        ok &= !cudaThreadExchangeStreamCaptureMode(&mode);
        ok &= mode == cudaStreamCaptureModeGlobal;
        ok &= !cudaMalloc(&p, 4) && !cudaFree(p);
    }).join();
    CHECK(cudaStreamEndCapture(blocking, &graph));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(blocking));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaFree(d));
    return ok;
}

/* Node by node, the kernels named before what they wait for. */
static bool run_graph_nodes() {
    cudaGraph_t graph;
    cudaGraphExec_t exec, again;
    cudaGraphNode_t in, zero, first, second, out, host, nothing;
    int *d, *h, calls = 0, one = 1, ten = 10, n = N, *half;
    CHECK(cudaMalloc(&d, 2 * N * sizeof(int)));
    CHECK(cudaMallocHost(&h, 2 * N * sizeof(int)));
    for (int i = 0; i < 2 * N; i++) h[i] = i;
    half = d + N;
    void *first_arguments[] = {&d, &one, &n}, *second_arguments[] = {&half, &ten, &n};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = BLOCKS;
    kernel.blockDim = THREADS;
    kernel.kernelParams = first_arguments;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
    kernel.kernelParams = second_arguments;
    CHECK(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
    CHECK(cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, d, h, N * sizeof(int),
                                   cudaMemcpyHostToDevice));
    cudaMemsetParams fill = {};
    fill.dst = half;
    fill.elementSize = 4;
    fill.width = N;
    fill.height = 1;
    CHECK(cudaGraphAddMemsetNode(&zero, graph, &in, 1, &fill));
    cudaGraphNode_t before[] = {in, zero}, after[] = {first, second};
    CHECK(cudaGraphAddDependencies(graph, before, after, nullptr, 2));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(d, 2 * N * sizeof(int), 2 * N, 1);
    copy.dstPtr = make_cudaPitchedPtr(h, 2 * N * sizeof(int), 2 * N, 1);
    copy.extent = make_cudaExtent(2 * N * sizeof(int), 1, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaGraphAddMemcpyNode(&out, graph, after, 2, &copy));
    cudaHostNodeParams call = {count_up, &calls};
    CHECK(cudaGraphAddHostNode(&host, graph, &out, 1, &call));
    CHECK(cudaGraphAddEmptyNode(&nothing, graph, &host, 1));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < 2; k++) CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    bool ok = calls == 2;
    for (int i = 0; i < N; i++) ok &= h[i] == i + 2 && h[N + i] == 10;
    CHECK(cudaGraphAddDependencies(graph, &nothing, &in, nullptr, 1));
    ok &= cudaGraphInstantiate(&again, graph, 0) == cudaErrorInvalidValue;
    fill.value = 0x01020304;
    ok &= cudaGraphAddMemsetNode(&zero, graph, nullptr, 0, &fill) ==
          cudaErrorNotSupported;
    cudaGetLastError();
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(h));
    return ok;
}

/* Memory of a graph's own is refused. */
static bool run_graph_memory() {
    cudaStream_t a;
    cudaGraph_t graph;
    int *d;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    bool refused = cudaMallocAsync(&d, 4, a) == cudaErrorNotSupported;
    CHECK(cudaStreamEndCapture(a, &graph));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(a));
    return refused;
}

/* ---- errors come as they do from CUDA ---- */

__global__ void wild(int *x) {
    x[threadIdx.x] = 1; // BUG wild
}

static bool run_errors() {
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

static bool run_entry_point() {
    void *driver = nullptr;
    return cudaGetDriverEntryPointByVersion("cuInit", &driver, 13000,
                                            cudaEnableDefault, nullptr) ==
           cudaErrorNotSupported;
}

// case streams-device-query device-query
//   vgpu: --check all
//   vgpu: --check all --device h200
//   no findings
//   stdout: right
// case streams-limits limits
//   vgpu: --check all
//   no findings
//   stdout: right
// case streams-bandwidth bandwidth
//   vgpu: --check all
//   no findings
//   stdout: right
// case streams-streams streams
//   vgpu: --check all
//   vgpu: --check all --schedule random:SEED --memory-model weak:SEED
//   seeds: 2
//   no findings
//   stdout: right
// case streams-destroyed destroyed
//   vgpu: --check all
//   no findings
//   stdout: right
//   not on a card: a destroyed handle may do anything there
// case streams-launches launches
//   vgpu: --check all
//   vgpu: --check all --device h200
//   no findings
//   stdout: right
// case streams-threads threads
//   vgpu: --check all
//   once: host threads allocate in any order
//   no findings
//   stdout: right
// case streams-graphs graphs
//   vgpu: --check all
//   no findings
//   stdout: right
// case streams-captures captures
//   vgpu: --check all
//   no findings
//   stdout: right
// case streams-capture-ends capture-ends
//   vgpu: --check all
//   no findings
//   stdout: right
// case streams-graph-nodes graph-nodes
//   vgpu: --check all
//   finding: unsupported at -
//   says: cudaGraphAddMemsetNode is not supported
//   stdout: right
// case streams-graph-memory graph-memory
//   vgpu: --check all
//   finding: unsupported at -
//   says: cudaMallocAsync: the virtual GPU cannot capture this call
//   stdout: right
// case streams-errors errors
//   vgpu: --memcheck
//   finding: bad-launch at -
//   finding: out-of-bounds at wild
//   stdout: right
// case streams-entry-point entry-point
//   vgpu: --check all
//   finding: unsupported at -
//   says: cudaGetDriverEntryPointByVersion is not supported
//   stdout: right
int main(int argc, char **argv) {
    static const test_case cases[] = {
        {"device-query", run_device_query},
        {"limits", run_limits},
        {"bandwidth", run_bandwidth},
        {"streams", run_streams},
        {"destroyed", run_destroyed},
        {"launches", run_launches},
        {"threads", run_threads},
        {"graphs", run_graphs},
        {"captures", run_captures},
        {"capture-ends", run_capture_ends},
        {"graph-nodes", run_graph_nodes},
        {"graph-memory", run_graph_memory},
        {"errors", run_errors},
        {"entry-point", run_entry_point},
    };
    return run_case(cases, argc, argv);
}
