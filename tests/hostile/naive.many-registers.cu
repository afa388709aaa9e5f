// SPDX-License-Identifier: MIT
//: what: Launches a kernel of 100000 registers a thread, 128 warps of it.
//: twin: hostile.naive.honest-large-kernel
//: memory: 1024
//: expect: tiny fail "for registers and calls of its warps"
#include <stdio.h>

#include "channel.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    enum { REGISTERS = 100000, LINE = 40 };
    const struct {
        uint32_t kernel, cooperative, grid[3], block[3], cluster[4];
        uint64_t smem;
    } launch = {0, 0, {4, 1, 1}, {1024, 1, 1}, {0}, 0};
    char *text = (char *)malloc((size_t)REGISTERS * LINE + 300);
    if (!text) return cudaErrorMemoryAllocation;
    size_t at = (size_t)sprintf(text,
                                ".version 7.0\n.target sm_75\n"
                                ".address_size 64\n.visible .entry k()\n"
                                "{\n.reg .b64 %%rd<%d>;\n",
                                REGISTERS);
    for (int i = 0; i < REGISTERS; i++)
        at += (size_t)sprintf(text + at, "mov.b64 %%rd%d, 1;\n", i);
    at += (size_t)sprintf(text + at, "ret;\n}\n");
    send_image(0, text, at);
    find_kernel(0, "k");
    request(LAUNCH, sizeof launch, &launch, sizeof launch);
    free(text);
    return cudaSuccess;
}
