// SPDX-License-Identifier: MIT
//: what: a call the virtual GPU does not have fails by name
//: run:
//: expect: line operation not supported
//: expect: says vgpu: cudaIpcGetMemHandle is not supported by the virtual GPU
//: expect: finding unsupported at -
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    cudaIpcMemHandle_t handle;
    printf("%s\n", cudaGetErrorString(cudaIpcGetMemHandle(&handle, nullptr)));
    return 0;
}
