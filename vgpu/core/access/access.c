/* SPDX-License-Identifier: MIT
 *
 * access.c: finds the bytes that each lane of a warp accesses, in any space.
 *
 * How to read this: the addresses of the lanes are computed first. Then the
 * lanes are split by space (nearly always there is only one), and
 * resolve_global, _shared, _local or _param find the memory. After that, and
 * before the instruction does its work, the observers hear of the access
 * (watch.h).
 */
#include "access.h"
#include "cluster.h"
#include "fault.h"
#include "stray.h"
#include "weak.h"

/* Computes the addresses of all lanes. True: the active lanes' addresses follow
 * one another by `stride`, from lane `first` on. */
#define ADDRESSES(name, type)                                                  \
    WIDER static bool name(const type *r, uint64_t offset, uint32_t first,     \
                           uint64_t stride, const uint64_t *active,            \
                           uint64_t *a) {                                      \
        uint64_t differs = 0;                                                  \
        uint64_t start = (type)(r[first] + (type)offset) - first * stride;     \
        for (uint64_t l = 0; l < WARP_LANES; l++) {                            \
            a[l] = (type)(r[l] + (type)offset);                                \
            differs |= (a[l] ^ start) & active[l];                             \
            start += stride;                                                   \
        }                                                                      \
        return !differs;                                                       \
    }
ADDRESSES(addresses_wide, uint64_t)
ADDRESSES(addresses_narrow, uint32_t)

/* The distance from the first lane to its neighbour; if that is not active, as
 * if the lanes' bytes lay one behind the other. */
#define STRIDE(r, type)                                                        \
    ((uint64_t)(type)(r[first + 1] + (type)offset) -                           \
     (uint64_t)(type)(r[first] + (type)offset))

static void compute_addresses(const struct context *c, struct access *x) {
    const struct insn *i = c->insn;
    const uint64_t *active = c->lanes->d;
    uint64_t offset = (uint64_t)i->offset;
    uint32_t first = x->shape.first;
    bool pair = x->mask >> first & 2;
    x->stride = x->bytes;
    if (i->base == NO_REGISTER) {
        for (int l = 0; l < WARP_LANES; l++) x->address[l] = offset;
        x->shape.even = !(x->mask & (x->mask - 1));
    } else if (i->is_base_wide) {
        const uint64_t *r = (const void *)(c->registers + i->base);
        if (pair) x->stride = STRIDE(r, uint64_t);
        x->shape.even =
            addresses_wide(r, offset, first, x->stride, active, x->address);
    } else {
        const uint32_t *r = (const void *)(c->registers + i->base);
        if (pair) x->stride = STRIDE(r, uint32_t);
        x->shape.even =
            addresses_narrow(r, offset, first, x->stride, active, x->address);
    }
    /* From here on no address wraps around. */
    int64_t stride = (int64_t)x->stride;
    uint64_t from = x->address[first];
    uint64_t to = x->address[first + x->shape.lanes - 1];
    if (stride < 0 ? stride < INT32_MIN || to > from
                   : stride > INT32_MAX || to < from)
        x->shape.even = false;
    x->shape.in_line = x->shape.even && x->stride == x->bytes;
    x->shape.run = x->shape.in_line && x->shape.neighbours;
}

/* Valid addresses have fewer than 63 bits, so that signed comparison, which
 * vector instructions have, orders them. Others show in the union of all bits.
 */
WIDER static void extremes(const uint64_t *a, const uint64_t *active,
                           uint64_t *bits, uint64_t *low, uint64_t *high) {
    int64_t least = INT64_MAX, most = 0;
    uint64_t any = 0;
    for (int l = 0; l < WARP_LANES; l++) {
        int64_t on = (int64_t)(a[l] & active[l]);
        int64_t from =
            (int64_t)((a[l] & active[l]) | (~active[l] & (uint64_t)INT64_MAX));
        any |= a[l] & active[l];
        most = on > most ? on : most;
        least = from < least ? from : least;
    }
    *bits = any;
    *low = (uint64_t)least;
    *high = (uint64_t)most;
}

/* Computes bits, low and high of the access's lanes. whole: they are c->lanes.
 */
static void summarise(const struct context *c, struct access *x, bool whole) {
    if (x->shape.even) {
        uint64_t from = x->address[x->shape.first];
        uint64_t to = x->address[x->shape.first + x->shape.lanes - 1];
        x->low = from < to ? from : to;
        x->high = from < to ? to : from;
        x->bits = x->low | x->high | (x->low != x->high ? x->stride & 15 : 0);
        return;
    }
    if (whole) extremes(x->address, c->lanes->d, &x->bits, &x->low, &x->high);
    if (whole && !(x->bits >> 63)) return;
    x->bits = x->high = 0;
    x->low = ~0ull;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint64_t a = x->address[__builtin_ctz(m)];
        x->bits |= a;
        x->low = a < x->low ? a : x->low;
        x->high = a > x->high ? a : x->high;
    }
}

static struct fault_at fault_of(const struct access *x, uint32_t lane) {
    return (struct fault_at){
        .lane = lane, .address = x->address[lane], .bytes = x->bytes};
}

static bool misaligned(struct context *c, const struct access *x) {
    struct vgpu_message said;
    if (!(x->bits & (x->bytes - 1))) return false;
    uint32_t lane = 0;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        lane = (uint32_t)__builtin_ctz(m);
        if (x->address[lane] & (x->bytes - 1)) break;
    }
    VGPU_SAY(&said, MISALIGNED, .access = access_kind(x), .bytes = x->bytes,
             .address = x->address[lane]);
    exec_fault(c, VGPU_MISALIGNED, VGPU_FINDING_MISALIGNED, fault_of(x, lane),
               &said);
    return true;
}

/* ---- global ---- */

static bool bad_global(struct context *c, const struct access *x,
                       uint32_t lane) {
    uint64_t a = x->address[lane];
    struct allocation *dead = memory_find(c->machine->memory, a);
    bool freed = dead && !dead->region.bytes;
    struct vgpu_message where, why, m;
    struct fault_at at = fault_of(x, lane);
    struct stray s = {0};
    bool is_said = false;
    if (!freed) s = stray_look(c, lane, a);
    if (s.array && !memory_range(c->machine->memory, a, 1)) {
        exec_say_outside(c, s.array, a, &where);
        is_said = stray_say(c, lane, &s, &at.stray, &why);
        if (!s.array->name && s.index >= 0) at.array_bytes = s.array->size;
    } else {
        exec_say_place(c, a, x->bytes, &where);
        /* Across the end of an array. */
        if (dead && !freed && !dead->name)
            at.array_bytes = dead->size - dead->slack;
    }
    VGPU_SAY(&m, ACCESS, .access = access_kind(x), .bytes = x->bytes,
             .where = &where, .why = is_said ? &why : NULL);
    return exec_fault(c, VGPU_ILLEGAL_ADDRESS,
                      freed ? VGPU_FINDING_USE_AFTER_FREE
                            : VGPU_FINDING_OUT_OF_BOUNDS,
                      at, &m);
}

static bool bad_write(struct context *c, const struct access *x, uint32_t lane,
                      const struct allocation *a) {
    struct vgpu_message array, m;
    if (a->name)
        VGPU_SAY(&array, ARRAY, .name = a->name);
    else
        VGPU_SAY(&array, CONSTANT_ARRAY, .address = a->region.base);
    VGPU_SAY(&m, READ_ONLY, .bytes = x->bytes,
             .byte = x->address[lane] - a->region.base, .array = &array);
    return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_READ_ONLY,
                      fault_of(x, lane), &m);
}

/* Another GPU's, which this one may not use. */
static bool bad_peer(struct context *c, const struct access *x, uint32_t lane,
                     const struct allocation *a) {
    struct vgpu_message where, m;
    exec_say_place(c, x->address[lane], x->bytes, &where);
    VGPU_SAY(&m, PEER_ACCESS, .access = access_kind(x), .bytes = x->bytes,
             .where = &where, .gpu = c->machine->gpu, .peer = a->gpu);
    return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_PEER_ACCESS,
                      fault_of(x, lane), &m);
}

static inline bool holds(const struct allocation *a, uint64_t low,
                         uint64_t span) {
    return a && a->region.bytes && low >= a->region.base && span <= a->size &&
           low - a->region.base <= a->size - span;
}

struct allocation *access_allocation(struct context *c,
                                     const struct access *x) {
    uint64_t low = x->low, span = x->high - low + x->bytes;
    struct allocation **hint = &hints_of(c->machine, c->insn)->allocation;
    if (holds(*hint, low, span)) return *hint;
    struct allocation *a = memory_range(c->machine->memory, low, span);
    if (a && !memory_reaches(c->machine->memory, c->machine->gpu, a))
        return NULL;
    if (a && a->region.bytes) *hint = a;
    return a;
}

static bool resolve_global(struct context *c, struct access *x) {
    struct allocation *all = access_allocation(c, x);
    if (all && !(all->read_only && x->write)) {
        x->one = &all->region;
        return true;
    }
    x->one = NULL;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        struct allocation *a =
            memory_range(c->machine->memory, x->address[l], x->bytes);
        if (!a) return bad_global(c, x, l);
        if (!memory_reaches(c->machine->memory, c->machine->gpu, a))
            return bad_peer(c, x, l, a);
        if (a->read_only && x->write) return bad_write(c, x, l, a);
        x->many[l] = &a->region;
    }
    return true;
}

/* ---- shared ---- */

static bool bad_shared(struct context *c, const struct access *x,
                       uint32_t lane) {
    struct vgpu_message element, m;
    int64_t byte = (int32_t)x->address[lane];
    bool known = exec_say_shared_element(c, byte, &element);
    VGPU_SAY(&m, SHARED_ACCESS, .access = access_kind(x), .bytes = x->bytes,
             .element = known ? &element : NULL, .byte = (uint64_t)byte,
             .size = c->machine->shared_bytes);
    struct fault_at at = fault_of(x, lane);
    if (byte < 0)
        at.stray = VGPU_STRAY_NEGATIVE;
    else if (c->machine->shared_dynamic)
        at.stray = VGPU_STRAY_SHARED;
    return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS, at,
                      &m);
}

static bool resolve_shared(struct context *c, struct access *x) {
    struct block *b = context_block(c);
    uint32_t size = c->machine->shared_bytes;
    uint64_t high = x->high;
    if (x->bits & WINDOW_MASK &&
        !(x->shape.in_line && c->insn->space == PTX_SHARED)) {
        high = 0;
        x->shape.even = x->shape.in_line;
        for (uint32_t m = x->mask; m; m &= m - 1) {
            uint64_t a = x->address[__builtin_ctz(m)] &= ~WINDOW_MASK;
            high = a > high ? a : high;
        }
    }
    if (high > size && cluster_in(c->machine)) return access_of_cluster(c, x);
    /* An address right below 0 wraps around when the bytes are added. */
    if (high > size || high + x->bytes > size)
        for (uint32_t m = x->mask; m; m &= m - 1)
            if (x->address[__builtin_ctz(m)] > size ||
                x->address[__builtin_ctz(m)] + x->bytes > size)
                return bad_shared(c, x, (uint32_t)__builtin_ctz(m));
    x->one = &b->shared;
    return true;
}

/* ---- local and param ---- */

static bool bad_local(struct context *c, const struct access *x,
                      uint32_t lane) {
    struct vgpu_message m;
    VGPU_SAY(&m, LOCAL_ACCESS, .access = access_kind(x), .bytes = x->bytes,
             .byte = x->address[lane], .size = c->warp->local_bytes);
    return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS,
                      fault_of(x, lane), &m);
}

static bool resolve_local(struct context *c, struct access *x) {
    struct warp *w = c->warp;
    x->one = NULL;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        x->address[l] &= ~WINDOW_MASK;
        if (x->address[l] + x->bytes > w->local_bytes)
            return bad_local(c, x, l);
        if (x->address[l] + x->bytes > c->machine->local_used)
            c->machine->local_used = (uint32_t)x->address[l] + x->bytes;
        /* one map of taint for the warp: lane l's bytes begin at l *
         * local_bytes */
        x->own[l] = (struct region){.bytes = w->local,
                                    .data = w->local_data,
                                    .written = w->local_written};
        x->address[l] += (uint64_t)l * w->local_bytes;
        x->many[l] = &x->own[l];
    }
    return true;
}

static bool bad_param(struct context *c, const struct access *x,
                      uint32_t lane) {
    struct vgpu_message m;
    VGPU_SAY(&m, PARAMETER_ACCESS, .access = access_kind(x), .bytes = x->bytes);
    return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS,
                      fault_of(x, lane), &m);
}

static bool resolve_param(struct context *c, struct access *x) {
    x->own[0] = (struct region){.bytes = (uint8_t *)c->machine->params};
    x->one = &x->own[0];
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        x->address[l] &= ~WINDOW_MASK;
        if (x->address[l] + x->bytes > c->machine->kernel->param_bytes ||
            x->write)
            return bad_param(c, x, l);
    }
    return true;
}

static void resolve_call_area(struct context *c, struct access *x) {
    struct frame *f = c->group->frame;
    x->own[0] = (struct region){.bytes = f->params, .data = f->param_taint};
    x->one = &x->own[0];
    for (uint32_t l = 0; l < WARP_LANES; l++)
        x->address[l] =
            (uint64_t)l * f->function->call_bytes + (uint64_t)c->insn->offset;
}

/* ---- spaces ---- */

typedef bool resolve_fn(struct context *, struct access *);

static void weakly(struct context *c, struct access *x, access_fn *done) {
    if (x->atomic) {
        weak_atomic(c, x);
        done(c, x);
        weak_atomic_done(c, x);
    } else if (x->write) {
        x->scratch = weak_scratch(c);
        done(c, x);
        weak_stored(c, x);
    } else {
        weak_load(c, x);
        done(c, x);
    }
    x->scratch = NULL;
}

bool access_place(struct context *c, struct access *x, uint8_t space) {
    static resolve_fn *const resolvers[] = {
        [PTX_GENERIC] = NULL,          [PTX_GLOBAL] = resolve_global,
        [PTX_SHARED] = resolve_shared, [PTX_LOCAL] = resolve_local,
        [PTX_CONST] = resolve_global,  [PTX_PARAM] = resolve_param};
    x->space = space;
    x->scratch = NULL;
    summarise(c, x, x->mask == c->lanes->mask);
    if (misaligned(c, x)) return false;
    return resolvers[space](c, x);
}

/* The lanes' bytes lie in as many lines of the cache. They come while the
 * observers look. */
static inline void fetch(const struct access *x) {
    const uint8_t *bytes = x->one->bytes;
    for (uint32_t m = x->mask; m; m &= m - 1)
        __builtin_prefetch(
            bytes + (x->address[__builtin_ctz(m)] - x->one->base), 1);
}

static bool one_space(struct context *c, struct access *x, uint8_t space,
                      access_fn *done) {
    const struct machine *m = c->machine;
    if (!access_place(c, x, space)) return false;
    if (!x->shape.even && x->one && space == PTX_GLOBAL) {
        fetch(x);
        watch_scattered(m->watching, c, x);
    }
    watch_access(m->watching, c, x);
    if (m->watching & WATCH_WEAK && space == PTX_GLOBAL) {
        weakly(c, x, done);
        return true;
    }
    bool orders = m->watching & WATCH_WEAK && c->insn->order >= ORDER_ACQUIRE;
    if (orders && cluster_in(m)) weak_fenced(c);
    done(c, x);
    if (orders && cluster_in(m))
        weak_fenced(c);
    else if (orders)
        weak_block_fenced(c);
    return true;
}

uint8_t access_space(uint64_t a) {
    switch (a & WINDOW_MASK) {
    case SHARED_WINDOW: return PTX_SHARED;
    case LOCAL_WINDOW: return PTX_LOCAL;
    case PARAM_WINDOW: return PTX_PARAM;
    default: return PTX_GLOBAL;
    }
}

static bool generic(struct context *c, struct access *x, access_fn *done) {
    uint32_t left = x->mask;
    while (left) {
        uint8_t space = access_space(x->address[__builtin_ctz(left)]);
        uint32_t mine = 0;
        for (uint32_t m = left; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            if (access_space(x->address[l]) == space) mine |= 1u << l;
        }
        left &= ~mine;
        if (mine != c->lanes->mask) access_set_mask(x, mine);
        if (!one_space(c, x, space, done)) return false;
    }
    return true;
}

bool access_lanes(struct context *c, struct access *x, uint8_t space,
                  access_fn *done) {
    x->scratch = NULL;
    x->space = space;
    return space == PTX_GENERIC ? generic(c, x, done)
                                : one_space(c, x, space, done);
}

bool access_each(struct context *c, bool write, bool atomic, access_fn *done) {
    const struct insn *i = c->insn;
    struct access x;
    access_set_mask(&x, c->lanes->mask);
    x.bytes = (uint32_t)i->bytes * i->n_elements;
    x.write = write;
    x.atomic = atomic;
    x.scratch = NULL;
    x.space = i->space;
    if (i->space == PTX_PARAM) {
        resolve_call_area(c, &x);
        done(c, &x);
        return true;
    }
    compute_addresses(c, &x);
    if (i->space == PTX_GENERIC) return generic(c, &x, done);
    return one_space(c, &x, i->space, done);
}
