/* SPDX-License-Identifier: MIT
 *
 * host.cu: what host code does wrong, told with the line of the call.
 */
//: nvcc: -g
#include "check.h"

enum { N = 1 << 16 };
static const size_t TOO_MUCH = 5000000000000;

__global__ void number(unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i; // BUG number
}

static unsigned host[N], back[N], *d, *e;

static void make() {
    CHECK(cudaMalloc(&d, sizeof host));
    CHECK(cudaMalloc(&e, sizeof host));
    for (unsigned i = 0; i < N; i++) host[i] = i;
}

static void give_back() {
    CHECK(cudaFree(d));
    CHECK(cudaFree(e));
}

/* case: copies whose kind contradicts their pointers. They are made all the same;
 * where the kind says device of ordinary host memory they are refused. */
static bool is_refused(cudaError_t e) {
    return e == cudaErrorInvalidValue && cudaGetLastError() == e;
}

static int wrong_kinds() {
    make();
    int failed = 0;
    for (int i = 0; i < 3; i++)
        failed += !is_refused(cudaMemcpy(d, host, sizeof host, cudaMemcpyDeviceToHost)); // BUG kind-to
    CHECK(cudaMemcpy(d, host, sizeof host, cudaMemcpyDefault));
    CHECK(cudaMemcpy(e, d, sizeof host, cudaMemcpyHostToDevice)); // BUG kind-from
    CHECK(cudaMemcpy(back, e, sizeof host, cudaMemcpyHostToHost)); // BUG kind-none
    failed += verdict(back, host, N);
    memset(back, 0, sizeof back);
    failed += !is_refused(cudaMemcpy(back, e, sizeof host, cudaMemcpyDeviceToDevice)); // BUG kind-back
    failed += !is_refused(cudaMemcpy(back, host, sizeof host, cudaMemcpyDeviceToHost)); // BUG kind-host
    failed += back[N - 1] != 0;
    failed += !is_refused(cudaMemcpy2D(d, 8, host, 12, 4, 9, cudaMemcpyDeviceToDevice)); // BUG kind-rows
    give_back();
    if (failed) puts("another result than on a GPU");
    return failed;
}

static int right_kinds() {
    make();
    CHECK(cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(e, d, sizeof host, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(d, e, sizeof host, cudaMemcpyDefault));
    CHECK(cudaMemcpy(back, d, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(back, back + 1, 8, cudaMemcpyHostToHost));
    give_back();
    return 0;
}

/* case: nobody looks at what cudaMalloc says; only the first result is told */
static int no_memory() {
    cudaMalloc(&d, TOO_MUCH); // BUG refused
    cudaMalloc(&e, 2 * TOO_MUCH);
    cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice); // BUG null
    cudaMemset(e, 0, sizeof host);
    cudaMemcpy2D(d, 8, host, 8, 4, 9, cudaMemcpyHostToDevice);
    cudaMemcpy(back, d, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(d);
    puts(cudaGetErrorName(cudaGetLastError()));
    return 0;
}

static int no_memory_in_kernel() {
    cudaMalloc(&d, TOO_MUCH);
    number<<<2, 64>>>(d, 128);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

static int looks_at_errors() {
    if (cudaMalloc(&d, TOO_MUCH) == cudaErrorMemoryAllocation) puts("less");
    return 0;
}

/* case: results are fetched that no kernel has made */
static int never_written() {
    make();
    CHECK(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost)); // BUG never
    give_back();
    return 0;
}

/* The launch is what is wrong, and the copy follows from it. */
static int refused_launch() {
    make();
    number<<<1, 2048>>>(d, N); // BUG launch
    cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost);
    give_back();
    return 0;
}

/* case: a buffer of which a part is used is copied whole */
static int partly_written() {
    make();
    number<<<1, 64>>>(d, 50);
    CHECK(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(e, 0, 4));
    CHECK(cudaMemcpy2D(back, 256, e, 512, 256, 4, cudaMemcpyDeviceToHost));
    give_back();
    return verdict(back, host, 1);
}

/* case: after a fault nothing that fails is the program's fault */
static int after_a_fault() {
    make();
    number<<<1, 64>>>(d + N - 1, 64);
    cudaDeviceSynchronize();
    unsigned *f = nullptr, *g = host;
    cudaMalloc(&f, 4);
    cudaMemcpy(f, host, 4, cudaMemcpyHostToDevice);
    cudaMemcpy(g, d, 4, cudaMemcpyHostToDevice);
    cudaMemcpy(back, g, 4, cudaMemcpyDeviceToHost);
    cudaMemset(f, 0, 4);
    puts(cudaGetErrorName(cudaFree(g)));
    return 0;
}

/* case: calls that fail, and nobody looks: each line is told once, what a
 * finding tells is not told again, and an answer is no failure */
static int nobody_looks() {
    cudaEvent_t none = nullptr, event;
    CHECK(cudaMalloc(&d, 4));
    cudaSetDevice(7);
    for (int i = 0; i < 20; i++) cudaEventRecord(none, 0);
    CHECK(cudaEventCreate(&event));
    number<<<1, 2048>>>(d, 1); // BUG too-many
    cudaMemcpy(d, host, 4, cudaMemcpyKind(9)); // BUG no-kind
    CHECK(cudaFree(d));
    cudaGetLastError();
    puts(cudaDeviceSynchronize() ? "an error" : "no error");
    return 0;
}

/* case: memory is reserved, and only what is touched is taken */
static int much_memory() {
    size_t bytes = (size_t)2 << 30;
    unsigned *last;
    CHECK(cudaMalloc(&d, bytes));
    last = d + bytes / sizeof *d - 64;
    number<<<1, 64>>>(last, 64);
    CHECK(cudaMemcpy(back, last, 256, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d));
    return back[63] != 63;
}

//: run: --check all
//: case: host-wrong-kinds wrong_kinds
//: expect: finding host-misuse at kind-to "cudaMemcpy: the source" "is host memory, but the kind is cudaMemcpyDeviceToHost" "and 2 more of this kind here"
//: expect: finding host-misuse at kind-from "is device memory, but the kind is cudaMemcpyHostToDevice"
//: expect: finding host-misuse at kind-back "is host memory, but the kind is cudaMemcpyDeviceToDevice"
//: expect: finding host-misuse at kind-host "Nothing was copied: the call returned cudaErrorInvalidValue"
//: expect: finding host-misuse at kind-none "cudaMemcpy: the source 0x2" "The copy was made by what the pointers are"
//: expect: finding host-misuse at kind-rows "cudaMemcpy2D: the source"
//: expect: prints right
//: twice: no, host addresses differ
//: case: host-right-kinds right_kinds
//: case: host-no-memory no_memory
//: expect: finding host-misuse at null "cudaMemcpy: the destination is a null pointer: an earlier cudaMalloc of 5000000000000 bytes failed (out of memory)"
//: expect: says vgpu: 1 finding
//: expect: says host.cu:67) on teach, which has 16384 MiB
//: case: host-no-memory-in-kernel no_memory_in_kernel
//: expect: finding out-of-bounds at number "a null pointer): an earlier cudaMalloc of 5000000000000 bytes failed"
//: expect: prints cudaErrorIllegalAddress
//: case: host-looks-at-errors looks_at_errors
//: expect: prints less
//: case: host-never-written never_written
//: expect: finding uninitialised-read at never "copy to the host of 262144 bytes that nothing has written: from byte 0 of an allocation (262144 bytes)"
//: case: host-refused-launch refused_launch
//: expect: finding bad-launch at launch "has 2048 threads"
//: case: host-partly-written partly_written
//: expect: says note: a copy to the host of 262144 bytes
//: expect: says took 261944 that nothing has written, the first of them byte 200 of 262144. No mistake
//: case: host-nobody-looks nobody_looks
//: run: --check memcheck
//: expect: finding bad-launch at too-many
//: expect: finding host-misuse at no-kind
//: expect: says note: cudaSetDevice at
//: expect: says host.cu:138 answered error 101 (invalid device ordinal)
//: expect: says note: cudaEventRecord at
//: expect: says host.cu:139 answered error 400 (invalid resource handle)
//: expect: lacks answered error 9
//: expect: lacks note: cudaMemcpy
//: expect: prints no error
//: case: host-much-memory much_memory
//: run: --check memcheck | --check initcheck
//: case: host-after-a-fault after_a_fault
//: expect: finding out-of-bounds at number
//: expect: says vgpu: 1 finding
//: expect: prints cudaErrorIllegalAddress
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)();
    } cases[] = {
#define C(name) {#name, name}
        C(wrong_kinds),     C(right_kinds),   C(no_memory),
        C(no_memory_in_kernel), C(looks_at_errors), C(never_written),
        C(refused_launch),  C(partly_written),  C(after_a_fault),
        C(much_memory),     C(nobody_looks)};
    for (auto &c : cases)
        if (argc > 1 && !strcmp(argv[1], c.name)) return c.run();
    return 2;
}
