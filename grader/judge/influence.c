/* SPDX-License-Identifier: MIT
 *
 * influence.c: see influence.h. The runs are in the case's own order, without
 * the clock.
 */
#include "influence.h"

#include <stdlib.h>

#include "changed_call.h"

/* Which elements: a part of n each, the same under every seed. The last ones
 * are for functions that leave much of the output unwritten. */
static const double parts[] = {0.21, 0.52, 0.79, 0.12, 0.05};
enum {
    N_PARTS = sizeof parts / sizeof *parts,
    WANTED = 3,
    WRITTEN = 8 /* one part of so many of the output has to be written */
};

/* What a call answered, and the right answer. */
struct answer {
    int32_t *got, *expected, poison;
    size_t words, n_marked;
};

static int32_t *copy_of(const int32_t *from, size_t words) {
    int32_t *copy = calloc(words + 1, sizeof *copy);
    for (size_t i = 0; copy && i < words; i++) copy[i] = from[i];
    return copy;
}

static void take_answer(void *user, vgpu_device *device,
                        const struct case_seen *seen) {
    struct answer *a = user;
    (void)device;
    if (a->got) return; /* the first call's is enough */
    a->words = signature_out_words(seen->function->signature, seen->n);
    if (seen->n_expected && seen->n_expected < a->words &&
        signature_out_words(seen->function->signature, 2) == 2)
        a->words = seen->n_expected; /* behind them nothing is asked for */
    a->poison = seen->poison;
    a->n_marked = seen->n_marked;
    a->got = copy_of(seen->got, a->words);
    a->expected = copy_of(seen->expected, a->words);
}

static bool is_whole(const struct answer *a) {
    return a->got && a->expected;
}

static void answer_free(struct answer *a) {
    free(a->got);
    free(a->expected);
}

/* 0: the inputs as they are; else one more than the element that is changed. */
static struct answer answer_of(const struct case_spec *s, size_t changed) {
    struct answer a = {0};
    changed_call(s, changed, take_answer, &a);
    return a;
}

static size_t n_written(const struct answer *a) {
    size_t n = 0;
    for (size_t i = 0; i < a->words; i++) n += a->got[i] != a->poison;
    return n;
}

/* Of the words that the function wrote. Negative: none should have changed. */
static double part_changed(const struct answer *before,
                           const struct answer *after) {
    size_t right = 0, ours = 0;
    for (size_t i = 0; i < before->words; i++) {
        if (before->got[i] == before->poison) continue;
        right += before->expected[i] != after->expected[i];
        ours += before->got[i] != after->got[i];
    }
    if (!right) return -1;
    /* What is added too often changes nothing where the sum wraps. */
    if (after->n_marked > ours) ours = after->n_marked;
    return ours >= right ? 1 : (double)ours / (double)right;
}

double influence_of(const struct case_spec *s) {
    struct answer plain = answer_of(s, 0);
    double sum = 0;
    int counted = 0;
    bool enough =
        is_whole(&plain) && n_written(&plain) * WRITTEN >= plain.words;
    for (int i = 0; i < N_PARTS && counted < WANTED && enough; i++) {
        struct answer a = answer_of(s, 1 + (size_t)(parts[i] * (double)s->n));
        double part = is_whole(&a) ? part_changed(&plain, &a) : -1;
        answer_free(&a);
        if (part < 0) continue;
        sum += part;
        counted++;
    }
    answer_free(&plain);
    return counted ? sum / counted : 0;
}
