// SPDX-License-Identifier: MIT
//: what: a kernel with an instruction that the virtual GPU lacks is reported once, however often it is launched
//: run:
//: expect: line operation not supported
//: expect: line operation not supported
//: expect: says vgpu: 1 finding
//: expect: finding unsupported at wmma "in kernel square" "wmma.load.a"
#include <cstdio>
#include <mma.h>

using namespace nvcuda::wmma;

__global__ void square(const half *a, float *c)
{
    fragment<matrix_a, 16, 16, 16, half, row_major> x;
    fragment<matrix_b, 16, 16, 16, half, col_major> y;
    fragment<accumulator, 16, 16, 16, float> z;
    fill_fragment(z, 0.0f);
    load_matrix_sync(x, a, 16); // BUG wmma
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
