// SPDX-License-Identifier: MIT
//: what: Does nothing and says that all is well.
//: twin: control.reference
//: expect: tiny fail "n = 1:"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    return cudaSuccess;
}
