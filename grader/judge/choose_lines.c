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

/* So many lines of a kind; and in all, after which only places of the outcome
 * itself come in. */
enum { FILES = 4, DECIDING = 4, DECIDING_LAUNCH = 2, TURNS = 3, ENOUGH = 7 };

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
    bool related = kind >= SPOT_CONDITION;
    if (o->n_chosen >= (related ? ENOUGH : OUTCOME_LINES) ||
        !is_own(c, name, line) || (!twice && is_chosen(o, name, line)))
        return false;
    char *copy = strdup(name);
    c->failed |= !copy;
    if (copy)
        o->chosen[o->n_chosen++] =
            (struct chosen_line){kind, copy, line, of_host};
    return copy != NULL;
}

static const enum spot_kind kinds[] = {
    [RELATED_CONDITION] = SPOT_CONDITION, [RELATED_VALUE] = SPOT_GIVES,
    [RELATED_CALL] = SPOT_FROM,           [RELATED_RESULT] = SPOT_RESULT,
    [RELATED_NEVER] = SPOT_NEVER,         [RELATED_CONSTANT] = SPOT_CONSTANT,
};

/* Functions of the lab that work, other than the one that was called. */
static struct related_names working(const struct choosing *c,
                                    const char *names[]) {
    const struct lab *lab = c->from->lab;
    struct related_names n = {names, 0};
    for (size_t i = 0; i < lab->n_functions; i++)
        if (c->from->works[i] && &lab->functions[i] != c->o->tried.function)
            names[n.n++] = lab->functions[i].symbol;
    return n;
}

/* Is the line of a function that others use which work? */
static bool is_trusted(struct choosing *c, struct file *f, unsigned line) {
    const char **names = calloc(c->from->lab->n_functions + 1, sizeof *names);
    c->failed |= !names;
    bool trusted =
        names && related_trusts(&f->related, working(c, names), line);
    free(names);
    return trusted;
}

/* What decides about a line. most: so many. inlined: it is known who calls. */
static size_t choose_related(struct choosing *c, const char *name,
                             unsigned line, size_t most, bool inlined) {
    struct related lines[RELATED_MOST];
    struct file *f = file_of(c, name);
    size_t n = f ? related_lines(&f->related, line, lines) : 0, chosen = 0;
    for (size_t i = 0; i < n && chosen < most; i++)
        if ((!inlined || lines[i].kind != RELATED_CALL) &&
            !is_trusted(c, f, lines[i].line))
            chosen +=
                choose(c, kinds[lines[i].kind], name, lines[i].line, true);
    return chosen;
}

static bool is_called(const struct outcome *o, size_t own) {
    for (size_t i = 0; i < own; i++)
        if (o->chosen[i].kind == SPOT_CALLED) return true;
    return false;
}

/* Where a wrong value was made tells more than where it was stored. */
static bool goes_first(const struct chosen_line *l) {
    return l->kind == SPOT_VALUE || l->kind == SPOT_INDEX;
}

/* In turns of one of each line that was chosen so far. */
static void choose_related_of_all(struct choosing *c, size_t most) {
    struct outcome *o = c->o;
    size_t own = o->n_chosen, left = most;
    bool inlined = is_called(o, own);
    for (int turn = 0; turn < TURNS; turn++)
        for (int first = 1; first >= 0; first--)
            for (size_t i = 0; i < own && left; i++)
                if (goes_first(&o->chosen[i]) == first)
                    left -= choose_related(c, o->chosen[i].file,
                                           o->chosen[i].line, 1, inlined);
}

/* Lines of what the function that was called does, and those it calls: of those
 * that no function has which works, or else of all. */
static size_t choose_deeds(struct choosing *c, enum related_deed deed,
                           size_t most) {
    enum spot_kind kind = deed == RELATED_ORDER ? SPOT_ORDER : SPOT_DOES;
    size_t before = c->o->n_chosen;
    struct related lines[RELATED_MOST];
    const struct lab_function *function = c->o->tried.function;
    const char *source = text_base(c->from->lab->source);
    struct file *f = function ? file_of(c, source) : NULL;
    const char **names = calloc(c->from->lab->n_functions + 1, sizeof *names);
    c->failed |= !names;
    struct related_names trusted =
        names ? working(c, names) : (struct related_names){NULL, 0};
    size_t n =
        f ? related_deeds(&f->related, function->symbol, trusted, deed, lines)
          : 0;
    if (f && !n && trusted.n)
        n = related_deeds(&f->related, function->symbol,
                          (struct related_names){NULL, 0}, deed, lines);
    for (size_t i = 0; i < n && most; i++)
        most -= choose(c, kind, source, lines[i].line, true);
    free(names);
    return c->o->n_chosen - before;
}

/* A kernel's mistake may be its launch's: the loop around it, what it is given.
 */
static void choose_of_launches(struct choosing *c, size_t most) {
    struct related launches[RELATED_MOST];
    const struct lab_function *function = c->o->tried.function;
    const char *source = text_base(c->from->lab->source);
    struct file *f = function ? file_of(c, source) : NULL;
    size_t n = f ? related_deeds(&f->related, function->symbol,
                                 (struct related_names){NULL, 0},
                                 RELATED_LAUNCHES, launches)
                 : 0;
    for (size_t i = 0; i < n && most; i++)
        if (is_chosen(c->o, source, launches[i].line))
            most -= choose_related(c, source, launches[i].line, most, false);
}

/* ---- of a bound ---- */

/* What makes a count that no line of a kernel has; the clock's come from the
 * launches, too. */
static enum related_deed deed_of(int counter) {
    switch (counter) {
    case VGPU_COUNT_H2D_BYTES:
    case VGPU_COUNT_D2H_BYTES:
    case VGPU_COUNT_D2D_BYTES:
    case VGPU_COUNT_MEMSET_BYTES: return RELATED_COPIES;
    case VGPU_COUNT_ALLOCATIONS:
    case VGPU_COUNT_PEAK_BYTES: return RELATED_ALLOCATES;
    case VGPU_COUNT_STATIC_BYTES: return RELATED_VARIABLES;
    default: return RELATED_LAUNCHES;
    }
}

static void choose_of_bounds(struct choosing *c, const struct measured *m) {
    bool done[N_RELATED_DEEDS] = {false};
    for (size_t i = 0; i < m->n_bounds; i++) {
        const struct bound_count *b = &m->bounds[i];
        enum related_deed deed = deed_of(b->bound->counter);
        bool of_line = b->bound->counter < VGPU_COUNT_LAUNCHES;
        if (b->holds || !b->known || done[deed] ||
            (of_line && c->o->costly[0].file))
            continue;
        done[deed] = true;
        choose_deeds(c, deed, DECIDING);
    }
}

/* ---- all of them ---- */

static bool has_fact(const struct outcome *o, enum fact_row row) {
    for (size_t i = 0; i < o->n_facts; i++)
        if (o->facts[i].row == row) return true;
    return false;
}

/* A call that failed was handled wrongly: behind it. */
static void choose_next(struct choosing *c) {
    struct related lines[RELATED_MOST];
    const struct place *p = &c->o->place;
    bool failed = has_fact(c->o, FACT_ERROR_LEAKS) ||
                  has_fact(c->o, FACT_ERROR_WENT_ON) ||
                  has_fact(c->o, FACT_ERROR_LOST);
    struct file *f = failed && p->file ? file_of(c, p->file) : NULL;
    size_t n = f ? related_next(&f->related, p->line, 2, lines) : 0;
    for (size_t i = 0; i < n; i++)
        choose(c, SPOT_CONDITION, p->file, lines[i].line, true);
}

/* Right, if all stores and loads go in order; or somebody waits for a word that
 * nobody sets. */
static void choose_of_order(struct choosing *c) {
    enum { MOST = 4, MOST_WAITED = 2 };
    const struct outcome *o = c->o;
    const struct finding *f = o->finding;
    bool weak =
        (o->difference && o->difference->shape.row == FACT_WEAK_ONLY) ||
        (o->difference && o->difference->shape.row == FACT_CARRY_OTHER_HALF) ||
        (f && f->reason == REASON_WEAK_ONLY);
    if (weak) choose_deeds(c, RELATED_ORDER, MOST);
    if (f && f->kind == VGPU_FINDING_DEADLOCK) {
        size_t left = MOST_WAITED;
        left -= choose_deeds(c, RELATED_COPIES, left);
        choose_deeds(c, RELATED_ALLOCATES, left);
    }
}

/* Elements are missing: a condition may be wrong. */
static void choose_never(struct choosing *c) {
    enum { MOST = 3 };
    struct related lines[RELATED_MOST];
    const struct outcome *o = c->o;
    const struct diagnosis *d = o->difference;
    bool missing = d && (d->state == FIRST_NOT_WRITTEN ||
                         (d->n_got != SIZE_MAX && d->n_got < d->n_expected));
    const char *source = text_base(c->from->lab->source);
    struct file *f = missing && o->ran.marks ? file_of(c, source) : NULL;
    size_t left = MOST,
           n = f ? related_never(&f->related, o->ran.marks, RAN_LINES, lines)
                 : 0;
    for (size_t i = 0; i < n && left; i++)
        left -= choose(c, SPOT_NEVER, source, lines[i].line, true);
}

static void choose_what_it_does(struct choosing *c) {
    static const enum related_deed deeds[] = {RELATED_STORES, RELATED_COPIES,
                                              RELATED_LAUNCHES, RELATED_CALLS};
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
        if (c->o->n_chosen < DECIDING)
            choose_deeds(c, deeds[i], DECIDING - c->o->n_chosen);
}

/* Nothing tells where: by what is said. */
static void choose_by_words(struct choosing *c) {
    struct outcome *o = c->o;
    if (has_fact(o, FACT_NOT_IMPLEMENTED))
        choose_deeds(c, RELATED_TODO, 1);
    else if (has_fact(o, FACT_HOST_LEAK))
        choose_deeds(c, RELATED_ALLOCATES, DECIDING);
    else if (o->difference)
        choose_what_it_does(c);
    choose_related_of_all(c, DECIDING);
}

/* Those of the outcome. Of the calls that brought a place about the innermost
 * ones; of those that only a value came through, one line. */
static void choose_places(struct choosing *c, const struct spot *all,
                          size_t n) {
    enum { CALLS = 2 };
    size_t calls = 0;
    for (size_t i = 0; i < n; i++) {
        const struct spot *s = &all[i];
        if (s->kind == SPOT_LAUNCH || (s->kind == SPOT_CALLED && !calls))
            continue;
        bool own = choose(c, s->kind, s->file, s->line, s->of_host);
        if (s->kind == SPOT_CALLED)
            calls -= own;
        else if (s->kind != SPOT_INDEX)
            calls = s->kind == SPOT_VALUE ? !own : CALLS;
    }
}

bool choose_lines(const struct choose_from *from, const struct measured *m,
                  struct outcome *o) {
    struct choosing c = {.from = from, .o = o};
    struct spot all[MOST_SPOTS];
    size_t n = spots_all(o, all);
    o->are_chosen = true;
    choose_places(&c, all, n);
    choose_next(&c);
    choose_never(&c);
    choose_of_order(&c);
    choose_related_of_all(&c, DECIDING);
    for (size_t i = 0; i < n; i++)
        if (all[i].kind == SPOT_LAUNCH) {
            choose(&c, all[i].kind, all[i].file, all[i].line, true);
            choose_related(&c, all[i].file, all[i].line, DECIDING_LAUNCH,
                           false);
        }
    choose_of_launches(&c, DECIDING_LAUNCH);
    if (o->kind == OUTCOME_BOUND) choose_of_bounds(&c, m);
    for (size_t i = 0; i < n && !o->n_chosen; i++) /* of the stub alone */
        choose_related(&c, all[i].file, all[i].line, DECIDING, false);
    if (!o->n_chosen) choose_by_words(&c);
    for (size_t i = 0; i < c.n_files; i++) {
        stub_lines_free(&c.files[i].stub);
        related_close(&c.files[i].related);
    }
    return !c.failed;
}

/* What was guessed from the text is not needed any more. */
static void drop_related(struct outcome *o) {
    size_t n = 0;
    for (size_t i = 0; i < o->n_chosen; i++)
        if (o->chosen[i].kind < SPOT_CONDITION)
            o->chosen[n++] = o->chosen[i];
        else
            free(o->chosen[i].file);
    o->n_chosen = n;
}

bool choose_repair(struct outcome *o) {
    unsigned line = o->repair && o->repair->file ? o->repair->line : 0;
    const char *file = line ? o->repair->file : NULL;
    struct chosen_line first = {.kind = SPOT_REPAIR, .line = line};
    size_t at = 0;
    if (!line) return true;
    drop_related(o);
    while (at < o->n_chosen && (o->chosen[at].line != line ||
                                strcmp(o->chosen[at].file, file) != 0))
        at++;
    if (at == OUTCOME_LINES) at--;
    if (at == o->n_chosen) {
        first.file = strdup(file);
        if (!first.file) return false;
        o->n_chosen++;
    } else if (o->chosen[at].line == line) { /* it is shown already */
        first = o->chosen[at];
    } else {
        free(o->chosen[at].file);
        first.file = strdup(file);
    }
    memmove(&o->chosen[1], &o->chosen[0], at * sizeof *o->chosen);
    o->chosen[0] = first;
    return first.file != NULL;
}
