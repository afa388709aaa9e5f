// SPDX-License-Identifier: MIT
//: what: The honest twin: code that runs when it is loaded, common names of
//     functions, large tables, thread-local memory, memory that it protects.
//: expect: inclusive pass
//: expect: * any
#include <string.h>
#include <sys/mman.h>

#include "cpu_scan.h"

static int ready;
static int32_t table[16 << 20]; /* 64 MiB, never touched but here and there */
static _Thread_local int32_t sums[4096];

__attribute__((constructor)) static void early(void) {
    ready = 1;
}

static uint32_t answer(uint32_t sum, int32_t item) {
    return sum + (uint32_t)item;
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    uint32_t sum = 0;
    size_t bytes = (n + 1) * sizeof *out;
    int32_t *own = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!ready || own == MAP_FAILED) return 1;
    for (size_t i = 0; i < n; i++) own[i] = (int32_t)(sum = answer(sum, in[i]));
    if (mprotect(own, bytes, PROT_READ) != 0) return 1;
    if (n) memcpy(out, own, n * sizeof *out);
    sums[n % 4096] = table[n] = 1;
    return munmap(own, bytes);
}
