/* SPDX-License-Identifier: MIT
 *
 * repairs_changed.c: see repairs_parts.h. One build has all changes; each is
 * tried in turn, those at the most suspicious lines first.
 */
#include <stdlib.h>
#include <string.h>

#include "choose_lines.h"
#include "repairs.h"
#include "repairs_parts.h"
#include "time_limit.h"

enum {
    LEAST_OTHERS = 2, /* cases that must pass besides the failed one */
    CHANGE_LINES = OUTCOME_LINES,
    /* What a check may use of what is left: others may need less. */
    SOURCE_PART = 3,
    SOURCE_OF = 4
};

static const struct {
    bool turns; /* two statements */
    enum fact_row fact;
} change_rows[N_CHANGES] = {
#define INSTEAD                         false
#define ORDER                           true
#define WITHOUT                         false
#define X(NAME, form, late, risk, fact) [CHANGE_##NAME] = {form, FACT_##fact},
#include "changes.def"
#undef X
#undef INSTEAD
#undef ORDER
#undef WITHOUT
};

/* The lines that the outcome's report shows. */
static size_t shown_lines(const struct outcome *o, const char *source,
                          unsigned lines[CHANGE_LINES]) {
    size_t n = 0;
    for (size_t i = 0; i < o->n_chosen && n < CHANGE_LINES; i++)
        if (strcmp(o->chosen[i].file, source) == 0)
            lines[n++] = o->chosen[i].line;
    return n;
}

static const char *entry_of(const struct mending *m) {
    return m->run->lab->functions[m->run->check->function].symbol;
}

static bool open_changed(struct mending *m, const unsigned *lines, size_t n) {
    struct repairs *all = m->all;
    const struct check_run *run = m->run;
    if (all->is_built) return all->changed != NULL;
    all->is_built = true;
    bool is_cuda = run->lab->language == LAB_CUDA;
    if (!all->settings || !all->text ||
        !mending_pays(m, repairs_build_us(is_cuda)))
        return false;
    struct changed *c = calloc(1, sizeof *c);
    long long start = clock_ms();
    const struct changed_ask ask = {.settings = all->settings,
                                    .lab = (struct lab *)run->lab,
                                    .sources = all->sources,
                                    .built = run->library,
                                    .changes = {.text = all->text,
                                                .stub = all->stub,
                                                .entry = entry_of(m),
                                                .lines = lines,
                                                .n_lines = n}};
    bool open = c && changed_open(c, &ask);
    unsigned builds = c ? c->n_builds : 0;
    all->tried.builds += builds;
    mending_pay(m, repairs_built_us(is_cuda, open ? c->library_bytes : 0,
                                    builds > 1 ? builds - 1 : 0));
    if (open) {
        all->changed = c;
    } else {
        if (c) changed_close(c);
        free(c);
    }
    /* A build has a limit of its own. */
    m->until += clock_ms() - start;
    all->left_ms += clock_ms() - start;
    return all->changed != NULL;
}

static struct fact said_of(const struct source_change *c, size_t others) {
    uint64_t line = c->line, other = c->other, n = others;
    if (change_rows[c->kind].turns)
        return FACT(REPAIR_ORDER, {V(line), V(other), V(n)});
    if (!*c->now && c->kind != CHANGE_WITHOUT)
        return FACT(REPAIR_DROPPED, {V((const char *)c->was), V(line), V(n)});
    if (!*c->now)
        return FACT(REPAIR_WITHOUT, {V((const char *)c->was), V(line), V(n)});
    return fact_keep((struct fact){.row = change_rows[c->kind].fact,
                                   .values = {V(line), V((const char *)c->now),
                                              V((const char *)c->was), V(n)}});
}

/* A change with which this case passes, and some others, tells of its line,
 * though the check does not pass: the first ones are kept. Where the order of
 * blocks decides, it tells nothing. */
static void note_nearly(struct mending *m, const struct change *change,
                        size_t others, unsigned line) {
    if (m->failed_still || !others || m->n_nearly == MENDING_NEARLY) return;
    for (size_t i = 0; i < m->n_nearly; i++)
        if (m->nearly[i] == line) return;
    if (mending_holds(m, change) && mending_keeps_others(m, change, line))
        m->nearly[m->n_nearly++] = line;
}

/* true: it mends the check. */
static bool try_change(struct mending *m, size_t i) {
    struct repairs *all = m->all;
    const struct source_change *c = &all->changed->changes.list[i];
    struct vgpu_edit edit = {.kind = VGPU_EDIT_CHOICE, .by = (int32_t)i + 1};
    const struct change change = {.edits = &edit, .n_edits = 1};
    size_t others = 0;
    all->left_changes--;
    mending_count(m, N_REPAIRS + c->kind, c->line, i);
    if (!changed_choose(all->changed, (unsigned)i + 1)) return false;
    if (!mending_works(m, &change, &others) || others <= LEAST_OTHERS) {
        note_nearly(m, &change, others, c->line);
        return false;
    }
    if (!mending_holds(m, &change) || !mending_helps_larger(m, &change) ||
        !mending_keeps_others(m, &change, c->line))
        return false;
    const struct repair r = {
        .kind = N_REPAIRS, .line = c->line, .said = said_of(c, others - 1)};
    mending_keep(m, &r);
    all->last_change = i + 1;
    return true;
}

/* Without a change the new build must fail as the other did. */
static bool fails_unchanged(struct mending *m) {
    struct vgpu_edit none = {.kind = VGPU_EDIT_CHOICE};
    const struct change change = {.edits = &none, .n_edits = 1};
    m->library = m->all->changed->library;
    m->library_bytes = m->all->changed->library_bytes;
    m->failed.spec.change = &change;
    bool fails = changed_choose(m->all->changed, 0) && mending_fails(m);
    /* What may stand before a barrier, where two statements change places, the
     * compiler loads there in any case: such races are none of the source. */
    m->ignores_races = fails && m->raced && !m->result->outcome.finding;
    if (m->ignores_races) fails = mending_fails(m);
    m->failed.spec.change = NULL;
    return fails;
}

struct change_turn {
    unsigned late;
    size_t change;
};

static int by_turn(const void *a, const void *b) {
    const struct change_turn *x = a, *y = b;
    if (x->late != y->late) return x->late < y->late ? -1 : 1;
    return x->change < y->change ? -1 : x->change > y->change;
}

static void try_in_turn(struct mending *m, const unsigned *lines, size_t n) {
    struct repairs *all = m->all;
    const struct changes *c = &all->changed->changes;
    const struct changes_ask ask = {.lines = lines, .n_lines = n};
    struct change_turn *turns = calloc(c->n + 1, sizeof *turns);
    size_t n_reached, n_turns = 0;
    bool *reached = changes_reached(all->text, entry_of(m), &n_reached);
    for (size_t i = 0; turns && i < c->n; i++) {
        const struct source_change *one = &c->list[i];
        bool last = i + 1 == all->last_change;
        if (reached && one->line < n_reached && !reached[one->line]) continue;
        turns[n_turns++] =
            (struct change_turn){last ? 0 : 1 + changes_late(&ask, one), i};
    }
    if (turns) qsort(turns, n_turns, sizeof *turns, by_turn);
    for (size_t i = 0; i < n_turns && all->left_changes; i++)
        if (mending_is_over(m) || try_change(m, turns[i].change)) break;
    free(reached);
    free(turns);
}

void mending_change(struct mending *m) {
    unsigned lines[CHANGE_LINES];
    size_t n = shown_lines(&m->result->outcome, m->run->lab->source, lines);
    if (!m->all->left_changes || mending_is_over(m) ||
        !open_changed(m, lines, n))
        return;
    mending_share(m, SOURCE_PART, SOURCE_OF);
    if (!fails_unchanged(m)) return;
    try_in_turn(m, lines, n);
    for (size_t i = m->n_nearly; i-- > 0 && !m->result->outcome.repair;)
        choose_nearly(&m->result->outcome, m->run->lab->source, m->nearly[i]);
}

void repairs_close(struct repairs *all) {
    if (all->changed) changed_close(all->changed);
    free(all->changed);
    all->changed = NULL;
    all->is_built = false;
    all->last_change = 0;
}
