// SPDX-License-Identifier: MIT
//: what: ceil(log2 n) launches of one block; in each, its 32 threads scan
//     the next part of the input from where the last part ended
//: kind: serial
//: group: unseen
#include "naive.h"
#include "scanlab.h"

/* Elements begin to end, after the sum that stands before begin. */
__global__ void next_part(const int32_t *in, int32_t *out, size_t begin,
                          size_t end) {
    unsigned lane = threadIdx.x;
    int32_t before = begin ? out[begin - 1] : 0;
    for (size_t row = begin; row < end; row += 32) {
        int32_t sum = row + lane < end ? in[row + lane] : 0;
        for (unsigned d = 1; d < 32; d *= 2) {
            int32_t left = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d) sum = scan_add(left, sum);
        }
        sum = scan_add(before, sum);
        if (row + lane < end) out[row + lane] = sum;
        before = __shfl_sync(0xffffffffu, sum, 31);
    }
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    size_t parts = 1;
    while ((size_t)1 << parts < n) parts++;
    cudaError_t status = cudaSuccess;
    for (size_t p = 0; p < parts && n > 0 && status == cudaSuccess; p++) {
        next_part<<<1, 32>>>(d_in, d_out, n * p / parts, n * (p + 1) / parts);
        status = cudaGetLastError();
    }
    return status;
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    cudaError_t status = cudaMemsetAsync(d_out, 0, sizeof *d_out);
    if (status != cudaSuccess || n == 1) return status;
    return naive_inclusive_scan(d_in, d_out + 1, n - 1);
}
