/* SPDX-License-Identifier: MIT
 *
 * wrong.c: see wrong.h.
 */
#include "wrong.h"

#include <stdlib.h>

enum { PROBE_LIMIT_MS = 3000 };

struct prober {
    const struct case_spec *spec;
    struct harness harness;
    bool open, broken;
    int32_t poison;
};

/* diagnose_run */
static bool probe(void *user, const int32_t *in, int32_t *out, size_t n) {
    struct prober *p = user;
    struct harness_call call;
    if (!p->open && !p->broken) {
        struct harness_settings settings;
        case_settings(p->spec, &settings);
        settings.vgpu_checks = VGPU_CHECK_MEMCHECK; /* the others take time */
        settings.also_watched = 0;
        p->open = true;
        p->broken = harness_open(&p->harness, &settings) != HARNESS_OK;
    }
    if (p->broken) return false;
    for (size_t i = 0; i < n; i++) out[i] = p->poison;
    if (harness_call(&p->harness, in, n, p->poison, out, &call) == HARNESS_OK &&
        call.status == 0)
        return true;
    p->broken = true;
    return false;
}

struct diagnosis *wrong_diagnose(const struct case_spec *s,
                                 struct diagnose_case wrong) {
    struct diagnosis *d = calloc(1, sizeof *d);
    struct prober prober = {.spec = s, .poison = wrong.poison};
    wrong.oracle = case_function(s)->oracle;
    wrong.rule = case_function(s)->rule;
    wrong.signature = case_function(s)->signature;
    wrong.parameters = &s->parameters;
    wrong.n = s->n;
    wrong.parts = s->lab->parts;
    wrong.n_parts = s->lab->n_parts;
    wrong.in_place = s->check->in_place;
    wrong.way = (enum way)case_function(s)->way;
    wrong.sizes = s->check->sizes;
    wrong.n_sizes = s->check->n_sizes;
    wrong.run = probe;
    wrong.user = &prober;
    wrong.time_limit_ms = PROBE_LIMIT_MS;
    wrong.seed = s->seed;
    if (d) diagnose(&wrong, d);
    if (prober.open) harness_close(&prober.harness);
    return d;
}
