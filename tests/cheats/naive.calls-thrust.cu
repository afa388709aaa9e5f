// SPDX-License-Identifier: MIT
//: what: Lets Thrust do the scan.
//: twin: control.reference
//: expect: build "without CUB or Thrust"
#include <thrust/device_ptr.h>
#include <thrust/scan.h>

#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    thrust::device_ptr<const int32_t> in(d_in);
    thrust::inclusive_scan(in, in + n, thrust::device_ptr<int32_t>(d_out));
    return cudaGetLastError();
}
