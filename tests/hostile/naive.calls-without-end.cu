// SPDX-License-Identifier: MIT
//: what: 60000 functions, each of which calls the next: who reads them by
//     calling itself for each runs out of stack.
//: twin: hostile.naive.honest-many-ways
//: memory: 512
//: expect: tiny fail "more than 512 functions that call one another"
#include "images.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    enum { FUNCTIONS = 60000 };
    struct ptx_text t = {0};
    text_head(&t);
    for (int i = FUNCTIONS; i-- > 0;)
        if (i == FUNCTIONS - 1)
            text_line(&t, ".func f%d() { ret; }\n", i);
        else
            text_line(&t, ".func f%d() { call f%d,(); ret; }\n", i, i + 1);
    text_kernel(&t);
    text_line(&t, "call f0,();\nret;\n}\n");
    send_text(0, &t);
    return cudaSuccess;
}
