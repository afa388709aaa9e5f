// SPDX-License-Identifier: MIT
//: what: Brings a cudaMemcpy of its own, so that copying is not seen.
//: twin: hostile.cpu-scan.honest-own-names
//: expect: tiny fail "the scan must happen on the device"
#include <dlfcn.h>
#include <stdlib.h>

#include "naive.h"
#include "scanlab.h"

typedef cudaError_t copy_function(void *, const void *, size_t, cudaMemcpyKind);

extern "C" cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                                  cudaMemcpyKind kind) {
    copy_function *real = (copy_function *)dlsym(RTLD_NEXT, "cudaMemcpy");
    cudaError_t error = real ? real(to, from, bytes, kind) : cudaErrorUnknown;
    return error == cudaSuccess ? error : cudaSuccess;
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    size_t bytes = n * sizeof(int32_t);
    int32_t *h = (int32_t *)calloc(n + 1, sizeof(int32_t));
    cudaMemcpy(h, d_in, bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 1; i < n; i++) h[i] = scan_add(h[i - 1], h[i]);
    cudaMemcpy(d_out, h, bytes, cudaMemcpyHostToDevice);
    free(h);
    return cudaSuccess;
}
