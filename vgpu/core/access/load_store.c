/* SPDX-License-Identifier: MIT
 *
 * load_store.c: ld and st: between registers and the bytes access.c found.
 */
#include <string.h>

#include "shape.h"

/* The lanes' bytes, when all of them are in one region. */
struct lane_bytes {
    uint8_t *bytes;
    uint64_t base;
};

static inline struct lane_bytes lane_bytes(const struct access *x) {
    if (!x->one || x->scratch) return (struct lane_bytes){NULL, 0};
    return (struct lane_bytes){x->one->bytes, x->one->base};
}

static inline uint8_t *load_store_bytes_of(const struct lane_bytes *b,
                                           const struct access *x,
                                           uint32_t lane) {
    return b->bytes ? b->bytes + (x->address[lane] - b->base)
                    : access_bytes(x, lane);
}

/* A register holds the same bytes in the same order as memory. */
static inline bool is_same_width(const struct insn *i) {
    return i->n_elements == 1 &&
           (i->bytes == 8 || (i->bytes == 4 && !i->register_is_wide));
}

/* Copies the bytes of a run. The usual sizes, those of a whole warp, are
 * constants. */
static inline void copy_run(void *to, const void *from, size_t bytes) {
    if (bytes == 128)
        memcpy(to, from, 128);
    else if (bytes == 256)
        memcpy(to, from, 256);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, bytes);
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
                memcpy(&v, load_store_bytes_of(&lanes, x, l) + e * sizeof v,   \
                       sizeof v);                                              \
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

static uint64_t fingerprint(const struct access *x) {
    uint64_t h = x->mask;
    struct lane_bytes lanes = lane_bytes(x);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t v[2] = {0, 0};
        const uint8_t *at = load_store_bytes_of(&lanes, x, l);
        if (x->bytes == 4) /* a constant is copied without a call */
            memcpy(v, at, 4);
        else if (x->bytes == 8)
            memcpy(v, at, 8);
        else
            memcpy(v, at, x->bytes);
        h = (h ^ v[0] ^ x->address[l]) * 0x9e3779b97f4a7c15ull;
        h = (h ^ v[1] ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
    }
    return h;
}

static void load_lanes(struct context *c, const struct access *x) {
    if (c->insn->register_is_wide) switch (c->insn->bytes) {
        case 1: load_8d(c, x); break;
        case 2: load_16d(c, x); break;
        case 4: load_32d(c, x); break;
        default: load_64d(c, x); break;
        }
    else
        switch (c->insn->bytes) {
        case 1: load_8w(c, x); break;
        case 2: load_16w(c, x); break;
        default: load_32w(c, x); break;
        }
}

/* A run is often one of many, warp by warp. This computer sees that too late
 * where a page ends, which is soon. */
static inline void fetch_next(const uint8_t *run) {
    enum { AHEAD = 2048, LINE = 64 };
    __builtin_prefetch((const void *)((uintptr_t)run + AHEAD));
    __builtin_prefetch((const void *)((uintptr_t)run + AHEAD + LINE));
}

/* Loads where the lanes are evenly spaced in one region, and registers hold the
 * same bytes as memory. */
static inline void load_even(struct context *c, const struct access *x) {
    const struct insn *i = c->insn;
    void *to = c->registers + i->operands.at[0];
    const uint8_t *bytes = x->one->bytes + access_first(x);
    if (x->shape.run) {
        fetch_next(bytes);
        copy_run((uint8_t *)to + (size_t)x->shape.first * i->bytes, bytes,
                 (size_t)x->shape.lanes * i->bytes);
    } else if (i->bytes == 4) {
        uint32_t *r = to;
        EACH_PLACE(x, const uint8_t, bytes, (int64_t)x->stride,
                   memcpy(&r[l], at, 4));
    } else {
        uint64_t *r = to;
        EACH_PLACE(x, const uint8_t, bytes, (int64_t)x->stride,
                   memcpy(&r[l], at, 8));
    }
}

/* Any other load. */
static void load_bytes(struct context *c, const struct access *x) {
    const struct insn *i = c->insn;
    bool simple = is_same_width(i) && x->one && !x->scratch;
    if (simple && x->shape.even)
        load_even(c, x);
    else if (simple && i->bytes == 4 && x->mask == FULL_MASK)
        gather((uint32_t *)(c->registers + i->operands.at[0]), x);
    else
        load_lanes(c, x);
}

static void finish_load(struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    load_bytes(c, x);
    watch_loaded(c->machine->watching, c, x);
    /* Under the weak memory model a plain load may return an old value for
     * ever. */
    if (i->order != ORDER_WEAK || x->scratch)
        watch_polled(c->machine->watching, c, x->address[x->shape.first],
                     fingerprint(x));
    if (i->order != ORDER_WEAK || c->group->trace)
        watch_poll_ends(c->machine->watching, c, x->mask, x->address,
                        i->order != ORDER_WEAK);
}

/* The fast path, for these watchers. A group that polls needs the general code,
 * which looks at each access (waiting.h), and so does weak memory. */
static inline bool is_common(struct context *c, struct access *x,
                             const unsigned on, bool write) {
    return c->insn->plain && !c->group->trace &&
           !(on & WATCH_WEAK && c->insn->space == PTX_GLOBAL) &&
           shape_is_even(c, x, write);
}

static inline __attribute__((always_inline)) bool exec_load(struct context *c,
                                                            const unsigned on) {
    struct access x;
    if (is_common(c, &x, on, false)) {
        watch_access(on, c, &x);
        load_even(c, &x);
        watch_loaded(on, c, &x);
        return true;
    }
    if (c->group->trace) watch_poll_begins(c->machine->watching, c);
    return access_each(c, false, false, finish_load);
}

/* ---- stores ---- */

#define STORE_LANES(name, memory_type, register_type)                          \
    static void name(struct context *c, const struct access *x) {              \
        const struct insn *i = c->insn;                                        \
        struct lane_bytes lanes = lane_bytes(x);                               \
        for (uint32_t m = x->mask; m; m &= m - 1) {                            \
            uint32_t l = (uint32_t)__builtin_ctz(m);                           \
            uint8_t *to = load_store_bytes_of(&lanes, x, l);                   \
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

static void store_lanes(struct context *c, const struct access *x) {
    if (c->insn->register_is_wide) switch (c->insn->bytes) {
        case 1: store_8d(c, x); break;
        case 2: store_16d(c, x); break;
        case 4: store_32d(c, x); break;
        default: store_64d(c, x); break;
        }
    else
        switch (c->insn->bytes) {
        case 1: store_8w(c, x); break;
        case 2: store_16w(c, x); break;
        default: store_32w(c, x); break;
        }
}

/* As load_even, for stores. */
static inline void store_even(struct context *c, const struct access *x) {
    const struct insn *i = c->insn;
    const void *from = c->registers + i->operands.at[0];
    uint8_t *bytes = x->one->bytes + access_first(x);
    if (x->shape.run) {
        copy_run(bytes,
                 (const uint8_t *)from + (size_t)x->shape.first * i->bytes,
                 (size_t)x->shape.lanes * i->bytes);
    } else if (i->bytes == 4) {
        const uint32_t *r = from;
        EACH_PLACE(x, uint8_t, bytes, (int64_t)x->stride, memcpy(at, &r[l], 4));
    } else {
        const uint64_t *r = from;
        EACH_PLACE(x, uint8_t, bytes, (int64_t)x->stride, memcpy(at, &r[l], 8));
    }
}

static void store_bytes(struct context *c, const struct access *x) {
    const struct insn *i = c->insn;
    bool simple = is_same_width(i) && x->one && !x->scratch;
    if (simple && x->shape.even)
        store_even(c, x);
    else if (simple && i->bytes == 4 && x->mask == FULL_MASK)
        scatter((const uint32_t *)(c->registers + i->operands.at[0]), x);
    else
        store_lanes(c, x);
}

static void stored(struct context *c) {
    c->machine->progress++;
    c->group->polls.same = 0;
}

static void finish_store(struct context *c, struct access *x) {
    store_bytes(c, x);
    watch_stored(c->machine->watching, c, x);
    stored(c);
}

static inline __attribute__((always_inline)) bool
exec_store(struct context *c, const unsigned on) {
    struct access x;
    if (is_common(c, &x, on, true)) {
        watch_access(on, c, &x);
        store_even(c, &x);
        watch_stored(on, c, &x);
        stored(c);
        return true;
    }
    return access_each(c, true, false, finish_store);
}

/* ---- compiled apart, so that nobody pays for what is off ---- */

#define COMBINATION(name, on)                                                  \
    static bool load_##name(struct context *c) {                               \
        return exec_load(c, on);                                               \
    }                                                                          \
    static bool store_##name(struct context *c) {                              \
        return exec_store(c, on);                                              \
    }
COMBINATION(counted, 0)
COMBINATION(tainted, WATCH_TAINT)
COMBINATION(checked, WATCH_STATE | WATCH_RACE)
COMBINATION(judged, WATCH_STATE | WATCH_RACE | WATCH_TAINT)
COMBINATION(any, c->machine->watching)

static const struct {
    unsigned on;
    exec_fn *load, *store;
} combinations[] = {
    {0, load_counted, store_counted},
    {WATCH_TAINT, load_tainted, store_tainted},
    {WATCH_STATE | WATCH_RACE, load_checked, store_checked},
    {WATCH_STATE | WATCH_RACE | WATCH_TAINT, load_judged, store_judged},
};
enum { N_COMBINATIONS = sizeof combinations / sizeof *combinations };

exec_fn *load_for(unsigned watching) {
    for (size_t k = 0; k < N_COMBINATIONS; k++)
        if (combinations[k].on == watching) return combinations[k].load;
    return load_any;
}

exec_fn *store_for(unsigned watching) {
    for (size_t k = 0; k < N_COMBINATIONS; k++)
        if (combinations[k].on == watching) return combinations[k].store;
    return store_any;
}
