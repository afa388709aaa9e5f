/* SPDX-License-Identifier: MIT
 * What a program says of its runtime, in types that differ between CUDA 12 and 13.
 */
__global__ void add(int *sum) {
    atomicAdd(sum, (int)threadIdx.x);
}

#ifndef __CUDACC_RTC__ // cicc.py compiles no host code
#include <cstdio>

int main() {
    int version = 0, *sum = NULL, answer = -1;
    cudaDeviceProp p;
    cudaPointerAttributes a;
    if (cudaRuntimeGetVersion(&version) || cudaGetDeviceProperties(&p, 0) ||
        cudaMalloc(&sum, sizeof *sum) || cudaMemset(sum, 0, sizeof *sum) ||
        cudaPointerGetAttributes(&a, sum) || a.devicePointer != sum)
        return 1;
    add<<<1, 32>>>(sum);
    if (cudaMemcpy(&answer, sum, sizeof answer, cudaMemcpyDeviceToHost)) return 1;
    printf("CUDA %d, %d.%d, %d lanes: %d\n", version / 1000, p.major, p.minor,
           p.warpSize, answer);
    return cudaFree(sum);
}
#endif
