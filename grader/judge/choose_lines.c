/* SPDX-License-Identifier: MIT
 *
 * choose_lines.c: see choose_lines.h.
 */
#include "choose_lines.h"

#include <stdlib.h>
#include <string.h>

#include "related.h"
#include "spots.h"
#include "stub_lines.h"
#include "text.h"

enum { FILES = 4, DECIDING = 3, DECIDING_LAUNCH = 2 };

/* A file that is pointed into. */
struct file {
    const char *name, *text;
    struct stub_lines stub;
    struct related_file related;
    bool is_open;
};

struct choosing {
    const struct choose_from *from;
    struct outcome *o;
    struct file files[FILES];
    size_t n_files;
    bool failed;
};

/* NULL: there is no text, or no memory. */
static struct file *file_of(struct choosing *c, const char *name) {
    for (size_t i = 0; i < c->n_files; i++)
        if (strcmp(c->files[i].name, name) == 0) return &c->files[i];
    const char *text = c->from->text_of(c->from->user, name);
    if (!text || c->n_files == FILES) return NULL;
    struct file *f = &c->files[c->n_files];
    *f = (struct file){.name = name, .text = text};
    const char *folder = c->from->lab->folder;
    bool ours = strcmp(name, text_base(c->from->lab->source)) == 0;
    f->is_open = (!ours || stub_lines_find(folder, text, &f->stub)) &&
                 related_open(text, &f->related);
    c->failed |= !f->is_open;
    c->n_files++;
    return f->is_open ? f : NULL;
}

static bool is_own(struct choosing *c, const char *name, unsigned line) {
    struct file *f = file_of(c, name);
    return !f || !stub_lines_has(&f->stub, line);
}

static bool is_chosen(const struct outcome *o, const char *name,
                      unsigned line) {
    for (size_t i = 0; i < o->n_chosen; i++)
        if (o->chosen[i].line == line && strcmp(o->chosen[i].file, name) == 0)
            return true;
    return false;
}

static bool choose(struct choosing *c, enum spot_kind kind, const char *name,
                   unsigned line, bool of_host) {
    struct outcome *o = c->o;
    bool twice = kind == SPOT_EARLIER; /* a race of one line with itself */
    if (o->n_chosen == OUTCOME_LINES || !is_own(c, name, line) ||
        (!twice && is_chosen(o, name, line)))
        return false;
    char *copy = strdup(name);
    c->failed |= !copy;
    if (copy)
        o->chosen[o->n_chosen++] =
            (struct chosen_line){kind, copy, line, of_host};
    return copy != NULL;
}

static const enum spot_kind kinds[] = {
    [RELATED_CONDITION] = SPOT_CONDITION,
    [RELATED_VALUE] = SPOT_GIVES,
    [RELATED_CALL] = SPOT_FROM,
    [RELATED_CONSTANT] = SPOT_CONSTANT,
};

/* What decides about a line. most: so many. */
static size_t choose_related(struct choosing *c, const char *name,
                             unsigned line, size_t most) {
    struct related lines[RELATED_MOST];
    struct file *f = file_of(c, name);
    size_t n = f ? related_lines(&f->related, line, lines) : 0, chosen = 0;
    for (size_t i = 0; i < n && chosen < most; i++)
        chosen += choose(c, kinds[lines[i].kind], name, lines[i].line, true);
    return chosen;
}

bool choose_lines(const struct choose_from *from, struct outcome *o) {
    struct choosing c = {.from = from, .o = o};
    struct spot all[MOST_SPOTS];
    size_t n = spots_all(o, all), left = DECIDING;
    o->are_chosen = true;
    for (size_t i = 0; i < n; i++)
        if (all[i].kind != SPOT_FUNCTION && all[i].kind != SPOT_LAUNCH)
            choose(&c, all[i].kind, all[i].file, all[i].line, all[i].of_host);
    size_t own = o->n_chosen;
    for (size_t i = 0; i < own && left; i++)
        left -= choose_related(&c, o->chosen[i].file, o->chosen[i].line, left);
    for (size_t i = 0; i < n; i++)
        if (all[i].kind == SPOT_LAUNCH) {
            choose(&c, all[i].kind, all[i].file, all[i].line, true);
            choose_related(&c, all[i].file, all[i].line, DECIDING_LAUNCH);
        }
    for (size_t i = 0; i < n && !o->n_chosen; i++) /* of the stub alone */
        choose_related(&c, all[i].file, all[i].line, DECIDING);
    for (size_t i = 0; i < c.n_files; i++) {
        stub_lines_free(&c.files[i].stub);
        related_close(&c.files[i].related);
    }
    return !c.failed;
}
