/* SPDX-License-Identifier: MIT
 *
 * load_store.c: ld and st: between registers and the bytes access.c found.
 */
#include <string.h>

#include "access.h"
#include "waiting.h"

/* Where lanes find their bytes, when all of them look in one region. */
struct lane_bytes {
    uint8_t *bytes;
    uint64_t base;
};

static inline struct lane_bytes lane_bytes(const struct access *x) {
    if (!x->one || x->scratch) return (struct lane_bytes){NULL, 0};
    return (struct lane_bytes){x->one->bytes, x->one->base};
}

static inline uint8_t *bytes_of(const struct lane_bytes *b,
                                const struct access *x, uint32_t lane) {
    return b->bytes ? b->bytes + (x->address[lane] - b->base)
                    : access_bytes(x, lane);
}

/* Registers and memory hold the same bytes in the same order: one run of both.
 * 0: they do not, or lanes are left out between others. */
static inline size_t span_bytes(const struct insn *i, const struct access *x,
                                uint32_t *first) {
    uint32_t lanes;
    bool same = i->n_elements == 1 &&
                (i->bytes == 8 || (i->bytes == 4 && !i->register_is_wide));
    return same && access_is_span(x, first, &lanes) ? (size_t)lanes * i->bytes
                                                    : 0;
}

/* A word per lane for all 32 of them, wherever in one region: no list of lanes
 * to go through. */
static inline bool is_scattered(const struct insn *i, const struct access *x) {
    return i->bytes == 4 && i->n_elements == 1 && !i->register_is_wide &&
           x->mask == FULL_MASK && x->one && !x->scratch;
}

static void gather(uint32_t *r, const struct access *x) {
    const uint8_t *bytes = x->one->bytes;
    uint64_t base = x->one->base;
    for (int l = 0; l < WARP_LANES; l++)
        memcpy(&r[l], bytes + (x->address[l] - base), 4);
}

static void scatter(const uint32_t *r, const struct access *x) {
    uint8_t *bytes = x->one->bytes;
    uint64_t base = x->one->base;
    for (int l = 0; l < WARP_LANES; l++)
        memcpy(bytes + (x->address[l] - base), &r[l], 4);
}

/* ---- loads ---- */

static inline uint64_t extend(uint64_t x, uint8_t type) {
    switch (type) {
    case PTX_S8: return (uint64_t)(int64_t)(int8_t)x;
    case PTX_S16: return (uint64_t)(int64_t)(int16_t)x;
    case PTX_S32: return (uint64_t)(int64_t)(int32_t)x;
    default: return x;
    }
}

#define LOAD_LANES(name, memory_type, register_type)                           \
    static void name(struct context *c, const struct access *x) {              \
        const struct insn *i = c->insn;                                        \
        /* 16-bit registers hold their value zero-extended (alu.h) */          \
        register_type keep = i->mode ? 0xffff : (register_type)~0ull;          \
        struct lane_bytes lanes = lane_bytes(x);                               \
        for (uint32_t e = 0; e < i->n_elements; e++) {                         \
            register_type *r =                                                 \
                (register_type *)(c->registers + i->operands.at[e]);           \
            for (uint32_t m = x->mask; m; m &= m - 1) {                        \
                uint32_t l = (uint32_t)__builtin_ctz(m);                       \
                memory_type v;                                                 \
                memcpy(&v, bytes_of(&lanes, x, l) + e * sizeof v, sizeof v);   \
                r[l] = (register_type)extend(v, i->type) & keep;               \
            }                                                                  \
        }                                                                      \
    }
LOAD_LANES(load_8w, uint8_t, uint32_t)
LOAD_LANES(load_16w, uint16_t, uint32_t)
LOAD_LANES(load_32w, uint32_t, uint32_t)
LOAD_LANES(load_8d, uint8_t, uint64_t)
LOAD_LANES(load_16d, uint16_t, uint64_t)
LOAD_LANES(load_32d, uint32_t, uint64_t)
LOAD_LANES(load_64d, uint64_t, uint64_t)

typedef bool bits_fn(const uint8_t *bits, uint64_t from, uint64_t count);

/* Whether the marks of the lanes' bytes, when they are one run, answer `is`. */
static bool span_marks(const struct access *x, bits_fn *ask, bool is) {
    uint32_t first, lanes;
    if (x->one && !x->one->data) return !is;
    return access_is_span(x, &first, &lanes) &&
           ask(x->one->data, x->address[first] - x->one->base,
               (uint64_t)lanes * x->bytes) == is;
}

static void marks_from_memory(struct context *c, const struct access *x) {
    const struct insn *i = c->insn;
    bool none = span_marks(x, bits_any, false);
    bool all = !none && span_marks(x, bits_all, true);
    for (uint32_t e = 0; e < i->n_elements; e++) {
        uint32_t marks = all ? x->mask : 0;
        for (uint32_t m = none || all ? 0 : x->mask; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            if (access_marked(x, l, e * i->bytes, i->bytes)) marks |= 1u << l;
        }
        uint32_t *to = marks_of(c, i->operands.at[e]);
        *to = (*to & ~x->mask) | marks;
    }
}

static uint64_t fingerprint(const struct access *x) {
    uint64_t h = x->mask;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t v[2] = {0, 0};
        memcpy(v, access_bytes(x, l), x->bytes);
        h = (h ^ v[0] ^ x->address[l]) * 0x9e3779b97f4a7c15ull;
        h = (h ^ v[1] ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
    }
    return h;
}

static void finish_load(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    uint32_t first;
    size_t span = span_bytes(i, x, &first);
    if (span)
        access_copy_run(c->registers + i->operands.at[0] + first * i->bytes,
                        access_bytes(x, first), span);
    else if (is_scattered(i, x))
        gather((uint32_t *)(c->registers + i->operands.at[0]), x);
    else if (i->register_is_wide)
        switch (i->bytes) {
        case 1: load_8d(c, x); break;
        case 2: load_16d(c, x); break;
        case 4: load_32d(c, x); break;
        default: load_64d(c, x); break;
        }
    else
        switch (i->bytes) {
        case 1: load_8w(c, x); break;
        case 2: load_16w(c, x); break;
        default: load_32w(c, x); break;
        }
    if (c->machine->track_data) marks_from_memory(c, x);
    /* Under the weak model a stale plain load may be polled for ever. */
    if (i->order != ORDER_WEAK || x->scratch)
        poll_seen(c, x->address[__builtin_ctz(x->mask)], fingerprint(x));
    if (i->order != ORDER_WEAK || c->group->trace)
        spin_seen(c, x->mask, x->address, i->order != ORDER_WEAK);
}

bool exec_load(struct context *c) {
    if (c->insn->plain && even_load(c)) return true;
    if (c->group->trace) spin_before(c);
    return access_each(c, false, false, finish_load);
}

/* ---- stores ---- */

#define STORE_LANES(name, memory_type, register_type)                          \
    static void name(struct context *c, const struct access *x) {              \
        const struct insn *i = c->insn;                                        \
        struct lane_bytes lanes = lane_bytes(x);                               \
        for (uint32_t m = x->mask; m; m &= m - 1) {                            \
            uint32_t l = (uint32_t)__builtin_ctz(m);                           \
            uint8_t *to = bytes_of(&lanes, x, l);                              \
            for (uint32_t e = 0; e < i->n_elements; e++) {                     \
                const register_type *r =                                       \
                    (const register_type *)(c->registers + i->operands.at[e]); \
                memory_type v = (memory_type)r[l];                             \
                memcpy(to + e * sizeof v, &v, sizeof v);                       \
            }                                                                  \
        }                                                                      \
    }
STORE_LANES(store_8w, uint8_t, uint32_t)
STORE_LANES(store_16w, uint16_t, uint32_t)
STORE_LANES(store_32w, uint32_t, uint32_t)
STORE_LANES(store_8d, uint8_t, uint64_t)
STORE_LANES(store_16d, uint16_t, uint64_t)
STORE_LANES(store_32d, uint32_t, uint64_t)
STORE_LANES(store_64d, uint64_t, uint64_t)

static void marks_to_memory(struct context *c, const struct access *x) {
    const struct insn *i = c->insn;
    if (x->one && !x->one->data) return;
    uint32_t marks = *marks_of(c, i->operands.at[0]), first, lanes;
    if (i->n_elements == 1 && access_is_span(x, &first, &lanes) &&
        (!(marks & x->mask) || (marks & x->mask) == x->mask)) {
        bits_set(x->one->data, x->address[first] - x->one->base,
                 (uint64_t)lanes * x->bytes, marks & x->mask);
        return;
    }
    for (uint32_t e = 0; e < i->n_elements; e++) {
        marks = *marks_of(c, i->operands.at[e]);
        for (uint32_t m = x->mask; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            access_mark(x, l, e * i->bytes, i->bytes, marks >> l & 1);
        }
    }
}

static void finish_store(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    uint32_t first;
    size_t span = span_bytes(i, x, &first);
    if (span)
        access_copy_run(access_bytes(x, first),
                        c->registers + i->operands.at[0] + first * i->bytes,
                        span);
    else if (is_scattered(i, x))
        scatter((const uint32_t *)(c->registers + i->operands.at[0]), x);
    else if (i->register_is_wide)
        switch (i->bytes) {
        case 1: store_8d(c, x); break;
        case 2: store_16d(c, x); break;
        case 4: store_32d(c, x); break;
        default: store_64d(c, x); break;
        }
    else
        switch (i->bytes) {
        case 1: store_8w(c, x); break;
        case 2: store_16w(c, x); break;
        default: store_32w(c, x); break;
        }
    access_written(x);
    if (c->machine->track_data) marks_to_memory(c, x);
    c->machine->progress++;
    c->group->polls.same = 0;
}

bool exec_store(struct context *c) {
    if (c->insn->plain && even_store(c)) return true;
    return access_each(c, true, false, finish_store);
}
