/* SPDX-License-Identifier: MIT
 *
 * texture.c: texture fetches, surface loads and stores.
 *
 * How to read this: a lane's *taps* are the one to eight texels that its result
 * is made of, each with a weight (taps_of). The first taps of all lanes are one
 * access to global memory, the second ones another, and so on, so observers see
 * loads. A tap outside of the array is no access: its value is the border's.
 * CUDA C++ Programming Guide, "Texture Fetching"; weights have 8 bits behind
 * the point, as there. What an H100 did where the guide is silent is done here
 * as there (vgpu/docs/textures.md).
 */
#include <math.h>
#include <string.h>

#include "access.h"
#include "fault.h"
#include "texture_op.h"
#include "textures.h"

enum { MOST_TAPS = 8, OUTSIDE = -1 };

struct axis { /* the two neighbours of a coordinate */
    int64_t at[2];
    uint32_t weight; /* of the second, of WEIGHTS */
};
enum { WEIGHTS = 256 };

struct taps {
    uint32_t n;
    uint64_t address[MOST_TAPS]; /* 0: outside */
    uint32_t weight[MOST_TAPS];  /* of WEIGHTS */
};

struct fetch {
    const struct texture *texture[WARP_LANES];
    struct taps taps[WARP_LANES];
    union texel {
        uint8_t bytes[16];
        uint64_t words[2];
    } texels[WARP_LANES][MOST_TAPS];
};

static const struct texture_op *op_of(const struct context *c) {
    return c->insn->extra;
}

static uint32_t texture_word_of(const struct context *c, uint32_t at,
                                uint32_t lane) {
    return at == NO_REGISTER ? 0
                             : ((const uint32_t *)(c->registers + at))[lane];
}

static float real_of(const struct context *c, uint32_t at, uint32_t lane) {
    uint32_t bits = texture_word_of(c, at, lane);
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* ---- handles ---- */

static bool no_texture(struct context *c, uint32_t lane, uint64_t handle,
                       bool surface) {
    struct vgpu_message m;
    VGPU_SAY(&m, NO_TEXTURE, .surface = surface, .handle = handle);
    return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS,
                      (struct fault_at){.lane = lane}, &m);
}

/* Of each lane. False: reported. */
static bool find_textures(struct context *c, const struct texture **found,
                          bool surface) {
    for (uint32_t m = c->lanes->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t handle =
            ((const uint64_t *)(c->registers + op_of(c)->handle))[l];
        found[l] = textures_find(c->machine->memory, handle);
        bool any = op_of(c)->verb == TEXTURE_QUERY;
        if (!found[l] || (found[l]->is_surface != surface && !any))
            return no_texture(c, l, handle, surface);
    }
    return true;
}

/* ---- coordinates ---- */

static int64_t in_range(int64_t i, int64_t n, enum texture_mode mode) {
    switch (mode) {
    case MODE_WRAP: return (i % n + n) % n;
    case MODE_MIRROR: {
        int64_t k = (i % (2 * n) + 2 * n) % (2 * n);
        return k < n ? k : 2 * n - 1 - k;
    }
    case MODE_CLAMP: return i < 0 ? 0 : i < n ? i : n - 1;
    default: return i < 0 || i >= n ? OUTSIDE : i;
    }
}

/* A coordinate that is no number is 0; one that is far off is as far as an
 * index goes. */
static double tame(double x) {
    const double most = 1 << 30;
    return x > most ? most : x < -most ? -most : x == x ? x : 0;
}

/* Of a normalised one 21 bits behind the point count. Far off there is none,
 * and all of them repeat from 0. */
static double normalised_place(double x, int64_t n, enum texture_mode mode) {
    const double parts = 1 << 21, far = 1 << 24;
    bool repeats = mode == MODE_WRAP || mode == MODE_MIRROR;
    if (repeats && !(x < far && x > -far)) return 0;
    return floor(tame(x) * parts) / parts * (double)n;
}

/* Wrapping and mirroring are for normalised coordinates; the others clamp. */
static struct axis axis_of(float x, int64_t n, enum texture_mode mode,
                           bool normalised, bool filters) {
    struct axis a = {{0, 0}, 0};
    double at = tame(normalised ? normalised_place(x, n, mode) : (double)x);
    if (!normalised && mode < MODE_BORDER) mode = MODE_CLAMP;
    if (filters) at -= 0.5;
    double whole = floor(at);
    if (filters) {
        a.weight = (uint32_t)floor((at - whole) * WEIGHTS + 0.5);
        if (a.weight == WEIGHTS) {
            a.weight = 0;
            whole += 1;
        }
    }
    for (int k = 0; k < 2; k++) a.at[k] = in_range((int64_t)whole + k, n, mode);
    return a;
}

/* tex1Dfetch and its like: what is outside is 0. */
static struct axis axis_whole(int32_t x, int64_t n) {
    return (struct axis){{x < 0 || x >= n ? OUTSIDE : x, OUTSIDE}, 0};
}

static uint64_t texel_at(const struct texture *t, const int64_t at[3]) {
    if (at[0] == OUTSIDE || at[1] == OUTSIDE || at[2] == OUTSIDE) return 0;
    return t->base + (uint64_t)at[2] * t->slice + (uint64_t)at[1] * t->pitch +
           (uint64_t)at[0] * t->texel_bytes;
}

static int64_t layer_of(const struct context *c, const struct texture *t,
                        uint32_t lane) {
    uint32_t layer =
        texture_word_of(c, op_of(c)->layer, lane); /* has no sign */
    return layer < t->size[2] ? layer : t->size[2] - 1;
}

/* The weight of both `a` and `b`, of the first alone, the second alone, of
 * none: together they are WEIGHTS, as a GPU has them. */
static void texture_share(uint32_t whole, uint32_t a, uint32_t b,
                          uint32_t w[2][2]) {
    w[1][1] = (a * b + WEIGHTS / 2) / WEIGHTS;
    w[1][0] = a - w[1][1];
    w[0][1] = b - w[1][1];
    w[0][0] = whole + w[1][1] - a - b;
}

/* The eight of a volume: x and z first, then y; a GPU's differ by one here and
 * there. */
static void weigh(const struct axis a[3], uint32_t dims, struct taps *taps) {
    uint32_t w[2][2];
    texture_share(WEIGHTS, a[0].weight, a[dims == 3 ? 2 : 1].weight, w);
    for (uint32_t n = 0; n < taps->n; n++) {
        uint32_t x = n & 1, y = n >> 1 & 1, z = n >> 2;
        if (dims < 3) {
            taps->weight[n] = w[x][y];
            continue;
        }
        uint32_t second = (w[x][z] * a[1].weight + WEIGHTS / 2) / WEIGHTS;
        taps->weight[n] = y ? second : w[x][z] - second;
    }
}

static struct axis axis_for(const struct context *c, const struct texture *t,
                            uint32_t lane, uint32_t k, bool filters) {
    const struct texture_op *op = op_of(c);
    /* A row is taken for a plane whose y is 0, at the edge. */
    if (k == 1 && op->dims == 1 && filters && !op->is_layered &&
        t->mode[1] == MODE_BORDER)
        return (struct axis){{OUTSIDE, 0}, WEIGHTS / 2};
    if (k >= op->dims) return (struct axis){{0, 0}, 0};
    if (op->is_whole)
        return axis_whole((int32_t)texture_word_of(c, op->at[k], lane),
                          t->size[k]);
    return axis_of(real_of(c, op->at[k], lane), t->size[k],
                   (enum texture_mode)t->mode[k], t->takes_normalised, filters);
}

static struct taps taps_of(const struct context *c, const struct texture *t,
                           uint32_t lane) {
    const struct texture_op *op = op_of(c);
    bool gathers = op->verb == TEXTURE_GATHER;
    bool filters = (t->filters && !op->is_whole) || gathers;
    struct taps taps = {.n = !filters ? 1 : op->dims == 3 ? 8 : 4};
    struct axis a[3];
    for (uint32_t k = 0; k < 3; k++) a[k] = axis_for(c, t, lane, k, filters);
    if (op->is_layered) a[2].at[0] = a[2].at[1] = layer_of(c, t, lane);
    weigh(a, op->dims, &taps);
    for (uint32_t n = 0; n < taps.n; n++) {
        const int64_t at[3] = {a[0].at[n & 1], a[1].at[n >> 1 & 1],
                               a[2].at[n >> 2]};
        /* A neighbour of no weight is not looked at. */
        bool matters = taps.n == 1 || taps.weight[n] || gathers;
        taps.address[n] = matters ? texel_at(t, at) : 0;
    }
    return taps;
}

/* ---- memory ---- */

/* The texels with this number, of lanes whose texels have so many bytes. */
static bool read_taps(struct context *c, struct fetch *f, uint32_t number,
                      uint32_t bytes) {
    struct access x;
    uint32_t lanes = 0;
    for (uint32_t m = c->lanes->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (f->texture[l]->texel_bytes == bytes && number < f->taps[l].n &&
            f->taps[l].address[number])
            lanes |= 1u << l;
    }
    if (!lanes) return true;
    access_set_mask(&x, lanes);
    x.bytes = bytes;
    x.write = x.atomic = false;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        x.address[l] = lanes >> l & 1 ? f->taps[l].address[number] : 0;
    if (!access_place(c, &x, PTX_GLOBAL)) return false;
    watch_access(c->machine->watching, c, &x);
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        memcpy(f->texels[l][number].bytes, access_bytes(&x, l), bytes);
    }
    return true;
}

/* ---- values ---- */

static float half_to_real(uint16_t h) {
    int exponent = h >> 10 & 31, fraction = h & 1023;
    float f = exponent == 31 ? (fraction ? NAN : INFINITY)
              : exponent     ? ldexpf((float)(fraction | 1024), exponent - 25)
                             : ldexpf((float)fraction, -24);
    return h >> 15 ? -f : f;
}

/* The bits of a channel as a word: a float's, or an integer with its sign. */
static uint32_t raw_of(const struct texture *t, const union texel *v,
                       uint32_t channel) {
    uint32_t w = 0, bytes = t->bits / 8u;
    memcpy(&w, v->bytes + channel * bytes, bytes);
    if (t->kind == TEXEL_SIGNED && t->bits < 32)
        w = (uint32_t)((int32_t)(w << (32 - t->bits)) >> (32 - t->bits));
    return w;
}

static bool gives_reals(const struct texture *t) {
    return t->kind == TEXEL_FLOAT || t->reads_normalised;
}

static float real_value(const struct texture *t, const union texel *v,
                        uint32_t channel) {
    uint32_t w = raw_of(t, v, channel);
    float f;
    if (t->kind == TEXEL_FLOAT && t->bits == 16)
        return half_to_real((uint16_t)w);
    if (t->kind == TEXEL_FLOAT) {
        memcpy(&f, &w, sizeof f);
        return f;
    }
    float most = (float)((1u << (t->bits - (t->kind == TEXEL_SIGNED))) - 1);
    f = t->kind == TEXEL_SIGNED ? (float)(int32_t)w / most : (float)w / most;
    return f < -1 ? -1 : f;
}

static uint32_t bits_of(float f) {
    uint32_t w;
    memcpy(&w, &f, sizeof w);
    return w;
}

static uint32_t tap_value(const struct fetch *f, uint32_t lane, uint32_t tap,
                          uint32_t channel) {
    const struct texture *t = f->texture[lane];
    bool inside = f->taps[lane].address[tap] != 0;
    if (channel >= t->channels) return 0; /* the fourth, too */
    if (!inside && t->is_linear) return 0;
    if (!inside)
        return gives_reals(t) ? bits_of(t->border[channel])
                              : (uint32_t)(int32_t)t->border[channel];
    const union texel *v = &f->texels[lane][tap];
    return gives_reals(t) ? bits_of(real_value(t, v, channel))
                          : raw_of(t, v, channel);
}

/* To half precision, ties away from 0, and back. */
static float as_half(float f) {
    int exponent;
    if (!(fabsf(f) > 0) || isinf(f)) return f;
    frexpf(f, &exponent);
    int bits = exponent < -13 ? exponent + 24 : 11; /* subnormal: fewer */
    float unit = ldexpf(1, exponent - bits);
    return copysignf(floorf(fabsf(f) / unit + 0.5f) * unit, f);
}

/* Fractions of 1 are filtered as integers of 16 bits. */
static float filtered_fraction(const struct fetch *f, uint32_t lane,
                               uint32_t channel) {
    const struct texture *t = f->texture[lane];
    const struct taps *taps = &f->taps[lane];
    bool is_signed = t->kind == TEXEL_SIGNED;
    float most = is_signed ? 32767 : 65535, sum = 0;
    for (uint32_t n = 0; n < taps->n; n++) {
        float v = t->border[channel] * most;
        if (taps->address[n]) {
            uint32_t raw = raw_of(t, &f->texels[lane][n], channel);
            v = is_signed ? (float)(int32_t)raw : (float)raw;
            if (t->bits == 8)
                v = is_signed ? floorf(v * most / 127 + 0.5f) : v * 257;
        }
        sum += (float)taps->weight[n] * v;
    }
    sum = floorf(sum / WEIGHTS + 0.5f) / most;
    return sum < -1 ? -1 : sum;
}

static uint32_t texture_value(const struct fetch *f, uint32_t lane,
                              uint32_t channel) {
    const struct taps *taps = &f->taps[lane];
    const struct texture *t = f->texture[lane];
    if (taps->n == 1 || channel >= t->channels)
        return tap_value(f, lane, 0, channel);
    if (t->reads_normalised)
        return bits_of(filtered_fraction(f, lane, channel));
    double sum = 0;
    for (uint32_t n = 0; n < taps->n; n++) {
        uint32_t w;
        float v;
        if (taps->weight[n] == 0) continue;
        w = tap_value(f, lane, n, channel);
        memcpy(&v, &w, sizeof v);
        sum += (double)taps->weight[n] * (double)v;
    }
    float v = (float)(sum / WEIGHTS);
    return bits_of(t->bits == 16 ? as_half(v) : v);
}

/* The four texels around, counted from the lower left one. */
static uint32_t gathered(const struct fetch *f, uint32_t lane, uint32_t which,
                         uint32_t component) {
    static const uint8_t order[4] = {2, 3, 1, 0};
    return tap_value(f, lane, order[which], component);
}

static bool exec_fetch(struct context *c) {
    struct fetch f;
    uint32_t most = 0;
    const struct texture_op *op = op_of(c);
    if (!find_textures(c, f.texture, false)) return false;
    for (uint32_t m = c->lanes->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        f.taps[l] = taps_of(c, f.texture[l], l);
        if (f.taps[l].n > most) most = f.taps[l].n;
    }
    for (uint32_t bytes = 1; bytes <= 16; bytes *= 2)
        for (uint32_t n = 0; n < most; n++)
            if (!read_taps(c, &f, n, bytes)) return false;
    for (uint32_t m = c->lanes->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        for (uint32_t e = 0; e < c->insn->n_elements; e++) {
            uint32_t *r = (uint32_t *)(c->registers + c->insn->operands.at[e]);
            r[l] = op->verb == TEXTURE_GATHER
                       ? gathered(&f, l, e, op->component)
                       : texture_value(&f, l, e);
        }
    }
    watch_produced(c->machine->watching, c, c->lanes->mask);
    return true;
}

/* ---- surfaces ---- */

static bool surface_outside(struct context *c, const struct texture *t,
                            uint32_t lane, const int64_t at[3], bool write) {
    struct vgpu_message m;
    VGPU_SAY(&m, SURFACE_ACCESS,
             .access = write ? VGPU_ACCESS_WRITE : VGPU_ACCESS_READ,
             .bytes = (uint64_t)c->insn->bytes * c->insn->n_elements,
             .x = (uint64_t)at[0], .y = (uint64_t)at[1], .z = (uint64_t)at[2],
             .row = (uint64_t)t->size[0] * t->texel_bytes, .rows = t->size[1],
             .slices = t->size[2]);
    return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS,
                      (struct fault_at){.lane = lane}, &m);
}

/* Where a lane's bytes are; 0: outside, and nothing is to be done. *goes: that
 * is allowed. */
static uint64_t surface_at(struct context *c, const struct texture *t,
                           uint32_t lane, bool *goes) {
    const struct texture_op *op = op_of(c);
    int64_t bytes = (int64_t)c->insn->bytes * c->insn->n_elements;
    int64_t row = (int64_t)t->size[0] * t->texel_bytes, at[3] = {0, 0, 0};
    for (uint32_t k = 0; k < op->dims && k < 3; k++)
        at[k] = (int32_t)texture_word_of(c, op->at[k], lane);
    if (op->is_layered) at[2] = (int32_t)texture_word_of(c, op->layer, lane);
    bool inside = at[0] >= 0 && at[0] + bytes <= row && at[1] >= 0 &&
                  at[1] < t->size[1] && at[2] >= 0 && at[2] < t->size[2];
    *goes = inside || op->bound != BOUND_TRAP;
    if (!*goes) surface_outside(c, t, lane, at, op->verb == SURFACE_STORE);
    if (!inside && op->bound != BOUND_CLAMP) return 0;
    at[0] = at[0] < 0 ? 0 : at[0] + bytes > row ? row - bytes : at[0];
    at[1] = in_range(at[1], t->size[1], MODE_CLAMP);
    at[2] = in_range(at[2], t->size[2], MODE_CLAMP);
    return t->base + (uint64_t)at[2] * t->slice + (uint64_t)at[1] * t->pitch +
           (uint64_t)at[0];
}

static void surface_move(struct context *c, const struct access *x,
                         uint32_t lane, bool store) {
    const struct insn *i = c->insn;
    uint8_t *bytes =
        store || x->mask >> lane & 1 ? access_bytes(x, lane) : NULL;
    for (uint32_t e = 0; e < i->n_elements; e++) {
        uint64_t v = store ? context_lane(c, i->operands.at[e], lane) : 0;
        if (store)
            memcpy(bytes + e * i->bytes, &v, i->bytes);
        else if (bytes)
            memcpy(&v, bytes + e * i->bytes, i->bytes);
        if (!store) context_set_lane(c, i->operands.at[e], lane, v);
    }
}

static bool exec_surface(struct context *c) {
    const struct texture *t[WARP_LANES];
    struct access x = {0};
    bool store = op_of(c)->verb == SURFACE_STORE, goes = true;
    uint32_t lanes = 0;
    if (!find_textures(c, t, true)) return false;
    for (uint32_t m = c->lanes->mask; m && goes; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        x.address[l] = surface_at(c, t[l], l, &goes);
        if (x.address[l]) lanes |= 1u << l;
    }
    if (!goes) return false;
    if (lanes) {
        access_set_mask(&x, lanes);
        x.bytes = (uint32_t)c->insn->bytes * c->insn->n_elements;
        x.write = store;
        if (!access_place(c, &x, PTX_GLOBAL)) return false;
        watch_access(c->machine->watching, c, &x);
    }
    for (uint32_t m = store ? lanes : c->lanes->mask; m; m &= m - 1)
        surface_move(c, &x, (uint32_t)__builtin_ctz(m), store);
    if (!store) {
        watch_produced(c->machine->watching, c, c->lanes->mask);
    } else if (lanes) {
        watch_stored(c->machine->watching, c, &x);
        c->machine->progress++;
        c->group->polls.same = 0;
    }
    return true;
}

/* ---- queries ---- */

static bool exec_query(struct context *c) {
    const struct texture *t[WARP_LANES];
    const struct texture_op *op = op_of(c);
    if (!find_textures(c, t, false)) return false;
    uint32_t *r = (uint32_t *)(c->registers + c->insn->operands.at[0]);
    for (uint32_t m = c->lanes->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        bool third =
            op->query == QUERY_LAYERS ? t[l]->is_layered : !t[l]->is_layered;
        r[l] = op->query == QUERY_WIDTH    ? t[l]->size[0]
               : op->query == QUERY_HEIGHT ? t[l]->size[1]
               : third                     ? t[l]->size[2]
                                           : 0;
    }
    watch_produced(c->machine->watching, c, c->lanes->mask);
    return true;
}

bool exec_texture(struct context *c) {
    switch ((enum texture_verb)op_of(c)->verb) {
    case TEXTURE_FETCH:
    case TEXTURE_GATHER: return exec_fetch(c);
    case TEXTURE_QUERY: return exec_query(c);
    default: return exec_surface(c);
    }
}
