/* SPDX-License-Identifier: MIT
 *
 * dynamic_endless.cu: a kernel that launches itself behind itself, for ever.
 */
//: nvcc: -rdc=true -lcudadevrt
//: run: --check all --budget 4000000
//: gpu: no, it never ends
#include "cases.h"

__global__ void for_ever(int *x) { // BUG ever
    ++*x;
    for_ever<<<1, 1, 0, cudaStreamTailLaunch>>>(x);
}

CASE(for_ever) {
    buffer<int> x(1);
    for_ever<<<1, 1>>>(x);
    return cudaDeviceSynchronize() == cudaErrorLaunchTimeout;
}

//: case: dynamic-for-ever for_ever
//: expect: finding instruction-budget at ever "a loop around it that does not end"
int main(int argc, char **argv) {
    return run_case(argc, argv);
}
