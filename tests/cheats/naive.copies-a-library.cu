// SPDX-License-Identifier: MIT
//: what: A kernel pasted from a library, under the library's name, without its headers.
//: twin: control.reference
//: expect: tiny fail "came from a library"
#include "naive.h"
#include "scanlab.h"

namespace cub {
__global__ void DeviceScanKernel(const int32_t *in, int32_t *out, size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = sum = scan_add(sum, in[i]);
}
} // namespace cub

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    cub::DeviceScanKernel<<<1, 1>>>(d_in, d_out, n);
    return cudaGetLastError();
}
