// SPDX-License-Identifier: MIT
//: what: Stores from 2000 lines of a file with a name of 4 MB: who keeps it for
//     each step of a failed case, or reads it for each line, is busy for hours
//     and holds 8 GB.
//: twin: hostile.naive.honest-large-kernel
//: memory: 512
//: run: --check tiny -n 4
//: expect: tiny fail "got"
#include "images.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *out, size_t) {
    enum { PIECES = 40000, LINES = 2000 };
    const struct {
        uint32_t kernel, cooperative, grid[3], block[3], cluster[4];
        uint64_t shared, out;
    } launch = {0, 0, {1, 1, 1}, {1, 1, 1}, {0}, 0, (uint64_t)out};
    struct ptx_text t = {0};
    text_head(&t);
    text_line(&t, ".file 1 \"");
    for (int i = 0; i < PIECES; i++)
        text_line(&t, "a name that goes on and on, as long as nobody stops "
                      "it, and is kept by who will show it once to others");
    text_line(&t, "\"\n.visible .entry k(.param .u64 out)\n{\n"
                  ".reg .b64 %%d<2>;\nld.param.u64 %%d1, [out];\n");
    for (int i = 0; i < LINES; i++)
        text_line(&t, ".loc 1 %d 0\nst.global.u32 [%%d1], %d;\n", i + 1, i);
    text_line(&t, "ret;\n}\n");
    send_text(0, &t);
    request(LAUNCH, sizeof launch, &launch, sizeof launch);
    read_replies();
    return cudaSuccess;
}
