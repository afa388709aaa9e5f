/* SPDX-License-Identifier: MIT
 *
 * driver_entry.c: cuGetProcAddress, which finds a call by its name and the
 * version of CUDA that the caller was written for.
 */
#include "driver.h"

#include <stdio.h>
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

/* Tables of functions between NVIDIA's own libraries, which have no manual:
 * none is here. NVRTC asks for one and does without it. A runtime that is
 * linked statically cannot do without its own, and then every call of it fails:
 * that is told. */
DRIVER_API int cuGetExportTable(const void **table, const void *id) {
    static const unsigned char of_runtime[16] = {
        0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
        0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
    if (table) *table = NULL;
    if (id && memcmp(id, of_runtime, sizeof of_runtime) == 0) {
        fputs("vgpu: a CUDA runtime that is linked statically does not run on "
              "the virtual GPU\n",
              stderr);
        return driver_refuse(VGPU_CALL_cuGetExportTable);
    }
    return CU_NOT_FOUND;
}
