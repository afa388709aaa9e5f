// SPDX-License-Identifier: MIT
//
// pool.cu: memory that a stream allocates (cudaMallocAsync), and streams that
// run beside each other.
//
// The default pool gives what is free back to the driver when the host waits,
// so a call that comes after a wait pays for it again.
#include "measure.cuh"

__global__ static void nothing(uint32_t *never) {
    if (never && threadIdx.x > 1024) *never = 1;
}

__global__ static void spin(long long cycles, uint32_t *never) {
    long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
    if (never) *never = 1;
}

static void async_pair(size_t bytes, int kernels) {
    void *place = nullptr;
    must(cudaMallocAsync(&place, bytes, 0), "cudaMallocAsync");
    for (int k = 0; k < kernels; k++) nothing<<<1, 32>>>((uint32_t *)place);
    must(cudaFreeAsync(place, 0), "cudaFreeAsync");
}

// After a wait of the host, as between two calls that are timed.
static void allocations(void) {
    for (size_t bytes = 4096; bytes <= (size_t)256 << 20; bytes *= 16) {
        row("malloc_async_free_async", (double)bytes,
            events([&] { async_pair(bytes, 0); }), 1, "us; by bytes");
        row("malloc_async_kernel_free_async", (double)bytes,
            events([&] { async_pair(bytes, 1); }), 1, "us; by bytes");
        row("malloc_async_twice", (double)bytes, events([&] {
                async_pair(bytes, 1);
                async_pair(bytes, 1);
            }),
            1, "us; by bytes; the second finds what the first has freed");
        row("malloc_kernel_free_of", (double)bytes, events([&] {
                void *place = nullptr;
                must(cudaMalloc(&place, bytes), "cudaMalloc");
                nothing<<<1, 32>>>((uint32_t *)place);
                must(cudaFree(place), "cudaFree");
            }),
            1, "us; by bytes");
    }
    row("host_malloc_async", 4096, host([] {
            void *place = nullptr;
            must(cudaMallocAsync(&place, 4096, 0), "cudaMallocAsync");
            must(cudaFreeAsync(place, 0), "cudaFreeAsync");
        }),
        1, "us of the host, who does not wait");
    row("host_malloc_async_wait", 4096, host([] {
            void *place = nullptr;
            must(cudaMallocAsync(&place, 4096, 0), "cudaMallocAsync");
            must(cudaFreeAsync(place, 0), "cudaFreeAsync");
            must(cudaStreamSynchronize(0), "cudaStreamSynchronize");
        }),
        1, "us of the host, who waits each time");
}

static void streams(const bench &b) {
    enum { MOST = 4, CYCLES = 39600 };
    cudaStream_t s[MOST];
    cudaEvent_t done[MOST], begun;
    for (int k = 0; k < MOST; k++) {
        must(cudaStreamCreateWithFlags(&s[k], cudaStreamNonBlocking),
             "cudaStreamCreate");
        must(cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming),
             "cudaEventCreate");
    }
    must(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming),
         "cudaEventCreate");
    for (int n = 1; n <= MOST; n *= 2)
        for (int blocks = 1; blocks <= b.multiprocessors * 64;
             blocks *= b.multiprocessors * 64)
            row(blocks == 1 ? "streams_of_one_block" : "streams_of_full_device",
                n, events([&] {
                    must(cudaEventRecord(begun), "cudaEventRecord");
                    for (int k = 0; k < n; k++) {
                        must(cudaStreamWaitEvent(s[k], begun), "wait");
                        spin<<<blocks, 32, 0, s[k]>>>(CYCLES, nullptr);
                        must(cudaEventRecord(done[k], s[k]), "record");
                        must(cudaStreamWaitEvent(0, done[k]), "wait");
                    }
                }),
                1, "us; a kernel of 39600 cycles in each of so many streams");
}

void pool_rows(const bench &b) {
    allocations();
    streams(b);
}
