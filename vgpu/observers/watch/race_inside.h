/* SPDX-License-Identifier: MIT
 * race_inside.h: what the race*.c files share; no other file includes it.
 *
 *   race.c         accesses: what races
 *   race_word.c    what is remembered of a word
 *   race_fast.c   the fast path: most accesses, a warp at a time
 *   race_short.c   the same for shared memory
 *   race_more.c    a table of accesses for which a word's entries have no room
 *   race_known.c   what threads know: fences, flags, barriers
 *   race_sync.c    what a strong write releases, and a read learns of it
 *   race_version.c, race_current.c
 *                  strong writes one by one
 *   race_clock.c   vector clocks
 *   race_copies.c  asynchronous copies
 *   race_cluster.c  clusters of blocks
 *   race_mbarrier.c  mbarriers, and fences between the proxies
 *   race_gpus.c    launches of several GPUs
 *   race_kin.c     launches that kernels ask for
 *   race_report.c  the words of a finding
 *   race_cached.c  loads through the read-only cache
 *   race_launch.c  launches and blocks begin and end
 */
#pragma once

#include "cluster.h"
#include "race.h"

/* ---- copies that arrive later, and mbarriers (race_copies.c) ---- */

/* Of one thread's copies by cp.async, how many committed groups and, in this
 * group, cp.async.mbarrier.arrive came before. */
enum { SMALL_BITS = 8 };

/* A run of bytes that a lane's copy reads or writes. */
struct race_run {
    const struct region *region;
    uint64_t from; /* bytes behind the region's base */
    uint32_t bytes;
    bool shared, write;
    uint32_t channel, stamp;
};
/* The lane's bulk copy is about to read the run: reports words that were
 * written through the generic proxy and not followed by a proxy fence. */
void race_proxy_check(struct context *, uint32_t lane, const struct race_run *);

/* Its phase is complete. */
void race_mbarrier_completes(struct block *, uint32_t at);
/* The channel and present stamp of the loads that complete there. */
void race_mbarrier_channel(struct block *, uint32_t at, struct race_run *);

/* What is compiled for several instruction sets has all its loops inside. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

static inline uint64_t who(const struct context *c, uint32_t lane) {
    return context_block(c)->linear << 10 |
           (c->warp->index * WARP_LANES + lane);
}

static inline uint64_t block_of(uint64_t w) {
    return w >> 10;
}
/* The channels of a block's copies have block numbers behind all blocks. */
static inline bool is_copy(const struct machine *m, uint64_t w) {
    return block_of(w) >= race_of(m)->n_blocks;
}
static inline uint64_t race_channel(const struct block *b, uint32_t channel) {
    return race_of(b->machine)->n_blocks + b->linear * RACE_CHANNELS + channel;
}
/* The thread that issued the copy of this channel. */
static inline uint64_t race_issuer(const struct machine *m, uint64_t w) {
    uint64_t block = (block_of(w) - race_of(m)->n_blocks) / RACE_CHANNELS;
    return block << 10 | (w & 1023);
}
static inline uint32_t thread_of(uint64_t w) {
    return (uint32_t)w & 1023;
}

/* An entry is an access packed into two words. `when`: block and stamp. `what`:
 * era, instruction, thread, bytes of the word, and the flags WHAT_*. The era
 * numbers launches (in shared memory, blocks); an entry of another era than the
 * current one counts as empty.
 *
 * A plane has one entry for a word. Its flags say whether there were other
 * accesses to the word: more are in the table (race_more.c), or other threads
 * read the word, too, and were forgotten. Readers are forgotten only where that
 * changes no verdict: where nothing but barriers orders threads, a write that
 * no barrier orders after all these reads races with one of them in any case.
 */
enum {
    WHAT_STRONG = 1,
    WHAT_SPECIAL = 2, /* in shared memory: volatile; elsewhere: strong for the
                         block only */
    WHAT_WARP = 4,    /* other lanes of the warp were forgotten */
    WHAT_BLOCK = 8,   /* and of the block's other warps */
    WHAT_GRID = 16,   /* and of other blocks */
    WHAT_MORE = 32,   /* others are in the table */
    WHAT_DEVICE = 64, /* strong for one of several GPUs only */
    BYTES_SHIFT = 7,
    THREAD_SHIFT = 11,
    INSN_SHIFT = 21,
    ERA_SHIFT = 44,
    INSN_BITS = ERA_SHIFT - INSN_SHIFT,
    ERA_BITS = 64 - ERA_SHIFT
};
#define WHAT_FAR    ((uint64_t)(WHAT_GRID | WHAT_MORE))
#define WHAT_NEAR   ((uint64_t)(WHAT_WARP | WHAT_BLOCK))
#define LAST_ERA    ((1u << (ERA_BITS - 1)) - 1) /* so they compare, signed */
#define ALL_BYTES   (15u << BYTES_SHIFT)
#define THREAD_MASK (1023ull << THREAD_SHIFT)
#define WARP_MASK   (31ull << (THREAD_SHIFT + 5))

/* Short entries are one word: `what` with the stamp in place of the era. A
 * block's stamps begin where those of the previous block in its slot ended
 * (race_block.base), so that entries of earlier blocks have smaller stamps. */
enum { STAMP_SHIFT = ERA_SHIFT, LAST_SHORT_STAMP = LAST_ERA };

static inline uint64_t short_of(const struct race_now *q, uint64_t what) {
    return (what & ((1ull << STAMP_SHIFT) - 1)) | q->short_stamp;
}

struct race_entry {
    uint64_t when, what;
};

static inline struct race_entry
race_entry(const struct race_now *q, const struct race_plane *p, uint64_t k) {
    if (p->when) return (struct race_entry){p->when[k], p->what[k]};
    uint64_t what = p->what[k], stamp = what >> STAMP_SHIFT;
    uint64_t ago = (q->short_stamp >> STAMP_SHIFT) - stamp;
    /* Empty, or of an earlier block. */
    if (!stamp || ago >= (uint32_t)q->when) return (struct race_entry){0, 0};
    return (struct race_entry){q->when - ago,
                               (what & ((1ull << STAMP_SHIFT) - 1)) |
                                   q->era << ERA_SHIFT};
}

static inline void race_enter(const struct race_now *q, struct race_plane *p,
                              uint64_t k, uint64_t what) {
    p->era = q->era;
    p->latest = q->short_stamp;
    p->what[k] = p->when ? what : short_of(q, what);
    if (p->when) p->when[k] = q->when;
}

static inline bool unpack(const struct race_now *q, struct race_entry e,
                          struct race_by *by) {
    if (e.what >> ERA_SHIFT != q->era) return false;
    uint64_t thread = e.what >> THREAD_SHIFT & 1023;
    *by = (struct race_by){.who = e.when >> 32 << 10 | thread,
                           .stamp = (uint32_t)e.when,
                           .insn = (uint32_t)(e.what >> INSN_SHIFT) &
                                   ((1u << INSN_BITS) - 1),
                           .strong = e.what & WHAT_STRONG,
                           .special = e.what & WHAT_SPECIAL,
                           .device = e.what & WHAT_DEVICE,
                           .bytes = e.what >> BYTES_SHIFT & 15};
    return true;
}

/* True: none of the n entries is later than `last`: all are empty, or of an
 * older launch; short entries may also be from before a barrier. */
static ALWAYS_INLINE bool race_all_until(const uint64_t *what, uint64_t last,
                                         uint32_t n) {
    uint64_t later = 0;
    for (uint64_t k = 0; k < n; k++) later |= last - what[k];
    return !(later >> 63);
}

/* True: the entry cannot race with the current access. It is empty, or of the
 * same block before its last barrier, or of the same thread; and its flags do
 * not stand for other accesses that could race. */
static inline bool harmless(const struct race_now *q, uint64_t when,
                            uint64_t what, uint64_t mine) {
    bool stale = what >> ERA_SHIFT != q->era;
    bool old = (when - q->block < q->barrier) & !(what & WHAT_FAR);
    bool own = !((when ^ q->block) >> 32 |
                 ((what ^ mine) & (THREAD_MASK | WHAT_FAR | WHAT_NEAR)));
    return stale | old | own;
}

static inline struct race_forgotten *race_forgotten_at(const struct race_now *q,
                                                       const uint64_t *word) {
    return &q->forgotten[(uintptr_t)word / sizeof *word % LATELY_FORGOTTEN];
}
/* Another thread reads word k: moves the reader in its entry to the list of
 * forgotten ones. */
static inline void race_forget_reader(const struct race_now *q,
                                      const struct race_plane *p, uint64_t k) {
    struct race_entry e = race_entry(q, p, k);
    *race_forgotten_at(q, &p->what[k]) =
        (struct race_forgotten){&p->what[k], e.when, e.what};
}

/* For an atomic, which does not race with strong accesses: empties the strong
 * entries, except those with a flag of `never`, which it might race with. */
static inline void race_skip_strong(uint64_t *what, uint32_t n,
                                    uint64_t never) {
    for (uint32_t k = 0; k < n; k++) {
        bool plain = (what[k] & (WHAT_STRONG | never)) == WHAT_STRONG;
        what[k] &= (uint64_t)plain - 1;
    }
}

/* Several lanes have read word k, and its entry is the last one's: moves the
 * first one, `what`, to the list of forgotten readers. */
static inline void race_forget_first(const struct race_now *q,
                                     const struct race_plane *p, uint64_t k,
                                     uint64_t what) {
    if (!((p->what[k] ^ what) & THREAD_MASK)) return;
    *race_forgotten_at(q, &p->what[k]) =
        (struct race_forgotten){&p->what[k], q->when, what};
}

/* NULL: no memory. The caller frees it by one free(). */
struct race_shadow *race_shared_shadow(const struct machine *);

/* ---- race_gpus.c ---- */

/* Blocks of launches of which one runs always, at most. */
enum { RACE_MOST_FLOWN = 1 << 21 };
/* The scope of an access, a fence. Between the block and all threads that there
 * are stands a group of blocks: with several GPUs the blocks of one; with one
 * GPU, where blocks have clusters, a cluster; else there is no such scope. (A
 * cluster of one of several GPUs counts as all its blocks.) */
enum race_scope { SCOPE_BLOCK, SCOPE_DEVICE, SCOPE_SYSTEM };
static inline enum race_scope race_scope_of(const struct context *c) {
    const struct insn *i = c->insn;
    uint8_t scope = i->kind == KIND_FENCE ? i->mode : i->of_block;
    if (scope)
        return cluster_of_block(c->machine, scope) ? SCOPE_BLOCK : SCOPE_DEVICE;
    return c->machine->n_gpus == 1 || i->of_system ? SCOPE_SYSTEM
                                                   : SCOPE_DEVICE;
}
static inline bool race_has_groups(const struct machine *m) {
    return m->n_gpus > 1 || cluster_in(m);
}
/* The launch that this thread is of; NULL: there is one GPU. */
const struct race_grid *race_grid_of(const struct machine *, uint64_t who);
/* Its program, and its group. */
struct program *race_program_of(const struct machine *, uint64_t who);
uint64_t race_group_of(const struct race_state *, uint64_t who);
static inline uint64_t race_own_group(const struct context *c) {
    return c->machine->n_gpus > 1
               ? c->machine->gpu
               : race_group_of(race_of(c->machine), who(c, 0));
}
/* What is released to the threads of a group is kept as a part (race_part) of a
 * block with this number. */
static inline uint64_t race_group_part(uint64_t group) {
    return 1ull << 60 | group;
}
/* Notes the launch's grid. NULL: no memory, or too many blocks. */
struct race_grid *race_grid_add(struct machine *, struct race_state *);
/* Takes part in the state of launches that run; or it is the first one. False:
 * no memory, or too many blocks. */
bool race_gpus_join(struct machine *, struct race_state *);
/* The launch has ended. True: the state goes on without it. */
bool race_gpus_leave(struct machine *, struct race_state *);
void race_gpus_free(struct race_state *);

/* ---- race_kin.c ---- */

/* Takes part in the state of the launch's family; or it is the first one.
 * False: no memory, or too many blocks. */
bool race_kin_join(struct machine *, struct race_state *);
/* Its grid has ended; the state goes on. */
void race_kin_leave(struct machine *);
/* Is the launch that this thread is of one above the machine's own? */
bool race_is_above(const struct machine *, const struct race_grid *);

/* ---- race_fast.c ---- */

/* True: no word of the access can race, and the access is remembered. Only for
 * accesses that are one run of words, or whole words with short entries. */
bool race_fast(const struct race_now *, const struct access *,
               struct race_shadow *);
bool race_short_fast(const struct race_now *, const struct access *,
                     struct race_shadow *);
enum { MARKED = 4 * WARP_LANES }; /* words of a warp's access, at most */
/* For a weak access, or an atomic that orders nothing, to one word per lane in
 * one region: remembers the lanes before the first one that the general code
 * has to look at, and returns that lane and those after it. */
uint32_t race_words_fast(const struct race_now *, const struct access *,
                         struct race_shadow *);
/* True: one thread's access to these n words races with none of the entries. */
bool race_run_harmless(const struct race_now *, const struct race_plane *,
                       uint64_t at, uint32_t n);

/* ---- race.c ---- */

/* The current access, packed as if lane 0 of its warp accessed a whole word. */
struct race_now race_now_of(const struct context *, const struct access *,
                            bool shared);
struct race_shadow *race_shadow_of_run(struct context *,
                                       const struct race_run *);

/* ---- race_word.c ---- */

/* One lane's access to word k of a shadow. */
struct race_word {
    struct race_shadow *shadow;
    uint64_t k, address;
    uint32_t lane;
    bool writes, atomic;
};
/* Shared words have names of their own in every block. The address says which
 * block of the cluster, where that is not the thread's own (cluster.h). */
static inline uint64_t race_name(const struct context *c, uint64_t address,
                                 bool shared) {
    if (!shared) return address;
    const struct block *b = context_block(c);
    if (address >> CLUSTER_SHIFT) b = cluster_owner(b, &address);
    return ~(b->linear << 32 | address);
}
/* Reports a race with what is remembered of the word. */
bool race_check_word(struct context *, const struct race_now *,
                     const struct race_word *);
void race_remember(struct context *, const struct race_now *,
                   const struct race_word *);
/* Does the remembered access happen before the lane's next one? */
bool race_is_ordered(const struct context *, const struct race_by *,
                     bool was_read, uint32_t lane);

/* Does the write of these bytes of the word happen before the lane's next
 * access, or has the lane read what it wrote? */
bool race_was_before(const struct context *, const struct race_now *,
                     const struct race_word *, const struct race_by *write,
                     uint32_t bytes);

/* ---- race_more.c ---- */

/* Adds the entry to the table, in place of a similar earlier one of its thread.
 * False: no room. */
bool race_more_add(struct race_mores *, uint64_t name, bool wrote,
                   struct race_entry);
/* The first entry of the word; 0: none. race_more.next leads to the others. */
uint32_t race_more_first(const struct race_mores *, uint64_t name);
void race_more_forget(struct race_mores *, uint64_t name);
/* Empties the entry; the next similar one takes its place. */
static inline void race_more_drop(struct race_more *m) {
    m->what &= (1ull << ERA_SHIFT) - 1;
}
void race_more_free(struct race_mores *);

/* ---- race_known.c ---- */

/* NULL: no memory. */
struct race_meeting *race_meeting_at(struct block *, uint32_t barrier);
void race_drop_views(struct clock_pool *, clock_tree *views);
/* What the lanes bring: all that they know, and have done. */
void race_bring(struct context *, uint32_t lanes, clock_tree *views);
/* These lanes learn what some have brought to a barrier. */
void race_known_share(struct context *, uint32_t lanes,
                      const clock_tree *views);

/* ---- race_cluster.c: barrier.cluster ---- */
void race_cluster_came(struct context *, uint32_t lanes, clock_tree *views);
void race_cluster_met(struct block *);
/* Remembers accesses to the shared memory of other blocks. */
void race_remotes_note(struct context *, const struct access *,
                       const struct race_now *);

/* Does the lane's view say that this access happened before? */
bool race_knows(const struct context *, uint32_t lane, enum race_view,
                const struct race_by *);
/* The lane's own views; made at the first call. NULL: no memory. */
struct race_thread *race_thread_at(struct context *, uint32_t lane);
/* All that happens before the lane's next access, with its own accesses. The
 * caller drops the clock. */
clock_tree race_all_known(struct context *, uint32_t lane);
/* A view of the lane joined with its block's and warp's. The caller drops it.
 */
clock_tree race_whole_view(struct context *, uint32_t lane, enum race_view);
void race_learn(struct context *, uint32_t lane, enum race_view, clock_tree);
/* Raises the stamp of that thread, or of all of its block (width:
 * race_clock.h), in what the lane knows. */
void race_learn_of(struct context *, uint32_t lane, uint64_t thread,
                   unsigned width, uint32_t stamp);
/* As race_all_known, without the lane's own accesses. The caller drops it. */
clock_tree race_known_of_others(struct context *, uint32_t lane);

/* ---- race_sync.c ---- */

struct race_strong;
/* Called when the lane's strong read has read what was written with this
 * release; NULL: with none. */
void race_sync_learn(struct context *, uint32_t lane,
                     const struct race_strong *, const struct race_sync *);
void race_unacquired_drop(struct clock_pool *, struct race_unacquired **);
void race_sync_drop(struct clock_pool *, struct race_sync *);
void race_sync_add_part(struct clock_pool *, struct race_sync *, uint64_t block,
                        clock_tree known);
/* What a lane's strong write releases. */
struct race_release {
    clock_tree all, device, block, known;
    bool itself; /* the write has .release, and so releases what is known now;
                else what was known at the last fence */
};
struct race_release race_release_of(struct context *, uint32_t lane);
void race_release_drop(struct clock_pool *, struct race_release *);
/* The loads before the block's last barrier, which have returned: a flag orders
 * these even without a fence. The caller does not drop it. */
clock_tree race_done_of(struct context *);

/* ---- race_version.c ---- */

struct race_versions *race_versions_new(bool weak, struct charges *);
void race_versions_free(struct clock_pool *, struct race_versions *);
bool race_versions_weak(const struct race_versions *);
/* A shared word is named by its block's slot; what an earlier block of the slot
 * left in its versions is not in memory any more. */
static inline uint64_t race_version_name(const struct context *c,
                                         uint64_t address, bool shared) {
    enum { SLOTS = 1 << 20 }; /* of a GPU, at most */
    if (!shared) return address;
    const struct block *b = context_block(c);
    if (address >> CLUSTER_SHIFT) b = cluster_owner(b, &address);
    uint64_t slot = b->slot + (uint64_t)c->machine->gpu * SLOTS;
    return ~(slot << 32 | address);
}
/* A lane's strong access, from word k of a shadow on. */
struct race_strong {
    uint64_t name, address;
    uint32_t bytes;
    bool shared;
    struct race_entry entry; /* of the lane */
    const struct race_plane *writes;
    uint64_t k;
};
/* The lane reads: of these versions its own, or (NULL) what is in memory. Sets
 * race_state.observed. */
void race_version_observe(struct context *, uint32_t lane,
                          const struct race_now *, const struct race_strong *,
                          const uint32_t *read);
/* Whatever follows in the lane stands behind what it has observed. */
void race_version_seen(struct context *, uint32_t lane, uint32_t stamp);
void race_version_publish(struct context *, uint32_t lane,
                          const struct race_strong *);
/* These bytes of the write of the word are before the lane, which has seen
 * them; the present atomic operation has read it; no access to this word will
 * be compared with it; or some will, and the present write, which is behind
 * these bytes of it, hides them. */
bool race_version_was_seen(const struct context *, const struct race_word *,
                           bool shared, const struct race_by *write,
                           uint32_t bytes);
bool race_version_was_read(const struct context *, const struct race_by *write);
void race_version_covered(struct context *, const struct race_word *,
                          bool shared, const struct race_by *write);
void race_version_hidden(struct context *, const struct race_word *,
                         bool shared, const struct race_by *write,
                         uint32_t bytes);

/* ---- race_mbarrier.c ---- */

void race_async_forget(struct block *); /* the block ends */

/* ---- race_cached.c ---- */

/* Reports a load through the read-only cache that reads bytes which this kernel
 * has written. */
void race_cached_load(struct context *, struct access *,
                      const struct race_now *);

/* ---- race_launch.c ---- */

/* racecheck stops looking in this launch, and reports once that it is
 * incomplete. */
void race_stop(struct machine *, const char *what, const char *mend);
/* No launch uses the state any more, which is the machine's. */
void race_state_end(struct machine *, struct race_state *);

/* ---- race_report.c ---- */

/* before: the earlier access; NULL: it was forgotten whose it was. */
void race_report(struct context *, const struct race_now *,
                 const struct race_word *, const struct race_by *before,
                 bool wrote);
void race_report_unnamed(struct machine *); /* the launch ends */
/* Reports a strong read of n words whose words were written one by one: a
 * status word in two halves. */
void race_check_torn(struct context *, const struct race_now *,
                     const struct race_plane *, uint64_t at, uint32_t n,
                     uint32_t lane, uint64_t address);
void race_describe_thread(const struct machine *, uint64_t who, uint32_t *block,
                          uint32_t *thread);
