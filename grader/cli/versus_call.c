/* SPDX-License-Identifier: MIT
 *
 * versus_call.c: see versus_call.h.
 */
#include "versus_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "signature.h"
#include "single.h"
#include "translate.h"

enum { PUBLISHED_N = 4096, READ_BYTES = 32, VERSUS_SEED = 1 };

/* The device and clock of the published numbers. */
static const char published_clock[] = "h200";

static const struct published {
    const char *lab, *function;
    double reference[N_VERSUS], cub_us;
} published[] = {
#define X(lab, function, launches, ops, moved, us, cub)                        \
    {lab, function, {launches, ops, moved, us}, cub},
#include "published.def"
#undef X
};

static const char *const whats[N_VERSUS] = {"launches", "data operations",
                                            "elements moved, per element",
                                            "model time, us"};

/* ---- one call ---- */

static void versus_inspect(void *user, vgpu_device *device,
                           const uint64_t counts[VGPU_N_COUNTERS]) {
    struct versus *v = user;
    double *mine = v->value[VERSUS_MINE];
    double bytes =
        READ_BYTES * (double)(counts[VGPU_COUNT_GLOBAL_READ_SECTORS] +
                              counts[VGPU_COUNT_GLOBAL_WRITE_SECTORS]) +
        2 * (double)counts[VGPU_COUNT_D2D_BYTES] +
        (double)counts[VGPU_COUNT_MEMSET_BYTES];
    (void)device;
    mine[VERSUS_LAUNCHES] = (double)counts[VGPU_COUNT_LAUNCHES];
    mine[VERSUS_OPS] = (double)counts[VGPU_COUNT_DATA_OPS];
    mine[VERSUS_MOVED] = bytes / sizeof(int32_t) / (double)v->n;
    mine[VERSUS_MODEL_US] = (double)counts[VGPU_COUNT_MODEL_NS] / 1000;
}

static bool versus_one(const struct judge_options *judge, const struct lab *lab,
                       struct versus *v) {
    struct single_options call = {.root = judge->root,
                                  .submission = judge->submission,
                                  .build_folder = judge->build_folder,
                                  .lab = lab,
                                  .function = v->function,
                                  .n = v->n,
                                  .clock = published_clock,
                                  .seed = VERSUS_SEED,
                                  .inspect = versus_inspect,
                                  .user = v};
    struct case_result result;
    struct unbuilt unbuilt;
    char error[JUDGE_ERROR_BYTES] = "";
    parameters_usual(&call.parameters);
    if (!judge_single(&call, &result, &unbuilt, error)) return false;
    bool ran = !unbuilt.why && result.verdict != CASE_TODO;
    v->right = result.verdict == CASE_PASS;
    case_result_free(&result);
    free(unbuilt.why);
    return ran && v->value[VERSUS_MINE][VERSUS_LAUNCHES] > 0;
}

/* ---- all of a lab ---- */

static void versus_begin(struct versus *v, const struct published *row,
                         int function, const struct versus *last) {
    *v = (struct versus){.function = function, .n = PUBLISHED_N};
    for (int k = 0; k < N_VERSUS; k++) {
        v->value[VERSUS_MINE][k] = v->value[VERSUS_CUB][k] = -1;
        v->value[VERSUS_LAST][k] = last ? last->value[VERSUS_MINE][k] : -1;
        v->value[VERSUS_REFERENCE][k] = row->reference[k];
    }
    v->value[VERSUS_CUB][VERSUS_MODEL_US] = row->cub_us;
}

static const struct versus *versus_find(const struct since *s, int function) {
    for (size_t i = 0; i < s->n_versus; i++)
        if (s->versus[i].function == function) return &s->versus[i];
    return NULL;
}

static int versus_function(const struct lab *lab, const char *id) {
    for (size_t i = 0; i < lab->n_functions; i++)
        if (strcmp(lab->functions[i].id, id) == 0) return (int)i;
    return -1;
}

/* Why no number of the reference stands beside a lab's. */
static const char *unpublished(const struct lab *lab) {
    const char *kind = strrchr(lab->source, '.');
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (strcmp(published[i].lab, lab->id) == 0) return NULL;
    if (kind && strcmp(kind, ".c") == 0)
        return N_("This lab runs on the CPU, where launches and operations are "
                  "not counted: there are no numbers to stand beside.");
    for (size_t i = 0; i < lab->n_functions; i++)
        if (signature_takes(lab->functions[i].signature, PARAMETER_devices))
            return N_("This lab uses several GPUs; the course publishes counts "
                      "of one GPU alone.");
    return N_("The course publishes no counts of this lab's functions.");
}

void versus_call(const struct judge_options *judge, struct since *since) {
    const struct since last = *since;
    since->n_versus = 0;
    since->unpublished = unpublished(since->lab);
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const struct published *row = &published[i];
        struct versus *v = &since->versus[since->n_versus];
        int function = strcmp(row->lab, since->lab->id) == 0
                           ? versus_function(since->lab, row->function)
                           : -1;
        if (function < 0 || since->n_versus == VERSUS_MOST) continue;
        versus_begin(v, row, function, versus_find(&last, function));
        since->n_versus += versus_one(judge, since->lab, v);
    }
}

/* ---- in words ---- */

static void versus_number(double value, int what) {
    char number[32] = "";
    if (value >= 0)
        snprintf(number, sizeof number, "%.*f", what < VERSUS_MOVED ? 0 : 2,
                 value);
    printf("%12s", number);
}

void versus_print(const struct since *since) {
    if (since->unpublished) printf("  %s\n", _(since->unpublished));
    for (size_t i = 0; i < since->n_versus; i++) {
        const struct versus *v = &since->versus[i];
        char name[64];
        snprintf(name, sizeof name, "%s, n = %zu%s",
                 since->lab->functions[v->function].id, v->n,
                 v->right ? "" : " (wrong)");
        printf("  %-30s%12s%12s%12s%12s\n", name, "now", "last save",
               "reference", "CUB");
        for (int k = 0; k < N_VERSUS; k++) {
            printf("    %-28s", whats[k]);
            for (int side = 0; side < N_VERSUS_SIDES; side++)
                versus_number(v->value[side][k], k);
            putchar('\n');
        }
    }
}
