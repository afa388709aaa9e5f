/* SPDX-License-Identifier: MIT
 *
 * video_isa.c: the words of PTX ISA 9.0 on video instructions (9.7.16 and on),
 * written down plainly.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "video.h"

__extension__ typedef __int128 big;

bool form_has(const struct form *f, const char *modifier) {
    size_t n = strlen(modifier);
    for (const char *at = strchr(f->text, '.'); at; at = strchr(at + 1, '.'))
        if (!strncmp(at + 1, modifier, n) && (at[1 + n] == '.' || !at[1 + n]))
            return true;
    return false;
}

unsigned form_parts(const struct form *f) {
    char last = f->text[strcspn(f->text, ".") - 1];
    return last == '2' || last == '4' ? (unsigned)(last - '0') : 1;
}

bool form_signed(const struct form *f, unsigned type) {
    const char *at = f->text;
    for (unsigned k = 0; k <= type; k++) at = strchr(at + 1, '.');
    return at[1] == 's';
}

const char *form_selector(const struct form *f, unsigned k) {
    return f->operand[k] + (*f->operand[k] == '-');
}

static unsigned width(const char *selector) {
    return !*selector ? 32 : selector[1] == 'b' ? 8 : 16;
}

static big part(uint32_t word, const char *selector, bool is_signed_type) {
    unsigned bits = width(selector);
    big value = word;
    if (*selector) value = word >> ((unsigned)(selector[2] - '0') * bits);
    value &= ((big)1 << bits) - 1;
    if (is_signed_type && value >> (bits - 1)) value -= (big)1 << bits;
    return value;
}

static big clamp(big value, unsigned bits, bool is_signed_type) {
    big low = is_signed_type ? -((big)1 << (bits - 1)) : 0;
    big high = low + ((big)1 << bits) - 1;
    if (value > high) value = high;
    return value < low ? low : value;
}

static big operation(const struct form *f, big a, big b) {
    static const char *const names[] = {"vadd", "vsub", "vabsdiff",
                                        "vmin", "vmax", "vavrg"};
    size_t k = 0, n = strcspn(f->text, ".24");
    while (k < 6 && (strlen(names[k]) != n || strncmp(f->text, names[k], n)))
        k++;
    switch (k) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a > b ? a - b : b - a;
    case 3: return a > b ? b : a;
    case 4: return a > b ? a : b;
    case 5: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    default: break;
    }
    if (!strncmp(f->text, "vset", 4))
        return form_has(f, "eq")   ? a == b
               : form_has(f, "ne") ? a != b
               : form_has(f, "lt") ? a < b
               : form_has(f, "le") ? a <= b
               : form_has(f, "gt") ? a > b
                                   : a >= b;
    if (form_has(f, "clamp") && b > 32) b = 32;
    if (form_has(f, "wrap")) b &= 31;
    if (!strncmp(f->text, "vshl", 4)) return a * ((big)1 << b);
    if (!strncmp(f->text, "vshr", 4)) return a >> b;
    fprintf(stderr, "video_test: %s?\n", f->text);
    exit(2);
}

static uint32_t multiply(const struct form *f, const uint32_t in[3]) {
    bool minus = *f->operand[1] == '-' || *f->operand[2] == '-';
    bool minus_c = *f->operand[3] == '-';
    bool signed_final =
        form_signed(f, 1) || form_signed(f, 2) || minus || minus_c;
    big t = part(in[0], form_selector(f, 1), form_signed(f, 1)) *
            part(in[1], form_selector(f, 2), form_signed(f, 2));
    uint32_t c = in[2];
    unsigned lsb = 0;
    if (form_has(f, "po")) {
        lsb = 1;
    } else if (minus) {
        t = ~t;
        lsb = 1;
    } else if (minus_c) {
        c = ~c;
        lsb = 1;
    }
    t += (signed_final ? (big)(int32_t)c : (big)c) + lsb;
    t >>= form_has(f, "shr7") ? 7 : form_has(f, "shr15") ? 15 : 0;
    return (uint32_t)(form_has(f, "sat") ? clamp(t, 32, signed_final) : t);
}

static uint32_t one_part(const struct form *f, const uint32_t in[3]) {
    bool set = !strncmp(f->text, "vset", 4);
    bool d_signed = !set && form_signed(f, 0);
    const char *to = form_selector(f, 0);
    big t =
        operation(f, part(in[0], form_selector(f, 1), form_signed(f, !set)),
                  part(in[1], form_selector(f, 2), form_signed(f, 2 - set)));
    big c = part(in[2], "", d_signed);
    if (form_has(f, "sat")) t = clamp(t, width(to), d_signed);
    if (form_has(f, "add")) t += c;
    if (form_has(f, "min") && c < t) t = c;
    if (form_has(f, "max") && c > t) t = c;
    uint32_t d = (uint32_t)t, bytes = width(to) / 8;
    if (!*to) return d;
    uint8_t merged[4];
    memcpy(merged, &in[2], 4);
    memcpy(merged + (unsigned)(to[2] - '0') * bytes, &d, bytes);
    memcpy(&d, merged, 4);
    return d;
}

uint32_t video_parts(const struct form *f, unsigned n, const uint32_t in[3]) {
    bool set = !strncmp(f->text, "vset", 4);
    bool d_signed = !set && form_signed(f, 0);
    uint32_t d = in[2];
    unsigned bytes = 4 / n;
    for (unsigned k = 0; k < n; k++) {
        const char *to = form_selector(f, 0);
        big value[2];
        if (*to && !strchr(to + 2, (int)('0' + k))) continue;
        for (unsigned s = 0; s < 2; s++) {
            const char *from = form_selector(f, 1 + s);
            unsigned which =
                *from ? (unsigned)(from[1 + n - k] - '0') : s * n + k;
            char one[4] = {'.', n == 2 ? 'h' : 'b', (char)('0' + which % n), 0};
            value[s] =
                part(in[which / n], one, form_signed(f, s + (set ? 0 : 1)));
        }
        big t = operation(f, value[0], value[1]);
        if (form_has(f, "sat")) t = clamp(t, 8 * bytes, d_signed);
        uint32_t low = (uint32_t)t;
        if (form_has(f, "add"))
            d += low;
        else
            memcpy((uint8_t *)&d + k * bytes, &low, bytes);
    }
    return d;
}

uint32_t video_isa(const struct form *f, const uint32_t in[3]) {
    unsigned parts = form_parts(f);
    if (!strncmp(f->text, "vmad", 4)) return multiply(f, in);
    return parts > 1 ? video_parts(f, parts, in) : one_part(f, in);
}
