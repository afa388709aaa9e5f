// SPDX-License-Identifier: MIT
//: what: the classic: a device pointer used on the host
//: run:
//: expect: finding host-access at - "12 bytes into" "signal 11"
#include <cuda_runtime.h>

int main()
{
    int *d_in;
    cudaMalloc(&d_in, 64);
    d_in[3] = 1;
    return 0;
}
