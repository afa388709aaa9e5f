/* SPDX-License-Identifier: MIT
 *
 * fuzz_fatbin.c: any bytes are an image or a message.
 */
#include "fatbin.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    char *text, message[FATBIN_MESSAGE];
    size_t n;
    fatbin_find_ptx(data, bytes, 90, &text, &n, message);
    free(text);
    return 0;
}
