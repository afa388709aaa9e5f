// SPDX-License-Identifier: MIT
// The default of nvcc: the runtime linked in. The later flag replaces the earlier.
// nvcc: -cudart static
// exit: 2
// report: rebuild it with `nvcc -cudart shared`
#include <cuda_runtime.h>

__global__ void nothing() {}

int main()
{
    nothing<<<1, 1>>>();
    return cudaDeviceSynchronize();
}
