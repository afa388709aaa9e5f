/* SPDX-License-Identifier: MIT
 *
 * alu_tables.c: the forms of all alu_forms_*.c in one hash per instruction set,
 * built once per process, and the spellings that mean the same.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alu_lanes.h"
#include "ptx.h"

#define LISTS(X)                                                               \
    X(alu_forms_int)                                                           \
    X(alu_forms_logic)                                                         \
    X(alu_forms_compare)                                                       \
    X(alu_forms_convert)                                                       \
    X(alu_forms_float)                                                         \
    X(alu_forms_half)                                                          \
    X(alu_forms_move)

#define X(name) extern const struct alu_row_list name##_baseline;
LISTS(X)
#undef X
#define X(name) &name##_baseline,
static const struct alu_row_list *const baseline_lists[] = {LISTS(X)};
#undef X
/* VGPU_ONE_ISA: the sanitizers' build, see CMakeLists.txt. */
#if defined __x86_64__ && !defined VGPU_ONE_ISA
#define HAVE_AVX2
#define X(name) extern const struct alu_row_list name##_avx2;
LISTS(X)
#undef X
#define X(name) &name##_avx2,
static const struct alu_row_list *const avx2_lists[] = {LISTS(X)};
#undef X
#endif
enum { N_LISTS = sizeof baseline_lists / sizeof *baseline_lists };

/* What tells a form from others. ptxas takes modifiers in any order, so that
 * those are a set; types have theirs. */
enum { SETS = (PTX_N_MODIFIERS + 63) / 64 };
struct key {
    uint64_t words[SETS + 1]; /* modifiers; types and opcode */
};

struct alu_table {
    struct alu_row *rows;
    struct key *keys; /* of the rows */
    unsigned n;
    uint32_t *slots; /* index into rows plus one; 0: empty */
    uint32_t slot_mask;
};

static struct key key_of(const struct ptx_form *f) {
    struct key k;
    memcpy(k.words, f->has, sizeof f->has);
    k.words[SETS] = f->op;
    for (unsigned t = 0; t < PTX_MAX_TYPES; t++)
        k.words[SETS] = k.words[SETS] << 8 | f->types[t];
    return k;
}

static uint32_t hash(const struct key *k) {
    uint64_t h = 0;
    for (unsigned w = 0; w <= SETS; w++)
        h = (h ^ k->words[w] ^ h >> 32) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(h >> 32);
}

/* The slot of the key's row, or the empty one where it belongs. */
static uint32_t *alu_tables_slot_of(const struct alu_table *t,
                                    const struct key *k) {
    for (uint32_t at = hash(k) & t->slot_mask;; at = (at + 1) & t->slot_mask)
        if (!t->slots[at] || !memcmp(&t->keys[t->slots[at] - 1], k, sizeof *k))
            return &t->slots[at];
}

static const struct alu_row *look_up(const struct alu_table *t,
                                     const struct ptx_form *f) {
    if (f->strange || f->repeats) return NULL;
    const struct key k = key_of(f);
    uint32_t row = *alu_tables_slot_of(t, &k);
    return row ? &t->rows[row - 1] : NULL;
}

/* Leaves t empty (rows NULL) when there is no memory. */
static void build(struct alu_table *t,
                  const struct alu_row_list *const *lists) {
    for (unsigned k = 0; k < N_LISTS; k++) t->n += lists[k]->n;
    uint32_t size = 1;
    while (size < 2 * t->n) size *= 2;
    t->slot_mask = size - 1;
    t->rows = malloc(t->n * sizeof *t->rows);
    t->keys = malloc(t->n * sizeof *t->keys);
    t->slots = calloc(size, sizeof *t->slots);
    if (!t->rows || !t->keys || !t->slots) {
        free(t->rows);
        free(t->keys);
        free(t->slots);
        t->rows = NULL;
        return;
    }
    unsigned n = 0;
    for (unsigned k = 0; k < N_LISTS; k++) {
        memcpy(t->rows + n, lists[k]->rows, lists[k]->n * sizeof *t->rows);
        n += lists[k]->n;
    }
    for (unsigned k = 0; k < n; k++) {
        struct ptx_form form;
        if (!ptx_read_form(t->rows[k].form, &form)) continue; /* tested */
        t->keys[k] = key_of(&form);
        uint32_t *slot = alu_tables_slot_of(t, &t->keys[k]);
        if (!*slot) *slot = k + 1;
    }
}

/* Written once, behind pthread_once; read-only from then on. */
static struct alu_table tables[2];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void build_all(void) {
    build(&tables[0], baseline_lists);
#if defined HAVE_AVX2
    build(&tables[1], avx2_lists);
#endif
}

/* Every processor with AVX2 and BMI2 has lzcnt; clang does not know the name.
 */
#if defined __clang__
#define HAVE_LZCNT true
#else
#define HAVE_LZCNT __builtin_cpu_supports("lzcnt")
#endif

static bool have_avx2(void) {
#if defined HAVE_AVX2
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
           HAVE_LZCNT && __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

const struct alu_table *alu_tables_select(int isa) {
    if (pthread_once(&tables_once, build_all)) return NULL;
    bool wide = isa != 0 && have_avx2();
    if (isa == 1 && !wide) return NULL;
    const struct alu_table *t = &tables[wide];
    return t->rows ? t : NULL;
}

/* Modifiers that may be left out where they are the default or change nothing,
 * and operations that another one covers. Tried when the form as written has
 * no row. PTX_NONE matches any type. */
static const struct spelling {
    enum ptx_op op;
    enum ptx_type type;
    enum ptx_op same;
    enum ptx_modifier drop;
} spellings[] = {{PTX_OP_add, PTX_NONE, PTX_OP_add, PTX_MOD_RN},
                 {PTX_OP_sub, PTX_NONE, PTX_OP_sub, PTX_MOD_RN},
                 {PTX_OP_mul, PTX_NONE, PTX_OP_mul, PTX_MOD_RN},
                 {PTX_OP_mad, PTX_F32, PTX_OP_fma, PTX_N_MODIFIERS},
                 {PTX_OP_mad, PTX_F64, PTX_OP_fma, PTX_N_MODIFIERS},
                 {PTX_OP_ex2, PTX_F16, PTX_OP_ex2, PTX_MOD_FTZ},
                 {PTX_OP_ex2, PTX_F16X2, PTX_OP_ex2, PTX_MOD_FTZ},
                 {PTX_OP_tanh, PTX_F16, PTX_OP_tanh, PTX_MOD_FTZ},
                 {PTX_OP_tanh, PTX_F16X2, PTX_OP_tanh, PTX_MOD_FTZ}};

static const struct alu_row *respelled(const struct alu_table *t,
                                       const struct spelling *s,
                                       const struct ptx_form *form) {
    if (form->op != s->op ||
        (s->type != PTX_NONE && ptx_type_at(form, 0) != s->type))
        return NULL;
    struct ptx_form made = *form;
    made.op = s->same;
    if (s->drop != PTX_N_MODIFIERS)
        made.has[s->drop / 64] &= ~(1ull << (s->drop % 64));
    return look_up(t, &made);
}

const struct alu_row *alu_find_form(const struct alu_table *t,
                                    const struct ptx_form *form) {
    const struct alu_row *row = look_up(t, form);
    for (size_t k = 0; !row && k < sizeof spellings / sizeof *spellings; k++)
        row = respelled(t, &spellings[k], form);
    return row;
}

const struct alu_row *alu_find(const struct alu_table *t, const char *text) {
    struct ptx_form form;
    return ptx_read_form(text, &form) ? alu_find_form(t, &form) : NULL;
}

const struct alu_row *alu_rows(const struct alu_table *t, unsigned *n) {
    *n = t->n;
    return t->rows;
}
