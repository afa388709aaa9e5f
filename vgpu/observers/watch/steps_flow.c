/* SPDX-License-Identifier: MIT
 *
 * steps_flow.c: how values flow: through registers, shuffles, loads and stores.
 * See steps.h.
 */
#include "counts.h"
#include "steps_inside.h"
#include "weak.h"

static bool goes_on(const struct steps *s) {
    return !s->is_cut && !s->sets.is_full;
}

/* ---- registers ---- */

static struct steps_frame *frame_of(struct steps *s, const struct frame *f) {
    if (s->last_frame < s->n_frames && s->frames[s->last_frame].frame == f)
        return &s->frames[s->last_frame];
    for (uint32_t k = 0; k < s->n_frames; k++)
        if (s->frames[k].frame == f) {
            s->last_frame = k;
            return &s->frames[k];
        }
    s->is_cut |= s->n_frames == MOST_FRAMES;
    if (s->is_cut || !steps_room(s, &s->frames, &s->frames_room, s->n_frames,
                                 sizeof *s->frames))
        return NULL;
    s->last_frame = s->n_frames;
    s->frames[s->n_frames] = (struct steps_frame){.frame = f};
    return &s->frames[s->n_frames++];
}

/* A frame is used again for other activations. */
uint32_t *steps_register(struct context *c, uint32_t at) {
    struct steps *s = steps_of(c->machine);
    const struct frame *f = c->group->frame;
    struct steps_frame *of = goes_on(s) ? frame_of(s, f) : NULL;
    if (!of) return NULL;
    if (of->function != f->function) {
        size_t rows = (f->function->register_bytes >> 6) + 1;
        free(of->sets);
        s->frame_bytes += rows * 2 * WARP_LANES * sizeof *of->sets;
        of->sets = s->frame_bytes <= MOST_FRAME_BYTES
                       ? calloc(rows, 2 * WARP_LANES * sizeof *of->sets)
                       : NULL;
        of->makers = of->sets ? of->sets + rows * WARP_LANES : NULL;
        of->function = of->sets ? f->function : NULL;
        if (!of->sets) s->is_cut = true;
    }
    return of->sets ? of->sets + (size_t)(at >> 6) * WARP_LANES : NULL;
}

static uint32_t set_at(struct context *c, uint32_t at, uint32_t lane) {
    const uint32_t *of = at == NO_REGISTER ? NULL : steps_register(c, at);
    return of ? of[lane] : 0;
}

/* The row of the register that was asked for last. */
static uint32_t *makers_of(struct context *c, uint32_t at) {
    struct steps *s = steps_of(c->machine);
    const struct steps_frame *f = &s->frames[s->last_frame];
    return f->makers + (size_t)(at >> 6) * WARP_LANES;
}

static void put_made(struct context *c, uint32_t at, uint32_t lane,
                     uint32_t set, uint32_t made) {
    uint32_t *of = at == NO_REGISTER ? NULL : steps_register(c, at);
    if (!of) return;
    of[lane] = set;
    makers_of(c, at)[lane] = made;
}

static void put_at(struct context *c, uint32_t at, uint32_t lane,
                   uint32_t set) {
    put_made(c, at, lane, set, 0);
}

static uint32_t made_at(struct context *c, uint32_t at, uint32_t lane) {
    const uint32_t *of = at == NO_REGISTER ? NULL : steps_register(c, at);
    return of ? makers_of(c, at)[lane] : 0;
}

/* The one that selp takes; of constants, what it was chosen by. */
static uint32_t chosen(struct context *c, const struct insn *i, uint32_t lane) {
    const uint32_t *at = i->operands.at;
    uint32_t yes = *(const uint32_t *)(c->registers + at[3]) >> lane & 1;
    uint32_t set = set_at(c, at[yes ? 1 : 2], lane);
    return set ? set : set_at(c, at[3], lane);
}

static uint32_t made_of(struct context *c, const struct insn *i,
                        uint32_t lane) {
    struct feed_sets *sets = &steps_of(c->machine)->sets;
    const uint32_t *at = i->operands.at + i->n_destinations;
    enum ptx_op op = i->source ? i->source->op : PTX_OP_mov;
    uint32_t is = 0;
    if (op == PTX_OP_selp && i->n_sources == 3 && i->n_destinations == 1)
        return chosen(c, i, lane);
    for (uint32_t k = 0; k < i->n_sources; k++) {
        uint32_t set = set_at(c, at[k], lane);
        enum set_join how = SET_EITHER;
        if ((op == PTX_OP_add || op == PTX_OP_addc) && k == 1) how = SET_SUM;
        if ((op == PTX_OP_sub || op == PTX_OP_subc) && k == 1)
            how = SET_DIFFERENCE;
        if ((op == PTX_OP_mad || op == PTX_OP_fma || op == PTX_OP_madc) &&
            k == 2)
            how = SET_SUM;
        is = k ? set_join(sets, is, set, how) : set;
    }
    return is;
}

/* Where a value was computed stays with it when it is moved or chosen. */
static uint32_t maker_of(struct context *c, const struct insn *i, uint32_t lane,
                         uint32_t here) {
    const uint32_t *at = i->operands.at + i->n_destinations;
    enum ptx_op op = i->source ? i->source->op : PTX_OP_mov;
    if (i->n_destinations != 1) return here;
    if (op == PTX_OP_selp && i->n_sources == 3) {
        uint32_t yes = *(const uint32_t *)(c->registers + at[2]) >> lane & 1;
        return made_at(c, at[yes ? 0 : 1], lane);
    }
    bool moves = (op == PTX_OP_mov || op == PTX_OP_cvt) && i->n_sources == 1;
    return moves ? made_at(c, at[0], lane) : here;
}

void steps_insn(struct context *c, const struct insn *i) {
    uint32_t on = c->group->mask, p;
    bool made = i->kind == KIND_CLOCK || i->kind == KIND_ACTIVE_MASK;
    if ((i->kind != KIND_ALU && !made) || !goes_on(steps_of(c->machine)))
        return;
    if (i->guard != NO_REGISTER) {
        memcpy(&p, c->registers + i->guard, sizeof p);
        on &= p ^ i->guard_flip;
    }
    uint32_t here = on ? steps_place_of(c, i) + 1 : 0;
    for (; on; on &= on - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(on);
        uint32_t set = made ? 0 : made_of(c, i, l);
        uint32_t maker = maker_of(c, i, l, here);
        for (uint32_t k = 0; k < i->n_destinations; k++)
            put_made(c, i->operands.at[k], l, set, maker);
    }
}

/* ---- warp operations ---- */

void steps_shuffles(struct context *c, const struct shuffle *x) {
    uint32_t here = x->lanes;
    struct steps *s = steps_of(c->machine);
    const uint32_t *at = c->insn->operands.at;
    const uint32_t *words = (const uint32_t *)(c->registers + at[2]);
    uint32_t sets[WARP_LANES] = {0};
    uint32_t array = steps_lanes_array(c, steps_place(c));
    for (uint32_t m = here; m && goes_on(s); m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        struct vgpu_write w = {.array = array,
                               .at = 4 * l,
                               .bytes = 4,
                               .value = words[l],
                               .thread = c->warp->index * WARP_LANES + l,
                               .made = made_at(c, at[2], l),
                               .writer = VGPU_WRITER_SHUFFLE};
        uint32_t new = steps_write(c, w, set_at(c, at[2], l));
        if (new != UINT32_MAX) sets[l] = set_of_one(&s->sets, new);
        put_at(c, at[2], l, sets[l]);
    }
    for (uint32_t m = here; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        put_at(c, at[0], l, sets[x->from[l]]);
        put_at(c, at[1], l, 0);
    }
}

void steps_voted(struct context *c, uint32_t here) {
    struct steps *s = steps_of(c->machine);
    const uint32_t *at = c->insn->operands.at;
    bool sums = c->insn->kind == KIND_REDUX && c->insn->mode == 0;
    uint32_t all = 0;
    for (uint32_t m = here; m; m &= m - 1)
        all = set_join(&s->sets, all,
                       set_at(c, at[2], (uint32_t)__builtin_ctz(m)),
                       sums ? SET_SUM : SET_EITHER);
    for (uint32_t m = here; m; m &= m - 1) {
        put_at(c, at[0], (uint32_t)__builtin_ctz(m), all);
        if (c->insn->kind != KIND_REDUX)
            put_at(c, at[1], (uint32_t)__builtin_ctz(m), 0);
    }
}

/* ---- memory ---- */

static bool wrote(const struct vgpu_write *w, const struct steps_cell *cell,
                  uint64_t value, uint32_t bytes) {
    uint32_t off = cell->at - w->at;
    uint64_t held = off < 8 ? w->value >> 8 * off : ~value;
    uint32_t n = w->bytes - off < bytes ? w->bytes - off : bytes;
    uint64_t mask = n >= 8 ? ~0ull : (1ull << 8 * n) - 1;
    return !((held ^ value) & mask);
}

/* Whose value was found in a cell: that of its last write; with weak memory of
 * an earlier one; else it is what stands there now, and nobody was seen to
 * write it. */
static uint32_t write_at(struct context *c, const struct steps_cell *cell,
                         uint64_t value, uint32_t bytes) {
    struct steps *s = steps_of(c->machine);
    uint32_t last = words_get(&s->cells, cell->key), known = last, oldest = 0;
    while (known && !wrote(&s->writes[known - 1], cell, value, bytes)) {
        oldest = known;
        known = weak_of(c->machine) ? s->writes[known - 1].over : 0;
    }
    if (known) return known - 1;
    struct vgpu_write w = {.array = cell->array,
                           .at = cell->at,
                           .bytes = (uint8_t)bytes,
                           .value = value,
                           .over = weak_of(c->machine) ? 0 : last};
    uint32_t new = steps_before(s, w);
    bool is_old = last && weak_of(c->machine);
    if (new != UINT32_MAX && is_old) s->writes[oldest - 1].over = new + 1;
    for (uint32_t k = 0; new != UINT32_MAX && !is_old &&k < bytes; k += 4)
        if (!words_set(&s->cells, cell->key + k, new + 1)) s->is_cut = true;
    return new;
}

uint32_t steps_set_of_cell(struct context *c, const struct access *x,
                           uint32_t lane, uint32_t plus, uint32_t bytes) {
    struct steps *s = steps_of(c->machine);
    struct steps_cell cell = steps_cell(c, x, lane, plus);
    if (cell.is_own) return words_get(&s->own, cell.key);
    uint32_t is = 0;
    for (uint32_t k = 0; k < bytes && goes_on(s);) {
        uint64_t value = 0;
        memcpy(&value, access_bytes(x, lane) + plus + k, bytes - k);
        struct steps_cell part = {
            .array = cell.array, .at = cell.at + k, .key = cell.key + k};
        uint32_t w = write_at(c, &part, value, bytes - k);
        if (w == UINT32_MAX) return is;
        is = set_join(&s->sets, is, set_of_one(&s->sets, w), SET_EITHER);
        steps_read(c, lane, w);
        uint32_t off = part.at - s->writes[w].at;
        k += s->writes[w].bytes > off ? s->writes[w].bytes - off : 4;
    }
    return is;
}

static bool acquires(const struct insn *i) {
    return i->order == ORDER_ACQUIRE || i->order == ORDER_ACQ_REL ||
           i->order == ORDER_SC;
}

static bool releases(const struct insn *i) {
    return i->order >= ORDER_RELEASE;
}

void steps_loaded(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    if (steps_of(c->machine)->word_bytes) word_loaded(c, x);
    if (!goes_on(steps_of(c->machine))) return;
    access_spread(x);
    for (uint32_t m = x->mask; m; m &= m - 1)
        for (uint32_t e = 0; e < i->n_elements; e++) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            put_at(c, i->operands.at[e], l,
                   steps_set_of_cell(c, x, l, e * i->bytes, i->bytes));
        }
    if (acquires(i)) steps_fenced(c);
}

void steps_put_cell(struct context *c, const struct access *x, uint32_t lane,
                    uint32_t plus, struct vgpu_write w, uint32_t set) {
    struct steps *s = steps_of(c->machine);
    struct steps_cell cell = steps_cell(c, x, lane, plus);
    if (cell.is_own) {
        if (s->own.n == MOST_OWN || !words_set(&s->own, cell.key, set))
            s->is_cut = true;
        return;
    }
    w.array = cell.array;
    w.at = cell.at;
    w.over = words_get(&s->cells, cell.key);
    w.thread = c->warp->index * WARP_LANES + lane;
    uint32_t new = steps_write(c, w, set);
    for (uint32_t k = 0; new != UINT32_MAX &&k < w.bytes; k += 4)
        if (!words_set(&s->cells, cell.key + k, new + 1)) s->is_cut = true;
}

void steps_stored(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    if (steps_of(c->machine)->word_bytes) word_stored(c, x);
    if (!goes_on(steps_of(c->machine))) return;
    access_spread(x);
    for (uint32_t m = x->mask; m; m &= m - 1)
        for (uint32_t e = 0; e < i->n_elements; e++) {
            uint32_t l = (uint32_t)__builtin_ctz(m), plus = e * i->bytes;
            struct vgpu_write w = {.bytes = i->bytes,
                                   .writer = VGPU_WRITER_STORE};
            memcpy(&w.value, access_bytes(x, l) + plus, i->bytes);
            w.made = made_at(c, i->operands.at[e], l);
            steps_put_cell(c, x, l, plus, w, set_at(c, i->operands.at[e], l));
        }
    if (releases(i)) steps_fenced(c);
}

/* ---- atomic operations: all lanes are done ---- */

/* What lane's cell held afterwards: what the next one found there. */
static uint64_t left_by(struct context *c, const struct access *x,
                        uint32_t lane) {
    const struct insn *i = c->insn;
    uint64_t now = 0;
    for (uint32_t m = x->mask & ~(FULL_MASK >> (31 - lane)); m; m &= m - 1)
        if (x->address[__builtin_ctz(m)] == x->address[lane])
            return context_lane(c, i->operands.at[0],
                                (uint32_t)__builtin_ctz(m));
    memcpy(&now, access_bytes(x, lane), i->bytes);
    return now;
}

static void changed_by(struct context *c, const struct access *x,
                       uint32_t lane) {
    struct steps *s = steps_of(c->machine);
    const struct insn *i = c->insn;
    const uint32_t *at = i->operands.at;
    struct steps_cell cell = steps_cell(c, x, lane, 0);
    uint64_t old = context_lane(c, at[0], lane), new = left_by(c, x, lane);
    uint64_t mask = i->bytes >= 8 ? ~0ull : (1ull << 8 * i->bytes) - 1;
    if (cell.is_own) return;
    uint32_t w = write_at(c, &cell, old & mask, i->bytes);
    uint32_t was = w == UINT32_MAX ? 0 : set_of_one(&s->sets, w);
    uint32_t by = set_at(c, at[i->atomic == ATOMIC_CAS ? 2 : 1], lane);
    if (((old ^ new) & mask) || i->atomic == ATOMIC_EXCH) {
        struct vgpu_write w_new = {.bytes = i->bytes,
                                   .value = new &mask,
                                   .writer = VGPU_WRITER_ATOMIC};
        bool swaps = i->atomic == ATOMIC_EXCH || i->atomic == ATOMIC_CAS;
        enum set_join how = i->atomic == ATOMIC_ADD ? SET_SUM : SET_EITHER;
        steps_put_cell(c, x, lane, 0, w_new,
                       swaps ? by : set_join(&s->sets, was, by, how));
    }
    put_at(c, at[0], lane, was);
}

/* Several elements, or 128 bits: what stands there afterwards. */
static void changed_parts(struct context *c, const struct access *x,
                          uint32_t lane) {
    const struct insn *i = c->insn;
    uint32_t by = set_at(c, i->operands.at[1], lane);
    uint32_t part = i->bytes > 8 ? 8 : i->bytes;
    for (uint32_t k = 0; k < x->bytes; k += part) {
        struct vgpu_write w = {.bytes = (uint8_t)part,
                               .writer = VGPU_WRITER_ATOMIC};
        memcpy(&w.value, access_bytes(x, lane) + k, part);
        steps_put_cell(c, x, lane, k, w, by);
    }
}

void steps_changed(struct context *c, struct access *x, bool changed) {
    (void)changed;
    const struct insn *i = c->insn;
    bool single = i->n_elements == 1 && i->bytes <= 8;
    if (steps_of(c->machine)->word_bytes) word_stored(c, x);
    if (!goes_on(steps_of(c->machine))) return;
    for (uint32_t m = x->mask; m; m &= m - 1)
        (single ? changed_by : changed_parts)(c, x, (uint32_t)__builtin_ctz(m));
    if (acquires(i) || releases(i)) steps_fenced(c);
}

/* ---- shared memory's banks ---- */

void steps_access(struct context *c, struct access *x) {
    struct steps *s = steps_of(c->machine);
    if (x->space != PTX_SHARED || s->accesses_cut) return;
    if (s->n_accesses == VGPU_STEPS_ACCESSES ||
        !steps_room(s, &s->accesses, &s->accesses_room, s->n_accesses,
                    sizeof *s->accesses)) {
        s->accesses_cut = true;
        return;
    }
    struct vgpu_bank_access *a = &s->accesses[s->n_accesses++];
    *a = (struct vgpu_bank_access){.launch = s->n_launches,
                                   .warp = c->warp->index,
                                   .place = steps_place(c),
                                   .block = context_block(c)->linear,
                                   .mask = x->mask,
                                   .bytes = (uint8_t)x->bytes,
                                   .writes = x->write,
                                   .is_atomic = x->atomic};
    a->wavefronts = counts_wavefronts(c, x, &a->ideal);
    access_spread(x);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        a->at[l] = (uint32_t)x->address[l];
    }
}
