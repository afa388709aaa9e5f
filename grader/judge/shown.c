/* SPDX-License-Identifier: MIT
 *
 * shown.c: see shown.h.
 */
#include "shown.h"

#include <stdlib.h>
#include <string.h>

#include "choose_lines.h"
#include "spots.h"

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

static bool shown_keep(const struct sources *s, struct grade *g,
                       const char *name, unsigned line) {
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

/* The text of a file of the submission. */
static const char *text_of(const void *user, const char *name) {
    const struct source_file *file = named(user, name);
    return file ? file->bytes : NULL;
}

bool shown_sources(const struct sources *s, struct grade *g,
                   struct check_result *r, struct choose_from from) {
    struct outcome *o = &r->outcome;
    struct spot spots[MOST_SPOTS];
    from.text_of = text_of;
    from.user = s;
    bool kept = choose_lines(&from, &r->measured, o);
    size_t n = spots_of(o, spots);
    for (size_t i = 0; i < n; i++)
        kept = kept && shown_keep(s, g, spots[i].file, spots[i].line);
    for (size_t i = 0; o->hottest && i < o->hottest->n; i++)
        kept = kept && shown_keep(s, g, o->hottest->lines[i].file,
                                  o->hottest->lines[i].line);
    return kept;
}

bool shown_repair(const struct sources *s, struct grade *g,
                  const struct stub_lines *stub, struct outcome *o) {
    if (o->repair && stub_lines_has(stub, o->repair->line)) return true;
    bool kept = choose_repair(o);
    for (size_t i = 0; i < o->n_chosen; i++)
        kept = kept && shown_keep(s, g, o->chosen[i].file, o->chosen[i].line);
    return kept;
}
