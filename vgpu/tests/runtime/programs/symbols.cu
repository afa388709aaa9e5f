// SPDX-License-Identifier: MIT
//: what: __device__ and __constant__ variables, static and dynamic shared memory, printf from the device
//: run:
//: expect: line host before
//: expect: line thread 0 sees 7 and 2.5
//: expect: line table 0 1 4 9
#include <cstdio>
#include <cuda_runtime.h>

__device__ int table[4];
__device__ int seven = 7;
__constant__ float scale;

__global__ void squares()
{
    extern __shared__ int shared[];
    shared[threadIdx.x] = (int)(threadIdx.x * threadIdx.x);
    __syncthreads();
    table[threadIdx.x] = shared[threadIdx.x];
    if (threadIdx.x == 0) printf("thread 0 sees %d and %g\n", seven, scale);
}

int main()
{
    float h_scale = 2.5f;
    int h[4] = {-1, -1, -1, -1};
    size_t bytes = 0;
    cudaMemcpyToSymbol(scale, &h_scale, sizeof h_scale);
    squares<<<1, 4, 4 * sizeof(int)>>>();
    printf("host before\n");
    cudaMemcpyFromSymbol(h, table, sizeof h);
    printf("table %d %d %d %d\n", h[0], h[1], h[2], h[3]);
    return cudaGetSymbolSize(&bytes, table) != cudaSuccess || bytes != sizeof h;
}
