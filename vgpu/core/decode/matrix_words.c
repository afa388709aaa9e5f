/* SPDX-License-Identifier: MIT
 *
 * matrix_words.c: see matrix_words.h. The words of these instructions occur
 * nowhere else, so they are read here; what is refused is said here.
 */
#include "matrix_words.h"

#include <string.h>

struct word {
    const char *text;
    size_t n;
};

static bool word_is(struct word w, const char *text) {
    return strlen(text) == w.n && memcmp(text, w.text, w.n) == 0;
}

static bool begins(struct word w, const char *text) {
    return w.n >= strlen(text) && memcmp(text, w.text, strlen(text)) == 0;
}

/* "16" of "m16n8k16" behind the letter; 0: there is no such part. */
static uint32_t length_behind(struct word w, char letter) {
    const char *at = memchr(w.text, letter, w.n);
    uint32_t v = 0;
    while (at && ++at < w.text + w.n && *at >= '0' && *at <= '9' && v < 1000)
        v = v * 10 + (uint32_t)(*at - '0');
    return v;
}

static bool is_shape(struct word w, struct matrix_words *all) {
    if (w.text[0] != 'm' || w.n < 4 || w.text[1] < '0' || w.text[1] > '9')
        return false;
    all->m = length_behind(w, 'm');
    all->n = length_behind(w, 'n');
    all->k = length_behind(w, 'k');
    return true;
}

static bool is_type(struct word w, struct matrix_words *all) {
    static const char *const words[] = {
#define X(name, word, bits) word,
        MATRIX_TYPES(X)
#undef X
    };
    for (uint8_t t = 0; t < N_MATRIX_TYPES; t++)
        if (word_is(w, words[t]) && all->n_types < MATRIX_MOST_TYPES) {
            all->types[all->n_types++] = t;
            return true;
        }
    return false;
}

static bool is_layout(struct word w, struct matrix_words *all) {
    if ((!word_is(w, "row") && !word_is(w, "col")) || all->n_layouts == 2)
        return false;
    all->by_column[all->n_layouts++] = word_is(w, "col");
    return true;
}

static bool is_wmma(struct word w, struct matrix_words *all) {
    static const char parts[] = "abcd";
    if (word_is(w, "load") || word_is(w, "mma")) return true;
    if (word_is(w, "store")) return all->is_store = true;
    if (w.n != 1 || !strchr(parts, w.text[0])) return false;
    all->part = w.text[0];
    return true;
}

static bool is_space(struct word w, struct matrix_words *all) {
    if (word_is(w, "global")) all->space = PTX_GLOBAL;
    if (word_is(w, "shared") || word_is(w, "shared::cta"))
        all->space = PTX_SHARED;
    return all->space != PTX_GENERIC;
}

static bool is_tile(struct word w, struct matrix_words *all) {
    if (word_is(w, "b16")) return true;
    if (word_is(w, "trans")) return all->transposes = true;
    if (w.n != 2 || w.text[0] != 'x' || !strchr("124", w.text[1])) return false;
    all->tiles = (uint8_t)(w.text[1] - '0');
    return true;
}

static bool is_product(struct word w, struct matrix_words *all) {
    if (word_is(w, "popc") || word_is(w, "xor")) return true;
    if (word_is(w, "and")) return all->by_and = true;
    return word_is(w, "satfinite") ? all->saturates = true : false;
}

static bool matrix_word(struct decoder *d, struct matrix_words *all,
                        struct word w) {
    enum ptx_op op = d->at->op;
    bool moves = op == PTX_OP_ldmatrix || op == PTX_OP_stmatrix ||
                 op == PTX_OP_movmatrix;
    if (word_is(w, "sync") || word_is(w, "aligned") || is_shape(w, all))
        return true;
    if (moves ? is_tile(w, all)
              : is_type(w, all) || is_layout(w, all) || is_product(w, all))
        return true;
    if (op == PTX_OP_wmma && is_wmma(w, all)) return true;
    if (op != PTX_OP_mma && op != PTX_OP_movmatrix && is_space(w, all))
        return true;
    if (op == PTX_OP_mma && begins(w, "sp"))
        return decode_fail(d, "the virtual GPU multiplies dense matrices only, "
                              "not sparse ones (mma.sp)");
    if (word_is(w, "f64"))
        return decode_fail(d, "the virtual GPU has no matrix products of f64: "
                              "how a GPU rounds them was not measured");
    if (begins(w, "e") || begins(w, "kind::") || word_is(w, "b8"))
        return decode_fail(d, "the virtual GPU has no matrices of 8-, 6- or "
                              "4-bit floats: how a GPU rounds their products "
                              "was not measured");
    return decode_fail(d, "the virtual GPU does not know '.%.*s' here",
                       (int)w.n, w.text);
}

bool matrix_words_read(struct decoder *d, struct matrix_words *all) {
    for (const char *at = strchr(d->at->form, '.'); at; at = strchr(at, '.')) {
        struct word w = {++at, strcspn(at, ".")};
        if (!matrix_word(d, all, w)) return false;
    }
    return true;
}

static const struct {
    uint8_t op;
    uint16_t m, n, k;
    uint8_t type;
} shapes[] = {
#define X(op, m, n, k, type) {PTX_OP_##op, m, n, k, MATRIX_##type},
#include "matrix_shapes.def"
#undef X
};

static bool sums_to(enum matrix_type factor, enum matrix_type sum) {
    switch (factor) {
    case MATRIX_F16: return sum == MATRIX_F16 || sum == MATRIX_F32;
    case MATRIX_BF16:
    case MATRIX_TF32: return sum == MATRIX_F32;
    default: return sum == MATRIX_S32;
    }
}

/* s8 stands for u8, too, and s4 for u4. */
static enum matrix_type factor_of(enum matrix_type t) {
    return t == MATRIX_U8 ? MATRIX_S8 : t == MATRIX_U4 ? MATRIX_S4 : t;
}

static bool has_shape(size_t k, enum ptx_op op, const struct matrix_words *w) {
    return shapes[k].op == op && shapes[k].m == w->m && shapes[k].n == w->n &&
           shapes[k].k == w->k;
}

bool matrix_words_multiply(enum ptx_op op, const struct matrix_words *w,
                           const enum matrix_type t[4]) {
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        enum matrix_type has = (enum matrix_type)shapes[k].type;
        if (has_shape(k, op, w) && has == factor_of(t[1]) &&
            has == factor_of(t[2]) && sums_to(has, t[0]) && sums_to(has, t[3]))
            return true;
    }
    return false;
}

bool matrix_words_has(const struct matrix_words *w, enum matrix_role role,
                      enum matrix_type t) {
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        enum matrix_type has = (enum matrix_type)shapes[k].type;
        if (has_shape(k, PTX_OP_wmma, w) &&
            (role == MATRIX_ROLE_C ? sums_to(has, t) : has == factor_of(t)))
            return true;
    }
    return false;
}
