/* SPDX-License-Identifier: MIT
 *
 * test_products.c: every shape and type of mma beside plain C (reference.h),
 * with the numbers of cases.h: ordinary ones, far apart, subnormal, infinite,
 * NaN. Where elements lie is written down here a second time, from the PTX ISA
 * ("Matrix fragments for mma").
 */
#include <stdio.h>

#include "cases.h"
#include "products.h"
#include "reference.h"
#include "text.h"
#include "unit.h"

enum { CASES = 27, MOST = 256 };

struct form {
    const char *shape, *more; /* more: behind .row.col, before the types */
    const char *end;          /* behind the types */
    uint32_t m, k;
    enum element_type a, b, c, d;
    enum integers how;
};
#define INTEGERS(m, k, a, b)                                                   \
    {"m" #m "n8k" #k, "", "", m, k, a, b, S32, S32, WRAP}, {                   \
        "m" #m "n8k" #k, ".satfinite", "", m, k, a, b, S32, S32, SATURATE      \
    }
#define EIGHT(m, k)                                                            \
    INTEGERS(m, k, S8, S8), INTEGERS(m, k, U8, U8), INTEGERS(m, k, S8, U8),    \
        INTEGERS(m, k, U8, S8)
#define FOUR(m, k)                                                             \
    INTEGERS(m, k, S4, S4), INTEGERS(m, k, U4, U4), INTEGERS(m, k, S4, U4),    \
        INTEGERS(m, k, U4, S4)
#define ONE(m, k)                                                              \
    {"m" #m "n8k" #k, "", ".xor.popc", m, k, B1, B1, S32, S32, BITS_XOR}, {    \
        "m" #m "n8k" #k, "", ".and.popc", m, k, B1, B1, S32, S32, BITS_AND     \
    }
static const struct form forms[] = {
    {"m16n8k8", "", "", 16, 8, F16, F16, F16, F16, WRAP},
    {"m16n8k8", "", "", 16, 8, F16, F16, F32, F32, WRAP},
    {"m16n8k16", "", "", 16, 16, F16, F16, F16, F16, WRAP},
    {"m16n8k16", "", "", 16, 16, F16, F16, F32, F32, WRAP},
    {"m16n8k8", "", "", 16, 8, BF16, BF16, F32, F32, WRAP},
    {"m16n8k16", "", "", 16, 16, BF16, BF16, F32, F32, WRAP},
    {"m16n8k4", "", "", 16, 4, TF32, TF32, F32, F32, WRAP},
    {"m16n8k8", "", "", 16, 8, TF32, TF32, F32, F32, WRAP},
    EIGHT(8, 16),
    EIGHT(16, 16),
    EIGHT(16, 32),
    FOUR(8, 32),
    FOUR(16, 32),
    FOUR(16, 64),
    ONE(8, 128),
    ONE(16, 128),
    ONE(16, 256)};
enum { N_FORMS = sizeof forms / sizeof *forms };

/* ---- where elements lie ---- */

static uint32_t element(const uint32_t *words, uint32_t lane, uint32_t i,
                        uint32_t bits) {
    uint32_t per = 32 / bits, word = words[i / per * 32 + lane];
    return bits == 32 ? word : word >> i % per * bits & ((1u << bits) - 1);
}

/* Of a: element i of a lane; m 8 has no upper half. */
static void rows_of_a(const struct form *f, const uint32_t *words,
                      uint32_t rows[16][MOST]) {
    uint32_t bits = bits_of_type(f->a), per = 32 / bits;
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t i = 0; i < f->m * f->k / 32; i++) {
            bool upper = f->m == 16 && i / per % 2;
            uint32_t quarter = i / per / (f->m / 8);
            rows[lane / 4 + (upper ? 8 : 0)]
                [lane % 4 * per + i % per + quarter * 4 * per] =
                    element(words, lane, i, bits);
        }
}

static void columns_of_b(const struct form *f, const uint32_t *words,
                         uint32_t columns[8][MOST]) {
    uint32_t bits = bits_of_type(f->b), per = 32 / bits;
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t i = 0; i < 8 * f->k / 32; i++)
            columns[lane / 4][lane % 4 * per + i % per + i / per * 4 * per] =
                element(words, lane, i, bits);
}

/* Of c and d: row and column of element i. */
static void place_of_c(uint32_t lane, uint32_t i, uint32_t *row,
                       uint32_t *column) {
    *row = lane / 4 + (i >= 2 ? 8 : 0);
    *column = lane % 4 * 2 + i % 2;
}

/* ---- one form ---- */

static uint32_t registers(uint32_t elements, enum element_type t) {
    return elements / 32 * bits_of_type(t) / 32;
}

static void add_list(struct text *t, char name, uint32_t n) {
    text_add(t, "{");
    for (uint32_t k = 0; k < n; k++)
        text_add(t, "%s%%%c%u", k ? "," : "", name, k);
    text_add(t, "}");
}

static void add_form(struct text *t, const struct form *f, const uint32_t *n) {
    for (uint32_t o = 0, at = 0; o < 3; o++)
        for (uint32_t k = 0; k < n[o]; k++, at++)
            text_add(t, "ld.global.b32 %%%c%u, [%%at+%u];\n", "abc"[o], k,
                     at * 128);
    text_add(t, "mma.sync.aligned.%s.row.col%s.%s.%s.%s.%s%s ", f->shape,
             f->more, name_of_type(f->d), name_of_type(f->a),
             name_of_type(f->b), name_of_type(f->c), f->end);
    for (uint32_t o = 0; o < 4; o++) {
        if (o) text_add(t, ", ");
        add_list(t, "dabc"[o], n[(o + 3) % 4]);
    }
    text_add(t, ";\n");
    for (uint32_t k = 0; k < n[3]; k++)
        text_add(t, "st.global.b32 [%%to+%u], %%d%u;\n", k * 128, k);
}

static uint32_t expected(const struct form *f, const uint32_t *a,
                         const uint32_t *b, uint32_t c) {
    return is_real_type(f->a)
               ? reference_sum(a, b, f->k, f->a, c, f->c, f->d)
               : reference_whole_sum(a, b, f->k, f->a, f->b, c, f->how);
}

static void compare(const struct form *f, const uint32_t *n, const uint32_t *in,
                    const uint32_t *out) {
    static uint32_t rows[16][MOST], columns[8][MOST];
    const uint32_t *c = in + 32 * (n[0] + n[1]);
    uint32_t bits = bits_of_type(f->d), row, column;
    rows_of_a(f, in, rows);
    columns_of_b(f, in + 32 * n[0], columns);
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t i = 0; i < f->m * 8 / 32; i++) {
            place_of_c(lane, i, &row, &column);
            uint32_t want = expected(f, rows[row], columns[column],
                                     element(c, lane, i, bits_of_type(f->c)));
            uint32_t is = element(out, lane, i, bits);
            if (is != want)
                fail_msg("%s%s.%s.%s: row %u, column %u: 0x%x, not 0x%x",
                         f->shape, f->more, name_of_type(f->a),
                         name_of_type(f->b), row, column, is, want);
        }
}

static void run_form(const struct form *f, uint32_t number, uint32_t cases) {
    uint32_t n[4] = {registers(f->m * f->k, f->a), registers(8 * f->k, f->b),
                     registers(f->m * 8, f->c), registers(f->m * 8, f->d)};
    uint32_t in[16 * 32], out[4 * 32];
    struct text t = {0};
    add_form(&t, f, n);
    for (uint32_t k = 0; k < cases; k++) {
        uint32_t at = 0;
        enum element_type types[] = {f->a, f->b, f->c};
        for (uint32_t o = 0; o < 3; at += n[o++] * 32)
            matrix_operand(1000 + number, k, o, numbers_of_type(types[o]), n[o],
                           in + at);
        products_run(&(struct products){.body = text_string(&t),
                                        .in = in,
                                        .out = out,
                                        .n_in = at,
                                        .n_out = n[3] * 32});
        compare(f, n, in, out);
    }
    text_free(&t);
}

TEST(reals_are_summed_by_the_rule) {
    for (uint32_t k = 0; k < N_FORMS; k++)
        if (is_real_type(forms[k].a)) run_form(&forms[k], k, CASES);
}

TEST(integers_are_exact) {
    for (uint32_t k = 0; k < N_FORMS; k++)
        if (!is_real_type(forms[k].a)) run_form(&forms[k], k, 3);
}

/* The result goes where its addend was; and the same lanes again. */
TEST(a_fragment_may_be_its_own_addend) {
    const struct form *f = &forms[3];
    uint32_t in[10 * 32], out[4 * 32], want[4 * 32];
    uint32_t n[4] = {4, 2, 4, 4};
    struct text t = {0};
    for (uint32_t o = 0; o < 3; o++)
        matrix_operand(3, 0, o, o < 2 ? IS_F16 : IS_F32, n[o],
                       in + 32 * (o * 4 - (o == 2 ? 2 : 0)));
    add_form(&t, f, n);
    struct products p = {.body = text_string(&t),
                         .in = in,
                         .out = want,
                         .n_in = 320,
                         .n_out = 128};
    products_run(&p);
    char *at;
    while ((at = strstr(t.bytes, "%d"))) at[1] = 'c';
    p.out = out;
    products_run(&p);
    assert_memory_equal(out, want, sizeof want);
    text_free(&t);
}

UNIT_MAIN(NULL, NULL)
