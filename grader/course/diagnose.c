/* SPDX-License-Identifier: MIT
 *
 * diagnose.c: leads the diagnosis: the first difference, whether a second run
 * gives the same output, the shape, and what the first wrong output contains.
 */
#include "diagnose.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose_parts.h"

static const struct {
    const char *id, *cause;
} shapes[N_SHAPES] = {
#define X(name, id, cause) [SHAPE_##name] = {id, cause},
#include "shapes.def"
#undef X
};

const char *diagnosis_shape_id(enum diagnosis_shape shape) {
    return shapes[shape].id;
}

/* How many elements of the output count, and are compared. */
static size_t n_compared(const struct diagnose_case *c) {
    size_t n = c->n_got < c->n ? c->n_got : c->n;
    return n < c->n_expected ? n : c->n_expected;
}

static void say_first(const struct diagnose_case *c,
                      const struct difference *difference,
                      struct diagnosis *d) {
    char *text = d->first;
    const size_t size = sizeof d->first;
    if (c->n_got != c->n_expected)
        diagnose_say(text, size, "expected %zu kept, got %zu%s", c->n_expected,
                     c->n_got, difference->count ? "; " : "");
    if (difference->count == 0) return;
    diagnose_say(text, size, "out[%zu]: expected %" PRId32 ", got %" PRId32,
                 difference->first, difference->expected, difference->got);
    if (difference->got == c->poison && !c->in_place)
        diagnose_say(text, size, " (never written)");
    else if (difference->got == UNWRITTEN_WORD)
        diagnose_say(text, size, UNWRITTEN_WORDS);
    size_t n = n_compared(c);
    if (difference->count == n)
        diagnose_say(text, size, n == 1 ? "" : "; all %zu elements differ", n);
    else if (difference->count > 1)
        diagnose_say(text, size,
                     "; %zu of %zu elements differ, the last is out[%zu]",
                     difference->count, n, difference->last);
}

/* A second run on the same input. true: it gave another output. */
static bool changes(const struct diagnose_case *c, struct prober *prober) {
    struct diagnosis *d = prober->diagnosis;
    memcpy(prober->in, c->in, c->n * sizeof *prober->in);
    if (!diagnose_probe(prober)) return false;
    struct difference again;
    if (oracle_compare(c->got, prober->out, n_compared(c), &again))
        return false;
    d->kind = SHAPE_CHANGES;
    diagnose_say(d->shape, sizeof d->shape,
                 "the output changes from run to run: out[%zu] was %" PRId32
                 ", then %" PRId32 " on the same input: a race",
                 again.first, again.expected, again.got);
    return true;
}

static void diagnose_scan(const struct diagnose_case *c,
                          const struct difference *difference,
                          struct prober *prober) {
    uint32_t *prefix = malloc((c->n + 1) * sizeof *prefix);
    if (!prefix) return;
    prefix[0] = 0;
    for (size_t i = 0; i < c->n; i++)
        prefix[i + 1] = prefix[i] + (uint32_t)c->in[i];
    struct scan_view view = {.c = c,
                             .in = (const uint32_t *)c->in,
                             .expected = (const uint32_t *)c->expected,
                             .got = (const uint32_t *)c->got,
                             .prefix = prefix,
                             .n = c->n,
                             .own = c->oracle == ORACLE_inclusive_sum,
                             .difference = *difference};
    diagnose_scan_shape(&view, prober->diagnosis);
    enum diagnosis_shape kind = prober->diagnosis->kind;
    bool told = kind == SHAPE_NOT_WRITTEN || kind == SHAPE_ALL_ZERO ||
                kind == SHAPE_OTHER_OPERATOR;
    told |= !c->in_place && c->got[difference->first] == c->poison;
    if (!told && prober->in) diagnose_contains(&view, prober);
    free(prefix);
}

/* Sentences begin with a capital letter, unless it is the name out. */
static void begin_sentence(char *text) {
    bool word = strncmp(text, "out", 3) != 0 || isalpha((unsigned char)text[3]);
    if (word) *text = (char)toupper((unsigned char)*text);
}

/* The usual cause of a shape that says little, such as "only the last element",
 * is not it when inputs were counted twice: then the caller knows better. */
static const char *usual_cause(const struct diagnosis *d) {
    static const enum diagnosis_shape weak[] = {
        SHAPE_LAST_ONLY, SHAPE_FIRST_ONLY, SHAPE_TAIL, SHAPE_POWER_OF_TWO,
        SHAPE_PERIODIC};
    for (size_t i = 0; i < sizeof weak / sizeof *weak; i++)
        if (d->kind == weak[i] && strstr(d->contains, " counts in[")) return "";
    return shapes[d->kind].cause;
}

void diagnose(const struct diagnose_case *c, struct diagnosis *d) {
    *d = (struct diagnosis){.kind = SHAPE_NONE};
    struct difference difference;
    oracle_compare(c->expected, c->got, n_compared(c), &difference);
    if (difference.count == 0 && c->n_got == c->n_expected) return;
    say_first(c, &difference, d);
    struct prober prober = {.c = c,
                            .diagnosis = d,
                            .deadline_ms =
                                diagnose_clock_ms() + c->time_limit_ms};
    bool again = false;
    if (c->run && c->n > 0) {
        prober.in = malloc(2 * c->n * sizeof *prober.in);
        if (prober.in) {
            prober.out = prober.in + c->n;
            again = changes(c, &prober);
        }
    }
    if (!again) {
        if (oracle_shape(c->oracle) == OUTPUT_COMPACT)
            diagnose_compact_shape(c, d);
        else if (difference.count > 0)
            diagnose_scan(c, &difference, &prober);
    }
    free(prober.in);
    begin_sentence(d->shape);
    diagnose_say(d->cause, sizeof d->cause, "%s", usual_cause(d));
}
