// SPDX-License-Identifier: MIT
//: what: no barrier between the loads and the stores of a step
//: labs: segments
//: course: ../labs
//: submission: .
//: expect: correct fail "race"
#include "scanlab.h"
#include "segments.h"

__global__ void scan_block(const int32_t *in, int32_t *out, unsigned n) {
    __shared__ int32_t sums[1024];
    unsigned i = threadIdx.x;
    sums[i] = i < n ? in[i] : 0;
    for (unsigned offset = 1; offset < n; offset *= 2) {
        __syncthreads();
        int32_t left = i >= offset ? sums[i - offset] : 0;
        sums[i] = scan_add(left, sums[i]);
    }
    if (i < n) out[i] = sums[i];
}

cudaError_t segment_scan(const int32_t *d_in, int32_t *d_out, size_t n) {
    if (n == 0) return cudaSuccess;
    scan_block<<<1, 1024>>>(d_in, d_out, (unsigned)n);
    return cudaGetLastError();
}
