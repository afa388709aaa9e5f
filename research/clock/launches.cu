// SPDX-License-Identifier: MIT
//
// launches.cu: what the host's calls take, and how fast blocks start.
#include "measure.cuh"

__global__ static void nothing(uint32_t *never) {
    if (never) *never = 1;
}

__global__ static void spin(long long cycles, uint32_t *never) {
    long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
    if (never) *never = 1;
}

static void kernel_rows(const bench &b) {
    row("events_around_nothing", 0, events([] {}), 1, "us");
    for (int k = 1; k <= 64; k *= 4)
        row("launches_in_a_row", k, events([&] {
                for (int i = 0; i < k; i++) nothing<<<1, 32>>>(nullptr);
            }),
            1, "us in all; by launches of one block");
    for (int k = 1; k <= 64; k *= 8) // so long that the host is ahead
        row("launches_of_10_us", k, events([&] {
                for (int i = 0; i < k; i++)
                    spin<<<b.multiprocessors, 32>>>(19800, nullptr);
            }),
            1, "us in all; by launches of 19800 cycles");
    for (int threads = 32; threads <= 1024; threads *= 32)
        for (int blocks = 1; blocks <= 1000000; blocks *= 10)
            row(threads == 32 ? "blocks_of_32_threads"
                              : "blocks_of_1024_threads",
                blocks,
                events([&] { nothing<<<blocks, threads>>>(nullptr); }, 9), 1,
                "us; by blocks that do nothing");
    for (int kib = 0; kib <= 200; kib += 50) {
        cudaFuncSetAttribute(
            nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10);
        row("blocks_with_shared_memory", kib,
            events([&] { nothing<<<100000, 256, kib << 10>>>(nullptr); }, 9), 1,
            "us; 100000 blocks of 256 threads, by KiB of shared memory");
    }
}

static void copy_rows(const bench &b) {
    for (size_t bytes = 4; bytes <= (size_t)64 << 20; bytes *= 64) {
        row("memset", (double)bytes,
            events([&] { cudaMemsetAsync(b.memory, 0, bytes); }), 1,
            "us; by bytes");
        row("copy_on_device", (double)bytes, events([&] {
                cudaMemcpyAsync(b.memory + ((size_t)256 << 20) / 4, b.memory,
                                bytes, cudaMemcpyDeviceToDevice);
            }),
            1, "us; by bytes");
    }
    row("memset_then_kernel", 0, events([&] {
            cudaMemsetAsync(b.memory, 0, 4096);
            nothing<<<1, 32>>>(nullptr);
        }),
        1, "us");
    row("kernel_memset_kernel", 0, events([&] {
            nothing<<<1, 32>>>(nullptr);
            cudaMemsetAsync(b.memory, 0, 4096);
            nothing<<<1, 32>>>(nullptr);
        }),
        1, "us");
}

static void host_rows(const bench &b) {
    row("host_launch", 0, host([] { nothing<<<1, 32>>>(nullptr); }), 1,
        "us of the host");
    row("host_launch_and_wait", 0, host([] {
            nothing<<<1, 32>>>(nullptr);
            cudaDeviceSynchronize();
        }),
        1, "us of the host");
    for (size_t bytes = 4096; bytes <= (size_t)64 << 20; bytes *= 128)
        row("host_malloc_free", (double)bytes, host([&] {
                void *place = nullptr;
                must(cudaMalloc(&place, bytes), "cudaMalloc");
                must(cudaFree(place), "cudaFree");
            }),
            1, "us of the host; by bytes");
    row("malloc_kernel_free", 4096, events([&] {
            void *place = nullptr;
            must(cudaMalloc(&place, 4096), "cudaMalloc");
            nothing<<<1, 32>>>(nullptr);
            must(cudaFree(place), "cudaFree");
        }),
        1, "us");
    for (size_t bytes = 4; bytes <= (size_t)1 << 20; bytes *= 512) {
        static char here[1 << 20];
        row("host_copy_from_device", (double)bytes, host([&] {
                must(cudaMemcpy(here, b.memory, bytes, cudaMemcpyDeviceToHost),
                     "cudaMemcpy");
            }),
            1, "us of the host; by bytes, pageable");
        row("host_copy_to_device", (double)bytes, host([&] {
                must(cudaMemcpy(b.memory, here, bytes, cudaMemcpyHostToDevice),
                     "cudaMemcpy");
            }),
            1, "us of the host; by bytes, pageable");
    }
}

void launch_rows(const bench &b) {
    kernel_rows(b);
    copy_rows(b);
    host_rows(b);
}
