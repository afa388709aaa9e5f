/* SPDX-License-Identifier: MIT
 *
 * choose_lines.c: see choose_lines.h.
 */
#include "choose_lines.h"

#include <stdlib.h>
#include <string.h>

#include "choose_parts.h"
#include "suspects.h"
#include "text.h"

/* A statement of more lines is not shown whole. Behind FEW lines only what is
 * suspicious enough is shown, behind MANY nothing; of a count, up to COUNTED of
 * the lines that were named. */
enum { WHOLE = 3, FEW = 4, COUNTED = 6, MANY = 10 };
static const double LEAST_SHARE = 0.027;

struct choose_file *choose_file(struct choosing *c, const char *name) {
    for (size_t i = 0; i < c->n_files; i++)
        if (strcmp(c->files[i].name, name) == 0)
            return c->files[i].is_open ? &c->files[i] : NULL;
    const char *text = c->from->text_of(c->from->user, name);
    if (!text || c->n_files == CHOOSE_FILES) return NULL;
    struct choose_file *f = &c->files[c->n_files];
    *f = (struct choose_file){.name = name, .text = text};
    const char *folder = c->from->lab->folder;
    bool ours = strcmp(name, text_base(c->from->lab->source)) == 0;
    f->is_open = (!ours || stub_lines_find(folder, text, &f->stub)) &&
                 related_open(text, &f->related);
    c->failed |= !f->is_open;
    c->n_files++;
    return f->is_open ? f : NULL;
}

struct related_names choose_working(const struct choosing *c,
                                    const char *names[]) {
    const struct lab *lab = c->from->lab;
    struct related_names n = {names, 0};
    for (size_t i = 0; i < lab->n_functions; i++)
        if (c->from->works[i] && &lab->functions[i] != c->o->tried.function)
            names[n.n++] = lab->functions[i].symbol;
    return n;
}

static bool is_own(struct choosing *c, const char *name, unsigned line) {
    struct choose_file *f = choose_file(c, name);
    return !f || !stub_lines_has(&f->stub, line);
}

static bool is_chosen(const struct outcome *o, const char *name,
                      unsigned line) {
    for (size_t i = 0; i < o->n_chosen; i++)
        if (o->chosen[i].line == line && strcmp(o->chosen[i].file, name) == 0)
            return true;
    return false;
}

/* The line, or, where it is the stub's, one that is not of the same statement:
 * calls have the number of their first line, whatever is wrong in the second.
 * 0: none. */
static unsigned own_line(struct choosing *c, const char *name, unsigned line) {
    if (is_own(c, name, line)) return line;
    const struct choose_file *f = choose_file(c, name);
    const struct c_tokens *tokens = &f->related.tokens;
    int32_t k = c_statement_at(tokens, &f->related.statements, line);
    if (k < 0) return 0;
    const struct c_statement *s = &f->related.statements.list[k];
    for (size_t i = s->first; s->kind == C_PLAIN && i < s->end; i++) {
        unsigned at = tokens->list[i].line;
        if (at > line && at < line + WHOLE && is_own(c, name, at)) return at;
    }
    return 0;
}

static void choose(struct choosing *c, enum spot_kind kind, const char *name,
                   unsigned at, bool of_host) {
    struct outcome *o = c->o;
    unsigned line = own_line(c, name, at);
    bool twice = kind == SPOT_EARLIER; /* a race of one line with itself */
    if (o->n_chosen == OUTCOME_LINES || !line ||
        (!twice && is_chosen(o, name, line)))
        return;
    char *copy = strdup(name);
    c->failed |= !copy;
    if (copy)
        o->chosen[o->n_chosen++] =
            (struct chosen_line){kind, copy, line, of_host};
}

/* ---- what may have made it ---- */

static const enum spot_kind kinds[] = {
    [RELATED_CONDITION] = SPOT_CONDITION, [RELATED_VALUE] = SPOT_GIVES,
    [RELATED_CALL] = SPOT_FROM,           [RELATED_RESULT] = SPOT_RESULT,
    [RELATED_NEVER] = SPOT_NEVER,         [RELATED_CONSTANT] = SPOT_CONSTANT,
    [RELATED_DOES] = SPOT_DOES,
};

/* The named lines of the statement as such, and its others. */
static void choose_statement(struct choosing *c, const struct suspect *s) {
    const char *source = text_base(c->from->lab->source);
    bool named = false, whole = s->last < s->line + WHOLE;
    for (size_t i = 0; i < c->n_named; i++) {
        const struct spot *n = &c->named[i];
        if (n->line < s->line || n->line > s->last ||
            strcmp(n->file, source) != 0)
            continue;
        choose(c, n->kind, source, n->line, n->of_host);
        named = true;
    }
    if (!named) choose(c, kinds[s->kind], source, s->line, true);
    for (unsigned line = s->line; whole && line <= s->last; line++)
        choose(c, SPOT_SAME, source, line, true);
}

static size_t rank(struct choosing *c, const struct measured *m,
                   struct suspect *to, size_t most) {
    struct suspect_seed seeds[CHOOSE_NAMED];
    const char *source = text_base(c->from->lab->source);
    struct choose_file *f = choose_file(c, source);
    const char **names = calloc(c->from->lab->n_functions + 1, sizeof *names);
    size_t n = 0;
    c->failed |= !names;
    if (f && names) {
        struct suspects_ask ask = {.file = &f->related,
                                   .outcome = c->o,
                                   .measured = m,
                                   .trusted = choose_working(c, names),
                                   .seeds = seeds,
                                   .passed = c->from->passed,
                                   .given = f->stub.given,
                                   .n_given =
                                       f->stub.given ? f->stub.n + 1 : 0};
        for (size_t i = 0; i < c->n_named; i++)
            if (strcmp(c->named[i].file, source) == 0)
                seeds[ask.n_seeds++] =
                    (struct suspect_seed){c->named[i].kind, c->named[i].line};
        n = suspects_rank(&ask, to, most);
    }
    free(names);
    return n;
}

/* Of what is not written yet, there is no line; of times, too many; what does
 * not load has not run. */
static bool is_ranked(const struct outcome *o) {
    for (size_t i = 0; i < o->n_facts; i++)
        if (o->facts[i].row == FACT_NOT_IMPLEMENTED ||
            o->facts[i].row == FACT_NOT_LOADED ||
            o->facts[i].row == FACT_LATE_LOADING)
            return false;
    return o->kind == OUTCOME_FACT || o->kind == OUTCOME_FINDING ||
           o->kind == OUTCOME_DIFFERENCE || o->kind == OUTCOME_BOUND;
}

/* A wrong number or index that floating point may have made. */
static void say_floating(struct choosing *c, const struct suspect *list,
                         size_t n) {
    struct outcome *o = c->o;
    const struct finding *f = o->finding;
    struct choose_file *file = choose_file(c, text_base(c->from->lab->source));
    char name[16];
    if (!file || (f ? f->kind != VGPU_FINDING_OUT_OF_BOUNDS
                    : o->kind != OUTCOME_DIFFERENCE))
        return;
    for (size_t i = 0; i < n; i++)
        if (related_floating(&file->related, list[i].line, name, sizeof name)) {
            outcome_add(o, FACT(FLOATING_INDEX, {V(list[i].line), V(name)}));
            return;
        }
}

/* The `if` right above a line that is shown. */
static void choose_heads(struct choosing *c) {
    enum { NEAR = 2 };
    const char *source = text_base(c->from->lab->source);
    const struct choose_file *f = choose_file(c, source);
    struct outcome *o = c->o;
    for (size_t i = 0, n = o->n_chosen; f && i < n; i++) {
        unsigned line = strcmp(o->chosen[i].file, source) == 0
                            ? related_if(&f->related, o->chosen[i].line)
                            : 0;
        if (line && line + NEAR >= o->chosen[i].line)
            choose(c, SPOT_CONDITION, source, line, o->chosen[i].of_host);
    }
}

bool choose_lines(const struct choose_from *from, const struct measured *m,
                  struct outcome *o) {
    enum { MOST = 12 };
    struct choosing c = {.from = from, .o = o};
    struct suspect list[MOST];
    o->are_chosen = true;
    choose_named(&c, m);
    /* What was named of a count is where it was counted, so it stands first. */
    size_t first = o->kind == OUTCOME_BOUND ? COUNTED : 1;
    for (size_t i = 0; i < c.n_named && o->n_chosen < first; i++) {
        const struct spot *s = &c.named[i];
        choose(&c, s->kind, s->file, s->line, s->of_host);
    }
    for (size_t i = 0; i < c.n_named; i++)
        if (c.named[i].kind == SPOT_FILLS)
            choose(&c, SPOT_FILLS, c.named[i].file, c.named[i].line, true);
    size_t n = is_ranked(o) ? rank(&c, m, list, MOST) : 0;
    for (size_t i = 0; i < n && o->n_chosen < MANY; i++)
        if (o->n_chosen < FEW || list[i].share >= LEAST_SHARE)
            choose_statement(&c, &list[i]);
    choose_heads(&c);
    say_floating(&c, list, n);
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

/* Behind what the finding itself names. */
void choose_nearly(struct outcome *o, const char *file, unsigned line) {
    size_t at = o->n_chosen && o->finding ? 1 : 0, old = 0;
    struct chosen_line new = {.kind = SPOT_NEARLY, .line = line};
    while (old < o->n_chosen && (o->chosen[old].line != line ||
                                 strcmp(o->chosen[old].file, file) != 0))
        old++;
    if (old < at || at == OUTCOME_LINES) return;
    if (old < o->n_chosen) { /* it is shown, later */
        new = o->chosen[old];
    } else {
        new.file = strdup(file);
        if (!new.file) return;
        if (old == OUTCOME_LINES)
            free(o->chosen[--old].file);
        else
            o->n_chosen++;
    }
    memmove(&o->chosen[at + 1], &o->chosen[at], (old - at) * sizeof new);
    o->chosen[at] = new;
}

bool choose_repair(struct outcome *o) {
    unsigned line = o->repair && o->repair->file ? o->repair->line : 0;
    const char *file = line ? o->repair->file : NULL;
    struct chosen_line first = {.kind = SPOT_REPAIR, .line = line};
    size_t at = 0;
    if (!line) return true;
    /* A change of the source has been tried at these lines, too. */
    if (o->repair->kind != N_REPAIRS &&
        o->repair->said.row != FACT_REPAIR_MEET_OUTSIDE)
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
