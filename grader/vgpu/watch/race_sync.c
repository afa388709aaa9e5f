/* SPDX-License-Identifier: MIT
 *
 * race_sync.c: flags. A word that one thread writes strongly after a fence, and
 * another reads, passes on what the first one knew at its fence
 * (docs/race-model.md, "Fences and flags").
 */
#include "race_inside.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64, MOST_ROOM = 1 << 23 };

/* ---- the table ---- */

static struct race_sync *place(const struct race_syncs *t, uint64_t name) {
    uint64_t k = (name ^ name >> 32) * 0x9e3779b97f4a7c15ull >> 32;
    while (t->list[k & (t->room - 1)].name &&
           t->list[k & (t->room - 1)].name != name)
        k++;
    return &t->list[k & (t->room - 1)];
}

static bool grow(struct charges *charges, struct race_syncs *t) {
    struct race_syncs new = {.n = t->n,
                             .room = t->room ? 2 * t->room : FIRST_ROOM};
    if (new.room > MOST_ROOM) return false;
    new.list = charges_zeroed(charges, new.room * sizeof *new.list, NULL);
    if (!new.list) return false;
    for (uint64_t k = 0; k < t->room; k++)
        if (t->list[k].name) *place(&new, t->list[k].name) = t->list[k];
    charges_free(charges, t->list);
    *t = new;
    return true;
}

static struct race_sync *find(const struct race_syncs *t, uint64_t name) {
    struct race_sync *s = t->n ? place(t, name) : NULL;
    return s && s->name ? s : NULL;
}

static struct race_sync *make(struct context *c, uint64_t name) {
    struct race_syncs *t = &c->machine->race->syncs;
    struct race_sync *s = find(t, name);
    if (s) return s;
    if (2 * t->n >= t->room && !grow(&c->machine->memory->charges, t)) {
        race_stop(c->machine, "too many words are used as flags",
                  "fewer blocks");
        return NULL;
    }
    s = place(t, name);
    s->name = name;
    t->n++;
    return s;
}

static void drop_parts(struct clock_pool *p, struct race_part **at) {
    while (*at) {
        struct race_part *next = (*at)->next;
        clock_drop(p, &(*at)->known);
        charges_free(p->charges, *at);
        *at = next;
    }
}

void race_sync_drop(struct clock_pool *p, struct race_sync *s) {
    clock_drop(p, &s->released);
    drop_parts(p, &s->parts);
    clock_drop(p, &s->done);
}

void race_syncs_free(struct clock_pool *p, struct race_syncs *t) {
    for (uint64_t k = 0; k < t->room; k++) race_sync_drop(p, &t->list[k]);
    charges_free(p->charges, t->list);
}

void race_sync_add_part(struct clock_pool *p, struct race_sync *s,
                        uint64_t block, clock_tree known) {
    struct race_part **at = &s->parts;
    if (!known) return;
    while (*at && (*at)->block != block) at = &(*at)->next;
    if (!*at) *at = charges_zeroed(p->charges, sizeof **at, NULL);
    if (!*at) {
        p->lacks = true;
        return;
    }
    (*at)->block = block;
    clock_join(p, &(*at)->known, known);
}

static clock_tree part_of(const struct race_sync *s, uint64_t block) {
    const struct race_part *at = s->parts;
    while (at && at->block != block) at = at->next;
    return at ? at->known : 0;
}

/* ---- writes ---- */

/* A write for its block may be followed by others for the device, which hand on
 * what a fence for the device has released. */
struct race_release race_release_of(struct context *c, uint32_t lane) {
    struct clock_pool *p = &c->machine->race->clocks;
    enum memory_order o = c->insn->order;
    struct race_release r = {.itself = o == ORDER_RELEASE ||
                                       o == ORDER_ACQ_REL || o == ORDER_SC};
    bool scoped = c->machine->race->scoped;
    r.all = race_whole_view(c, lane, RACE_FENCED);
    if (scoped) r.block = race_whole_view(c, lane, RACE_FENCED_BLOCK);
    if (r.itself) {
        r.known = race_all_known(c, lane);
        if (!c->insn->of_block) clock_join(p, &r.all, r.known);
        if (scoped) clock_join(p, &r.block, r.known);
    }
    return r;
}

void race_release_drop(struct clock_pool *p, struct race_release *r) {
    clock_drop(p, &r->all);
    clock_drop(p, &r->block);
    clock_drop(p, &r->known);
}

clock_tree race_done_of(struct context *c) {
    struct block *b = context_block(c);
    struct race_block *r = b->race;
    struct clock_pool *p = &c->machine->race->clocks;
    if (!b->race_barrier || c->insn->kind == KIND_ATOMIC ||
        c->machine->options->reads_want_release)
        return 0;
    if (r->done_barrier != b->race_barrier) {
        clock_drop(p, &r->done);
        r->done = clock_keep(r->view[RACE_DONE]);
        clock_raise(p, &r->done, b->linear << 10, CLOCK_BLOCK, b->race_barrier);
        r->done_barrier = b->race_barrier;
    }
    return r->done;
}

static void replace(struct clock_pool *p, clock_tree *at, clock_tree with) {
    clock_drop(p, at);
    *at = with;
}

/* The word's chain of releases goes on, or begins anew. */
static void set_sync(struct context *c, struct race_sync *s, uint64_t writer,
                     const struct race_release *r) {
    struct clock_pool *p = &c->machine->race->clocks;
    bool same_block = block_of(s->writer) == block_of(writer);
    bool chains = c->insn->kind != KIND_STORE && !s->broken &&
                  (same_block || !(c->insn->of_block | s->of_block));
    clock_tree all = clock_keep(r->all);
    if (chains || (s->writer == writer && s->keeps))
        clock_join(p, &all, s->released);
    else
        drop_parts(p, &s->parts);
    s->keeps = r->itself || (s->keeps && s->writer == writer);
    replace(p, &s->released, all);
    race_sync_add_part(p, s, block_of(writer), r->block);
    s->writer = writer;
    s->broken = false;
    s->of_block = c->insn->of_block;
}

void race_publish(struct context *c, uint32_t lane, uint64_t name,
                  uint32_t stamp, bool shared) {
    struct race_state *state = c->machine->race;
    struct clock_pool *p = &state->clocks;
    clock_tree done = shared ? 0 : race_done_of(c);
    struct race_release r = race_release_of(c, lane);
    struct race_sync *s = find(&state->syncs, name);
    if (!s && (r.all || r.block || done)) s = make(c, name);
    if (s) set_sync(c, s, who(c, lane), &r);
    race_release_drop(p, &r);
    if (!s) return;
    s->stamp = stamp;
    if (c->insn->kind == KIND_STORE && !shared)
        replace(p, &s->done, clock_keep(done));
}

/* ---- reads ---- */

void race_sync_learn(struct context *c, uint32_t lane,
                     const struct race_sync *s) {
    enum memory_order o = c->insn->order;
    bool acquires = o == ORDER_ACQUIRE || o == ORDER_ACQ_REL || o == ORDER_SC;
    uint64_t block = context_block(c)->linear;
    if (s->parts)
        race_learn(c, lane, acquires ? RACE_KNOWN : RACE_SEEN_BLOCK,
                   part_of(s, block));
    acquires &= !c->insn->of_block;
    race_learn(c, lane, acquires ? RACE_KNOWN : RACE_SEEN, s->released);
    race_learn(c, lane, acquires ? RACE_DONE : RACE_SEEN_DONE, s->done);
}

void race_observe(struct context *c, uint32_t lane, uint64_t name,
                  struct race_entry last) {
    struct race_sync *s = find(&c->machine->race->syncs, name);
    uint64_t writer =
        last.when >> 32 << 10 | (last.what >> THREAD_SHIFT & 1023);
    if (!s) return;
    /* A weak write came after the flag's. */
    if (last.what && (!(last.what & WHAT_STRONG) || writer != s->writer ||
                      (uint32_t)last.when != s->stamp)) {
        s->broken = true;
        return;
    }
    if (block_of(s->writer) != context_block(c)->linear &&
        c->insn->of_block | s->of_block)
        return;
    race_sync_learn(c, lane, s);
}
