/* SPDX-License-Identifier: MIT
 *
 * test_hardware.c: every exact form answers as the H200 did, on 4096 lanes of
 * operands that favour edges, in both instruction sets. h200.txt holds what the
 * hardware answered, as one digest per form (on_gpu.c made it). Approximate
 * forms have none: there the instruction sets agree with each other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"
#include "unit.h"

struct answers {
    char (*form)[64];
    uint64_t *digest;
    size_t n;
};

static int read_answers(void **state) {
    static struct answers a;
    enum { MOST = 16384 };
    a.form = calloc(MOST, sizeof *a.form);
    a.digest = calloc(MOST, sizeof *a.digest);
    FILE *f = fopen(ALU_ANSWERS, "r");
    if (!a.form || !a.digest || !f) return -1;
    unsigned long long digest;
    bool ok = fscanf(f, "#%*[^\n]") != EOF;
    while (a.n < MOST && fscanf(f, "%63s %llx", a.form[a.n], &digest) == 2)
        a.digest[a.n++] = digest;
    ok = ok && feof(f);
    fclose(f);
    *state = &a;
    return ok ? 0 : -1;
}

static int free_answers(void **state) {
    struct answers *a = *state;
    free(a->form);
    free(a->digest);
    return 0;
}

static uint64_t digest_of(struct trial *t, const struct alu_row *row) {
    uint64_t seed = trial_seed(row->form), digest = 0;
    for (unsigned k = 0; k < TRIAL_ROUNDS; k++) {
        trial_fill(t, row, &seed);
        trial_run(t, row);
        digest = trial_digest(digest, t, t->got);
    }
    return digest;
}

static void answers_as_hardware(const struct answers *a, int isa) {
    const struct alu_table *table = alu_tables_select(isa);
    if (!table) {
        puts("SKIP: no forms for AVX2 in this build, or no AVX2");
        skip();
    }
    struct trial *t = calloc(1, sizeof *t);
    assert_non_null(t);
    unsigned wrong = 0;
    for (size_t k = 0; k < a->n; k++) {
        const struct alu_row *row = row_find(table, a->form[k]);
        if (!row)
            print_error("%s: no such form\n", a->form[k]);
        else if (digest_of(t, row) == a->digest[k])
            continue;
        else
            print_error("%s: not the hardware's answers (alu_on_gpu says "
                        "which)\n",
                        a->form[k]);
        wrong++;
    }
    free(t);
    assert_true(a->n > 4000);
    assert_int_equal(wrong, 0);
}

TEST(baseline_answers_as_hardware) {
    answers_as_hardware(*state, 0);
}

TEST(avx2_answers_as_hardware) {
    answers_as_hardware(*state, 1);
}

static bool is_answered(const struct answers *a, const char *form) {
    for (size_t k = 0; k < a->n; k++)
        if (!strcmp(a->form[k], form)) return true;
    return false;
}

TEST(every_form_is_judged) {
    const struct answers *a = *state;
    const struct alu_table *narrow = alu_tables_select(0);
    const struct alu_table *wide = alu_tables_select(1);
    struct trial *t = calloc(1, sizeof *t);
    assert_non_null(t);
    unsigned wrong = 0;
    const struct alu_row *row;
    for (unsigned k = 0; (row = row_at(narrow, k)) != NULL; k++) {
        if (is_answered(a, row->form)) continue;
        if (!trial_is_approximate(row->form)) {
            print_error("%s: exact, but not in h200.txt\n", row->form);
            wrong++;
        } else if (wide && digest_of(t, row) !=
                               digest_of(t, alu_find(wide, row->form))) {
            print_error("%s: instruction sets differ\n", row->form);
            wrong++;
        }
    }
    free(t);
    assert_int_equal(wrong, 0);
}

UNIT_MAIN(read_answers, free_answers)
