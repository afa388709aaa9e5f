/* SPDX-License-Identifier: MIT
 *
 * waits.cu: threads that wait for what will not come, and loops without end.
 */
//: run: --schedule in-order | --schedule random:SEED
#include "check.h"

__device__ unsigned lock, counter, flags[64];

/* case: the lane that has the lock waits for lanes that want it */
__global__ void lock_then_syncwarp() {
    while (atomicCAS(&lock, 0, 1) != 0) {} // BUG lock-spin
    __syncwarp(); // BUG lock-syncwarp
    counter++;
    __threadfence();
    atomicExch(&lock, 0);
}

__global__ void lock_then_shuffle() {
    while (atomicCAS(&lock, 0, 1) != 0) {} // BUG shuffle-spin
    counter += __shfl_sync(0xffffffffu, threadIdx.x, 0); // BUG shuffle
    __threadfence();
    atomicExch(&lock, 0);
}

/* case: the thread that has the lock waits at a barrier for those who want it */
__global__ void lock_then_barrier() {
    if (threadIdx.x % 32 == 0)
        while (atomicCAS(&lock, 0, 1) != 0) {} // BUG barrier-spin
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicExch(&lock, 0);
}

/* case: a lock that is never given back */
__global__ void lock_kept() {
    while (atomicCAS(&lock, 0, 1) != 0) {} // BUG kept-spin
    counter++;
}

/* case: two locks, taken in two orders */
__global__ void two_locks() {
    unsigned mine = blockIdx.x, other = 1 - mine;
    if (threadIdx.x) return;
    while (atomicCAS(&flags[mine], 0, 1) != 0) {}
    atomicAdd(&counter, 1);
    while (*(volatile unsigned *)&counter < 2) {}
    while (atomicCAS(&flags[other], 0, 1) != 0) {} // BUG two-locks
    atomicExch(&flags[other], 0);
    atomicExch(&flags[mine], 0);
}

/* case: a flag that nobody writes */
__global__ void never_written() {
    if (threadIdx.x == 0)
        while (*(volatile unsigned *)&flags[7] == 0) {} // BUG never-written
    __syncthreads();
    counter = 1;
}

/* case: the same, by a loop that looks at a clock and has no time limit */
__global__ void watches_clock(unsigned *out) {
    long long last = 0;
    while (*(volatile unsigned *)&flags[7] == 0) last = clock64(); // BUG clock
    *out = (unsigned)last;
}

/* case: a flag in shared memory that only a thread behind the barrier writes */
__global__ void shared_flag() {
    __shared__ volatile unsigned ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x >= 32) {
        while (!ready) {} // BUG shared-flag
    }
    __syncthreads();
    if (threadIdx.x == 0) ready = 1;
}

/* case: barrier of a grid by hand, with more blocks than fit */
__global__ void grid_barrier() {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&counter, 1);
        while (*(volatile unsigned *)&counter < gridDim.x) {} // BUG grid-barrier
    }
    __syncthreads();
}

/* case: warps that wait together, each round with a shuffle or a vote, for the
 * block before theirs */
__global__ void one_lane_polls() {
    unsigned seen;
    do {
        if (threadIdx.x == 0)
            seen = *(volatile unsigned *)&flags[blockIdx.x]; // BUG one-polls
        seen = __shfl_sync(0xffffffffu, seen, 0);
    } while (blockIdx.x && !seen);
    if (threadIdx.x == 0) atomicExch(&flags[blockIdx.x + 1], 1);
}

__global__ void all_lanes_poll() {
    int before = (int)blockIdx.x - (int)threadIdx.x;
    unsigned seen;
    do {
        seen = 1;
        if (before > 0)
            seen = *(volatile unsigned *)&flags[before]; // BUG all-poll
    } while (__any_sync(0xffffffffu, !seen));
    if (threadIdx.x == 0) atomicExch(&flags[blockIdx.x + 1], 1);
}

/* case: a loop whose counter goes the wrong way */
__global__ void endless(unsigned *out, unsigned n) {
    for (unsigned i = n; i != 0; i -= 2)
        out[i & 7] += i; // BUG endless
}

/* case: the first block ends soon; the others wait by an ordinary load, which
 * the compiler moves out of the loop. What they would need is not told by the
 * first. */
__global__ void waits_by_ordinary_load() {
    unsigned word;
    if (blockIdx.x == 0) return;
    do word = flags[9];
    while (!(word & 1)); // BUG ordinary
    counter = word;
}

/* case: more blocks than the budget has instructions: it ends between two of
 * them, where no thread is that a finding could be about */
__global__ void nothing() {} // BUG nothing

//: case: waits-lock-syncwarp lock_then_syncwarp 32
//: run: --schedule in-order | --schedule reverse | --schedule random:SEED
//: expect: finding deadlock at lock-spin "lock" "of its own warp wait for it at line" "Release a lock before the threads of a warp wait for one another"
//: case: waits-lock-shuffle lock_then_shuffle 32
//: expect: finding deadlock at shuffle-spin "(shfl.sync.idx.b32)"
//: case: waits-lock-barrier lock_then_barrier 64
//: run: --schedule in-order | --schedule reverse | --schedule random:SEED
//: expect: finding deadlock at barrier-spin "release a lock before a barrier"
//: case: waits-lock-kept lock_kept 32
//: expect: finding deadlock at kept-spin "where memory holds 1" "Every other thread has ended or waits as well"
//: case: waits-two-locks two_locks 32 2
//: expect: finding deadlock at two-locks "1 other thread in 1 block waits too"
//: case: waits-never-written never_written 64 3
//: run: --schedule in-order | --schedule random:SEED | --schedule random:SEED --memory-model weak:SEED
//: expect: finding deadlock at never-written "flags[7] (byte 28 of 256)" "the write is missing" "at a barrier"
//: case: waits-watches-clock watches_clock 32
//: expect: finding deadlock at clock "the write is missing"
//: case: waits-shared-flag shared_flag 64
//: expect: finding deadlock at shared-flag "of shared memory) again and again" "at a barrier"
//: case: waits-grid-barrier grid_barrier 64 20
//: expect: finding deadlock at grid-barrier "12 blocks have not started" "where memory holds 8"
//: case: waits-grid-barrier-fits grid_barrier 64 8
//: run: --check all | --check all --schedule random:SEED --memory-model weak:SEED
//: case: waits-one-lane-polls one_lane_polls 32 20
//: run: --schedule reverse --budget 1000000
//: expect: finding deadlock at one-polls "where memory holds 0" "12 blocks have not started"
//: case: waits-one-lane-polls-in-order one_lane_polls 32 20
//: case: waits-all-lanes-poll all_lanes_poll 32 20
//: run: --schedule reverse --budget 1000000
//: expect: finding deadlock at all-poll "12 blocks have not started"
//: case: waits-all-lanes-poll-in-order all_lanes_poll 32 20
//: case: waits-endless-loop endless 1
//: run: --budget 100000 | --budget 100000 --schedule random:SEED
//: expect: finding instruction-budget at endless "warp instructions, its budget"
//: case: waits-by-ordinary-load waits_by_ordinary_load 32 4
//: run: --budget 100000
//: expect: finding instruction-budget at ordinary "1 of its 4 blocks are done, and none for the last" "The loop reads no memory at all"
//: case: waits-budget-between-blocks nothing 32 1000
//: run: --check none --budget 1000 | --check all --budget 1000 --schedule random:SEED
//: expect: finding instruction-budget at nothing "of its 1000 blocks are done" "far too much work"
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    auto is = [=](const char *name) { return !strcmp(what, name); };
    int threads = argc > 2 ? atoi(argv[2]) : 32;
    int blocks = argc > 3 ? atoi(argv[3]) : 1;
    if (is("lock_then_syncwarp")) lock_then_syncwarp<<<blocks, threads>>>();
    if (is("lock_then_shuffle")) lock_then_shuffle<<<blocks, threads>>>();
    if (is("lock_then_barrier")) lock_then_barrier<<<blocks, threads>>>();
    if (is("lock_kept")) lock_kept<<<blocks, threads>>>();
    if (is("two_locks")) two_locks<<<blocks, threads>>>();
    if (is("never_written")) never_written<<<blocks, threads>>>();
    if (is("watches_clock")) {
        unsigned *out;
        CHECK(cudaMalloc(&out, 4));
        watches_clock<<<1, threads>>>(out);
    }
    if (is("shared_flag")) shared_flag<<<blocks, threads>>>();
    if (is("grid_barrier")) grid_barrier<<<blocks, threads>>>();
    if (is("one_lane_polls")) one_lane_polls<<<blocks, threads>>>();
    if (is("all_lanes_poll")) all_lanes_poll<<<blocks, threads>>>();
    if (is("waits_by_ordinary_load")) waits_by_ordinary_load<<<blocks, threads>>>();
    if (is("nothing")) nothing<<<blocks, threads>>>();
    if (is("endless")) {
        unsigned *out;
        CHECK(cudaMalloc(&out, 32));
        CHECK(cudaMemset(out, 0, 32));
        endless<<<1, 1>>>(out, 7);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
