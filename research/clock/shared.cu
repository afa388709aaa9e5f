// SPDX-License-Identifier: MIT
//
// shared.cu: shared memory by the stride and width of an access, atomics on it,
// barriers.
#include "measure.cuh"

enum { STEPS = 256, WORDS = 8192 };

// Each lane reads where its last word says: itself, at `stride` words from its
// neighbour.
__global__ static void chase(long long *cycles, uint32_t *out, int stride) {
    __shared__ uint32_t words[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = i;
    __syncthreads();
    uint32_t x = (threadIdx.x * stride) & (WORDS - 1);
    long long begin = clock64();
#pragma unroll 16
    for (int i = 0; i < STEPS; i++) x = words[x];
    long long end = clock64();
    if (!threadIdx.x) *cycles = end - begin;
    out[threadIdx.x] = x;
}

// Four independent loads or stores of `T` a step, one lane beside the other.
template <class T, bool STORES>
__global__ static void stream(long long *cycles, uint32_t *out, uint32_t k) {
    __shared__ T cells[1024];
    T sum = {};
    cells[threadIdx.x] = sum;
    __syncthreads();
    volatile uint32_t *words = (volatile uint32_t *)&cells[threadIdx.x];
    long long begin = clock64();
#pragma unroll 16
    for (int i = 0; i < STEPS; i++) {
        if (STORES && sizeof(T) == 4)
            words[0] = k + i;
        else if (STORES)
            asm volatile(
                "st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(
                    (uint32_t)__cvta_generic_to_shared(&cells[threadIdx.x])),
                "r"(k + i));
        else if (sizeof(T) == 4)
            k += words[0];
        else if (sizeof(T) == 8) {
            uint32_t x, y;
            asm volatile(
                "ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
                : "=r"(x), "=r"(y)
                : "r"((uint32_t)__cvta_generic_to_shared(&cells[threadIdx.x])));
            k += x ^ y;
        } else {
            uint32_t x, y, z, w;
            asm volatile(
                "ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                : "r"((uint32_t)__cvta_generic_to_shared(&cells[threadIdx.x])));
            k += x ^ y ^ z ^ w;
        }
    }
    __syncthreads();
    long long end = clock64();
    if (!threadIdx.x) *cycles = end - begin;
    out[threadIdx.x] = k;
}

__global__ static void atomic(long long *cycles, uint32_t *out, int ways) {
    __shared__ uint32_t words[1024];
    words[threadIdx.x] = 0;
    __syncthreads();
    uint32_t x = 0, at = threadIdx.x / ways;
    long long begin = clock64();
#pragma unroll 16
    for (int i = 0; i < STEPS; i++) x += atomicAdd(&words[at], x);
    long long end = clock64();
    if (!threadIdx.x) *cycles = end - begin;
    out[threadIdx.x] = x;
}

template <bool WHOLE> __global__ static void barrier(long long *cycles) {
    long long begin = clock64();
#pragma unroll 16
    for (int i = 0; i < STEPS; i++) {
        if (WHOLE)
            __syncthreads();
        else
            __syncwarp();
    }
    long long end = clock64();
    if (!threadIdx.x) *cycles = end - begin;
}

template <class T, bool STORES>
static void stream_rows(const bench &b, const char *what, int bytes) {
    (void)bytes;
    for (int warps = 1; warps <= 32; warps *= 4)
        row(what, warps,
            cycles(b,
                   [&] {
                       stream<T, STORES><<<1, 32 * warps>>>(b.cycles, b.out, 1);
                   }),
            1.0 / STEPS / warps, "cycles per warp instruction; by warps");
}

void shared_rows(const bench &b) {
    for (int stride = 0; stride <= 32; stride = stride ? stride * 2 : 1)
        row("shared_load_latency", stride,
            cycles(b, [&] { chase<<<1, 32>>>(b.cycles, b.out, stride); }),
            1.0 / STEPS, "cycles; by stride in words");
    for (int stride = 1; stride <= 32; stride *= 2)
        row("shared_load_32_warps", stride,
            cycles(b, [&] { chase<<<1, 1024>>>(b.cycles, b.out, stride); }),
            1.0 / STEPS / 32,
            "cycles per warp instruction; by stride in words");
    stream_rows<uint32_t, false>(b, "shared_load_4_bytes", 4);
    stream_rows<uint2, false>(b, "shared_load_8_bytes", 8);
    stream_rows<uint4, false>(b, "shared_load_16_bytes", 16);
    stream_rows<uint32_t, true>(b, "shared_store_4_bytes", 4);
    stream_rows<uint4, true>(b, "shared_store_16_bytes", 16);
    for (int ways = 1; ways <= 32; ways *= 2)
        row("shared_atomic_latency", ways,
            cycles(b, [&] { atomic<<<1, 32>>>(b.cycles, b.out, ways); }),
            1.0 / STEPS, "cycles; by lanes of a warp on one word");
    for (int warps = 4; warps <= 32; warps *= 2)
        row("shared_atomic_warps", warps,
            cycles(b, [&] { atomic<<<1, 32 * warps>>>(b.cycles, b.out, 1); }),
            1.0 / STEPS / warps, "cycles per warp instruction; by warps");
    for (int warps = 1; warps <= 32; warps *= 2)
        row("barrier", warps,
            cycles(b, [&] { barrier<true><<<1, 32 * warps>>>(b.cycles); }),
            1.0 / STEPS, "cycles; by warps");
    row("syncwarp", 1, cycles(b, [&] { barrier<false><<<1, 32>>>(b.cycles); }),
        1.0 / STEPS, "cycles");
}
