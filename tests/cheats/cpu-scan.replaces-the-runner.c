// SPDX-License-Identifier: MIT
//: what: Has functions under the names of those that the runner and libc use to
//     tell the judge what happened, and code that runs while it is loaded.
//: twin: hostile.cpu-scan.honest-own-names
//: expect: inclusive fail
//: expect: * fail
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "cpu_scan.h"

ssize_t send(int fd, const void *bytes, size_t size, int flags) {
    (void)fd, (void)bytes, (void)flags;
    return (ssize_t)size;
}

void runner_say(const void *message) {
    (void)message;
}

int memcmp(const void *a, const void *b, size_t n) {
    (void)a, (void)b, (void)n;
    return 0;
}

static void early(void) {
    setenv("LD_PRELOAD", "cpu_scan.so", 1);
}
__attribute__((section(".init_array"), used)) static void (*const at)(void) =
    early;

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    (void)in;
    memset(out, 1, n * sizeof *out);
    return 0;
}
