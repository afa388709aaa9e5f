/* SPDX-License-Identifier: MIT
 *
 * walls_words.c: see walls_words.h. Which walls stand around the compiler and
 * around the submission's code, from contract/walls.def.
 */
#include "walls_words.h"

#include "translate.h"

static const struct {
    const char *name, *meaning;
    bool asked;
} walls[] = {
#define X(name, asked, meaning) {#name, meaning, asked},
#include "walls.def"
#undef X
};

const char *wall_name(enum wall wall) {
    return walls[wall].name;
}

static void add_missing(struct text *t, const struct standing *stands,
                        const char *around) {
    const char *between = "";
    for (int i = 0; i < N_WALLS; i++) {
        if (!walls[i].asked || *stands->by[i]) continue;
        if (!*between)
            text_add(t, _("%saround %s: "), t->size ? "; " : "", around);
        text_add(t, "%s%s (%s)", between, walls[i].name, walls[i].meaning);
        between = ", ";
    }
}

char *walls_missing(const struct standing *build, const struct standing *run) {
    struct text t = {0};
    add_missing(&t, build, _("the compiler"));
    add_missing(&t, run, _("the submission's code"));
    return t.bytes;
}

static void add_standing(struct text *t, const struct standing *stands,
                         const char *around) {
    text_add(t, _("%saround %s"), t->size ? "\n" : "", around);
    for (int i = 0; i < N_WALLS; i++)
        text_add(t, "%s %s (%s)", i ? "," : "", walls[i].name,
                 *stands->by[i] ? stands->by[i] : _("missing"));
}

char *walls_words(const struct grade *grade) {
    struct text t = {0};
    add_standing(&t, &grade->walls_of_build, _("the compiler:"));
    add_standing(&t, &grade->walls_of_run, _("the submission's code:"));
    return t.bytes;
}
