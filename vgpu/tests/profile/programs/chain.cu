// SPDX-License-Identifier: MIT
#include <cstdio>

__device__ volatile int flag[101];

// Each block waits for the one before it.
__global__ void chain(int *order) {
    int b = blockIdx.x;
    if (b > 0 && threadIdx.x == 0)
        while (flag[b - 1] == 0) {}
    __syncthreads();
    order[b] = b;
    __threadfence();
    if (threadIdx.x == 0) flag[b] = 1;
}

int main() {
    int *d_order;
    cudaMalloc(&d_order, 100 * sizeof *d_order);
    chain<<<100, 64>>>(d_order);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
