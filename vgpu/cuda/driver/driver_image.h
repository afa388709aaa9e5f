/* SPDX-License-Identifier: MIT
 *
 * driver_image.h: images as nvcc's output has them, made here of PTX texts.
 * Shared by libcuda.so.1 and by the linker that stands for NVIDIA's.
 */
#pragma once

#include <stdint.h>
#include <string.h>

enum { ENTRY_PTX = 1, ENTRY_ELF = 2, ENTRY_BYTES = 64 };
#define CONTAINER_MAGIC 0xBA55ED50u
/* Several texts that are one program, as driver_link makes it of them. */
#define LINKED_MAGIC "VGPULNK"

struct container {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* behind it */
};
struct entry { /* in a container; 64 bytes, then the text */
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t payload;
    uint32_t compressed, unused;
    uint16_t minor, major;
    uint32_t arch, unused2[2];
    uint64_t flags, unused3, bytes;
};
_Static_assert(sizeof(struct entry) == ENTRY_BYTES, "as fatbin.h has it");
struct linked {
    char magic[8];
    uint64_t n, bytes; /* containers follow, each aligned to 8 */
};

static inline size_t container_bytes(size_t payload) {
    return sizeof(struct container) + ENTRY_BYTES + (payload + 7) / 8 * 8;
}
/* Room for container_bytes, which is zeroed. */
void container_put(void *to, uint16_t kind, const void *payload, size_t bytes);
/* Several texts, each of which ends in NUL, as one image that cuModuleLoadData
 * takes, in the caller's hands. NULL: no memory. */
void *driver_link(const char *const *texts, const size_t *bytes, size_t n,
                  size_t *size);
