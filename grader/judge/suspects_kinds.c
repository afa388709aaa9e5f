/* SPDX-License-Identifier: MIT
 *
 * suspects_kinds.c: see suspects_features.h: what only some kinds of failure
 * ask of a statement.
 */
#include <math.h>
#include <string.h>

#include "suspects_features.h"

/* ---- what the statement does ---- */

/* Numbers of 32 bits, or of floating point. */
static bool is_narrow(const struct suspects_walk *w,
                      const struct c_statement *s) {
    return suspects_has(w, s,
                        WORDS("int", "int32_t", "unsigned", "uint32_t", "float",
                              "double")) &&
           !suspects_has(w, s, WORDS("long"));
}

/* Does it call a function of the file that stores by volatile or atomic
 * accesses, or store so itself? */
bool suspects_sends(const struct suspects_walk *w,
                    const struct c_statement *s) {
    const struct related_file *f = w->ask->file;
    if (s->kind != C_PLAIN || related_is(&w->l, s->first, "return"))
        return false;
    if (related_does(f, s, RELATED_ORDER) && related_does(f, s, RELATED_STORES))
        return true;
    if (!related_does(f, s, RELATED_CALLS)) return false;
    for (size_t k = s->first; k + 1 < s->end; k++) {
        int32_t of = related_token(&w->l, k)->kind == C_NAME &&
                             related_is(&w->l, k + 1, "(")
                         ? related_definition(&w->l, related_token(&w->l, k))
                         : -1;
        if (of >= 0 && w->sends[of]) return true;
    }
    return false;
}

static bool has_in_name(const struct suspects_walk *w,
                        const struct c_statement *s, const char *part) {
    size_t size = strlen(part);
    for (size_t k = s->first; k < s->end; k++) {
        const struct c_token *t = related_token(&w->l, k);
        for (size_t i = 0; i + size <= t->size && t->kind == C_NAME; i++)
            if (memcmp(t->at + i, part, size) == 0) return true;
    }
    return false;
}

/* Memory that is counted in bytes, without a word of how long an element is. */
static bool counts_no_bytes(const struct suspects_walk *w,
                            const struct c_statement *s, const double *x) {
    return (x[F_COPIES] || x[F_MEMORY]) &&
           !suspects_has(w, s, WORDS("sizeof", "4", "8")) &&
           !has_in_name(w, s, "byte") && !has_in_name(w, s, "size") &&
           !has_in_name(w, s, "Symbol") && !has_in_name(w, s, "room");
}

/* `*n_out = ...` */
static bool tells_count(const struct suspects_walk *w,
                        const struct c_statement *s) {
    return related_is(&w->l, s->first, "*") &&
           related_is(&w->l, s->first + 2, "=");
}

/* `x = f(x, y)`, `x = f(y, x)`: the order of the two may matter. */
static bool combines(const struct suspects_walk *w,
                     const struct c_statement *s) {
    const struct looking *l = &w->l;
    bool again = false;
    size_t sign = s->first + 1;
    while (sign < s->end && !related_is(l, sign, "=")) sign++;
    for (size_t k = sign + 2; s->kind == C_PLAIN && k + 1 < s->end; k++) {
        bool first = related_is(l, k - 1, "(") && related_is(l, k + 1, ",");
        bool last = (related_is(l, k - 1, ",") || related_is(l, k - 1, "*")) &&
                    related_is(l, k + 1, ")");
        again |= (first || last) &&
                 c_token_same(related_token(l, k), related_token(l, sign - 1));
    }
    return again;
}

/* ---- what is around it ---- */

static bool is_around(const struct suspects_walk *w, int32_t seed, size_t k) {
    return seed >= 0 && suspects_at(w, (size_t)seed)->parent == (int32_t)k &&
           suspects_at(w, k)->kind != C_FUNCTION;
}

static void look_around(const struct suspects_walk *w, size_t k, double *x) {
    const struct suspects_ask *a = w->ask;
    for (size_t i = 0; i < a->n_seeds; i++) {
        x[F_PARENT] = x[F_PARENT] || is_around(w, w->seeds[i], k);
        x[F_CHILD] = x[F_CHILD] ||
                     (w->seeds[i] >= 0 && (size_t)w->seeds[i] != k &&
                      suspects_at(w, k)->parent == w->seeds[i] &&
                      suspects_at(w, (size_t)w->seeds[i])->kind != C_FUNCTION);
    }
    const struct suspects_link *l = &w->links[k];
    x[F_GIVES] = l->gives;
    x[F_GIVES_HERE] = l->gives_here;
    x[F_FAR] = l->far;
    x[F_DECLARES] = l->declares;
    x[F_USES] = l->uses;
    x[F_BRIDGE] = l->gives && l->uses;
    x[F_SENDS] = suspects_sends(w, suspects_at(w, k));
}

/* ---- beside the right element ---- */

static bool stands_at(const struct suspects_walk *w, size_t k,
                      const struct place *p) {
    unsigned first = suspects_first(w, k), last = suspects_last(w, k);
    bool at = p->file && p->line >= first && p->line <= last;
    return at || (p->file && p->called >= first && p->called <= last);
}

/* Lines that the first wrong value came through, and the right one beside it
 * did not. */
static void look_beside(const struct suspects_walk *w, size_t k, double *x) {
    const struct outcome *o = w->ask->outcome;
    bool any = o->apart || o->beside[0].file;
    for (size_t i = 0; i < OUTCOME_LINEAGE && any; i++)
        if (stands_at(w, k, &o->lineage[i]))
            x[o->apart >> i & 1 ? F_APART : F_NOT_APART] = 1;
    for (size_t i = 0; i < OUTCOME_BESIDE; i++)
        if (stands_at(w, k, &o->beside[i])) x[F_BESIDE_ANY] = 1;
}

/* ---- by kind ---- */

static bool suspects_kinds_has_fact(const struct outcome *o,
                                    enum fact_row row) {
    for (size_t i = 0; i < o->n_facts; i++)
        if (o->facts[i].row == row) return true;
    return false;
}

static bool has_shape(const struct diagnosis *d, const char *const *begins) {
    const char *id = d ? fact_id(d->shape.row) : "";
    for (const char *const *b = begins; *b; b++)
        if (strncmp(id, *b, strlen(*b)) == 0) return true;
    return false;
}

static void look_at_finding(const struct outcome *o, double *x) {
    const struct finding *f = o->finding;
    bool stuck = f && f->kind == VGPU_FINDING_DEADLOCK;
    bool race = f && (f->kind == VGPU_FINDING_GLOBAL_RACE ||
                      f->kind == VGPU_FINDING_SHARED_RACE);
    bool outside = f && f->kind == VGPU_FINDING_OUT_OF_BOUNDS;
    x[F_STUCK_SEED] = stuck && x[F_SEED];
    x[F_STUCK_CALLED] = stuck && x[F_SEED_CALLED];
    x[F_STUCK_GRID] = stuck && (x[F_GRID] || x[F_LAUNCH]);
    x[F_STUCK_SENDS] = stuck && x[F_SENDS];
    x[F_STUCK_GIVES] = stuck && x[F_GIVES];
    x[F_STUCK_FAR] = stuck && (x[F_FAR] || x[F_LAUNCH_ARGS]);
    x[F_RACE_SENDS] = race && x[F_SENDS];
    x[F_RACE_GIVES] = race && x[F_GIVES];
    x[F_RACE_FAR] = race && x[F_FAR];
    x[F_RACE_SEED] = race && x[F_SEED];
    x[F_OUT_GIVES] = outside && x[F_GIVES];
    x[F_OUT_FAR] = outside && x[F_FAR];
    x[F_OUT_SEED] = outside && x[F_SEED];
    x[F_OUT_LAUNCH] =
        outside && o->launched.line && (x[F_SEED_LAUNCH] || x[F_LAUNCH_ARGS]);
    x[F_UNWRITTEN_FAR] =
        f && f->kind == VGPU_FINDING_UNINITIALISED && (x[F_FAR] || x[F_GIVES]);
}

void suspects_look_at_kind(const struct suspects_walk *w, size_t k, double *x) {
    const struct outcome *o = w->ask->outcome;
    const struct diagnosis *d = o->difference;
    const struct finding *f = o->finding;
    const struct c_statement *s = suspects_at(w, k);
    look_around(w, k, x);
    look_at_finding(o, x);
    bool wrong = d && !f;
    bool leaks = f && f->kind == VGPU_FINDING_LEAK;
    x[F_NARROW] = wrong && element_words(d->element) == 2 && is_narrow(w, s) &&
                  !x[F_HOST];
    x[F_LEAK_HERE] = leaks && x[F_SEED_HERE];
    x[F_COUNT_OUT] =
        has_shape(d, WORDS("kept-right-count", "count-")) && tells_count(w, s);
    x[F_NO_SIZEOF] = counts_no_bytes(w, s, x);
    x[F_CARRY_SENDS] =
        x[F_SENDS] && has_shape(d, WORDS("carry-", "restarts", "adds-only",
                                         "constant-from", "weak", "part-"));
    x[F_WRONG_HOST] = wrong && x[F_HOST];
    x[F_SEED_VALUES] = wrong && x[F_SEED_VALUE] && w->ask->n_seeds < 8;
    x[F_WRONG_NEW] = wrong && x[F_NEW];
    x[F_WRONG_FRESH] = wrong && x[F_FRESH];
    look_beside(w, k, x);
    x[F_COMBINES] =
        has_shape(d, WORDS("carry-order", "joined-anyhow")) && combines(w, s);
    unsigned passed = suspects_passed(w, k);
    x[F_OCHIAI] = x[F_RAN] ? 1 / sqrt(1 + passed) : 0;
    x[F_STUCK_LATE] = f && f->kind == VGPU_FINDING_DEADLOCK &&
                      strcmp(o->tried.schedule, "reverse") == 0 &&
                      (x[F_GRID] || x[F_LAUNCH]);
    x[F_STUCK_FULL] =
        f && f->kind == VGPU_FINDING_DEADLOCK && f->is_full && x[F_GRID];
    x[F_SHORT_GRID] =
        suspects_kinds_has_fact(o, FACT_SHORT_LAUNCH) && x[F_GRID];
    x[F_RACE_HOST] = f && f->kind == VGPU_FINDING_GLOBAL_RACE && x[F_HOST] &&
                     (x[F_FAR] || x[F_LAUNCH_ARGS]);
    x[F_RACE_BLOCKS] =
        f && f->kind == VGPU_FINDING_GLOBAL_RACE && x[F_ORDER] &&
        (f->reason == REASON_OTHER_BLOCK || f->reason == REASON_OTHER_READS ||
         f->reason == REASON_HALF_WEAK || f->reason == REASON_NOT_ACQUIRED);
    x[F_LEAK_FREES] = leaks && w->links[k].names && has_in_name(w, s, "Free");
    x[F_LEAK_RETURN] = leaks && x[F_RETURN] && x[F_SEEDED];
    x[F_NOT_REFUSED] =
        suspects_kinds_has_fact(o, FACT_NOT_REFUSED) && x[F_HOST] && x[F_IF];
    x[F_BOUND_GRID] = o->grid_matters && x[F_GRID];
    x[F_BOUND_LOOP] = o->kind == OUTCOME_BOUND && x[F_LOOP];
    suspects_look_at_slips(w, k, x);
    suspects_look_at_carry(w, k, x);
}
