/* SPDX-License-Identifier: MIT
 *
 * choose_parts.h: what the files of choose_lines.h share: the files that are
 * pointed into, and the lines that an outcome names.
 */
#pragma once

#include "choose_lines.h"
#include "related.h"
#include "spots.h"
#include "stub_lines.h"

enum { CHOOSE_FILES = 4, CHOOSE_NAMED = 2 * MOST_SPOTS };

struct choose_file {
    const char *name, *text;
    struct stub_lines stub;
    struct related_file related;
    bool is_open;
};

struct choosing {
    const struct choose_from *from;
    struct outcome *o;
    struct choose_file files[CHOOSE_FILES];
    size_t n_files;
    struct spot named[CHOOSE_NAMED]; /* what tells most first */
    size_t n_named;
    bool failed;
};

/* NULL: there is no text, or no memory. */
struct choose_file *choose_file(struct choosing *, const char *name);
/* Functions of the lab that work, other than the one that was called; names:
 * has room for all. */
struct related_names choose_working(const struct choosing *,
                                    const char *names[]);
/* Fills the named ones: where it was seen, and what the kind of outcome asks
 * for. */
void choose_named(struct choosing *, const struct measured *);
