/* SPDX-License-Identifier: MIT
 *
 * race_version.h: a record for each strong write. One record per word (what its
 * last write released, which threads have read it) is not enough: a release
 * sequence goes on past the stores of other threads, an atomic operation passes
 * on the release that it read, and in weak memory a load may read an older
 * write. Programs whose only strong accesses are relaxed atomic operations of
 * one size need no versions.
 *
 * How to read this: a *version* is a strong write. It is kept as long as a
 * thread may still read it (references: memory, a waiting store, an old value,
 * a version made from it), or an access may still race with it (until it is
 * covered: race_word.c). It has a list of its readers. `from` is the version
 * that an atomic operation has read; covered versions are left out of the
 * chain. A version that this one has overwritten but does not cover is hidden:
 * a reader of this one counts as a reader of the hidden one, too.
 *
 *   race_version.c  what versions release, and who reads them
 *   race_current.c  the tables of versions, and which are in memory
 */
#pragma once

#include "race_inside.h"

struct race_version {
    struct race_sync sync;
    /* What it, or an earlier one of its thread, releases itself: to all; to its
     * GPU, where there are several; to its block. */
    clock_tree own, own_device, own_block;
    uint32_t insn, bytes, from, references;
    uint32_t next;  /* of the place in `heads`; or the next free one */
    uint32_t saw;   /* the first of its readers */
    uint32_t hides; /* a list of other versions: race_saw.who is the version */
    uint8_t open;   /* words in which an access may still race with it */
    bool keeps;
};
/* bytes: of the version, from the beginning of its first word on. */
enum { ALL_OF_IT = 0xffff };
struct race_saw {
    uint64_t who;
    uint32_t stamp, next;
    uint16_t bytes;
};
struct race_current {
    uint64_t name; /* of a word; 0: a free place */
    uint32_t version;
};
struct race_versions {
    struct charges *charges;
    uint64_t charged;          /* for the tables */
    struct race_version *list; /* the first is not used */
    uint32_t *heads;           /* by name and writer, newest first */
    uint32_t n, room, free;
    struct race_saw *saws;
    uint32_t n_saws, saws_room, free_saw;
    uint32_t hidden; /* list of those that the current access hides, for its
                    version */
    struct race_current *current; /* what is in memory */
    uint64_t n_current, current_room;
    uint32_t made[WARP_LANES]; /* by the last store, for weak memory */
    bool weak;
};

/* Has race_version_name made the name for a word of shared memory? */
static inline bool race_version_is_shared(uint64_t name) {
    return name >> 63;
}

/* ---- race_current.c ---- */

/* By name and writer; the newest first, 0: none. */
uint32_t *race_version_head(const struct race_versions *, uint64_t name,
                            uint64_t writer);
uint32_t race_version_new(struct race_versions *); /* 0: no room */
/* Adds a reader to a list. False: no memory. */
bool race_version_note(struct race_versions *, uint32_t *list, struct race_saw);
void race_version_link(struct race_versions *, uint32_t id);
/* Frees the version if nothing needs it any more. */
void race_version_done(struct machine *, uint32_t id);
/* The version that is in memory at the word of this name. */
uint32_t race_version_of(struct race_versions *, uint64_t name);
void race_version_set(struct machine *, uint64_t name, uint32_t id);
