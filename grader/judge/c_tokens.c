/* SPDX-License-Identifier: MIT
 *
 * c_tokens.c: see c_tokens.h.
 */
#include "c_tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *c_behind_words(const char *at) {
    const char *end = at;
    if (at[0] == '/' && at[1] == '/') return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"' && *at != '\'') return at;
    for (end++; *end && *end != *at && *end != '\n'; end++)
        if (*end == '\\' && end[1]) end++;
    return *end ? end + 1 : end;
}

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The longest operator first. */
static unsigned sign_size(const char *at) {
    static const char *const signs[] = {"<<<", ">>>", "<<=", ">>=", "==", "<=",
                                        ">=",  "!=",  "+=",  "-=",  "*=", "/=",
                                        "%=",  "&=",  "|=",  "^=",  "<<", "&&",
                                        "||",  "++",  "--",  "->",  "::"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(at, signs[i], strlen(signs[i])) == 0)
            return (unsigned)strlen(signs[i]);
    return 1;
}

/* The end of a line of the preprocessor, with those that it goes on in. */
static const char *behind_directive(const char *at) {
    while (*at && *at != '\n') {
        const char *behind = c_behind_words(at);
        if (behind == at) behind += 1 + (*at == '\\' && at[1]);
        at = behind;
    }
    return at;
}

static unsigned newlines(const char *from, const char *to) {
    unsigned n = 0;
    for (; from < to; from++) n += *from == '\n';
    return n;
}

static bool c_tokens_add(struct c_tokens *t, size_t *room,
                         struct c_token token) {
    if (t->n == *room) {
        size_t more = *room ? 2 * *room : 1024;
        void *list = realloc(t->list, more * sizeof *t->list);
        if (!list) return false;
        t->list = list;
        *room = more;
    }
    t->list[t->n++] = token;
    return true;
}

bool c_tokens_read(const char *text, struct c_tokens *t) {
    size_t room = 0;
    unsigned line = 1;
    bool begins = true, ok = true; /* a line */
    *t = (struct c_tokens){0};
    for (const char *at = text; ok && *at && t->n < C_TOKENS_MOST;) {
        const char *behind = c_behind_words(at);
        struct c_token token = {.at = at, .line = line, .kind = C_SIGN};
        if (behind == at && begins && *at == '#') {
            behind = behind_directive(at);
        } else if (behind == at && is_name(*at)) {
            while (is_name(*behind)) behind++;
            token.kind = isdigit((unsigned char)*at) ? C_NUMBER : C_NAME;
            token.size = (unsigned)(behind - at);
            ok = c_tokens_add(t, &room, token);
        } else if (behind == at && isspace((unsigned char)*at)) {
            behind++;
        } else if (behind == at) {
            token.size = sign_size(at);
            behind += token.size;
            ok = c_tokens_add(t, &room, token);
        }
        begins = *at == '\n' || (begins && isspace((unsigned char)*at));
        line += newlines(at, behind);
        at = behind;
    }
    if (!ok) c_tokens_free(t);
    return ok;
}

void c_tokens_free(struct c_tokens *t) {
    free(t->list);
    *t = (struct c_tokens){0};
}

bool c_token_is(const struct c_token *t, const char *text) {
    return strlen(text) == t->size && memcmp(t->at, text, t->size) == 0;
}

bool c_token_same(const struct c_token *a, const struct c_token *b) {
    return a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
}
