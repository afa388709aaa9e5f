/* SPDX-License-Identifier: MIT
 *
 * said.h: what the report says of a diagnosis. A text lives until the next but
 * seven.
 */
#pragma once

#include <stdio.h>

#include "words.h"

static inline const char *said(void (*words)(struct text *,
                                             const struct diagnosis *),
                               const struct diagnosis *d) {
    static char texts[8][1024];
    static unsigned next;
    struct text t = {0};
    char *to = texts[next++ % 8];
    words(&t, d);
    snprintf(to, sizeof *texts, "%s", text_string(&t));
    text_free(&t);
    return to;
}

static inline void said_cause(struct text *t, const struct diagnosis *d) {
    const struct outcome o = {.difference = (struct diagnosis *)d};
    words_usual_cause(t, &o);
}

#define FIRST(d)    said(words_first, d)
#define SHAPE(d)    said(words_shape, d)
#define CONTAINS(d) said(words_contents, d)
#define CAUSE(d)    said(said_cause, d)
