/* SPDX-License-Identifier: MIT
 *
 * access.c: resolves, checks and counts a warp's memory access.
 *
 * How to read this: addresses of the lanes are computed first, then lanes are
 * split by space (nearly always there is one), then resolve_global, _shared,
 * _local or _param turn them into pointers. Accesses where lane l means first +
 * l * bytes ("in line") are by far the most common and take short cuts.
 */
#include "access.h"

#include <string.h>

static void compute_addresses(const struct context *c, uint64_t *a)
{
    const struct insn *i = c->insn;
    uint64_t offset = (uint64_t)i->offset;
    if (i->base == NO_REGISTER) {
        for (int l = 0; l < WARP_LANES; l++) a[l] = offset;
    } else if (i->is_base_wide) {
        const uint64_t *r = (const uint64_t *)(c->registers + i->base);
        for (int l = 0; l < WARP_LANES; l++) a[l] = r[l] + offset;
    } else {
        const uint32_t *r = (const uint32_t *)(c->registers + i->base);
        for (int l = 0; l < WARP_LANES; l++)
            a[l] = (uint32_t)(r[l] + (uint32_t)offset);
    }
}

/* Lane l means first + l * bytes, for every active lane. */
static bool in_line(const struct access *x, const struct lane_set *on)
{
    uint32_t first = (uint32_t)__builtin_ctz(x->mask);
    uint64_t start = x->address[first] - (uint64_t)first * x->bytes;
    uint64_t differs = 0;
    for (int l = 0; l < WARP_LANES; l++)
        differs |= (x->address[l] ^ (start + (uint64_t)l * x->bytes)) & on->d[l];
    return !differs;
}

static bool misaligned(struct context *c, const struct access *x,
                       const char *what)
{
    uint64_t bits = 0;
    for (uint32_t m = x->mask; m; m &= m - 1)
        bits |= x->address[__builtin_ctz(m)];
    if (!(bits & (x->bytes - 1))) return false;
    uint32_t lane = 0;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        lane = (uint32_t)__builtin_ctz(m);
        if (x->address[lane] & (x->bytes - 1)) break;
    }
    exec_fault(c, VGPU_MISALIGNED, VGPU_FINDING_MISALIGNED, lane,
               x->address[lane], x->bytes,
               "%s of %u bytes at 0x%llx, which is not a multiple of %u",
               what, x->bytes, (unsigned long long)x->address[lane], x->bytes);
    return true;
}

static const char *verb(const struct access *x)
{
    return x->atomic ? "atomic operation" : x->write ? "write" : "read";
}

/* ---- global ---- */

static bool bad_global(struct context *c, const struct access *x, uint32_t lane)
{
    uint64_t a = x->address[lane];
    struct allocation *dead = memory_find(c->machine->memory, a);
    bool freed = dead && !dead->bytes;
    char where[256];
    exec_describe_address(c, a, x->bytes, where, sizeof where);
    return exec_fault(c, VGPU_ILLEGAL_ADDRESS,
                      freed ? VGPU_FINDING_USE_AFTER_FREE
                            : VGPU_FINDING_OUT_OF_BOUNDS,
                      lane, a, x->bytes, "%s of %u bytes %s", verb(x), x->bytes,
                      where);
}

static bool bad_write(struct context *c, const struct access *x, uint32_t lane,
                      const struct allocation *a)
{
    return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_READ_ONLY, lane,
                      x->address[lane], x->bytes,
                      "write of %u bytes at byte %llu of %s, which may only "
                      "be read",
                      x->bytes,
                      (unsigned long long)(x->address[lane] - a->base),
                      a->name ? a->name : "constant memory");
}

static void place(struct access *x, uint32_t lane, struct allocation *a)
{
    uint64_t offset = x->address[lane] - a->base;
    x->at[lane] = a->bytes + offset;
    x->bit[lane] = offset;
    x->written[lane] = a->written;
    x->data[lane] = a->data;
}

static inline bool holds(const struct allocation *a, uint64_t low,
                         uint64_t span)
{
    return a && a->bytes && low >= a->base && span <= a->size &&
           low - a->base <= a->size - span;
}

/* All lanes in one allocation, or NULL. */
static struct allocation *common(struct context *c, const struct access *x)
{
    uint64_t low = ~0ull, high = 0;
    if (x->in_line) {
        low = x->address[__builtin_ctz(x->mask)];
        high = x->address[31 - __builtin_clz(x->mask)];
    } else {
        for (uint32_t m = x->mask; m; m &= m - 1) {
            uint64_t a = x->address[__builtin_ctz(m)];
            low = a < low ? a : low;
            high = a > high ? a : high;
        }
    }
    uint64_t span = high - low + x->bytes;
    struct insn *i = (struct insn *)c->insn;
    if (holds(i->hint, low, span)) return i->hint;
    struct allocation *a = memory_range(c->machine->memory, low, span);
    if (a && a->bytes) i->hint = a;
    return a;
}

static void count_global(struct context *c, const struct access *x)
{
    uint64_t *n = c->insn->counts;
    uint32_t mask = x->mask, sectors, segments;
    uint32_t run = mask >> __builtin_ctz(mask);
    if (x->in_line && !(run & (run + 1))) {
        uint64_t first = x->address[__builtin_ctz(mask)];
        uint64_t last = x->address[31 - __builtin_clz(mask)] + x->bytes - 1;
        sectors = (uint32_t)((last >> 5) - (first >> 5) + 1);
        segments = (uint32_t)((last >> 7) - (first >> 7) + 1);
    } else {
        sectors = count_sectors(x->address, mask, x->bytes, 5);
        segments = count_sectors(x->address, mask, x->bytes, 7);
    }
    uint32_t bytes = (uint32_t)__builtin_popcount(mask) * x->bytes;
    if (!x->write || x->atomic) {
        n[VGPU_COUNT_GLOBAL_READ_REQUESTS]++;
        n[VGPU_COUNT_GLOBAL_READ_SECTORS] += sectors;
        n[VGPU_COUNT_GLOBAL_READ_SEGMENTS] += segments;
        n[VGPU_COUNT_GLOBAL_READ_BYTES] += bytes;
    }
    if (x->write) {
        n[VGPU_COUNT_GLOBAL_WRITE_REQUESTS]++;
        n[VGPU_COUNT_GLOBAL_WRITE_SECTORS] += sectors;
        n[VGPU_COUNT_GLOBAL_WRITE_SEGMENTS] += segments;
        n[VGPU_COUNT_GLOBAL_WRITE_BYTES] += bytes;
    }
}

static bool resolve_global(struct context *c, struct access *x)
{
    struct allocation *all = common(c, x);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        struct allocation *a = all;
        if (!a) a = memory_range(c->machine->memory, x->address[l], x->bytes);
        if (!a || !a->bytes) return bad_global(c, x, l);
        if (a->read_only && x->write) return bad_write(c, x, l, a);
        place(x, l, a);
    }
    count_global(c, x);
    return true;
}

/* ---- shared ---- */

static bool bad_shared(struct context *c, const struct access *x, uint32_t lane)
{
    return exec_fault(
        c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS, lane,
        x->address[lane], x->bytes,
        "%s of %u bytes at byte %lld of shared memory, of which the block has "
        "%u bytes",
        verb(x), x->bytes, (long long)(int32_t)x->address[lane],
        c->machine->shared_bytes);
}

static void count_shared(struct context *c, const struct access *x)
{
    uint64_t *n = c->insn->counts;
    const struct vgpu_profile *p = c->machine->profile;
    uint32_t offsets[WARP_LANES], ideal, wavefronts;
    uint32_t words = x->bytes > 4 ? x->bytes / 4 : 1;
    if (x->in_line && x->mask == FULL_MASK && x->bytes >= 4) {
        wavefronts = ideal = WARP_LANES * words / (uint32_t)p->phase_lanes;
    } else {
        for (int l = 0; l < WARP_LANES; l++)
            offsets[l] = (uint32_t)x->address[l];
        wavefronts = count_wavefronts(p, offsets, x->mask, x->bytes, &ideal);
    }
    n[VGPU_COUNT_SHARED_REQUESTS]++;
    n[VGPU_COUNT_SHARED_WAVEFRONTS] += wavefronts;
    n[VGPU_COUNT_SHARED_CONFLICTS] += wavefronts - ideal;
}

static bool resolve_shared(struct context *c, struct access *x)
{
    struct block *b = context_block(c);
    uint32_t size = c->machine->shared_bytes;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t offset = x->address[l] & ~WINDOW_MASK;
        if (offset > size || x->bytes > size - offset)
            return bad_shared(c, x, l);
        x->at[l] = b->shared + offset;
        x->bit[l] = offset;
        x->written[l] = b->shared_written;
        x->data[l] = b->shared_data;
    }
    count_shared(c, x);
    return true;
}

/* ---- local and param ---- */

static bool grow_local(struct context *c, uint64_t need)
{
    (void)c;
    return need <= LOCAL_LIMIT;
}

static bool resolve_local(struct context *c, struct access *x)
{
    struct warp *w = c->warp;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t offset = x->address[l] & ~WINDOW_MASK;
        if (offset + x->bytes > w->local_bytes || !grow_local(c, offset))
            return exec_fault(c, VGPU_ILLEGAL_ADDRESS,
                              VGPU_FINDING_OUT_OF_BOUNDS, l, x->address[l],
                              x->bytes,
                              "%s of %u bytes at byte %lld of local memory, of "
                              "which the thread has %u bytes",
                              verb(x), x->bytes, (long long)offset,
                              w->local_bytes);
        x->at[l] = w->local + (size_t)l * w->local_bytes + offset;
        x->written[l] = NULL;
        x->data[l] = w->local_data;
        x->bit[l] = (uint64_t)l * w->local_bytes + offset;
    }
    return true;
}

static bool resolve_param(struct context *c, struct access *x)
{
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t offset = x->address[l] & ~WINDOW_MASK;
        if (offset + x->bytes > c->machine->kernel->param_bytes || x->write)
            return exec_fault(c, VGPU_ILLEGAL_ADDRESS,
                              VGPU_FINDING_OUT_OF_BOUNDS, l, x->address[l],
                              x->bytes, "%s of %u bytes outside the kernel's "
                              "parameters", verb(x), x->bytes);
        x->at[l] = (uint8_t *)c->machine->params + offset;
        x->written[l] = x->data[l] = NULL;
        x->bit[l] = 0;
    }
    return true;
}

static bool resolve_call_area(struct context *c, struct access *x)
{
    struct frame *f = c->group->frame;
    uint32_t stride = f->function->call_bytes;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        x->at[l] = f->params + (size_t)l * stride + c->insn->offset;
        x->written[l] = NULL;
        x->data[l] = f->param_marks;
        x->bit[l] = (uint64_t)l * stride + (uint64_t)c->insn->offset;
    }
    return true;
}

/* ---- shadow ---- */

bool access_marked(const struct access *x, uint32_t lane, uint32_t plus,
                   uint32_t n)
{
    return x->data[lane] &&
           bits_any(x->data[lane], x->bit[lane] + plus, n);
}

void access_mark(struct access *x, uint32_t lane, uint32_t plus, uint32_t n,
                 bool marked)
{
    if (x->data[lane])
        bits_set(x->data[lane], x->bit[lane] + plus, n, marked);
}

void access_written(struct access *x)
{
    uint32_t first = (uint32_t)__builtin_ctz(x->mask);
    if (x->in_line && x->mask == FULL_MASK) {
        if (x->written[0] && x->written[0] == x->written[31])
            bits_set(x->written[0], x->bit[0], 32ull * x->bytes, true);
        else if (x->written[first])
            goto each;
        return;
    }
each:
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (x->written[l]) bits_set(x->written[l], x->bit[l], x->bytes, true);
    }
}

static void check_written(struct context *c, const struct access *x)
{
    if (!(c->machine->checks & VGPU_CHECK_INITCHECK)) return;
    if (x->in_line && x->mask == FULL_MASK && x->written[0] &&
        x->written[0] == x->written[31] &&
        bits_all(x->written[0], x->bit[0], 32ull * x->bytes))
        return;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (!x->written[l] || bits_all(x->written[l], x->bit[l], x->bytes))
            continue;
        char where[256];
        exec_describe_address(c, x->address[l], x->bytes, where, sizeof where);
        exec_report(c, VGPU_FINDING_UNINITIALISED, l, x->address[l], x->bytes,
                    "%s of %u bytes that nothing has written: %s", verb(x),
                    x->bytes, where);
        return;
    }
}

/* ---- spaces ---- */

typedef bool resolve_fn(struct context *, struct access *);

static bool one_space(struct context *c, struct access *x, uint8_t space,
                      access_fn *done)
{
    static resolve_fn *const resolvers[] = {
        [PTX_GENERIC] = NULL,          [PTX_GLOBAL] = resolve_global,
        [PTX_SHARED] = resolve_shared, [PTX_LOCAL] = resolve_local,
        [PTX_CONST] = resolve_global,  [PTX_PARAM] = resolve_param};
    if (misaligned(c, x, verb(x))) return false;
    if (!resolvers[space](c, x)) return false;
    if (!x->write || x->atomic) check_written(c, x);
    done(c, x);
    return true;
}

static uint8_t space_of_address(uint64_t a)
{
    switch (a & WINDOW_MASK) {
    case SHARED_WINDOW: return PTX_SHARED;
    case LOCAL_WINDOW: return PTX_LOCAL;
    case PARAM_WINDOW: return PTX_PARAM;
    default: return PTX_GLOBAL;
    }
}

static bool generic(struct context *c, struct access *x, access_fn *done)
{
    uint32_t left = x->mask;
    while (left) {
        uint8_t space = space_of_address(x->address[__builtin_ctz(left)]);
        uint32_t mine = 0;
        for (uint32_t m = left; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            if (space_of_address(x->address[l]) == space) mine |= 1u << l;
        }
        left &= ~mine;
        x->mask = mine;
        if (mine != c->lanes->mask) x->in_line = false;
        if (!one_space(c, x, space, done)) return false;
    }
    return true;
}

bool access_each(struct context *c, bool write, bool atomic, access_fn *done)
{
    const struct insn *i = c->insn;
    struct access x;
    x.mask = c->lanes->mask;
    x.bytes = (uint32_t)i->bytes * i->n_elements;
    x.write = write;
    x.atomic = atomic;
    if (i->space == PTX_PARAM) {
        x.in_line = false;
        if (!resolve_call_area(c, &x)) return false;
        done(c, &x);
        return true;
    }
    compute_addresses(c, x.address);
    x.in_line = in_line(&x, c->lanes);
    if (i->space == PTX_GENERIC) return generic(c, &x, done);
    return one_space(c, &x, i->space, done);
}
