/* SPDX-License-Identifier: MIT
 *
 * shown.c: see shown.h.
 */
#include "shown.h"

#include <stdlib.h>
#include <string.h>

/* A place has a file's base name; NULL: none is called so, or several are. */
static const struct source_file *named(const struct sources *s,
                                       const char *name) {
    const struct source_file *only = NULL;
    for (size_t i = 0; i < s->n; i++) {
        if (strcmp(text_base(s->files[i].name), name) != 0) continue;
        if (only) return NULL;
        only = &s->files[i];
    }
    return only;
}

static bool is_kept(const struct grade *g, const char *name) {
    for (size_t i = 0; i < g->n_sources; i++)
        if (strcmp(g->sources[i].name, name) == 0) return true;
    return false;
}

static bool keep(const struct sources *s, struct grade *g,
                 const struct place *place) {
    if (!place->file || !place->line || is_kept(g, place->file)) return true;
    const struct source_file *file = named(s, place->file);
    if (!file) return true;
    void *more = realloc(g->sources, (g->n_sources + 1) * sizeof *g->sources);
    if (!more) return false;
    g->sources = more;
    struct source_text *to = &g->sources[g->n_sources++];
    *to = (struct source_text){strdup(place->file), strdup(file->bytes)};
    return to->name && to->text;
}

bool shown_sources(const struct sources *s, struct grade *g) {
    for (size_t i = 0; i < g->n_labs; i++)
        for (size_t k = 0; k < g->labs[i].n_checks; k++) {
            const struct outcome *o = &g->labs[i].checks[k].outcome;
            if (!keep(s, g, &o->place)) return false;
            if (o->finding && o->finding->has_other &&
                !keep(s, g, &o->finding->other))
                return false;
        }
    return true;
}
