// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that a block leaves in shared memory and the next block in its
//     place takes for its own, although nobody has written there.
//: twin: mutant.work-efficient.honest-fused-top
//: row: 13
//: expect: work fail "data_ops: "
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

static void fill(const int32_t *in, int32_t *out, size_t n) {
    int sms = 1, each = 1;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, hand_on, TILE, 0);
    unsigned places = (unsigned)(sms * each);
    for (size_t first = 0; first < n; first += places * (size_t)TILE)
        hand_on<<<2 * places, TILE>>>(in, out, first, n, places);
}

#define FILL fill
#include "n_log_n.h"
