// SPDX-License-Identifier: MIT
// A kernel with an instruction that the virtual GPU lacks is told once, however often it is launched.
// exit: 86
// expect: operation not supported
// expect: operation not supported
// report: vgpu: 1 finding
// report: unsupported in kernel square
// report: wmma.load.a
#include <cstdio>
#include <mma.h>

using namespace nvcuda::wmma;

__global__ void square(const half *a, float *c)
{
    fragment<matrix_a, 16, 16, 16, half, row_major> x;
    fragment<matrix_b, 16, 16, 16, half, col_major> y;
    fragment<accumulator, 16, 16, 16, float> z;
    fill_fragment(z, 0.0f);
    load_matrix_sync(x, a, 16);
    load_matrix_sync(y, a, 16);
    mma_sync(z, x, y, z);
    store_matrix_sync(c, z, 16, mem_row_major);
}

int main()
{
    half *a;
    float *c;
    cudaMalloc(&a, 256 * sizeof *a);
    cudaMalloc(&c, 256 * sizeof *c);
    for (int k = 0; k < 2; k++) {
        square<<<1, 32>>>(a, c);
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    }
    cudaFree(a);
    cudaFree(c);
    return 0;
}
