// SPDX-License-Identifier: MIT
//: what: Takes the wall from the input, clears it, and writes the sums that fit.
//: twin: hostile.cpu-scan.honest-own-names
//: expect: inclusive fail
//: expect: * fail
#include <string.h>
#include <sys/mman.h>

#include "cpu_scan.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    uintptr_t page = (uintptr_t)in & ~(uintptr_t)4095;
    size_t bytes = (size_t)((uintptr_t)(in + n) - page);
    if (!n) return 0;
    /* Where that is refused, all the memory there becomes its own. */
    if (mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) != 0)
        mmap((void *)page, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memset((int32_t *)(uintptr_t)in, 0, n * sizeof *in);
    memset(out, 0, n * sizeof *out);
    return 0;
}
