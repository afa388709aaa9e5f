/* SPDX-License-Identifier: MIT
 *
 * source_page.h: a page of the source beside what each line cost
 * (source_view.h).
 */
#pragma once

#include "source_view.h"

/* What is said above the listing; texts may hold words of the submission. */
struct source_page {
    const char *title, *verdict;
    const char *message, *more, *cause, *printed; /* NULL: none */
    const char *clock;                            /* NULL: none */
    const struct source_text *texts;
    size_t n_texts;
    bool more_files; /* than these */
};
/* false: out of memory or disk. */
bool source_page(FILE *, const struct source_view *,
                 const struct source_page *);
