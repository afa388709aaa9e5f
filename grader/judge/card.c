/* SPDX-License-Identifier: MIT
 *
 * card.c: see card.h.
 */
#include "card.h"

#include <stdlib.h>

/* For no elements: the address just past a small allocation, so that the
 * pointer is a real one and every access through it is out of bounds. */
static vgpu_status open_buffer(vgpu_device *device, size_t n, size_t misalign,
                               const char *name, uint64_t *base,
                               uint64_t *data) {
    size_t shift = (misalign + (n == 0)) * sizeof(int32_t);
    vgpu_status status = vgpu_malloc(device, shift + n * sizeof(int32_t), base);
    if (status != VGPU_OK) return status;
    *data = *base + shift;
    status = vgpu_own(device, *base);
    if (status == VGPU_OK) status = vgpu_name(device, *base, name);
    return status;
}

vgpu_status card_open(struct card *c, vgpu_device *device, size_t n,
                      size_t misalign, bool in_place) {
    *c = (struct card){.device = device, .n = n, .in_place = in_place};
    vgpu_status status =
        open_buffer(device, n, misalign, "d_out", &c->out_base, &c->out);
    if (status == VGPU_OK && !in_place)
        status = open_buffer(device, n, misalign, "d_in", &c->in_base, &c->in);
    if (in_place) c->in = c->out;
    if (status != VGPU_OK) card_close(c);
    return status;
}

void card_close(struct card *c) {
    if (c->in_base) vgpu_free(c->device, c->in_base);
    if (c->out_base) vgpu_free(c->device, c->out_base);
    c->in_base = c->out_base = 0;
}

static vgpu_status poison_output(struct card *c, int32_t poison) {
    size_t bytes = c->n * sizeof poison;
    int32_t *pattern = malloc(bytes);
    if (!pattern) return VGPU_OUT_OF_MEMORY;
    for (size_t i = 0; i < c->n; i++) pattern[i] = poison;
    vgpu_status status = vgpu_write(c->device, c->out, pattern, bytes);
    free(pattern);
    if (status == VGPU_OK)
        status = vgpu_mark_uninitialised(c->device, c->out, bytes);
    return status;
}

vgpu_status card_fill(struct card *c, const int32_t *in, int32_t poison) {
    size_t bytes = c->n * sizeof *in;
    vgpu_status status = VGPU_OK;
    if (c->n && !c->in_place) status = poison_output(c, poison);
    if (status == VGPU_OK && c->n)
        status = vgpu_write(c->device, c->in, in, bytes);
    if (status == VGPU_OK && c->n)
        status = vgpu_mark_data(c->device, c->in, bytes);
    if (status == VGPU_OK && !c->in_place)
        status = vgpu_protect(c->device, c->in_base, true);
    vgpu_reset_counts(c->device);
    vgpu_reset_findings(c->device);
    return status;
}

vgpu_status card_output(const struct card *c, int32_t *out) {
    return c->n ? vgpu_read(c->device, out, c->out, c->n * sizeof *out)
                : VGPU_OK;
}
