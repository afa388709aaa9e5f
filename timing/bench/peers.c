/* SPDX-License-Identifier: MIT
 *
 * peers.c: see peers.h.
 */
#include "peers.h"

static const struct {
    struct unit unit;
    int type, first, last; /* operations, a range */
} peers[] = {
#define X(name, source, more, newer, type, first, last)                        \
    {{#name, "timing/gpu", source, more, false, newer},                        \
     BENCH_TYPE_##type,                                                        \
     BENCH_##first,                                                            \
     BENCH_##last},
#include "peers.def"
#undef X
};

static bool is_wanted(const struct plan_filter *f, size_t peer) {
    bool small = type_bytes(peers[peer].type) < 4;
    bool type = f->type < 0 ? !small || f->full : f->type == peers[peer].type;
    bool operation = f->operation < 0 || (f->operation >= peers[peer].first &&
                                          f->operation <= peers[peer].last);
    return type && operation;
}

size_t peers_units(const struct plan_filter *f, bool newer_cub,
                   const struct unit *units[UNITS_MOST]) {
    static const struct unit copy = {"copy", "timing/gpu", "peers_copy.cu",
                                     "",     false,        false};
    size_t n = 0;
    _Static_assert(sizeof peers / sizeof *peers + 3 <= UNITS_MOST, "too many");
    units[n++] = &unit_worker;
    units[n++] = &copy;
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
        if ((newer_cub || !peers[i].unit.newer_cub) && (!f || is_wanted(f, i)))
            units[n++] = &peers[i].unit;
    return n;
}
