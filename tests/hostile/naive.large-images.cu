// SPDX-License-Identifier: MIT
//: when: nightly
//: what: Six images of 12 MB of PTX, each another one, parsed and decoded.
//: twin: hostile.naive.honest-large-kernel
//: row: 5
//: memory: 1024
//: expect: tiny fail "may hold for one program"
#include <stdio.h>

#include "channel.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    enum { LINES = 400000, LINE = 32 };
    char *text = (char *)malloc((size_t)LINES * LINE + 300);
    for (uint32_t image = 0; text && image < 6; image++) {
        size_t at = (size_t)sprintf(text,
                                    ".version 7.0\n.target sm_75\n"
                                    ".address_size 64\n.visible .entry k()\n"
                                    "{\n.reg .b32 %%r<3>;\nmov.b32 %%r1, 1;\n");
        for (int i = 0; i < LINES; i++)
            at += (size_t)sprintf(text + at, "add.s32 %%r1, %%r1, %u;\n",
                                  image * LINES + (unsigned)i);
        at += (size_t)sprintf(text + at, "ret;\n}\n");
        send_image(image, text, at);
        find_kernel(image, "k");
        read_replies();
    }
    free(text);
    return cudaSuccess;
}
