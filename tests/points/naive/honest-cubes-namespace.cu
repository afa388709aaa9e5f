// SPDX-License-Identifier: MIT
//: what: the steps as asked, in a namespace named cubes, with a library's
//     include in a comment
//: kind: honest
//: group: seen
#include "naive.h"
#include "scanlab.h"

/* Not allowed here, and not needed:
#include <cub/cub.cuh>
#include <thrust/scan.h>
*/
namespace cubes {
template <typename T>
__global__ void inclusive_step(const T *from, T *to, size_t n, size_t d) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = i < d ? from[i] : scan_add(from[i - d], from[i]);
}

template <typename T>
cudaError_t InclusiveSum(const T *in, T *out, T *spare, size_t n) {
    bool odd = false;
    for (size_t d = 1; d < n; d *= 2) odd = !odd;
    const T *from = in;
    for (size_t d = 1; d < n; d *= 2, odd = !odd) {
        T *to = odd ? out : spare;
        inclusive_step<<<(unsigned)((n + 511) / 512), 512>>>(from, to, n, d);
        cudaError_t status = cudaGetLastError();
        if (status != cudaSuccess) return status;
        from = to;
    }
    return n > 1 ? cudaSuccess
                 : cudaMemcpyAsync(out, in, n * sizeof *in,
                                   cudaMemcpyDeviceToDevice);
}
} // namespace cubes

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    int32_t *spare = NULL;
    cudaError_t status = cudaMalloc(&spare, n * sizeof *spare);
    if (status != cudaSuccess) return status;
    status = cubes::InclusiveSum(d_in, d_out, spare, n);
    cudaError_t freed = cudaFree(spare);
    return status != cudaSuccess ? status : freed;
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    cudaError_t status = cudaMemsetAsync(d_out, 0, sizeof *d_out);
    if (status != cudaSuccess || n == 1) return status;
    return naive_inclusive_scan(d_in, d_out + 1, n - 1);
}
