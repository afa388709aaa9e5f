/* SPDX-License-Identifier: MIT
 *
 * fatbin.h: from an nvcc image to PTX text.
 *
 * How to read this: an *image* is one or more containers back to back, each a
 * 16-byte header and entries; an *entry* is a PTX text or an ELF file for one
 * architecture, plain or compressed. Everything here is a function of bytes:
 * nothing outside them is read, every length is checked against what is left,
 * nothing is searched for. Numbers are little-endian. Messages are one line,
 * for a person, without a newline.
 *
 * Sources: images made by nvcc 13.0 with every --compress-mode; the layout is
 * in container.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FATBIN_MESSAGE = 256, FATBIN_CONTAINER_HEADER = 16 };
enum { FATBIN_WRAPPER = 24 };

/* Larger texts, or ones that grow more than the ratio when unpacked (and past
 * a first 64 KiB), are refused before memory is taken for them. */
#define FATBIN_MAX_UNPACKED ((uint64_t)32 << 20)
#define FATBIN_MAX_RATIO    4096u

enum fatbin_status {
    FATBIN_OK,
    FATBIN_END,       /* fatbin_next: no further entry */
    FATBIN_NO_PTX,    /* well formed, but nothing this device can run */
    FATBIN_CORRUPT,   /* message says where */
    FATBIN_TOO_LARGE, /* see FATBIN_MAX_UNPACKED */
    FATBIN_NO_MEMORY
};

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2 }; /* others: ignore */
enum fatbin_packing { FATBIN_PLAIN, FATBIN_LZ4, FATBIN_ZSTD };

struct fatbin_entry {
    unsigned kind;         /* enum fatbin_kind */
    unsigned arch;         /* 75: compute_75 or sm_75 */
    unsigned major, minor; /* PTX: ISA version */
    uint64_t flags;
    bool is_specific; /* compute_90a: runs on that architecture alone */
    enum fatbin_packing packing;
    const uint8_t *payload; /* into the image */
    size_t payload_bytes;   /* as stored; padding left out where known */
    uint64_t unpacked_bytes;
    size_t offset; /* of the entry in the image, for messages */
};

struct fatbin_walk { /* a place in an image; set up by fatbin_begin */
    const uint8_t *image;
    size_t bytes, at, container_end;
};

void fatbin_begin(struct fatbin_walk *, const void *image, size_t bytes);
/* OK: *entry is the next one. END: there is none (then or any more). CORRUPT:
 * message says what; do not go on. */
enum fatbin_status fatbin_next(struct fatbin_walk *, struct fatbin_entry *,
                               char message[FATBIN_MESSAGE]);

/* The entry's bytes and a NUL after them in *bytes, to be freed by the caller.
 * PTX loses the NULs at its end. On failure *bytes is NULL. */
enum fatbin_status fatbin_unpack(const struct fatbin_entry *, char **bytes,
                                 size_t *n, char message[FATBIN_MESSAGE]);

/* The PTX to run: of all PTX entries the one for the highest architecture not
 * above max_sm (75, 90); where two are equal, one that is not architecture
 * specific, then the first. Result as fatbin_unpack. NO_PTX: the message says
 * what the image has instead and how to compile. */
enum fatbin_status fatbin_find_ptx(const void *image, size_t bytes,
                                   unsigned max_sm, char **text,
                                   size_t *text_bytes,
                                   char message[FATBIN_MESSAGE]);

/* Whether the bytes begin as a container does; they may be cut short. */
bool fatbin_is_image(const void *image, size_t bytes);
/* Bytes of the container that begins with these 16, header included; 0: they
 * begin no container. For a reader that is given a pointer only. */
uint64_t fatbin_total_bytes(const void *first16);

/* What __cudaRegisterFatBinary is given: a wrapper in .nvFatBinSegment. */
struct fatbin_wrapper {
    uint32_t version;   /* 1; 2: the program was linked with device code */
    uint64_t data;      /* address of the container */
    uint64_t prelinked; /* version 2: address of an array of the linked parts'
                         * containers; 0: none */
};
/* false: these 24 bytes are no wrapper. */
bool fatbin_read_wrapper(const void *first24, struct fatbin_wrapper *);
