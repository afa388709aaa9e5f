// SPDX-License-Identifier: MIT
//: what: The honest twin: many allocations, copies, events, streams and
//     questions about the device, all given back; it looks where its memory is,
//     how much there is, and how long it took. Full marks.
//: expect: errors pass "calls that can fail"
//: expect: * pass
#include <stdio.h>

#include "honest.h"

static void ask(void *mine) {
    size_t left, all;
    cudaPointerAttributes at;
    cudaFuncAttributes of;
    cudaDeviceProp device;
    cudaMemGetInfo(&left, &all);
    cudaPointerGetAttributes(&at, mine);
    cudaFuncGetAttributes(&of, honest_step);
    cudaGetDeviceProperties(&device, 0);
    cudaStreamQuery(0);
    cudaPeekAtLastError();
}

static cudaError_t take_and_give_back(void) {
    enum { MANY = 350 }; /* 1049 calls that can fail: not each is tried */
    char *mine[MANY] = {0};
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < MANY && error == cudaSuccess; i++) {
        error = cudaMalloc(&mine[i], 4096);
        if (error == cudaSuccess) error = cudaMemset(mine[i], i, 4096);
        if (error == cudaSuccess && i)
            error = cudaMemcpy(mine[i], mine[i - 1], 64,
                               cudaMemcpyDeviceToDevice);
    }
    if (error == cudaSuccess) ask(mine[7]);
    for (int i = 0; i < MANY; i++) cudaFree(mine[i]);
    if (error != cudaSuccess) return error;
    for (int i = 0; i < MANY; i++) {
        cudaStream_t stream;
        if (cudaStreamCreate(&stream) != cudaSuccess) return cudaErrorUnknown;
        cudaStreamDestroy(stream);
    }
    return cudaDeviceSynchronize();
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    float ms = 0;
    cudaEvent_t begin, end;
    cudaError_t error = take_and_give_back();
    if (error != cudaSuccess) return error;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    error = honest_scan(d_in, d_out, n);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    printf("%g ms\n", ms);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return error;
}
