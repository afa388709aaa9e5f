/* SPDX-License-Identifier: MIT
 *
 * base64.c: see base64.h.
 */
#include "base64.h"

#include <stdint.h>

void base64_add(struct text *t, const void *bytes, size_t size) {
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t three = (uint32_t)b[i] << 16;
        if (i + 1 < size) three |= (uint32_t)b[i + 1] << 8;
        if (i + 2 < size) three |= b[i + 2];
        char four[4];
        for (size_t k = 0; k < 4; k++)
            four[k] = i + k > size ? '=' : digits[three >> (18 - 6 * k) & 63];
        if (!text_append(t, four, sizeof four, SIZE_MAX)) return;
    }
}
