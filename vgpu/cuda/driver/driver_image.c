/* SPDX-License-Identifier: MIT
 *
 * driver_image.c: see driver_image.h.
 */
#include "driver_image.h"

#include <stdlib.h>

void container_put(void *to, uint16_t kind, const void *payload, size_t bytes) {
    struct container *c = to;
    struct entry *e = (struct entry *)(c + 1);
    size_t padded = (bytes + 7) / 8 * 8;
    *c = (struct container){.magic = CONTAINER_MAGIC,
                            .version = 1,
                            .header_bytes = sizeof *c,
                            .bytes = ENTRY_BYTES + padded};
    *e = (struct entry){.kind = kind,
                        .version = 0x101,
                        .header_bytes = ENTRY_BYTES,
                        .payload = padded,
                        .major = 8,
                        .arch = 75};
    memcpy(e + 1, payload, bytes);
}

void *driver_link(const char *const *texts, const size_t *bytes, size_t n,
                  size_t *size) {
    size_t all = sizeof(struct linked);
    for (size_t k = 0; k < n; k++) all += container_bytes(bytes[k]);
    struct linked *l = calloc(1, all);
    if (!l) return NULL;
    memcpy(l->magic, LINKED_MAGIC, sizeof l->magic);
    l->n = n;
    l->bytes = *size = all;
    char *at = (char *)(l + 1);
    for (size_t k = 0; k < n; k++) {
        container_put(at, ENTRY_PTX, texts[k], bytes[k]);
        at += container_bytes(bytes[k]);
    }
    return l;
}
