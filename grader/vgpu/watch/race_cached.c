/* SPDX-License-Identifier: MIT
 *
 * race_cached.c: loads through the read-only cache (ld.global.nc and ldu: what
 * __ldg and pointers that are const and __restrict__ become) of words that the
 * same launch writes. PTX ISA, "ld.global.nc": the data must be read-only while
 * the kernel runs. That cache is never told of stores, so that no barrier and
 * no fence between the two helps, and it does not matter which comes first.
 *
 * How to read this: what racecheck remembers of writes anyway tells of a load
 * that follows one. For a store that follows such a load each allocation that
 * is loaded from so has a plane of its own, and only those pay for it.
 */
#include "race_inside.h"

#include "fault.h"

#include <stddef.h>
#include <stdio.h>

static struct allocation *allocation_of(const struct region *r) {
    return (
        struct allocation *)(uintptr_t)((const uint8_t *)r -
                                        offsetof(struct allocation, region));
}

/* NULL: no memory, and it has been said. */
static struct race_plane *made(struct machine *m, struct allocation *a) {
    size_t n = a->size / 4 + 1;
    struct race_cached *s = a->race_cached;
    if (s) return &s->plane;
    s = charges_zeroed(&m->memory->charges,
                       sizeof *s + 2 * n * sizeof *s->words, NULL);
    if (!s) {
        race_stop(m,
                  "no memory is left for what is read through the read-only "
                  "cache",
                  "smaller arrays");
        return NULL;
    }
    s->plane = (struct race_plane){.what = s->words, .when = s->words + n};
    a->race_cached = s;
    return &s->plane;
}

/* What the access is compared with: a load with what was written, a store with
 * what was loaded. NULL: nothing that counts. */
static const struct race_plane *others(const struct allocation *a, bool loads,
                                       uint64_t era) {
    const struct race_plane *p = loads ? a->race ? &a->race->write : NULL
                                 : a->race_cached ? &a->race_cached->plane
                                                  : NULL;
    return p && p->era == era ? p : NULL;
}

static void report(struct context *c, const struct race_now *q, uint32_t lane,
                   uint64_t address, struct race_entry e, bool loads) {
    struct vgpu_finding f = {.kind = VGPU_FINDING_READ_ONLY_CACHE,
                             .address = address,
                             .bytes = 4,
                             .has_thread = true,
                             .has_other = true,
                             .writes = !loads,
                             .other_wrote = loads};
    const struct machine *m = c->machine;
    struct race_by by;
    char where[256];
    if (!unpack(q, e, &by) || exec_repeats(c, f.kind)) return;
    uint64_t other = is_copy(m, by.who) ? race_issuer(m, by.who) : by.who;
    race_describe_thread(m, who(c, lane), f.block, f.thread);
    race_describe_thread(m, other, f.other_block, f.other_thread);
    f.where = exec_access_source(c->machine, c->insn->source);
    f.other_where =
        exec_access_source(c->machine, race_insn(m, by.insn)->source);
    exec_describe_address(c, address, 4, where, sizeof where);
    snprintf(f.message, sizeof f.message,
             "this thread %s %s%s, which block (%u,%u,%u) thread (%u,%u,%u) of "
             "the same launch %s at line %u%s. Such a load may return what "
             "memory held before the launch, whatever stands between the two: "
             "only what nobody writes until the kernel ends may be read "
             "through __ldg or a pointer that is const and __restrict__",
             loads ? "reads" : "writes", where,
             loads ? " through the read-only cache" : "", f.other_block[0],
             f.other_block[1], f.other_block[2], f.other_thread[0],
             f.other_thread[1], f.other_thread[2], loads ? "writes" : "reads",
             f.other_where.line, loads ? "" : " through the read-only cache");
    exec_report_finding(c, &f);
}

/* n words from word `at` on, word k of lane first + (k >> shift): nothing is
 * remembered of any, and the load is. */
static bool run_is_quiet(const struct race_now *q, const struct race_plane *p,
                         struct race_plane *note, uint64_t at, uint64_t mine,
                         uint32_t n, uint32_t shift) {
    if (p && !race_all_until(p->what + at, (q->era << ERA_SHIFT) - 1, n))
        return false;
    if (!note) return true;
    note->era = q->era;
    for (uint64_t k = 0; k < n; k++) note->when[at + k] = q->when;
    for (uint64_t k = 0; k < n; k++)
        note->what[at + k] = mine + (k >> shift << THREAD_SHIFT);
    return true;
}

/* `count` bytes of an allocation, from byte `from` on. */
static void look(struct context *c, const struct race_now *q, uint32_t lane,
                 struct allocation *a, uint64_t from, uint32_t count,
                 bool loads) {
    const struct race_plane *p = others(a, loads, q->era);
    struct race_plane *note = loads ? made(c->machine, a) : NULL;
    struct race_now mine = *q;
    for (uint64_t k = from >> 2; k <= (from + count - 1) >> 2; k++) {
        uint64_t first = 4 * k > from ? 4 * k : from;
        uint64_t last = 4 * k + 4 < from + count ? 4 * k + 4 : from + count;
        uint64_t bytes = ((1ull << (last - first)) - 1) << (first & 3);
        mine.what =
            (q->what + ((uint64_t)lane << THREAD_SHIFT)) | bytes << BYTES_SHIFT;
        if (p && p->what[k] >> ERA_SHIFT == q->era &&
            p->what[k] & bytes << BYTES_SHIFT)
            report(c, q, lane, a->region.base + 4 * k,
                   (struct race_entry){p->when[k], p->what[k]}, loads);
        if (note) race_enter(&mine, note, k, mine.what);
    }
}

void race_cached_access(struct context *c, struct access *x,
                        const struct race_now *q) {
    bool loads = c->insn->read_only;
    if ((!loads && !x->write) || c->machine->race->stopped) return;
    if (x->one && x->shape.run && x->bytes >= 4) {
        struct allocation *a = allocation_of(x->one);
        struct race_plane *note = loads ? made(c->machine, a) : NULL;
        uint32_t shift = (uint32_t)__builtin_ctz(x->bytes / 4);
        if (run_is_quiet(q, others(a, loads, q->era), note,
                         access_first(x) >> 2,
                         q->what + ((uint64_t)x->shape.first << THREAD_SHIFT |
                                    ALL_BYTES),
                         (uint32_t)x->shape.lanes << shift, shift))
            return;
    }
    access_spread(x);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        struct allocation *a = allocation_of(access_region(x, l));
        if (!loads && !others(a, loads, q->era)) continue;
        look(c, q, l, a, x->address[l] - a->region.base, x->bytes, loads);
    }
}

void race_cached_run(struct context *c, uint32_t lane, const struct race_now *q,
                     const struct race_run *r) {
    struct allocation *a = allocation_of(r->region);
    if (r->write && others(a, false, q->era))
        look(c, q, lane, a, r->from, r->bytes, false);
}
