/* SPDX-License-Identifier: MIT
 *
 * reduce.cu: a sum as many public texts and samples of CUDA's first ten years
 * have it: a tree in shared memory whose last warp goes on without a barrier,
 * "since a warp runs in step". No GPU since Volta promises that: the lanes need
 * __syncwarp() between the steps (-DRIGHT has it). The result is right on most
 * machines, most of the time; a test that compares results passes.
 */
#include <cstdio>
#include <vector>

enum { THREADS = 128 };

__device__ void wait_for_warp() {
#ifdef RIGHT
    __syncwarp();
#endif
}

__device__ void last_warp(volatile int *part, int t) {
    for (int d = 32; d > 0; d /= 2) {
        int sum = part[t] + part[t + d];
        wait_for_warp();
        part[t] = sum;
        wait_for_warp();
    }
}

__global__ void reduce(const int *in, int *out, int n) {
    __shared__ int part[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (t < 64) part[t] += part[t + 64];
    __syncthreads();
    if (t < 32) last_warp(part, t);
    if (t == 0) atomicAdd(out, part[0]);
}

int main() {
    const int n = 1000;
    std::vector<int> h(n, 1);
    int *in, *out, sum = 0;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(int));
    reduce<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, out, n);
    cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    printf("%d\n", sum);
    return sum == n ? 0 : 1;
}
