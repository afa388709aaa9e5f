/* SPDX-License-Identifier: MIT
 *
 * form.c: "ld.global.v4.u32" as numbers. What an opcode, a type and a modifier
 * are called stands in opcodes.def, types.def and modifiers.def.
 *
 * How to read this: all words lie in one array and are found by a hash that the
 * process makes once. An opcode may be spelled as a modifier is ("add",
 * "min"), so words are of two kinds.
 */
#include "ptx.h"

#include <pthread.h>
#include <string.h>

enum kind { OPCODE, TYPE, MODIFIER };
struct word {
    const char *text;
    uint8_t length, kind, id, class, value;
};

/* clang-format off */
static const struct word words[] = {
#define X(name, family) {#name, sizeof #name - 1, OPCODE, PTX_OP_##name, 0, 0},
#include "opcodes.def"
#undef X
#define X(id, text, bytes) {text, sizeof text - 1, TYPE, PTX_##id, 0, 0},
#include "types.def"
#undef X
#define X(id, text, class, value)                                              \
    {text, sizeof text - 1, MODIFIER, PTX_MOD_##id, PTX_CLASS_##class, value},
#include "modifiers.def"
#undef X
};
/* clang-format on */
enum { N_WORDS = sizeof words / sizeof *words, N_SLOTS = 1024 };
_Static_assert(2 * N_WORDS < N_SLOTS && PTX_N_OPS < 256, "room for all");

/* Written once, behind pthread_once: an index into words plus one. */
static uint16_t slots[N_SLOTS];
static pthread_once_t slots_once = PTHREAD_ONCE_INIT;

static uint32_t hash(const char *text, size_t length, bool is_opcode) {
    uint32_t h = is_opcode ? 2166136261u : 84696351u;
    for (size_t k = 0; k < length; k++)
        h = (h ^ (unsigned char)text[k]) * 16777619u;
    return h ^ h >> 15;
}

static void fill_slots(void) {
    for (uint16_t k = 0; k < N_WORDS; k++) {
        const struct word *w = &words[k];
        uint32_t at = hash(w->text, w->length, w->kind == OPCODE);
        while (slots[at % N_SLOTS]) at++;
        slots[at % N_SLOTS] = (uint16_t)(k + 1);
    }
}

/* NULL: no such word. */
static const struct word *form_find(const char *text, size_t length,
                                    bool is_opcode) {
    for (uint32_t at = hash(text, length, is_opcode); slots[at % N_SLOTS];
         at++) {
        const struct word *w = &words[slots[at % N_SLOTS] - 1];
        if (w->length == length && (w->kind == OPCODE) == is_opcode &&
            !memcmp(w->text, text, length))
            return w;
    }
    return NULL;
}

static bool add_modifier(struct ptx_form *f, const struct word *w) {
    uint32_t class = 1u << w->class;
    if (w->class == PTX_CLASS_SPACE) {
        if (f->n_spaces == PTX_MAX_SPACES) return false;
        f->spaces[f->n_spaces++] = w->value;
    }
    if (f->classes & class)
        f->twice |= class;
    else
        f->values[w->class] = w->value;
    f->classes |= class;
    f->repeats |= ptx_has(f, (enum ptx_modifier)w->id);
    f->has[w->id / 64] |= 1ull << (w->id % 64);
    return true;
}

/* False: a word that is not known, or that there is no room for. */
static bool add_word(struct ptx_form *f, const char *text, size_t length) {
    const struct word *w = form_find(text, length, false);
    if (!w) return false;
    if (w->kind == MODIFIER) return add_modifier(f, w);
    if (f->n_types == PTX_MAX_TYPES) return false;
    f->types[f->n_types++] = w->id;
    return true;
}

bool ptx_read_form(const char *text, struct ptx_form *f) {
    pthread_once(&slots_once, fill_slots);
    *f = (struct ptx_form){.text = text};
    size_t length = strcspn(text, ".");
    const struct word *op = form_find(text, length, true);
    if (!op) return false;
    f->op = (enum ptx_op)op->id;
    while (text[length]) {
        text += length + 1;
        length = strcspn(text, ".");
        if (f->n_words < UINT8_MAX) f->n_words++;
        if (!add_word(f, text, length)) f->strange = true;
    }
    return true;
}

static const struct {
    uint32_t classes, twice;
} families[] = {
#define X(family, decode, classes, twice) {classes, twice},
#include "families.def"
#undef X
};

const char *ptx_refused(const struct ptx_form *f, size_t *length) {
    uint32_t may = families[ptx_op_family(f->op)].classes;
    uint32_t twice = families[ptx_op_family(f->op)].twice;
    if (may == PTX_ANY ||
        !(f->strange | f->repeats | (f->classes & ~may) | (f->twice & ~twice)))
        return NULL;
    struct ptx_form again = {.text = f->text};
    for (const char *word = strchr(f->text, '.'); word;
         word = strchr(word, '.')) {
        *length = strcspn(++word, ".");
        if (!add_word(&again, word, *length) || again.repeats ||
            again.classes & ~may || again.twice & ~twice)
            return word;
    }
    return NULL;
}
