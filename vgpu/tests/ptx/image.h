/* SPDX-License-Identifier: MIT
 *
 * image.h: fatbin images built in memory, for tests.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct image {
    uint8_t bytes[4096];
    size_t n, container; /* where the open container begins */
};

static inline void put(struct image *image, size_t at, uint64_t value,
                       unsigned n) {
    for (unsigned i = 0; i < n; i++)
        image->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

static inline void begin_container(struct image *image) {
    image->container = image->n;
    put(image, image->n, 0xBA55ED50, 4);
    put(image, image->n + 4, 1, 2);
    put(image, image->n + 6, 16, 2);
    put(image, image->n + 8, 0, 8);
    image->n += 16;
}

/* packed 0: plain; else flags say how, and unpacked how much */
static inline void add_entry(struct image *image, unsigned kind, unsigned arch,
                             uint64_t flags, const void *payload, size_t bytes,
                             size_t packed, uint64_t unpacked) {
    size_t at = image->n, padded = (bytes + 7) / 8 * 8;
    put(image, at, kind, 2);
    put(image, at + 2, 0x101, 2);
    put(image, at + 4, 64, 4);
    put(image, at + 8, padded, 8);
    put(image, at + 16, packed, 4);
    put(image, at + 24, 0, 2);
    put(image, at + 26, 9, 2);
    put(image, at + 28, arch, 4);
    put(image, at + 40, flags, 8);
    put(image, at + 56, unpacked, 8);
    memcpy(image->bytes + at + 64, payload, bytes);
    image->n += 64 + padded;
    put(image, image->container + 8, image->n - image->container - 16, 8);
}

static inline void add_ptx(struct image *image, unsigned arch, uint64_t flags,
                           const char *text) {
    add_entry(image, 1, arch, flags, text, strlen(text), 0, 0);
}
