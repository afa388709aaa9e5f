/* SPDX-License-Identifier: MIT
 *
 * dynamic.cu: a kernel that launches a kernel (dynamic parallelism): refused.
 */
//: nvcc: -rdc=true -lcudadevrt
//: run: --check all
#include "cases.h"

__global__ void child(int *x) {
    x[threadIdx.x]++;
}

__global__ void parent(int *x) {
    if (threadIdx.x == 0) child<<<1, 32>>>(x); // BUG inside
}

CASE(dynamic) {
    buffer<int> d(32);
    parent<<<1, 32>>>(d);
    return cudaGetLastError() == cudaErrorNotSupported;
}

//: case: dynamic-parallelism dynamic
//: expect: finding unsupported at inside "a kernel that launches kernels (dynamic parallelism) is not supported"
//: expect: prints right
int main(int argc, char **argv) {
    return run_case(argc, argv);
}
