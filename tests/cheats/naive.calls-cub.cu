// SPDX-License-Identifier: MIT
//: what: Lets CUB do the scan.
//: twin: control.reference
//: expect: build "without CUB or Thrust"
#include <cub/device/device_scan.cuh>

#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    void *scratch = NULL;
    size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(scratch, bytes, d_in, d_out, n);
    cudaMalloc(&scratch, bytes);
    cub::DeviceScan::InclusiveSum(scratch, bytes, d_in, d_out, n);
    return cudaFree(scratch);
}
