// SPDX-License-Identifier: MIT
//: what: Runs a shell.
//: twin: hostile.cpu-scan.honest-works-hard
//: expect: inclusive fail "run another program"
//: expect: * fail
#include <unistd.h>

#include "cpu_scan.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    (void)in, (void)out, (void)n;
    execl("/bin/sh", "sh", "-c", "echo score 100/100", (char *)NULL);
    return 0;
}
