/* SPDX-License-Identifier: MIT
 *
 * explain_lane.c: a chain of steps that is too long because one lane of a warp
 * does what all could do at the same time: lines that warps run with one thread
 * and in which nobody waits for another. See explain.h.
 */
#include <string.h>

#include "explain.h"
#include "text.h"

static uint64_t blocks_of(const struct harness *h, const char *kernel) {
    const struct vgpu_launch_record *list;
    size_t n = vgpu_launch_records(h->vgpu, &list);
    uint64_t blocks = 0;
    for (size_t i = 0; i < n; i++)
        if (list[i].kernel && strcmp(list[i].kernel, kernel) == 0)
            blocks += list[i].counts[VGPU_COUNT_BLOCKS];
    return blocks;
}

/* Most warps that run it do so with one thread, which is not waiting. */
static bool is_of_one_lane(const struct vgpu_line_record *r) {
    uint64_t warps = r->counts[VGPU_COUNT_WARP_INSTRUCTIONS],
             threads = r->counts[VGPU_COUNT_THREAD_INSTRUCTIONS],
             waiting = r->counts[VGPU_COUNT_SPIN_INSTRUCTIONS];
    return r->kernel && 2 * threads < 3 * warps && 2 * waiting < threads;
}

/* How many steps of depth are too many; 0: it is not depth. */
static uint64_t too_many(const struct measured *m) {
    for (size_t i = 0; i < m->n_bounds; i++) {
        const struct bound_count *b = &m->bounds[i];
        int counter = b->bound->counter;
        if (bound_is_passed(b) && (counter == (int)VGPU_COUNT_DEPTH ||
                                   counter == (int)VGPU_COUNT_DEEPEST_LAUNCH))
            return (uint64_t)b->count - (uint64_t)b->limit;
    }
    return 0;
}

void explain_lane(const struct harness *h, const struct measured *m,
                  struct outcome *o) {
    const struct vgpu_line_record *list, *most = NULL;
    size_t n = vgpu_line_records(h->vgpu, &list);
    uint64_t excess = too_many(m), steps = 0;
    for (size_t i = 0; i < n; i++)
        if (is_of_one_lane(&list[i]) &&
            (!most || list[i].counts[VGPU_COUNT_WARP_INSTRUCTIONS] >
                          most->counts[VGPU_COUNT_WARP_INSTRUCTIONS]))
            most = &list[i];
    for (size_t i = 0; most && i < n; i++)
        if (is_of_one_lane(&list[i]) &&
            strcmp(list[i].kernel, most->kernel) == 0)
            steps += list[i].counts[VGPU_COUNT_WARP_INSTRUCTIONS];
    uint64_t blocks = most ? blocks_of(h, most->kernel) : 0;
    if (!excess || !blocks || 2 * steps / blocks < excess) return;
    bool own = most->where.file && !vgpu_is_toolkit_file(most->where.file);
    outcome_add(o, FACT(ONE_LANE, {V(own ? text_base(most->where.file) : ""),
                                   V(own ? most->where.line : 0),
                                   V(most->kernel), V(steps / blocks)}));
}
