/* SPDX-License-Identifier: MIT
 *
 * launches.cu: kernels that launch kernels (dynamic parallelism), right ones.
 * vgpu/docs/dynamic-parallelism.md says which of these an H200 ran.
 */
//: nvcc: -rdc=true -lcudadevrt parts/launched_part.cu
//: run: --check all | --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule reverse | --check all --clock=h200
//: seeds: 2
#include "cases.h"

#include <algorithm>
#include <numeric>

/* ---- one child ---- */

__global__ void add_to(int *x, int by) {
    x[threadIdx.x] += by;
}

__global__ void parent(int *x) {
    x[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) add_to<<<1, 32>>>(x, 5);
}

CASE(one_child) {
    buffer<int> d(32);
    parent<<<1, 32>>>(d);
    add_to<<<1, 32>>>(d, 100); /* behind the parent's children, too */
    std::vector<int> got = d.host();
    for (int i = 0; i < 32; i++)
        if (got[i] != i + 105) return false;
    return true;
}

/* ---- one of another source ---- */

__global__ void elsewhere(int *x);

__global__ void launches_elsewhere(int *x) {
    elsewhere<<<1, 32>>>(x);
}

CASE(other_source) {
    buffer<int> d(32);
    launches_elsewhere<<<1, 1>>>(d);
    return d.host()[31] == 62;
}

/* ---- parameters of every size ---- */

struct odd {
    char c;
    double d;
    short s[3];
};
struct large {
    int x[250];
};

__global__ void with_all(char a, odd b, short c, large d, long long e,
                         int *out) {
    int sum = a + (int)b.d + b.c + b.s[2] + c + (int)e;
    for (int x : d.x) sum += x;
    *out = sum;
}

__global__ void gives_all(int *out) {
    odd b = {3, 1000.0, {1, 2, 40}};
    large d;
    for (int i = 0; i < 250; i++) d.x[i] = i;
    with_all<<<1, 1>>>(7, b, -2, d, 1ll << 20, out);
}

CASE(parameters) {
    buffer<int> d(1);
    gives_all<<<1, 1>>>(d);
    return d.host()[0] == 7 + 1000 + 3 + 40 - 2 + (1 << 20) + 250 * 249 / 2;
}

/* ---- quicksort, with streams of its own ---- */

__device__ void selection_sort(int *x, int left, int right) {
    for (int i = left; i <= right; i++) {
        int least = i;
        for (int j = i + 1; j <= right; j++)
            if (x[j] < x[least]) least = j;
        int t = x[i];
        x[i] = x[least];
        x[least] = t;
    }
}

__global__ void quicksort(int *x, int left, int right, int depth) {
    if (depth >= 16 || right - left <= 8) {
        selection_sort(x, left, right);
        return;
    }
    int *l = x + left, *r = x + right, pivot = x[(left + right) / 2];
    while (l <= r) {
        while (*l < pivot) l++;
        while (*r > pivot) r--;
        if (l > r) continue;
        int t = *l;
        *l++ = *r;
        *r-- = t;
    }
    int new_right = (int)(r - x), new_left = (int)(l - x);
    cudaStream_t s;
    if (left < new_right) {
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s>>>(x, left, new_right, depth + 1);
        cudaStreamDestroy(s);
    }
    if (new_left < right) {
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s>>>(x, new_left, right, depth + 1);
        cudaStreamDestroy(s);
    }
}

CASE(quicksort) {
    std::vector<int> in = numbers(500, 10000);
    buffer<int> d(in);
    quicksort<<<1, 1>>>(d, 0, (int)in.size() - 1, 0);
    std::sort(in.begin(), in.end());
    return d.host() == in;
}

/* ---- a chain of tail launches ---- */

__global__ void halve(int *x, int n, int *rounds) {
    __shared__ int half[64];
    int i = threadIdx.x;
    if (i < n / 2) half[i] = x[2 * i] + x[2 * i + 1];
    __syncthreads();
    if (i < n / 2) x[i] = half[i];
    if (i) return;
    ++*rounds;
    if (n > 2)
        halve<<<1, 64, 0, cudaStreamTailLaunch>>>(x, n / 2, rounds);
}

CASE(tail_chain) {
    std::vector<int> in = numbers(128, 1000);
    buffer<int> d(in), rounds(1);
    halve<<<1, 64>>>(d, 128, rounds);
    return d.host()[0] == std::accumulate(in.begin(), in.end(), 0) &&
           rounds.host()[0] == 7;
}

__global__ void count_down(int *x, int n) {
    *x += n;
    if (n) count_down<<<1, 1, 0, cudaStreamTailLaunch>>>(x, n - 1);
}

/* More than any depth: a tail launch nests nothing. */
CASE(long_chain) {
    buffer<int> d(1);
    count_down<<<1, 1>>>(d, 100);
    return d.host()[0] == 5050;
}

/* ---- fire and forget; what comes behind all of it ---- */

__global__ void leaf(int *x, int at) {
    x[at] = at + 1;
}

__global__ void branch(int *x, int at) {
    for (int k = 0; k < 4; k++)
        leaf<<<1, 1, 0, cudaStreamFireAndForget>>>(x, 4 * at + k);
}

__global__ void sum_of(const int *x, int n, int *sum) {
    for (int i = 0; i < n; i++) *sum += x[i];
}

__global__ void tree(int *x, int *sum) {
    int block = blockIdx.x;
    if (threadIdx.x == 0)
        branch<<<1, 1, 0, cudaStreamFireAndForget>>>(x, block);
    if (threadIdx.x == 0 && block == 0)
        sum_of<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 4 * gridDim.x, sum);
}

CASE(fire_and_forget) {
    buffer<int> d(32), sum(1);
    tree<<<8, 32>>>(d, sum);
    return sum.host()[0] == 32 * 33 / 2;
}

/* ---- a scan that scans its blocks' sums by itself ---- */

enum { THREADS = 128 };

__global__ void scan_blocks(const int *in, int *out, int *sums, int n) {
    __shared__ int x[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x;
    x[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < THREADS; d *= 2) {
        int v = t >= d ? x[t - d] : 0;
        __syncthreads();
        x[t] += v;
        __syncthreads();
    }
    if (i < n) out[i] = x[t];
    if (t == THREADS - 1) sums[blockIdx.x] = x[t];
}

__global__ void add_sums(int *out, const int *sums, int n) {
    int i = (blockIdx.x + 1) * THREADS + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

/* sums has room for those of all levels. */
__global__ void scan(const int *in, int *out, int *sums, int n) {
    int blocks = (n + THREADS - 1) / THREADS;
    scan_blocks<<<blocks, THREADS>>>(in, out, sums, n);
    if (blocks == 1) return;
    scan<<<1, 1>>>(sums, sums, sums + blocks, blocks);
    add_sums<<<blocks - 1, THREADS>>>(out, sums, n);
}

CASE(scan) {
    std::vector<int> in = numbers(40000, 100), want(in.size());
    buffer<int> from(in), to(in.size()), sums(1024);
    scan<<<1, 1>>>(from, to, sums, (int)in.size());
    std::partial_sum(in.begin(), in.end(), want.begin());
    return to.host() == want;
}

/* ---- streams ---- */

__global__ void times(int *x, int by, int plus) {
    *x = *x * by + plus;
}

/* The block has one stream without a name, whoever of it launches. */
__global__ void takes_turns(int *x) {
    for (unsigned k = 0; k < blockDim.x; k++) {
        if (threadIdx.x == k) times<<<1, 1>>>(x, 3, (int)k);
        __syncthreads();
    }
}

CASE(null_stream) {
    buffer<int> d(1);
    int want = 0;
    for (int k = 0; k < 8; k++) want = want * 3 + k;
    takes_turns<<<1, 8>>>(d);
    return d.host()[0] == want;
}

__global__ void uses_events(int *x) {
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    times<<<1, 1, 0, a>>>(x, 0, 5);
    times<<<1, 1, 0, a>>>(x, 7, 1);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
    times<<<1, 1, 0, b>>>(x, 10, 2);
    times<<<1, 1, 0, b>>>(x, 10, 3);
    cudaEventDestroy(e);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}

CASE(events) {
    buffer<int> d(1);
    uses_events<<<1, 1>>>(d);
    return d.host()[0] == 3623;
}

/* A child's tail comes before the parent's. */
__global__ void inner(int *x) {
    times<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 10, 2);
    times<<<1, 1>>>(x, 10, 1);
}

__global__ void outer(int *x) {
    times<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 10, 4);
    times<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 10, 5);
    inner<<<1, 1>>>(x);
    times<<<1, 1>>>(x, 10, 3);
}

CASE(tails) {
    buffer<int> d(1);
    outer<<<1, 1>>>(d);
    return d.host()[0] == 12345;
}

/* ---- errors are a thread's own ---- */

__global__ void asks(int *seen) {
    int t = threadIdx.x;
    if (t == 0) leaf<<<1, 2048>>>(seen, 40);
    if (t == 1) leaf<<<0, 1>>>(seen, 40);
    if (t == 2) leaf<<<1, 1, 1 << 20>>>(seen, 40);
    int at = 4 * t;
    seen[at] = cudaPeekAtLastError();
    seen[at + 1] = cudaGetLastError();
    seen[at + 2] = cudaGetLastError();
}

CASE(errors) {
    buffer<int> d(64);
    asks<<<1, 4>>>(d);
    std::vector<int> s = d.host();
    for (int t = 0; t < 4; t++)
        printf("%d %d %d\n", s[4 * t], s[4 * t + 1], s[4 * t + 2]);
    return s[0] && s[4] && s[8] && !s[12] && s[0] == s[1] && !s[2] && !s[40];
}

/* ---- how deep ---- */

__global__ void dive(int *deepest, int depth) {
    *deepest = depth;
    if (depth < 24) dive<<<1, 1>>>(deepest, depth + 1);
}

CASE(depth) {
    buffer<int> d(1);
    dive<<<1, 1>>>(d, 1);
    return d.host()[0] == 24;
}

/* ---- memory ---- */

__global__ void use_and_free(int *own, int *out) {
    *out = own[0] + own[99];
    cudaFree(own);
}

__global__ void allocates(int *out) {
    int *own;
    out[1] = cudaMalloc(&own, 400);
    own[0] = 3;
    own[99] = 4;
    use_and_free<<<1, 1>>>(own, out);
}

CASE(allocates) {
    buffer<int> d(2);
    allocates<<<1, 1>>>(d);
    return d.host() == std::vector<int>{7, 0};
}

/* ---- what is asked for ---- */

__global__ void asks_for(int *x) {
    cudaGetDevice(&x[0]);
    cudaGetDeviceCount(&x[1]);
    cudaDeviceGetAttribute(&x[2], cudaDevAttrMaxThreadsPerBlock, 0);
    cudaDeviceGetAttribute(&x[3], cudaDevAttrWarpSize, 0);
    size_t limit = 0;
    cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount);
    x[4] = (int)limit;
    printf("%s: %s\n", cudaGetErrorName(cudaErrorInvalidConfiguration),
           cudaGetErrorString(cudaErrorInvalidConfiguration));
}

CASE(asks_for) {
    buffer<int> d(5, 0xff);
    asks_for<<<1, 1>>>(d);
    std::vector<int> got = d.host();
    return got == std::vector<int>{0, got[1], 1024, 32, 2048} && got[1] > 0;
}

__global__ void says(int n) {
    printf("child %d\n", n);
}

__global__ void says_first() {
    printf("parent\n");
    for (int k = 0; k < 3; k++) says<<<1, 1>>>(k);
}

CASE(prints) {
    says_first<<<1, 1>>>();
    return cudaDeviceSynchronize() == cudaSuccess;
}

//: case: launches-one one_child
//: expect: prints right
//: case: launches-other-source other_source
//: expect: prints right
//: case: launches-parameters parameters
//: expect: prints right
//: case: launches-quicksort quicksort
//: expect: prints right
//: case: launches-tails tail_chain
//: expect: prints right
//: case: launches-long-chain long_chain
//: expect: prints right
//: case: launches-forgotten fire_and_forget
//: expect: prints right
//: case: launches-scan scan
//: expect: prints right
//: case: launches-null-stream null_stream
//: expect: prints right
//: case: launches-events events
//: expect: prints right
//: case: launches-order-of-tails tails
//: expect: prints right
//: case: launches-errors errors
//: expect: prints right
//: case: launches-depth depth
//: expect: prints right
//: case: launches-allocates allocates
//: expect: prints right
//: case: launches-asks asks_for
//: expect: prints right
//: case: launches-prints prints
//: expect: prints child 2
//: expect: prints right
int main(int argc, char **argv) {
    return run_case(argc, argv);
}
