/* SPDX-License-Identifier: MIT
 *
 * uses.h: which bytes of global memory a launch reads and writes, by the
 * instruction that does: for who looks at the order of launches and copies
 * (cuda/order). Not asked for, it costs nothing: accesses are compiled without
 * it.
 */
#pragma once

#include "observer.h"

enum { USE_PAGE = 4096, USE_WORDS = USE_PAGE / 64 };

/* An instruction has used these bytes of a page. */
struct use {
    uint64_t page; /* address / USE_PAGE */
    uint32_t insn; /* number */
    uint32_t how;  /* VGPU_USE_*, as bits */
    uint64_t bits[USE_WORDS];
};

struct uses;
/* NULL: out of memory. */
struct uses *uses_new(struct charges *);
void uses_free(struct uses *);
void uses_clear(struct uses *); /* a launch begins */
/* Of the last launch; NULL: there are no more. */
const struct use *uses_at(const struct uses *, size_t k);
/* There was no room for some. */
bool uses_are_cut(const struct uses *);

/* NULL: nobody asks. */
static inline struct uses *uses_of(const struct machine *m) {
    return m->slots[OBSERVER_USES];
}

/* ---- events ---- */
void uses_access(struct context *, struct access *);
void uses_copy_moves(struct context *, uint64_t global, uint32_t bytes,
                     bool write);
void uses_small_copy(struct context *, const struct small *, uint32_t lane);
static inline bool uses_watches(const struct machine *m) {
    return uses_of(m) != NULL;
}
/* Where it last set a bit. */
struct uses_hint {
    uint64_t page; /* and 1; 0: nowhere */
    struct use *use;
};
static const struct observer uses_observer = {.watches = uses_watches,
                                              .insn = sizeof(struct uses_hint),
                                              .access = uses_access,
                                              .copy_moves = uses_copy_moves,
                                              .small_copy = uses_small_copy};
