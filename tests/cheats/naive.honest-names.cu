// SPDX-License-Identifier: MIT
//: what: The honest twin of those who let a library do the scan: CUB and Thrust
//     stand in comments, in strings and in code that is left out, and as parts
//     of names. Full marks.
//: expect: tiny pass
//: expect: one-block pass
//: expect: * any
// #include <cub/cub.cuh> would be cheating, and so would cub::DeviceScan.
/*
#include <cub/device/device_scan.cuh>
#include <thrust/scan.h>
*/
#if 0
#include <cub/cub.cuh>
#endif
#include "naive.h"
#include "scanlab.h"

static const char *const used = "no\n#include <thrust/scan.h>\nof mine";

namespace mycub {
__global__ void step(const int32_t *in, int32_t *out, size_t n,
                     size_t distance) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] = i < distance ? in[i] : scan_add(in[i - distance], in[i]);
}
} // namespace mycub

namespace own {
namespace thrust {
__global__ void copy(const int32_t *in, int32_t *out, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
} // namespace thrust
} // namespace own

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    int32_t *rooms[2] = {d_out, NULL};
    unsigned blocks = (unsigned)((n + 255) / 256), at = 0;
    if (!n || !used) return cudaSuccess;
    if (cudaMalloc(&rooms[1], n * sizeof(int32_t)) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    own::thrust::copy<<<blocks, 256>>>(d_in, d_out, n);
    for (size_t distance = 1; distance < n; distance *= 2, at ^= 1)
        mycub::step<<<blocks, 256>>>(rooms[at], rooms[at ^ 1], n, distance);
    if (at) own::thrust::copy<<<blocks, 256>>>(rooms[1], d_out, n);
    cudaError_t error = cudaGetLastError();
    cudaFree(rooms[1]);
    return error;
}
