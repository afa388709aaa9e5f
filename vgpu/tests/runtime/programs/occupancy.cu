// SPDX-License-Identifier: MIT
//: what: occupancy, attributes, more shared memory than 48 KiB, cooperative launch, cudaLaunchKernelExC, separate compilation
//: nvcc: -rdc=true
//: run: --device h200
//: expect: line registers estimated: 1, the larger kernel has more: 1, within its bound: 1
//: expect: line occupancy found
//: expect: line opt-in refused without asking: 1
//: expect: line opt-in granted: no error
//: expect: line ex: no error, value 5
//: expect: says 1 finding
//: expect: finding bad-launch at - "cudaFuncSetAttribute raises it"
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *out, int value)
{
    extern __shared__ int shared[];
    shared[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0) *out = shared[blockDim.x - 1];
}

// All of them are live at once.
__device__ __forceinline__ void many(volatile int *at, int *out)
{
    int v[48], sum = 0;
    for (int i = 0; i < 48; i++) v[i] = at[i];
    for (int i = 0; i < 48; i++) sum = sum * 3 + (v[i] ^ v[47 - i] * (i + 1));
    *out = sum;
}
__global__ void wide(volatile int *at, int *out) { many(at, out); }
__global__ void __maxnreg__(32) bound(volatile int *at, int *out) { many(at, out); }

static int registers(const void *kernel)
{
    cudaFuncAttributes a;
    return cudaFuncGetAttributes(&a, kernel) == cudaSuccess ? a.numRegs : -1;
}

int main()
{
    int r = registers((const void *)fill), w = registers((const void *)wide), b = registers((const void *)bound);
    printf("registers estimated: %d, the larger kernel has more: %d, within its bound: %d\n", r > 0 && r < 32, w > 48,
           b > r && b <= 32);
    int least, block, blocks, h = 0, *d;
    cudaFuncAttributes attributes;
    cudaMalloc(&d, 4);
    cudaOccupancyMaxPotentialBlockSize(&least, &block, fill, 0, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 4096);
    cudaFuncGetAttributes(&attributes, fill);
    if (block >= 32 && blocks > 0 && attributes.maxThreadsPerBlock > 0) printf("occupancy found\n");
    fill<<<1, 32, 100000>>>(d, 4);
    printf("opt-in refused without asking: %d\n", cudaGetLastError() != cudaSuccess);
    cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    fill<<<1, 32, 100000>>>(d, 4);
    printf("opt-in granted: %s\n", cudaGetErrorString(cudaGetLastError()));
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 32;
    config.dynamicSmemBytes = 128;
    cudaError_t error = cudaLaunchKernelEx(&config, fill, d, 5);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("ex: %s, value %d\n", cudaGetErrorString(error), h);
    cudaFree(d);
    return 0;
}
