// SPDX-License-Identifier: MIT
// Memory that the device has not: CUDA's error for the program, and for whoever runs it what to do.
// expect: out of memory
// expect: no error
// report: vgpu: no findings
// report: vgpu: no room for an allocation of 5000000000 bytes on teach, which has 1024 MiB; --device chooses another
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    void *much, *little;
    printf("%s\n", cudaGetErrorString(cudaMalloc(&much, 5000000000)));
    printf("%s\n", cudaGetErrorString(cudaMalloc(&little, 4000)));
    cudaFree(little);
    return 0;
}
