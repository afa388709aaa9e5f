// SPDX-License-Identifier: MIT
//: what: a signal to the tool reaches the program, and a kernel does not outlive the program it belongs to
//: run: --budget 1000000000000
//: interrupt: TERM
//: twice: no, a signal comes when it comes
//: exit: 143
//: expect: line launching
//: expect: says signal 15
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
