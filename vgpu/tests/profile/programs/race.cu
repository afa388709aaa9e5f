// SPDX-License-Identifier: MIT
#include <cstdio>

// Sums 256 numbers; a barrier is missing.
__global__ void sum(const int *in, int *out) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[t];
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) part[t] += part[t + d];
        __syncthreads();
    }
    if (t == 0) *out = part[0];
}

int main() {
    int in[256], sum_of, *d_in, *d_out;
    for (int i = 0; i < 256; i++) in[i] = i;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof *d_out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    sum<<<1, 256>>>(d_in, d_out);
    cudaMemcpy(&sum_of, d_out, sizeof sum_of, cudaMemcpyDeviceToHost);
    printf("%d\n", sum_of);
}
