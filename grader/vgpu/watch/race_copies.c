/* SPDX-License-Identifier: MIT
 *
 * race_copies.c: racecheck of asynchronous copies. Until somebody claims a
 * copy, the copy's name stands in the shadow of its words in place of block and
 * stamp (race.h, async.h).
 */
#include "race_inside.h"

#include "copies.h"
#include "fault.h"

#include <stddef.h>
#include <stdio.h>

void race_copy_begin(struct context *c, uint32_t lane,
                     const struct race_run *r) {
    struct race_shadow *s =
        c->machine->race && r->bytes ? race_shadow_of_run(c, r) : NULL;
    if (!s) return;
    struct access x = {.one = r->region, .bytes = 16, .write = r->write};
    struct race_now q = race_now_of(c, &x, r->shared);
    struct race_word w = {.shadow = s, .lane = lane, .writes = r->write};
    q.what += (uint64_t)lane << THREAD_SHIFT | ALL_BYTES;
    uint64_t at = r->from >> 2;
    uint32_t n = (uint32_t)(((r->from + r->bytes + 3) >> 2) - at);
    bool quiet = race_run_harmless(&q, &s->write, at, n) &&
                 (!r->write || race_run_harmless(&q, &s->read, at, n));
    for (uint64_t k = at; !quiet && k < at + n; k++) {
        w.k = k;
        w.address = r->region->base + 4 * k;
        quiet = race_check_word(c, &q, &w);
    }
    struct race_now later = q;
    if (r->name) later.when = COPY_BLOCK << 32 | r->name;
    for (uint64_t k = at; k < at + n; k++) {
        w.k = k;
        w.address = r->region->base + 4 * k;
        if (r->name && r->write) /* what it writes, it writes for itself */
            race_enter(&later, &s->write, k,
                       q.what |
                           (race_entry(&q, &s->write, k).what & WHAT_MORE));
        else
            race_remember(c, &later, &w);
    }
}

static void claim(uint64_t *when, uint64_t *what, uint64_t to,
                  uint64_t thread) {
    *when = to;
    *what = (*what & ~THREAD_MASK) | thread << THREAD_SHIFT;
}

static void claim_plane(struct race_plane *p, uint64_t at, uint64_t end,
                        uint64_t from, uint64_t to, uint64_t thread) {
    for (uint64_t k = at; k < end; k++)
        if (p->when[k] == from) claim(&p->when[k], &p->what[k], to, thread);
}

/* Readers that were followed by others are in the table. */
static void claim_more(struct block *b, const struct race_run *r, uint64_t from,
                       uint64_t to, uint64_t thread) {
    struct race_mores *t = &b->machine->race->mores;
    struct context c = {.machine = b->machine, .warp = b->warps};
    uint64_t end = (r->from + r->bytes + 3) & ~3ull;
    for (uint64_t at = r->from & ~3ull; t->n && at < end; at += 4) {
        uint64_t name = race_name(&c, r->region->base + at, r->shared);
        for (uint32_t k = race_more_first(t, name); k; k = t->list[k].next)
            if (t->list[k].name == name && t->list[k].when == from)
                claim(&t->list[k].when, &t->list[k].what, to, thread);
    }
}

void race_copy_claim(struct block *b, uint32_t thread,
                     const struct race_run *r) {
    if (!b->machine->race || !r->name) return;
    struct race_shadow *s = b->race_shadow;
    if (!r->shared)
        s = ((const struct allocation *)(uintptr_t)((const uint8_t *)r->region -
                                                    offsetof(struct allocation,
                                                             region)))
                ->race;
    if (!s) return;
    uint64_t at = r->from >> 2, end = (r->from + r->bytes + 3) >> 2;
    uint64_t from = COPY_BLOCK << 32 | r->name;
    uint64_t to = b->linear << 32 | b->race_clock;
    claim_plane(r->write ? &s->write : &s->read, at, end, from, to, thread);
    claim_more(b, r, from, to, thread);
}

uint32_t race_copy_claimed(struct context *c) {
    return c->machine->race ? ++context_block(c)->race_clock : 0;
}

void race_proxy_fence(struct context *c, uint32_t stamps[WARP_LANES]) {
    if (!c->machine->race) return;
    uint32_t stamp = ++context_block(c)->race_clock;
    for (uint32_t k = c->lanes->mask; k; k &= k - 1)
        stamps[__builtin_ctz(k)] = stamp;
}

void race_proxy_check(struct context *c, uint32_t lane,
                      const struct race_run *r) {
    struct race_shadow *s =
        c->machine->race && r->bytes ? race_shadow_of_run(c, r) : NULL;
    if (!s) return;
    const struct block *b = context_block(c);
    const struct async_lanes *own = c->warp->async;
    struct race_now q = {.era = b->race_era};
    uint64_t last = ~0ull;
    for (uint64_t k = r->from >> 2; k < (r->from + r->bytes + 3) >> 2; k++) {
        struct race_by by;
        if (s->write.when[k] == last ||
            !unpack(&q, race_entry(&q, &s->write, k), &by))
            continue;
        if (block_of(by.who) == COPY_BLOCK) continue;
        const struct insn *i = race_insn(c->machine, by.insn);
        const struct async_lanes *its =
            b->warps[thread_of(by.who) / WARP_LANES].async;
        if (i->kind == KIND_ASYNC) continue;
        if (own && own->proxy_fence[lane] > by.stamp) {
            last = s->write.when[k];
            continue;
        }
        if (its && its->proxy_fence[thread_of(by.who) % WARP_LANES] > by.stamp)
            continue;
        struct vgpu_finding f = {.kind = VGPU_FINDING_SHARED_RACE,
                                 .address = 4 * k,
                                 .bytes = 4,
                                 .has_thread = true,
                                 .has_other = true};
        const struct ptx_module *ptx = c->machine->program->ptx;
        race_describe_thread(c->machine, who(c, lane), f.block, f.thread);
        race_describe_thread(c->machine, by.who, f.other_block, f.other_thread);
        f.where = program_source(ptx, c->insn->source->loc);
        f.other_where = program_source(ptx, i->source->loc);
        snprintf(f.message, sizeof f.message,
                 "race: this bulk copy reads byte %llu of shared memory, which "
                 "block (%u,%u,%u) thread (%u,%u,%u) wrote at line %u, and no "
                 "fence.proxy.async stands between: the copy goes another way "
                 "to memory and may see what was there before. Let every "
                 "thread that writes execute fence.proxy.async before the "
                 "barrier",
                 (unsigned long long)(4 * k), f.other_block[0],
                 f.other_block[1], f.other_block[2], f.other_thread[0],
                 f.other_thread[1], f.other_thread[2], f.other_where.line);
        exec_report_finding(c, &f);
        return;
    }
}
