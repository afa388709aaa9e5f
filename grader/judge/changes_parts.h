/* SPDX-License-Identifier: MIT
 *
 * changes_parts.h: what the files of changes.h share.
 */
#pragma once

#include <stdint.h>

#include "c_statements.h"
#include "changes.h"
#include "text.h"

/* Something that is put around a part of the text, or (to is 0) before it. In
 * `before` and `after` an @ is the change's number. */
struct change_wrap {
    const char *from, *to;
    char *before, *after;
};
enum { CHANGE_WRAPS = 2, CHANGE_TYPE = 40, CHANGE_NAMES = 600 };

struct candidate_change {
    struct source_change is;
    unsigned late; /* the least is tried first */
    size_t number;
    struct change_wrap wraps[CHANGE_WRAPS];
    size_t n_wraps;
};

/* A variable: its type, without const, as text. */
struct change_name {
    size_t at; /* its token, where it is declared */
    char type[CHANGE_TYPE];
    bool is_integer, is_array;
    bool
        of_integers; /* it, or what its pointer points to; T is taken for one */
    int32_t function, loop; /* loop: of a loop's head; else -1 */
};

struct changing {
    const struct changes_ask *ask;
    struct c_tokens tokens;
    struct c_statements statements;
    int *depth;    /* of braces, of each token */
    bool *is_type; /* of each token: in a template's arguments */
    struct change_name names[CHANGE_NAMES];
    size_t n_names;
    bool *reached; /* of each line; NULL: not known */
    size_t n_reached;
    struct candidate_change *list;
    size_t n, room;
    bool failed;
};

/* The statement that is looked at. */
struct change_at {
    struct changing *c;
    int32_t statement;
    size_t first, end; /* tokens */
    enum c_statement_kind kind;
    bool declares;
};

bool change_is(const struct changing *, size_t token, const char *text);
/* The token behind the bracket's pair, or the pair before it. */
size_t change_behind(const struct changing *, size_t open);
size_t change_before(const struct changing *, size_t close);
/* The text of tokens; begins and ends in it. */
char *change_text(const struct changing *, size_t first, size_t end);
const char *change_begin(const struct changing *, size_t token);
const char *change_end(const struct changing *, size_t behind);

/* A new change at the token's line; NULL: no room, or it may not be. */
struct candidate_change *change_new(const struct change_at *, size_t token,
                                    enum change_kind);
/* What it says: was and now are tokens and a text, which is freed. */
void change_say(const struct change_at *, struct candidate_change *,
                size_t first, size_t end, char *now);
/* before and after are freed with the change. to NULL: before alone. */
void change_wrap(const struct change_at *, struct candidate_change *,
                 const char *from, const char *to, char *before, char *after);

/* changes_names.c */
void change_find_names(struct changing *);
bool change_declares(const struct changing *, size_t first, size_t end);
const struct change_name *change_name_at(const struct change_at *,
                                         size_t token);
bool change_is_visible(const struct change_at *, const struct change_name *,
                       size_t token);

/* Each of these finds changes in a statement. */
void changes_of_signs(const struct change_at *);
void changes_of_conditions(const struct change_at *);
void changes_of_names(const struct change_at *);
void changes_of_indices(const struct change_at *);
void changes_of_calls(const struct change_at *);
void changes_of_whole(const struct change_at *);
