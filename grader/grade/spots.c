/* SPDX-License-Identifier: MIT
 *
 * spots.c: see spots.h.
 */
#include "spots.h"

#include <string.h>

#include "text.h"
#include "translate.h"

static const struct {
    const char *id, *words;
} kinds[] = {
#define X(NAME, id, words) [SPOT_##NAME] = {id, words},
#include "spots.def"
#undef X
};

const char *spot_id(enum spot_kind kind) {
    return kinds[kind].id;
}

const char *spot_words(enum spot_kind kind) {
    return *kinds[kind].words ? _(kinds[kind].words) : "";
}

struct spot_list {
    struct spot *spots;
    size_t n;
};

static void spots_add(struct spot_list *l, struct spot s) {
    if (!s.file || !s.line || l->n == MOST_SPOTS) return;
    for (size_t i = 0; i < l->n && s.kind != SPOT_EARLIER; i++)
        if (l->spots[i].line == s.line && strcmp(l->spots[i].file, s.file) == 0)
            return;
    l->spots[l->n++] = s;
}

static void add_place(struct spot_list *l, enum spot_kind kind,
                      const struct place *p) {
    spots_add(l, (struct spot){kind, p->file, p->line, !p->has_thread});
}

/* What brought a place about. */
static void add_around(struct spot_list *l, const struct place *p) {
    spots_add(l, (struct spot){SPOT_CALLED, p->file, p->called, false});
    for (size_t i = 0; i < VGPU_OUTER; i++)
        spots_add(l, (struct spot){SPOT_CALLED, p->file, p->outer[i], false});
    spots_add(l, (struct spot){SPOT_INDEX, p->file, p->index, false});
    for (size_t i = 0; i < PLACE_CALLERS; i++)
        spots_add(l, (struct spot){SPOT_FROM, p->file, p->callers[i], true});
}

static void add_step_place(struct spot_list *l, enum spot_kind kind,
                           const struct vgpu_place *p) {
    if (!p || !p->file) return;
    const char *file = text_base(p->file);
    spots_add(l, (struct spot){kind, file, p->line, false});
    spots_add(l, (struct spot){SPOT_CALLED, file, p->called, false});
    for (size_t i = 0; i < VGPU_OUTER; i++)
        spots_add(l, (struct spot){SPOT_CALLED, file, p->outer[i], false});
}

/* The line that calls join(a, b) decides which operand stands first. */
static void add_joined(struct spot_list *l, const struct place *p) {
    unsigned line = p->called ? p->called : p->line;
    spots_add(l, (struct spot){SPOT_JOINED, p->file, line, false});
}

static void add_step_joined(struct spot_list *l, const struct vgpu_place *p) {
    if (p && p->file)
        spots_add(l, (struct spot){SPOT_JOINED, text_base(p->file),
                                   p->called ? p->called : p->line, false});
}

size_t spots_of(const struct outcome *o, struct spot spots[MOST_SPOTS]) {
    if (!o->are_chosen) {
        size_t n = spots_all(o, spots);
        return n < OUTCOME_LINES ? n : OUTCOME_LINES;
    }
    for (size_t i = 0; i < o->n_chosen; i++)
        spots[i] =
            (struct spot){(enum spot_kind)o->chosen[i].kind, o->chosen[i].file,
                          o->chosen[i].line, o->chosen[i].of_host};
    return o->n_chosen;
}

size_t spots_all(const struct outcome *o, struct spot spots[MOST_SPOTS]) {
    struct spot_list l = {spots, 0};
    const struct place *other =
        o->finding && o->finding->has_other ? &o->finding->other : NULL;
    add_place(&l, SPOT_HERE, &o->place);
    if (other) add_place(&l, SPOT_EARLIER, other);
    add_around(&l, &o->place);
    if (other) add_around(&l, other);
    /* Of an outcome without a place of its own, that of the first wrong step.
     */
    if (o->steps && !o->place.line) {
        if (o->steps->fault == FAULT_SWAPPED)
            add_step_joined(&l, steps_fault_maker(o->steps));
        add_step_place(&l, SPOT_STEP, steps_fault_place(o->steps));
        add_step_place(&l, SPOT_VALUE, steps_fault_maker(o->steps));
    }
    if (!o->place.line && !o->lineage[0].line) { /* that says less */
        spots_add(&l, (struct spot){SPOT_READ, o->writer.read.file,
                                    o->writer.read.line, false});
        add_around(&l, &o->writer.read);
        add_place(&l, SPOT_WRITER, &o->writer.place);
        add_around(&l, &o->writer.place);
    }
    for (size_t i = 0; i < OUTCOME_LINEAGE && !o->place.line; i++) {
        if (o->joins_swapped && !i) add_joined(&l, &o->lineage[i]);
        add_place(&l, SPOT_VALUE, &o->lineage[i]);
        add_around(&l, &o->lineage[i]);
    }
    for (size_t i = 0; i < OUTCOME_COPIES && !o->place.line; i++) {
        add_place(&l, SPOT_COPY, &o->copies[i]);
        add_around(&l, &o->copies[i]);
    }
    for (size_t i = 0; i < OUTCOME_BESIDE && !o->place.line; i++)
        add_place(&l, SPOT_BESIDE, &o->beside[i]);
    for (size_t i = 0; i < OUTCOME_COSTLY; i++) {
        add_place(&l, o->costly_waits ? SPOT_WAITS : SPOT_COSTLY,
                  &o->costly[i]);
        add_around(&l, &o->costly[i]);
    }
    if (o->finding) add_place(&l, SPOT_ARRAY, &o->array);
    add_place(&l, SPOT_LAUNCH, &o->launched);
    add_around(&l, &o->launched);
    return l.n;
}

const char *spot_text(const struct grade *grade, const char *file) {
    for (size_t i = 0; file && i < grade->n_sources; i++)
        if (strcmp(grade->sources[i].name, file) == 0)
            return grade->sources[i].text;
    return NULL;
}

size_t spots_shown(const struct grade *grade, const struct outcome *o,
                   struct spot spots[MOST_SPOTS]) {
    size_t all = spots_of(o, spots), n = 0, bytes;
    for (size_t i = 0; i < all; i++) {
        const char *text = spot_text(grade, spots[i].file);
        if (text && spot_line(text, spots[i].line, &bytes))
            spots[n++] = spots[i];
    }
    return n;
}

const char *spot_line(const char *text, unsigned line, size_t *bytes) {
    for (unsigned k = 1; *text; k++) {
        *bytes = strcspn(text, "\n");
        if (k == line) break;
        text += *bytes + (text[*bytes] == '\n');
    }
    if (!*text) return NULL;
    if (*bytes && text[*bytes - 1] == '\r') --*bytes;
    return text;
}
