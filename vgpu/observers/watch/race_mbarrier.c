/* SPDX-License-Identifier: MIT
 *
 * race_mbarrier.c: what mbarriers hand from those who arrive to those who wait,
 * and the fences between generic accesses and bulk copies
 * (vgpu/docs/race-model.md, "mbarriers", "Asynchronous copies").
 */
#include "race_inside.h"

#include "copies.h"
#include "fault.h"

#include <stdlib.h>
#include <string.h>

static struct race_async *async_of_block(struct block *b) {
    if (!race_block_of(b)->async)
        race_block_of(b)->async =
            charges_zeroed(&b->machine->memory->charges,
                           sizeof *race_block_of(b)->async, NULL);
    if (!race_block_of(b)->async) race_of(b->machine)->clocks.lacks = true;
    return race_block_of(b)->async;
}

void race_async_forget(struct block *b) {
    struct race_async *a = race_block_of(b)->async;
    struct clock_pool *p = &race_of(b->machine)->clocks;
    for (uint32_t k = 0; k < a->n_mbarriers; k++) {
        clock_drop(p, &a->mbarriers[k].arrived);
        clock_drop(p, &a->mbarriers[k].done);
    }
    for (uint32_t k = 0; k < a->n_proxies; k++)
        clock_drop(p, &a->proxies[k].known);
    a->n_mbarriers = a->n_proxies = a->lost = 0;
}

/* ---- mbarriers ---- */

/* NULL: there are too many, and racecheck has said so. */
static struct race_mbarrier *mbarrier_of(struct block *b, uint32_t at) {
    struct race_async *a = race_of(b->machine) ? async_of_block(b) : NULL;
    if (!a) return NULL;
    for (uint32_t k = 0; k < a->n_mbarriers; k++)
        if (a->mbarriers[k].at == at) return &a->mbarriers[k];
    if (RACE_MBARRIERS + a->n_mbarriers == RACE_CHANNELS) {
        race_stop(b->machine, "a block has more mbarriers than it can number",
                  "fewer mbarriers");
        return NULL;
    }
    a->mbarriers[a->n_mbarriers] = (struct race_mbarrier){.at = at};
    return &a->mbarriers[a->n_mbarriers++];
}

static uint32_t channel_of(const struct block *b,
                           const struct race_mbarrier *x) {
    return RACE_MBARRIERS + (uint32_t)(x - race_block_of(b)->async->mbarriers);
}

/* The word in shared memory that stands for it. */
void race_mbarrier_access(struct context *c, const struct mbarrier *x,
                          uint32_t lane, bool write, bool atomic) {
    if (!race_of(c->machine)) return;
    struct access a;
    access_set_mask(&a, 1u << lane);
    a.space = PTX_SHARED;
    a.bytes = 8;
    a.write = write;
    a.atomic = atomic;
    a.scratch = NULL;
    a.one = &context_block(c)->shared;
    a.address[lane] = a.low = a.high = a.bits = x->at;
    race_access(c, &a);
}

void race_mbarrier_made(struct context *c, const struct mbarrier *made) {
    struct race_mbarrier *x = mbarrier_of(context_block(c), made->at);
    if (!x) return;
    clock_drop(&race_of(c->machine)->clocks, &x->arrived);
    clock_drop(&race_of(c->machine)->clocks, &x->done);
    x->phase++;
}

void race_arrives(struct context *c, uint32_t lane, struct mbarrier *of) {
    struct race_mbarrier *x = mbarrier_of(context_block(c), of->at);
    if (!x) return;
    struct clock_pool *p = &race_of(c->machine)->clocks;
    clock_tree released = c->insn->order == ORDER_RELAXED
                              ? race_whole_view(c, lane, RACE_FENCED_BLOCK)
                              : race_all_known(c, lane);
    clock_join(p, &x->arrived, released);
    clock_drop(p, &released);
}

void race_copies_arrived(struct block *b, const struct mbarrier *of,
                         const struct async_copy *k) {
    struct race_mbarrier *x = mbarrier_of(b, of->at);
    if (!x || !k->stamp) return;
    clock_raise(&race_of(b->machine)->clocks, &x->arrived,
                race_channel(b, RACE_SMALL) << 10 | k->thread, CLOCK_LANE,
                k->stamp);
}

void race_mbarrier_completes(struct block *b, uint32_t at) {
    struct race_mbarrier *x = mbarrier_of(b, at);
    if (!x) return;
    struct clock_pool *p = &race_of(b->machine)->clocks;
    x->phase++;
    if (b->machine->program->copies_later)
        clock_raise(p, &x->arrived, race_channel(b, channel_of(b, x)) << 10,
                    CLOCK_BLOCK, x->phase);
    clock_drop(p, &x->done);
    x->done = clock_keep(x->arrived);
}

void race_phase_passed(struct context *c, uint32_t lane,
                       const struct mbarrier *of) {
    const struct race_mbarrier *x = mbarrier_of(context_block(c), of->at);
    bool acquires = c->insn->order == ORDER_ACQUIRE;
    if (x)
        race_learn(c, lane, acquires ? RACE_KNOWN : RACE_SEEN_BLOCK, x->done);
}

void race_mbarrier_channel(struct block *b, uint32_t at, struct race_run *r) {
    const struct race_mbarrier *x = mbarrier_of(b, at);
    if (!x) return;
    r->channel = channel_of(b, x);
    r->stamp = x->phase;
}

/* ---- fences between the proxies ---- */

/* Room for one more: twice as much, or in place of the older half. */
static bool make_room(struct context *c, struct race_async *a) {
    struct charges *charges = &c->machine->memory->charges;
    if (a->room == MOST_PROXIES) {
        uint32_t half = a->room / 2;
        a->lost = a->proxies[half - 1].stamp;
        for (uint32_t k = 0; k < half; k++)
            clock_drop(&race_of(c->machine)->clocks, &a->proxies[k].known);
        memmove(a->proxies, a->proxies + half, half * sizeof *a->proxies);
        a->n_proxies = half;
        return true;
    }
    uint32_t room = a->room ? 2 * a->room : 64;
    struct race_proxy *more = charges_bytes(charges, room * sizeof *more, NULL);
    if (!more) {
        race_of(c->machine)->clocks.lacks = true;
        return false;
    }
    if (a->n_proxies) memcpy(more, a->proxies, a->n_proxies * sizeof *more);
    charges_free(charges, a->proxies);
    a->proxies = more;
    a->room = room;
    return true;
}

static void race_mbarrier_keep(struct context *c, uint32_t lanes,
                               uint32_t stamp, clock_tree known) {
    struct race_async *a = async_of_block(context_block(c));
    if (!a || (a->n_proxies == a->room && !make_room(c, a))) return;
    a->proxies[a->n_proxies++] =
        (struct race_proxy){c->warp->index, lanes, stamp, clock_keep(known)};
}

void race_proxy_fenced(struct context *c) {
    if (!race_of(c->machine)) return;
    uint32_t stamp = ++race_block_of(context_block(c))->clock;
    uint32_t plain = c->lanes->mask & ~race_warp_of(c->warp)->parted;
    for (uint32_t m = c->lanes->mask; m;) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        /* Those who know no more than their warp know the same. */
        uint32_t lanes = plain >> l & 1 ? plain : 1u << l;
        clock_tree known = race_known_of_others(c, l);
        race_mbarrier_keep(c, lanes, stamp, known);
        clock_drop(&race_of(c->machine)->clocks, &known);
        m &= ~lanes;
    }
}

/* The lane knows a fence that stands behind the access. */
static bool is_linked(const struct context *c, uint32_t lane,
                      const struct race_proxy *f, const struct race_by *by) {
    const struct block *b = context_block(c);
    uint64_t first = b->linear << 10 | f->warp * WARP_LANES;
    bool knows =
        by->stamp < clock_of(&race_of(c->machine)->clocks, f->known, by->who);
    for (uint32_t m = f->lanes; m; m &= m - 1) {
        struct race_by fence = {.who = first + (uint32_t)__builtin_ctz(m),
                                .stamp = f->stamp};
        bool own = fence.who == by->who && by->stamp < f->stamp;
        if ((knows || own) && race_is_ordered(c, &fence, false, lane))
            return true;
    }
    return false;
}

static bool is_proxied(const struct context *c, uint32_t lane,
                       const struct race_by *by) {
    const struct race_async *a = race_block_of(context_block(c))->async;
    for (uint32_t k = a ? a->n_proxies : 0;
         k-- > 0;) /* most likely a late one */
        if (is_linked(c, lane, &a->proxies[k], by)) return true;
    if (!a || by->stamp >= a->lost) return false;
    race_stop(c->machine,
              "a block has executed more fences between its proxies than it "
              "keeps",
              "fewer rounds");
    return true;
}

static void race_mbarrier_report(struct context *c, uint32_t lane, uint64_t k,
                                 const struct race_by *by) {
    struct vgpu_finding f = {.kind = VGPU_FINDING_SHARED_RACE,
                             .address = 4 * k,
                             .bytes = 4,
                             .has_thread = true,
                             .has_other = true};
    const struct ptx_module *ptx = c->machine->program->ptx;
    const struct insn *i = program_insn(c->machine->program, by->insn);
    race_describe_thread(c->machine, who(c, lane), f.block, f.thread);
    race_describe_thread(c->machine, by->who, f.other_block, f.other_thread);
    f.where = program_source(ptx, c->insn->source->loc);
    f.other_where = program_source(ptx, i->source->loc);
    VGPU_SAY(&f.message, RACE_PROXY, .byte = 4 * k, .block = f.other_block,
             .thread = f.other_thread, .line = f.other_where.line);
    exec_report_finding(c, &f);
}

/* False: reported. */
static bool check_entry(struct context *c, uint32_t lane, uint64_t k,
                        const struct race_now *q, struct race_entry e) {
    struct race_by by;
    if (!unpack(q, e, &by) || is_copy(c->machine, by.who) ||
        race_of(c->machine)->stopped || is_proxied(c, lane, &by))
        return true;
    race_mbarrier_report(c, lane, k, &by);
    return false;
}

void race_proxy_check(struct context *c, uint32_t lane,
                      const struct race_run *r) {
    struct race_shadow *s =
        race_of(c->machine) && r->bytes ? race_shadow_of_run(c, r) : NULL;
    if (!s) return;
    const struct race_mores *t = &race_of(c->machine)->mores;
    struct race_now q = {.era = race_block_of(context_block(c))->era};
    struct race_entry last = {0, 0};
    for (uint64_t k = r->from >> 2; k < (r->from + r->bytes + 3) >> 2; k++) {
        struct race_entry e = race_entry(&q, &s->write, k);
        bool same =
            e.when == last.when && !((e.what ^ last.what) & THREAD_MASK);
        if (!same && !check_entry(c, lane, k, &q, e)) return;
        last = e;
        if (!(e.what & WHAT_MORE)) continue;
        uint64_t name = race_name(c, r->region->base + 4 * k, true);
        for (uint32_t j = race_more_first(t, name); j; j = t->list[j].next) {
            const struct race_more *m = &t->list[j];
            if (m->name == name && m->wrote &&
                !check_entry(c, lane, k, &q,
                             (struct race_entry){m->when, m->what}))
                return;
        }
    }
}
