/* SPDX-License-Identifier: MIT
 *
 * alu_tables.c: the forms of all alu_forms_*.c in one hash per instruction set,
 * built once per process, and the spellings that mean the same.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alu_lanes.h"

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

struct alu_table {
    struct alu_row *rows;
    unsigned n;
    uint32_t *slots; /* index into rows plus one; 0: empty */
    uint32_t slot_mask;
};

enum { LONGEST_FORM = 64, MOST_MODIFIERS = 12 };

/* ptxas takes modifiers in any order; only types are told apart by theirs. */
struct modifier {
    const char *text;
    size_t bytes;
};
struct canonical {
    size_t n;
    struct modifier list[MOST_MODIFIERS]; /* opcode first, then sorted, types */
};

static bool is_type(const struct modifier *m) {
    static const char *const widths[] = {"8",   "16",   "32",  "64",
                                         "128", "16x2", "32x2"};
    const char *s = m->text, *end = m->text + m->bytes;
    if (m->bytes == 4 && !memcmp(s, "pred", 4)) return true;
    if (end - s > 2 && (*s == 'b' || *s == 't') && s[1] == 'f') s++;
    if (s == end || !strchr("busf", *s++)) return false;
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        if (strlen(widths[k]) == (size_t)(end - s) &&
            !memcmp(s, widths[k], (size_t)(end - s)))
            return true;
    return false;
}

/* Types are alike, and come last; the others in the order of their letters. */
static int order(const struct modifier *a, const struct modifier *b) {
    bool x = is_type(a), y = is_type(b);
    if (x || y) return (int)x - (int)y;
    size_t n = a->bytes < b->bytes ? a->bytes : b->bytes;
    int r = memcmp(a->text, b->text, n);
    return r ? r : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static bool canonical(const char *form, struct canonical *c) {
    c->n = 0;
    for (;;) {
        size_t bytes = strcspn(form, ".");
        if (c->n == MOST_MODIFIERS || !bytes) return false;
        struct modifier m = {form, bytes};
        size_t at = c->n++;
        for (; at > 1 && order(&c->list[at - 1], &m) > 0; at--)
            c->list[at] = c->list[at - 1];
        c->list[at] = m;
        if (!form[bytes]) return true;
        form += bytes + 1;
    }
}

static uint32_t hash(const struct canonical *c) {
    uint32_t h = 2166136261u;
    for (size_t k = 0; k < c->n; k++)
        for (size_t j = 0; j <= c->list[k].bytes; j++)
            h = (h ^ (j ? (uint8_t)c->list[k].text[j - 1] : '.')) * 16777619u;
    return h;
}

static bool same(const struct canonical *a, const struct canonical *b) {
    if (a->n != b->n) return false;
    for (size_t k = 0; k < a->n; k++)
        if (a->list[k].bytes != b->list[k].bytes ||
            memcmp(a->list[k].text, b->list[k].text, a->list[k].bytes))
            return false;
    return true;
}

static const struct alu_row *look_up(const struct alu_table *t,
                                     const char *form) {
    struct canonical want, have;
    if (!canonical(form, &want)) return NULL;
    for (uint32_t k = hash(&want) & t->slot_mask; t->slots[k];
         k = (k + 1) & t->slot_mask) {
        const struct alu_row *row = &t->rows[t->slots[k] - 1];
        if (canonical(row->form, &have) && same(&want, &have)) return row;
    }
    return NULL;
}

/* Leaves t empty (rows NULL) when there is no memory. */
static void build(struct alu_table *t,
                  const struct alu_row_list *const *lists) {
    for (unsigned k = 0; k < N_LISTS; k++) t->n += lists[k]->n;
    uint32_t size = 1;
    while (size < 2 * t->n) size *= 2;
    t->slot_mask = size - 1;
    t->rows = malloc(t->n * sizeof *t->rows);
    t->slots = calloc(size, sizeof *t->slots);
    if (!t->rows || !t->slots) {
        free(t->rows);
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
        struct canonical c;
        if (!canonical(t->rows[k].form, &c)) continue; /* never: tested */
        uint32_t at = hash(&c) & t->slot_mask;
        while (t->slots[at]) at = (at + 1) & t->slot_mask;
        t->slots[at] = k + 1;
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
 * no row. A NULL type matches any; otherwise one modifier must equal it. */
struct spelling {
    const char *op, *type, *drop, *put;
};
static const struct spelling spellings[] = {
    {"add", NULL, ".rn", ""},      {"sub", NULL, ".rn", ""},
    {"mul", NULL, ".rn", ""},      {"mad", ".f32", "mad", "fma"},
    {"mad", ".f64", "mad", "fma"}, {"ex2", ".f16", ".ftz", ""},
    {"ex2", ".f16x2", ".ftz", ""}, {"tanh", ".f16", ".ftz", ""}};

static const struct alu_row *respelled(const struct alu_table *t,
                                       const struct spelling *s,
                                       const char *form) {
    size_t op = strlen(s->op), bytes = strlen(form);
    if (strncmp(form, s->op, op) || form[op] != '.') return NULL;
    if (bytes + 4 >= LONGEST_FORM) return NULL;
    if (s->type && !strstr(form, s->type)) return NULL;
    const char *at = strstr(form, s->drop);
    if (!at) return NULL;
    char made[LONGEST_FORM];
    size_t before = (size_t)(at - form), put = strlen(s->put);
    memcpy(made, form, before);
    memcpy(made + before, s->put, put);
    strcpy(made + before + put, at + strlen(s->drop));
    return look_up(t, made);
}

const struct alu_row *alu_find(const struct alu_table *t, const char *form) {
    const struct alu_row *row = look_up(t, form);
    for (size_t k = 0; !row && k < sizeof spellings / sizeof *spellings; k++)
        row = respelled(t, &spellings[k], form);
    return row;
}

const struct alu_row *alu_rows(const struct alu_table *t, unsigned *n) {
    *n = t->n;
    return t->rows;
}
