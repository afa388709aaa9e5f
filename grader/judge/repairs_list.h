/* SPDX-License-Identifier: MIT
 *
 * repairs_list.h: which repairs may mend a failure, the likeliest first: those
 * at the lines that the failure is about, then those at other lines.
 */
#pragma once

#include <vgpu.h>

#include "repairs_state.h"

/* Lines of the submission's kernels where an edit could change something. */
enum { REPAIR_LINES = 256, REPAIR_LIST = 200 };
struct repair_sites {
    struct repair_site {
        unsigned line;
        unsigned n[VGPU_N_EDITS]; /* instructions */
    } sites[REPAIR_LINES];
    size_t n;
};
void repair_sites_take(struct repair_sites *, const vgpu_device *,
                       const char *file);

struct repair_row {
    vgpu_edit_kind edit; /* VGPU_N_EDITS: none */
    int by;
    unsigned fits; /* bits of failures */
    enum fact_row fact;
};
const struct repair_row *repair_row(enum repair_kind);
/* Is there anything to be tried? */
bool repair_fits(const struct outcome *);
/* Is the answer wrong, and nothing else was found? */
bool repair_is_of_answer(const struct outcome *);

struct repair_list {
    struct candidate items[REPAIR_LIST];
    size_t n;
};
void repair_list_make(const struct outcome *, const struct repair_sites *,
                      const struct repairs *, struct repair_list *);
