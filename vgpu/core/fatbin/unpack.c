/* SPDX-License-Identifier: MIT
 *
 * unpack.c: an entry's bytes, plain, LZ4 (one raw block) or zstd (one frame).
 *
 * The declared size is checked before memory is taken and must be met exactly,
 * so that neither library is trusted with a length of its own.
 */
#include "fatbin.h"

#ifndef FATBIN_PLAIN_ONLY /* a web page has no such libraries */
#include <lz4.h>
#include <zstd.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FREE_BYTES = 64 << 10 }; /* small texts may grow at any ratio */

static enum fatbin_status check_size(const struct fatbin_entry *entry,
                                     char message[FATBIN_MESSAGE]) {
    uint64_t n = entry->unpacked_bytes;
    bool grows = n > FREE_BYTES && n / FATBIN_MAX_RATIO > entry->payload_bytes;
    if (n <= FATBIN_MAX_UNPACKED && !grows) return FATBIN_OK;
    snprintf(message, FATBIN_MESSAGE,
             "the fatbin entry at byte %zu claims %llu bytes unpacked from "
             "%zu: refused",
             entry->offset, (unsigned long long)n, entry->payload_bytes);
    return FATBIN_TOO_LARGE;
}

/* Bytes written, or SIZE_MAX when the data is broken. */
static size_t unpack_to(const struct fatbin_entry *entry, char *to, size_t n) {
    switch (entry->packing) {
#ifndef FATBIN_PLAIN_ONLY
    case FATBIN_LZ4: {
        if (entry->payload_bytes > LZ4_MAX_INPUT_SIZE) return SIZE_MAX;
        int got = LZ4_decompress_safe((const char *)entry->payload, to,
                                      (int)entry->payload_bytes, (int)n);
        return got < 0 ? SIZE_MAX : (size_t)got;
    }
    case FATBIN_ZSTD: {
        size_t result =
            ZSTD_decompress(to, n, entry->payload, entry->payload_bytes);
        return ZSTD_isError(result) ? SIZE_MAX : result;
    }
#else
    case FATBIN_LZ4:
    case FATBIN_ZSTD: return SIZE_MAX;
#endif
    default: memcpy(to, entry->payload, n); return n;
    }
}

enum fatbin_status fatbin_unpack(const struct fatbin_entry *entry, char **bytes,
                                 size_t *n, char message[FATBIN_MESSAGE]) {
    *bytes = NULL;
    *n = 0;
    message[0] = 0;
    enum fatbin_status status = check_size(entry, message);
    if (status != FATBIN_OK) return status;
    size_t size = (size_t)entry->unpacked_bytes;
    char *buffer = malloc(size + 1);
    if (!buffer) {
        snprintf(message, FATBIN_MESSAGE,
                 "no memory for a fatbin entry of %zu bytes", size);
        return FATBIN_NO_MEMORY;
    }
    if (unpack_to(entry, buffer, size) != size) {
        free(buffer);
        snprintf(message, FATBIN_MESSAGE,
                 "the fatbin entry at byte %zu does not unpack to the %zu "
                 "bytes it claims",
                 entry->offset, size);
        return FATBIN_CORRUPT;
    }
    if (entry->kind == FATBIN_PTX)
        while (size && !buffer[size - 1]) size--;
    buffer[size] = 0;
    *bytes = buffer;
    *n = size;
    return FATBIN_OK;
}

struct choice {
    struct fatbin_entry best;
    bool found;
    /* An architecture seen, of those that are too new the oldest; 0: none. */
    unsigned too_new, machine_code;
};

static void consider(struct choice *c, const struct fatbin_entry *entry,
                     unsigned max_sm) {
    if (entry->kind == FATBIN_ELF) c->machine_code = entry->arch;
    if (entry->kind != FATBIN_PTX) return;
    if (entry->arch > max_sm) {
        if (!c->too_new || entry->arch < c->too_new) c->too_new = entry->arch;
        return;
    }
    bool better = !c->found || entry->arch > c->best.arch ||
                  (entry->arch == c->best.arch && c->best.is_specific &&
                   !entry->is_specific);
    if (better) c->best = *entry;
    c->found = true;
}

static void explain(const struct choice *c, unsigned max_sm,
                    char message[FATBIN_MESSAGE]) {
    const char *advice =
        "compile with -gencode arch=compute_75,code=compute_75";
    if (c->too_new)
        snprintf(message, FATBIN_MESSAGE,
                 "the program's PTX is for compute_%u, this device runs up to "
                 "compute_%u; %s",
                 c->too_new, max_sm, advice);
    else if (c->machine_code)
        snprintf(message, FATBIN_MESSAGE,
                 "the program holds machine code for sm_%u but no PTX; %s",
                 c->machine_code, advice);
    else
        snprintf(message, FATBIN_MESSAGE,
                 "the program's image holds no device code");
}

enum fatbin_status fatbin_find_ptx(const void *image, size_t bytes,
                                   unsigned max_sm, char **text,
                                   size_t *text_bytes,
                                   char message[FATBIN_MESSAGE]) {
    struct fatbin_walk walk;
    struct fatbin_entry entry;
    struct choice choice = {0};
    enum fatbin_status status;
    *text = NULL;
    *text_bytes = 0;
    fatbin_begin(&walk, image, bytes);
    while ((status = fatbin_next(&walk, &entry, message)) == FATBIN_OK)
        consider(&choice, &entry, max_sm);
    if (status != FATBIN_END) return status;
    if (choice.found)
        return fatbin_unpack(&choice.best, text, text_bytes, message);
    explain(&choice, max_sm, message);
    return FATBIN_NO_PTX;
}
