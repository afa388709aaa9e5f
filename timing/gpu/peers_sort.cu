// SPDX-License-Identifier: MIT
//
// peers_sort.cu: CUB's and Thrust's radix sorts of 32-bit unsigned keys. Thrust
// sorts in place: a copy of the input comes first, inside its time.
#include <cub/device/device_radix_sort.cuh>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "peers.cuh"

namespace {

typedef uint32_t T;

cudaError_t cub_keys(peer_call *c) {
    return cub::DeviceRadixSort::SortKeys(
        c->temp, c->temp_bytes, (const T *)c->in, (T *)c->out, (int64_t)c->n);
}

cudaError_t cub_pairs(peer_call *c) {
    return cub::DeviceRadixSort::SortPairs(
        c->temp, c->temp_bytes, (const T *)c->in, (T *)c->out,
        (const T *)c->in2, (T *)c->out2, (int64_t)c->n);
}

cudaError_t thrust_keys(peer_call *c) {
    if (!c->temp) return c->temp_bytes = 0, cudaSuccess;
    cudaError_t error = cudaMemcpyAsync(c->out, c->in, c->n * sizeof(T),
                                        cudaMemcpyDeviceToDevice);
    thrust::device_ptr<T> keys((T *)c->out);
    thrust::sort(thrust::device, keys, keys + c->n);
    return error ? error : cudaGetLastError();
}

const peer table[] = {
    {{"cub", BENCH_sort_keys, BENCH_TYPE_int32, 1, 1}, cub_keys},
    {{"cub", BENCH_sort_pairs, BENCH_TYPE_int32, 1, 1}, cub_pairs},
    {{"thrust", BENCH_sort_keys, BENCH_TYPE_int32, 1, 1}, thrust_keys},
};

} // namespace

extern "C" const peer *bench_peers(size_t *n) {
    *n = sizeof table / sizeof *table;
    return table;
}
