// SPDX-License-Identifier: MIT
//
// peers_apps.cu: what lab 8 builds, from CUB and Thrust. CUB leaves the count
// on the device; Thrust, like the labs' functions, waits for it, and so does
// cub-counted, which is CUB and then a copy of its count to the host.
#include <cub/device/device_partition.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include "peers.cuh"

namespace {

typedef int32_t T;
struct negative {
    __host__ __device__ bool operator()(const T &x) const { return x < 0; }
};

cudaError_t cub_select(peer_call *c) {
    return cub::DeviceSelect::If(c->temp, c->temp_bytes, (const T *)c->in,
                                 (T *)c->out, c->n_out, (int64_t)c->n,
                                 negative());
}

cudaError_t cub_partition(peer_call *c) {
    return cub::DevicePartition::If(c->temp, c->temp_bytes, (const T *)c->in,
                                    (T *)c->out, c->n_out, (int64_t)c->n,
                                    negative());
}

cudaError_t cub_run_length(peer_call *c) {
    return cub::DeviceRunLengthEncode::Encode(
        c->temp, c->temp_bytes, (const T *)c->in, (T *)c->out, (T *)c->out2,
        c->n_out, (int64_t)c->n);
}

cudaError_t cub_by_key(peer_call *c) {
    return cub::DeviceReduce::ReduceByKey(
        c->temp, c->temp_bytes, (const T *)c->in, (T *)c->out,
        (const T *)c->in2, (T *)c->out2, c->n_out, ::cuda::std::plus<>(),
        (int64_t)c->n);
}

// Where a copy takes the least time. Allocated while temporary storage is
// asked for, which no clock sees.
uint64_t *word_of_host() {
    void *word = NULL;
    return cudaMallocHost(&word, sizeof(uint64_t)) == cudaSuccess
               ? (uint64_t *)word
               : NULL;
}

template <peer_function *cub> cudaError_t counted(peer_call *c) {
    static uint64_t *const count = word_of_host();
    if (count == NULL) return cudaErrorMemoryAllocation;
    cudaError_t status = cub(c);
    if (status != cudaSuccess || !c->temp) return status;
    return cudaMemcpy(count, c->n_out, sizeof *count, cudaMemcpyDeviceToHost);
}

cudaError_t told(peer_call *c, size_t n) {
    uint64_t count = n;
    return cudaMemcpy(c->n_out, &count, sizeof count, cudaMemcpyHostToDevice);
}

cudaError_t thrust_select(peer_call *c) {
    if (!c->temp) return c->temp_bytes = 0, cudaSuccess;
    thrust::device_ptr<const T> in((const T *)c->in);
    thrust::device_ptr<T> out((T *)c->out);
    return told(c, (size_t)(thrust::copy_if(thrust::device, in, in + c->n, out,
                                            negative()) -
                            out));
}

cudaError_t thrust_by_key(peer_call *c) {
    if (!c->temp) return c->temp_bytes = 0, cudaSuccess;
    thrust::device_ptr<const T> keys((const T *)c->in),
        values((const T *)c->in2);
    thrust::device_ptr<T> out((T *)c->out), sums((T *)c->out2);
    auto end = thrust::reduce_by_key(thrust::device, keys, keys + c->n, values,
                                     out, sums);
    return told(c, (size_t)(end.first - out));
}

const peer table[] = {
    {{"cub", BENCH_select_half, BENCH_TYPE_int32, 1, 1}, cub_select},
    {{"cub", BENCH_partition_half, BENCH_TYPE_int32, 1, 1}, cub_partition},
    {{"cub", BENCH_run_length, BENCH_TYPE_int32, 1, 1}, cub_run_length},
    {{"cub", BENCH_reduce_by_key, BENCH_TYPE_int32, 1, 1}, cub_by_key},
    {{"cub-counted", BENCH_select_half, BENCH_TYPE_int32, 1, 1},
     counted<cub_select>},
    {{"cub-counted", BENCH_partition_half, BENCH_TYPE_int32, 1, 1},
     counted<cub_partition>},
    {{"cub-counted", BENCH_run_length, BENCH_TYPE_int32, 1, 1},
     counted<cub_run_length>},
    {{"cub-counted", BENCH_reduce_by_key, BENCH_TYPE_int32, 1, 1},
     counted<cub_by_key>},
    {{"thrust", BENCH_select_half, BENCH_TYPE_int32, 1, 1}, thrust_select},
    {{"thrust", BENCH_reduce_by_key, BENCH_TYPE_int32, 1, 1}, thrust_by_key},
};

} // namespace

extern "C" const peer *bench_peers(size_t *n) {
    *n = sizeof table / sizeof *table;
    return table;
}
