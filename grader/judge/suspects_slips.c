/* SPDX-License-Identifier: MIT
 *
 * suspects_slips.c: see suspects_features.h: statements of the kind that a
 * cause or a finding means, which need not lie near what was noticed.
 */
#include <string.h>

#include "suspects_features.h"

enum { LOOKED_AT = 48 }; /* statements on each side, and tokens of one */

enum sending { NOT_SENT, SENT_BY_CALL, SENT_HERE };

/* Does it give a name that a statement of its function tells others by? */
static enum sending is_sent(const struct suspects_walk *w, size_t k) {
    size_t n = w->ask->file->statements.n;
    const struct c_statement *s = suspects_at(w, k);
    int32_t head = suspects_head(w, k);
    enum sending how = NOT_SENT;
    if (s->kind != C_PLAIN || head < 0 || !suspects_sets(w, s)) return how;
    size_t i = k > LOOKED_AT ? k - LOOKED_AT : 0;
    if (i <= (size_t)head) i = (size_t)head + 1;
    for (; i < n && i < k + LOOKED_AT; i++) {
        const struct c_statement *to = suspects_at(w, i);
        if (suspects_head(w, i) != head) break;
        if (i == k || !suspects_sends(w, to)) continue;
        for (size_t t = to->first; t < to->end && t < to->first + LOOKED_AT;
             t++)
            if (related_token(&w->l, t)->kind == C_NAME &&
                !related_is(&w->l, t + 1, "(") &&
                related_gives(&w->l, s, related_token(&w->l, t)))
                how = related_does(w->ask->file, to, RELATED_ORDER) ||
                              how == SENT_HERE
                          ? SENT_HERE
                          : SENT_BY_CALL;
    }
    return how;
}

/* `x = atomicAdd(...)`: a place by who comes first. */
static bool takes_place(const struct suspects_walk *w,
                        const struct c_statement *s) {
    for (size_t k = s->first + 1; k < s->end; k++)
        if ((related_is(&w->l, k, "atomicAdd") ||
             related_is(&w->l, k, "fetch_add")) &&
            !related_is(&w->l, s->first, "atomicAdd"))
            return true;
    return false;
}

/* `T x = 0;` of a kernel: what an operator's sums begin with. */
static bool begins_with_zero(const struct suspects_walk *w,
                             const struct c_statement *s) {
    const struct looking *l = &w->l;
    bool zero = false;
    for (size_t k = s->first + 2; k + 1 < s->end; k++)
        zero |= related_is(l, k, "=") && related_is(l, k + 1, "0") &&
                (k + 2 == s->end || related_is(l, k + 2, ",")) &&
                related_token(l, k - 2)->kind == C_NAME;
    return zero && s->kind == C_PLAIN &&
           !suspects_has(w, s, WORDS("unsigned", "size_t", "bool", "uint32_t"));
}

static bool has_operator(const struct outcome *o) {
    struct parameters usual;
    parameters_usual(&usual);
    return o->tried.function &&
           signature_takes(o->tried.function->signature, PARAMETER_op) &&
           o->tried.parameters.value[PARAMETER_op] != usual.value[PARAMETER_op];
}

/* It reads memory by an ordinary load, in a function that a named statement
 * calls. */
static bool reads_for_seed(const struct suspects_walk *w, size_t k) {
    const struct c_statement *s = suspects_at(w, k);
    int32_t head = suspects_head(w, k);
    const struct suspects_ask *a = w->ask;
    if (s->kind != C_PLAIN || head < 0 ||
        related_does(a->file, s, RELATED_ORDER) ||
        !suspects_has(w, s, WORDS("[", "->", "*")))
        return false;
    for (size_t i = 0; i < a->n_seeds; i++) {
        if (w->seeds[i] < 0) continue;
        const struct c_statement *seed = suspects_at(w, (size_t)w->seeds[i]);
        if (suspects_head(w, (size_t)w->seeds[i]) == head) return true;
        for (size_t t = seed->first; t + 1 < seed->end; t++)
            if (related_token(&w->l, t)->kind == C_NAME &&
                related_is(&w->l, t + 1, "(") &&
                related_definition(&w->l, related_token(&w->l, t)) == head)
                return true;
    }
    return false;
}

/* A barrier that not all come to, or the condition before it. */
static bool is_half_barrier(const struct suspects_walk *w, size_t k) {
    const struct c_statement *s = suspects_at(w, k);
    size_t n = w->ask->file->statements.n;
    bool of_if = s->parent >= 0 &&
                 suspects_at(w, (size_t)s->parent)->kind == C_IF &&
                 suspects_begins(w, s, WORDS("__sync"));
    bool before = s->kind == C_IF && k + 1 < n &&
                  suspects_at(w, k + 1)->parent == (int32_t)k &&
                  suspects_begins(w, suspects_at(w, k + 1), WORDS("__sync"));
    return of_if || before;
}

/* The outermost loop around it; -1: none. */
static int32_t loop_of(const struct suspects_walk *w, size_t k) {
    int32_t loop = -1;
    for (int32_t i = suspects_at(w, k)->parent; i >= 0;
         i = suspects_at(w, (size_t)i)->parent)
        if (suspects_at(w, (size_t)i)->kind == C_LOOP) loop = i;
    return loop;
}

/* It sets what the next round of a block's loop finds. */
static bool sets_state(const struct suspects_walk *w, size_t k) {
    const struct c_statement *s = suspects_at(w, k);
    int32_t loop = loop_of(w, k), head = suspects_head(w, k);
    if (s->kind != C_PLAIN || loop < 0 || head < 0 ||
        !suspects_has(w, suspects_at(w, (size_t)loop), WORDS("gridDim")) ||
        !related_assigns(&w->l,
                         related_behind_index(&w->l, s->first + 1, s->end)))
        return false;
    for (int32_t i = head + 1; i < loop && i < head + 4 * LOOKED_AT; i++)
        if (related_mentions(&w->l, suspects_at(w, (size_t)i),
                             related_token(&w->l, s->first)))
            return true;
    return false;
}

/* Right up to a part that a block takes in a later round. */
static bool is_of_round(const struct diagnosis *d) {
    enum { ROUND = 4 };
    enum fact_row row = d ? d->shape.row : FACT_NONE;
    bool has_round = row == FACT_PART_EDGE || row == FACT_PART_INSIDE ||
                     (row >= FACT_CARRY_NOTHING && row <= FACT_CARRY_EXCHANGED);
    return has_round && d->shape.values[ROUND].u > 0;
}

/* It gives memory back, or is the loop in which that is done. */
static bool frees(const struct suspects_walk *w, size_t k) {
    enum { INSIDE = 8 };
    size_t n = w->ask->file->statements.n;
    bool loop = suspects_at(w, k)->kind == C_LOOP;
    if (suspects_begins(w, suspects_at(w, k), WORDS("cudaFree"))) return true;
    for (size_t i = k + 1; loop && i < n && i <= k + INSIDE; i++)
        if (loop_of(w, i) == (int32_t)k &&
            suspects_begins(w, suspects_at(w, i), WORDS("cudaFree")))
            return true;
    return false;
}

static bool is_shape(const struct diagnosis *d, const char *id) {
    return d && strcmp(fact_id(d->shape.row), id) == 0;
}

static void look_at_finding(const struct suspects_walk *w, size_t k,
                            const struct finding *f, double *x) {
    bool stuck = f->kind == VGPU_FINDING_DEADLOCK && !f->is_full;
    bool unset = f->kind == VGPU_FINDING_UNINITIALISED;
    x[F_STUCK_SENDER] = stuck && x[F_SENDS];
    enum sending sent = stuck ? is_sent(w, k) : NOT_SENT;
    x[F_STUCK_SENT] = sent / 2.0;
    x[F_SENT_WORD] = sent == SENT_HERE && f->word;
    x[F_HALF_BARRIER] =
        f->kind == VGPU_FINDING_SHARED_RACE && is_half_barrier(w, k);
    x[F_WIDENS] =
        f->reason == REASON_SIGN_WIDENED && !x[F_HOST] &&
        (x[F_ASSIGN] || x[F_RETURN]) &&
        suspects_has(w, suspects_at(w, k),
                     WORDS("long", "status_word", "uint64_t", "int64_t"));
    x[F_RACE_FLAG] =
        (f->reason == REASON_BESIDE_FLAG || f->reason == REASON_IN_PLACE) &&
        x[F_ORDER];
    x[F_UNWRITTEN_STORE] = unset && x[F_STORE] && x[F_GIVES];
    x[F_DEAF_READS] =
        f->kind == VGPU_FINDING_BUDGET && f->is_deaf && reads_for_seed(w, k);
}

void suspects_look_at_slips(const struct suspects_walk *w, size_t k,
                            double *x) {
    const struct outcome *o = w->ask->outcome;
    const struct diagnosis *d = o->difference;
    const struct c_statement *s = suspects_at(w, k);
    if (o->finding) look_at_finding(w, k, o->finding, x);
    x[F_SORT_ATOMIC] = is_shape(d, "wrong-order") && takes_place(w, s);
    x[F_NARROW_TYPE] = d && d->shape.row == FACT_KEPT_NARROW &&
                       suspects_has(w, s,
                                    WORDS("short", "char", "uint16_t",
                                          "int16_t", "uint8_t", "int8_t"));
    x[F_IDENTITY] = d && !o->finding && has_operator(o) && !x[F_HOST] &&
                    begins_with_zero(w, s);
    for (size_t i = 0; i < o->n_facts; i++)
        if (o->facts[i].row == FACT_ERROR_FREED) x[F_FREED] = frees(w, k);
    x[F_KEPT_STATE] = is_of_round(d) && !o->finding && sets_state(w, k);
    x[F_ARGS_DEEP] = (d || o->finding) && w->of_args[k];
}
