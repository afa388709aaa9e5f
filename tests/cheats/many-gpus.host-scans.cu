// SPDX-License-Identifier: MIT
//: what: Copies all parts to the host, scans there, copies the answer up.
//: twin: mutant.many-gpus.honest-host-waits
//: expect: one fail "the scan must happen on the device"
//: expect: host fail "the scan must happen on the device"
//: expect: * any
#include <stdlib.h>

#include "many_gpus.h"
#include "scanlab.h"

cudaError_t many_gpus_host(const int32_t *const d_in[], int32_t *const d_out[],
                           const size_t n[], int devices) {
    int32_t sum = 0;
    for (int d = 0; d < devices; d++) {
        size_t bytes = n[d] * sizeof(int32_t);
        int32_t *h = (int32_t *)malloc(bytes + 1);
        cudaMemcpy(h, d_in[d], bytes, cudaMemcpyDefault);
        for (size_t i = 0; i < n[d]; i++) h[i] = sum = scan_add(sum, h[i]);
        cudaMemcpy(d_out[d], h, bytes, cudaMemcpyDefault);
        free(h);
    }
    return cudaSuccess;
}

cudaError_t many_gpus_peer(const int32_t *const d_in[], int32_t *const d_out[],
                           const size_t n[], int devices) {
    return many_gpus_host(d_in, d_out, n, devices);
}

cudaError_t many_gpus_chain(const int32_t *const d_in[], int32_t *const d_out[],
                            const size_t n[], int devices) {
    return many_gpus_host(d_in, d_out, n, devices);
}

cudaError_t many_gpus_lookback(const int32_t *const d_in[],
                               int32_t *const d_out[], const size_t n[],
                               int devices) {
    return many_gpus_host(d_in, d_out, n, devices);
}
