// SPDX-License-Identifier: MIT
//: what: Writes the right answer and ends the program, which says that it is well.
//: twin: control.reference
//: expect: inclusive fail "ended with exit code 0"
//: expect: * fail
#include <unistd.h>

#include "cpu_scan.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
    _exit(0);
}
