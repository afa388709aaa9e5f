// SPDX-License-Identifier: MIT
//
// gpu.cu: a rank's part on a GPU, by lab 6's fast scan. nvcc makes a library of
// it and timing/fast/lookback.cu (timing/docs/several-devices.md); exscan loads
// it where it lies beside it.
#include <errno.h>

#include "lookback.h"
#include "ranks.h"
#include "scanlab.h"

static int error_of(cudaError_t status) {
    return status == cudaSuccess                 ? 0
           : status == cudaErrorMemoryAllocation ? ENOMEM
                                                 : EIO;
}

static int open_gpu(struct ranks_part *p, const int32_t *in, size_t n,
                    int local, int) {
    int devices = 0;
    cudaError_t status = cudaGetDeviceCount(&devices);
    size_t bytes = (n ? n : 1) * sizeof *in;
    p->n = n;
    if (status == cudaSuccess) status = cudaSetDevice(local % devices);
    if (status == cudaSuccess)
        status = cudaMalloc((void **)&p->device_in, bytes);
    if (status == cudaSuccess) status = cudaMalloc((void **)&p->out, bytes);
    if (status == cudaSuccess)
        status = cudaMalloc((void **)&p->sum, sizeof *p->sum);
    if (status == cudaSuccess)
        status = cudaMemcpy(p->device_in, in, n * sizeof *in,
                            cudaMemcpyHostToDevice);
    return error_of(status);
}

static __global__ void sum_all(const int32_t *in, size_t n, uint32_t *sum) {
    uint32_t mine = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += step)
        mine += (uint32_t)in[i];
    for (int d = 16; d > 0; d /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, d);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

static __global__ void add_to_first(int32_t *in, int32_t more) {
    in[0] = (int32_t)((uint32_t)in[0] + (uint32_t)more);
}

static int total_of_gpu(struct ranks_part *p, int32_t *sum) {
    cudaError_t status = cudaMemset(p->sum, 0, sizeof *p->sum);
    if (status == cudaSuccess) {
        sum_all<<<1024, 256>>>(p->device_in, p->n, p->sum);
        status = cudaMemcpy(sum, p->sum, sizeof *sum, cudaMemcpyDeviceToHost);
    }
    return error_of(status);
}

/* The first element takes in what lies before, and gives it back. */
static int scan_on_gpu(struct ranks_part *p, int32_t before) {
    if (p->n == 0) return 0;
    add_to_first<<<1, 1>>>(p->device_in, before);
    cudaError_t status =
        lookback_scan_i32(p->device_in, p->out, p->n, SCAN_SUM);
    add_to_first<<<1, 1>>>(p->device_in, (int32_t)(0u - (uint32_t)before));
    if (status == cudaSuccess) status = cudaDeviceSynchronize();
    return error_of(status);
}

static int result_of_gpu(const struct ranks_part *p, int32_t *out) {
    return error_of(
        cudaMemcpy(out, p->out, p->n * sizeof *out, cudaMemcpyDeviceToHost));
}

static void close_gpu(struct ranks_part *p) {
    cudaFree(p->device_in), cudaFree(p->out), cudaFree(p->sum);
}

static const struct ranks_engine engine = {
    "gpu", open_gpu, total_of_gpu, scan_on_gpu, result_of_gpu, close_gpu};

extern "C" const struct ranks_engine *ranks_gpu_engine(void) {
    int devices = 0;
    bool some = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
    return some ? &engine : NULL;
}
