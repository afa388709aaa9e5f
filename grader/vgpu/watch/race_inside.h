/* SPDX-License-Identifier: MIT
 *
 * race_inside.h: what the race*.c files share and nobody else sees.
 *
 *   race.c         accesses: what is remembered of a word, and what races
 *   race_quick.c   the fast path: most accesses, a warp at a time
 *   race_known.c   happens-before between blocks: vector clocks
 *   race_copies.c  asynchronous copies
 *   race_report.c  the words of a finding
 *   race_launch.c  launches and blocks begin and end
 */
#ifndef VGPU_RACE_INSIDE_H
#define VGPU_RACE_INSIDE_H

#include "race.h"

enum { SYNC_BUCKETS = 4096 }; /* of race_state.table */

/* Stands for the block of an asynchronous copy that nobody has claimed yet; the
 * copy's name then stands for the stamp. */
#define COPY_BLOCK 0xffffffffull

static inline uint64_t who(const struct context *c, uint32_t lane) {
    return context_block(c)->linear << 10 |
           (c->warp->index * WARP_LANES + lane);
}

static inline uint64_t block_of(uint64_t w) {
    return w >> 10;
}
static inline uint32_t thread_of(uint64_t w) {
    return (uint32_t)w & 1023;
}

/* An access in two words. `when`: block and stamp. `what`: era, instruction,
 * thread, bytes of the word, width - 1, strong, volatile in shared memory. The
 * era numbers launches (in shared memory, blocks); an entry of another era than
 * the present one counts as empty. */
enum {
    WHAT_VOLATILE = 1,
    WHAT_STRONG = 2,
    WIDTH_SHIFT = 2,
    BYTES_SHIFT = 6,
    THREAD_SHIFT = 10,
    INSN_SHIFT = 20,
    ERA_SHIFT = 44,
    INSN_BITS = ERA_SHIFT - INSN_SHIFT,
    ERA_BITS = 64 - ERA_SHIFT
};
#define LAST_ERA    ((1u << ERA_BITS) - 1)
#define THREAD_MASK (1023ull << THREAD_SHIFT)

/* Short entries are one word: `what` with the stamp in place of the era. A
 * block's stamps begin where those of the previous block in its slot ended
 * (block.race_base), so that entries of earlier blocks have smaller stamps.
 * Stamps have one bit less than eras, so that entries compare as signed
 * numbers. */
enum { STAMP_SHIFT = ERA_SHIFT, LAST_SHORT_STAMP = (1 << (ERA_BITS - 1)) - 1 };

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
    p->what[k] = p->when ? what : short_of(q, what);
    if (p->when) p->when[k] = q->when;
}

static inline bool unpack(const struct race_now *q, struct race_entry e,
                          struct race_by *by) {
    if (e.what >> ERA_SHIFT != q->era) return false;
    uint64_t thread = e.what >> THREAD_SHIFT & 1023;
    *by = (struct race_by){
        .who = e.when >> 32 << 10 | thread,
        .stamp = (uint32_t)e.when,
        .insn = (uint32_t)(e.what >> INSN_SHIFT) & ((1u << INSN_BITS) - 1),
        .strong = e.what & WHAT_STRONG,
        .volatile_shared = e.what & WHAT_VOLATILE,
        .bytes = e.what >> BYTES_SHIFT & 15,
        .width = (uint8_t)((e.what >> WIDTH_SHIFT & 15) + 1)};
    return true;
}

/* Remembers this access as the word's last reader, and moves the reader before
 * it to read2 if that was of another block. */
static inline void read_now(const struct race_now *q, struct race_shadow *s,
                            uint64_t k, uint64_t what) {
    const struct race_plane *r = &s->read;
    if (r->when && r->what[k] >> ERA_SHIFT == q->era &&
        (r->when[k] ^ q->block) >> 32) {
        s->read2.when[k] = r->when[k];
        s->read2.what[k] = r->what[k];
        s->read2.era = q->era;
    }
    race_enter(q, &s->read, k, what);
}

/* The entry cannot race with the current access: it is empty, or it is the
 * block's own from before its last barrier, or the thread's own. */
static inline bool harmless(const struct race_now *q, uint64_t when,
                            uint64_t what, uint64_t mine) {
    bool stale = what >> ERA_SHIFT != q->era;
    bool old = when - q->block < q->barrier;
    bool own = !((when ^ q->block) >> 32 | ((what ^ mine) & THREAD_MASK));
    return stale | old | own;
}

/* A strong write after a weak write that is ordered before it. Other threads'
 * strong accesses race with the weak write and not with the strong one, so the
 * weak write stays remembered. In shared memory (short entries) the weak write
 * is the thread's own since the last barrier; elsewhere it is any of the
 * block's, because a block's barriers order nothing for other blocks. */
static inline bool hides_weak(const struct race_now *q, struct race_entry e,
                              bool is_short) {
    bool of_block = !((e.when ^ q->block) >> 32);
    bool own = of_block && !((e.what ^ q->what) & THREAD_MASK);
    bool recent = e.when - q->block >= q->barrier;
    return q->what & WHAT_STRONG && e.what >> ERA_SHIFT == q->era &&
           !(e.what & WHAT_STRONG) && e.what & q->what & 15ull << BYTES_SHIFT &&
           (is_short ? own && recent : of_block);
}

struct race_shadow *race_new_shadow(uint64_t bytes, bool is_short);
/* Of a block's shared memory. */
struct race_shadow *race_shared_shadow(const struct machine *);

/* ---- race_quick.c ---- */

/* True: no word of the access can race, and the access is remembered. Only for
 * accesses that are one run of words, or whole words with short entries. */
bool race_quick(const struct race_now *, const struct access *,
                struct race_shadow *);
/* For a weak access, or an atomic that orders nothing, to one word per lane in
 * one region: remembers the lanes before the first one that the general code
 * has to look at, and returns that lane and those after it. */
uint32_t race_words_quick(const struct race_now *, const struct access *,
                          struct race_shadow *);
/* None of n words that one thread accesses can race with what is remembered. */
bool race_run_harmless(const struct race_now *, const struct race_plane *,
                       uint64_t at, uint32_t n);

/* ---- race.c ---- */

/* The current access, packed as if lane 0 of its warp accessed a whole word. */
struct race_now race_now_of(const struct context *, const struct access *,
                            bool shared);
struct race_shadow *race_shadow_of_run(struct context *,
                                       const struct race_run *);
/* Reports a race with what is remembered of word k. */
bool race_check_word(struct context *, const struct race_now *,
                     struct race_shadow *, uint64_t k, uint32_t lane,
                     uint64_t address, bool shared, bool writes);

/* ---- race_known.c ---- */

/* Shared words have names of their own in every block. */
static inline uint64_t race_sync_name(const struct context *c, uint64_t address,
                                      bool shared) {
    return shared ? ~(context_block(c)->linear << 32 | address) : address;
}
/* A strong write publishes what the block knew at its last fence. */
void race_publish(struct context *, uint64_t address, bool release);
/* Does a strong write publish anything? */
static inline bool race_publishes(const struct context *c, bool release) {
    const struct block *b = context_block(c);
    return release || b->race_fenced || b->race_block_fenced;
}
/* A flag without a fence orders no writes. But loads before a barrier have
 * returned by then, so a thread that sees the flag cannot change what they
 * read. */
void race_publish_done(struct context *, uint64_t address);
/* A strong read takes over what was published: at once when it acquires, else
 * at the next fence. */
void race_observe(struct context *, uint32_t lane, uint64_t address,
                  bool acquire);
void race_view_release(struct race_view *);

/* ---- race_report.c ---- */

void race_report(struct context *, uint32_t lane, uint64_t address, bool shared,
                 const struct race_by *before, bool wrote, bool writes);
/* Reports a strong read of n words whose words were written one by one: a
 * status word in two halves. */
void race_check_torn(struct context *, const struct race_now *,
                     const struct race_plane *, uint64_t at, uint32_t n,
                     uint32_t lane, uint64_t address);
void race_describe_thread(const struct machine *, uint64_t who, uint32_t *block,
                          uint32_t *thread);
const struct insn *race_insn(const struct machine *, uint32_t number);

#endif
