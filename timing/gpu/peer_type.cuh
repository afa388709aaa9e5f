// SPDX-License-Identifier: MIT
//
// peer_type.cuh: what the peers that scan one type have in common: T and TYPE
// of -DPEER_TYPE=int32 and so on, its tuples, CUB's scan of it. CUB has no scan
// of higher order: it is called again on its own output.
#pragma once

#include <cub/device/device_scan.cuh>

#include "peers.cuh"

namespace {

#define X(name, type, bytes) typedef type element_##name;
#include "bench_types.def"
#undef X
#define JOINED(a, b) a##b
#define JOIN(a, b)   JOINED(a, b)
typedef JOIN(element_, PEER_TYPE) T;
const int TYPE = JOIN(BENCH_TYPE_, PEER_TYPE);

template <int S> struct tuple { T slot[S]; };

struct add {
    template <int S>
    __host__ __device__ tuple<S> operator()(const tuple<S> &a,
                                            const tuple<S> &b) const {
        tuple<S> sum;
#pragma unroll
        for (int i = 0; i < S; i++) sum.slot[i] = a.slot[i] + b.slot[i];
        return sum;
    }
};

[[maybe_unused]] cudaError_t cub_inclusive(peer_call *c) {
    const T *in = (const T *)c->in;
    T *out = (T *)c->out;
    int64_t n = (int64_t)c->n;
    cudaError_t error =
        cub::DeviceScan::InclusiveSum(c->temp, c->temp_bytes, in, out, n);
    for (int q = 1; q < c->order && !error && c->temp; q++)
        error =
            cub::DeviceScan::InclusiveSum(c->temp, c->temp_bytes, out, out, n);
    return error;
}

} // namespace
