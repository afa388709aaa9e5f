/* SPDX-License-Identifier: MIT
 *
 * cub.cu: the largest PTX that students' neighbours produce: CUB device-wide
 * algorithms.
 */
#include <cub/cub.cuh>

struct even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

void all(int *in, int *out, int *n, void *temp, size_t bytes) {
    cub::DeviceScan::ExclusiveSum(temp, bytes, in, out, 100);
    cub::DeviceScan::InclusiveSum(temp, bytes, in, out, 100);
    cub::DeviceSelect::If(temp, bytes, in, out, n, 100, even());
    cub::DeviceRadixSort::SortKeys(temp, bytes, in, out, 100);
    cub::DeviceReduce::Sum(temp, bytes, in, out, 100);
}
