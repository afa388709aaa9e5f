// SPDX-License-Identifier: MIT
//: what: 300 images, one after the other, whose only line is in a file with a
//     name of 4 MB: the images go, what reports remember of names stays, but of
//     a name only so much as a path can have.
//: twin: hostile.naive.honest-large-kernel
//: memory: 1024
//: when: nightly
//: expect: tiny fail "Nothing was written"
#include "images.h"
#include "naive.h"

static void launch_once(uint32_t kernel) {
    const struct {
        uint32_t kernel, cooperative, grid[3], block[3], cluster[4];
        uint64_t shared;
    } one = {kernel, 0, {1, 1, 1}, {32, 1, 1}, {0}, 0};
    request(LAUNCH, sizeof one, &one, sizeof one);
    read_replies();
}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    enum { IMAGES = 300, PIECES = 40000, IMAGE_UNLOAD = 4, DIGITS = 6 };
    struct ptx_text t = {0};
    text_head(&t);
    text_kernel(&t);
    text_line(&t, ".loc 1 1 0\nadd.s32 %%r1, %%r1, 1;\nret;\n}\n.file 1 \"");
    const size_t number = t.n, rest = number + DIGITS;
    text_line(&t, "%0*d", DIGITS, 0);
    for (int i = 0; i < PIECES; i++)
        text_line(&t, "a name that goes on and on, as long as nobody stops "
                      "it, and is kept by who will show it once to others");
    text_line(&t, "\"\n");
    const size_t whole = t.n; /* made once: what takes time is to be the judge */
    for (uint32_t image = 0; image < IMAGES; image++) {
        const uint32_t gone[2] = {image, 0};
        const char first = t.bytes[rest];
        t.n = number;
        text_line(&t, "%0*u", DIGITS, image);
        t.bytes[rest] = first;
        t.n = whole;
        send_text(image, &t);
        launch_once(image);
        request(IMAGE_UNLOAD, sizeof gone, gone, sizeof gone);
        read_replies();
    }
    return cudaSuccess;
}
