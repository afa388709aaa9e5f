/* SPDX-License-Identifier: MIT
 *
 * changed.h: a submission that was built once more, with all small changes of
 * its text (changes.h) in it. Which one applies is a number in the library's
 * bytes, for host code, and an edit of the program, for kernels.
 */
#pragma once

#include "changes.h"
#include "compile_settings.h"
#include "temporary.h"

enum { CHANGED_PLACES = 4 };

struct changed {
    struct changes changes;
    struct temporary folder; /* of the source, then of the library */
    bool is_written;         /* the submission's other files */
    char *library;           /* path */
    size_t library_bytes;
    unsigned n_builds;       /* the compiler refused all but the last */
    long at[CHANGED_PLACES]; /* of the number in it */
    size_t n_places;
};

struct changed_ask {
    const struct compile_settings *settings;
    struct lab *lab;
    const struct sources *sources;
    const char *built; /* the library without changes */
    struct changes_ask changes;
};

/* Lines that the compiler complains about are left as they are, and it is tried
 * again. false: it cannot be built. changed_close in any case. */
bool changed_open(struct changed *, const struct changed_ask *);
/* number: from 1; 0: none. false: errno. */
bool changed_choose(const struct changed *, unsigned number);
void changed_close(struct changed *);
