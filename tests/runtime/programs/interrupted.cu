// SPDX-License-Identifier: MIT
// A signal to the tool reaches the program, and a kernel does not outlive the program it belongs to.
// options: --budget 1000000000000
// interrupt: TERM
// exit: 143
// expect: launching
// report: signal 15
#include <cstdio>
#include <cuda_runtime.h>

__global__ void busy(int *p)
{
    for (long i = 0; i < 1000000000000L; i++) *p += (int)(i ^ *p);
}

int main()
{
    int *d;
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    printf("launching\n");
    fflush(stdout);
    busy<<<1, 1>>>(d);
    return cudaDeviceSynchronize();
}
