/* SPDX-License-Identifier: MIT
 *
 * event.h: what an event tells observers about an access to memory: the bytes
 * that each lane of a warp accesses, and the shape of their addresses.
 *
 * How to read this: a rule that looks at every lane is written once, with
 * EACH_WORD or EACH_PLACE; the macros know the shapes. Where an access is
 * `sparse`, only the first lane's address has been computed: an observer that
 * needs the others calls access_spread first.
 */
#pragma once

#include <string.h>

#include "observer.h"

/* What the addresses of a warp's lanes have in common. */
struct shape {
    uint8_t first, lanes; /* the first active lane; how many lanes from there to
                             the last active one */
    bool even;            /* lane l has the address start + l * stride */
    bool in_line;         /* even, and the stride is the bytes of a lane */
    bool neighbours; /* all lanes between the first and the last are active */
    bool run;        /* in_line, and neighbours: the bytes are one run */
    bool sparse; /* even, and only the first lane's address is computed yet */
    bool unused;
};

/* The instruction's last access whose lanes were evenly spaced, without its
 * address. The lowest address is the first active lane's plus `below`; span:
 * bytes from there to the end of the access. For instructions that are not
 * plain only mask, stride and wavefronts are set. */
struct even_hint {
    uint32_t mask; /* 0: there was none */
    int32_t stride;
    uint64_t span;
    int64_t below;
    uint64_t times; /* in shared memory: accesses like this one that are not
                   counted yet (counts_collect_like) */
    struct shape shape;
    uint8_t passes, ideal; /* in shared memory; passes 0: not counted yet */
    uint8_t low;           /* the first address modulo a word's bytes */
    uint8_t skip;          /* the fast path skips so many next accesses */
};

/* What an instruction's next access is expected to be like (shape.h). */
struct insn_hints {
    struct allocation *allocation; /* of this launch */
    struct even_hint even[2];      /* all lanes; some */
    uint64_t unused[3];
};
_Static_assert(sizeof(struct insn_hints) == 128, "a shift finds it");

static inline struct insn_hints *hints_of(const struct machine *m,
                                          const struct insn *i) {
    return (struct insn_hints *)m->insn_slots[OBSERVER_HINTS] + i->number;
}

struct access {
    uint32_t mask;   /* its lanes */
    uint32_t bytes;  /* per lane, of the whole vector */
    uint64_t stride; /* if even: lane l has the address start + l * stride */
    uint8_t space;   /* enum ptx_space, never generic */
    bool write, atomic;
    uint8_t passes; /* in shared memory, through the banks: counts_access */
    struct shape shape;
    uint64_t bits, low, high; /* of the lanes' addresses: every bit set in any
                                 of them; the least; the greatest */
    struct even_hint *like; /* what the instruction remembers of such accesses;
                               or NULL */
    uint8_t *scratch;       /* weak memory: 16 bytes per lane instead */
    const struct region *one;     /* all lanes are in it; or NULL: */
    uint64_t address[WARP_LANES]; /* without the window of its space */
    const struct region *many[WARP_LANES];
    struct region own[WARP_LANES]; /* for spaces that lanes do not share */
};

/* Lanes exchange the words of a register; the result is not stored yet. */
struct shuffle {
    uint32_t lanes;
    const uint8_t *from; /* by lane, whose word it gets; or NULL: all lanes, by
                            the instruction's mode and this number */
    uint32_t by;
};

/* Moves one bit per lane as the shuffle moves the lane's word. */
static inline uint32_t shuffle_bits(const struct context *c,
                                    const struct shuffle *s, uint32_t bits) {
    uint32_t b = s->by, out = 0;
    if (!s->from) switch (c->insn->mode) {
        case 0: return bits << b | (bits & ((1u << b) - 1));   /* up */
        case 1: return bits >> b | (bits & ~(FULL_MASK >> b)); /* down */
        case 2:
            for (uint32_t l = 0; bits && l < WARP_LANES; l++)
                out |= (bits >> (l ^ b) & 1) << l;
            return out;
        default: return bits >> b & 1 ? FULL_MASK : 0;
        }
    for (uint32_t m = bits ? s->lanes : 0; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        out |= (bits >> s->from[l] & 1) << l;
    }
    return out;
}

/* Sets the mask and what follows from it: first, lanes, neighbours. The other
 * members of the shape are false. */
static inline void access_set_mask(struct access *x, uint32_t mask) {
    x->mask = mask;
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    uint32_t lanes = 32u - (uint32_t)__builtin_clz(mask) - first;
    x->shape = (struct shape){
        .first = (uint8_t)first,
        .lanes = (uint8_t)lanes,
        .neighbours = mask == FULL_MASK >> (WARP_LANES - lanes) << first};
    x->like = NULL;
}

/* Computes the addresses of all lanes, from the first one's. (Those of inactive
 * lanes are not used.) */
void access_fill(struct access *);
static inline void access_spread(struct access *x) {
    if (x->shape.sparse) access_fill(x);
}

static inline const struct region *access_region(const struct access *x,
                                                 uint32_t lane) {
    return x->one ? x->one : x->many[lane];
}

static inline uint8_t *access_bytes(const struct access *x, uint32_t lane) {
    if (x->scratch) return x->scratch + (size_t)lane * 16;
    const struct region *r = access_region(x, lane);
    return r->bytes + (x->address[lane] - r->base);
}

/* Bytes from the region's beginning to the first lane's, when all are in one.
 */
static inline uint64_t access_first(const struct access *x) {
    return x->address[x->shape.first] - x->one->base;
}

/* One or two whole words of each lane, all in one region. (Parameters of calls
 * need not be aligned.) */
static inline bool access_is_words(const struct access *x) {
    return x->one && x->space != PTX_PARAM && (x->bytes == 4 || x->bytes == 8);
}

/* For each lane l of an even access: `at` is the first one's place and `apart`
 * further with each lane. */
#define EACH_PLACE(x, type, first_place, apart, ...)                           \
    do {                                                                       \
        type *at = first_place;                                                \
        const int64_t step_ = apart;                                           \
        uint32_t m_ = (x)->mask;                                               \
        if (m_ == FULL_MASK) {                                                 \
            _Pragma("GCC unroll 8") for (uint32_t l = 0; l < WARP_LANES;       \
                                         l++, at += step_) __VA_ARGS__;        \
        } else {                                                               \
            type *const place_ = at;                                           \
            const int64_t lane_ = (x)->shape.first;                            \
            for (; m_; m_ &= m_ - 1) {                                         \
                uint32_t l = (uint32_t)__builtin_ctz(m_);                      \
                at = place_ + (l - lane_) * step_;                             \
                __VA_ARGS__;                                                   \
            }                                                                  \
        }                                                                      \
    } while (0)

/* For each lane l of an access to words in one region: `at` is the place of its
 * first word in `shadow`, which has a place for each word of the region. */
#define EACH_WORD(x, type, shadow, ...)                                        \
    do {                                                                       \
        if ((x)->shape.even) {                                                 \
            EACH_PLACE(x, type, (shadow) + (access_first(x) >> 2),             \
                       (int64_t)(x)->stride / 4, __VA_ARGS__);                 \
        } else {                                                               \
            for (uint32_t m_ = (x)->mask; m_; m_ &= m_ - 1) {                  \
                uint32_t l = (uint32_t)__builtin_ctz(m_);                      \
                type *at =                                                     \
                    (shadow) + (((x)->address[l] - (x)->one->base) >> 2);      \
                __VA_ARGS__;                                                   \
            }                                                                  \
        }                                                                      \
    } while (0)
