// SPDX-License-Identifier: MIT
// Native code only: the virtual GPU cannot run it and must say so.
// nvcc: -gencode arch=compute_75,code=sm_75
// options: --format text
// exit: 86
// expect: no kernel image is available for execution on the device
// report: PTX
#include <cstdio>
#include <cuda_runtime.h>

__global__ void nothing() {}

int main()
{
    nothing<<<1, 1>>>();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
