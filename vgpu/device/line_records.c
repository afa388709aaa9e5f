/* SPDX-License-Identifier: MIT
 *
 * line_records.c: what was counted on each line of each kernel. A program that
 * nobody trusts says how many lines it has, each launch asks for them all, and
 * no clock is looked at meanwhile: so a line is found by its hash.
 */
#include <stdlib.h>
#include <string.h>

#include "device.h"

/* The slot that has the line, or the free one where it goes. Names are kept
 * once (device_keep), so that their addresses tell them apart. */
static uint16_t *line_records_slot_of(vgpu_device *d, const char *kernel,
                                      const char *file, uint32_t line) {
    uint64_t h = (uintptr_t)kernel * 0x9E3779B97F4A7C15u;
    h = (h ^ (uintptr_t)file) * 0x9E3779B97F4A7C15u;
    h = (h ^ line) * 0x9E3779B97F4A7C15u;
    for (size_t k = h >> 49;; k = (k + 1) % LINE_SLOTS) {
        uint16_t *slot = &d->line_slots[k];
        if (!*slot) return slot;
        const struct vgpu_line_record *r = &d->lines[*slot - 1];
        if (r->where.line == line && r->where.file == file &&
            r->kernel == kernel)
            return slot;
    }
}
_Static_assert(LINE_SLOTS == 1 << (64 - 49), "the hash's upper bits");

static bool make_room(vgpu_device *d) {
    if (d->n_lines < d->lines_capacity) return true;
    size_t n = d->lines_capacity ? d->lines_capacity * 2 : 64;
    struct vgpu_line_record *t =
        charges_grown(&d->memory.charges, d->lines, d->n_lines * sizeof *t,
                      n * sizeof *t, NULL);
    if (!t) return false;
    d->lines = t;
    d->lines_capacity = n;
    return true;
}

struct vgpu_line_record *device_line(vgpu_device *d, const char *kernel,
                                     const struct vgpu_source *where) {
    bool full = d->n_lines == MAX_LINES;
    const char *file =
        full ? device_kept(d, where->file) : device_keep(d, where->file);
    if (full && !file && where->file) return NULL; /* no line of it is listed */
    uint16_t *slot = line_records_slot_of(d, kernel, file, where->line);
    if (*slot) return &d->lines[*slot - 1];
    if (full || !make_room(d)) return NULL;
    struct vgpu_line_record *r = &d->lines[d->n_lines++];
    *slot = (uint16_t)d->n_lines;
    memset(r, 0, sizeof *r);
    r->kernel = kernel;
    r->where = *where;
    r->where.file = file;
    r->where.function = device_keep(d, where->function);
    return r;
}

void device_forget_lines(vgpu_device *d) {
    if (d->n_lines) memset(d->line_slots, 0, sizeof d->line_slots);
    d->n_lines = 0;
}

static int hotter(const void *a, const void *b) {
    const struct vgpu_line_record *x = a, *y = b;
    uint64_t m = x->counts[VGPU_COUNT_THREAD_INSTRUCTIONS];
    uint64_t n = y->counts[VGPU_COUNT_THREAD_INSTRUCTIONS];
    if (m != n) return m < n ? 1 : -1;
    return x->where.line < y->where.line ? -1 : x->where.line > y->where.line;
}

size_t vgpu_line_records(vgpu_device *d, const struct vgpu_line_record **list) {
    if (d->n_lines) qsort(d->lines, d->n_lines, sizeof *d->lines, hotter);
    memset(d->line_slots, 0, sizeof d->line_slots);
    for (size_t k = 0; k < d->n_lines; k++) {
        const struct vgpu_line_record *r = &d->lines[k];
        *line_records_slot_of(d, r->kernel, r->where.file, r->where.line) =
            (uint16_t)(k + 1);
    }
    *list = d->lines;
    return d->n_lines;
}
