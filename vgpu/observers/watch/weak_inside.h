/* SPDX-License-Identifier: MIT
 * weak_inside.h: what the weak*.c files share; no other file includes it.
 *
 *   weak.c       accesses
 *   weak_wait.c  stores that wait
 *   weak_view.c  old values of words, and how old a warp may see them
 *   weak_l1.c    lines that a plain load may be served from
 */
#pragma once

#include "cluster.h"
#include "weak.h"

enum {
    LINE = 128,
    MAX_LINES = 64,
    MAX_OLD = 1 << 14, /* old values that are kept, of all words */
    BUCKETS = 1 << 12,
    WAYS = 4, /* words in a bucket */
    MAX_WAITING = 512,
    MAX_PER_BLOCK = 32, /* of these */
    NO_STORE = MAX_WAITING,
    CHAINS = 1 << 10,
    MAX_SEEN = 8 /* words for which a warp remembers how new a value it has
                read */
};

/* Time grows by one with each write that reaches memory: it is the order of
 * the writes to each word. */

/* What a strong write hands on to a warp that acquires it: up to which time it
 * must see all writes. On a machine with several GPUs `all` is for warps of the
 * writer's GPU, about writes of that GPU; `known` for the same warps, about
 * those of other GPUs; `system` for warps of all GPUs, about all writes, where
 * both have the scope of the system. With one GPU the first and the last are
 * the same. */
struct handed {
    uint64_t all, known, system;
};

/* What a word held until a write at `time` changed it; and about that write:
 * which warp made it, and what a warp that acquires it must see. */
struct old_value {
    uint64_t time, word, older; /* number of the word's one before */
    struct handed release;
    uint64_t block, made; /* made: see struct waiting */
    uint32_t value, warp, barrier, sm, gpu;
    uint32_t was; /* the version of the value (race_version.c) */
};
/* Words that hash alike, and the numbers of their newest old values. */
struct bucket {
    uint64_t word[WAYS], number[WAYS];
};
struct history {
    struct old_value *ring; /* number n is at n % MAX_OLD; 0: none */
    struct bucket *newest;
    uint64_t n, time;
    uint64_t floor; /* all warps see the writes up to this time */
    /* A bit for each line that was written, and for those that hash alike. */
    uint64_t wrote[16];
};
static inline uint32_t history_bit(uint64_t address) {
    return (uint32_t)((address / LINE * 0x9e3779b97f4a7c15ull) >> 54);
}
static inline bool history_wrote(const struct history *h, uint64_t address) {
    uint32_t bit = history_bit(address);
    return h->wrote[bit / 64] >> (bit % 64) & 1;
}

/* The writes that a warp must see: to all words those up to the time `floor`
 * (of other GPUs: up to `far`), to some words later ones (seen). pending: what
 * its next fence makes of both. release: a warp that acquires this one's next
 * strong write must see the writes up to these times. shown: the whole block
 * can see the stores that the warp made up to this number. */
struct view {
    uint64_t floor, far, shown;
    struct handed pending, release;
    struct {
        uint64_t word, time;
    } seen[MAX_SEEN];
    uint32_t next;
};
struct weak_block {
    struct view all; /* what all its warps must see since the last barrier */
    struct view warps[];
};

/* A store of a warp that is not in memory yet: to addresses first to end - 1,
 * with gaps. made: the stores of the launch by number; fences of any scope have
 * numbers, too. */
struct waiting {
    uint64_t block, first, end, made;
    struct handed release;
    uint32_t sm, gpu, warp, barrier; /* barriers the block had passed */
    uint32_t mask, bytes;
    uint64_t address[WARP_LANES];
    uint8_t data[WARP_LANES][16];
    uint32_t version[WARP_LANES]; /* race_version.c */
};

struct line {
    uint64_t time; /* when it was read */
    uint8_t data[LINE];
};
/* Lines are searched by the low half of their numbers, which stand by
 * themselves. */
struct l1 {
    uint32_t low[MAX_LINES];
    uint64_t address[MAX_LINES];
    struct line lines[MAX_LINES];
    uint32_t n;
};

/* Waiting stores by number. order: all of them, oldest first. Those of blocks
 * that fall into one chain follow each other from first on, oldest first, too.
 * An access looks at its own block's chain only. */
struct weak_stores {
    struct waiting *store;
    uint16_t order[MAX_WAITING], n;
    uint16_t next[MAX_WAITING], first[CHAINS], unused;
};

struct weak_state {
    uint64_t random, made;
    struct weak_stores waiting;
    struct l1 *l1;                  /* one per SM */
    uint32_t n_sms, n_machines;     /* of all GPUs; whose launches share it */
    uint64_t began[VGPU_MOST_GPUS]; /* a launch of the GPU sees all before */
    struct history old;
    uint32_t was[WARP_LANES][4]; /* versions that an atomic operation finds */
    uint8_t scratch[WARP_LANES * 16];
};

/* ---- weak_view.c ---- */

bool history_begin(struct history *);
void history_end(struct history *);
/* Somebody is about to write these bytes of memory at time old.time. The write
 * is described by `by`, but for time, word, value and was. was: the versions of
 * the words; NULL: those in memory. */
void history_write(struct machine *, uint64_t address, uint32_t bytes,
                   const uint8_t *memory, const struct old_value *by,
                   const uint32_t *was);
/* What history_write will look at comes into the cache meanwhile. */
void history_fetch(const struct history *, uint64_t address);
/* The latest write of the word in memory; NULL: nothing older is kept. */
struct old_value *history_newest(const struct machine *, uint64_t word);
/* Some of the history becomes too old to be seen. */
void history_age(struct machine *);

/* The instruction's scope has all that there is: it orders writes of all GPUs.
 */
static inline bool weak_is_system(const struct context *c) {
    return c->machine->n_gpus == 1 || c->insn->of_system;
}
static inline void weak_raise(uint64_t *to, uint64_t time) {
    if (*to < time) *to = time;
}
static inline struct view *view_of(struct context *c) {
    return &weak_block_of(context_block(c))->warps[c->warp->index];
}
/* It has read what this write left, by a strong access: what its next fence or
 * acquire will make it see. */
void view_hears(struct context *, const struct old_value *);
/* Up to which time its writes to come hand on other GPUs' writes: those that it
 * must see, and those that it has read. */
uint64_t view_knows(struct context *);
/* The warp has seen the write of this time to the word. */
void view_saw(struct context *, uint64_t word, uint64_t time);
/* It must see what those wrote who released what it has read, and what its
 * block's warps must see; and tells these what it must see itself. */
void view_acquire(struct context *);
/* The same within the block, which sees the warp's stores from now on. */
void view_meet(struct context *);
/* Copies what a lane's load of memory finds: the newest values, or older ones
 * that the warp may still see. Returns the version of all
 * its words; 0: they are of several. */
uint32_t view_read(struct context *, uint64_t address, uint32_t bytes,
                   const uint8_t *memory, uint8_t *to);
/* The same of what memory held when the launch began. */
uint32_t view_read_first(struct context *, uint64_t address, uint32_t bytes,
                         const uint8_t *memory, uint8_t *to);
/* The load was served from a line of the L1. */
void view_read_line(struct context *, const struct line *, uint64_t address,
                    uint32_t bytes);

/* ---- weak.c ---- */

/* What the instruction's write hands on. */
struct handed weak_handed_on(struct context *);

/* ---- weak_wait.c ---- */

bool waiting_begin(struct weak_stores *);
void waiting_end(struct weak_stores *);
/* The warp's store, whose bytes are in the scratch, waits from now on. */
void waiting_keep(struct context *, const struct access *);
/* The stores of n blocks from the first on reach memory. */
void waiting_let_go_blocks(struct machine *, uint64_t first, uint64_t n);
/* One of all stores, drawn at random, reaches memory. There is one. */
void waiting_let_go_one(struct machine *);
/* The last one that was kept. There is one. */
void waiting_let_go_newest(struct machine *);
/* A block's stores to one word reach memory in order. */
void waiting_drain_overlapping(struct context *, const struct access *);
/* Stores that the warp made, or that its block can see, reach memory. */
void waiting_drain_fenced(struct context *);
/* Adds what a load finds of the waiting stores that its warp can see. */
void waiting_overlay(struct context *, const struct access *, uint8_t *scratch,
                     uint32_t *versions);

/* ---- weak_l1.c ---- */

static inline struct l1 *l1_of(struct context *c) {
    return &weak_of(c->machine)->l1[context_block(c)->sm];
}
static inline uint64_t line_of(uint64_t address) {
    return address & ~(uint64_t)(LINE - 1);
}
struct line *l1_find(struct l1 *, uint64_t line);
void l1_forget(struct l1 *, uint64_t line);
/* Half of the lines that are read stay in the cache: this one then, or NULL. */
struct line *l1_fill(struct context *, uint64_t line);
/* Another SM's write is about to change the line. */
void l1_keep_old(struct machine *, uint32_t writer, uint64_t line);
