// SPDX-License-Identifier: MIT
//: what: 65537 indirect branches with a list of 65536 ways: together more than
//     32 bits count, and who writes down where each may go writes past the end.
//: twin: hostile.naive.honest-many-ways
//: memory: 512
//: expect: tiny fail "its indirect branches have too many ways"
#include "images.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    struct ptx_text t = {0};
    text_head(&t);
    text_kernel(&t);
    text_line(&t, "t: .branchtargets L");
    for (int i = 1; i < 65536; i++) text_line(&t, ",L");
    text_line(&t, ";\n");
    for (int i = 0; i < 65537; i++)
        text_line(&t, "@%%p1 brx.idx %%r1, t;\n");
    text_line(&t, "L: ret;\n}\n");
    send_text(0, &t);
    return cudaSuccess;
}
