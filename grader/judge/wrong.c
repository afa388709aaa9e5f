/* SPDX-License-Identifier: MIT
 *
 * wrong.c: see wrong.h.
 */
#include "wrong.h"

#include <stdlib.h>

#include "diagnose.h"
#include "diagnose_plain.h"
#include "oracle.h"

enum { PROBE_LIMIT_MS = 3000 };

struct prober {
    const struct case_spec *spec;
    struct live live;
    bool open, broken;
    int32_t poison;
};

/* diagnose_run */
static bool probe(void *user, const int32_t *in, int32_t *out, size_t n) {
    struct prober *p = user;
    struct live_call call;
    if (!p->open && !p->broken) {
        struct live_settings settings;
        case_settings(p->spec, &settings);
        p->open = true;
        p->broken = live_open(&p->live, &settings) != LIVE_OK;
    }
    if (p->broken) return false;
    for (size_t i = 0; i < n; i++) out[i] = p->poison;
    if (live_call(&p->live, in, n, p->poison, out, &call) == LIVE_OK &&
        call.status == 0)
        return true;
    p->broken = true;
    return false;
}

static void by_probing(const struct case_spec *s, const struct wrong_output *w,
                       struct diagnosis *d) {
    struct prober prober = {.spec = s, .poison = w->poison};
    const struct diagnose_case wrong = {.oracle = case_function(s)->oracle,
                                        .in = w->in,
                                        .n = s->n,
                                        .expected = w->expected,
                                        .n_expected = w->n_expected,
                                        .got = w->got,
                                        .n_got = w->n_got,
                                        .poison = w->poison,
                                        .in_place = s->check->in_place,
                                        .run = probe,
                                        .user = &prober,
                                        .time_limit_ms = PROBE_LIMIT_MS,
                                        .seed = s->seed};
    diagnose(&wrong, d);
    if (prober.open) live_close(&prober.live);
}

static void by_comparing(const struct case_spec *s,
                         const struct wrong_output *w, struct diagnosis *d) {
    const struct plain_case wrong = {.oracle = case_function(s)->oracle,
                                     .signature = case_function(s)->signature,
                                     .parameters = &s->parameters,
                                     .in = w->in,
                                     .expected = w->expected,
                                     .got = w->got,
                                     .n = s->n,
                                     .n_expected = w->n_expected,
                                     .n_got = w->n_got,
                                     .poison = w->poison,
                                     .in_place = s->check->in_place};
    diagnose_plain(&wrong, d);
}

/* Functions that the diagnosis can run on inputs of its own making. */
static bool can_probe(int oracle) {
    return oracle == ORACLE_inclusive_sum || oracle == ORACLE_exclusive_sum ||
           oracle == ORACLE_compact_nonzero;
}

struct diagnosis *wrong_diagnose(const struct case_spec *s,
                                 const struct wrong_output *w) {
    struct diagnosis *d = calloc(1, sizeof *d);
    if (d)
        (can_probe(case_function(s)->oracle) ? by_probing : by_comparing)(s, w,
                                                                          d);
    return d;
}
