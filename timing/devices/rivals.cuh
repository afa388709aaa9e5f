// SPDX-License-Identifier: MIT
//
// rivals.cuh: a scan across devices made of CUB's calls and peer copies, as one
// would write it today: reduce-then-scan, and scan-then-add.
#pragma once

#include <cub/cub.cuh>

#include "harness.cuh"

template <typename T>
__global__ void sum_totals(const T *totals, int count, T *sum) {
    T s = 0;
    for (int i = 0; i < count; i++) s += totals[i];
    *sum = s;
}
template <typename T>
__global__ void add_totals(T *p, size_t n, const T *totals, int count) {
    T s = 0;
    for (int i = 0; i < count; i++) s += totals[i];
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        p[i] += s;
}

template <typename T> struct rivals {
    T *totals[DEVICES_MOST], *before[DEVICES_MOST];
    void *temp[DEVICES_MOST];
    size_t temp_bytes[DEVICES_MOST];
    cudaEvent_t sent[DEVICES_MOST];

    void open(const host_of_devices &c, size_t most) {
        for (int d = 0; d < c.devices; d++) {
            MUST(cudaSetDevice(d));
            MUST(cudaMalloc((void **)&totals[d], DEVICES_MOST * sizeof(T)));
            MUST(cudaMalloc((void **)&before[d], sizeof(T)));
            MUST(cudaEventCreateWithFlags(&sent[d], cudaEventDisableTiming));
            size_t sum = 0, scan = 0;
            MUST(cub::DeviceReduce::Sum(NULL, sum, (T *)c.in[d], totals[d],
                                        (int64_t)most));
            MUST(cub::DeviceScan::InclusiveScanInit(
                NULL, scan, (T *)c.in[d], (T *)c.out[d], cuda::std::plus<>{},
                cub::FutureValue<T>(before[d]), (int64_t)most));
            temp_bytes[d] = std::max(sum, scan) + 4096;
            MUST(cudaMalloc(&temp[d], temp_bytes[d]));
        }
    }
    void close(const host_of_devices &c) {
        for (int d = 0; d < c.devices; d++) {
            MUST(cudaSetDevice(d));
            cudaFree(totals[d]), cudaFree(before[d]), cudaFree(temp[d]);
            cudaEventDestroy(sent[d]);
        }
    }

    // A device's total goes to all devices after it.
    void send(const host_of_devices &c, int devices, int d, const T *total) {
        for (int e = d + 1; e < devices; e++)
            MUST(cudaMemcpyPeerAsync(totals[e] + d, e, total, d, sizeof(T),
                                     c.stream[d]));
        MUST(cudaEventRecord(sent[d], c.stream[d]));
    }
    void await(const host_of_devices &c, int d) {
        for (int e = 0; e < d; e++)
            MUST(cudaStreamWaitEvent(c.stream[d], sent[e], 0));
    }

    void reduce_then_scan(const host_of_devices &c, int devices,
                          const size_t *n) {
        for (int d = 0; d < devices; d++) {
            MUST(cudaSetDevice(d));
            size_t bytes = temp_bytes[d];
            MUST(cub::DeviceReduce::Sum(temp[d], bytes, (T *)c.in[d],
                                        totals[d] + d, (int64_t)n[d],
                                        c.stream[d]));
            send(c, devices, d, totals[d] + d);
        }
        for (int d = 0; d < devices; d++) {
            MUST(cudaSetDevice(d));
            await(c, d);
            sum_totals<<<1, 1, 0, c.stream[d]>>>(totals[d], d, before[d]);
            size_t bytes = temp_bytes[d];
            MUST(cub::DeviceScan::InclusiveScanInit(
                temp[d], bytes, (T *)c.in[d], (T *)c.out[d],
                cuda::std::plus<>{}, cub::FutureValue<T>(before[d]),
                (int64_t)n[d], c.stream[d]));
        }
    }
    void scan_then_add(const host_of_devices &c, int devices, const size_t *n) {
        for (int d = 0; d < devices; d++) {
            MUST(cudaSetDevice(d));
            size_t bytes = temp_bytes[d];
            MUST(cub::DeviceScan::InclusiveSum(temp[d], bytes, (T *)c.in[d],
                                               (T *)c.out[d], (int64_t)n[d],
                                               c.stream[d]));
            send(c, devices, d, (T *)c.out[d] + n[d] - 1);
        }
        for (int d = 1; d < devices; d++) {
            MUST(cudaSetDevice(d));
            await(c, d);
            add_totals<<<1056, 512, 0, c.stream[d]>>>((T *)c.out[d], n[d],
                                                      totals[d], d);
        }
    }
};
