/* SPDX-License-Identifier: MIT
 *
 * module.cu: a module of the size that real programs have, to time its parsing
 * and decoding: CUB's scan, selection and radix sort.
 */
#include <cub/cub.cuh>

struct positive {
    __device__ bool operator()(int x) const { return x > 0; }
};

void use_everything(void *temp, size_t bytes, int *in, int *out, int *n_out,
                    int n) {
    cub::DeviceScan::InclusiveSum(temp, bytes, in, out, n);
    cub::DeviceSelect::If(temp, bytes, in, out, n_out, n, positive());
    cub::DeviceRadixSort::SortKeys(temp, bytes, in, out, n);
}
