/* SPDX-License-Identifier: MIT
 *
 * textures.h: texture and surface objects: memory that kernels read through a
 * description of it (struct texture), by a handle, which is a number.
 */
#pragma once

#include "memory.h"

enum texture_kind { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };
enum texture_mode { MODE_WRAP, MODE_CLAMP, MODE_MIRROR, MODE_BORDER };
enum { TEXTURES_MAX = 1 << 16 };

struct texture {
    uint64_t base;         /* 0: gone */
    uint64_t pitch, slice; /* bytes from row to row, from slice to slice */
    uint32_t size[3];      /* texels; the third also layers */
    uint8_t dims;          /* of the texels, without layers */
    bool is_layered;
    bool is_linear;  /* a buffer: only whole coordinates make sense */
    bool is_surface; /* and no texture */
    uint8_t channels, bits, kind; /* bits of a channel; enum texture_kind */
    uint8_t texel_bytes;
    uint8_t mode[3];                         /* enum texture_mode */
    bool filters;                            /* between texels */
    bool reads_normalised, takes_normalised; /* values; coordinates */
    float border[4];
};

/* The handle, or 0: no memory, or too many. */
uint64_t textures_add(struct memory *, const struct texture *);
/* False: no such object. */
bool textures_remove(struct memory *, uint64_t handle);
/* NULL: no such object. */
const struct texture *textures_find(const struct memory *, uint64_t handle);
