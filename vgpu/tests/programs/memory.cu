/* SPDX-License-Identifier: MIT
 *
 * memory.cu: memory of every kind that the runtime gives, from both sides:
 * managed, pinned, pitched, symbols, pools; copies in every direction.
 */
//: expect: prints right
//: run: --check all
#include "check.h"

enum { N = 1000, THREADS = 128, BLOCKS = (N + THREADS - 1) / THREADS };

__global__ void twice(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2; // BUG outside
}

/* Memory as the host sees it: i + first. */
static int holds(const int *x, int factor, const char *what) {
    for (int i = 0; i < N; i++)
        if (x[i] != i * factor) {
            printf("%s: wrong at %d: %d\n", what, i, x[i]);
            return 0;
        }
    return 1;
}
static void fill(int *x) {
    for (int i = 0; i < N; i++) x[i] = i;
}
static int kind_of(const void *p) {
    cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, p));
    return a.type;
}

/* ---- managed ---- */

static int managed() {
    int *x, *y, h[N], ok = 1;
    CHECK(cudaMallocManaged(&x, N * sizeof(int)));
    CHECK(cudaMallocManaged(&y, N * sizeof(int)));
    fill(x);
    twice<<<BLOCKS, THREADS>>>(x, N);
    CHECK(cudaDeviceSynchronize());
    ok &= holds(x, 2, "managed");
    CHECK(cudaMemcpy(y, x, N * sizeof(int), cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(h, y, N * sizeof(int), cudaMemcpyDefault));
    ok &= holds(h, 2, "from managed");
    CHECK(cudaMemset(y, 0, N * sizeof(int)));
    ok &= holds(y, 0, "memset of managed");
    fill(h);
    CHECK(cudaMemcpy(y, h, N * sizeof(int), cudaMemcpyHostToDevice));
    ok &= holds(y, 1, "to managed");
    ok &= kind_of(x) == cudaMemoryTypeManaged;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    CHECK(cudaMemAdvise(x, N * sizeof(int), cudaMemAdviseSetReadMostly, here));
    CHECK(cudaMemPrefetchAsync(x, N * sizeof(int), here, 0, stream));
    ok &= cudaMemPrefetchAsync(h, sizeof h, here, 0, stream) ==
          cudaErrorInvalidValue;
    cudaGetLastError();
    twice<<<BLOCKS, THREADS, 0, stream>>>(x, N);
    CHECK(cudaStreamSynchronize(stream));
    ok &= holds(x, 4, "managed on a stream");
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    return ok;
}

__managed__ int counter = 5, table[N];

__global__ void use_variables() {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) table[i] = i * 3;
    if (i == 0) counter++;
}

static int variables() {
    int ok = counter == 5, *p, h = 0;
    counter = 7;
    use_variables<<<BLOCKS, THREADS>>>();
    CHECK(cudaDeviceSynchronize());
    ok &= counter == 8 && holds(table, 3, "__managed__");
    CHECK(cudaGetSymbolAddress((void **)&p, counter));
    ok &= p == &counter;
    CHECK(cudaMemcpyFromSymbol(&h, counter, sizeof h));
    return ok && h == 8;
}

/* Read, then written, while the kernel may still be at it. */
static int hasty() {
    int *x, before;
    CHECK(cudaMallocManaged(&x, N * sizeof(int)));
    fill(x);
    twice<<<BLOCKS, THREADS>>>(x, N);
    before = x[3]; // BUG hasty
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(x));
    return before >= 0;
}

static int managed_leak() {
    int *x;
    CHECK(cudaMallocManaged(&x, N * sizeof(int)));
    *x = 1;
    return 1;
}

static int managed_outside() {
    int *x;
    CHECK(cudaMallocManaged(&x, N * sizeof(int)));
    fill(x);
    twice<<<BLOCKS, THREADS>>>(x, N + 1);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress;
}

/* ---- pinned ---- */

__global__ void copy(int *to, const int *from) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) to[i] = from[i];
}

static int pinned() {
    int *a, *b, *d, *d_a, ok = 1;
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    ok &= prop.canMapHostMemory && prop.unifiedAddressing;
    CHECK(cudaMallocHost(&a, N * sizeof(int)));
    CHECK(cudaHostAlloc(&b, N * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaMalloc(&d, N * sizeof(int)));
    fill(a);
    CHECK(cudaMemcpyAsync(d, a, N * sizeof(int), cudaMemcpyHostToDevice));
    twice<<<BLOCKS, THREADS>>>(d, N);
    CHECK(cudaMemcpyAsync(b, d, N * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    ok &= holds(b, 2, "pinned");
    CHECK(cudaMemcpy(a, b, N * sizeof(int), cudaMemcpyHostToHost));
    ok &= holds(a, 2, "pinned to pinned");
    /* Zero copy: kernels use the host's memory. */
    CHECK(cudaHostGetDevicePointer(&d_a, a, 0));
    twice<<<BLOCKS, THREADS>>>(d_a, N);
    copy<<<BLOCKS, THREADS>>>(b, a);
    CHECK(cudaDeviceSynchronize());
    ok &= holds(a, 4, "zero copy") && holds(b, 4, "zero copy by its own name");
    unsigned flags = 0;
    CHECK(cudaHostGetFlags(&flags, b));
    ok &= flags == cudaHostAllocMapped;
    ok &= kind_of(a) == cudaMemoryTypeHost && kind_of(d) == cudaMemoryTypeDevice;
    CHECK(cudaMemset(a, 0, N * sizeof(int)));
    ok &= holds(a, 0, "memset of pinned");
    CHECK(cudaFreeHost(a));
    CHECK(cudaFreeHost(b));
    CHECK(cudaFree(d));
    return ok;
}

static int registered() {
    static int h[N];
    int *d, ok;
    fill(h);
    CHECK(cudaMalloc(&d, sizeof h));
    CHECK(cudaHostRegister(h, sizeof h, cudaHostRegisterDefault));
    ok = cudaHostRegister(h, sizeof h, 0) == cudaErrorHostMemoryAlreadyRegistered;
    CHECK(cudaMemcpyAsync(d, h, sizeof h, cudaMemcpyHostToDevice));
    twice<<<BLOCKS, THREADS>>>(d, N);
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    ok &= holds(h, 2, "registered") && kind_of(h) == cudaMemoryTypeHost;
    CHECK(cudaHostUnregister(h));
    ok &= kind_of(h) == cudaMemoryTypeUnregistered;
    cudaGetLastError();
    CHECK(cudaFree(d));
    return ok;
}

static int registered_mapped() {
    static int h[N];
    int *d;
    CHECK(cudaHostRegister(h, sizeof h, cudaHostRegisterMapped));
    return cudaHostGetDevicePointer(&d, h, 0) == cudaErrorNotSupported;
}

/* ---- shapes ---- */

static int pitched() {
    enum { W = 33, H = 7 };
    static int h[H][W], back[H][W];
    char *d;
    size_t pitch;
    int ok = 1;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) h[y][x] = y * 100 + x;
    CHECK(cudaMallocPitch(&d, &pitch, W * sizeof(int), H));
    ok &= pitch >= W * sizeof(int) && pitch % 256 == 0;
    CHECK(cudaMemcpy2D(d, pitch, h, W * sizeof(int), W * sizeof(int), H,
                       cudaMemcpyHostToDevice));
    CHECK(cudaMemset2D(d + 4, pitch, 0xff, 8, H - 1));
    CHECK(cudaMemcpy2DAsync(back, W * sizeof(int), d, pitch, W * sizeof(int), H,
                            cudaMemcpyDeviceToHost, 0));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            ok &= back[y][x] ==
                  (y < H - 1 && (x == 1 || x == 2) ? -1 : h[y][x]);
    ok &= cudaMemcpy2D(d, 4, h, W * sizeof(int), W * sizeof(int), H,
                       cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue;
    CHECK(cudaFree(d));
    return ok;
}

static int cubes() {
    enum { W = 5, H = 4, D = 3 };
    static int h[D][H][W], back[D][H][W];
    int ok = 1;
    for (int i = 0; i < W * H * D; i++) ((int *)h)[i] = i;
    cudaPitchedPtr d;
    cudaExtent all = make_cudaExtent(W * sizeof(int), H, D);
    CHECK(cudaMalloc3D(&d, all));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(h, W * sizeof(int), W, H);
    p.dstPtr = d;
    p.extent = all;
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    CHECK(cudaMemset3D(d, 0, make_cudaExtent(sizeof(int), H, D)));
    p.srcPtr = d;
    p.dstPtr = make_cudaPitchedPtr(back, W * sizeof(int), W, H);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3DAsync(&p));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < W * H * D; i++)
        ok &= ((int *)back)[i] == (i % W ? i : 0);
    CHECK(cudaFree(d.ptr));
    return ok;
}

__device__ int on_device[N];
__constant__ int factor;

__global__ void scale() {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) on_device[i] *= factor;
}

static int past_symbols() {
    int h[N + 1] = {0};
    return cudaMemcpyToSymbol(factor, h, 2 * sizeof(int)) ==
               cudaErrorInvalidValue &&
           cudaMemcpyToSymbol(h, h, sizeof(int)) == cudaErrorInvalidSymbol;
}

/* The padding of a struct goes from register to register: nobody uses it. */
struct padded {
    double value;
    int at;
};
__global__ void fill_padded(padded *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i].value = i * 37 % 101;
    p[i].at = i;
}
__global__ void largest(const padded *p, int n, padded *to) {
    padded best = p[threadIdx.x];
    for (int i = threadIdx.x + blockDim.x; i < n; i += blockDim.x)
        if (p[i].value > best.value) best = p[i];
    to[threadIdx.x] = best;
}
static int padding() {
    padded *d, h[32];
    int ok = 1;
    CHECK(cudaMalloc(&d, (256 + 32) * sizeof *d));
    fill_padded<<<2, 128>>>(d);
    largest<<<1, 32>>>(d, 256, d + 256);
    CHECK(cudaMemcpy(h, d + 256, sizeof h, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 32; t++) {
        int best = t;
        for (int i = t; i < 256; i += 32)
            if (i * 37 % 101 > best * 37 % 101) best = i;
        ok &= h[t].at == best;
    }
    CHECK(cudaFree(d));
    return ok;
}

static int symbols() {
    int h[N], three = 3, ok = 1;
    size_t bytes = 0;
    fill(h);
    CHECK(cudaMemcpyToSymbol(on_device, h, sizeof h / 2));
    CHECK(cudaMemcpyToSymbolAsync(on_device, h + N / 2, sizeof h / 2,
                                  sizeof h / 2, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(factor, &three, sizeof three));
    scale<<<BLOCKS, THREADS>>>();
    CHECK(cudaMemcpyFromSymbolAsync(h, on_device, sizeof h, 0,
                                    cudaMemcpyDeviceToHost));
    ok &= holds(h, 3, "symbols");
    CHECK(cudaGetSymbolSize(&bytes, on_device));
    return ok && bytes == sizeof h;
}

/* ---- stream-ordered allocation ---- */

static int pools() {
    int *a, *b, h[N], ok = 1, can = 0;
    cudaStream_t stream;
    cudaMemPool_t usual, own;
    unsigned long long keep = 1 << 20, got = 0;
    CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrMemoryPoolsSupported, 0));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaDeviceGetDefaultMemPool(&usual, 0));
    CHECK(cudaMemPoolSetAttribute(usual, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK(cudaMemPoolGetAttribute(usual, cudaMemPoolAttrReleaseThreshold, &got));
    ok &= can && got == keep;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = {cudaMemLocationTypeDevice, 0};
    CHECK(cudaMemPoolCreate(&own, &props));
    CHECK(cudaMallocAsync(&a, sizeof h, stream));
    CHECK(cudaMallocFromPoolAsync(&b, sizeof h, own, stream));
    CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &got));
    ok &= got >= sizeof h;
    fill(h);
    CHECK(cudaMemcpyAsync(a, h, sizeof h, cudaMemcpyHostToDevice, stream));
    copy<<<BLOCKS, THREADS, 0, stream>>>(b, a);
    twice<<<BLOCKS, THREADS, 0, stream>>>(b, N);
    CHECK(cudaMemcpyAsync(h, b, sizeof h, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaFreeAsync(b, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolTrimTo(usual, 0));
    CHECK(cudaMemPoolDestroy(own));
    ok &= cudaMallocFromPoolAsync(&b, 4, own, stream) != cudaSuccess;
    CHECK(cudaStreamDestroy(stream));
    return ok & holds(h, 2, "pools");
}

static int peers() {
    int *a, *b, h[N], can = 1;
    fill(h);
    CHECK(cudaMalloc(&a, sizeof h));
    CHECK(cudaMalloc(&b, sizeof h));
    CHECK(cudaMemcpy(a, h, sizeof h, cudaMemcpyDefault));
    CHECK(cudaMemcpyPeer(b, 0, a, 0, sizeof h));
    int ok = cudaMemcpyPeer(b, 1, a, 0, sizeof h) == cudaErrorInvalidDevice;
    CHECK(cudaMemcpy(h, b, sizeof h, cudaMemcpyDefault));
    ok &= cudaDeviceCanAccessPeer(&can, 0, 1) == cudaErrorInvalidDevice;
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    return ok & holds(h, 1, "peers");
}

/* A managed variable keeps its value; the host's pointers do not. */
static int reset() {
    int *x, *y;
    CHECK(cudaMallocManaged(&x, N * sizeof(int)));
    CHECK(cudaMallocHost(&y, N * sizeof(int)));
    counter = 1;
    CHECK(cudaDeviceReset());
    int ok = counter == 1; /* not 5: it is not loaded anew */
    CHECK(cudaMallocManaged(&x, N * sizeof(int)));
    fill(x);
    twice<<<BLOCKS, THREADS>>>(x, N);
    CHECK(cudaDeviceSynchronize());
    ok &= counter == 1 && holds(x, 2, "after a reset");
    CHECK(cudaFree(x));
    return ok;
}

//: case: memory-managed managed
//: run: --check all | --check all --schedule random:SEED --memory-model weak:SEED
//: seeds: 2
//: case: memory-managed-variables variables
//: case: memory-managed-hasty hasty
//: expect: finding host-access at - "call cudaDeviceSynchronize first"
//: case: memory-managed-leak managed_leak
//: expect: finding leak at -
//: case: memory-managed-outside managed_outside
//: run: --memcheck
//: expect: finding out-of-bounds at outside
//: expect: prints right
//: case: memory-pinned pinned
//: run: --check all | --check all --schedule random:SEED --memory-model weak:SEED
//: seeds: 2
//: case: memory-registered registered
//: case: memory-registered-mapped registered_mapped
//: expect: finding unsupported at - "cudaHostGetDevicePointer: the virtual GPU cannot reach"
//: expect: prints right
//: case: memory-pitched pitched
//: expect: finding host-misuse at - "a row is wider than the pitch"
//: expect: prints right
//: case: memory-cubes cubes
//: case: memory-symbols symbols
//: case: memory-past-symbols past_symbols
//: expect: finding host-misuse at - "past the end of the variable"
//: expect: finding host-misuse at - "no __device__ or __constant__ variable"
//: expect: prints right
//: case: memory-padding padding
//: case: memory-pools pools
//: case: memory-peers peers
//: case: memory-reset reset
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)();
    } cases[] = {
#define CASE(name) {#name, name}
        CASE(managed),    CASE(variables),         CASE(hasty),
        CASE(pinned),     CASE(managed_leak),      CASE(managed_outside),
        CASE(registered), CASE(registered_mapped), CASE(pitched),
        CASE(cubes),      CASE(symbols),           CASE(past_symbols),
        CASE(padding),               CASE(pools),
        CASE(peers),      CASE(reset),
    };
    for (const auto &c : cases)
        if (argc > 1 && !strcmp(argv[1], c.name) && c.run()) {
            puts("right");
            return 0;
        }
    puts("wrong");
    return 1;
}
