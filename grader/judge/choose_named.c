/* SPDX-License-Identifier: MIT
 *
 * choose_named.c: see choose_parts.h: the lines that an outcome names.
 */
#include <stdlib.h>
#include <string.h>

#include "choose_parts.h"
#include "text.h"

enum { DECIDING = 4 };

/* false: it is named already. */
static bool choose_name(struct choosing *c, enum spot_kind kind,
                        const char *name, unsigned line, bool of_host) {
    bool twice = kind == SPOT_EARLIER; /* a race of one line with itself */
    if (c->n_named == CHOOSE_NAMED) return false;
    for (size_t i = 0; i < c->n_named && !twice; i++)
        if (c->named[i].line == line && strcmp(c->named[i].file, name) == 0)
            return false;
    c->named[c->n_named++] = (struct spot){kind, name, line, of_host};
    return true;
}

/* Lines of what the function that was called does, and those it calls: of those
 * that no function has which works, or else of all. */
static size_t choose_deeds(struct choosing *c, enum related_deed deed,
                           size_t most) {
    const struct finding *found = c->o->finding;
    bool unset = found && found->kind == VGPU_FINDING_UNINITIALISED;
    enum spot_kind kind = deed == RELATED_ORDER             ? SPOT_ORDER
                          : deed == RELATED_COPIES && unset ? SPOT_FILLS
                                                            : SPOT_DOES;
    size_t before = c->n_named;
    struct related lines[RELATED_MOST];
    const struct lab_function *function = c->o->tried.function;
    const char *source = text_base(c->from->lab->source);
    struct choose_file *f = function ? choose_file(c, source) : NULL;
    const char **names = calloc(c->from->lab->n_functions + 1, sizeof *names);
    c->failed |= !names;
    struct related_names trusted =
        names ? choose_working(c, names) : (struct related_names){NULL, 0};
    size_t n =
        f ? related_deeds(&f->related, function->symbol, trusted, deed, lines)
          : 0;
    if (f && !n && trusted.n)
        n = related_deeds(&f->related, function->symbol,
                          (struct related_names){NULL, 0}, deed, lines);
    for (size_t i = 0; i < n && most; i++)
        most -= choose_name(c, kind, source, lines[i].line, true);
    free(names);
    return c->n_named - before;
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

/* What a kernel asks first leaves threads without work. */
static void choose_idle(struct choosing *c, const struct choose_file *f,
                        const char *kernel) {
    enum { MOST = 2 };
    unsigned lines[MOST];
    size_t n = related_first_ifs(&f->related, kernel, MOST, lines);
    for (size_t i = 0; i < n; i++)
        choose_name(c, SPOT_IDLE, text_base(c->from->lab->source), lines[i],
                    false);
}

/* The launches of the kernels that make it; of too many threads what the kernel
 * asks first, of too many launches the loops around. */
static size_t choose_launches(struct choosing *c, int counter) {
    size_t before = c->n_named;
    const char *source = text_base(c->from->lab->source);
    struct choose_file *f = choose_file(c, source);
    bool loops = counter == (int)VGPU_COUNT_LAUNCHES ||
                 counter == (int)VGPU_COUNT_USEFUL_LAUNCHES;
    bool threads = counter == (int)VGPU_COUNT_THREADS ||
                   counter == (int)VGPU_COUNT_USEFUL_THREADS;
    for (size_t i = 0; f && i < OUTCOME_MAKERS && c->o->makers[i]; i++) {
        struct related lines[RELATED_MOST];
        const char *kernel = c->o->makers[i];
        size_t n = related_launches(&f->related, kernel, loops, lines);
        for (size_t k = 0; k < n; k++)
            choose_name(c,
                        lines[k].kind == RELATED_CONDITION ? SPOT_CONDITION
                        : lines[k].kind == RELATED_CALL    ? SPOT_FROM
                                                           : SPOT_COSTLY,
                        source, lines[k].line, true);
        if (threads) choose_idle(c, f, kernel);
    }
    return c->n_named - before;
}

/* A line of the kernel was named: the loop around it, too. */
static void choose_loops(struct choosing *c) {
    for (size_t i = 0; i < OUTCOME_COSTLY; i++) {
        const struct place *p = &c->o->costly[i];
        struct choose_file *f = p->file ? choose_file(c, p->file) : NULL;
        unsigned line = f ? related_loop(&f->related, p->line) : 0;
        if (line) choose_name(c, SPOT_CONDITION, p->file, line, false);
    }
}

static bool is_of_line(int counter) {
    return counter < (int)VGPU_COUNT_LAUNCHES ||
           (counter >= (int)VGPU_COUNT_DEPTH &&
            counter <= (int)VGPU_COUNT_MODEL_NS);
}

static void choose_of_bounds(struct choosing *c, const struct measured *m) {
    bool done[N_RELATED_DEEDS] = {false}, first = true;
    const struct outcome *o = c->o;
    for (size_t i = 0; i < m->n_bounds; i++) {
        const struct bound_count *b = &m->bounds[i];
        int counter = b->bound->counter;
        enum related_deed deed = deed_of(counter);
        bool made = first && bound_is_passed(b);
        if (made && (counter == (int)VGPU_COUNT_LONGEST_CHAIN ||
                     counter == (int)VGPU_COUNT_LINK_CHAIN))
            deed = RELATED_ORDER;
        if (b->holds || !b->known || done[deed]) continue;
        if (made) { /* what explain_costly looked at */
            first = false;
            if (o->launches_matter && choose_launches(c, counter)) {
                done[deed] = true;
                continue;
            }
            if (o->costly[0].file) choose_loops(c);
        }
        if (is_of_line(counter) && o->costly[0].file) continue;
        done[deed] = true;
        choose_deeds(c, deed, DECIDING);
    }
}

/* ---- of other outcomes ---- */

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
    struct choose_file *f = failed && p->file ? choose_file(c, p->file) : NULL;
    size_t n = f ? related_next(&f->related, p->line, 2, lines) : 0;
    for (size_t i = 0; i < n; i++)
        choose_name(c, SPOT_CONDITION, p->file, lines[i].line, true);
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
        (f && (f->reason == REASON_WEAK_ONLY || f->reason == REASON_IN_PLACE));
    if (weak) choose_deeds(c, RELATED_ORDER, MOST);
    /* What was to be set before the launch was set in part, or elsewhere. */
    if (f && f->kind == VGPU_FINDING_UNINITIALISED && o->array.file)
        choose_deeds(c, RELATED_COPIES, MOST_WAITED);
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
    struct choose_file *f =
        missing && o->ran.marks ? choose_file(c, source) : NULL;
    size_t left = MOST,
           n = f ? related_never(&f->related, o->ran.marks, RAN_LINES, lines)
                 : 0;
    for (size_t i = 0; i < n && left; i++)
        left -= choose_name(c, SPOT_NEVER, source, lines[i].line, true);
}

/* A copy that was told too few bytes is one of the copies. */
static void choose_what_it_does(struct choosing *c) {
    if (c->o->difference->shape.row == FACT_N_BYTES)
        choose_deeds(c, RELATED_COPIES, DECIDING);
    static const enum related_deed deeds[] = {RELATED_STORES, RELATED_COPIES,
                                              RELATED_LAUNCHES, RELATED_CALLS};
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
        if (c->n_named < DECIDING)
            choose_deeds(c, deeds[i], DECIDING - c->n_named);
}

/* The library does not load: the lines that have the name that it lacks, with
 * which the loader's message ends. Loading does not end: those that have the
 * word constructor. */
static void choose_what_is_lacking(struct choosing *c) {
    enum { MOST = 2 };
    const struct fact *said = NULL;
    for (size_t i = 0; i < c->o->n_facts; i++)
        if (c->o->facts[i].row == FACT_NOT_LOADED) said = &c->o->facts[i];
    const char *text = said ? said->values[0].text : NULL;
    const char *space = text ? strrchr(text, ' ') : NULL;
    const char *name = has_fact(c->o, FACT_LATE_LOADING) ? "constructor"
                       : space                           ? space + 1
                                                         : NULL;
    const char *source = text_base(c->from->lab->source);
    struct choose_file *f = name ? choose_file(c, source) : NULL;
    size_t left = MOST;
    for (size_t i = 0; f && i < f->related.tokens.n && left; i++) {
        const struct c_token *t = &f->related.tokens.list[i];
        if (t->kind == C_NAME && c_token_is(t, name))
            left -= choose_name(c, SPOT_DOES, source, t->line, true);
    }
}

/* Nothing tells where: by what is said. */
static void choose_by_words(struct choosing *c) {
    struct outcome *o = c->o;
    choose_what_is_lacking(c);
    if (has_fact(o, FACT_NOT_IMPLEMENTED))
        choose_deeds(c, RELATED_TODO, 1);
    else if (has_fact(o, FACT_HOST_LEAK))
        choose_deeds(c, RELATED_ALLOCATES, DECIDING);
    else if (o->difference)
        choose_what_it_does(c);
}

/* It gives what another function gives, which works: its own calls decide, and
 * what it does with them. */
static void choose_own_calls(struct choosing *c) {
    enum { MOST = 3 };
    static const enum related_deed deeds[] = {RELATED_CALLS, RELATED_LAUNCHES,
                                              RELATED_COPIES};
    const struct outcome *o = c->o;
    enum fact_row row = o->difference ? o->difference->shape.row : FACT_NONE;
    const char *source = text_base(c->from->lab->source);
    struct choose_file *f =
        (row == FACT_EXCLUSIVE || row == FACT_EXCLUSIVE_ONE) && !o->finding
            ? choose_file(c, source)
            : NULL;
    size_t left = MOST;
    for (size_t i = 0; f && i < sizeof deeds / sizeof *deeds; i++) {
        struct related lines[RELATED_MOST];
        size_t n = related_own_deeds(&f->related, o->tried.function->symbol,
                                     deeds[i], lines);
        for (size_t k = 0; k < n && left; k++)
            left -= choose_name(c, SPOT_DOES, source, lines[k].line, true);
    }
}

void choose_named(struct choosing *c, const struct measured *m) {
    struct spot all[MOST_SPOTS];
    size_t n = spots_all(c->o, all);
    choose_own_calls(c);
    for (size_t i = 0; i < n; i++)
        choose_name(c, all[i].kind, all[i].file, all[i].line, all[i].of_host);
    choose_next(c);
    choose_never(c);
    choose_of_order(c);
    if (c->o->kind == OUTCOME_BOUND) choose_of_bounds(c, m);
    if (!c->n_named) choose_by_words(c);
}
