/* SPDX-License-Identifier: MIT
 *
 * test_wmma.c: every shape, type and layout of wmma, from memory to memory,
 * beside plain C (reference.h): whatever lies where in registers. Memory is
 * global or shared, by an address of its own space or a generic one; rows lie
 * behind each other or farther apart.
 */
#include <stdio.h>

#include "cases.h"
#include "products.h"
#include "reference.h"
#include "text.h"
#include "unit.h"

enum { CASES = 9, MOST_WORDS = 4096 };

struct wmma {
    uint32_t m, n, k;
    enum element_type ab, c, d;
    enum integers how;
};
#define SHAPES(ab, c, d, how)                                                  \
    {16, 16, 16, ab, c, d, how}, {32, 8, 16, ab, c, d, how}, {                 \
        8, 32, 16, ab, c, d, how                                               \
    }
static const struct wmma forms[] = {
    SHAPES(F16, F16, F16, WRAP),         SHAPES(F16, F32, F32, WRAP),
    SHAPES(F16, F16, F32, WRAP),         SHAPES(F16, F32, F16, WRAP),
    SHAPES(BF16, F32, F32, WRAP),        {16, 16, 8, TF32, F32, F32, WRAP},
    SHAPES(S8, S32, S32, WRAP),          SHAPES(U8, S32, S32, SATURATE),
    {8, 8, 32, S4, S32, S32, SATURATE},  {8, 8, 32, U4, S32, S32, WRAP},
    {8, 8, 128, B1, S32, S32, BITS_XOR}, {8, 8, 128, B1, S32, S32, BITS_AND}};
enum { N_FORMS = sizeof forms / sizeof *forms };

/* A matrix in memory. */
struct matrix {
    enum element_type type;
    uint32_t rows, columns;
    bool by_column;
    uint32_t stride, at, words; /* elements; words from the beginning */
};

static struct matrix matrix_of(enum element_type t, uint32_t rows,
                               uint32_t columns, bool by_column, bool apart,
                               uint32_t at) {
    struct matrix x = {t, rows, columns, by_column, 0, at, 0};
    uint32_t bits = bits_of_type(t), lines = by_column ? columns : rows;
    x.stride = (by_column ? rows : columns) + (apart ? 128 / bits : 0);
    x.words = (lines * x.stride * bits / 32 + 7) / 8 * 8;
    return x;
}

static uint32_t at_of(const struct matrix *x, const uint32_t *words,
                      uint32_t row, uint32_t column) {
    uint32_t bits = bits_of_type(x->type);
    uint32_t bit =
        (x->by_column ? column * x->stride + row : row * x->stride + column) *
        bits;
    uint32_t word = words[x->at + bit / 32];
    return bits == 32 ? word : word >> bit % 32 & ((1u << bits) - 1);
}

/* ---- the kernel ---- */

struct layout {
    bool a, b, c, d, apart; /* by column; rows are apart */
    const char *space;      /* "global", "shared", "": generic; "x": generic
                               addresses of shared memory */
};

static uint32_t registers(const struct wmma *f, char part) {
    enum element_type t = part == 'c' ? f->c : part == 'd' ? f->d : f->ab;
    uint32_t n = part == 'a'   ? f->m * f->k
                 : part == 'b' ? f->k * f->n
                               : f->m * f->n;
    if (t == F16 && (part == 'a' || part == 'b')) return 8;
    return n * bits_of_type(t) / 1024;
}

static void add_list(struct text *t, char name, uint32_t n) {
    text_add(t, "{");
    for (uint32_t k = 0; k < n; k++)
        text_add(t, "%s%%%c%u", k ? "," : "", name, k);
    text_add(t, "}");
}

static const char *order(bool by_column) {
    return by_column ? "col" : "row";
}

static void add_load(struct text *t, const struct wmma *f, char part,
                     const struct matrix *x, const struct layout *l) {
    bool named = *l->space == 'g' || *l->space == 's';
    text_add(t, "wmma.load.%c.sync.aligned.%s.m%un%uk%u%s%s.%s ", part,
             order(x->by_column), f->m, f->n, f->k, named ? "." : "",
             named ? l->space : "", name_of_type(x->type));
    add_list(t, part, registers(f, part));
    text_add(t, ", [%%p0+%u]", x->at * 4);
    if (l->apart || part == 'c') text_add(t, ", %u", x->stride);
    text_add(t, ";\n");
}

static void add_product(struct text *t, const struct wmma *f,
                        const struct layout *l) {
    const char *bits = f->how == BITS_XOR   ? "xor.popc."
                       : f->how == BITS_AND ? "and.popc."
                                            : "";
    text_add(t, "wmma.mma.%ssync.aligned.%s.%s.m%un%uk%u.%s", bits, order(l->a),
             order(l->b), f->m, f->n, f->k, name_of_type(f->d));
    if (f->ab != F16)
        text_add(t, ".%s.%s", name_of_type(f->ab), name_of_type(f->ab));
    text_add(t, ".%s%s ", name_of_type(f->c),
             f->how == SATURATE ? ".satfinite" : "");
    for (const char *part = "dabc"; *part; part++) {
        if (*part != 'd') text_add(t, ", ");
        add_list(t, *part, registers(f, *part));
    }
    text_add(t, ";\n");
}

static void add_begin(struct text *t, const struct layout *l, uint32_t words) {
    bool shared = *l->space == 's' || *l->space == 'x';
    text_add(t, "mov.u64 %%p0, %%in; mov.u32 %%r3, 0;\n");
    if (!shared) return;
    text_add(t, "shl.b32 %%r1, %%r0, 2; mov.u32 %%r2, tile;\n"
                "add.u32 %%r1, %%r1, %%r2;\n");
    for (uint32_t k = 0; k < words; k += 32)
        text_add(t,
                 "ld.global.b32 %%r4, [%%at+%u];\n"
                 "st.shared.b32 [%%r1+%u], %%r4;\n",
                 k * 4, k * 4);
    text_add(t, "bar.warp.sync -1; mov.u64 %%p0, tile;\n");
    if (*l->space == 'x') text_add(t, "cvta.shared.u64 %%p0, %%p0;\n");
}

/* ---- one form ---- */

static uint32_t expected(const struct wmma *f, const uint32_t *a,
                         const uint32_t *b, uint32_t c) {
    if (!is_real_type(f->ab))
        return reference_whole_sum(a, b, f->k, f->ab, f->ab, c, f->how);
    /* An H200 has tf32's eight products in two sums. */
    uint32_t depth = f->ab == TF32 ? f->k / 2 : f->k;
    for (uint32_t k = 0; k < f->k; k += depth)
        c = reference_sum(a + k, b + k, depth, f->ab, c, k ? f->d : f->c, f->d);
    return c;
}

struct memory {
    struct matrix a, b, c, d;
    uint32_t words;
};

static struct memory place(const struct wmma *f, const struct layout *l) {
    struct memory m;
    m.a = matrix_of(f->ab, f->m, f->k, l->a, l->apart, 0);
    m.b = matrix_of(f->ab, f->k, f->n, l->b, l->apart, m.a.words);
    m.c = matrix_of(f->c, f->m, f->n, l->c, l->apart, m.b.at + m.b.words);
    m.d = matrix_of(f->d, f->m, f->n, l->d, l->apart, 0);
    m.words = (m.c.at + m.c.words + 31) / 32 * 32;
    return m;
}

static void compare(const struct wmma *f, const struct layout *l,
                    const struct memory *m, const uint32_t *in,
                    const uint32_t *out) {
    uint32_t a[128], b[128];
    for (uint32_t row = 0; row < f->m; row++)
        for (uint32_t column = 0; column < f->n; column++) {
            for (uint32_t k = 0; k < f->k; k++) {
                a[k] = at_of(&m->a, in, row, k);
                b[k] = at_of(&m->b, in, k, column);
            }
            uint32_t want = expected(f, a, b, at_of(&m->c, in, row, column));
            uint32_t is = at_of(&m->d, out, row, column);
            if (is != want)
                fail_msg("m%un%uk%u.%s.%s.%s, %s %s %s %s, %s: row %u, column "
                         "%u: 0x%x, not 0x%x",
                         f->m, f->n, f->k, name_of_type(f->d),
                         name_of_type(f->ab), name_of_type(f->c), order(l->a),
                         order(l->b), order(l->c), order(l->d), l->space, row,
                         column, is, want);
        }
}

static void fill(uint32_t *words, const struct matrix *x, uint32_t number,
                 uint32_t which) {
    uint64_t state = (uint64_t)number << 8 | which;
    for (uint32_t k = 0; k < x->words; k++)
        words[x->at + k] = matrix_register(&state, numbers_of_type(x->type),
                                           number % MATRIX_MODES);
}

static void run_wmma(const struct wmma *f, const struct layout *l,
                     uint32_t cases) {
    static uint32_t in[MOST_WORDS], out[MOST_WORDS];
    struct memory m = place(f, l);
    struct text t = {0};
    assert_true(m.words < MOST_WORDS && m.d.words < MOST_WORDS);
    add_begin(&t, l, m.words);
    add_load(&t, f, 'a', &m.a, l);
    add_load(&t, f, 'b', &m.b, l);
    add_load(&t, f, 'c', &m.c, l);
    add_product(&t, f, l);
    text_add(&t, "mov.u32 %%r5, %u;\n", m.d.stride);
    text_add(&t, "wmma.store.d.sync.aligned.%s.m%un%uk%u.global.%s [%%out], ",
             order(l->d), f->m, f->n, f->k, name_of_type(f->d));
    add_list(&t, 'd', registers(f, 'd'));
    text_add(&t, ", %%r5;\n");
    for (uint32_t k = 0; k < cases; k++) {
        fill(in, &m.a, k, 1);
        fill(in, &m.b, k, 2);
        fill(in, &m.c, k, 3);
        products_run(&(struct products){.body = text_string(&t),
                                        .in = in,
                                        .out = out,
                                        .n_in = m.words,
                                        .n_out = m.d.words});
        compare(f, l, &m, in, out);
    }
    text_free(&t);
}

static bool is_small(const struct wmma *f) {
    return bits_of_type(f->ab) < 8;
}

TEST(every_shape_and_type_is_as_in_plain_c) {
    for (uint32_t k = 0; k < N_FORMS; k++)
        run_wmma(&forms[k], &(struct layout){.b = true, .space = "global"},
                 CASES);
}

TEST(every_layout_is_the_same_matrix) {
    for (uint32_t k = 0; k < N_FORMS; k++)
        for (uint32_t l = 0; l < 16; l++) {
            struct layout x = {
                l & 1,      l >> 1 & 1,
                l >> 2 & 1, l >> 3 & 1,
                l % 3 == 0, l % 4 == 3 ? "global" : l % 4 ? "shared" : ""};
            if (!is_small(&forms[k]) || (!x.a && x.b))
                run_wmma(&forms[k], &x, 1);
        }
}

TEST(generic_addresses_may_lie_in_shared_memory) {
    run_wmma(&forms[0], &(struct layout){.b = true, .space = "x"}, 1);
    run_wmma(&forms[4], &(struct layout){.apart = true, .space = "x"}, 1);
}

UNIT_MAIN(NULL, NULL)
