/* SPDX-License-Identifier: MIT
 *
 * baselines.c: what a timed check compares with, in a process of its own. The
 * serial loop is compiled like a submission (-O2), so the ratio is fair.
 */
#include <string.h>

#include "runner.h"

__attribute__((noinline)) static int serial_scan(const int32_t *in,
                                                 int32_t *out, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (uint32_t)in[i];
        out[i] = (int32_t)sum;
    }
    return 0;
}

static int plain_copy(const int32_t *in, int32_t *out, size_t n) {
    memcpy(out, in, n * sizeof *out);
    return 0;
}

void *baseline_function(const char *symbol) {
    static const struct {
        const char *symbol;
        int (*function)(const int32_t *, int32_t *, size_t);
    } baselines[] = {{WIRE_BASELINE_SERIAL, serial_scan},
                     {WIRE_BASELINE_COPY, plain_copy}};
    for (size_t i = 0; i < sizeof baselines / sizeof *baselines; i++)
        if (strcmp(symbol, baselines[i].symbol) == 0)
            return (void *)(uintptr_t)baselines[i].function;
    return NULL;
}
