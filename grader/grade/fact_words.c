/* SPDX-License-Identifier: MIT
 *
 * fact_words.c: from a fact to its sentence; facts.def says how its templates
 * are read.
 */
#include "fact_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clean_text.h"
#include "translate.h"

static const struct {
    const char *sentence, *cause;
} rows[N_FACTS] = {
#define X(NAME, id, sentence, cause) [FACT_##NAME] = {sentence, cause},
#include "facts.def"
#undef X
};

size_t fact_names(enum fact_row row, struct fact_name names[FACT_VALUES]) {
    size_t n = 0;
    for (const char *at = rows[row].sentence; (at = strchr(at, '{'));) {
        struct fact_name name = {at + 1, (int)strcspn(++at, ":?}")};
        size_t i = 0;
        while (i < n &&
               (names[i].length != name.length ||
                strncmp(names[i].text, name.text, (size_t)name.length) != 0))
            i++;
        if (i == n && n < FACT_VALUES) names[n++] = name;
    }
    return n;
}

/* The value named at `at`, behind its brace. */
static const struct value *value_at(const struct fact *f, const char *at) {
    struct fact_name names[FACT_VALUES];
    size_t n = fact_names(f->row, names), length = strcspn(at, ":?}");
    for (size_t i = 0; i < n; i++)
        if ((size_t)names[i].length == length &&
            strncmp(names[i].text, at, length) == 0)
            return &f->values[i];
    return NULL;
}

static bool is_nothing(const struct value *v) {
    return v->type == VALUE_TEXT ? !v->text || !*v->text : v->u == 0;
}

static void add_number(struct text *t, const struct value *v, char how) {
    if (how == 'x')
        text_add(t, "%" PRIx64, v->u);
    else if (how == 'c')
        text_add(t, "%" PRId64 ".%" PRId64, v->i / 10, v->i % 10);
    else if (v->type == VALUE_REAL)
        text_add(t, "%g", v->real);
    else if (v->type == VALUE_SIGNED)
        text_add(t, "%" PRId64, v->i);
    else
        text_add(t, "%" PRIu64, v->u);
    if (how == 't')
        text_add(t, "%s", v->u == 2 ? "nd" : v->u == 3 ? "rd" : "th");
}

/* Its text is words of ours, not a name. */
static bool is_words(const struct fact *f, const char *at) {
    static const char *const names[] = {"access",   "call",  "mend",
                                        "operator", "part",  "reason",
                                        "sign",     "stage", "which"};
    size_t length = strcspn(at, ":?}");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(names[i], at, length) == 0)
            return true;
    return f->row == FACT_INCOMPLETE && strncmp(at, "check", length) == 0;
}

/* How: what stands behind the name, up to the closing brace. */
static void add_value(struct text *t, const struct value *v, const char *how,
                      bool words) {
    int all = (int)strcspn(how, "}"), most = -1;
    if (how[0] == '?') {
        int one = (int)strcspn(how, "|");
        if (v->u == 1)
            text_add(t, "%.*s", one - 1, how + 1);
        else
            text_add(t, "%.*s", all - one - 1, how + one + 1);
    } else if (how[0] == ':' && how[1] == '-')
        return;
    else if (v->type == VALUE_TEXT) {
        sscanf(how, ":.%ds", &most);
        clean_add(t, words && v->text ? _(v->text) : v->text, most);
    } else
        add_number(t, v, how[0] == ':' ? how[1] : ' ');
}

/* Is the part from '<' on to be left out? Its last value decides. */
static bool left_out(const struct fact *f, const char *part) {
    const struct value *last = NULL;
    for (const char *at = part; *at != '>'; at++)
        if (*at == '{') last = value_at(f, at + 1);
    return last && is_nothing(last);
}

static void expand(struct text *t, const struct fact *f, const char *at) {
    for (; *at; at++) {
        size_t plain = strcspn(at, "{<>");
        text_add(t, "%.*s", (int)plain, at);
        at += plain;
        if (*at == '{') {
            const struct value *v = value_at(f, at + 1);
            if (v)
                add_value(t, v, at + 1 + strcspn(at + 1, ":?}"),
                          is_words(f, at + 1));
            at = strchr(at, '}');
        } else if (*at == '<' && left_out(f, at))
            at = strchr(at, '>');
        if (!*at) return;
    }
}

void fact_words(struct text *t, const struct fact *f) {
    expand(t, f, _(rows[f->row].sentence));
}

void fact_cause(struct text *t, const struct fact *f) {
    expand(t, f, _(rows[f->row].cause));
}

const char *refusal_words(size_t row) {
    static const char *const words[] = {
#define X(name, scope, text) text,
#include "refusals.def"
#undef X
    };
    return _(words[row]);
}
