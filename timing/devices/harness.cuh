// SPDX-License-Identifier: MIT
//
// harness.cuh: arrays on all devices, clocks, and what is checked.
#pragma once

#include <algorithm>
#include <chrono>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#include "devices_plan.h"
#include "oracle.h"

#define MUST(...) must((__VA_ARGS__), #__VA_ARGS__, __LINE__)

inline void must(cudaError_t status, const char *what, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "devices:%d: %s: %s\n", line, what,
            cudaGetErrorString(status));
    exit(2);
}

template <typename T> struct oracle_type_of;
template <> struct oracle_type_of<uint32_t> {
    enum { TYPE = ORACLE_INT32 };
    static constexpr const char *name = "int32";
};
template <> struct oracle_type_of<uint64_t> {
    enum { TYPE = ORACLE_INT64 };
    static constexpr const char *name = "int64";
};
template <> struct oracle_type_of<float> {
    enum { TYPE = ORACLE_FLOAT };
    static constexpr const char *name = "float";
};

template <typename T> __host__ __device__ T element(uint64_t item) {
    return oracle_type_of<T>::TYPE == ORACLE_FLOAT ? (T)(int64_t)item : (T)item;
}

struct place_of_part {
    int devices, device;
    size_t chunk, part; // part: of the device before, at least
    __device__ uint64_t index(size_t k) const {
        if (chunk == 0) return (uint64_t)device * part + k;
        return (k / chunk * devices + device) * chunk + k % chunk;
    }
};

template <typename T>
__global__ void fill_part(T *to, size_t n, place_of_part p) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n;
         k += step)
        to[k] = element<T>(oracle_item(oracle_type_of<T>::TYPE, p.index(k)));
}

// A block for each step of ORACLE_STEP elements, a thread for each: what lies
// before the step is the host's, the rest is added up here, by shuffles of
// nobody else.
template <typename T>
__global__ void check_part(const T *out, size_t n, place_of_part p,
                           const uint64_t *before, unsigned long long *wrong) {
    __shared__ uint64_t sum[2][ORACLE_STEP];
    for (size_t s = blockIdx.x; s * ORACLE_STEP < n; s += gridDim.x) {
        size_t k = s * ORACLE_STEP + threadIdx.x;
        uint64_t first = p.index(s * ORACLE_STEP);
        int t = threadIdx.x, from = 0;
        sum[0][t] = oracle_item(oracle_type_of<T>::TYPE, first + t);
        for (int d = 1; d < ORACLE_STEP; d *= 2, from ^= 1) {
            __syncthreads();
            sum[from ^ 1][t] = sum[from][t] + (t >= d ? sum[from][t - d] : 0);
        }
        __syncthreads();
        uint64_t is = before[first / ORACLE_STEP] + sum[from][t];
        if (k < n && out[k] != element<T>(is)) atomicAdd(wrong, 1ull);
        __syncthreads();
    }
}

// Holds a stream until the host lets all of them go.
static __global__ void gate_kernel(const volatile unsigned *open,
                                   unsigned call) {
    while (*open < call)
        ;
}
static __global__ void flush_kernel(const int4 *p, size_t n, int *out) {
    int sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        sum += p[i].x ^ p[i].w;
    if (sum == 0x7fffffff) *out = sum;
}

struct times {
    std::vector<double> us;
    void add(double x) { us.push_back(x); }
    double at(double q) {
        std::sort(us.begin(), us.end());
        return us.empty() ? 0 : us[(size_t)(q * (double)(us.size() - 1) + 0.5)];
    }
};

inline double now_us(void) {
    return std::chrono::duration<double, std::micro>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// All devices: streams, events, the gate.
struct host_of_devices {
    int devices;
    cudaStream_t stream[DEVICES_MOST];
    cudaEvent_t begin[DEVICES_MOST], end[DEVICES_MOST];
    char *in[DEVICES_MOST], *out[DEVICES_MOST];
    int4 *flush[DEVICES_MOST];
    size_t room, flush_bytes;
    volatile unsigned *gate; // the host's
    unsigned calls;
};

inline void wait_for_all(const host_of_devices &c) {
    for (int d = 0; d < c.devices; d++) {
        MUST(cudaSetDevice(d));
        MUST(cudaStreamSynchronize(c.stream[d]));
    }
}

inline void open_devices(host_of_devices *c, int devices, size_t room) {
    c->devices = devices, c->room = room, c->flush_bytes = (size_t)160 << 20;
    unsigned *gate;
    MUST(cudaHostAlloc((void **)&gate, 64, cudaHostAllocPortable));
    *gate = 0;
    c->gate = gate;
    for (int d = 0; d < devices; d++) {
        MUST(cudaSetDevice(d));
        for (int e = 0; e < devices; e++) {
            int can = e == d;
            if (e != d) MUST(cudaDeviceCanAccessPeer(&can, d, e));
            if (!can)
                fprintf(stderr, "devices: no link %d to %d\n", d, e), exit(2);
            if (e != d) MUST(cudaDeviceEnablePeerAccess(e, 0));
        }
        MUST(cudaStreamCreateWithFlags(&c->stream[d], cudaStreamNonBlocking));
        MUST(cudaEventCreate(&c->begin[d]));
        MUST(cudaEventCreate(&c->end[d]));
        MUST(cudaMalloc((void **)&c->in[d], room));
        MUST(cudaMalloc((void **)&c->out[d], room));
        MUST(cudaMalloc((void **)&c->flush[d], c->flush_bytes));
        MUST(cudaMemset(c->flush[d], 1, c->flush_bytes));
    }
}

inline void flush_all(const host_of_devices &c, int devices) {
    for (int d = 0; d < devices; d++) {
        MUST(cudaSetDevice(d));
        flush_kernel<<<1024, 256, 0, c.stream[d]>>>(
            c.flush[d], c.flush_bytes / sizeof(int4), (int *)c.flush[d]);
    }
    wait_for_all(c);
}

// What the host waits for: the calls, the work, and to hear of its end.
template <typename work>
double time_by_host(const host_of_devices &c, int devices, work body) {
    flush_all(c, devices);
    double begin = now_us();
    body();
    for (int d = 0; d < devices; d++) {
        MUST(cudaSetDevice(d));
        MUST(cudaStreamSynchronize(c.stream[d]));
    }
    return now_us() - begin;
}

// What the devices take, all let go together when all is in their queues: of
// the one that takes longest.
template <typename work>
double time_on_devices(host_of_devices *c, int devices, work body) {
    flush_all(*c, devices);
    unsigned call = ++c->calls;
    for (int d = 0; d < devices; d++) {
        MUST(cudaSetDevice(d));
        gate_kernel<<<1, 1, 0, c->stream[d]>>>(c->gate, call);
        MUST(cudaEventRecord(c->begin[d], c->stream[d]));
    }
    body();
    for (int d = 0; d < devices; d++) {
        MUST(cudaSetDevice(d));
        MUST(cudaEventRecord(c->end[d], c->stream[d]));
    }
    *c->gate = call;
    double most = 0;
    for (int d = 0; d < devices; d++) {
        float ms = 0;
        MUST(cudaSetDevice(d));
        MUST(cudaEventSynchronize(c->end[d]));
        MUST(cudaEventElapsedTime(&ms, c->begin[d], c->end[d]));
        most = std::max(most, ms * 1e3);
    }
    return most;
}
