// SPDX-License-Identifier: MIT
//: what: the default of nvcc: the runtime linked in. The later flag replaces the earlier.
//: nvcc: -cudart static
//: run:
//: exit: 2
//: expect: says rebuild it with `nvcc -cudart shared`
#include <cuda_runtime.h>

__global__ void nothing() {}

int main()
{
    nothing<<<1, 1>>>();
    return cudaDeviceSynchronize();
}
