/* SPDX-License-Identifier: MIT
 *
 * steps_reads.c: who read which cell, and when: of each load of a lane, the
 * write whose value it found. See steps.h.
 */
#include "steps_inside.h"

/* false: no more are kept, which ends nothing else. */
static bool has_room_to_read(struct steps *s) {
    if (s->n_reads < s->reads_room || s->reads_cut) return !s->reads_cut;
    uint32_t more = s->reads_room ? 2 * s->reads_room : 256;
    void *t = more <= VGPU_STEPS_READS
                  ? realloc(s->reads, more * sizeof *s->reads)
                  : NULL;
    s->reads_cut = !t;
    if (!t) return false;
    s->reads = t;
    s->reads_room = more;
    return true;
}

void steps_read(struct context *c, uint32_t lane, uint32_t write) {
    struct steps *s = steps_of(c->machine);
    const struct block *b = context_block(c);
    const struct steps_slot *slot = &s->slots[b->slot];
    if (!has_room_to_read(s)) return;
    s->reads[s->n_reads++] =
        (struct vgpu_read){.write = write,
                           .before = s->n_writes,
                           .launch = s->n_launches,
                           .thread = c->warp->index * WARP_LANES + lane,
                           .place = steps_place(c),
                           .phase = slot->phase,
                           .n_ordered = slot->n_ordered,
                           .block = b->linear};
}
