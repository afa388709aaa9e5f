/* SPDX-License-Identifier: MIT
 *
 * fuzz_fatbin.c: any bytes are an image or a message.
 */
#include "fatbin.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static const unsigned capabilities[] = {75, 90, 999};
    char message[FATBIN_MESSAGE];
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) {
        char *text = NULL;
        size_t n = 0;
        if (fatbin_find_ptx(data, bytes, capabilities[i], &text, &n, message) ==
                FATBIN_OK &&
            strlen(text) > n)
            abort(); /* the text ends where it says */
        free(text);
    }
    if (bytes >= FATBIN_CONTAINER_HEADER) fatbin_total_bytes(data);
    if (bytes >= FATBIN_WRAPPER) {
        struct fatbin_wrapper wrapper;
        fatbin_read_wrapper(data, &wrapper);
    }
    return 0;
}
