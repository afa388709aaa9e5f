/* SPDX-License-Identifier: MIT
 *
 * explain_watched.c: what was found in a call of a watched library.
 */
#include "explain_parts.h"

typedef struct fact make_fact(const struct harness *,
                              const struct watch_finding *,
                              const struct place *);

static const char *symbol_of(const struct harness *h) {
    return h->settings.function->symbol;
}

/* file NULL: the place is not known. */
static struct fact access_fact(const struct harness *h,
                               const struct watch_finding *f,
                               const struct place *p) {
    const char *symbol = symbol_of(h), *file = p->file;
    long long index = (long long)f->value2 / (long long)sizeof(int32_t);
    switch ((enum wire_access)f->value) {
    case WIRE_ACCESS_IN:
        return FACT(WATCH_IN, {V(symbol), V(index), V(file), V(p->line)});
    case WIRE_ACCESS_OUT:
        return FACT(WATCH_OUT, {V(symbol), V(index), V(file), V(p->line)});
    case WIRE_ACCESS_UNWRITTEN:
        return FACT(WATCH_UNWRITTEN,
                    {V(symbol), V(index), V(file), V(p->line)});
    case WIRE_ACCESS_STATIC:
        return FACT(WATCH_STATIC, {V(symbol), V(file), V(p->line)});
    case WIRE_ACCESS_BEFORE:
        return FACT(WATCH_BEFORE, {V(symbol), V(file), V(p->line)});
    case WIRE_ACCESS_FREED:
        return FACT(WATCH_FREED, {V(symbol), V(file), V(p->line)});
    default: return FACT(WATCH_PAST, {V(symbol), V(file), V(p->line)});
    }
}

static struct fact static_fact(const struct harness *h,
                               const struct watch_finding *f,
                               const struct place *p) {
    (void)f;
    return FACT(WATCH_STATIC, {V(symbol_of(h)), V(p->file), V(p->line)});
}

static struct fact race_fact(const struct harness *h,
                             const struct watch_finding *f,
                             const struct place *p) {
    (void)f;
    return FACT(WATCH_RACE, {V(symbol_of(h)), V(p->file), V(p->line)});
}

static struct fact undefined_fact(const struct harness *h,
                                  const struct watch_finding *f,
                                  const struct place *p) {
    (void)f;
    return FACT(WATCH_UNDEFINED, {V(symbol_of(h)), V(p->file), V(p->line)});
}

static struct fact shared_fact(const struct harness *h,
                               const struct watch_finding *f,
                               const struct place *p) {
    (void)p;
    if (!f->value && f->value2)
        return FACT(WATCH_UNSEEN,
                    {V(symbol_of(h)), V(f->value2 - 1), V(h->arena_n)});
    if (!f->value) return FACT(WATCH_IN_TURN, {V(symbol_of(h))});
    return FACT(WATCH_SHARED,
                {V(symbol_of(h)),
                 V(h->settings.parameters->value[PARAMETER_threads]),
                 V(h->arena_n), V(f->value), V(f->value2)});
}

static struct fact passes_fact(const struct harness *h,
                               const struct watch_finding *f,
                               const struct place *p) {
    (void)p;
    if (f->value == UINT64_MAX)
        return FACT(WATCH_LATE_OUTPUT,
                    {V(symbol_of(h)), V(f->value2), V(h->arena_n)});
    return FACT(WATCH_TWO_PASSES,
                {V(symbol_of(h)), V(f->value), V(h->arena_n), V(f->value2)});
}

static struct fact aggregate_fact(const struct harness *h,
                                  const struct watch_finding *f,
                                  const struct place *p) {
    (void)f, (void)p;
    return FACT(WATCH_NO_AGGREGATE, {V(symbol_of(h))});
}

static struct fact prefix_fact(const struct harness *h,
                               const struct watch_finding *f,
                               const struct place *p) {
    (void)p;
    return FACT(WATCH_NO_PREFIX, {V(symbol_of(h)), V(f->value), V(f->value2)});
}

bool explain_watched(struct harness *h, struct outcome *o) {
    static make_fact *const facts[WIRE_N_WATCHES] = {
        [WIRE_WATCH_ADDRESS] = access_fact,
        [WIRE_WATCH_STATICS] = static_fact,
        [WIRE_WATCH_UNDEFINED] = undefined_fact,
        [WIRE_WATCH_THREAD] = race_fact,
        [WIRE_WATCH_SHARED] = shared_fact,
        [WIRE_WATCH_ONE_PASS] = passes_fact,
        [WIRE_WATCH_AGGREGATES] = aggregate_fact,
        [WIRE_WATCH_PREFIXES] = prefix_fact};
    for (int i = 0; i < WIRE_N_WATCHES; i++) {
        const struct watch_finding *f = &h->process.found[i];
        if (!f->is || !facts[i] || !(h->settings.watch >> i & 1)) continue;
        struct place place = explain_place(h, &f->place);
        outcome_add(o, facts[i](h, f, &place));
        o->place = place;
        return true;
    }
    return false;
}
