// SPDX-License-Identifier: MIT
//: what: native code only: the virtual GPU cannot run it and must say so
//: arch: sm_75
//: run: --format text
//: expect: line no kernel image is available for execution on the device
//: expect: finding bad-image at - "but no PTX"
#include <cstdio>
#include <cuda_runtime.h>

__global__ void nothing() {}

int main()
{
    nothing<<<1, 1>>>();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
