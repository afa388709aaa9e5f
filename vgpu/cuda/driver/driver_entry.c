/* SPDX-License-Identifier: MIT
 *
 * driver_entry.c: cuGetProcAddress, which finds a call by its name and the
 * version of CUDA that the caller was written for.
 */
#include "driver.h"

#include <string.h>

enum { FOUND, NOT_FOUND, TOO_NEW }; /* CUdriverProcAddressQueryResult */

DRIVER_API int cuGetProcAddress_v2(const char *symbol, void **function,
                                   int version, uint64_t flags, int *status) {
    enum { PER_THREAD = 2, NEWEST = 1 << 30 };
    if (!symbol || !function) return CU_INVALID_VALUE;
    const struct driver_call *c = NULL;
    if (flags & PER_THREAD) {
        c = driver_find(symbol, "_ptsz", version);
        if (!c) c = driver_find(symbol, "_ptds", version);
    }
    if (!c) c = driver_find(symbol, "", version);
    bool is_newer = !c && driver_find(symbol, "", NEWEST);
    if (status) *status = c ? FOUND : is_newer ? TOO_NEW : NOT_FOUND;
    *function = NULL;
    if (c) memcpy(function, &c->function, sizeof *function);
    /* With a status, that says it. */
    return c || status ? CU_SUCCESS : CU_NOT_FOUND;
}

DRIVER_API int cuGetProcAddress(const char *symbol, void **function,
                                int version, uint64_t flags) {
    return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}
