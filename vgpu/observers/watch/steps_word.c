/* SPDX-License-Identifier: MIT
 *
 * steps_word.c: of a call with too many elements for all its steps: who stored
 * to one word last, and what its block had last read as blocks read that talk.
 * It is recorded in place of the steps.
 */
#include "fault.h"
#include "steps_inside.h"

struct word_read {
    const struct insn *insn; /* NULL: none */
    uint64_t word;
};

void steps_watch_word(struct steps *s, uint64_t address, uint32_t bytes) {
    s->word = address;
    s->word_bytes = bytes;
    s->writer = (struct vgpu_word_writer){0};
    if (bytes) s->is_cut = s->accesses_cut = true;
}

bool steps_word_writer(const struct steps *s, struct vgpu_word_writer *w) {
    *w = s->writer;
    return w->where.file != NULL;
}

void word_launch_begins(struct machine *m) {
    struct steps *s = steps_of(m);
    free(s->word_reads);
    s->word_reads = calloc(m->n_slots, sizeof *s->word_reads);
    s->n_word_reads = s->word_reads ? m->n_slots : 0;
}

static struct word_read *read_of(struct steps *s, const struct block *b) {
    return b->slot < s->n_word_reads ? &s->word_reads[b->slot] : NULL;
}

void word_block_starts(struct block *b) {
    struct word_read *r = read_of(steps_of(b->machine), b);
    if (r) *r = (struct word_read){0};
}

void word_loaded(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    struct word_read *r = read_of(steps_of(c->machine), context_block(c));
    bool talks = x->space == PTX_GLOBAL && i->order != ORDER_WEAK &&
                 i->n_elements == 1 && i->bytes >= 4 && i->bytes <= 8;
    if (!r || !talks || !x->mask) return;
    access_spread(x);
    *r = (struct word_read){.insn = i};
    memcpy(&r->word, access_bytes(x, (uint32_t)__builtin_ctz(x->mask)),
           i->bytes);
}

static void write(struct context *c, uint32_t lane) {
    struct machine *m = c->machine;
    struct steps *s = steps_of(m);
    const struct block *b = context_block(c);
    const struct word_read *r = read_of(s, b);
    const struct ptx_module *ptx = m->program->ptx;
    uint32_t t = c->warp->index * WARP_LANES + lane;
    s->writer = (struct vgpu_word_writer){
        .where = program_access(ptx, c->insn->source),
        .thread = {t % m->block[0], t / m->block[0] % m->block[1],
                   t / m->block[0] / m->block[1]}};
    memcpy(s->writer.block, b->index, sizeof s->writer.block);
    bool is_alone = m->grid[0] == 1 && m->grid[1] == 1 && m->grid[2] == 1;
    if (!r || !r->insn || is_alone) return;
    s->writer.read = program_source(ptx, r->insn->source->loc);
    s->writer.word = r->word;
    s->writer.word_bytes = r->insn->bytes;
}

void word_stored(struct context *c, struct access *x) {
    const struct steps *s = steps_of(c->machine);
    if (x->space != PTX_GLOBAL || !c->insn->source) return;
    access_spread(x);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (x->address[l] < s->word + s->word_bytes &&
            s->word < x->address[l] + x->bytes)
            write(c, l);
    }
}
