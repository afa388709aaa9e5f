// SPDX-License-Identifier: MIT
// Up-sweep and down-sweep in shared memory, one block of 256 threads for 512
// elements. Strides are powers of two: the banks collide.
#include <cstdio>

enum { N = 512, THREADS = N / 2, BLOCKS = 64 };

// Exclusive scan of the block's 512 elements; what they sum up to goes to sums.
__global__ void scan_blocks(const int *in, int *out, int *sums) {
    __shared__ int tree[N];
    int t = threadIdx.x, base = blockIdx.x * N;
    tree[t] = in[base + t];
    tree[t + THREADS] = in[base + t + THREADS];

    for (int d = 1; d < N; d *= 2) {
        __syncthreads();
        int right = (t + 1) * 2 * d - 1;
        if (right < N) tree[right] += tree[right - d];
    }

    if (t == 0) {
        sums[blockIdx.x] = tree[N - 1];
        tree[N - 1] = 0;
    }

    for (int d = N / 2; d > 0; d /= 2) {
        __syncthreads();
        int right = (t + 1) * 2 * d - 1;
        if (right < N) {
            int left = tree[right - d];
            tree[right - d] = tree[right];
            tree[right] += left;
        }
    }

    __syncthreads();
    out[base + t] = tree[t];
    out[base + t + THREADS] = tree[t + THREADS];
}

// One thread adds what the blocks before its own sum up to.
__global__ void add_sums(int *out, const int *sums) {
    __shared__ int before;
    if (threadIdx.x == 0) {
        before = 0;
        for (int k = 0; k < blockIdx.x; k++) before += sums[k];
    }
    __syncthreads();
    out[blockIdx.x * N + threadIdx.x] += before;
}

int main(void) {
    static int in[N * BLOCKS], out[N * BLOCKS];
    int *d_in, *d_out, *d_sums, wrong = 0, sum = 0;
    for (int i = 0; i < N * BLOCKS; i++) in[i] = i * 7 % 11;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMalloc(&d_sums, BLOCKS * sizeof *d_sums);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    scan_blocks<<<BLOCKS, THREADS>>>(d_in, d_out, d_sums);
    add_sums<<<BLOCKS, N>>>(d_out, d_sums);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N * BLOCKS; i++) {
        wrong += out[i] != sum;
        sum += in[i];
    }
    printf("%d wrong\n", wrong);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_sums);
    return wrong != 0;
}
