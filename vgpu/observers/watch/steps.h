/* SPDX-License-Identifier: MIT
 *
 * steps.h: records which value went where, and what it was made from
 * (vgpu_steps.h). Loads, stores, atomics and barriers come as events (watch.h);
 * ALU instructions come from the loop that also traces them (run.c), so that
 * launches which are not recorded are not slower.
 *
 * How to read this: each lane of each register has a *set*: the writes that its
 * value was computed from since they were loaded, each with the number of times
 * it was added (steps_sets.h). A store makes a write of it.
 */
#pragma once

#include "event.h"
#include "vgpu_steps.h"

struct steps;
/* NULL: vgpu_options.steps is not set. */
static inline struct steps *steps_of(const struct machine *m) {
    return m->slots[OBSERVER_STEPS];
}

struct steps *steps_new(const struct vgpu_profile *); /* NULL: no memory */
void steps_free(struct steps *);
/* Forgets everything. */
void steps_reset(struct steps *);
struct vgpu_steps steps_seen(const struct steps *);

/* vgpu.h: vgpu_watch_word, vgpu_word_writer. */
void steps_watch_word(struct steps *, uint64_t address, uint32_t bytes);
bool steps_word_writer(const struct steps *, struct vgpu_word_writer *);
/* The calls that led to the last launch: VGPU_CALLERS addresses. */
void steps_launched_from(struct steps *, const uint64_t callers[]);
/* The same of the copies since steps_copies_begin. */
void steps_copies_begin(struct steps *);
void steps_copied_from(struct steps *, const uint64_t callers[]);
/* The host copied, or filled (from 0). */
void steps_copied(struct steps *, const struct memory *, uint64_t to,
                  uint64_t from, uint64_t bytes);

/* ---- events ---- */
void steps_insn(struct context *, const struct insn *);
/* `from` is not NULL: the fast path for whole warps is off where steps watch.
 */
void steps_shuffles(struct context *, const struct shuffle *);
void steps_voted(struct context *, uint32_t here);
void steps_access(struct context *, struct access *);
void steps_loaded(struct context *, struct access *);
void steps_stored(struct context *, struct access *);
void steps_matrix_moved(struct context *, struct access *,
                        const struct matrix_moves *);
void steps_matrix_made(struct context *, uint32_t lanes);
void steps_changed(struct context *, struct access *, bool changed);
void steps_met(struct block *);
void steps_some_met(struct block *, uint32_t barrier);
void steps_fenced(struct context *);
void steps_launch_begins(struct machine *);
void steps_block_starts(struct block *);
static inline bool steps_watches(const struct machine *m) {
    return steps_of(m) != NULL;
}
static const struct observer steps_observer = {
    .watches = steps_watches,
    .executes = steps_insn,
    .shuffles = steps_shuffles,
    .voted = steps_voted,
    .access = steps_access,
    .loaded = steps_loaded,
    .stored = steps_stored,
    .matrix_moved = steps_matrix_moved,
    .matrix_made = steps_matrix_made,
    .changed = steps_changed,
    .met = steps_met,
    .some_met = steps_some_met,
    .fenced = steps_fenced,
    .launch_begins = steps_launch_begins,
    .block_starts = steps_block_starts};
