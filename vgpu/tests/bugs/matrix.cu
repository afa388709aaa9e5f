// SPDX-License-Identifier: MIT
// Mistakes with matrix instructions, and the same kernels without them.
//: what: mistakes with matrix instructions
//: arch: compute_80
//: run: --check all --device teach80 | --check all --device teach80 --schedule random:SEED
#include <mma.h>

#include "check.h"

using namespace nvcuda;

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;

__device__ static void square(const half *a, float *c)
{
    left x;
    right y;
    sums z;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, a, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major); // BUG store
}

// Shared memory is filled by the warp, and read by other lanes of it.
__global__ void filled(const half *a, float *c, int waits)
{
    __shared__ __align__(32) half tile[256];
    left x;
    right y;
    sums z;
    for (unsigned i = threadIdx.x; i < 256; i += 32)
        tile[i] = a[i]; // BUG fill
    if (waits) __syncwarp();
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, tile, 16); // BUG early
    wmma::load_matrix_sync(y, tile, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
}

// The result of a warp is read by another one.
__global__ void handed_on(const half *a, float *c, int waits)
{
    __shared__ __align__(32) float tile[256];
    if (threadIdx.x < 32) square(a, tile);
    if (waits) __syncthreads();
    if (threadIdx.x >= 32)
        for (unsigned i = threadIdx.x - 32; i < 256; i += 32)
            c[i] = tile[i]; // BUG read
}

// Half of a warp leaves before the product.
__global__ void some(const half *a, float *c, unsigned n)
{
    left x;
    if (threadIdx.x % 32 >= n) return;
    wmma::load_matrix_sync(x, a, 16); // BUG some
    c[threadIdx.x] = __half2float(x.x[0]);
}

// The last tile of a matrix whose side is no multiple of 16.
__global__ void over(const half *a, float *c, unsigned row)
{
    left x;
    wmma::load_matrix_sync(x, a + row * 16, 16); // BUG over
    c[threadIdx.x] = __half2float(x.x[0]);
}

//: case: matrix-right right
//: expect: prints done
//: case: matrix-early early
//: expect: finding shared-race at early other fill
//: case: matrix-handed handed
//: run: --check all --device teach80
//: expect: finding shared-race at read other store "tile"
//: case: matrix-some some
//: expect: finding inactive-lane at some "is for all 32 lanes of a warp"
//: case: matrix-over over
//: expect: finding out-of-bounds at over
int main(int argc, char **argv)
{
    half *a, host[256];
    float *c;
    char which = argc > 1 ? *argv[1] : 'r';
    for (int k = 0; k < 256; k++) host[k] = __float2half((float)(k % 7));
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&c, 1024));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(c, 0, 1024));
    if (which == 'r' || which == 'e') filled<<<1, 32>>>(a, c, which == 'r');
    if (which == 'r' || which == 'h') handed_on<<<1, 64>>>(a, c, which == 'r');
    if (which == 'r' || which == 's') some<<<1, 32>>>(a, c, which == 'r' ? 32 : 16);
    if (which == 'r' || which == 'o') over<<<1, 32>>>(a, c, which == 'r' ? 0 : 4);
    cudaDeviceSynchronize();
    puts("done");
    cudaFree(a);
    cudaFree(c);
    return 0;
}
