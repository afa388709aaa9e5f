/* SPDX-License-Identifier: MIT
 *
 * texture.c: texture and surface objects as the server asks for them: is the
 * description one that kernels can be given?
 */
#include "textures.h"

#include <string.h>

#include "device.h"
#include "device_hooks.h"

/* The bytes from the first texel to the last; 0: too many, or none. */
static uint64_t texture_extent(const struct texture *t) {
    uint64_t row, rows, slices, all;
    for (int k = 0; k < 3; k++)
        if (!t->size[k]) return 0;
    row = (uint64_t)t->size[0] * t->texel_bytes;
    if (__builtin_mul_overflow((uint64_t)t->size[1] - 1, t->pitch, &rows) ||
        __builtin_mul_overflow((uint64_t)t->size[2] - 1, t->slice, &slices) ||
        __builtin_add_overflow(row, rows, &all) ||
        __builtin_add_overflow(all, slices, &all))
        return 0;
    return all;
}

static bool is_possible(const struct vgpu_texture *v) {
    bool bits = v->bits == 8 || v->bits == 16 || v->bits == 32;
    return bits && v->kind <= TEXEL_FLOAT &&
           (v->channels == 1 || v->channels == 2 || v->channels == 4) &&
           (v->kind != TEXEL_FLOAT || v->bits > 8) && v->dims >= 1 &&
           v->dims <= 3;
}

vgpu_status vgpu_texture_new(vgpu_device *d, const struct vgpu_texture *v,
                             uint64_t *handle) {
    struct texture t = {.base = v->address,
                        .pitch = v->pitch,
                        .slice = v->slice,
                        .size = {v->width, v->height, v->depth},
                        .dims = (uint8_t)v->dims,
                        .is_layered = v->is_layered,
                        .is_linear = v->is_linear,
                        .is_surface = v->is_surface,
                        .channels = (uint8_t)v->channels,
                        .bits = (uint8_t)v->bits,
                        .kind = (uint8_t)v->kind,
                        .filters = v->filters,
                        .reads_normalised = v->reads_normalised,
                        .takes_normalised = v->takes_normalised};
    if (!d->options.has_textures)
        return device_fail(d, VGPU_UNSUPPORTED, "this device has no textures");
    if (!is_possible(v))
        return device_fail(d, VGPU_INVALID_VALUE, "no such texture");
    t.texel_bytes = (uint8_t)(v->channels * v->bits / 8);
    for (int k = 0; k < 3; k++)
        t.mode[k] =
            (uint8_t)(v->mode[k] <= MODE_BORDER ? v->mode[k] : MODE_CLAMP);
    memcpy(t.border, v->border, sizeof t.border);
    uint64_t bytes = texture_extent(&t);
    if (!bytes || t.base % t.texel_bytes || t.pitch % t.texel_bytes ||
        t.slice % t.texel_bytes || !memory_range(&d->memory, t.base, bytes))
        return device_fail(d, VGPU_INVALID_VALUE,
                           "the texture lies in no allocation");
    *handle = textures_add(&d->memory, &t);
    return *handle ? VGPU_OK
                   : device_fail(d, VGPU_OUT_OF_MEMORY, "too many textures");
}

bool vgpu_texture_drop(vgpu_device *d, uint64_t handle) {
    return textures_remove(&d->memory, handle);
}
