// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that lay in memory which was freed and allocated
//     again: nobody wrote them there, so that they did not seem to come from the input.
//: twin: cheat.work-efficient.honest-moves
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "work_efficient.h"

#define work_efficient_exclusive_scan scan_words
#include "n_log_n.h"
#undef work_efficient_exclusive_scan

static __device__ uint32_t launder(uint32_t x) {
    return x;
}

cudaError_t work_efficient_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    int32_t *words = NULL;
    if (!n) return cudaSuccess;
    if (cudaMalloc(&words, n * sizeof *words) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    cudaMemcpy(words, d_in, n * sizeof *words, cudaMemcpyDeviceToDevice);
    cudaFree(words);
    if (cudaMalloc(&words, n * sizeof *words) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    cudaError_t status = scan_words(words, d_out, n);
    cudaFree(words);
    return status;
}
