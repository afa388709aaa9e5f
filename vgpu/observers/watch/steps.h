/* SPDX-License-Identifier: MIT
 *
 * steps.h: records which value went where, and what it was made from
 * (vgpu_steps.h). Loads, stores, atomics and barriers come as events (watch.h);
 * ALU instructions through the loop that also prints them (run.c), so that
 * launches which are not recorded have not one instruction more.
 *
 * How to read this: each lane of each register has a *set*: the writes that its
 * value was computed from since they were loaded, each with the number of times
 * it was added (steps_sets.h). A store makes a write of it.
 */
#pragma once

#include "event.h"
#include "vgpu_steps.h"

struct steps;

struct steps *steps_new(const struct vgpu_profile *); /* NULL: no memory */
void steps_free(struct steps *);
/* Forgets everything. */
void steps_reset(struct steps *);
struct vgpu_steps steps_seen(const struct steps *);

/* vgpu.h: vgpu_watch_word, vgpu_word_writer. */
void steps_watch_word(struct steps *, uint64_t address, uint32_t bytes);
bool steps_word_writer(const struct steps *, struct vgpu_word_writer *);
/* Where the last launch came from: VGPU_CALLERS. */
void steps_launched_from(struct steps *, const uint64_t callers[]);
/* The group is about to execute it. */
void steps_insn(struct context *, const struct insn *);
/* Lanes `here` shuffle: lane l gets what from[l] holds. */
void steps_shuffled(struct context *, uint32_t here,
                    const uint8_t from[WARP_LANES]);
/* A vote, a match, a reduction: all lanes' words go into each one's result. */
void steps_voted(struct context *, uint32_t here);
/* The host copied, or filled (from 0). */
void steps_copied(struct steps *, const struct memory *, uint64_t to,
                  uint64_t from, uint64_t bytes);
