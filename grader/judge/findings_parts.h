/* SPDX-License-Identifier: MIT
 *
 * findings_parts.h: what findings.c, which chooses among the device's findings,
 * and findings_reasons.c, which says what stands behind one, share. For these
 * two only.
 */
#pragma once

#include <string.h>

#include "findings.h"

struct choice {
    const struct vgpu_finding *first, *end;
    const struct vgpu_finding
        *early; /* the unwritten read that first explains */
};

/* findings_reasons.c */
enum finding_reason findings_reason(const struct harness *,
                                    const struct choice *);

static inline bool is_race(const struct vgpu_finding *f) {
    return f->kind == VGPU_FINDING_SHARED_RACE ||
           f->kind == VGPU_FINDING_GLOBAL_RACE;
}

static inline bool same_line(const struct vgpu_source *a,
                             const struct vgpu_source *b) {
    return a->file && b->file && a->line && a->line == b->line &&
           strcmp(a->file, b->file) == 0;
}

enum { FINDINGS_WARP = 32 };

/* Two threads of a block: lanes of one warp? */
static inline bool of_one_warp(const struct vgpu_finding *f) {
    return f->thread[0] / FINDINGS_WARP == f->other_thread[0] / FINDINGS_WARP &&
           f->thread[1] == f->other_thread[1] &&
           f->thread[2] == f->other_thread[2];
}
