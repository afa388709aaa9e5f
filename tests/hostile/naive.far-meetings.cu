// SPDX-License-Identifier: MIT
//: when: nightly
//: what: 200000 branches of which each has two ways that meet only at the end
//     of a chain of 200000 jumps, and as many calls of one of many functions.
//     It ends in the time that a call has, whatever it says.
//: twin: hostile.naive.honest-many-ways
//: memory: 1024
//: time: 2000
//: expect: tiny fail
#include "images.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    enum { BRANCHES = 200000, FUNCTIONS = 30000 };
    struct ptx_text t = {0};
    text_head(&t);
    text_kernel(&t);
    for (int i = 0; i < BRANCHES; i++)
        text_line(&t, "D%d: @%%p1 bra C0;\n@%%p1 bra D%d;\nbra Z;\n", i, i + 1);
    text_line(&t, "D%d: ret;\n", BRANCHES);
    for (int i = 0; i < BRANCHES; i++)
        text_line(&t, "C%d: bra C%d;\n", i, i + 1);
    text_line(&t, "C%d: bra Z;\nZ: ret;\n}\n", BRANCHES);
    send_text(0, &t);
    text_head(&t);
    for (int i = 0; i < FUNCTIONS; i++)
        text_line(&t, ".func f%d() { ret; }\n", i);
    text_kernel(&t);
    for (int i = 0; i < BRANCHES; i++)
        text_line(&t, "call f%d,();\n", FUNCTIONS - 1);
    text_line(&t, "ret;\n}\n");
    send_text(1, &t);
    return cudaSuccess;
}
