/* SPDX-License-Identifier: MIT
 *
 * check.h: what the programs here share: a checked CUDA call and a verdict on
 * an inclusive scan.
 */
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        if (e_ != cudaSuccess) {                                               \
            printf("%s: %s\n", #call, cudaGetErrorName(e_));                   \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

/* Ends the program: "right" and 0, or what is wrong and 1. */
static inline int verdict(const unsigned *got, const unsigned *want, int n) {
    for (int i = 0; i < n; i++)
        if (got[i] != want[i]) {
            printf("wrong at %d: %u, not %u\n", i, got[i], want[i]);
            return 1;
        }
    puts("right");
    return 0;
}
