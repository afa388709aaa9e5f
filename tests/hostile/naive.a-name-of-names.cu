// SPDX-License-Identifier: MIT
//: what: Reads an unset word of shared memory right before an array whose name of
//     12 MB might end in another name at each of 6 million places: who looks how
//     much is left at each of them is busy for an hour, when no limit asks.
//: twin: hostile.naive.honest-large-kernel
//: memory: 512
//: run: --check tiny -n 4
//: expect: tiny fail
#include "images.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *out, size_t) {
    enum { PIECES = 120000 };
    const struct {
        uint32_t kernel, cooperative, grid[3], block[3], cluster[4];
        uint64_t shared, out;
    } launch = {0, 0, {1, 1, 1}, {1, 1, 1}, {0}, 0, (uint64_t)out};
    struct ptx_text t = {0};
    text_head(&t);
    text_line(&t, ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<2>;\n"
                  ".reg .b64 %%d<2>;\n.shared .align 4 .b8 before[4];\n"
                  ".shared .align 4 .b8 a");
    for (int i = 0; i < PIECES; i++)
        text_line(&t, "E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1"
                      "E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1E1");
    text_line(&t, "[4];\nld.param.u64 %%d1, [out];\nmov.u32 %%r1, 0;\n"
                  "ld.shared.u32 %%r1, [%%r1];\nst.global.u32 [%%d1], %%r1;\n"
                  "ret;\n}\n");
    send_text(0, &t);
    request(LAUNCH, sizeof launch, &launch, sizeof launch);
    read_replies();
    return cudaSuccess;
}
