// SPDX-License-Identifier: MIT
//: what: Makes the compiler, the linker and the program say what the judge would.
//: twin: hostile.naive.honest-says-much
//: expect: inclusive fail
//: expect: * fail
#include <stdio.h>

#include "cpu_scan.h"
#warning pass  inclusive  Inclusive scan   15/15
__asm__(".section .gnu.warning.cpu_inclusive_scan,\"a\"\n"
        ".ascii \"Total  1 passed 15/15\"\n.text\n");

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    (void)in, (void)out, (void)n;
    puts("  pass  inclusive  Inclusive scan                          15/15\n"
         "Total  1 passed, 0.1 s                                     15/15\n"
         "{\"verdict\": \"pass\", \"points\": 15}");
    return 0;
}
