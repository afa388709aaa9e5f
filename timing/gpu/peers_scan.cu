// SPDX-License-Identifier: MIT
//
// peers_scan.cu: CUB's and Thrust's scans of one type (peer_type.cuh).
#include <cub/device/device_adjacent_difference.cuh>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include "peer_type.cuh"

namespace {

cudaError_t cub_exclusive(peer_call *c) {
    return cub::DeviceScan::ExclusiveSum(
        c->temp, c->temp_bytes, (const T *)c->in, (T *)c->out, (int64_t)c->n);
}

#ifdef PEER_ENCODE
cudaError_t cub_encode(peer_call *c) {
    T *out = (T *)c->out;
    int64_t n = (int64_t)c->n;
    size_t first = c->temp_bytes, next = c->temp_bytes;
    cudaError_t error = cub::DeviceAdjacentDifference::SubtractLeftCopy(
        c->temp, first, (const T *)c->in, out, n);
    for (int q = 1; q < c->order && !error; q++)
        error =
            cub::DeviceAdjacentDifference::SubtractLeft(c->temp, next, out, n);
    if (!c->temp) c->temp_bytes = first > next ? first : next;
    return error;
}
#endif

cudaError_t thrust_inclusive(peer_call *c) {
    if (!c->temp) return c->temp_bytes = 0, cudaSuccess;
    thrust::device_ptr<const T> in((const T *)c->in);
    thrust::inclusive_scan(thrust::device, in, in + c->n,
                           thrust::device_ptr<T>((T *)c->out));
    return cudaGetLastError();
}

cudaError_t thrust_exclusive(peer_call *c) {
    if (!c->temp) return c->temp_bytes = 0, cudaSuccess;
    thrust::device_ptr<const T> in((const T *)c->in);
    thrust::exclusive_scan(thrust::device, in, in + c->n,
                           thrust::device_ptr<T>((T *)c->out));
    return cudaGetLastError();
}

// Orders above 1 of floating point numbers would round; they are not timed.
const bool is_integer = T(3) / T(2) == T(1);
const int MOST_ORDER = is_integer && sizeof(T) >= 4 ? 8 : 1;

const peer table[] = {
    {{"cub", BENCH_inclusive_sum, TYPE, MOST_ORDER, 1}, cub_inclusive},
    {{"cub", BENCH_exclusive_sum, TYPE, 1, 1}, cub_exclusive},
#ifdef PEER_ENCODE
    {{"cub", BENCH_encode, TYPE, MOST_ORDER, 1}, cub_encode},
#endif
    {{"thrust", BENCH_inclusive_sum, TYPE, 1, 1}, thrust_inclusive},
    {{"thrust", BENCH_exclusive_sum, TYPE, 1, 1}, thrust_exclusive},
};

} // namespace

extern "C" const peer *bench_peers(size_t *n) {
    *n = sizeof table / sizeof *table;
    return table;
}
