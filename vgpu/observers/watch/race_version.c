/* SPDX-License-Identifier: MIT
 *
 * race_version.c: what versions release, and who reads them (race_version.h).
 */
#include "race_version.h"

#include <stdlib.h>

/* ---- writes ---- */

/* The thread's newest version of these bytes; 0: none. */
static uint32_t newest_of(const struct race_versions *t,
                          const struct race_strong *a, uint64_t writer) {
    uint32_t id = t->room ? *race_version_head(t, a->name, writer) : 0;
    while (id &&
           (t->list[id].sync.name != a->name ||
            t->list[id].sync.writer != writer || t->list[id].bytes != a->bytes))
        id = t->list[id].next;
    return id;
}

/* What the thread's earlier versions of the word release themselves, this one
 * does, too. */
static void add_own(struct context *c, struct race_version *v, uint32_t prev,
                    const struct race_release *r) {
    struct clock_pool *p = &race_of(c->machine)->clocks;
    struct race_version *old = &race_of(c->machine)->versions->list[prev];
    if (prev) {
        clock_join(p, &v->own, old->own);
        clock_join(p, &v->own_device, old->own_device);
        clock_join(p, &v->own_block, old->own_block);
    }
    if (!r->itself) return;
    enum race_scope scope = race_scope_of(c);
    if (scope == SCOPE_SYSTEM) clock_join(p, &v->own, r->known);
    if (scope != SCOPE_BLOCK && race_has_groups(c->machine))
        clock_join(p, &v->own_device, r->known);
    clock_join(p, &v->own_block, r->known);
}

static void add_released(struct context *c, struct race_version *v,
                         const struct race_release *r,
                         const struct race_version *from) {
    struct clock_pool *p = &race_of(c->machine)->clocks;
    clock_join(p, &v->sync.released, r->all);
    clock_join(p, &v->sync.released, v->own);
    if (from) clock_join(p, &v->sync.released, from->sync.released);
    if (!race_of(c->machine)->scoped) return;
    race_sync_add_part(p, &v->sync, block_of(v->sync.writer), r->block);
    race_sync_add_part(p, &v->sync, block_of(v->sync.writer), v->own_block);
    if (race_has_groups(c->machine)) {
        uint64_t part = race_group_part(race_own_group(c));
        race_sync_add_part(p, &v->sync, part, r->device);
        race_sync_add_part(p, &v->sync, part, v->own_device);
    }
    for (const struct race_part *a = from ? from->sync.parts : NULL; a;
         a = a->next)
        race_sync_add_part(p, &v->sync, a->block, a->known);
}

/* The thread's newest version of a word is kept for add_own. */
static void keep_newest(struct machine *m, uint32_t id, uint32_t prev) {
    struct race_versions *t = race_of(m)->versions;
    t->list[id].keeps =
        t->list[id].own || t->list[id].own_device || t->list[id].own_block;
    if (t->list[id].keeps) t->list[id].references++;
    if (!prev || !t->list[prev].keeps) return;
    t->list[prev].keeps = false;
    race_version_drop(m, prev);
}

static void add_hidden(struct context *c, uint32_t *list,
                       struct race_saw hidden) {
    struct race_versions *t = race_of(c->machine)->versions;
    uint32_t id = (uint32_t)hidden.who;
    if (!t->list[id].open) return;
    race_version_keep(c->machine, id);
    if (race_version_note(t, list, hidden)) return;
    race_of(c->machine)->clocks.lacks = true;
    race_version_drop(c->machine, id);
}

/* What the version has overwritten, and, where it takes the place of another
 * one, what that had. */
static void hide(struct context *c, struct race_version *v,
                 const struct race_version *replaced) {
    struct race_versions *t = race_of(c->machine)->versions;
    v->hides = t->hidden;
    t->hidden = 0;
    for (uint32_t h = replaced ? replaced->hides : 0; h; h = t->saws[h].next)
        add_hidden(c, &v->hides, t->saws[h]);
}

static void publish(struct context *c, uint32_t lane,
                    const struct race_strong *a, uint32_t id) {
    struct machine *m = c->machine;
    struct race_versions *t = race_of(m)->versions;
    struct race_release r = race_release_of(c, lane);
    uint32_t from = c->insn->kind == KIND_ATOMIC ? race_of(m)->observed : 0;
    uint32_t prev = newest_of(t, a, who(c, lane));
    struct race_version *v = &t->list[id];
    v->sync.name = a->name;
    v->sync.writer = who(c, lane);
    v->sync.stamp = (uint32_t)a->entry.when;
    v->sync.of_block = race_scope_of(c) == SCOPE_BLOCK;
    v->sync.of_device = race_scope_of(c) == SCOPE_DEVICE;
    v->insn = (uint32_t)(a->entry.what >> INSN_SHIFT) & ((1u << INSN_BITS) - 1);
    v->bytes = a->bytes;
    v->open = (uint8_t)(((a->address & 3) + a->bytes + 3) / 4);
    add_own(c, v, prev, &r);
    add_released(c, v, &r, from ? &t->list[from] : NULL);
    v->sync.done =
        clock_keep(c->insn->kind == KIND_STORE && !a->shared ? race_done_of(c)
                   : from ? t->list[from].sync.done
                          : 0);
    bool covered = from && !t->list[from].open;
    hide(c, v, covered ? &t->list[from] : NULL);
    v->from = covered ? t->list[from].from : from;
    race_version_keep(m, v->from);
    race_version_link(t, id);
    keep_newest(m, id, prev);
    race_release_drop(&race_of(m)->clocks, &r);
}

void race_version_publish(struct context *c, uint32_t lane,
                          const struct race_strong *a) {
    struct machine *m = c->machine;
    struct race_versions *t = race_of(m)->versions;
    uint32_t id = race_version_new(t);
    t->made[lane] = id;
    if (!id) {
        race_stop(m, "too many strong writes to tell apart",
                  "fewer stores with an order (volatile, release) and fewer "
                  "atomic operations in one launch");
        return;
    }
    publish(c, lane, a, id);
    race_version_keep(m, id);
    if (t->weak && !a->shared && c->insn->kind == KIND_STORE) return;
    uint64_t end = a->address + a->bytes;
    for (uint64_t at = a->address & ~3ull; at < end; at += 4)
        race_version_set(m, race_version_name(c, at, a->shared), id);
    race_version_drop(m, id);
}

const uint32_t *race_versions_made(const struct machine *m) {
    return race_of(m) && race_of(m)->versions ? race_of(m)->versions->made
                                              : NULL;
}

/* ---- reads ---- */

static bool is_entry(const struct race_version *v, const struct race_by *by) {
    return v->sync.writer == by->who && v->sync.stamp == by->stamp &&
           v->insn == by->insn;
}

/* Or both have the scope of all. */
static bool same_group(const struct context *c, const struct race_version *v) {
    return (!v->sync.of_device && race_scope_of(c) == SCOPE_SYSTEM) ||
           race_group_of(race_of(c->machine), v->sync.writer) ==
               race_own_group(c);
}

/* Observes it: they are mutually strong, and of the same bytes. */
static bool observes(const struct context *c, const struct race_strong *a,
                     const struct race_version *v) {
    return v->sync.name == a->name && v->bytes == a->bytes &&
           (block_of(v->sync.writer) == context_block(c)->linear ||
            (!v->sync.of_block && race_scope_of(c) != SCOPE_BLOCK &&
             same_group(c, v)));
}

/* The version in memory that the lane reads whole: that of all its words, and
 * the last write of each. 0: none. */
static uint32_t read_now(struct context *c, const struct race_now *q,
                         const struct race_strong *a) {
    struct race_versions *t = race_of(c->machine)->versions;
    uint64_t end = a->address + a->bytes;
    uint32_t read = 0;
    for (uint64_t at = a->address & ~3ull, n = 0; at < end; at += 4, n++) {
        uint32_t id = race_version_of(t, race_version_name(c, at, a->shared));
        struct race_by by;
        if (!id || (n && id != read)) return 0;
        read = id;
        if (t->weak && !a->shared) continue;
        struct race_entry last = race_entry(q, a->writes, a->k + n);
        if (!unpack(q, last, &by) || !by.strong || !is_entry(&t->list[id], &by))
            return 0;
    }
    return read;
}

void race_version_observe(struct context *c, uint32_t lane,
                          const struct race_now *q, const struct race_strong *a,
                          const uint32_t *read) {
    struct race_state *r = race_of(c->machine);
    struct race_versions *t = r->versions;
    uint32_t id = read ? read[lane] : read_now(c, q, a);
    bool observed = id && observes(c, a, &t->list[id]);
    r->observed = observed ? id : 0;
    race_sync_learn(c, lane, a, observed ? &t->list[id].sync : NULL);
}

/* These bytes of it. */
static bool has_seen(const struct race_versions *t,
                     const struct race_version *v, uint64_t me,
                     uint32_t bytes) {
    if (v->sync.writer == me) return true;
    for (uint32_t s = v->saw; s && bytes; s = t->saws[s].next)
        if (t->saws[s].who == me) bytes &= ~(uint32_t)t->saws[s].bytes;
    return !bytes;
}

static void note_seen(struct context *c, uint32_t id, struct race_saw saw) {
    struct race_versions *t = race_of(c->machine)->versions;
    if (!has_seen(t, &t->list[id], saw.who, saw.bytes) &&
        !race_version_note(t, &t->list[id].saw, saw))
        race_of(c->machine)->clocks.lacks = true;
}

void race_version_seen(struct context *c, uint32_t lane, uint32_t stamp) {
    struct race_versions *t = race_of(c->machine)->versions;
    struct race_saw saw = {.who = who(c, lane), .stamp = stamp};
    for (uint32_t id = race_of(c->machine)->observed;
         id && !has_seen(t, &t->list[id], saw.who, ALL_OF_IT);
         id = t->list[id].from) {
        saw.bytes = ALL_OF_IT;
        note_seen(c, id, saw);
        for (uint32_t h = t->list[id].hides; h; h = t->saws[h].next) {
            saw.bytes = t->saws[h].bytes;
            note_seen(c, (uint32_t)t->saws[h].who, saw);
        }
    }
}

/* ---- the entries of a word ---- */

/* The version that the entry of the word at this address stands for; behind
 * how many of its bytes that word begins. */
static uint32_t race_version_find(const struct context *c,
                                  const struct race_word *w, bool shared,
                                  const struct race_by *by, uint32_t *behind) {
    const struct race_versions *t = race_of(c->machine)->versions;
    uint64_t word = w->address & ~3ull;
    uint32_t in = (uint32_t)__builtin_ctz(by->bytes | 16);
    for (uint32_t back = 0; t->room && back < 16 && back <= word; back += 4) {
        uint64_t name =
            race_version_name(c, word - back + (back ? 0 : in), shared);
        for (uint32_t id = *race_version_head(t, name, by->who); id;
             id = t->list[id].next)
            if (t->list[id].sync.name == name && t->list[id].bytes > back &&
                is_entry(&t->list[id], by)) {
                *behind = back;
                return id;
            }
    }
    return 0;
}

bool race_version_was_seen(const struct context *c, const struct race_word *w,
                           bool shared, const struct race_by *write,
                           uint32_t bytes) {
    const struct race_versions *t = race_of(c->machine)->versions;
    uint32_t behind = 0, id = race_version_find(c, w, shared, write, &behind);
    if (!id) return false;
    bytes <<= behind;
    for (uint32_t s = t->list[id].saw; s && bytes; s = t->saws[s].next) {
        struct race_by read = {.who = t->saws[s].who,
                               .stamp = t->saws[s].stamp};
        if (bytes & t->saws[s].bytes &&
            race_is_ordered(c, &read, false, w->lane))
            bytes &= ~(uint32_t)t->saws[s].bytes;
    }
    return !bytes;
}

bool race_version_was_read(const struct context *c,
                           const struct race_by *write) {
    const struct race_state *r = race_of(c->machine);
    return r->observed && is_entry(&r->versions->list[r->observed], write);
}

void race_version_covered(struct context *c, const struct race_word *w,
                          bool shared, const struct race_by *write) {
    struct race_versions *t = race_of(c->machine)->versions;
    uint32_t behind, id = race_version_find(c, w, shared, write, &behind);
    if (!id) return;
    if (t->list[id].open) t->list[id].open--;
    race_version_done(c->machine, id);
}

void race_version_hidden(struct context *c, const struct race_word *w,
                         bool shared, const struct race_by *write,
                         uint32_t bytes) {
    struct race_versions *t = race_of(c->machine)->versions;
    uint32_t behind = 0, id = race_version_find(c, w, shared, write, &behind);
    struct race_saw saw = {.who = id, .bytes = (uint16_t)(bytes << behind)};
    if (id) add_hidden(c, &t->hidden, saw);
}
