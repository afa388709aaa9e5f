/* SPDX-License-Identifier: MIT
 *
 * peers.cuh: what a library of peers gives the measuring process: a table. Each
 * peers_*.cu is compiled into one library (or one per type, PEER_TYPE).
 */
#pragma once

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#include "bench_wire.h"

/* One call. All but n_out are as the labs' functions get them. */
struct peer_call {
    const void *in, *in2;
    void *out, *out2;
    size_t n;
    int order;
    uint64_t *n_out; /* on the device: peers do not wait for it */
    /* As CUB does it: temp NULL: nothing is computed, temp_bytes is set. The
     * measuring process allocates it before the clock starts. */
    void *temp;
    size_t temp_bytes;
};

typedef cudaError_t peer_function(struct peer_call *);

struct peer {
    struct bench_peer what;
    peer_function *run;
};

/* The library's table. */
extern "C" const struct peer *bench_peers(size_t *n);
