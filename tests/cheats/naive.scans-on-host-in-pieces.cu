// SPDX-License-Identifier: MIT
//: what: As scans-on-host, but in small copies.
//: twin: hostile.naive.honest-many-calls
//: expect: tiny fail "the scan must happen on the device"
#include "naive.h"
#include "scanlab.h"

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    int32_t sum = 0, h[64];
    for (size_t i = 0; i < n; i += 64) {
        size_t bytes = (n - i < 64 ? n - i : 64) * sizeof(int32_t);
        cudaMemcpy(h, d_in + i, bytes, cudaMemcpyDeviceToHost);
        for (size_t k = 0; k < bytes / sizeof(int32_t); k++)
            h[k] = sum = scan_add(sum, h[k]);
        cudaMemcpy(d_out + i, h, bytes, cudaMemcpyHostToDevice);
    }
    return cudaSuccess;
}
