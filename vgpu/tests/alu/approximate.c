/* SPDX-License-Identifier: MIT
 *
 * approximate.c: see approximate.h.
 */
#include "approximate.h"

#include <math.h>
#include <string.h>

static long double reciprocal(long double a) {
    return 1 / a;
}
static long double root(long double a) {
    return sqrtl(a);
}
static long double reciprocal_root(long double a) {
    return 1 / sqrtl(a);
}
/* of div: see promise_distance() */
static long double quotient(long double a) {
    return a;
}

const struct promise promises[] = {
#define X(form, function, measure, bound, text, low, high)                     \
    {form, function, measure, bound, text, low, high},
#include "approximate.def"
#undef X
};
const unsigned n_promises = sizeof promises / sizeof *promises;

struct format {
    int fraction, bits, least; /* the smallest normal number's exponent */
    long double most;
};

static const struct format *format_of(const char *form) {
    static const struct format half = {10, 16, -14, 65504},
                               brain = {7, 16, -126, 0x1.fep127L},
                               single = {23, 32, -126, 0x1.fffffep127L};
    return strstr(form, ".f16")    ? &half
           : strstr(form, ".bf16") ? &brain
                                   : &single;
}

long double approximate_value(const char *form, uint64_t bits) {
    const struct format *f = format_of(form);
    uint64_t sign = 1ull << (f->bits - 1), m = 1ull << f->fraction;
    int e = (int)((bits & (sign - 1)) >> f->fraction);
    long double value = (long double)(bits & (m - 1));
    if (e)
        value += (long double)m;
    else
        e = 1;
    value = ldexpl(value, e - 1 + f->least - f->fraction);
    return bits & sign ? -value : value;
}

bool promise_is_of_quotient(const struct promise *p) {
    return p->function == quotient;
}

/* One unit in the last place of the format at this value. */
static long double unit(const struct format *f, long double value) {
    int e = value == 0 ? f->least : ilogbl(value);
    return ldexpl(1, (e < f->least ? f->least : e) - f->fraction);
}

bool promise_distance(const struct promise *p, const uint64_t in[2],
                      uint64_t answer, struct distance *d) {
    const struct format *f = format_of(p->form);
    uint64_t infinity = (1ull << (f->bits - 1)) - (1ull << f->fraction);
    long double a = approximate_value(p->form, in[0]), b = a;
    bool divides = promise_is_of_quotient(p);
    if (divides) b = approximate_value(p->form, in[1]);
    if (!(fabsl(b) >= p->low && fabsl(b) <= p->high)) return false;
    if ((in[0] & infinity) == infinity) return false;
    long double want = divides ? a / b : p->function(a);
    long double least = ldexpl(1, f->least);
    if (!(fabsl(want) >= least && fabsl(want) <= f->most)) return false;
    if (strstr(p->form, "ftz") && fabsl(a) < least) return false;
    long double off = fabsl(approximate_value(p->form, answer) - want);
    d->ulp = off / unit(f, want);
    d->measured = p->measure == ULP        ? d->ulp
                  : p->measure == RELATIVE ? off / fabsl(want)
                                           : off;
    return true;
}
