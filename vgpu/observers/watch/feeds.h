/* SPDX-License-Identifier: MIT
 *
 * feeds.h: which launches the answer comes from. A launch feeds another one
 * that reads a word which it stored last; and the host, which copies such a
 * word. A launch is useful if it feeds the host, or one that is useful.
 *
 * A word is unread if a launch stored it, and another one stored it again, or
 * its array was freed, before anybody read it.
 *
 * How to read this: each word of global memory has the number of the launch
 * that stored it last, counted since the counts were reset, and a bit that says
 * whether somebody has read it since. Copies on the device move the numbers,
 * the host's stores delete them. Not asked for, it costs nothing.
 */
#pragma once

#include "observer.h"

struct feeds;
/* NULL: out of memory. */
struct feeds *feeds_new(struct charges *);
void feeds_free(struct feeds *);
void feeds_reset(struct feeds *); /* no launch was before */

/* Bytes that the host reads; stores; moves from one place to another of the
 * same or another array. The addresses are those of live arrays. */
void feeds_read(struct feeds *, struct memory *, uint64_t from, uint64_t bytes);
void feeds_written(struct memory *, uint64_t to, uint64_t bytes);
void feeds_copied(struct feeds *, struct memory *, uint64_t to, uint64_t from,
                  uint64_t bytes);
/* The array that begins there is about to be freed. */
void feeds_freed(struct feeds *, struct memory *, uint64_t address);

/* What the last launch counted; kept for feeds_add. */
void feeds_counted(struct feeds *, const uint64_t counts[VGPU_N_COUNTERS]);
/* The launches that are useful by now, and what they counted. All launches are,
 * if there were too many to look at. */
void feeds_counts(const struct feeds *, uint64_t counts[VGPU_N_COUNTERS]);

/* NULL: nobody asks. */
static inline struct feeds *feeds_of(const struct machine *m) {
    return m->slots[OBSERVER_FEEDS];
}

/* ---- events ---- */
void feeds_access(struct context *, struct access *);
void feeds_copy_moves(struct context *, uint64_t global, uint32_t bytes,
                      bool write);
void feeds_small_copy(struct context *, const struct small *, uint32_t lane);
void feeds_launch_begins(struct machine *);
static inline bool feeds_watches(const struct machine *m) {
    return feeds_of(m) != NULL;
}
static const struct observer feeds_observer = {
    .watches = feeds_watches,
    .what = "which launches read whose words",
    .access = feeds_access,
    .copy_moves = feeds_copy_moves,
    .small_copy = feeds_small_copy,
    .launch_begins = feeds_launch_begins};
