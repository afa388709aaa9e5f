/* SPDX-License-Identifier: MIT
 *
 * container.c: walks the entries of an image; needs no library.
 *
 * container: +0 u32 magic, +4 u16 version 1, +6 u16 header bytes (16),
 *            +8 u64 bytes of entries
 * entry:     +0 u16 kind, +4 u32 header bytes, +8 u64 payload bytes with
 *            padding, +16 u32 compressed bytes (0: plain), +24 u16 minor,
 *            +26 u16 major, +28 u32 architecture, +40 u64 flags,
 *            +56 u64 unpacked bytes (0: plain)
 * An empty container stands before the real one when nothing was device-linked.
 */
#include "fatbin.h"

#include <stdarg.h>
#include <stdio.h>

enum { ENTRY_HEADER = 64 };
#define CONTAINER_MAGIC 0xBA55ED50u
#define WRAPPER_MAGIC   0x466243B1u
#define FLAG_LZ4        0x2000u
#define FLAG_ZSTD       0x8000u
#define FLAG_SPECIFIC   0x100000u

static uint64_t read_bytes(const uint8_t *at, unsigned n) {
    uint64_t value = 0;
    while (n--) value = value << 8 | at[n];
    return value;
}

static uint16_t read16(const uint8_t *at) {
    return (uint16_t)read_bytes(at, 2);
}
static uint32_t read32(const uint8_t *at) {
    return (uint32_t)read_bytes(at, 4);
}
static uint64_t read64(const uint8_t *at) {
    return read_bytes(at, 8);
}

__attribute__((format(printf, 2, 3))) static enum fatbin_status
corrupt(char message[FATBIN_MESSAGE], const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(message, FATBIN_MESSAGE, format, list);
    va_end(list);
    return FATBIN_CORRUPT;
}

bool fatbin_is_image(const void *image, size_t bytes) {
    return bytes >= 4 && read32(image) == CONTAINER_MAGIC;
}

uint64_t fatbin_total_bytes(const void *first16) {
    const uint8_t *at = first16;
    uint16_t header = read16(at + 6);
    uint64_t size = read64(at + 8);
    if (read32(at) != CONTAINER_MAGIC || read16(at + 4) != 1 ||
        header < FATBIN_CONTAINER_HEADER || size > INT64_MAX)
        return 0;
    return header + size;
}

bool fatbin_read_wrapper(const void *first24, struct fatbin_wrapper *w) {
    const uint8_t *at = first24;
    w->version = read32(at + 4);
    w->data = read64(at + 8);
    w->prelinked = w->version == 2 ? read64(at + 16) : 0;
    return read32(at) == WRAPPER_MAGIC && w->data &&
           (w->version == 1 || w->version == 2);
}

void fatbin_begin(struct fatbin_walk *walk, const void *image, size_t bytes) {
    *walk = (struct fatbin_walk){.image = image, .bytes = bytes};
}

/* Steps over the header of the container at walk->at. */
static enum fatbin_status open_container(struct fatbin_walk *walk,
                                         char message[FATBIN_MESSAGE]) {
    const uint8_t *at = walk->image + walk->at;
    size_t left = walk->bytes - walk->at;
    if (left < FATBIN_CONTAINER_HEADER)
        return corrupt(message,
                       "the fatbin image ends inside the container header at "
                       "byte %zu",
                       walk->at);
    uint64_t total = fatbin_total_bytes(at);
    if (!total)
        return corrupt(message, "no fatbin container at byte %zu of the image",
                       walk->at);
    if (total > left)
        return corrupt(message,
                       "the fatbin container at byte %zu needs %llu bytes but "
                       "%zu are left",
                       walk->at, (unsigned long long)total, left);
    walk->container_end = walk->at + (size_t)total;
    walk->at += read16(at + 6);
    return FATBIN_OK;
}

/* Payload and packing of an entry whose lengths are known to be sound. */
static enum fatbin_status describe(struct fatbin_entry *entry,
                                   const uint8_t *at, size_t padded,
                                   char message[FATBIN_MESSAGE]) {
    uint32_t packed = read32(at + 16);
    uint64_t packing = entry->flags & (FLAG_LZ4 | FLAG_ZSTD);
    entry->payload_bytes = padded;
    entry->unpacked_bytes = padded;
    if (!packing && !packed) return FATBIN_OK;
    if (packing != FLAG_LZ4 && packing != FLAG_ZSTD)
        return corrupt(message,
                       "the fatbin entry at byte %zu is packed in an unknown "
                       "way (flags 0x%llx)",
                       entry->offset, (unsigned long long)entry->flags);
    if (!packed || packed > padded)
        return corrupt(message,
                       "the fatbin entry at byte %zu has %u packed bytes in a "
                       "payload of %zu",
                       entry->offset, packed, padded);
    entry->packing = packing == FLAG_LZ4 ? FATBIN_LZ4 : FATBIN_ZSTD;
    entry->payload_bytes = packed;
    entry->unpacked_bytes = read64(at + 56);
    return FATBIN_OK;
}

static enum fatbin_status read_entry(struct fatbin_walk *walk,
                                     struct fatbin_entry *entry,
                                     char message[FATBIN_MESSAGE]) {
    const uint8_t *at = walk->image + walk->at;
    size_t left = walk->container_end - walk->at;
    if (left < ENTRY_HEADER)
        return corrupt(message,
                       "the fatbin container ends inside the entry at byte "
                       "%zu",
                       walk->at);
    uint32_t header = read32(at + 4);
    uint64_t payload = read64(at + 8);
    if (header < ENTRY_HEADER || header > left || payload > left - header)
        return corrupt(message,
                       "the fatbin entry at byte %zu needs %u + %llu bytes but "
                       "%zu are left in its container",
                       walk->at, header, (unsigned long long)payload, left);
    uint64_t flags = read64(at + 40);
    *entry = (struct fatbin_entry){.kind = read16(at),
                                   .arch = read32(at + 28),
                                   .minor = read16(at + 24),
                                   .major = read16(at + 26),
                                   .flags = flags,
                                   .is_specific = flags & FLAG_SPECIFIC,
                                   .payload = at + header,
                                   .offset = walk->at};
    walk->at += header + (size_t)payload;
    return describe(entry, at, (size_t)payload, message);
}

enum fatbin_status fatbin_next(struct fatbin_walk *walk,
                               struct fatbin_entry *entry,
                               char message[FATBIN_MESSAGE]) {
    message[0] = 0;
    while (walk->at == walk->container_end) {
        if (walk->at == walk->bytes && walk->bytes) return FATBIN_END;
        enum fatbin_status status = open_container(walk, message);
        if (status != FATBIN_OK) return status;
    }
    return read_entry(walk, entry, message);
}
