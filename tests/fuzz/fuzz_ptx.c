/* SPDX-License-Identifier: MIT
 *
 * fuzz_ptx.c: any text is a module or a message, and a module can be printed.
 */
#define _GNU_SOURCE /* open_memstream */
#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    struct ptx_error error;
    struct ptx_module *module = ptx_parse((const char *)data, bytes, &error);
    if (!module) return 0;
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (out) {
        ptx_print(module, out);
        fclose(out);
    }
    free(text);
    ptx_free(module);
    return 0;
}
