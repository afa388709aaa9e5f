/* SPDX-License-Identifier: MIT
 *
 * dynamic.cu: mistakes of kernels that launch kernels (dynamic parallelism),
 * each beside one that does the same right. launches.cu has what is right.
 */
//: nvcc: -rdc=true -lcudadevrt
//: run: --check all | --check all --schedule random:SEED --memory-model weak:SEED
//: seeds: 2
//: gpu: no, a kernel in it may never end
#include "cases.h"

__global__ void add(int *x, int by) {
    x[threadIdx.x] += by; // BUG add
}

__global__ void copy(const int *from, int *to) {
    to[threadIdx.x] = from[threadIdx.x]; // BUG copy
}

/* ---- the parent reads what the child writes ---- */

__global__ void reads_itself(int *x, int *out) {
    x[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) add<<<1, 32>>>(x, 5);
    __syncthreads();
    out[threadIdx.x] = x[threadIdx.x];
}

__global__ void reads_by_tail(int *x, int *out) {
    x[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        add<<<1, 32>>>(x, 5);
        copy<<<1, 32, 0, cudaStreamTailLaunch>>>(x, out);
    }
}

CASE(reads_itself) {
    buffer<int> x(32), out(32);
    reads_itself<<<1, 32>>>(x, out);
    return out.host()[31] == 1; /* too early */
}

CASE(reads_by_tail) {
    buffer<int> x(32), out(32);
    reads_by_tail<<<1, 32>>>(x, out);
    return out.host()[31] == 6;
}

/* ---- the child reads what other threads of the parent write ---- */

__global__ void no_barrier(int *x) {
    x[threadIdx.x] = 1;
    if (threadIdx.x == 0) add<<<1, 64>>>(x, 5);
}

__global__ void with_barrier(int *x) {
    x[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) add<<<1, 64>>>(x, 5);
}

CASE(no_barrier) {
    buffer<int> x(64);
    no_barrier<<<1, 64>>>(x);
    return x.host()[63] == 6;
}

CASE(with_barrier) {
    buffer<int> x(64);
    with_barrier<<<1, 64>>>(x);
    return x.host()[63] == 6;
}

/* ---- launches that nothing orders ---- */

__global__ void two_forgotten(int *x) {
    add<<<1, 32, 0, cudaStreamFireAndForget>>>(x, 1);
    add<<<1, 32, 0, cudaStreamFireAndForget>>>(x, 2);
}

__global__ void of_each_block(int *x) {
    add<<<1, 32>>>(x, 1 + blockIdx.x);
}

__global__ void two_streams(int *x, bool waits) {
    cudaStream_t s[2];
    cudaEvent_t e;
    for (int k = 0; k < 2; k++)
        cudaStreamCreateWithFlags(&s[k], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    add<<<1, 32, 0, s[0]>>>(x, 1);
    cudaEventRecord(e, s[0]);
    if (waits) cudaStreamWaitEvent(s[1], e, 0);
    add<<<1, 32, 0, s[1]>>>(x, 2);
}

CASE(two_forgotten) {
    buffer<int> x(32);
    two_forgotten<<<1, 1>>>(x);
    return x.host()[31] == 3;
}

CASE(of_each_block) {
    buffer<int> x(32);
    of_each_block<<<2, 1>>>(x);
    return x.host()[31] == 3;
}

CASE(two_streams) {
    buffer<int> x(32);
    two_streams<<<1, 1>>>(x, false);
    return x.host()[31] == 3;
}

CASE(event_between) {
    buffer<int> x(32);
    two_streams<<<1, 1>>>(x, true);
    return x.host()[31] == 3;
}

/* A grandchild is one of the launch that it comes from. */
__global__ void middle(int *x) {
    add<<<1, 32>>>(x, 1);
}

__global__ void grandchild(int *x, bool in_order) {
    middle<<<1, 1>>>(x);
    add<<<1, 32, 0, in_order ? 0 : cudaStreamFireAndForget>>>(x, 2);
}

CASE(grandchild) {
    buffer<int> x(32);
    grandchild<<<1, 1>>>(x, false);
    return x.host()[31] == 3;
}

CASE(grandchild_in_order) {
    buffer<int> x(32);
    grandchild<<<1, 1>>>(x, true);
    return x.host()[31] == 3;
}

/* ---- what a child does is the host's launch's, too ---- */

static bool in_two_streams(bool waits) {
    buffer<int> x(32), out(32);
    cudaStream_t s[2];
    for (cudaStream_t &one : s)
        CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    middle<<<1, 1, 0, s[0]>>>(x);
    if (waits) CHECK(cudaStreamSynchronize(s[0]));
    copy<<<1, 32, 0, s[1]>>>(x, out);
    for (cudaStream_t one : s) CHECK(cudaStreamSynchronize(one));
    return out.host()[31] == 1;
}

CASE(host_streams) {
    return in_two_streams(false);
}

CASE(host_streams_in_order) {
    return in_two_streams(true);
}

/* ---- memory that the child does not have ---- */

__global__ void take(const int *from, int *to) {
    if (from != to) *to = 1; /* looks at the pointer only */
}

__global__ void gives_local(int *out) {
    int own[32];
    for (int i = 0; i < 32; i++) own[i] = out[i];
    take<<<1, 1>>>(own, out); // BUG local
}

__global__ void gives_shared(int *out) {
    __shared__ int own[32];
    own[threadIdx.x] = 1;
    if (threadIdx.x == 0) take<<<1, 1>>>(own, out); // BUG shared
}

__global__ void gives_own(int *out) {
    int *own = (int *)malloc(32 * sizeof *own);
    for (int i = 0; i < 32; i++) own[i] = i;
    copy<<<1, 32>>>(own, out);
}

CASE(gives_local) {
    buffer<int> x(32);
    gives_local<<<1, 1>>>(x);
    return x.host()[0] == 1;
}

CASE(gives_shared) {
    buffer<int> x(32);
    gives_shared<<<1, 32>>>(x);
    return x.host()[0] == 1;
}

CASE(gives_own) {
    buffer<int> x(32);
    gives_own<<<1, 1>>>(x);
    return x.host()[31] == 31;
}

/* ---- launches that are refused ---- */

__global__ void asks_nobody(int *x, int threads) {
    add<<<1, threads>>>(x, 1); // BUG refused
}

__global__ void asks(int *x, int threads) {
    add<<<1, threads>>>(x, 1);
    if (cudaGetLastError() != cudaSuccess) x[0] = -1;
}

CASE(refused) {
    buffer<int> x(32);
    asks_nobody<<<1, 1>>>(x, 1025);
    return x.host()[0] == 0;
}

CASE(refused_and_asked) {
    buffer<int> x(32);
    asks<<<1, 1>>>(x, 1025);
    return x.host()[0] == -1;
}

__global__ void floods(int *x, int n) {
    for (int k = 0; k < n; k++) add<<<1, 1>>>(x, 1); // BUG flood
}

CASE(flood) {
    buffer<int> x(1);
    floods<<<1, 1>>>(x, 2050);
    return x.host()[0] == 2048; /* two were refused */
}

CASE(flood_with_room) {
    buffer<int> x(1);
    size_t most;
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
    CHECK(cudaDeviceGetLimit(&most, cudaLimitDevRuntimePendingLaunchCount));
    floods<<<1, 1>>>(x, 2050);
    return x.host()[0] == 2050 && most == 4096;
}

__global__ void uses_it(cudaStream_t s, int *x) {
    add<<<1, 1, 0, s>>>(x, 1); // BUG stream
}

__global__ void gives_stream(int *x) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    uses_it<<<1, 1>>>(s, x);
}

CASE(others_stream) {
    buffer<int> x(1);
    gives_stream<<<1, 1>>>(x);
    return x.host()[0] == 0;
}

/* ---- no end ---- */

__global__ void waits(int *x) {
    add<<<1, 1>>>(x, 1);
    while (!*(volatile int *)x) { // BUG waits
    }
}

CASE(waits) {
    buffer<int> x(1);
    waits<<<1, 1>>>(x);
    return cudaDeviceSynchronize() == cudaErrorLaunchTimeout;
}

/* A fault of a child is the host's error. */
__global__ void far_child(int *x) {
    x[1 << 20] = 1; // BUG far
}

__global__ void far_parent(int *x) {
    far_child<<<1, 1>>>(x);
}

CASE(fault) {
    buffer<int> x(1);
    far_parent<<<1, 1>>>(x);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress;
}

__global__ void asks_for_more(int *x) {
    cudaMemsetAsync(x, 0, 4, 0); // BUG memset
}

CASE(not_there) {
    buffer<int> x(1);
    asks_for_more<<<1, 1>>>(x);
    return cudaGetLastError() == cudaErrorNotSupported;
}

//: case: dynamic-reads-itself reads_itself
//: expect: finding global-race at add "the launching kernel reads_itself read at line"
//: expect: prints right
//: case: dynamic-reads-by-tail reads_by_tail
//: expect: prints right
//: case: dynamic-no-barrier no_barrier
//: expect: finding global-race at add "the launching kernel no_barrier wrote at line"
//: case: dynamic-with-barrier with_barrier
//: expect: prints right
//: case: dynamic-two-forgotten two_forgotten
//: expect: finding global-race at add "of add wrote at line"
//: case: dynamic-of-each-block of_each_block
//: expect: finding global-race at add "launches of different streams or blocks run at the same time"
//: case: dynamic-two-streams two_streams
//: expect: finding global-race at add "of add wrote at line"
//: case: dynamic-event-between event_between
//: expect: prints right
//: case: dynamic-grandchild grandchild
//: expect: finding global-race at add "of add wrote at line"
//: case: dynamic-grandchild-in-order grandchild_in_order
//: expect: prints right
//: case: dynamic-host-streams host_streams
//: expect: finding stream-race at copy "which kernel middle in stream 1"
//: case: dynamic-host-streams-in-order host_streams_in_order
//: expect: prints right
//: case: dynamic-gives-local gives_local
//: expect: finding device-launch at local "parameter 1 of this launch of take is a pointer to local memory"
//: expect: prints right
//: case: dynamic-gives-shared gives_shared
//: expect: finding device-launch at shared "a pointer to shared memory, which only this block has"
//: expect: prints right
//: case: dynamic-gives-own gives_own
//: expect: prints right
//: case: dynamic-refused refused
//: expect: finding device-launch at refused "has not asked for the error: add: block (1025,1,1) has 1025 threads"
//: expect: prints right
//: case: dynamic-refused-and-asked refused_and_asked
//: expect: prints right
//: case: dynamic-flood flood
//: expect: finding device-launch at flood "2048 launches are waiting already"
//: expect: prints right
//: case: dynamic-flood-with-room flood_with_room
//: expect: prints right
//: case: dynamic-others-stream others_stream
//: expect: finding device-launch at stream "its stream is not one of this grid"
//: expect: prints right
//: case: dynamic-waits waits
//: expect: finding deadlock at waits "1 launch that it asked for waits for the end of this grid"
//: case: dynamic-fault fault
//: expect: finding out-of-bounds at far "write of 4 bytes"
//: case: dynamic-not-there not_there
//: expect: finding unsupported at memset "MemsetAsync"
//: expect: prints right
int main(int argc, char **argv) {
    return run_case(argc, argv);
}
