/* SPDX-License-Identifier: MIT
 *
 * even.c: the common case of a warp's access to memory, without what the others
 * need: an insn.plain load or store whose lanes are evenly spaced in one
 * allocation or in shared memory, with nobody who waits.
 *
 * How to read this: what an access is like, whatever its address, is remembered
 * with the instruction (struct even_hint), so that most accesses only look
 * whether they are like the last one. find asks everything that access.c asks,
 * in its order, but never does anything about a no: then access.c begins anew.
 * What an access leaves behind it does last, when all answers are known;
 * racecheck alone may still report.
 */
#include "access.h"
#include "race.h"

enum { TRY_AGAIN = 15 }; /* accesses after one that was not even */

/* Whether lane l of the active ones has start + l * step. */
WIDER static bool wide_even(const uint64_t *r, const uint64_t *active,
                            uint64_t start, uint64_t step) {
    uint64_t differs = 0;
    for (uint64_t l = 0; l < WARP_LANES; l++, start += step)
        differs |= (r[l] ^ start) & active[l];
    return !differs;
}

WIDER static bool narrow_even(const uint32_t *r, const uint32_t *active,
                              uint32_t start, uint32_t step) {
    uint32_t differs = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        differs |= (r[l] ^ (start + l * step)) & active[l];
    return !differs;
}

/* All lanes, the others too: nobody looks at those. */
WIDER static void fill(uint64_t *address, uint64_t start, uint64_t stride) {
    for (uint64_t l = 0; l < WARP_LANES; l++, start += stride)
        address[l] = start;
}

/* For each lane l of the mask: `at` is the first one's place and `step` further
 * with each lane. What the lanes write may not be the hint: it is read once. */
#define EACH_PLACE(e, type, first_place, step, ...)                            \
    do {                                                                       \
        type *at = first_place;                                                \
        const int64_t apart = step;                                            \
        uint32_t m = (e)->mask;                                                \
        if (m == FULL_MASK) {                                                  \
            _Pragma("GCC unroll 8") for (uint32_t l = 0; l < WARP_LANES;       \
                                         l++, at += apart) __VA_ARGS__;        \
        } else {                                                               \
            type *const place = at;                                            \
            const int64_t lane = (e)->first;                                   \
            for (; m; m &= m - 1) {                                            \
                uint32_t l = (uint32_t)__builtin_ctz(m);                       \
                at = place + (l - lane) * apart;                               \
                __VA_ARGS__;                                                   \
            }                                                                  \
        }                                                                      \
    } while (0)

/* ---- what an access is like ---- */

static inline const void *base_of(const struct context *c) {
    return c->registers + c->insn->base;
}

static inline struct even_hint *hint_of(const struct context *c) {
    struct insn *i = (struct insn *)c->insn;
    return &i->even[c->lanes->mask != FULL_MASK];
}

/* Bytes from lane 0's address to the first active lane's. */
static inline uint64_t before(const struct even_hint *e) {
    return (uint64_t)e->stride * e->first;
}

static inline bool is_like(const struct context *c, const struct even_hint *e) {
    uint32_t first = e->first;
    if (c->insn->is_base_wide) {
        const uint64_t *r = base_of(c);
        return wide_even(r, c->lanes->d, r[first] - before(e),
                         (uint64_t)e->stride);
    }
    const uint32_t *r = base_of(c);
    return narrow_even(r, c->lanes->w, r[first] - (uint32_t)before(e),
                       (uint32_t)e->stride);
}

/* A stride is what lies between the first lane and its neighbour; where that is
 * not active, the bytes of a lane. */
static int64_t stride_of(const struct context *c, uint32_t mask,
                         uint32_t first) {
    if (!(mask >> first & 2)) return c->insn->bytes;
    if (c->insn->is_base_wide) {
        const uint64_t *r = base_of(c);
        return (int64_t)(r[first + 1] - r[first]);
    }
    const uint32_t *r = base_of(c);
    return (int32_t)(r[first + 1] - r[first]);
}

/* Accesses to shared memory that were alike are counted together. */
static void collect(const struct insn *i, struct even_hint *e) {
    uint64_t *n = i->counts, wavefronts = e->times * e->passes;
    n[VGPU_COUNT_SHARED_REQUESTS] += e->times;
    n[VGPU_COUNT_SHARED_WAVEFRONTS] += wavefronts;
    n[VGPU_COUNT_SHARED_CONFLICTS] += wavefronts - e->times * e->ideal;
    n[i->kind == KIND_STORE ? VGPU_COUNT_SHARED_WRITE_WAVEFRONTS
                            : VGPU_COUNT_SHARED_READ_WAVEFRONTS] += wavefronts;
    e->times = 0;
}

void even_collect(const struct insn *i) {
    struct insn *own = (struct insn *)i;
    for (int k = 0; k < 2; k++)
        if (own->even[k].times) collect(i, &own->even[k]);
}

static bool learn(const struct context *c, struct even_hint *e) {
    uint32_t mask = c->lanes->mask, first = (uint32_t)__builtin_ctz(mask);
    uint32_t apart = 31u - (uint32_t)__builtin_clz(mask) - first;
    int64_t stride = stride_of(c, mask, first), span = stride * apart;
    int64_t bytes = c->insn->bytes;
    if (e->times) collect(c->insn, e);
    *e = (struct even_hint){.skip = TRY_AGAIN};
    if (stride != (int32_t)stride || (apart && stride & (bytes - 1)))
        return false;
    e->stride = (int32_t)stride;
    e->first = (uint8_t)first;
    if (!is_like(c, e)) return false;
    *e = (struct even_hint){
        .mask = mask,
        .stride = (int32_t)stride,
        .below = span < 0 ? span : 0,
        .span = (uint64_t)(span < 0 ? -span : span) + (uint64_t)bytes,
        .first = (uint8_t)first,
        .lanes = (uint8_t)(apart + 1),
        .neighbours = mask == FULL_MASK >> (31 - apart) << first};
    e->run = e->neighbours && stride == bytes;
    return true;
}

/* ---- counts ---- */

static void count_shared(struct context *c, struct access *x,
                         struct even_hint *e) {
    if (!e->passes) {
        fill(x->address, x->address[e->first] - before(e), x->stride);
        uint32_t ideal;
        e->passes = (uint8_t)access_wavefronts(c, x, &ideal);
        e->ideal = (uint8_t)ideal;
    }
    e->times++;
}

/* Pieces of 1 << shift bytes that neighbours touch. */
static inline uint32_t pieces(const struct access *x, const struct even_hint *e,
                              uint32_t shift) {
    int64_t stride = e->stride;
    if ((stride < 0 ? -stride : stride) >= 1 << shift) return e->lanes;
    return (uint32_t)(((x->low + e->span - 1) >> shift) - (x->low >> shift)) +
           1;
}

/* Groups of `size` bits (a power of two) that are not all zero. */
static uint32_t groups_of_bits(uint64_t bits, uint32_t size) {
    for (uint32_t k = 1; k < size; k *= 2) bits |= bits >> k;
    bits &= size == 64 ? 1 : ~0ull / ((1ull << size) - 1);
    return (uint32_t)__builtin_popcountll(bits);
}

/* The same where lanes between are left out and the others' bytes would be a
 * run: a bit for each lane, at its place in the first piece. */
static uint32_t pieces_of_some(const struct access *x,
                               const struct even_hint *e, uint32_t shift) {
    uint32_t lanes = (1u << shift) / x->bytes;
    uint32_t at = (uint32_t)(x->address[e->first] - before(e)) / x->bytes;
    return groups_of_bits((uint64_t)e->mask << (at & (lanes - 1)), lanes);
}

static void count_global(struct context *c, struct access *x,
                         const struct even_hint *e) {
    if (!e->neighbours && e->stride == (int32_t)x->bytes) {
        access_count_pieces(c, x, (uint32_t)__builtin_popcount(e->mask),
                            pieces_of_some(x, e, 5), pieces_of_some(x, e, 7));
        return;
    }
    if (!e->neighbours) {
        fill(x->address, x->address[e->first] - before(e), x->stride);
        access_count_global(c, x);
        return;
    }
    access_count_pieces(c, x, e->lanes, pieces(x, e, 5), pieces(x, e, 7));
}

/* ---- finding the bytes ---- */

static inline bool find_region(struct context *c, struct access *x,
                               const struct even_hint *e) {
    if (c->insn->space == PTX_SHARED) {
        x->one = &context_block(c)->shared;
        return !(x->low >> 63) && x->low + e->span <= c->machine->shared_bytes;
    }
    const struct allocation *a = access_allocation(c, x);
    if (!a || (a->read_only && x->write)) return false;
    x->one = &a->region;
    return true;
}

static uint8_t *bits_of(const struct access *x, const struct even_hint *e,
                        uint8_t *bits) {
    return bits + ((x->address[e->first] - x->one->base) >> 2);
}

static bool all_written(const struct access *x, const struct even_hint *e) {
    uint8_t all = BITS_WORD;
    const uint8_t *first = bits_of(x, e, x->one->written);
    int32_t step = e->stride / 4;
    if (x->bytes == 4) {
        EACH_PLACE(e, const uint8_t, first, step, (void)l, all &= *at);
    } else {
        EACH_PLACE(e, const uint8_t, first, step, (void)l,
                   all &= at[0] & at[1]);
    }
    return all == BITS_WORD;
}

static void written(const struct access *x, const struct even_hint *e) {
    uint8_t *first = bits_of(x, e, x->one->written);
    int32_t step = e->stride / 4;
    if (e->run) {
        bits_set(x->one->written, x->low - x->one->base, e->span, true);
    } else if (x->bytes == 4) {
        EACH_PLACE(e, uint8_t, first, step, (void)l, *at = BITS_WORD);
    } else {
        EACH_PLACE(e, uint8_t, first, step, (void)l, at[0] = at[1] = BITS_WORD);
    }
}

/* False: somebody has to look closer, and nothing has happened. */
static bool check(struct context *c, struct access *x,
                  const struct even_hint *e) {
    const struct machine *m = c->machine;
    const struct region *r = x->one;
    uint64_t from = x->address[e->first];
    bool shared = c->insn->space == PTX_SHARED;
    if (!x->write && r->written && m->checks & VGPU_CHECK_INITCHECK &&
        !(e->run ? bits_all(r->written, x->low - r->base, e->span)
                 : all_written(x, e)))
        return false;
    x->address[e->first + e->lanes - 1] = x->low + x->high - from;
    bool quiet = !m->race || race_even(c, x, shared);
    if (quiet) return true;
    fill(x->address, from - before(e), x->stride);
    race_access(c, x, shared);
    return true;
}

/* Checked, counted, and x filled as far as what follows looks: the address of
 * the first lane. NULL: nothing has happened. */
static inline uint8_t *find(struct context *c, struct access *x,
                            struct even_hint *e, bool write) {
    const struct insn *i = c->insn;
    const struct machine *m = c->machine;
    if (e->skip) {
        e->skip--;
        return NULL;
    }
    if (c->group->trace || (m->weak && i->space == PTX_GLOBAL)) return NULL;
    if ((e->mask != c->lanes->mask || !is_like(c, e)) && !learn(c, e))
        return NULL;
    uint32_t first = e->first;
    uint64_t from =
        i->is_base_wide
            ? ((const uint64_t *)base_of(c))[first] + (uint64_t)i->offset
            : ((const uint32_t *)base_of(c))[first] + (uint32_t)i->offset;
    x->bytes = i->bytes;
    if (from & (x->bytes - 1)) return NULL;
    x->mask = e->mask;
    x->write = write;
    x->atomic = false;
    x->even = true;
    x->in_line = e->stride == (int32_t)x->bytes;
    x->scratch = NULL;
    x->stride = (uint64_t)(int64_t)e->stride;
    x->address[first] = from;
    x->low = from + (uint64_t)e->below;
    x->high = x->low + e->span - x->bytes;
    if (!find_region(c, x, e)) return NULL;
    if (m->checks && !check(c, x, e)) return NULL;
    if (i->space == PTX_SHARED)
        count_shared(c, x, e);
    else
        count_global(c, x, e);
    return x->one->bytes + (from - x->one->base);
}

/* ---- data marks ---- */

static void load_marks(struct context *c, const struct access *x,
                       const struct even_hint *e) {
    uint32_t *to = marks_of(c, c->insn->operands.at[0]), marks = 0;
    int32_t step = e->stride / 4;
    if (!x->one->data) {
        *to &= ~e->mask;
        return;
    }
    const uint8_t *first = bits_of(x, e, x->one->data);
    uint64_t low = x->low - x->one->base;
    if (e->run && bits_all(x->one->data, low, e->span)) {
        marks = e->mask;
    } else if (e->run && !bits_any(x->one->data, low, e->span)) {
        marks = 0;
    } else if (x->bytes == 4) {
        EACH_PLACE(e, const uint8_t, first, step, marks |= (*at ? 1u : 0) << l);
    } else {
        EACH_PLACE(e, const uint8_t, first, step,
                   marks |= (at[0] | at[1] ? 1u : 0) << l);
    }
    *to = (*to & ~e->mask) | marks;
}

static void store_marks(struct context *c, const struct access *x,
                        const struct even_hint *e) {
    uint32_t marks = *marks_of(c, c->insn->operands.at[0]);
    int32_t step = e->stride / 4;
    if (!x->one->data) return;
    uint8_t *first = bits_of(x, e, x->one->data);
    bool some = marks & e->mask;
    if (e->run && (!some || (marks & e->mask) == e->mask)) {
        bits_set(x->one->data, x->low - x->one->base, e->span, some);
    } else if (x->bytes == 4) {
        EACH_PLACE(e, uint8_t, first, step,
                   *at = marks >> l & 1 ? BITS_WORD : 0);
    } else {
        EACH_PLACE(e, uint8_t, first, step,
                   at[0] = at[1] = marks >> l & 1 ? BITS_WORD : 0);
    }
}

/* ---- moving the bytes ---- */

bool even_load(struct context *c) {
    const struct insn *i = c->insn;
    struct even_hint *e = hint_of(c);
    struct access x;
    uint8_t *bytes = find(c, &x, e, false);
    if (!bytes) return false;
    void *to = c->registers + i->operands.at[0];
    if (e->run) {
        access_copy_run((uint8_t *)to + (size_t)e->first * i->bytes, bytes,
                        e->span);
    } else if (i->bytes == 4) {
        uint32_t *r = to;
        EACH_PLACE(e, uint8_t, bytes, e->stride, memcpy(&r[l], at, 4));
    } else {
        uint64_t *r = to;
        EACH_PLACE(e, uint8_t, bytes, e->stride, memcpy(&r[l], at, 8));
    }
    if (c->machine->track_data) load_marks(c, &x, e);
    return true;
}

bool even_store(struct context *c) {
    const struct insn *i = c->insn;
    struct even_hint *e = hint_of(c);
    struct access x;
    uint8_t *bytes = find(c, &x, e, true);
    if (!bytes) return false;
    const void *from = c->registers + i->operands.at[0];
    if (e->run) {
        access_copy_run(bytes,
                        (const uint8_t *)from + (size_t)e->first * i->bytes,
                        e->span);
    } else if (i->bytes == 4) {
        const uint32_t *r = from;
        EACH_PLACE(e, uint8_t, bytes, e->stride, memcpy(at, &r[l], 4));
    } else {
        const uint64_t *r = from;
        EACH_PLACE(e, uint8_t, bytes, e->stride, memcpy(at, &r[l], 8));
    }
    if (x.one->written) written(&x, e);
    if (c->machine->track_data) store_marks(c, &x, e);
    c->machine->progress++;
    c->group->polls.same = 0;
    return true;
}
