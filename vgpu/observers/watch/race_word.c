/* SPDX-License-Identifier: MIT
 *
 * race_word.c: what is remembered of one word: its last write and its last read
 * in the shadow, and what those do not cover in the table. An access covers an
 * earlier one when whoever races with the earlier one races with it, too.
 */
#include "race_inside.h"

/* ---- is one access ordered before another ---- */

bool race_is_ordered(const struct context *c, const struct race_by *before,
                     bool was_read, uint32_t lane) {
    const struct race_state *r = race_of(c->machine);
    const struct warp *w = c->warp;
    if (before->who == who(c, lane) || r->stopped) return true;
    if (block_of(before->who) == context_block(c)->linear &&
        (before->stamp < race_block_of(context_block(c))->barrier ||
         (thread_of(before->who) / WARP_LANES == w->index &&
          before->stamp < race_warp_of(w)->sync)))
        return true;
    return race_knows(c, lane, RACE_KNOWN, before) ||
           (was_read && !c->machine->options->reads_want_release &&
            race_knows(c, lane, RACE_DONE, before));
}

/* ---- does it race ---- */

/* Of two strong accesses: one with the scope of a group (race_inside.h) is
 * strong for that group only; in shared memory, of the block's. */
static bool same_scope(const struct race_now *q, const struct race_by *a,
                       const struct race_by *b) {
    if (!(a->device | b->device)) return true;
    if (q->shared) return block_of(a->who) == block_of(b->who);
    return race_group_of(q->state, a->who) == race_group_of(q->state, b->who);
}

static bool mutually_strong(const struct race_now *q, const struct race_by *a,
                            const struct race_by *b) {
    return a->strong && b->strong &&
           (block_of(a->who) == block_of(b->who) ||
            ((q->shared || !(a->special | b->special)) && same_scope(q, a, b)));
}

/* Lanes of a warp that pass values through volatile shared memory without a
 * barrier, as code from before independent thread scheduling did. volatile does
 * not keep the lanes of a warp together, so this is a race. */
static bool trusts_step(const struct race_now *q, const struct race_by *a,
                        const struct race_by *b) {
    return q->shared && a->special && b->special &&
           a->who / WARP_LANES == b->who / WARP_LANES;
}

/* The current access, as the word's later accesses will see it. */
static struct race_by current(const struct race_now *q) {
    struct race_by now = {0};
    unpack(q, (struct race_entry){q->when, q->what}, &now);
    return now;
}

/* A strong write is ordered before whatever follows a strong read that saw it.
 */
static bool was_seen(const struct context *c, const struct race_now *q,
                     const struct race_word *w, const struct race_by *write,
                     uint32_t bytes) {
    return write->strong && race_of(c->machine)->versions &&
           race_version_was_seen(c, w, q->shared, write, bytes);
}

bool race_was_before(const struct context *c, const struct race_now *q,
                     const struct race_word *w, const struct race_by *write,
                     uint32_t bytes) {
    return race_is_ordered(c, write, false, w->lane) ||
           was_seen(c, q, w, write, bytes);
}

static bool clashes(const struct context *c, const struct race_now *q,
                    const struct race_word *w, struct race_entry e, bool wrote,
                    struct race_by *before) {
    if (!unpack(q, e, before)) return false;
    struct race_by now = current(q);
    if (!(before->bytes & now.bytes)) return false;
    bool steps = wrote != w->writes && trusts_step(q, before, &now);
    if (mutually_strong(q, before, &now) && !steps) return false;
    return !race_is_ordered(c, before, !wrote, w->lane) &&
           !(wrote && was_seen(c, q, w, before, before->bytes & now.bytes));
}

static bool check_more(struct context *c, const struct race_now *q,
                       const struct race_word *w, bool wrote) {
    const struct race_mores *t = &race_of(c->machine)->mores;
    uint64_t name = race_name(c, w->address & ~3ull, q->shared);
    for (uint32_t k = race_more_first(t, name); k; k = t->list[k].next) {
        const struct race_more *m = &t->list[k];
        struct race_by before;
        if (m->name != name || m->wrote != wrote ||
            !clashes(c, q, w, (struct race_entry){m->when, m->what}, wrote,
                     &before))
            continue;
        race_report(c, q, w, &before, wrote);
        return true;
    }
    return false;
}

static bool find_forgotten(const struct context *c, const struct race_now *q,
                           const struct race_word *w, struct race_by *other) {
    const uint64_t *word = &w->shadow->read.what[w->k];
    const struct race_forgotten *f = race_forgotten_at(q, word);
    return f->word == word &&
           clashes(c, q, w, (struct race_entry){f->when, f->what}, false,
                   other);
}

/* The word's reader is remembered and ordered before this write, and there were
 * others. Where only barriers order threads, and there was none since, the
 * write races with one of them. */
static bool check_forgotten(struct context *c, const struct race_now *q,
                            const struct race_word *w, struct race_entry e) {
    struct race_by kept, other;
    const struct block *b = context_block(c);
    if (!unpack(q, e, &kept)) return false;
    bool here = block_of(kept.who) == b->linear;
    bool met = here && kept.stamp < race_block_of(b)->barrier;
    if (here && !(e.what & WHAT_BLOCK))
        met |= thread_of(kept.who) / WARP_LANES == c->warp->index &&
               kept.stamp < race_warp_of(c->warp)->sync;
    if (!(e.what & WHAT_GRID) && (met || !(e.what & WHAT_NEAR))) return false;
    if (race_of(c->machine)->stopped) return false;
    bool found = find_forgotten(c, q, w, &other);
    if (race_of(c->machine)->orders && !found) {
        race_stop(
            c->machine,
            "one word was read by more threads than it keeps, and then "
            "written",
            "fewer blocks, or to read less often what is written in the same "
            "launch");
        return false;
    }
    race_report(c, q, w, found ? &other : NULL, false);
    return true;
}

static bool check_plane(struct context *c, const struct race_now *q,
                        const struct race_word *w, bool wrote) {
    const struct race_plane *p = wrote ? &w->shadow->write : &w->shadow->read;
    struct race_entry e = race_entry(q, p, w->k);
    struct race_by before;
    if (harmless(q, e.when, e.what, q->what)) return false;
    if (clashes(c, q, w, e, wrote, &before)) {
        race_report(c, q, w, &before, wrote);
        return true;
    }
    if (e.what & WHAT_MORE && check_more(c, q, w, wrote)) return true;
    return !wrote && check_forgotten(c, q, w, e);
}

bool race_check_word(struct context *c, const struct race_now *q,
                     const struct race_word *w) {
    bool raced = check_plane(c, q, w, true);
    if (w->writes) raced |= check_plane(c, q, w, false);
    return raced;
}

/* ---- what is remembered ---- */

/* An entry of before; in which plane. */
static bool covers(const struct context *c, const struct race_now *q,
                   const struct race_word *w, struct race_entry e, bool wrote) {
    struct race_by before, now = current(q);
    if (!unpack(q, e, &before)) return true;
    if (before.bytes & ~now.bytes) return false;
    /* Nobody but the block can come to its shared memory. */
    if (q->shared && !w->shadow->write.when &&
        before.stamp < race_block_of(context_block(c))->barrier)
        return true;
    if (now.strong &&
        (!before.strong || now.special < before.special ||
         now.device + 2 * now.special < before.device + 2 * before.special ||
         !same_scope(q, &before, &now)))
        return false;
    /* One of a group, with its group's scope, may race with the other. */
    if (now.strong && !q->shared && race_has_groups(c->machine) &&
        race_group_of(q->state, before.who) != race_group_of(q->state, now.who))
        return false;
    /* One of this block, with its block's scope, may race with the other. */
    const struct program *p = c->machine->program;
    bool scopes = q->shared ? cluster_in(c->machine) && p->block_scopes
                            : p->block_accesses;
    if (now.strong && scopes && block_of(before.who) != block_of(now.who))
        return false;
    bool took = w->atomic && wrote && mutually_strong(q, &before, &now);
    if (took && race_of(c->machine)->versions)
        took = race_version_was_read(c, &before);
    return took || race_is_ordered(c, &before, !wrote, w->lane) ||
           (wrote && was_seen(c, q, w, &before, before.bytes));
}

static uint64_t keep_more(struct context *c, const struct race_now *q,
                          const struct race_word *w, struct race_entry e,
                          bool wrote) {
    struct race_state *r = race_of(c->machine);
    uint64_t name = race_name(c, w->address & ~3ull, q->shared);
    e.what &= ~(WHAT_FAR | WHAT_NEAR);
    if (race_more_add(&r->mores, name, wrote, e)) return WHAT_MORE;
    if (q->exact && !wrote && !(e.what & WHAT_STRONG)) return WHAT_GRID;
    race_stop(c->machine,
              "too many accesses of words that threads share to keep apart",
              "fewer threads that access the same words in one launch");
    return 0;
}

/* An entry of another reader, which this read does not cover. */
static uint64_t reader_mark(struct context *c, const struct race_now *q,
                            const struct race_word *w, struct race_entry e) {
    uint64_t differs = e.what ^ q->what;
    if (q->exact || (e.what | q->what) & WHAT_STRONG || differs & ALL_BYTES)
        return keep_more(c, q, w, e, false);
    race_forget_reader(q, &w->shadow->read, w->k);
    if ((e.when ^ q->block) >> 32) return WHAT_GRID;
    return differs & WARP_MASK ? WHAT_BLOCK : WHAT_WARP;
}

static void remember_read(struct context *c, const struct race_now *q,
                          const struct race_word *w) {
    struct race_plane *p = &w->shadow->read;
    struct race_entry e = race_entry(q, p, w->k);
    uint64_t marks = 0;
    if (e.what >> ERA_SHIFT == q->era) {
        bool old = e.when - q->block < q->barrier;
        marks |= e.what & (old ? WHAT_FAR : WHAT_FAR | WHAT_NEAR);
        if (!covers(c, q, w, e, false)) marks |= reader_mark(c, q, w, e);
    }
    race_enter(q, p, w->k, q->what | marks);
}

/* It will be compared with none. */
static void note_covered(struct context *c, const struct race_now *q,
                         const struct race_word *w, struct race_entry e) {
    struct race_by before;
    if (race_of(c->machine)->versions && unpack(q, e, &before) && before.strong)
        race_version_covered(c, w, q->shared, &before);
}

/* It will be; but whoever has seen the present write, which is behind it, is
 * behind both. */
static void note_hidden(struct context *c, const struct race_now *q,
                        const struct race_word *w, struct race_entry e) {
    struct race_by before, now = current(q);
    if (!race_of(c->machine)->versions || c->insn->kind == KIND_MBARRIER ||
        !unpack(q, e, &before) || !before.strong || !now.strong ||
        (!q->shared &&
         now.device + 2 * now.special < before.device + 2 * before.special))
        return;
    uint32_t bytes = before.bytes & now.bytes;
    if (bytes && race_was_before(c, q, w, &before, bytes))
        race_version_hidden(c, w, q->shared, &before, bytes);
}

/* The same of writes in the table, which others have followed since. */
static void cover_more(struct context *c, const struct race_now *q,
                       const struct race_word *w) {
    struct race_mores *t = &race_of(c->machine)->mores;
    uint64_t name = race_name(c, w->address & ~3ull, q->shared);
    for (uint32_t k = race_more_first(t, name); k; k = t->list[k].next) {
        struct race_more *m = &t->list[k];
        struct race_entry e = {m->when, m->what};
        if (m->name != name || !m->wrote || e.what >> ERA_SHIFT != q->era)
            continue;
        if (!covers(c, q, w, e, true)) {
            note_hidden(c, q, w, e);
            continue;
        }
        note_covered(c, q, w, e);
        race_more_drop(m);
    }
}

static void remember_write(struct context *c, const struct race_now *q,
                           const struct race_word *w) {
    struct race_shadow *s = w->shadow;
    struct race_entry e = race_entry(q, &s->write, w->k);
    struct race_entry r = race_entry(q, &s->read, w->k);
    uint64_t marks = 0;
    if (e.what >> ERA_SHIFT == q->era) {
        marks = e.what & WHAT_MORE;
        if (marks) cover_more(c, q, w);
        /* A weak write that does not cover it has raced with it. */
        bool raced =
            !(q->what & WHAT_STRONG) && !(e.what & ~q->what & ALL_BYTES);
        if (!raced && !covers(c, q, w, e, true)) {
            note_hidden(c, q, w, e);
            marks |= keep_more(c, q, w, e, true);
        } else {
            note_covered(c, q, w, e);
        }
    }
    if (r.what >> ERA_SHIFT != q->era) r.what = 0;
    bool all = !(q->what & WHAT_STRONG) && !(~q->what & ALL_BYTES);
    if (all && (marks | r.what) & WHAT_MORE) {
        /* Whatever is not ordered before it has been reported. */
        race_more_forget(&race_of(c->machine)->mores,
                         race_name(c, w->address & ~3ull, q->shared));
        s->read.what[w->k] &= ~(uint64_t)WHAT_MORE;
        marks = 0;
    }
    race_enter(q, &s->write, w->k, q->what | marks);
}

void race_remember(struct context *c, const struct race_now *q,
                   const struct race_word *w) {
    if (w->writes)
        remember_write(c, q, w);
    else
        remember_read(c, q, w);
}
