/* SPDX-License-Identifier: MIT
 *
 * c_tokens.h: a C or CUDA file as tokens with their lines: names, numbers and
 * operators; comments, literals and lines of the preprocessor are left out.
 * Nothing is expanded: this finds lines to point at, and decides nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum c_token_kind { C_NAME, C_NUMBER, C_SIGN };
struct c_token {
    const char *at; /* in the file's text */
    unsigned size, line;
    enum c_token_kind kind;
};

struct c_tokens {
    struct c_token *list;
    size_t n;
};

enum { C_TOKENS_MOST = 200000 }; /* what comes later is left out */

/* The text outlives the tokens. false: no memory. */
bool c_tokens_read(const char *text, struct c_tokens *);
void c_tokens_free(struct c_tokens *);

bool c_token_is(const struct c_token *, const char *text);
bool c_token_same(const struct c_token *, const struct c_token *);
/* Behind a comment or a literal that begins here; else `at`. */
const char *c_behind_words(const char *at);
