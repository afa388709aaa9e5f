// SPDX-License-Identifier: MIT
//
// Kernels that wait for other blocks. How long they wait depends on the
// schedule; what they do besides does not. waits.ptx is made from this file:
//   nvcc -ptx -arch=compute_75 waits.cu
// (comments and the compiler's name taken out), so that the test needs no nvcc.

enum { TILE = 128, MOST_TILES = 64 };

__device__ volatile int ready[MOST_TILES + 1];
__device__ volatile int prefix[MOST_TILES + 1];
__device__ volatile unsigned long long status[MOST_TILES];
__device__ unsigned ticket;
__device__ int lock_word;
__device__ int sections;

__device__ static int take_tile(void) {
    __shared__ int tile;
    if (threadIdx.x == 0) tile = (int)atomicAdd(&ticket, 1u);
    __syncthreads();
    return tile;
}

__device__ static int tile_scan(int *sums, int x) {
    int t = threadIdx.x;
    sums[t] = x;
    __syncthreads();
#pragma unroll 1
    for (int d = 1; d < TILE; d *= 2) {
        int y = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += y;
        __syncthreads();
    }
    return sums[t];
}

// Tile by tile: lanes of the first warp wait for the flag of the tile before.
extern "C" __global__ void chained(const int *in, int *out, int lanes) {
    __shared__ int sums[TILE];
    __shared__ int before;
    int t = threadIdx.x, tile = take_tile();
    int x = tile_scan(sums, in[tile * TILE + t]);
    if (t < lanes) {
        while (tile > 0 && ready[tile] == 0) __nanosleep(20);
        __threadfence();
        int carry = tile > 0 ? prefix[tile] : 0;
        if (t == 0) {
            before = carry;
            prefix[tile + 1] = carry + sums[TILE - 1];
            __threadfence();
            ready[tile + 1] = 1;
        }
    }
    __syncthreads();
    out[tile * TILE + t] = before + x;
}

// Blocks in the order of their numbers: in reverse they wait.
extern "C" __global__ void numbered(const int *in, int *out, int lanes) {
    int t = threadIdx.x, b = blockIdx.x;
    if (t < lanes)
        while (b > 0 && ready[b] == 0) __nanosleep(20);
    __syncthreads();
    out[b * TILE + t] = in[b * TILE + t];
    __threadfence();
    if (t == 0) ready[b + 1] = 1;
}

// A warp waits until all tiles before its own have told their sums, flag and sum
// in one word, and adds them.
extern "C" __global__ void window(const int *in, int *out) {
    __shared__ int sums[TILE];
    __shared__ int before;
    int t = threadIdx.x, tile = take_tile();
    int x = tile_scan(sums, in[tile * TILE + t]);
    if (t == TILE - 1) status[tile] = 1ull << 32 | (unsigned)x;
    if (t < 32) {
        int sum = 0;
#pragma unroll 1
        for (int k = tile - 1 - t; __any_sync(~0u, k >= 0); k -= 32) {
            unsigned long long s;
            do
                s = status[k >= 0 ? k : tile];
            while (__any_sync(~0u, s >> 32 == 0));
            if (k >= 0) sum += (int)s;
        }
#pragma unroll 1
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
        if (t == 0) before = sum;
    }
    __syncthreads();
    out[tile * TILE + t] = before + x;
}

// One thread of each block at a time.
extern "C" __global__ void locked(void) {
    if (threadIdx.x) return;
    while (atomicCAS(&lock_word, 0, 1) != 0) {
    }
    __threadfence();
#pragma unroll 1
    for (int i = 0; i < 20; i++) *(volatile int *)&sections += 1;
    __threadfence();
    atomicExch(&lock_word, 0);
}

// Not waiting, though it looks like it: each round reads something else besides
// the word that never changes.
extern "C" __global__ void pretends(const int *in) {
#pragma unroll 1
    for (int i = 0; i < 64; i++) {
        if (ready[MOST_TILES] != 0) return;
        if (in[i * 32 + threadIdx.x] == 12345) return;
    }
}
