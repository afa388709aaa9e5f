// SPDX-License-Identifier: MIT
// A call the virtual GPU does not have fails by name.
// exit: 86
// expect: operation not supported
// report: vgpu: cudaGraphCreate is not supported by the virtual GPU
// report: unsupported
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    cudaGraph_t graph;
    printf("%s\n", cudaGetErrorString(cudaGraphCreate(&graph, 0)));
    return 0;
}
