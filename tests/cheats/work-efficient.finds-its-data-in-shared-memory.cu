// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that a block leaves in shared memory and the next block in its
//     place takes for its own, although nobody has written there.
//: twin: mutant.work-efficient.honest-fused-top
//: row: 13
//: expect: work fail "data_ops: 9"
//: expect: * any
#include "work_efficient.h"

enum { TILE = 256, MOST_PLACES = 48 };

/* As many blocks as there are places for leave all their tiles there; each of
 * as many others takes one, wherever it comes to be. */
static __global__ void hand_on(const int32_t *in, int32_t *out, size_t first,
                               size_t n, unsigned places) {
    __shared__ volatile int32_t tiles[MOST_PLACES][TILE];
    unsigned t = threadIdx.x, mine = blockIdx.x - places;
    size_t i = first + t;
    if (blockIdx.x < places)
        for (unsigned k = 0; k < places; k++, i += TILE)
            tiles[k][t] = i && i < n ? in[i - 1] : 0;
    else if (i + mine * (size_t)TILE < n)
        out[i + mine * (size_t)TILE] = tiles[mine][t];
}

static __global__ void step(const int32_t *in, int32_t *out, size_t n,
                            size_t distance) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = i >= distance ? in[i - distance] + in[i] : in[i];
}

cudaError_t work_efficient_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    int32_t *from = NULL, *to = d_out;
    int sms = 1, each = 1;
    unsigned blocks = (unsigned)((n + TILE - 1) / TILE), places;
    if (!n) return cudaSuccess;
    if (cudaMalloc(&from, n * sizeof *from) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, hand_on, TILE, 0);
    places = (unsigned)(sms * each);
    int32_t *other = from;
    for (size_t first = 0; first < n; first += places * (size_t)TILE)
        hand_on<<<2 * places, TILE>>>(d_in, from, first, n, places);
    for (size_t distance = 1; distance < n; distance *= 2) {
        step<<<blocks, TILE>>>(from, to, n, distance);
        int32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != d_out)
        cudaMemcpy(d_out, from, n * sizeof *from, cudaMemcpyDeviceToDevice);
    cudaFree(other);
    return cudaDeviceSynchronize();
}
