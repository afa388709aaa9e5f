/* SPDX-License-Identifier: MIT
 *
 * race_cached.c: loads through the read-only cache (ld.global.nc and ldu: what
 * __ldg and pointers that are const and __restrict__ become) of words that the
 * same launch has written. PTX ISA, "ld.global.nc": the data must be read-only
 * while the kernel runs. No store invalidates a line of that cache, so no
 * barrier and no fence between the two helps. A load before any store gets what
 * memory held before the launch, and nothing else: it is not reported
 * (thrust::unique loads so in place).
 */
#include "race_inside.h"

#include "fault.h"

#include <stddef.h>

static const struct race_plane *writes_of(const struct region *r) {
    const struct allocation *a =
        (const void *)((const uint8_t *)r -
                       offsetof(struct allocation, region));
    return race_shadow_at(a) ? &race_shadow_at(a)->write : NULL;
}

static void race_cached_report(struct context *c, const struct race_now *q,
                               uint32_t lane, uint64_t address,
                               struct race_entry e) {
    struct vgpu_finding f = {.kind = VGPU_FINDING_READ_ONLY_CACHE,
                             .address = address,
                             .bytes = 4,
                             .has_thread = true,
                             .has_other = true,
                             .other_wrote = true};
    const struct machine *m = c->machine;
    struct race_by by;
    struct vgpu_message where;
    if (!unpack(q, e, &by) || exec_repeats(c, f.kind)) return;
    uint64_t other = is_copy(m, by.who) ? race_issuer(m, by.who) : by.who;
    race_describe_thread(m, who(c, lane), f.block, f.thread);
    race_describe_thread(m, other, f.other_block, f.other_thread);
    f.where = exec_access_source(c->machine, c->insn->source);
    f.other_where = exec_access_source(
        c->machine, program_insn(race_program_of(m, other), by.insn)->source);
    exec_say_place(c, address, 4, &where);
    VGPU_SAY(&f.message, CACHED_READ, .where = &where, .block = f.other_block,
             .thread = f.other_thread, .line = f.other_where.line);
    exec_report_finding(c, &f);
}

void race_cached_load(struct context *c, struct access *x,
                      const struct race_now *q) {
    const struct race_plane *all = x->one ? writes_of(x->one) : NULL;
    if (x->one && (!all || all->era != q->era)) return;
    if (all && x->shape.run && x->bytes >= 4 &&
        race_all_until(all->what + (access_first(x) >> 2),
                       (q->era << ERA_SHIFT) - 1,
                       x->shape.lanes * x->bytes / 4))
        return;
    access_spread(x);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        const struct region *r = access_region(x, l);
        const struct race_plane *p = writes_of(r);
        uint64_t from = x->address[l] - r->base, end = from + x->bytes;
        for (uint64_t k = from >> 2; p && k <= (end - 1) >> 2; k++) {
            uint64_t first = 4 * k > from ? 4 * k : from;
            uint64_t last = 4 * k + 4 < end ? 4 * k + 4 : end;
            uint64_t bytes = ((1ull << (last - first)) - 1) << (first & 3);
            if (p->what[k] >> ERA_SHIFT == q->era &&
                p->what[k] & bytes << BYTES_SHIFT)
                race_cached_report(c, q, l, r->base + 4 * k,
                                   (struct race_entry){p->when[k], p->what[k]});
        }
    }
}
