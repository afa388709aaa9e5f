/* SPDX-License-Identifier: MIT
 *
 * unwritten.c: see unwritten.h. The failed call is made once more, with other
 * contents of memory and another poison. What reaches the output, an address or
 * a branch changes the answer then.
 */
#include "unwritten.h"

#include <stdlib.h>

#include "oracle.h"

enum { LIMIT_MS = 3000 };

/* Can another run tell? Shared memory has no contents that could be others; a
 * later call of a case depends on those before it. */
static bool can_tell(const struct case_spec *s, const struct finding *f) {
    return f && f->kind == VGPU_FINDING_UNINITIALISED &&
           f->address >= VGPU_ADDRESS_BASE && s->device == WIRE_VGPU &&
           !(case_vgpu_checks(s) & VGPU_CHECK_INITCHECK) &&
           s->check->repeat == 1 &&
           oracle_shape(case_function(s)->oracle) == OUTPUT_SCAN;
}

/* A word that was left as it was handed over is none of the same: a kernel that
 * read nonsense may well have stored elsewhere, both times. */
static bool is_same(const struct diagnose_case *wrong, const int32_t *got,
                    size_t words) {
    for (size_t i = 0; i < words; i++)
        if (wrong->got[i] != got[i] || got[i] == wrong->poison) return false;
    return true;
}

static bool answers(const struct case_spec *s, const int32_t *in,
                    int32_t poison, int32_t *got) {
    struct harness_settings settings;
    struct harness harness;
    struct harness_call call;
    case_settings(s, &settings);
    settings.vgpu_checks = VGPU_CHECK_MEMCHECK; /* the others take time */
    settings.also_watched = 0;
    settings.contents = VGPU_CONTENTS_RANDOM;
    settings.contents_seed = s->seed + 1;
    if (settings.limit_ms > LIMIT_MS) settings.limit_ms = LIMIT_MS;
    bool done =
        harness_open(&harness, &settings) == HARNESS_OK &&
        harness_call(&harness, in, s->n, poison, got, &call) == HARNESS_OK &&
        call.status == 0;
    harness_close(&harness);
    return done;
}

bool unwritten_is_unused(const struct case_spec *s, const struct finding *f,
                         const struct diagnose_case *wrong) {
    size_t words = signature_out_words(case_function(s)->signature, s->n);
    int32_t poison = ~wrong->poison, *got;
    if (!can_tell(s, f)) return false;
    got = calloc(words + 1, sizeof *got);
    for (size_t i = 0; got && i < words; i++) got[i] = poison;
    bool unused =
        got && answers(s, wrong->in, poison, got) && is_same(wrong, got, words);
    free(got);
    return unused;
}
