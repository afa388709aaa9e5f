/* SPDX-License-Identifier: MIT
 *
 * suspects.c: see suspects.h. The walk is Dijkstra's: the statement that lies
 * nearest and was not looked at yet hands a part of its weight on to those that
 * decide about it.
 */
#include "suspects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spots.h"
#include "suspects_parts.h"

/* A look at a statement goes through its function: the longer the file, the
 * fewer there are. */
enum { LOOK = 2000000, FEWEST = 4, FUNCTIONS = 64 };

const struct c_statement *suspects_at(const struct suspects_walk *w, size_t k) {
    return &w->ask->file->statements.list[k];
}

int32_t suspects_head(const struct suspects_walk *w, size_t k) {
    return c_function_of(&w->ask->file->statements, (int32_t)k);
}

unsigned suspects_first(const struct suspects_walk *w, size_t k) {
    return related_token(&w->l, suspects_at(w, k)->first)->line;
}

unsigned suspects_last(const struct suspects_walk *w, size_t k) {
    return related_token(&w->l, suspects_at(w, k)->end - 1)->line;
}

unsigned suspects_ran(const struct suspects_walk *w, size_t k) {
    const uint8_t *marks = w->ask->outcome->ran.marks;
    unsigned all = 0, last = suspects_last(w, k);
    for (unsigned i = suspects_first(w, k); marks && i <= last && i < RAN_LINES;
         i++)
        all |= marks[i];
    return all;
}

unsigned suspects_passed(const struct suspects_walk *w, size_t k) {
    const uint8_t *marks = w->ask->passed ? w->ask->passed->marks : NULL;
    unsigned most = 0, last = suspects_last(w, k);
    for (unsigned i = suspects_first(w, k); marks && i <= last && i < RAN_LINES;
         i++)
        if (marks[i] > most) most = marks[i];
    return most;
}

static int32_t statement_at(const struct suspects_walk *w, unsigned line) {
    const struct related_file *f = w->ask->file;
    return c_statement_at(&f->tokens, &f->statements, line);
}

/* ---- the walk ---- */

static void raise(struct suspects_walk *w, int32_t k, enum related_kind kind,
                  double weight) {
    if (k < 0 || w->list[k].done || w->list[k].weight >= weight) return;
    w->list[k].weight = weight;
    w->list[k].kind = kind;
}

static double weight_of(int kind) {
    static const double by_kind[N_SPOT_KINDS] = {
        [SPOT_HERE] = 0.9,      [SPOT_STEP] = 0.9,   [SPOT_EARLIER] = 0.8,
        [SPOT_CALLED] = 0.8,    [SPOT_INDEX] = 1,    [SPOT_VALUE] = 1,
        [SPOT_JOINED] = 1,      [SPOT_LAUNCH] = 0.6, [SPOT_WRITER] = 0.8,
        [SPOT_READ] = 0.7,      [SPOT_COSTLY] = 0.9, [SPOT_WAITS] = 0.9,
        [SPOT_COPY] = 0.8,      [SPOT_FILLS] = 0.6,  [SPOT_IDLE] = 0.8,
        [SPOT_ARRAY] = 0.6,     [SPOT_ORDER] = 0.6,  [SPOT_NEVER] = 0.8,
        [SPOT_CONDITION] = 0.6, [SPOT_FROM] = 0.5,   [SPOT_DOES] = 0.5};
    return by_kind[kind];
}

/* What ran is reached, by whatever name it is called. */
static void reach_what_ran(struct suspects_walk *w) {
    for (size_t k = 0; k < w->ask->file->statements.n; k++) {
        int32_t head = suspects_head(w, k);
        if (head >= 0 && !w->depth[head] && head != (int32_t)k &&
            (suspects_ran(w, k) & RAN_DID))
            w->depth[head] = FUNCTIONS;
    }
}

static void suspects_begin(struct suspects_walk *w) {
    const struct suspects_ask *a = w->ask;
    const struct lab_function *called = a->outcome->tried.function;
    int32_t heads[FUNCTIONS];
    for (size_t i = 0; i < a->n_seeds; i++)
        w->seeds[i] = statement_at(w, a->seeds[i].line);
    for (size_t i = 0; i < a->n_seeds; i++)
        raise(w, w->seeds[i], RELATED_DOES, weight_of(a->seeds[i].kind));
    size_t n =
        called ? related_reached(a->file, called->symbol, heads, FUNCTIONS) : 0;
    for (size_t i = 0; i < n; i++) w->depth[heads[i]] = (int)i + 1;
    reach_what_ran(w);
    for (size_t k = 0; k < a->trusted.n; k++) {
        n = related_reached(a->file, a->trusted.names[k], heads, FUNCTIONS);
        for (size_t i = 0; i < n; i++) w->trusted[heads[i]] = true;
    }
}

static size_t nearest(const struct suspects_walk *w) {
    size_t best = SIZE_MAX;
    for (size_t k = 0; k < w->ask->file->statements.n; k++)
        if (!w->list[k].done && w->list[k].weight > 0 &&
            (best == SIZE_MAX || w->list[k].weight > w->list[best].weight))
            best = k;
    return best;
}

static void hand_on(struct suspects_walk *w, size_t k) {
    static const double kept[] = {[RELATED_CONDITION] = 0.7,
                                  [RELATED_VALUE] = 0.7,
                                  [RELATED_CALL] = 0.5,
                                  [RELATED_RESULT] = 0.6,
                                  [RELATED_CONSTANT] = 0.3};
    struct related to[RELATED_MOST];
    size_t n = related_lines(w->ask->file, suspects_first(w, k), to);
    for (size_t i = 0; i < n; i++)
        raise(w, statement_at(w, to[i].line), to[i].kind,
              w->list[k].weight * kept[to[i].kind]);
}

/* ---- together ---- */

static void find_fresh(struct suspects_walk *w) {
    const struct suspects_ask *a = w->ask;
    const uint8_t *ran = a->outcome->ran.marks;
    size_t n = a->file->statements.n;
    int *of = calloc(2 * n + 2, sizeof *of);
    for (size_t k = 0; of && ran && k < n; k++) {
        int32_t head = suspects_head(w, k);
        if (head < 0 || !(suspects_ran(w, k) & RAN_DID)) continue;
        of[2 * head]++;
        of[2 * head + 1] += !suspects_passed(w, k);
    }
    for (size_t k = 0; of && k < n; k++)
        if (of[2 * k]) w->fresh[k] = (double)of[2 * k + 1] / of[2 * k];
    free(of);
}

static bool calls_one(const struct suspects_walk *w,
                      const struct c_statement *s, const bool *heads) {
    for (size_t k = s->first; k + 1 < s->end; k++) {
        int32_t of = related_token(&w->l, k)->kind == C_NAME &&
                             related_is(&w->l, k + 1, "(")
                         ? related_definition(&w->l, related_token(&w->l, k))
                         : -1;
        if (of >= 0 && heads[of]) return true;
    }
    return false;
}

static void find_senders(struct suspects_walk *w) {
    const struct related_file *f = w->ask->file;
    bool *orders = calloc(f->statements.n + 1, sizeof *orders);
    for (size_t k = 0; orders && k < f->statements.n; k++) {
        const struct c_statement *s = suspects_at(w, k);
        int32_t head = suspects_head(w, k);
        if (head < 0 || s->kind == C_FUNCTION) continue;
        orders[head] |= related_does(f, s, RELATED_ORDER);
        w->sends[head] |= related_does(f, s, RELATED_STORES);
    }
    for (size_t k = 0; orders && k < f->statements.n; k++) {
        const struct c_statement *s = suspects_at(w, k);
        w->sends[k] &= orders[k];
        w->listens[k] =
            s->kind != C_FUNCTION &&
            (related_does(f, s, RELATED_ORDER) || calls_one(w, s, orders));
    }
    free(orders);
}

static bool may_be(const struct suspects_walk *w, size_t k) {
    const struct suspects_ask *a = w->ask;
    const struct c_statement *s = suspects_at(w, k);
    int32_t head = suspects_head(w, k);
    if (s->kind == C_FUNCTION || s->first >= s->end) return false;
    unsigned line = suspects_first(w, k);
    return !(line < a->n_given && a->given[line]) &&
           (w->list[k].weight > 0 || (head >= 0 && w->depth[head]));
}

/* How it was come to, where that is true of the statement itself. */
static enum related_kind kind_of(const struct suspects_walk *w, size_t k) {
    const struct c_statement *s = suspects_at(w, k);
    enum related_kind kind = w->list[k].kind;
    bool decides = s->kind == C_IF || s->kind == C_LOOP;
    if (w->list[k].weight <= 0) return RELATED_DOES;
    if (kind == RELATED_CONDITION && !decides) return RELATED_DOES;
    if (kind == RELATED_VALUE && !suspects_sets(w, s)) return RELATED_DOES;
    if (kind == RELATED_CALL && !related_does(w->ask->file, s, RELATED_CALLS) &&
        !related_does(w->ask->file, s, RELATED_LAUNCHES))
        return RELATED_DOES;
    return kind;
}

static int by_share(const void *a, const void *b) {
    const struct suspect *x = a, *y = b;
    if (x->share != y->share) return x->share < y->share ? 1 : -1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static size_t rank(const struct suspects_walk *w, struct suspect *all,
                   struct suspect *to, size_t most) {
    size_t n = 0;
    double sum = 0, highest = -INFINITY;
    for (size_t k = 0; k < w->ask->file->statements.n; k++)
        if (may_be(w, k))
            all[n++] =
                (struct suspect){kind_of(w, k), suspects_first(w, k),
                                 suspects_last(w, k), suspects_weigh(w, k)};
    for (size_t i = 0; i < n; i++) highest = fmax(highest, all[i].share);
    for (size_t i = 0; i < n; i++)
        sum += all[i].share = exp(all[i].share - highest);
    for (size_t i = 0; i < n; i++) all[i].share /= sum;
    qsort(all, n, sizeof *all, by_share);
    if (n > most) n = most;
    memcpy(to, all, n * sizeof *to);
    return n;
}

size_t suspects_rank(const struct suspects_ask *ask, struct suspect *to,
                     size_t most) {
    size_t all = ask->file->statements.n, n = 0, next;
    struct suspects_walk w = {.ask = ask,
                              .l = {.file = ask->file},
                              .list = calloc(all + 1, sizeof *w.list),
                              .depth = calloc(all + 1, sizeof *w.depth),
                              .fresh = calloc(all + 1, sizeof *w.fresh),
                              .trusted = calloc(all + 1, sizeof *w.trusted),
                              .sends = calloc(all + 1, sizeof *w.sends),
                              .listens = calloc(all + 1, sizeof *w.listens),
                              .links = calloc(all + 1, sizeof *w.links),
                              .of_grid = calloc(all + 1, sizeof *w.of_grid),
                              .of_args = calloc(all + 1, sizeof *w.of_args),
                              .seeds =
                                  calloc(ask->n_seeds + 1, sizeof *w.seeds)};
    struct suspect *list = calloc(all + 1, sizeof *list);
    if (w.list && w.trusted && w.depth && w.fresh && w.seeds && w.links &&
        w.sends && w.listens && w.of_grid && w.of_args && list) {
        suspects_begin(&w);
        size_t steps = LOOK / (ask->file->tokens.n + 1) + FEWEST;
        find_fresh(&w);
        suspects_find_grid(&w);
        suspects_find_links(&w);
        find_senders(&w);
        for (size_t i = 0; i < steps && (next = nearest(&w)) < all; i++) {
            w.list[next].done = true;
            hand_on(&w, next);
        }
        n = rank(&w, list, to, most);
    }
    free(list);
    free(w.list);
    free(w.depth);
    free(w.fresh);
    free(w.links);
    free(w.sends);
    free(w.listens);
    free(w.of_grid);
    free(w.of_args);
    free(w.trusted);
    free(w.seeds);
    return n;
}
