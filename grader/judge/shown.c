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

static bool keep(const struct sources *s, struct grade *g, const char *name,
                 unsigned line) {
    if (!name || !line || is_kept(g, name)) return true;
    const struct source_file *file = named(s, name);
    if (!file) return true;
    void *more = realloc(g->sources, (g->n_sources + 1) * sizeof *g->sources);
    if (!more) return false;
    g->sources = more;
    struct source_text *to = &g->sources[g->n_sources++];
    *to =
        (struct source_text){.name = strdup(name), .text = strdup(file->bytes)};
    return to->name && to->text;
}

static bool keep_of(const struct sources *s, struct grade *g,
                    const struct outcome *o) {
    const struct place *other = o->finding ? &o->finding->other : NULL;
    bool kept = keep(s, g, o->place.file, o->place.line);
    if (other && o->finding->has_other)
        kept = kept && keep(s, g, other->file, other->line);
    const struct vgpu_place *step =
        o->steps ? steps_fault_place(o->steps) : NULL;
    if (step) kept = kept && keep(s, g, text_base(step->file), step->line);
    for (size_t i = 0; o->hottest && i < o->hottest->n; i++)
        kept = kept &&
               keep(s, g, o->hottest->lines[i].file, o->hottest->lines[i].line);
    return kept;
}

bool shown_sources(const struct sources *s, struct grade *g) {
    for (size_t i = 0; i < g->n_labs; i++)
        for (size_t k = 0; k < g->labs[i].n_checks; k++)
            if (!keep_of(s, g, &g->labs[i].checks[k].outcome)) return false;
    return true;
}
