/* SPDX-License-Identifier: MIT
 *
 * order.cu: mistakes in the order of host code, streams and copies, and beside
 * each the same program with what was missing. Every access of the host stands
 * on a line of its own.
 */
//: nvcc: -g
//: run: --check all
//: expect: prints end
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 32, BYTES = N * sizeof(int) };

__global__ void add(int *p) {
    p[threadIdx.x] += 1; // BUG add
}
__global__ void copy(const int *a, int *b) {
    int x = a[threadIdx.x]; // BUG copy-reads
    b[threadIdx.x] = x; // BUG copy-writes
}
__global__ void count(int *p) {
    atomicAdd(p, 1);
}
__global__ void raise_flag(int *data, volatile int *flag) {
    data[threadIdx.x] = 5; // BUG raise
    __threadfence_system();
    if (threadIdx.x == 0) *flag = 1;
}
__global__ void wait_for(volatile int *word) {
    while (*word == 0) { // BUG latch
    }
}
__global__ void busy(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {
    }
}
__global__ void busy_ns(unsigned long long ns) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do {
        __nanosleep(100);
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    } while (now - start < ns);
}

static int *pin, *d, *e, *managed;
static cudaStream_t s, t, blocking;
static cudaEvent_t done;
static volatile int sink;

static void begin(void) {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaStreamCreate(&blocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaHostAlloc(&pin, 8192, cudaHostAllocMapped);
    cudaMallocManaged(&managed, BYTES);
    cudaMalloc(&d, BYTES);
    cudaMalloc(&e, BYTES);
    for (int i = 0; i < 2048; i++) pin[i] = i;
    for (int i = 0; i < N; i++) managed[i] = i;
    cudaMemset(d, 0, BYTES);
    cudaMemset(e, 0, BYTES);
    cudaDeviceSynchronize();
}

static void end(void) {
    cudaDeviceSynchronize();
    cudaFreeHost(pin);
    cudaFree(managed);
    cudaFree(d);
    cudaFree(e);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaStreamDestroy(blocking);
    cudaEventDestroy(done);
    puts("end");
}

/* ---- the host, too early ---- */

//: case: mapped-read mapped-read
//: expect: finding host-race at mapped-read other add "host code read byte 12" "kernel add in the default stream writes" "cudaStreamSynchronize"
static void mapped_read(bool right) {
    add<<<1, N>>>(pin);
    if (right) cudaDeviceSynchronize();
    printf("%d\n", pin[3]); // BUG mapped-read
}
//: case: mapped-read-right mapped-read right
//: case: mapped-read-late mapped-read
//: run: --check none --async late
//: expect: line 3
//: expect: line end
//: case: mapped-read-late-right mapped-read right
//: run: --check none --async late | --check none --async random:SEED
//: expect: line 4
//: expect: line end

//: case: result-read result-read
//: expect: finding host-race at result-read other result-copy "cudaMemcpyAsync in stream 1 writes"
static void result_read(bool right) {
    add<<<1, N, 0, s>>>(d);
    cudaMemcpyAsync(pin, d, BYTES, cudaMemcpyDeviceToHost, s); // BUG result-copy
    if (right) cudaStreamSynchronize(s);
    printf("%d\n", pin[3]); // BUG result-read
}
//: case: result-read-right result-read right
//: case: result-read-late result-read
//: run: --check none --async late
//: expect: line 3
//: expect: line end
//: case: result-read-late-right result-read right
//: run: --check none --async late | --check none --async random:SEED
//: expect: line 1
//: expect: line end

//: case: source-changed source-changed
//: expect: finding host-race at source-changed other source-copy "host code wrote byte 12" "cudaMemcpyAsync in stream 1 reads"
static void source_changed(bool right) {
    cudaMemcpyAsync(d, pin, BYTES, cudaMemcpyHostToDevice, s); // BUG source-copy
    if (right) cudaStreamSynchronize(s);
    pin[3] = 77; // BUG source-changed
    cudaMemcpyAsync(pin + 1024, d, BYTES, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    printf("%d\n", pin[1024 + 3]);
}
//: case: source-changed-right source-changed right
//: case: source-changed-late source-changed
//: run: --check none --async late
//: expect: line 77
//: expect: line end

//: case: wrong-stream wrong-stream
//: expect: finding host-race at wrong-stream other add
static void wrong_stream(bool right) {
    add<<<1, N, 0, s>>>(pin);
    cudaStreamSynchronize(right ? s : t);
    sink += pin[3]; // BUG wrong-stream
}
//: case: wrong-stream-right wrong-stream right

//: case: managed-wrong-stream managed-wrong-stream
//: expect: finding host-race at managed-wrong-stream other add
static void managed_wrong_stream(bool right) {
    add<<<1, N, 0, s>>>(managed);
    cudaStreamSynchronize(right ? s : t);
    sink += managed[3]; // BUG managed-wrong-stream
}
//: case: managed-wrong-stream-right managed-wrong-stream right

//: case: registered registered
//: expect: finding host-race at registered other registered-copy
static void registered(bool right) {
    char *own = (char *)aligned_alloc(4096, 4096);
    memset(own, 0, 4096);
    cudaHostRegister(own, 4096, 0);
    cudaMemcpyAsync(d, own, BYTES, cudaMemcpyHostToDevice, s); // BUG registered-copy
    if (right) cudaStreamSynchronize(s);
    own[3] = 1; // BUG registered
    cudaStreamSynchronize(s);
    cudaHostUnregister(own);
    free(own);
}
//: case: registered-right registered right

//: case: freed-early freed-early
//: expect: finding early-free at freed-early other add "cudaFreeHost gives back" "kernel add in stream 1"
static void freed_early(bool right) {
    int *own;
    cudaMallocHost(&own, BYTES);
    memset(own, 0, BYTES);
    add<<<1, N, 0, s>>>(own);
    if (right) cudaStreamSynchronize(s);
    cudaFreeHost(own); // BUG freed-early
}
//: case: freed-early-right freed-early right

/* ---- two streams ---- */

static void let_wait(bool right, cudaStream_t first, cudaStream_t second) {
    if (!right) return;
    cudaEventRecord(done, first);
    cudaStreamWaitEvent(second, done, 0);
}

//: case: no-event no-event
//: expect: finding stream-race at copy-reads other add "kernel copy in stream 2 reads" "kernel add in stream 1 writes" "cudaStreamWaitEvent"
static void no_event(bool right) {
    add<<<1, N, 0, s>>>(d);
    let_wait(right, s, t);
    copy<<<1, N, 0, t>>>(d, e);
    cudaMemcpyAsync(pin, e, BYTES, cudaMemcpyDeviceToHost, t);
    cudaStreamSynchronize(t);
    printf("%d\n", pin[3]);
}
//: case: no-event-right no-event right
//: case: no-event-late no-event
//: run: --check none --async late
//: expect: line 0
//: expect: line end
//: case: no-event-late-right no-event right
//: run: --check none --async late | --check none --async random:SEED
//: expect: line 1
//: expect: line end

//: case: copy-and-kernel copy-and-kernel
//: expect: finding stream-race at add other other-stream "cudaMemcpyAsync in stream 1 writes"
static void copy_and_kernel(bool right) {
    cudaMemcpyAsync(d, pin, BYTES, cudaMemcpyHostToDevice, s); // BUG other-stream
    let_wait(right, s, t);
    add<<<1, N, 0, t>>>(d);
}
//: case: copy-and-kernel-right copy-and-kernel right

//: case: pool pool
//: expect: finding stream-race at add other pool-fill "cudaMemsetAsync in stream 1 writes"
//: expect: finding stream-race at pool-free other add "cudaFreeAsync in stream 1 frees"
static void pool(bool right) {
    int *q;
    cudaMallocAsync(&q, BYTES, s);
    cudaMemsetAsync(q, 0, BYTES, s); // BUG pool-fill
    let_wait(right, s, t);
    add<<<1, N, 0, t>>>(q);
    let_wait(right, t, s);
    cudaFreeAsync(q, s); // BUG pool-free
}
//: case: pool-right pool right

/* cudaMemset comes back before it is done, and a stream that does not block
 * waits for no default stream. */
//: case: memset-and-stream memset-and-stream
//: expect: finding stream-race at add other memset "cudaMemset in the default stream writes"
static void memset_and_stream(bool right) {
    cudaMemset(d, 0, BYTES); // BUG memset
    add<<<1, N, 0, right ? blocking : s>>>(d);
}
//: case: memset-and-stream-right memset-and-stream right

//: case: thread-streams thread-streams
//: expect: finding stream-race at add other add "the thread's default stream"
static void thread_streams(bool right) {
    add<<<1, N, 0, cudaStreamPerThread>>>(d);
    add<<<1, N, 0, right ? cudaStreamLegacy : s>>>(d);
}
//: case: thread-streams-right thread-streams right

static cudaGraphNode_t add_node(cudaGraph_t graph, int *to,
                                const cudaGraphNode_t *after) {
    cudaGraphNode_t node;
    cudaKernelNodeParams p = {};
    void *arguments[] = {&to};
    p.func = (void *)add;
    p.gridDim = dim3(1);
    p.blockDim = dim3(N);
    p.kernelParams = arguments;
    cudaGraphAddKernelNode(&node, graph, after, after ? 1 : 0, &p);
    return node;
}

//: case: graph-edge graph-edge
//: expect: finding stream-race at add other add "no edge of the graph orders the two" "Make the one a dependency of the other"
static void graph_edge(bool right) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t first = add_node(graph, d, NULL);
    add_node(graph, d, right ? &first : NULL);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int k = 0; k < 3; k++) cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}
//: case: graph-edge-right graph-edge right

/* ---- past the end of the host's memory ---- */

//: case: overrun-read overrun-read
//: expect: finding host-misuse at overrun-read "cudaMemcpy reads 128 bytes from byte 0 of a host buffer" "(124 bytes)"
static void overrun_read(bool right) {
    int *own = (int *)calloc(N, sizeof(int)), n = right ? N : N - 1;
    own = (int *)realloc(own, n * sizeof(int));
    cudaMemcpy(d, own, BYTES, cudaMemcpyHostToDevice); // BUG overrun-read
    free(own);
}
//: case: overrun-read-right overrun-read right

//: case: overrun-write overrun-write
//: expect: finding host-misuse at overrun-write "cudaMemcpyAsync writes 128 bytes from byte 4 of a host buffer" "(128 bytes)"
static void overrun_write(bool right) {
    int *own = new int[right ? N + 1 : N];
    cudaMemcpyAsync(own + 1, d, BYTES, cudaMemcpyDeviceToHost, s); // BUG overrun-write
    (void)own;
}
//: case: overrun-write-right overrun-write right

/* ---- what is right, and looks as if it were not ---- */

//: case: silent silent
static void silent(bool) {
    int ordinary[N];
    /* Other bytes of a page in use, between and around. */
    add<<<1, N, 0, s>>>(pin + 64);
    for (int i = 0; i < 64; i++) pin[i] += pin[96 + i];
    for (int i = 2047; i > 96; i--) pin[i] = i;
    /* Who only reads disturbs no reader. */
    cudaMemcpyAsync(d, pin + 1024, BYTES, cudaMemcpyHostToDevice, s);
    sink += pin[1024 + 3];
    /* To memory that is not pinned the copy is done when it comes back. */
    cudaMemcpyAsync(ordinary, d, BYTES, cudaMemcpyDeviceToHost, s);
    sink += ordinary[3] + pin[64];
    /* Atomic operations of two streams. */
    count<<<1, N, 0, s>>>(e);
    count<<<1, N, 0, t>>>(e);
    cudaDeviceSynchronize();
    /* A stream after another, by way of the default stream. */
    add<<<1, N, 0, blocking>>>(d);
    add<<<1, N>>>(d);
    add<<<1, N, 0, cudaStreamPerThread>>>(d);
    cudaMemcpy(ordinary, d, BYTES, cudaMemcpyDeviceToHost);
    sink += ordinary[0];
    cudaDeviceSynchronize();
}

/* Operations that are done late: of one stream they are in order all the same,
 * launches of one graph in whatever stream, and between two buffers of the host
 * a call waits. */
//: case: late late
//: run: --check all | --check all --async late | --check all --async random:SEED | --check all --gpus 2
static void late(bool) {
    int *other = pin + 1024, *third = pin + 512;
    for (int k = 0; k < 2; k++) {
        cudaMemcpyAsync(d, other, BYTES, cudaMemcpyHostToDevice, s);
        add<<<1, N, 0, s>>>(d);
        cudaMemcpyAsync(other, d, BYTES, cudaMemcpyDeviceToHost, s);
    }
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphCreate(&graph, 0);
    add_node(graph, e, NULL);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, t);
    cudaGraphLaunch(exec, s);
    cudaMemcpyAsync(third, pin, BYTES, cudaMemcpyHostToHost, t);
    if (third[3] != 3) puts("wrong");
    cudaStreamSynchronize(s);
    if (other[3] != 1024 + 3 + 2) puts("wrong");
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

static void look(void *p) {
    sink += *(int *)p;
}

//: case: host-function host-function
static void host_function(bool) {
    add<<<1, N, 0, s>>>(pin);
    cudaLaunchHostFunc(s, look, pin);
    cudaStreamSynchronize(s);
}

//: case: polled-event polled-event
//: run: --check all | --check none --async late | --check none --async random:SEED
//: expect: prints 4
static void polled_event(bool) {
    add<<<1, N, 0, s>>>(pin);
    cudaEventRecord(done, s);
    while (cudaEventQuery(done) == cudaErrorNotReady) {
    }
    printf("%d\n", pin[3]);
}

/* ---- kernels that wait for the host, or for a time ---- */

//: case: latch latch
//: twice: no, the host and the kernel run at the same time: how often it polls is left to chance
//: run: --check all | --check none | --check none --async late | --check none --async random:SEED
static void latch(bool) {
    volatile int *word = (volatile int *)pin;
    *word = 0;
    wait_for<<<1, 1>>>(word);
    *word = 1;
    cudaError_t error = cudaDeviceSynchronize();
    if (error) puts(cudaGetErrorString(error));
}

/* Nobody sets it. */
//: case: latch-forgotten latch-forgotten
//: twice: no, as above
//: run: --check none
//: expect: finding deadlock at latch
//: case: busy busy
//: run: --check none | --check none --clock
static void busy_waits(bool) {
    busy<<<2, 64>>>(1000000000ll);
    busy_ns<<<1, 1>>>(3000000000ull);
    cudaError_t error = cudaDeviceSynchronize();
    if (error) puts(cudaGetErrorString(error));
}

static void latch_forgotten(bool) {
    pin[0] = 0;
    wait_for<<<1, 1>>>(pin);
}

int main(int n, char **words) {
    static const struct {
        const char *name;
        void (*run)(bool right);
    } cases[] = {{"mapped-read", mapped_read},
                 {"result-read", result_read},
                 {"source-changed", source_changed},
                 {"wrong-stream", wrong_stream},
                 {"managed-wrong-stream", managed_wrong_stream},
                 {"registered", registered},
                 {"freed-early", freed_early},
                 {"no-event", no_event},
                 {"copy-and-kernel", copy_and_kernel},
                 {"pool", pool},
                 {"memset-and-stream", memset_and_stream},
                 {"thread-streams", thread_streams},
                 {"graph-edge", graph_edge},
                 {"overrun-read", overrun_read},
                 {"overrun-write", overrun_write},
                 {"silent", silent},
                 {"late", late},
                 {"host-function", host_function},
                 {"polled-event", polled_event},
                 {"latch", latch},
                 {"latch-forgotten", latch_forgotten},
                 {"busy", busy_waits}};
    begin();
    for (auto &c : cases)
        if (n > 1 && !strcmp(words[1], c.name)) c.run(n > 2);
    end();
}
