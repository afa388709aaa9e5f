/* SPDX-License-Identifier: MIT
 *
 * called_lines.c: which lines called functions whose code ran where it was
 * inlined. A line record has the calls around one of its instructions alone.
 */
#include <string.h>

#include "device.h"

static uint16_t *called_slot(struct called_lines *c, const char *file,
                             uint32_t line) {
    uint64_t h = (uintptr_t)file * 0x9E3779B97F4A7C15u;
    h = (h ^ line) * 0x9E3779B97F4A7C15u;
    for (size_t k = h >> 52;; k = (k + 1) % CALLED_SLOTS) {
        uint16_t *slot = &c->slots[k];
        const struct vgpu_line *at = *slot ? &c->list[*slot - 1] : NULL;
        if (!at || (at->line == line && at->file == file)) return slot;
    }
}
_Static_assert(CALLED_SLOTS == 1 << (64 - 52), "the hash's upper bits");

static void keep(struct called_lines *c, const char *file, uint32_t line) {
    uint16_t *slot = line && file ? called_slot(c, file, line) : NULL;
    if (!slot || *slot || c->n == CALLED_LINES) return;
    c->list[c->n++] = (struct vgpu_line){file, line};
    *slot = (uint16_t)c->n;
}

void device_called(vgpu_device *d, const struct vgpu_source *where) {
    if (!where->called) return;
    const char *file = device_keep(d, where->file);
    keep(&d->called, file, where->called);
    for (size_t k = 0; k < VGPU_OUTER; k++)
        keep(&d->called, file, where->outer[k]);
}

void device_forget_called(vgpu_device *d) {
    if (d->called.n) memset(d->called.slots, 0, sizeof d->called.slots);
    d->called.n = 0;
}

size_t vgpu_called_lines(const vgpu_device *d, const struct vgpu_line **list) {
    *list = d->called.list;
    return d->called.n;
}
