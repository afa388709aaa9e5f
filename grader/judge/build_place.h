/* SPDX-License-Identifier: MIT
 *
 * build_place.h: a fresh folder for one compile, and what lies in it:
 *
 *   own/     copies of the submission's files; the compiler runs here
 *   labs/    copies of the headers that the labs give, NN-name/ and common/
 *   out/     library.so and depends, which the compiler writes
 *   tmp/     its temporary files
 */
#pragma once

#include <stdbool.h>

#include "sources.h"
#include "temporary.h"

struct build_place {
    struct temporary folder;
    char *own, *out, *temporary;
};

/* What the compiler is to find. */
struct build_files {
    const struct sources *own, *lab, *common;
    const char *lab_name; /* the lab's folder, "01-naive" */
    const char *unit;     /* the lab's source */
    bool all_units;       /* sources of other labs, too */
};

/* In a folder of ours; does not move until it is removed. false: errno; nothing
 * is left. */
bool build_place_make(struct build_place *, const char *in,
                      const struct build_files *);
/* Is it still there, with the lab's source? false: errno. */
bool build_place_stands(const struct build_place *, const char *unit);
/* With all that is in it. Safe to call twice. */
void build_place_remove(struct build_place *);
