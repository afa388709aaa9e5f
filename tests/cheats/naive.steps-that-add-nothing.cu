// SPDX-License-Identifier: MIT
//: what: Lab 4's scan in three launches between others that copy, and of which
//     every second one adds elements times nothing: as many launches, additions
//     and words as Hillis and Steele have, but no step goes further.
//: twin: mutant.naive.honest-longest-steps-first
//: expect: launches fail "reach_launches"
//: expect: work fail
//: expect: depth pass
#include "naive.h"
#include "scanlab.h"

/* Hillis and Steele: one launch per step. */
enum { B = 1024 };

/* One step: every element and its neighbour `offset` to the left. */
__global__ void step(const int32_t *src, int32_t *dst, size_t n, size_t offset,
                     int32_t range) {
    size_t i = (size_t)blockIdx.x * B + threadIdx.x;
    if (i >= n) return;
    int32_t sum = src[i];
    if (i >= offset) sum = scan_add(sum, src[i - offset] & range);
    dst[i] = sum;
}

/* The first step prepares the elements of a block. */
__global__ void prepare(const int32_t *src, int32_t *dst, size_t n,
                        int32_t *last) {
    __shared__ int32_t warps[32];
    size_t i = (size_t)blockIdx.x * B + threadIdx.x;
    unsigned l = threadIdx.x & 31, w = threadIdx.x >> 5;
    int32_t x = i < n ? src[i] : 0;
    for (unsigned d = 1; d < 32; d *= 2) {
        int32_t y = __shfl_up_sync(~0u, x, d);
        if (l >= d) x = scan_add(y, x);
    }
    if (l == 31) warps[w] = x;
    __syncthreads();
    if (w == 0) {
        int32_t v = warps[l];
        for (unsigned d = 1; d < 32; d *= 2) {
            int32_t y = __shfl_up_sync(~0u, v, d);
            if (l >= d) v = scan_add(y, v);
        }
        warps[l] = v;
    }
    __syncthreads();
    if (w > 0) x = scan_add(warps[w - 1], x);
    if (i < n) dst[i] = x;
    if (last && threadIdx.x == B - 1) last[blockIdx.x] = x;
}

/* The last step. */
__global__ void finish(const int32_t *src, int32_t *dst, size_t n,
                       const int32_t *last) {
    size_t i = (size_t)blockIdx.x * B + threadIdx.x;
    if (i >= n) return;
    int32_t x = src[i];
    if (blockIdx.x > 0) x = scan_add(last[blockIdx.x - 1], x);
    dst[i] = x;
}

static unsigned blocks_of(size_t n) {
    return (unsigned)((n + B - 1) / B);
}

/* sums[0..m): scanned in place; room for the next level's sums behind them.
 * Counts its launches. */
static cudaError_t sums_scan(int32_t *sums, size_t m, int *launches) {
    size_t blocks = blocks_of(m);
    prepare<<<(unsigned)blocks, B>>>(sums, sums, m,
                                     blocks > 1 ? sums + m : NULL);
    cudaError_t e = cudaGetLastError();
    ++*launches;
    if (blocks == 1 || e != cudaSuccess) return e;
    e = sums_scan(sums + m, blocks, launches);
    if (e != cudaSuccess) return e;
    finish<<<(unsigned)blocks, B>>>(sums, sums, m, sums + m);
    ++*launches;
    return cudaGetLastError();
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    if (n == 1)
        return cudaMemcpyAsync(d_out, d_in, sizeof *d_in,
                               cudaMemcpyDeviceToDevice);
    int steps = 0, launches = 1;
    while (((size_t)1 << steps) < n) steps++;
    size_t blocks = blocks_of(n);
    int32_t *tmp = NULL;
    cudaError_t e = cudaMalloc(&tmp, (n + 2 * blocks + 64) * sizeof *tmp);
    if (e != cudaSuccess) return e;
    int32_t *sums = tmp + n;

    /* the scan itself: a launch, one for the blocks' sums, one to add them */
    int before_pads = steps - 1;
    if (blocks > 1) before_pads = steps - 3;
    if (blocks > B) before_pads = steps - 5;
    bool in_tmp = before_pads % 2 != 0; /* pads go to and fro */
    if (blocks > 1) in_tmp = !in_tmp;
    int32_t *cur = in_tmp ? tmp : d_out, *other = in_tmp ? d_out : tmp;
    prepare<<<(unsigned)blocks, B>>>(d_in, cur, n, blocks > 1 ? sums : NULL);
    e = cudaGetLastError();
    if (blocks > 1 && e == cudaSuccess) {
        e = sums_scan(sums, blocks, &launches);
        if (e == cudaSuccess) {
            finish<<<(unsigned)blocks, B>>>(cur, other, n, sums);
            e = cudaGetLastError();
            launches++;
        }
        int32_t *t = cur;
        cur = other;
        other = t;
    }
    /* and the steps of Hillis and Steele */
    for (size_t d = 1; launches < steps && e == cudaSuccess;
         d *= 2, launches++) {
        step<<<(unsigned)blocks, B>>>(cur, other, n, launches % 2 ? d : n, 0);
        e = cudaGetLastError();
        int32_t *t = cur;
        cur = other;
        other = t;
    }
    cudaError_t f = cudaFree(tmp);
    return e != cudaSuccess ? e : f;
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    cudaError_t e = cudaMemsetAsync(d_out, 0, sizeof *d_out);
    if (e != cudaSuccess) return e;
    return naive_inclusive_scan(d_in, d_out + 1, n - 1);
}
