/* SPDX-License-Identifier: MIT
 *
 * clocks.cu: waits with a time limit. The virtual GPU's clocks count what it
 * executes; when everybody waits and somebody looks at a clock, time that nobody
 * needs is skipped.
 */
//: expect: prints right
//: run: --check all | --check all --schedule reverse | --check all --schedule random:7
#include "cases.h"

enum { BLOCKS = 3, THREADS = 64, N = BLOCKS * THREADS };

__device__ unsigned long long nanoseconds() {
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

/* Each thread: how long it waited, or 0 if the flag came in time. */
__global__ void wait_ns(volatile int *flag, unsigned long long limit,
                        unsigned long long *waited) {
    unsigned long long start = nanoseconds(), now;
    bool came;
    do {
        now = nanoseconds();
        came = *flag != 0;
    } while (!came && now - start < limit);
    waited[blockIdx.x * blockDim.x + threadIdx.x] = came ? 0 : now - start;
}

__global__ void wait_cycles(volatile int *flag, long long limit,
                            unsigned long long *waited) {
    long long start = clock64();
    while (*flag == 0 && clock64() - start < limit) {}
    waited[blockIdx.x * blockDim.x + threadIdx.x] =
        (unsigned long long)(clock64() - start);
}

/* The last block works for a while before it writes what the others wait for. */
__global__ void work_then_write(volatile int *flag, int rounds, int *sum,
                                unsigned long long *waited) {
    if (blockIdx.x + 1 == gridDim.x) {
        if (threadIdx.x) return;
        for (int i = 0; i < rounds; i++) *(volatile int *)sum += i;
        __threadfence();
        *flag = 1;
        return;
    }
    unsigned long long start = nanoseconds();
    while (*flag == 0 && nanoseconds() - start < 1000000000ull) {}
    waited[blockIdx.x * blockDim.x + threadIdx.x] = *flag ? 0 : 1;
}

__global__ void look(unsigned long long *at) {
    *at = nanoseconds();
}

struct memory {
    int *flag, *sum;
    unsigned long long *waited;
};

static memory allocate() {
    memory m;
    CHECK(cudaMalloc(&m.flag, sizeof(int)));
    CHECK(cudaMalloc(&m.sum, sizeof(int)));
    CHECK(cudaMalloc(&m.waited, N * sizeof *m.waited));
    CHECK(cudaMemset(m.flag, 0, sizeof(int)));
    CHECK(cudaMemset(m.sum, 0, sizeof(int)));
    CHECK(cudaMemset(m.waited, 0, N * sizeof *m.waited));
    return m;
}

static bool all_waited(const memory &m, unsigned long long least) {
    static unsigned long long waited[N];
    CHECK(cudaMemcpy(waited, m.waited, sizeof waited, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < N; i++) ok &= waited[i] >= least;
    if (!ok) printf("thread 0 waited %llu\n", waited[0]);
    return ok;
}

static void free_all(const memory &m) {
    CHECK(cudaFree(m.flag));
    CHECK(cudaFree(m.sum));
    CHECK(cudaFree(m.waited));
}

CASE(limits) {
    memory m = allocate();
    wait_ns<<<BLOCKS, THREADS>>>(m.flag, 10000000000ull, m.waited);
    bool ok = all_waited(m, 10000000000ull);
    wait_cycles<<<BLOCKS, THREADS>>>(m.flag, 5000000000ll, m.waited);
    ok &= all_waited(m, 5000000000ull);
    free_all(m);
    return ok;
}

CASE(in_time) {
    memory m = allocate();
    work_then_write<<<BLOCKS, THREADS>>>(m.flag, 3000, m.sum, m.waited);
    static unsigned long long waited[N];
    CHECK(cudaMemcpy(waited, m.waited, sizeof waited, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < N; i++) ok &= waited[i] == 0;
    free_all(m);
    return ok;
}

CASE(forward) {
    memory m = allocate();
    unsigned long long at[4];
    for (int k = 0; k < 4; k++) look<<<1, 1>>>(m.waited + k);
    CHECK(cudaMemcpy(at, m.waited, sizeof at, cudaMemcpyDeviceToHost));
    bool ok = at[0] < at[1] && at[1] < at[2] && at[2] < at[3];
    free_all(m);
    return ok;
}

//: case: clocks-limits limits
//: case: clocks-in-time in-time
//: case: clocks-forward forward
//: run: --check all
int main(int argc, char **argv) {
    return run_case(argc, argv);
}
