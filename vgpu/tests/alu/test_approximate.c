/* SPDX-License-Identifier: MIT
 *
 * test_approximate.c: the approximate functions keep what PTX ISA promises of
 * them (approximate.def), beside libm in long double, on every operand of 16
 * bits or 2^18 of 32. The table in vgpu/docs/semantics.md is what comes out.
 *
 *   alu_approximate_test [table]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approximate.h"
#include "trial.h"
#include "documented.h"

enum { ROUNDS = 128, LANES = FORM_PTX_THREADS };
/* ---- one promise ---- */

struct worst {
    unsigned long operands;
    long double ulp, measured;
    uint64_t in[2], got;
};

static bool is_half(const struct promise *p) {
    return strstr(p->form, "f16") != NULL;
}

static uint64_t operand(uint64_t *seed, const struct promise *p,
                        unsigned number) {
    /* f16: each one; f32: even over the exponents of the range */
    if (is_half(p)) return number & 0xffff;
    uint64_t r = vectors_random(seed);
    if (number % 4) {
        int low = ilogb(p->low), high = ilogb(p->high);
        uint64_t e = (uint64_t)(low + (int)(r % (uint64_t)(high - low + 1)));
        return (r >> 40 & 0x807fffff) | (e + 127) << 23;
    }
    float f =
        (float)(p->low + (p->high - p->low) * ((double)(r >> 11) * 0x1p-53));
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    return word | (r & 1) << 31;
}

static void fill(struct trial *t, const struct promise *p, uint64_t *seed,
                 unsigned round) {
    t->n_in = promise_is_of_quotient(p) ? 2 : 1;
    t->n_out = 1;
    for (unsigned i = 0; i < LANES; i++) {
        t->in[0][i] = operand(seed, p, round * LANES + i);
        if (t->n_in == 1) continue;
        t->in[1][i] = t->in[0][i];
        t->in[0][i] = vectors_value(seed, p->form, 'w');
    }
}

static void look(const struct promise *p, const struct trial *t, unsigned i,
                 struct worst *w) {
    const uint64_t mask = is_half(p) ? 0xffff : 0xffffffff;
    const uint64_t in[] = {t->in[0][i] & mask, t->in[1][i] & mask};
    struct distance d;
    if (!promise_distance(p, in, t->got[0][i] & mask, &d)) return;
    w->operands++;
    if (!(d.ulp <= w->ulp)) w->ulp = d.ulp;
    if (d.measured <= w->measured) return;
    w->measured = d.measured;
    memcpy(w->in, in, sizeof in);
    w->got = t->got[0][i];
}

static struct worst worst_of(const struct promise *p, int isa) {
    const struct alu_table *table = alu_tables_select(isa);
    struct worst w = {.operands = 0};
    if (!table) return w;
    const struct alu_row *row = alu_find(table, p->form);
    struct trial *t = calloc(1, sizeof *t);
    assert_non_null(row);
    assert_non_null(t);
    uint64_t seed = trial_seed(p->form);
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (is_half(p) && round * LANES >= 0x10000) break;
        fill(t, p, &seed, round);
        trial_run(t, row);
        for (unsigned i = 0; i < LANES; i++) look(p, t, i, &w);
    }
    free(t);
    return w;
}

static void table_line(const struct promise *p, const struct worst *w,
                       char line[256]) {
    snprintf(line, 256, "| `%s` | %.4Lg to %.4Lg | %s | %.3g | %.1Lf | %lu |",
             p->form, (long double)p->low, (long double)p->high, p->text,
             (double)w->measured, w->ulp, w->operands);
}

/* ---- tests ---- */

TEST(promises_are_kept) {
    unsigned wrong = 0;
    for (unsigned k = 0; k < n_promises; k++)
        for (int isa = 0; isa < 2; isa++) {
            const struct promise *p = &promises[k];
            struct worst w = worst_of(p, isa);
            if (!w.operands && isa) continue; /* no AVX2 here */
            if (w.operands > 1000 && w.measured <= p->bound) continue;
            print_error("%s (%s): %Lg on %#llx %#llx -> %#llx, %lu operands\n",
                        p->form, p->text, w.measured,
                        (unsigned long long)w.in[0],
                        (unsigned long long)w.in[1], (unsigned long long)w.got,
                        w.operands);
            wrong++;
        }
    assert_int_equal(wrong, 0);
}

TEST(every_function_has_a_promise) {
    unsigned n;
    const struct alu_row *rows = alu_rows(alu_tables_select(0), &n);
    for (unsigned k = 0; k < n; k++) {
        const char *form = rows[k].form;
        bool found = !trial_is_approximate(form) || strstr(form, "f64");
        for (unsigned j = 0; j < n_promises; j++)
            found |= !strcmp(promises[j].form, form);
        if (!found) print_error("%s has no promise\n", form);
        assert_true(found);
    }
}

/* Special operands, from the ISA's tables: infinities, zeros, NaN. */
TEST(special_operands) {
    enum { INF = 0x7f800000, ONE = 0x3f800000 };
    const uint32_t minus = 0x80000000u, nan = 0x7fffffffu;
    static const uint32_t in[] = {0xff800000u, 0x80000000u, 0, INF, 0x7fc00000};
    const struct {
        const char *form;
        uint32_t out[5];
    } rows[] = {{"rcp.approx.f32", {minus, minus | INF, INF, 0, nan}},
                {"sqrt.approx.f32", {nan, minus, 0, INF, nan}},
                {"rsqrt.approx.f32", {nan, minus | INF, INF, 0, nan}},
                {"sin.approx.f32", {nan, minus, 0, nan, nan}},
                {"cos.approx.f32", {nan, ONE, ONE, nan, nan}},
                {"lg2.approx.f32", {nan, minus | INF, minus | INF, INF, nan}},
                {"ex2.approx.f32", {0, ONE, ONE, INF, nan}},
                {"tanh.approx.f32", {minus | ONE, minus, 0, ONE, nan}}};
    struct trial *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        t->n_in = t->n_out = 1;
        for (unsigned i = 0; i < LANES; i++) t->in[0][i] = in[i % 5];
        trial_run(t, alu_find(alu_tables_select(-1), rows[k].form));
        for (unsigned i = 0; i < 5; i++) {
            bool is_nan = (t->got[0][i] & 0x7fffffff) > INF;
            if (rows[k].out[i] == nan ? is_nan : t->got[0][i] == rows[k].out[i])
                continue;
            print_error("%s of %#x: %#llx, not %#x\n", rows[k].form, in[i],
                        (unsigned long long)t->got[0][i], rows[k].out[i]);
            fail();
        }
    }
    free(t);
}

TEST(the_table_is_in_the_documentation) {
    char line[256];
    for (unsigned k = 0; k < n_promises; k++) {
        if (strstr(promises[k].form, "ftz.f32")) continue; /* as without */
        struct worst w = worst_of(&promises[k], -1);
        table_line(&promises[k], &w, line);
        assert_documented(line);
    }
}

static int print_table(void) {
    char line[256];
    puts("| form | absolute value of the operand | promised | largest | in ulp "
         "| operands |\n|---|---|---|---|---|---|");
    for (unsigned k = 0; k < n_promises; k++) {
        if (strstr(promises[k].form, "ftz.f32")) continue;
        struct worst w = worst_of(&promises[k], -1);
        table_line(&promises[k], &w, line);
        puts(line);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "table")) return print_table();
    return UNIT_RUN(NULL, NULL);
}
