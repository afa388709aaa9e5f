// SPDX-License-Identifier: MIT
//: what: Starts another process that works on while the first returns.
//: twin: hostile.cpu-scan.honest-works-hard
//: expect: inclusive fail "start another process"
//: expect: * fail
#include <unistd.h>

#include "cpu_scan.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    if (fork() == 0) {
        sleep(1);
        _exit(0);
    }
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
    return 0;
}
