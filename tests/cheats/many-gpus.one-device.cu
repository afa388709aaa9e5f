// SPDX-License-Identifier: MIT
//: what: Device 0 scans all parts; the others have nothing to do. Small arrays
//     are right, counts say where the elements went.
//: twin: mutant.many-gpus.honest-host-waits
//: expect: host-counts fail "link_bytes"
//: expect: peer-counts fail "link_bytes"
//: expect: chain-counts fail "link_messages: 0"
//: expect: lookback-counts fail "link_messages: 0"
//: expect: * any
#include "many_gpus.h"
#include "scanlab.h"

enum { MOST = MANY_GPUS_MOST, THREADS = 256 };

struct parts {
    const int32_t *in[MOST];
    int32_t *out[MOST];
    size_t n[MOST];
};

/* Each block of a part adds up all before it once more. */
__global__ void scan_all(struct parts p, int devices) {
    __shared__ int32_t sums[THREADS];
    int32_t before = 0;
    for (int d = 0; d < devices; d++)
        for (size_t tile = 0; tile < p.n[d]; tile += THREADS) {
            size_t i = tile + threadIdx.x;
            sums[threadIdx.x] = i < p.n[d] ? p.in[d][i] : 0;
            __syncthreads();
            for (int step = 1; step < THREADS; step *= 2) {
                int32_t x = sums[threadIdx.x];
                if ((int)threadIdx.x >= step)
                    x = scan_add(sums[threadIdx.x - step], x);
                __syncthreads();
                sums[threadIdx.x] = x;
                __syncthreads();
            }
            if (i < p.n[d])
                p.out[d][i] = scan_add(before, sums[threadIdx.x]);
            before = scan_add(before, sums[THREADS - 1]);
            __syncthreads();
        }
}

static cudaError_t scan(const int32_t *const in[], int32_t *const out[],
                        const size_t n[], int devices) {
    struct parts p = {};
    int current;
    cudaGetDevice(&current);
    cudaSetDevice(0);
    for (int d = 0; d < devices; d++) {
        p.in[d] = in[d], p.out[d] = out[d], p.n[d] = n[d];
        if (d > 0) cudaDeviceEnablePeerAccess(d, 0);
    }
    cudaGetLastError();
    scan_all<<<1, THREADS>>>(p, devices);
    cudaError_t status = cudaGetLastError();
    if (status == cudaSuccess) status = cudaDeviceSynchronize();
    cudaSetDevice(current);
    return status;
}

cudaError_t many_gpus_host(const int32_t *const d_in[], int32_t *const d_out[],
                           const size_t n[], int devices) {
    return scan(d_in, d_out, n, devices);
}

cudaError_t many_gpus_peer(const int32_t *const d_in[], int32_t *const d_out[],
                           const size_t n[], int devices) {
    return scan(d_in, d_out, n, devices);
}

cudaError_t many_gpus_chain(const int32_t *const d_in[], int32_t *const d_out[],
                            const size_t n[], int devices) {
    return scan(d_in, d_out, n, devices);
}

cudaError_t many_gpus_lookback(const int32_t *const d_in[],
                               int32_t *const d_out[], const size_t n[],
                               int devices) {
    return scan(d_in, d_out, n, devices);
}
