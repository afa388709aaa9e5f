// SPDX-License-Identifier: MIT
// peers.cu: what calls and kernels do with two devices.
//: nvcc: -g
#include "cases.h"

#include <thread>

static void on(int device) { CHECK(cudaSetDevice(device)); }

static void enable_both() {
    for (int d = 0; d < 2; d++) {
        on(d);
        CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
    }
}

static int *ints(int device, int n, int byte = 0) {
    int *at;
    on(device);
    CHECK(cudaMalloc(&at, n * sizeof(int)));
    CHECK(cudaMemset(at, byte, n * sizeof(int)));
    CHECK(cudaDeviceSynchronize()); /* it may come back before it is done */
    return at;
}

static int value(const int *at) {
    int v;
    CHECK(cudaMemcpy(&v, at, sizeof v, cudaMemcpyDefault));
    return v;
}

static void wait_for_both() {
    for (int d = 0; d < 2; d++) {
        on(d);
        CHECK(cudaDeviceSynchronize());
    }
}

static void free_all(int *a, int *b = nullptr, int *c = nullptr) {
    wait_for_both();
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}

__device__ int own;

__global__ void put(int *at, int v) { *at = v; } // BUG put
__global__ void add(int *at, int n) {
    for (int k = 0; k < n; k++) atomicAdd(at, 1); // BUG add
}
__global__ void add_system(int *at, int n) {
    for (int k = 0; k < n; k++) atomicAdd_system(at, 1);
}
__global__ void set_own(int v) { own = v; }
__global__ void get_own(int *at) { *at = own; }
__global__ void raise(volatile int *flag) { *flag = 1; }
__global__ void await(volatile int *flag, int *seen) {
    while (!*flag) { // BUG await
    }
    if (threadIdx.x == 0) *seen = 1; // BUG seen
}
__global__ void twice(int *to, const int *from, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) to[k] = 2 * from[k]; // BUG read
}

CASE(questions) {
    int n, device, can, self;
    CHECK(cudaGetDeviceCount(&n));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK(cudaDeviceCanAccessPeer(&self, 0, 0));
    cudaDeviceProp one, two;
    CHECK(cudaGetDeviceProperties(&one, 0));
    CHECK(cudaGetDeviceProperties(&two, 1));
    bool ok = n == 2 && device == 0 && can && !self && one.pciBusID != two.pciBusID;
    ok &= cudaSetDevice(2) == cudaErrorInvalidDevice;
    ok &= cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice;
    ok &= cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled;
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    ok &= cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled;
    CHECK(cudaDeviceDisablePeerAccess(1));
    int atomic;
    CHECK(cudaDeviceGetP2PAttribute(&atomic, cudaDevP2PAttrNativeAtomicSupported, 0, 1));
    cudaGetLastError();
    return ok && atomic;
}

CASE(memory) {
    size_t before[2], after[2], all;
    for (int d = 0; d < 2; d++) {
        on(d);
        CHECK(cudaMemGetInfo(&before[d], &all));
    }
    int *a = ints(1, 1 << 20);
    for (int d = 0; d < 2; d++) {
        on(d);
        CHECK(cudaMemGetInfo(&after[d], &all));
    }
    cudaPointerAttributes of;
    CHECK(cudaPointerGetAttributes(&of, a));
    free_all(a);
    return before[0] == after[0] && before[1] - after[1] == 4 << 20 && of.device == 1 &&
           of.type == cudaMemoryTypeDevice;
}

CASE(copies) {
    const int n = 1000;
    std::vector<int> in(n), out(n);
    for (int k = 0; k < n; k++) in[k] = k;
    int *a = ints(0, n), *b = ints(1, n), *c = ints(1, n);
    CHECK(cudaMemcpy(a, in.data(), n * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyPeer(b, 1, a, 0, n * 4));
    CHECK(cudaMemcpy(c, b, n * 4, cudaMemcpyDefault));
    on(1);
    twice<<<8, 128>>>(c, b, n);
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpyPeerAsync(a, 0, c, 1, n * 4, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy(out.data(), a, n * 4, cudaMemcpyDefault));
    CHECK(cudaStreamDestroy(s));
    bool ok = true;
    for (int k = 0; k < n; k++) ok &= out[k] == 2 * k;
    free_all(a, b, c);
    return ok;
}

/* A short kernel's device is waited for, while a long one of the other runs. */
CASE(short_beside_long) {
    int *a = ints(0, 1), *b = ints(1, 2);
    cudaEvent_t done;
    on(0);
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    for (int k = 0; k < 20; k++) {
        on(0);
        add<<<4, 32>>>(a, 300);
        CHECK(cudaEventRecord(done, 0));
        on(1);
        add<<<1, 32>>>(b, 2);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaStreamWaitEvent(0, done, 0));
        CHECK(cudaMemcpyPeerAsync(b + 1, 1, a, 0, sizeof *a, 0));
        wait_for_both();
    }
    bool ok = value(b) == 20 * 32 * 2 && value(b + 1) == 20 * 4 * 32 * 300;
    CHECK(cudaEventDestroy(done));
    free_all(a, b);
    return ok;
}

CASE(variables) {
    int *a = ints(0, 1), *b = ints(1, 1), one = 1, got;
    on(0);
    set_own<<<1, 1>>>(7);
    on(1);
    CHECK(cudaMemcpyToSymbol(own, &one, sizeof one));
    get_own<<<1, 1>>>(b);
    on(0);
    get_own<<<1, 1>>>(a);
    CHECK(cudaMemcpyFromSymbol(&got, own, sizeof got));
    bool ok = value(a) == 7 && value(b) == 1 && got == 7;
    free_all(a, b);
    return ok;
}

CASE(events) {
    enable_both();
    int *a = ints(0, 1), *b = ints(1, 1);
    cudaStream_t s0, s1;
    cudaEvent_t e;
    on(0);
    CHECK(cudaStreamCreateWithFlags(&s0, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&e));
    on(1);
    CHECK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
    wait_for_both();
    on(0);
    put<<<1, 1, 0, s0>>>(a, 5);
    CHECK(cudaEventRecord(e, s0));
    on(1);
    CHECK(cudaStreamWaitEvent(s1, e, 0));
    twice<<<1, 1, 0, s1>>>(b, a, 1);
    CHECK(cudaStreamSynchronize(s1));
    bool ok = value(b) == 10;
    int of;
    CHECK(cudaStreamGetDevice(s1, &of));
    CHECK(cudaStreamDestroy(s0));
    CHECK(cudaStreamDestroy(s1));
    CHECK(cudaEventDestroy(e));
    free_all(a, b);
    return ok && of == 1;
}

CASE(no_event) {
    enable_both();
    int *a = ints(0, 1), *b = ints(1, 1);
    wait_for_both();
    on(0);
    put<<<1, 1>>>(a, 5);
    CHECK(cudaDeviceSynchronize());
    on(1);
    twice<<<1, 1>>>(b, a, 1);
    on(0);
    CHECK(cudaMemcpyAsync(a, b, 4, cudaMemcpyDefault, 0)); // BUG copied
    free_all(a, b);
    return true;
}

CASE(no_access) {
    int *a = ints(0, 1);
    on(1);
    put<<<1, 1>>>(a, 5);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress;
}

CASE(no_access_any_more) {
    enable_both();
    int *a = ints(0, 1);
    on(1);
    put<<<1, 1>>>(a, 5);
    CHECK(cudaDeviceDisablePeerAccess(0));
    put<<<1, 1>>>(a, 6);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress;
}

CASE(other_stream) {
    cudaStream_t s;
    int *a = ints(0, 1);
    CHECK(cudaStreamCreate(&s));
    on(1);
    put<<<1, 1, 0, s>>>(a, 5); // BUG stream
    bool ok = cudaGetLastError() == cudaErrorInvalidResourceHandle;
    cudaEvent_t e, f;
    CHECK(cudaEventCreate(&e));
    ok &= cudaEventRecord(e, s) == cudaErrorInvalidResourceHandle; // BUG event
    CHECK(cudaEventRecord(e, 0));
    on(0);
    CHECK(cudaEventCreate(&f));
    CHECK(cudaEventRecord(f, s));
    CHECK(cudaStreamWaitEvent(s, e, 0));
    wait_for_both();
    float ms;
    ok &= cudaEventElapsedTime(&ms, e, f) == cudaErrorInvalidResourceHandle; // BUG time
    CHECK(cudaEventDestroy(e));
    CHECK(cudaEventDestroy(f));
    CHECK(cudaStreamDestroy(s));
    free_all(a);
    cudaGetLastError();
    return ok;
}

static bool adds(void (*kernel)(int *, int)) {
    enable_both();
    int *a = ints(0, 1);
    wait_for_both();
    for (int d = 0; d < 2; d++) {
        on(d);
        kernel<<<2, 64>>>(a, 3);
    }
    wait_for_both();
    bool ok = value(a) == 2 * 2 * 64 * 3;
    free_all(a);
    return ok;
}

CASE(atomics_system) { return adds(add_system); }
CASE(atomics_device) { return adds(add); }

// The kernel that waits is launched first, and the one that it waits for comes
// behind another one.
CASE(wait) {
    enable_both();
    int *flag = ints(0, 1), *seen = ints(1, 1), *other = ints(0, 1);
    wait_for_both();
    on(1);
    await<<<1, 32>>>(flag, seen);
    on(0);
    put<<<1, 1>>>(other, 3);
    CHECK(cudaMemcpyAsync(other, seen, 4, cudaMemcpyDefault, 0)); // BUG early
    raise<<<1, 1>>>(flag);
    wait_for_both();
    bool ok = value(seen) == 1;
    free_all(flag, seen, other);
    return ok;
}

CASE(wait_for_ever) {
    enable_both();
    int *flag = ints(0, 1), *seen = ints(1, 1);
    wait_for_both();
    on(1);
    await<<<1, 32>>>(flag, seen);
    return cudaDeviceSynchronize() != cudaSuccess;
}

// A thread for each device: one waits for what the other has yet to launch.
CASE(threads) {
    enable_both();
    int *flag = ints(0, 1), *seen = ints(1, 1);
    wait_for_both();
    bool fine[2] = {};
    std::thread waits([&] {
        on(1);
        await<<<1, 32>>>(flag, seen);
        fine[1] = cudaDeviceSynchronize() == cudaSuccess;
    });
    std::thread raises([&] {
        int now;
        CHECK(cudaGetDevice(&now));
        struct timespec t = {0, 50000000};
        nanosleep(&t, nullptr);
        raise<<<1, 1>>>(flag);
        fine[0] = now == 0 && cudaDeviceSynchronize() == cudaSuccess;
    });
    waits.join();
    raises.join();
    bool ok = fine[0] && fine[1] && value(seen) == 1;
    free_all(flag, seen);
    return ok;
}

CASE(leak) {
    ints(1, 10);
    return true;
}

CASE(reset) {
    int *a = ints(0, 1), *b = ints(1, 1);
    on(1);
    set_own<<<1, 1>>>(3);
    put<<<1, 1>>>(b, 1);
    CHECK(cudaDeviceReset());
    get_own<<<1, 1>>>(ints(1, 1));
    on(0);
    put<<<1, 1>>>(a, 4);
    bool ok = value(a) == 4;
    on(1);
    CHECK(cudaDeviceReset());
    free_all(a);
    return ok;
}

//: run: --check all --device teach-x2 | --check all --device teach-x2 --schedule random:SEED --memory-model weak:SEED
//: case: devices-questions questions
//: expect: prints right
//: case: devices-memory memory
//: expect: prints right
//: case: devices-copies copies
//: expect: prints right
//: case: devices-variables variables
//: expect: prints right
//: case: devices-short-beside-long short-beside-long
//: run: --check all --device teach-x2 --async random:SEED | --check all --device teach-x2 --async late
//: expect: prints right
//: case: devices-events events
//: expect: prints right
//: case: devices-no-event no-event
//: expect: finding stream-race at read "of device 1 reads" "of device 0 writes"
//: case: devices-no-access no-access
//: expect: finding peer-access at put "memory of device 0, which kernels on device 1 may not use"
//: expect: prints right
//: case: devices-no-access-any-more no-access-any-more
//: expect: finding peer-access at put
//: expect: prints right
//: case: devices-other-stream other-stream
//: expect: finding wrong-device at stream "the stream belongs to device 0"
//: expect: finding wrong-device at event "the event belongs to device 1"
//: expect: finding wrong-device at time
//: expect: prints right
//: case: devices-atomics-system atomics-system
//: expect: prints right
//: case: devices-atomics-device atomics-device
//: expect: finding global-race at add other add "one has the scope of its device only"
//: case: devices-wait wait
//: expect: finding stream-race at seen other early
//: expect: prints right
//: case: devices-wait-for-ever wait-for-ever
//: expect: finding deadlock at await
//: expect: prints right
//: case: devices-threads threads
//: run: --check all --device teach-x2 --schedule random:SEED
//: twice: no, the host's threads take turns as they like
//: expect: prints right
//: case: devices-leak leak
//: expect: finding leak at -
//: case: devices-reset reset
//: expect: prints right
int main(int argc, char **argv) { return run_case(argc, argv); }
