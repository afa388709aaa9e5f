/* SPDX-License-Identifier: MIT
 *
 * message.c: what findings say: the arguments of a row of vgpu_findings.def,
 * and its sentence. See vgpu_message.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu.h"

enum { MOST_ARGUMENTS = 10, WORD_BYTES = 8 };
_Static_assert(sizeof(vgpu_class_NUMBER) == WORD_BYTES &&
                   sizeof(vgpu_class_REAL) == WORD_BYTES &&
                   sizeof(vgpu_class_TEXT) <= WORD_BYTES &&
                   sizeof(vgpu_class_LIST) <= WORD_BYTES,
               "an argument of vgpu_say has a place of 8 bytes");

#define A(type, name) {VGPU_TYPE_##type, #name},
#define MESSAGE(NAME, kinds, arguments, ...)                                   \
    static const struct vgpu_argument arguments_##NAME[] = {                   \
        arguments{VGPU_N_TYPES, NULL}};
#define PART(NAME, arguments, ...)                                             \
    static const struct vgpu_argument arguments_##NAME[] = {                   \
        arguments{VGPU_N_TYPES, NULL}};
#include "vgpu_findings.def"
#undef A

static const struct row {
    const char *name, *sentence, *advice;
    const struct vgpu_argument *arguments;
    size_t n;
    uint32_t kinds;
} rows[VGPU_N_MESSAGES] = {
#define K(KIND) (1u << VGPU_FINDING_##KIND)
#define MESSAGE(NAME, kinds, arguments, sentence, advice)                      \
    {#NAME,                                                                    \
     sentence,                                                                 \
     advice,                                                                   \
     arguments_##NAME,                                                         \
     sizeof arguments_##NAME / sizeof(struct vgpu_argument) - 1,               \
     kinds},
#define PART(NAME, arguments, sentence)                                        \
    MESSAGE(NAME, 0, arguments, sentence, "")
#include "vgpu_findings.def"
#undef K
};

enum value_class {
    CLASS_NUMBER,
    CLASS_REAL,
    CLASS_TRIPLE,
    CLASS_TEXT,
    CLASS_PART,
    CLASS_LIST
};
static const enum value_class classes[VGPU_N_TYPES] = {
#define TYPE(NAME, class, ...) CLASS_##class,
#include "vgpu_findings.def"
};

/* ---- to make one ---- */

static struct vgpu_value *message_add(struct vgpu_message *m,
                                      enum vgpu_type type) {
    static const struct vgpu_value absent = {.is_absent = true};
    if (m->n_values == VGPU_MESSAGE_VALUES) return NULL;
    struct vgpu_value *v = &m->values[m->n_values++];
    *v = absent;
    v->type = (uint16_t)type;
    return v;
}

/* Where its copy begins. What has no room is cut. */
static uint64_t add_text(struct vgpu_message *m, const char *text) {
    size_t at = m->text_bytes, room = VGPU_MESSAGE_TEXT - 1 - at;
    size_t n = strnlen(text, room);
    memcpy(m->text + at, text, n);
    m->text[at + n] = 0;
    m->text_bytes = (uint16_t)(at + n + (n < room));
    return at;
}

/* A part that has no room is absent. */
static void add_part(struct vgpu_message *m, const struct vgpu_message *part) {
    struct vgpu_value *v = message_add(m, VGPU_TYPE_PART);
    if (!v || !part ||
        part->n_values > (size_t)VGPU_MESSAGE_VALUES - m->n_values)
        return;
    v->is_absent = false;
    v->number = part->id;
    for (size_t k = 0; k < part->n_values; k++) {
        struct vgpu_value x = part->values[k];
        if (classes[x.type] == CLASS_TEXT && !x.is_absent)
            x.number = add_text(m, part->text + x.number);
        m->values[m->n_values++] = x;
    }
}

static void add_list(struct vgpu_message *m, const struct vgpu_list *list) {
    struct vgpu_value *v = message_add(m, VGPU_TYPE_LIST);
    if (!v || !list || !list->n) return;
    v->is_absent = false;
    v->number = list->n;
    for (size_t k = 0; k < list->n; k++) add_part(m, &list->parts[k]);
}

static bool may_be_absent(enum vgpu_type type) {
    return type == VGPU_TYPE_COUNT || type == VGPU_TYPE_BYTES ||
           type == VGPU_TYPE_LINE;
}

static void add_argument(struct vgpu_message *m, enum vgpu_type type,
                         const void *argument) {
    const void *pointer;
    memcpy(&pointer, argument, sizeof pointer);
    if (classes[type] == CLASS_PART) {
        add_part(m, pointer);
        return;
    }
    if (classes[type] == CLASS_LIST) {
        add_list(m, pointer);
        return;
    }
    struct vgpu_value *v = message_add(m, type);
    if (!v) return;
    memcpy(&v->number, argument, sizeof v->number);
    v->is_absent = may_be_absent(type) && v->number == VGPU_ABSENT;
    if (classes[type] != CLASS_TEXT && classes[type] != CLASS_TRIPLE) return;
    v->is_absent = !pointer;
    if (!pointer) return;
    if (classes[type] == CLASS_TEXT)
        v->number = add_text(m, pointer);
    else
        memcpy(v->triple, pointer, sizeof v->triple);
}

void vgpu_say(struct vgpu_message *m, vgpu_message_id id,
              const void *arguments) {
    const struct row *r = &rows[id];
    m->id = (uint16_t)id;
    m->n_values = m->text_bytes = 0;
    for (size_t k = 0; k < r->n; k++)
        add_argument(m, r->arguments[k].type,
                     (const char *)arguments + k * WORD_BYTES);
}

static struct vgpu_value *own(struct vgpu_message *m, const char *name) {
    const struct row *r = &rows[m->id];
    size_t at = 0;
    for (size_t k = 0; k < r->n && at < m->n_values; k++) {
        if (strcmp(r->arguments[k].name, name) == 0) return &m->values[at];
        at = vgpu_value_end(m, at);
    }
    return NULL;
}

static void set_text(struct vgpu_message *m, struct vgpu_value *v,
                     const char *text) {
    v->number = add_text(m, text);
    v->is_absent = false;
}

void vgpu_say_text(struct vgpu_message *m, const char *name, const char *text) {
    struct vgpu_value *v = own(m, name);
    if (v) set_text(m, v, text);
}

void vgpu_say_place(struct vgpu_message *m, size_t at, const char *file,
                    uint32_t line) {
    if (at + 1 >= m->n_values) return;
    set_text(m, &m->values[at], file);
    m->values[at + 1].number = line;
    m->values[at + 1].is_absent = false;
}

/* ---- to read one ---- */

size_t vgpu_arguments(vgpu_message_id id, const struct vgpu_argument **list) {
    *list = rows[id].arguments;
    return rows[id].n;
}

size_t vgpu_value_end(const struct vgpu_message *m, size_t at) {
    /* Each value is one more of those that are due: those behind it follow. */
    for (size_t due = 1; due && at < m->n_values; due--) {
        const struct vgpu_value *v = &m->values[at++];
        if (v->is_absent) continue;
        if (v->type == VGPU_TYPE_PART) due += rows[v->number].n;
        if (v->type == VGPU_TYPE_LIST) due += v->number;
    }
    return at;
}

const struct vgpu_value *vgpu_message_value(const struct vgpu_message *m,
                                            const char *name) {
    const struct row *r = &rows[m->id];
    size_t at = 0;
    for (size_t k = 0; k < r->n && at < m->n_values; k++) {
        const struct vgpu_value *v = &m->values[at];
        if (strcmp(r->arguments[k].name, name) == 0)
            return v->is_absent ? NULL : v;
        at = vgpu_value_end(m, at);
    }
    return NULL;
}

const char *vgpu_message_string(const struct vgpu_message *m,
                                const char *name) {
    const struct vgpu_value *v = vgpu_message_value(m, name);
    return v && classes[v->type] == CLASS_TEXT ? m->text + v->number : NULL;
}

void vgpu_message_name(vgpu_message_id id, char name[VGPU_MESSAGE_NAME]) {
    size_t k = 0;
    for (const char *from = rows[id].name; *from && k < VGPU_MESSAGE_NAME - 1;
         from++)
        name[k++] = (char)(*from == '_' ? '-' : *from | ' ');
    name[k] = 0;
}

const char *vgpu_choice_name(enum vgpu_type type, uint64_t number) {
    enum { MOST = 4 };
    static const char *const words[VGPU_N_TYPES][MOST] = {
#define CHOICE(NAME, ...) [VGPU_TYPE_##NAME] = {__VA_ARGS__},
#include "vgpu_findings.def"
    };
    return number < MOST ? words[type][number] : NULL;
}

uint32_t vgpu_message_kinds(vgpu_message_id id) {
    return rows[id].kinds;
}

/* ---- its sentence ---- */

struct saying {
    FILE *to;
    const struct vgpu_message *message;
    const struct vgpu_wording *wording;
};

/* A row, and where its arguments stand in the message. */
struct said_row {
    const struct row *row;
    size_t at[MOST_ARGUMENTS];
};

static size_t say_row(const struct saying *, vgpu_message_id, size_t at);

static const char *in_language(const struct saying *s, const char *english) {
    return s->wording && s->wording->translate && *english
               ? s->wording->translate(english)
               : english;
}

static size_t say_list(const struct saying *s, size_t n, size_t at) {
    for (size_t k = 0; k < n; k++) {
        const struct vgpu_value *v = &s->message->values[at];
        if (at >= s->message->n_values || v->is_absent) break;
        if (k) fputs("; ", s->to);
        at = say_row(s, (vgpu_message_id)v->number, at + 1);
    }
    return at;
}

static void say_word(const struct saying *s, uint64_t word) {
    char plain[VGPU_WORD_TEXT];
    const struct vgpu_wording *w = s->wording;
    char *own = w && w->word ? w->word(w->user, word) : NULL;
    vgpu_word_text(word, plain);
    fputs(own ? own : plain, s->to);
    free(own);
}

static void say_value(const struct saying *s, size_t at) {
    const struct vgpu_value *v = &s->message->values[at];
    const uint32_t *t = v->triple;
    unsigned long long number = v->number;
    if (v->is_absent) return;
    switch ((enum vgpu_type)v->type) {
    case VGPU_TYPE_INDEX: fprintf(s->to, "%lld", (long long)number); break;
    case VGPU_TYPE_MASK: fprintf(s->to, "0x%08llx", number); break;
    case VGPU_TYPE_ADDRESS: fprintf(s->to, "0x%llx", number); break;
    case VGPU_TYPE_WORD: say_word(s, v->number); break;
    case VGPU_TYPE_ROUGH: fprintf(s->to, "%.2g", v->real); break;
    case VGPU_TYPE_MIB: fprintf(s->to, "%.1f", v->real); break;
    case VGPU_TYPE_TRIPLE:
        fprintf(s->to, "(%u,%u,%u)", t[0], t[1], t[2]);
        break;
    case VGPU_TYPE_TEXT: fputs(s->message->text + v->number, s->to); break;
    case VGPU_TYPE_WORDS:
        fputs(in_language(s, s->message->text + v->number), s->to);
        break;
    case VGPU_TYPE_PART: say_row(s, (vgpu_message_id)v->number, at + 1); break;
    case VGPU_TYPE_LIST: say_list(s, v->number, at + 1); break;
    default: fprintf(s->to, "%llu", number); break;
    }
}

/* Where the argument stands that is named behind this brace; SIZE_MAX: in no
 * such place, which only a wrong translation names. */
static size_t find_argument(const struct said_row *r, const char *brace) {
    size_t size = strcspn(brace + 1, "?}");
    for (size_t k = 0; k < r->row->n; k++)
        if (strlen(r->row->arguments[k].name) == size &&
            memcmp(r->row->arguments[k].name, brace + 1, size) == 0)
            return r->at[k];
    return SIZE_MAX;
}

/* "one|more}": the word that the value chooses. */
static void say_choice(const struct saying *s, const struct vgpu_value *v,
                       const char *words) {
    bool counts = may_be_absent(v->type);
    uint64_t skip = counts ? v->number != 1 : v->number;
    for (; skip && words[strcspn(words, "|}")] == '|'; skip--)
        words += strcspn(words, "|}") + 1;
    fprintf(s->to, "%.*s", (int)strcspn(words, "|}"), words);
}

/* From a brace on; returns what is behind the closing one. */
static const char *say_argument(const struct saying *s,
                                const struct said_row *r, const char *brace) {
    size_t at = find_argument(r, brace), all = strcspn(brace, "}");
    size_t name = strcspn(brace, "?}");
    if (at < s->message->n_values && brace[name] == '?')
        say_choice(s, &s->message->values[at], brace + name + 1);
    else if (at < s->message->n_values)
        say_value(s, at);
    return brace + all + (brace[all] == '}');
}

/* Does a part that may be left out begin at this '<'? It has an argument. */
static bool is_part(const char *at) {
    return at[1 + strcspn(at + 1, "{<>")] == '{';
}

static bool is_left_out(const struct saying *s, const struct said_row *r,
                        const char *part) {
    size_t last = SIZE_MAX;
    for (; *part && *part != '>'; part++)
        if (*part == '{') last = find_argument(r, part);
    return last >= s->message->n_values || s->message->values[last].is_absent;
}

static void say_sentence(const struct saying *s, const struct said_row *r,
                         const char *at) {
    bool in_part = false;
    while (*at) {
        size_t plain = strcspn(at, "{<>");
        fprintf(s->to, "%.*s", (int)plain, at);
        at += plain;
        if (*at == '{') {
            at = say_argument(s, r, at);
        } else if (*at == '<' && !in_part && is_part(at)) {
            if (is_left_out(s, r, at))
                at += strcspn(at, ">");
            else
                in_part = true;
            at += *at != 0;
        } else if (*at == '>' && in_part) {
            in_part = false;
            at++;
        } else if (*at) {
            fputc(*at++, s->to);
        }
    }
}

/* Its arguments begin at `at`; returns where they end. */
static size_t say_row(const struct saying *s, vgpu_message_id id, size_t at) {
    struct said_row r = {.row = &rows[id]};
    for (size_t k = 0; k < r.row->n; k++) {
        r.at[k] = at;
        at = vgpu_value_end(s->message, at);
    }
    say_sentence(s, &r, in_language(s, r.row->sentence));
    if (!*r.row->advice) return at;
    fputs(". ", s->to);
    say_sentence(s, &r, in_language(s, r.row->advice));
    return at;
}

char *vgpu_message_text(const struct vgpu_message *m,
                        const struct vgpu_wording *wording) {
    char *text = NULL;
    size_t bytes;
    struct saying s = {
        .to = open_memstream(&text, &bytes), .message = m, .wording = wording};
    if (!s.to) return NULL;
    say_row(&s, (vgpu_message_id)m->id, 0);
    if (fclose(s.to) == 0) return text;
    free(text);
    return NULL;
}
