// SPDX-License-Identifier: MIT
//: when: nightly
//: what: Code that is small and takes years to prepare: atomics whose values
//     came through hundreds of moves, names that are looked for among all,
//     branches whose meeting points are far away. Whatever it is, the time that
//     a call has ends it.
//: twin: hostile.naive.honest-many-ways
//: memory: 512
//: time: 2000
//: expect: tiny fail "the time was over before its code was prepared"
#include "images.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    enum { MOVES = 3000 };
    struct ptx_text t = {0};
    text_head(&t);
    text_kernel(&t);
    for (int r = 2; r < 5; r++)
        for (int i = 0; i < MOVES; i++)
            text_line(&t, "mov.b32 %%r%d, %%r%d;\n", r, r + 1);
    for (int i = 0; i < MOVES; i++)
        text_line(&t, "atom.global.cas.b32 %%r1, [%%d1], %%r2, 1;\n");
    text_line(&t, "ret;\n}\n");
    send_text(0, &t);
    return cudaSuccess;
}
