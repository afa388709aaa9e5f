/* SPDX-License-Identifier: MIT
 *
 * video_ptxas.c: what ptxas 13.0 makes of video instructions for sm_90, read
 * from its machine code, -O0 and -O3, and written down as that computes: in
 * pairs of 32-bit words. An H200's recorded answers are those of this code.
 */
#include <string.h>

#include "video.h"

struct pair {
    uint32_t lo, hi;
};

static uint32_t sign(uint32_t word) {
    return word >> 31 ? ~0u : 0;
}

static uint64_t joined(struct pair p) {
    return (uint64_t)p.hi << 32 | p.lo;
}

static struct pair halves(uint64_t bits) {
    return (struct pair){(uint32_t)bits, (uint32_t)(bits >> 32)};
}

/* PRMT: a byte or half with its sign or with zeros, or all of the register. */
static uint32_t chosen(uint32_t word, const char *selector, bool is_signed) {
    if (!*selector) return word;
    unsigned bytes = selector[1] == 'b' ? 1 : 2;
    word >>= 8 * bytes * (unsigned)(selector[2] - '0');
    if (bytes == 1) return is_signed ? (uint32_t)(int8_t)word : (uint8_t)word;
    return is_signed ? (uint32_t)(int16_t)word : (uint16_t)word;
}

static struct pair source(const struct form *f, unsigned k, uint32_t word) {
    bool set = !strncmp(f->text, "vset", 4);
    bool is_signed = form_signed(f, k - set);
    uint32_t lo = chosen(word, form_selector(f, k), is_signed);
    return (struct pair){lo, is_signed ? sign(lo) : 0};
}

static bool below(struct pair a, struct pair b, bool is_signed) {
    uint32_t flip = is_signed ? 0x80000000u : 0;
    return a.hi == b.hi ? a.lo < b.lo : (a.hi ^ flip) < (b.hi ^ flip);
}

static struct pair minus(struct pair a, struct pair b) {
    uint32_t lo = a.lo - b.lo;
    return (struct pair){lo, a.hi - b.hi - (a.lo < b.lo)};
}

static bool compared(const struct form *f, struct pair a, struct pair b) {
    bool equal = a.lo == b.lo && a.hi == b.hi, less = below(a, b, true);
    if (form_has(f, "eq")) return equal;
    if (form_has(f, "ne")) return !equal;
    if (form_has(f, "lt")) return less;
    if (form_has(f, "le")) return less || equal;
    return form_has(f, "gt") ? !less && !equal : !less;
}

static struct pair operation(const struct form *f, struct pair a,
                             struct pair b) {
    const char *op = f->text;
    uint32_t by = form_has(f, "wrap") ? b.lo % 32 : b.lo < 32 ? b.lo : 32;
    if (!strncmp(op, "vadd", 4)) return halves(joined(a) + joined(b));
    if (!strncmp(op, "vsub", 4)) return minus(a, b);
    if (!strncmp(op, "vmin", 4)) return below(a, b, true) ? a : b;
    if (!strncmp(op, "vmax", 4)) return below(b, a, true) ? a : b;
    if (!strncmp(op, "vset", 4)) return (struct pair){compared(f, a, b), 0};
    if (!strncmp(op, "vshl", 4)) return halves(joined(a) << by);
    if (!strncmp(op, "vshr", 4)) { /* a.hi is nothing but sign */
        struct pair none = {a.hi, a.hi};
        if (by == 32) return none;
        uint32_t in = by ? a.hi << (32 - by) : 0;
        return (struct pair){a.lo >> by | in, a.hi};
    }
    struct pair difference = minus(a, b), zero = {0, 0};
    return sign(difference.hi) ? minus(zero, difference) : difference;
}

static uint32_t signed_word(struct pair t) {
    if (t.hi == sign(t.lo)) return t.lo;
    return t.hi >> 31 ? 0x80000000u : 0x7fffffffu;
}

static uint32_t unsigned_word(struct pair t) {
    if (t.hi) t.lo = ~0u;
    return t.hi >> 31 ? 0 : t.lo;
}

static struct pair saturated(const struct form *f, struct pair t) {
    bool to_signed = form_signed(f, 0);
    const char *to = form_selector(f, 0);
    struct pair d = {t.lo, 0};
    if (!strncmp(f->text, "vsh", 3)) {
        t.hi = t.hi & 2 ? t.hi | ~3u : t.hi & 3;
        d.lo = to_signed ? signed_word(t) : unsigned_word(t);
    } else if (*to) {
        uint32_t most = to[1] == 'b' ? 0xff : 0xffff;
        if (to_signed) most >>= 1;
        if (t.hi || t.lo > most) d.lo = most;
    } else if (to_signed) {
        d.lo = signed_word(t);
        d.hi = sign(d.lo);
    } else {
        d = t.hi >> 31 ? (struct pair){0, 0} : t;
    }
    return d;
}

static uint32_t one_part(const struct form *f, const uint32_t in[3]) {
    bool set = !strncmp(f->text, "vset", 4);
    bool shift = !strncmp(f->text, "vsh", 3), saturate = form_has(f, "sat");
    struct pair t = operation(f, source(f, 1, in[0]), source(f, 2, in[1]));
    const char *to = form_selector(f, 0);
    uint32_t c = in[2];
    if (saturate) t = saturated(f, t);
    if (form_has(f, "add")) return t.lo + c;
    if (form_has(f, "min") || form_has(f, "max")) {
        bool is_signed = form_signed(f, 0); /* vset: a's */
        struct pair third = {c, is_signed ? sign(c) : 0};
        if (!strncmp(f->text, "vadd", 4) || !strncmp(f->text, "vsub", 4) ||
            (shift && saturate))
            t.hi = sign(t.lo);
        if (set) t.hi = 0;
        if (form_has(f, "min")) return below(t, third, is_signed) ? t.lo : c;
        return below(third, t, is_signed) ? t.lo : c;
    }
    if (!strcmp(to, ".h0")) return (c & 0xffff0000u) | (t.lo & 0xffff);
    if (!strcmp(to, ".h1")) return (c & 0xffff) | (t.lo & 0xffff0000u);
    if (*to) {
        uint8_t merged[4], byte = (uint8_t)t.lo;
        memcpy(merged, &c, 4);
        merged[to[2] - '0'] = byte;
        memcpy(&c, merged, 4);
        return c;
    }
    return t.lo;
}

/* IMAD.WIDE, which is signed; the product's words inverted where it is negated,
 * or c; one added. */
static uint32_t multiply(const struct form *f, const uint32_t in[3]) {
    bool negated = (*f->operand[1] == '-') != (*f->operand[2] == '-');
    bool minus_c = *f->operand[3] == '-', one = negated || minus_c;
    bool is_signed = form_signed(f, 1) || form_signed(f, 2) || one;
    uint32_t c = minus_c ? ~in[2] : in[2];
    int64_t a = (int32_t)source(f, 1, in[0]).lo;
    int64_t b = (int32_t)source(f, 2, in[1]).lo;
    struct pair product = halves((uint64_t)(a * b)), third = {c, sign(c)};
    if (negated) product = (struct pair){~product.lo, ~product.hi};
    one |= form_has(f, "po");
    struct pair t = halves(joined(product) + joined(third) + one);
    unsigned by = form_has(f, "shr7") ? 7 : form_has(f, "shr15") ? 15 : 0;
    if (by) {
        uint32_t in_front = is_signed ? sign(t.hi) << (32 - by) : 0;
        t.lo = t.lo >> by | t.hi << (32 - by);
        t.hi = t.hi >> by | in_front;
    }
    if (!form_has(f, "sat")) return t.lo;
    return is_signed ? signed_word(t) : unsigned_word(t);
}

uint32_t video_ptxas(const struct form *f, const uint32_t in[3]) {
    unsigned parts = form_parts(f);
    if (!strncmp(f->text, "vmad", 4)) return multiply(f, in);
    return parts > 1 ? video_parts(f, parts, in) : one_part(f, in);
}

bool video_differs(const struct form *f) {
    const char *to = form_selector(f, 0);
    bool saturate = form_has(f, "sat");
    if (form_parts(f) > 1) return false;
    if (!strncmp(f->text, "vmad", 4)) {
        bool scaled = form_has(f, "shr7") || form_has(f, "shr15");
        bool whole = (!form_signed(f, 1) && !*form_selector(f, 1)) ||
                     (!form_signed(f, 2) && !*form_selector(f, 2));
        return (saturate || scaled) && (whole || !form_signed(f, 0));
    }
    return !strcmp(to, ".h1") || form_has(f, "min") || form_has(f, "max") ||
           (saturate &&
            (*to || !form_signed(f, 0) || !strncmp(f->text, "vshl", 4)));
}
