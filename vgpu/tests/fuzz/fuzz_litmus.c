/* SPDX-License-Identifier: MIT
 *
 * fuzz_litmus.c: litmus files; what is read becomes a kernel.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "litmus.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    struct text why = {0}, ptx = {0};
    struct litmus *t = litmus_read((const char *)data, bytes, &why);
    if (!t == !why.size) abort();
    if (t) litmus_ptx(t, &ptx);
    free(t);
    text_free(&why);
    text_free(&ptx);
    return 0;
}
