// SPDX-License-Identifier: MIT
//: what: memory that the device has not: an error for the program, and for whoever runs it what to do
//: run:
//: expect: line out of memory
//: expect: line no error
//: expect: says vgpu: no findings
//: expect: says vgpu: no room for an allocation of 5000000000000 bytes on teach, which has 16384 MiB
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    void *much, *little;
    printf("%s\n", cudaGetErrorString(cudaMalloc(&much, 5000000000000)));
    printf("%s\n", cudaGetErrorString(cudaMalloc(&little, 4000)));
    cudaFree(little);
    return 0;
}
