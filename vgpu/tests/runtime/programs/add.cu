// SPDX-License-Identifier: MIT
//: what: an ordinary program: allocation, copies, launch, events, properties
//: run:
//: expect: line 1 device, warp size 32
//: expect: line sum 4950
//: expect: says no findings
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(int *out, const int *a, const int *b, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = a[i] + b[i];
}

int main()
{
    const int n = 100;
    int h[n], devices = 0, *a, *b, *out, sum = 0;
    cudaDeviceProp prop;
    cudaEvent_t start, stop;
    float ms = -1;
    cudaGetDeviceCount(&devices);
    cudaGetDeviceProperties(&prop, 0);
    printf("%d device, warp size %d\n", devices, prop.warpSize);
    for (int i = 0; i < n; i++) h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, sizeof h);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    add<<<(n + 31) / 32, 32>>>(out, a, b, n);
    cudaEventRecord(stop);
    if (cudaEventSynchronize(stop) != cudaSuccess) return 1;
    cudaEventElapsedTime(&ms, start, stop);
    if (ms < 0) return 2;
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) sum += h[i];
    printf("sum %d\n", sum);
    return cudaFree(a) || cudaFree(b) || cudaFree(out);
}
