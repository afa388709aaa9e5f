/* SPDX-License-Identifier: MIT
 *
 * diagnose_numbers.c: sums in numbers of another kind: cut off where they
 * should wrap, rounded as a float rounds, or too narrow.
 */
#include "diagnose_parts.h"

/* Sums, before and with the newest input, in the kind of number at hand. */
struct sums {
    int64_t exact, kept; /* kept: cut off at each step */
    float rounded;
};

static int64_t cut(int64_t x) {
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}

static void diagnose_numbers_add(struct sums *s, int32_t x) {
    s->exact += x;
    s->kept = cut(s->kept + x);
    s->rounded += (float)x;
}

static bool in_range(float x) {
    return x >= -9.2e18f && x <= 9.2e18f;
}

typedef bool (*kind)(const struct sums *, int32_t got);

static bool is_cut(const struct sums *s, int32_t got) {
    return got == cut(s->exact);
}

static bool is_kept_cut(const struct sums *s, int32_t got) {
    return got == s->kept;
}

static bool is_float(const struct sums *s, int32_t got) {
    return in_range(s->rounded) && (got == (int32_t)(int64_t)s->rounded ||
                                    got == cut((int64_t)s->rounded));
}

static bool is_short(const struct sums *s, int32_t got) {
    return got == (int16_t)s->exact || got == (uint16_t)s->exact;
}

static bool all_are(const struct scan_view *v, kind is) {
    struct sums s = {0};
    for (size_t i = 0; i < v->n; i++) {
        if (v->own) diagnose_numbers_add(&s, (int32_t)v->in[i]);
        if (!is(&s, (int32_t)v->got[i])) return false;
        if (!v->own) diagnose_numbers_add(&s, (int32_t)v->in[i]);
    }
    return true;
}

bool diagnose_numbers(const struct scan_view *v, struct diagnosis *d) {
    if (all_are(v, is_cut) || all_are(v, is_kept_cut))
        return shape_is(d, FACT(SUMS_CUT));
    if (all_are(v, is_float)) return shape_is(d, FACT(SUMS_ROUNDED));
    return all_are(v, is_short) && shape_is(d, FACT(SUMS_SHORT));
}
