/* SPDX-License-Identifier: MIT
 *
 * defined.c: see defined.h. Of every definition the tokens of the value are
 * replaced, so that a file keeps its lines.
 */
#include "defined.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "c_tokens.h"
#include "sources.h"
#include "tree.h"

struct defined_span {
    const char *from, *to; /* from NULL: there is none */
};

static bool is_one_of(const struct c_token *t, const char *words) {
    return t->size == 1 && strchr(words, *t->at);
}

/* Does the statement, or the list, in which token `at` stands declare a
 * constant? Looks back to where it begins. */
static bool declares(const struct c_tokens *t, size_t at) {
    for (size_t k = at; k-- > 0;) {
        const struct c_token *token = &t->list[k];
        if (c_token_is(token, "const") || c_token_is(token, "constexpr"))
            return true;
        if (is_one_of(token, ";})(")) return false;
        if (!is_one_of(token, "{")) continue;
        /* enum {, enum name {, enum name : type { */
        for (size_t b = k; b > 0 && k - b < 5; b--) {
            if (c_token_is(&t->list[b - 1], "enum")) return true;
            if (is_one_of(&t->list[b - 1], ";{})(")) return false;
        }
        return false;
    }
    return false;
}

/* From behind the '=' to the end of the expression. */
static struct defined_span value_behind(const struct c_tokens *t,
                                        size_t equals) {
    size_t k = equals + 1, depth = 0;
    struct defined_span s = {NULL, NULL};
    for (; k < t->n; k++) {
        const struct c_token *token = &t->list[k];
        if (!depth && is_one_of(token, ",;}")) break;
        if (is_one_of(token, "([{")) depth++;
        if (depth && is_one_of(token, ")]}")) depth--;
        if (!s.from) s.from = token->at;
        s.to = token->at + token->size;
    }
    if (k == t->n) s.from = NULL;
    return s;
}

static struct defined_span next_constant(const struct c_tokens *t,
                                         const char *name, const char *after) {
    for (size_t k = 0; k + 2 < t->n; k++)
        if (t->list[k].at >= after && t->list[k].kind == C_NAME &&
            c_token_is(&t->list[k], name) && c_token_is(&t->list[k + 1], "=") &&
            declares(t, k))
            return value_behind(t, k + 1);
    return (struct defined_span){NULL, NULL};
}

static const char *blanks(const char *at) {
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

/* The value of a line `#define NAME value`; a macro with arguments is none. */
static struct defined_span define_on(const char *line, const char *name) {
    const char *at = blanks(line), *end = line + strcspn(line, "\r\n");
    size_t length = strlen(name);
    struct defined_span none = {NULL, NULL};
    if (*at != '#') return none;
    at = blanks(at + 1);
    if (strncmp(at, "define", 6) != 0 || (at[6] != ' ' && at[6] != '\t'))
        return none;
    at = blanks(at + 6);
    if (strncmp(at, name, length) != 0) return none;
    at += length;
    if (*at != ' ' && *at != '\t') return none;
    at = blanks(at);
    if (at == end || end[-1] == '\\') return none;
    for (const char *c = at; c < end; c++)
        if (c[0] == '/' && (c[1] == '/' || c[1] == '*')) end = c;
    while (end > at && isspace((unsigned char)end[-1])) end--;
    return (struct defined_span){at, end};
}

static struct defined_span next_define(const char *text, const char *name,
                                       const char *after) {
    for (const char *line = text; *line;) {
        struct defined_span s = define_on(line, name);
        if (s.from && s.from >= after) return s;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return (struct defined_span){NULL, NULL};
}

bool defined_text(const char *source, const char *name, const char *value,
                  struct text *out) {
    struct c_tokens tokens;
    const char *at = source;
    if (!c_tokens_read(source, &tokens)) return false;
    for (;;) {
        struct defined_span s = next_constant(&tokens, name, at);
        struct defined_span d = next_define(source, name, at);
        if (!s.from || (d.from && d.from < s.from)) s = d;
        if (!s.from) break;
        text_add(out, "%.*s%s", (int)(s.from - at), at, value);
        at = s.to;
    }
    if (at != source) text_add(out, "%s", at);
    c_tokens_free(&tokens);
    return at != source;
}

static bool define_in(struct sources *s, const char *name, const char *value) {
    bool found = false;
    for (size_t i = 0; i < s->n; i++) {
        struct text t = {0};
        if (!s->files[i].odd &&
            defined_text(s->files[i].bytes, name, value, &t) && t.bytes) {
            free(s->files[i].bytes);
            s->files[i].bytes = t.bytes;
            s->files[i].size = t.size;
            found = true;
        } else {
            text_free(&t);
        }
    }
    return found;
}

bool defined_copy(struct temporary *copy, const char *submission,
                  const char *in, const char *name, const char *value,
                  char **why) {
    struct sources s = {0};
    *copy = (struct temporary){0};
    *why = NULL;
    if (!sources_read(&s, submission, false, why)) return false;
    bool good = define_in(&s, name, value);
    if (!good)
        *why = text_format("no file of the submission gives %s a value: "
                           "enum { %s = 256 }, const int %s = 256 or #define "
                           "%s 256",
                           name, name, name, name);
    if (good && (!tree_make(in) || !temporary_make(copy, in, "fresh") ||
                 !sources_write(&s, copy->path, "", true))) {
        *why = text_format("cannot copy the submission below %s: %s", in,
                           strerror(errno));
        temporary_remove(copy);
        good = false;
    }
    sources_free(&s);
    return good;
}
