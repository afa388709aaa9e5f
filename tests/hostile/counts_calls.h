/* SPDX-License-Identifier: MIT
 *
 * counts_calls.h: lab 0's first functions as the handout wants them, and how
 * often this process has called them.
 */
#pragma once

#include <stdatomic.h>

#include "cpu_scan.h"

static atomic_int calls;

static int scan_inclusive(const int32_t *in, int32_t *out, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
    return 0;
}

static int compact(const int32_t *in, int32_t *out, size_t n, size_t *n_out) {
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (in[i]) out[k++] = in[i];
    *n_out = k;
    return 0;
}
