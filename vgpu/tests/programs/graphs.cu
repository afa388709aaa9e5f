/* SPDX-License-Identifier: MIT
 *
 * graphs.cu: streams that are captured, what may not be called meanwhile, and
 * graphs made of nodes.
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

static void CUDART_CB count_up(void *n) {
    ++*(int *)n;
}
static void CUDART_CB count_status(cudaStream_t, cudaError_t status, void *n) {
    *(int *)n += status == cudaSuccess ? 10 : 1000;
}

/* ---- by capture ---- */

CASE(captured) {
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
    CHECK(
        cudaMemcpyAsync(h, d, 2 * N * sizeof(int), cudaMemcpyDeviceToHost, a));
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
    cudaStream_t a;            /* captures */
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
    {                                                                          \
        name, cudaError##error, cuda##relaxed,                                 \
            [](const captured &c) -> cudaError_t {                             \
                (void)c;                                                       \
                return call;                                                   \
            }                                                                  \
    }
#define ALWAYS(name, error, call) CALL(name, error, Error##error, call)
#define UNSAFE(name, call)        CALL(name, StreamCaptureUnsupported, Success, call)
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
    CALL("allocate", StreamCaptureUnsupported, Success, ([] {
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

CASE(captures) {
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
            CHECK(cudaStreamBeginCapture(
                c.a, relaxed ? cudaStreamCaptureModeRelaxed
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
            is(f.name, "then a launch", cudaGetLastError() == cudaSuccess,
               error == cudaSuccess);
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
CASE(capture_ends) {
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

    /* To ask whether the legacy stream captures has no answer, no harm either.
     */
    cudaStream_t blocking;
    CHECK(cudaStreamCreate(&blocking));
    CHECK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeThreadLocal));
    ok &= cudaStreamIsCapturing(0, &status) == cudaErrorStreamCaptureImplicit;
    cudaGetLastError();
    std::thread([&ok] { /* its own captures are what it may not disturb */
                        cudaStreamCaptureMode mode =
                            cudaStreamCaptureModeThreadLocal;
                        void *p;
                        ok &= !cudaThreadExchangeStreamCaptureMode(&mode);
                        ok &= mode == cudaStreamCaptureModeGlobal;
                        ok &= !cudaMalloc(&p, 4) && !cudaFree(p);
    })
        .join();
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
CASE(nodes) {
    cudaGraph_t graph;
    cudaGraphExec_t exec, again;
    cudaGraphNode_t in, zero, first, second, out, host, nothing;
    int *d, *h, calls = 0, one = 1, ten = 10, n = N, *half;
    CHECK(cudaMalloc(&d, 2 * N * sizeof(int)));
    CHECK(cudaMallocHost(&h, 2 * N * sizeof(int)));
    for (int i = 0; i < 2 * N; i++) h[i] = i;
    half = d + N;
    void *first_arguments[] = {&d, &one, &n},
         *second_arguments[] = {&half, &ten, &n};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = BLOCKS;
    kernel.blockDim = THREADS;
    kernel.kernelParams = first_arguments;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
    kernel.kernelParams = second_arguments;
    CHECK(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
    CHECK(cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, d, h,
                                   N * sizeof(int), cudaMemcpyHostToDevice));
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

/* ---- copies of graphs, and changes ---- */

__global__ void scale(int *x, int factor, int offset, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * factor + offset;
}

/* Launches it on 0, 1, ...: is x[i] then i * factor + offset? */
static bool gives(cudaGraphExec_t exec, int *d, int *h, int factor,
                  int offset) {
    for (int i = 0; i < N; i++) h[i] = i;
    CHECK(cudaMemcpy(d, h, N * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < N; i++) ok &= h[i] == i * factor + offset;
    if (!ok) printf("not %d i + %d: x[2] is %d\n", factor, offset, h[2]);
    return ok;
}

static bool is_of(cudaGraphNode_t node, cudaGraphNodeType wanted) {
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(node, &type));
    return type == wanted;
}

/* A kernel, the copy of what it made, a function of the host's. */
struct steps {
    cudaGraphNode_t work, out, host;
};

static struct steps add_steps(cudaGraph_t graph, cudaKernelNodeParams *kernel,
                              int *d, int *h, int *calls) {
    struct steps s;
    cudaHostNodeParams call = {count_up, calls};
    CHECK(cudaGraphAddKernelNode(&s.work, graph, nullptr, 0, kernel));
    CHECK(cudaGraphAddMemcpyNode1D(&s.out, graph, &s.work, 1, h, d,
                                   N * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddHostNode(&s.host, graph, &s.out, 1, &call));
    return s;
}

static struct steps in_clone(const struct steps &own, cudaGraph_t clone) {
    struct steps s;
    CHECK(cudaGraphNodeFindInClone(&s.work, own.work, clone));
    CHECK(cudaGraphNodeFindInClone(&s.out, own.out, clone));
    CHECK(cudaGraphNodeFindInClone(&s.host, own.host, clone));
    return s;
}

/* Runs with another host function, and with a copy of one word only. */
static void change_ends(cudaGraphExec_t exec, const struct steps &s, int *d,
                        int *h, cudaHostNodeParams *call) {
    CHECK(cudaGraphExecHostNodeSetParams(exec, s.host, call));
    CHECK(cudaGraphExecMemcpyNodeSetParams1D(exec, s.out, h, d, 4,
                                             cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) h[i] = i;
    CHECK(cudaMemcpy(d, h, N * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
}

CASE(clones) {
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec, of_clone;
    cudaGraphNode_t none;
    int *d, *h, value = 1, n = N, factor = 3, offset = 4, calls = 0, other = 0;
    CHECK(cudaMalloc(&d, N * sizeof(int)));
    CHECK(cudaMallocHost(&h, N * sizeof(int)));
    void *add_arguments[] = {&d, &value, &n};
    void *scale_arguments[] = {&d, &factor, &offset, &n};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = BLOCKS;
    kernel.blockDim = THREADS;
    kernel.kernelParams = add_arguments;
    cudaHostNodeParams call = {count_up, &other};
    CHECK(cudaGraphCreate(&graph, 0));
    struct steps own = add_steps(graph, &kernel, d, h, &calls);
    CHECK(cudaGraphClone(&clone, graph));
    struct steps twin = in_clone(own, clone);
    bool ok = twin.work != own.work && twin.out != own.out;
    ok &= cudaGraphNodeFindInClone(&none, twin.work, graph) != cudaSuccess;
    ok &= is_of(twin.work, cudaGraphNodeTypeKernel);
    ok &= is_of(own.out, cudaGraphNodeTypeMemcpy);
    ok &= is_of(twin.host, cudaGraphNodeTypeHost);

    value = 100; /* the graph's own; the clone keeps 1 */
    CHECK(cudaGraphKernelNodeSetParams(own.work, &kernel));
    cudaGraphInstantiateParams how = {};
    CHECK(cudaGraphInstantiateWithParams(&exec, graph, &how));
    ok &= how.result_out == cudaGraphInstantiateSuccess;
    CHECK(cudaGraphInstantiate(&of_clone, clone, 0));
    unsigned long long flags = 1;
    CHECK(cudaGraphExecGetFlags(of_clone, &flags));
    ok &= flags == 0;
    ok &= gives(exec, d, h, 1, 100) && gives(of_clone, d, h, 1, 1);
    ok &= calls == 2;

    /* Another kernel, with more parameters, in the executable graph alone. */
    kernel.func = (void *)scale;
    kernel.kernelParams = scale_arguments;
    CHECK(cudaGraphExecKernelNodeSetParams(of_clone, twin.work, &kernel));
    ok &= gives(of_clone, d, h, 3, 4) && gives(exec, d, h, 1, 100);
    factor = 50; /* arguments are those of the call */
    ok &= gives(of_clone, d, h, 3, 4);
    change_ends(of_clone, twin, d, h, &call);
    ok &= h[0] == 4 && h[1] == 1 && calls == 5 && other == 1;

    /* A node of another graph, of another kind. */
    for (cudaGraphNode_t wrong : {twin.work, own.out})
        ok &= cudaGraphExecKernelNodeSetParams(exec, wrong, &kernel) ==
              cudaErrorInvalidValue;
    cudaGetLastError();
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphExecDestroy(of_clone));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(h));
    return ok;
}

/* The same nodes in the same order, but for what waits for what. */
static bool edges_count(void) {
    cudaGraph_t chain, fork;
    cudaGraphExecUpdateResultInfo info;
    cudaGraphNode_t nodes[3];
    cudaGraphExec_t of_chain;
    CHECK(cudaGraphCreate(&chain, 0));
    CHECK(cudaGraphCreate(&fork, 0));
    for (int k = 0; k < 3; k++)
        CHECK(cudaGraphAddEmptyNode(&nodes[k], chain, nodes + k - !!k, !!k));
    for (int k = 0; k < 3; k++)
        CHECK(cudaGraphAddEmptyNode(&nodes[k], fork, nodes, !!k));
    CHECK(cudaGraphInstantiate(&of_chain, chain, 0));
    CHECK(cudaGraphExecUpdate(of_chain, chain, &info));
    bool ok = cudaGraphExecUpdate(of_chain, fork, &info) ==
              cudaErrorGraphExecUpdateFailure;
    ok &= info.result == cudaGraphExecUpdateErrorTopologyChanged;
    /* An H200 names nodes[1] and no beginning of an edge; here it is the edge
     * that the other graph lacks. */
    bool as_h200 = info.errorNode == nodes[1] && !info.errorFromNode;
    ok &= as_h200 ||
          (info.errorNode == nodes[2] && info.errorFromNode == nodes[0]);
    cudaGetLastError();
    CHECK(cudaGraphExecDestroy(of_chain));
    CHECK(cudaGraphDestroy(chain));
    CHECK(cudaGraphDestroy(fork));
    return ok;
}

/* What a captured graph does, done by an executable one of another capture. */
CASE(updates) {
    cudaStream_t a;
    cudaGraph_t graphs[4];
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;
    int *d, *h;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaMalloc(&d, N * sizeof(int)));
    CHECK(cudaMallocHost(&h, N * sizeof(int)));
    for (int k = 0; k < 4; k++) {
        CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
        if (k == 0) add<<<BLOCKS, THREADS, 0, a>>>(d, 2, N);
        if (k == 1) scale<<<2 * BLOCKS, THREADS / 2, 0, a>>>(d, 5, 6, N);
        if (k == 2) CHECK(cudaMemsetAsync(d, 0, 4, a)); /* another kind */
        if (k == 3) add<<<BLOCKS, THREADS, 0, a>>>(d, 2, N);
        CHECK(cudaMemcpyAsync(h, d, N * sizeof(int), cudaMemcpyDeviceToHost,
                              a));
        if (k == 3) add<<<BLOCKS, THREADS, 0, a>>>(d, 2, N); /* one more */
        CHECK(cudaStreamEndCapture(a, &graphs[k]));
    }
    CHECK(cudaGraphInstantiate(&exec, graphs[0], 0));
    bool ok = gives(exec, d, h, 1, 2);
    CHECK(cudaGraphExecUpdate(exec, graphs[1], &info));
    ok &= info.result == cudaGraphExecUpdateSuccess && !info.errorNode;
    ok &= gives(exec, d, h, 5, 6);
    ok &= cudaGraphExecUpdate(exec, graphs[2], &info) ==
          cudaErrorGraphExecUpdateFailure;
    cudaGraphNode_t first;
    size_t one = 1;
    CHECK(cudaGraphGetNodes(graphs[2], &first, &one));
    ok &= info.result == cudaGraphExecUpdateErrorNodeTypeChanged;
    ok &= info.errorNode == first;
    ok &= cudaGraphExecUpdate(exec, graphs[3], &info) ==
          cudaErrorGraphExecUpdateFailure;
    ok &= info.result == cudaGraphExecUpdateErrorTopologyChanged;
    cudaGetLastError();
    ok &= gives(exec, d, h, 5, 6); /* as it was */
    ok &= edges_count();
    for (cudaGraph_t graph : graphs) CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(h));
    return ok;
}

/* Memory of a graph's own is refused. */
CASE(memory) {
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

//: case: graphs-captured captured
//: case: graphs-captures captures
//: case: graphs-capture-ends capture-ends
//: case: graphs-nodes nodes
//: expect: finding unsupported at - "cudaGraphAddMemsetNode is not supported"
//: expect: prints right
//: case: graphs-clones clones
//: case: graphs-updates updates
//: case: graphs-memory memory
//: expect: finding unsupported at - "cudaMallocAsync: the virtual GPU cannot capture this call"
//: expect: prints right
int main(int argc, char **argv) {
    return run_case(argc, argv);
}
