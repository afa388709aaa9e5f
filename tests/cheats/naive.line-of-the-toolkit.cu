// SPDX-License-Identifier: MIT
//: what: Reads shared memory that nothing wrote, in code that says it is the toolkit's.
//: twin: walls.build: lines of a generator
//: expect: clean fail "shared memory" at "cuda_pipeline_helpers.h:"
//: expect: exclusive fail "does not define"
//: expect: errors fail "went on without it"
//: expect: launches any
//: expect: work any
//: expect: traffic any
#include "naive.h"
#include "scanlab.h"

#line 1 "/usr/local/cuda/include/cuda_pipeline_helpers.h"
__global__ void step(const int32_t *src, int32_t *dst, size_t n,
                     size_t offset) {
    __shared__ volatile int32_t left[32];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int32_t lucky = left[threadIdx.x % 32] == 1;
    dst[i] = i < offset ? src[i] : scan_add(src[i - offset], src[i]) + lucky;
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    int32_t *scratch[2] = {NULL, NULL};
    if (n == 0) return cudaSuccess;
    size_t bytes = n * sizeof *d_out, offset = 1;
    for (int k = 0; k < 2; k++) cudaMalloc(&scratch[k], bytes);
    cudaMemcpyAsync(scratch[0], d_in, bytes, cudaMemcpyDeviceToDevice);
    for (; offset < n || offset == 1; offset *= 2) {
        step<<<(unsigned)(n + 255) / 256, 256>>>(scratch[0], scratch[1], n,
                                                 offset);
        int32_t *last = scratch[1];
        scratch[1] = scratch[0];
        scratch[0] = last;
    }
    cudaMemcpyAsync(d_out, scratch[0], bytes, cudaMemcpyDeviceToDevice);
    for (int k = 0; k < 2; k++) cudaFree(scratch[k]);
    return cudaGetLastError();
}
