// SPDX-License-Identifier: MIT
// A call the virtual GPU does not have fails by name.
// exit: 86
// expect: operation not supported
// report: vgpu: cudaIpcGetMemHandle is not supported by the virtual GPU
// report: unsupported
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    cudaIpcMemHandle_t handle;
    printf("%s\n", cudaGetErrorString(cudaIpcGetMemHandle(&handle, nullptr)));
    return 0;
}
