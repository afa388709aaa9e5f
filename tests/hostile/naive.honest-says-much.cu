// SPDX-License-Identifier: MIT
//: what: The honest twin: warns, prints while it is loaded, from the host, from
//     kernels and at the end, on both streams, also the judge's words. Full marks.
//: expect: * pass
#include <stdio.h>
#include <stdlib.h>

#include "honest.h"

#warning "Lab 1  naive  15/100"

static __global__ void say(size_t n) {
    printf("n = %llu, thread %u: %s, %g\n", (unsigned long long)n, threadIdx.x,
           "pass", n * 0.5);
}

static void at_exit(void) {
    fputs("the end\n", stderr);
}

__attribute__((constructor)) static void early(void) {
    atexit(at_exit);
    puts("  pass  tiny        A handful of elements");
}

__attribute__((destructor)) static void late(void) {
    puts("Total  0 passed                            0/100");
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    for (int i = 0; i < 3000; i++) fprintf(i % 2 ? stderr : stdout, "%d\n", i);
    if (n) say<<<1, 64>>>(n);
    return honest_scan(d_in, d_out, n);
}
