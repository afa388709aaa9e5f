// SPDX-License-Identifier: MIT
//: what: a kernel with an instruction that the virtual GPU lacks is reported once, however often it is launched
//: arch: compute_80
//: run: --device teach80
//: expect: line operation not supported
//: expect: line operation not supported
//: expect: says vgpu: 1 finding
//: expect: finding unsupported at wmma "in kernel square" "wmma.load.a"
#include <cstdio>
#include <mma.h>

using namespace nvcuda::wmma;

__global__ void square(const double *a, double *c)
{
    fragment<matrix_a, 8, 8, 4, double, row_major> x;
    fragment<matrix_b, 8, 8, 4, double, col_major> y;
    fragment<accumulator, 8, 8, 4, double> z;
    fill_fragment(z, 0.0);
    load_matrix_sync(x, a, 4); // BUG wmma
    load_matrix_sync(y, a, 4);
    mma_sync(z, x, y, z);
    store_matrix_sync(c, z, 8, mem_row_major);
}

int main()
{
    double *a, *c;
    cudaMalloc(&a, 32 * sizeof *a);
    cudaMalloc(&c, 64 * sizeof *c);
    for (int k = 0; k < 2; k++) {
        square<<<1, 32>>>(a, c);
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    }
    cudaFree(a);
    cudaFree(c);
    return 0;
}
