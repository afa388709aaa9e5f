// SPDX-License-Identifier: MIT
//: what: Copies the input to the host, scans there, copies the answer up.
//: twin: hostile.naive.honest-many-calls
//: expect: tiny fail "the scan must happen on the device"
#include <stdlib.h>

#include "naive.h"
#include "scanlab.h"

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    size_t bytes = n * sizeof(int32_t);
    int32_t *h = (int32_t *)malloc(bytes + 1);
    cudaMemcpy(h, d_in, bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 1; i < n; i++) h[i] = scan_add(h[i - 1], h[i]);
    cudaMemcpy(d_out, h, bytes, cudaMemcpyHostToDevice);
    free(h);
    return cudaSuccess;
}
