// SPDX-License-Identifier: MIT
// The classic: a device pointer used on the host.
// exit: 86
// report: host-access
// report: 12 bytes into
// report: signal 11
#include <cuda_runtime.h>

int main()
{
    int *d_in;
    cudaMalloc(&d_in, 64);
    d_in[3] = 1;
    return 0;
}
