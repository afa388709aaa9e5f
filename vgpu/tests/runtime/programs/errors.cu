// SPDX-License-Identifier: MIT
//: what: errors of launches as CUDA reports them: bad configuration at once, a fault in the kernel at the next call and after
//: run:
//: expect: line too many threads: invalid configuration argument
//: expect: line then: no error
//: expect: line after launch: no error
//: expect: line synchronise: an illegal memory access was encountered
//: expect: line malloc: an illegal memory access was encountered
//: expect: finding bad-launch at -
//: expect: finding out-of-bounds at outside
#include <cstdio>
#include <cuda_runtime.h>

__global__ void store(int *out, int i)
{
    out[i] = 1; // BUG outside
}

static void say(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorString(error));
}

int main()
{
    int *d;
    cudaMalloc(&d, 4);
    store<<<1, 4096>>>(d, 0);
    say("too many threads", cudaGetLastError());
    say("then", cudaGetLastError());
    store<<<1, 1>>>(d, 1 << 20);
    say("after launch", cudaGetLastError());
    say("synchronise", cudaDeviceSynchronize());
    say("malloc", cudaMalloc(&d, 4));
    return 0;
}
