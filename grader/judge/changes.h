/* SPDX-License-Identifier: MIT
 *
 * changes.h: small changes of a source's text that may be tried: `<=` for `<`,
 * another variable of the same type, one operand of && left out, a statement
 * less, two in the other order (changes.def). All of them go into one text,
 * each behind a number that is chosen when it runs, so that one build has them
 * all. Types are guessed from declarations; nothing of a solution is known.
 */
#pragma once

#include "stub_lines.h"

enum change_kind {
#define X(NAME, form, late, risk, fact) CHANGE_##NAME,
#include "changes.def"
#undef X
    N_CHANGES
};

enum { CHANGE_TEXT = 64, CHANGES_MOST = 200, CHANGES_CAREFUL = 2 };

struct source_change {
    enum change_kind kind;
    unsigned line, other; /* other: a line that it stands before */
    char was[CHANGE_TEXT], now[CHANGE_TEXT];
};

struct changes {
    struct source_change *list; /* the likeliest first; the first is number 1 */
    size_t n;
    char *text; /* the source, with all of them */
};

struct changes_ask {
    const char *text;
    const struct stub_lines *stub; /* nothing of it is changed */
    const unsigned *lines;         /* the most suspicious first */
    size_t n_lines;
    const bool *barred; /* of each line up to n_barred: no change there */
    size_t n_barred;
    const char *entry; /* the function that is called; what it calls is changed
                          first */
    unsigned failures; /* builds that failed, at most CHANGES_CAREFUL: so much
                          more careful */
};

/* false: no memory, or nothing to change. changes_free in any case. */
bool changes_make(const struct changes_ask *, struct changes *);
void changes_free(struct changes *);
/* Of each line up to *n: may it run in a call of the function? By the names
 * that each function has in it. NULL: no memory. */
bool *changes_reached(const char *text, const char *entry, size_t *n);
/* The least is to be tried first; asks for lines and n_lines alone. */
unsigned changes_late(const struct changes_ask *, const struct source_change *);

/* What stands above the text, in a file of its own (changes_header): which
 * change is chosen. */
extern const char changes_header[];
#define CHANGES_HEADER "scanlab_choice.h"
/* The bytes before the number in what was compiled of it. */
enum { CHANGES_MARK_BYTES = 8 };
extern const unsigned char changes_mark[CHANGES_MARK_BYTES];
