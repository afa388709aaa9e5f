/* SPDX-License-Identifier: MIT
 *
 * devices_plan.c: see devices_plan.h.
 */
#include "devices_plan.h"

/* One H200 of 2026-11-26 and the link of four of them (h200x4-multi): copies at
 * 4.26 TB/s both ways together. Written down before anything was timed. */
const struct devices_machine devices_h200 = {.read = 4.26e6,
                                             .held = 36.7e6,
                                             .kept = 32e6,
                                             .link_us = 0.73,
                                             .look_us = 0.7,
                                             .second_us = 1.0};

enum { WHOLE = 64 /* a part is a multiple of so many elements */ };

static size_t even_part(const struct devices_layout *l) {
    size_t g = (size_t)l->devices, part = (l->n + g - 1) / g;
    return (part + WHOLE - 1) / WHOLE * WHOLE;
}

size_t devices_chunks(const struct devices_layout *l) {
    if (l->chunk == 0) return 1;
    size_t all = (l->n + l->chunk - 1) / l->chunk, g = (size_t)l->devices;
    return (all + g - 1) / g;
}

size_t devices_part(const struct devices_layout *l, int device) {
    size_t d = (size_t)device;
    if (l->chunk == 0) {
        size_t part = even_part(l), from = d * part;
        if (from >= l->n) return 0;
        return l->n - from < part ? l->n - from : part;
    }
    size_t turn = (size_t)l->devices * l->chunk;
    size_t rest = l->n % turn, before = d * l->chunk;
    size_t more = rest <= before             ? 0
                  : rest - before < l->chunk ? rest - before
                                             : l->chunk;
    return l->n / turn * l->chunk + more;
}

size_t devices_index(const struct devices_layout *l, int device, size_t k) {
    if (l->chunk == 0) return (size_t)device * even_part(l) + k;
    size_t turn = k / l->chunk;
    return (turn * (size_t)l->devices + (size_t)device) * l->chunk +
           k % l->chunk;
}

double devices_bound_us(const struct devices_machine *m, bool dealt,
                        int devices, double bytes, double copy_us) {
    double us = copy_us;
    if (devices > 1) us += 2 * m->look_us + m->link_us;
    if (dealt || devices == 1 || bytes <= m->held) return us;
    double again = bytes > m->kept ? bytes - m->kept : 0;
    return us + again / m->read + m->second_us;
}
