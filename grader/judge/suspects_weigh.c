/* SPDX-License-Identifier: MIT
 *
 * suspects_weigh.c: see suspects_parts.h. What is known of a statement is a row
 * of numbers, mostly 0 or 1 (suspects.def); their weighted sum says how
 * suspicious it is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spots.h"
#include "suspects_features.h"

static const double weights[N_FEATURES] = {
#define X(NAME, weight) weight,
#include "suspects.def"
#undef X
};
static const int of_seed[N_SPOT_KINDS] = {
#define X(NAME, id, words) [SPOT_##NAME] = F_SEED_##NAME,
#include "spots.def"
#undef X
};

/* ---- what is known of a statement ---- */

bool suspects_has(const struct suspects_walk *w, const struct c_statement *s,
                  const char *const *texts) {
    for (size_t k = s->first; k < s->end; k++)
        for (const char *const *t = texts; *t; t++)
            if (related_is(&w->l, k, *t)) return true;
    return false;
}

static int suspects_count(const struct suspects_walk *w,
                          const struct c_statement *s,
                          const char *const *texts) {
    int n = 0;
    for (size_t k = s->first; k < s->end; k++)
        for (const char *const *x = texts; *x; x++)
            n += related_is(&w->l, k, *x);
    return n;
}

bool suspects_begins(const struct suspects_walk *w, const struct c_statement *s,
                     const char *const *texts) {
    for (size_t k = s->first; k < s->end; k++)
        for (const char *const *t = texts; *t; t++)
            if (related_begins(related_token(&w->l, k), *t)) return true;
    return false;
}

enum { INSIDE = 32 }; /* statements behind a head that are looked at */

static bool assigns(const struct suspects_walk *w,
                    const struct c_statement *s) {
    for (size_t k = s->first; k < s->end; k++)
        if (related_assigns(&w->l, k) || related_is(&w->l, k, "++") ||
            related_is(&w->l, k, "--"))
            return true;
    return false;
}

bool suspects_sets(const struct suspects_walk *w, const struct c_statement *s) {
    for (size_t k = s->first; k < s->end; k++)
        if (related_is(&w->l, k, "(")) return true;
    return assigns(w, s);
}

static void look_at_words(const struct suspects_walk *w,
                          const struct c_statement *s, double *x) {
    bool is_return = related_is(&w->l, s->first, "return");
    x[F_STATUS] =
        suspects_has(w, s, WORDS("cudaSuccess", "cudaGetLastError", "error")) ||
        (is_return && s->end - s->first <= 2);
    x[F_BARRIER] = suspects_begins(w, s, WORDS("__sync"));
    x[F_SHUFFLE] =
        suspects_begins(w, s, WORDS("__shfl", "__ballot", "__any", "__all"));
    x[F_COMPARE] = suspects_has(w, s, WORDS("<", ">", "<=", ">=", "==", "!="));
    x[F_SUM] =
        fmin(1, suspects_count(w, s,
                               WORDS("+", "-", "*", "/", "%", "<<", ">>", "&",
                                     "|", "^", "~", "+=", "-=", "*=", "/=",
                                     "<<=", ">>=", "|=", "&=")) /
                    4.0);
    x[F_CHOICE] = suspects_has(w, s, WORDS("?"));
    x[F_INDEX] = suspects_has(
        w, s, WORDS("blockIdx", "threadIdx", "blockDim", "gridDim"));
    x[F_RETURN] = is_return;
    for (size_t k = s->first; k < s->end; k++)
        x[F_NUMBER] =
            fmax(x[F_NUMBER], related_token(&w->l, k)->kind == C_NUMBER);
}

/* Is one of these names of launches set here? */
static bool sets_one(const struct suspects_walk *w, const struct c_statement *s,
                     const size_t *names, size_t n) {
    for (size_t i = s->first; i + 1 < s->end; i++) {
        size_t behind = related_behind_index(&w->l, i + 1, s->end);
        for (size_t k = 0; k < n && related_assigns(&w->l, behind); k++)
            if (c_token_same(related_token(&w->l, i),
                             related_token(&w->l, names[k])))
                return true;
    }
    return false;
}

static bool is_of_host(const struct suspects_walk *w,
                       const struct c_statement *s) {
    int32_t head = suspects_head(w, (size_t)(s - suspects_at(w, 0)));
    return head >= 0 && !suspects_has(w, suspects_at(w, (size_t)head),
                                      WORDS("__global__", "__device__"));
}

static void look_at_text(const struct suspects_walk *w,
                         const struct c_statement *s, double *x) {
    const struct related_file *f = w->ask->file;
    look_at_words(w, s, x);
    x[F_GRID] = w->of_grid[s - suspects_at(w, 0)];
    x[F_HOST] = is_of_host(w, s);
    x[F_LAUNCH_ARGS] = x[F_HOST] && sets_one(w, s, w->handed, w->n_handed);
    x[F_LOOP] = s->kind == C_LOOP;
    x[F_IF] = s->kind == C_IF;
    x[F_OUTSIDE] = s->kind == C_OUTSIDE;
    x[F_STORE] = related_does(f, s, RELATED_STORES);
    x[F_ASSIGN] = assigns(w, s);
    x[F_CALLS] = related_does(f, s, RELATED_CALLS);
    x[F_LAUNCH] = related_does(f, s, RELATED_LAUNCHES);
    x[F_MEMORY] = related_does(f, s, RELATED_ALLOCATES);
    x[F_COPIES] = related_does(f, s, RELATED_COPIES);
    x[F_ORDER] = related_does(f, s, RELATED_ORDER);
    x[F_DECL] =
        s->kind == C_PLAIN && !x[F_ASSIGN] && !suspects_has(w, s, WORDS("("));
    x[F_SIZE] = fmin(1, (double)(s->end - s->first) / 40);
}

/* The head of a loop or an `if` may have no instruction of its own: then it is
 * asked what stands in it. */
static unsigned ran_inside(const struct suspects_walk *w, size_t k) {
    unsigned ran = suspects_ran(w, k);
    enum c_statement_kind kind = suspects_at(w, k)->kind;
    if (ran || (kind != C_LOOP && kind != C_IF)) return ran;
    for (size_t i = k + 1; i < w->ask->file->statements.n && i < k + INSIDE;
         i++)
        if (suspects_at(w, i)->parent == (int32_t)k) ran |= suspects_ran(w, i);
    return ran;
}

/* The same of cases that passed: a head without an instruction of its own is
 * not new where what stands in it is old. */
static unsigned passed_inside(const struct suspects_walk *w, size_t k) {
    unsigned most = suspects_passed(w, k);
    enum c_statement_kind kind = suspects_at(w, k)->kind;
    if (suspects_ran(w, k) || (kind != C_LOOP && kind != C_IF)) return most;
    for (size_t i = k + 1; i < w->ask->file->statements.n && i < k + INSIDE;
         i++) {
        unsigned passed =
            suspects_at(w, i)->parent == (int32_t)k ? suspects_passed(w, i) : 0;
        if (passed > most) most = passed;
    }
    return most;
}

/* What has no instruction of its own (a name for a number that is at hand
 * anyway) runs with what stands beside it: the next statement there that has
 * one, or else the last before, or what both stand in. */
static size_t beside(const struct suspects_walk *w, size_t k) {
    const struct c_statements *s = &w->ask->file->statements;
    int32_t parent = suspects_at(w, k)->parent;
    if (!w->ask->outcome->ran.marks || ran_inside(w, k) || parent < 0) return k;
    for (size_t i = k + 1; i < s->n && i < k + INSIDE; i++)
        if (suspects_at(w, i)->parent == parent && suspects_ran(w, i)) return i;
    for (size_t i = k; i-- > (size_t)parent && i + INSIDE > k;)
        if (suspects_at(w, i)->parent == parent && suspects_ran(w, i)) return i;
    return ran_inside(w, (size_t)parent) ? (size_t)parent : k;
}

static void look_at_run(const struct suspects_walk *w, size_t k, double *x) {
    size_t at = beside(w, k);
    unsigned ran = ran_inside(w, at), passed = passed_inside(w, at);
    x[F_RAN] = (ran & RAN_DID) != 0;
    x[F_NEVER] = ran == RAN_COULD;
    x[F_PASSES] = log2(1 + passed) / 8;
    x[F_NEW] = x[F_RAN] && !passed;
    int32_t head = suspects_head(w, k);
    x[F_FRESH] = head >= 0 ? w->fresh[head] : 0;
}

static void look_at_seeds(const struct suspects_walk *w, size_t k, double *x) {
    const struct suspects_ask *a = w->ask;
    int32_t head = suspects_head(w, k), near = INT32_MAX;
    int n = 0;
    for (size_t i = a->n_seeds; i-- > 0;) {
        int32_t seed = w->seeds[i];
        if (seed < 0 || suspects_head(w, (size_t)seed) != head) continue;
        int32_t far = abs(seed - (int32_t)k);
        n++;
        if (far < near) near = far;
        x[F_SIBLING] =
            fmax(x[F_SIBLING], far && suspects_at(w, (size_t)seed)->parent ==
                                          suspects_at(w, k)->parent);
        if (far) continue;
        x[of_seed[a->seeds[i].kind]] = 1;
        x[F_SEED] = 1;
        x[F_SEED_LATE] = fmin(1, (double)i / 10);
    }
    x[F_SEEDED] = n > 0;
    x[F_SEEDS] = fmin(1, n / 4.0);
    x[F_NEAR] = n && near ? 1. / near : 0;
}

static void look_at_walk(const struct suspects_walk *w, size_t k, double *x) {
    const struct suspects_one *one = &w->list[k];
    int32_t head = suspects_head(w, k);
    if (one->weight > 0) {
        x[F_WALK] = fmax(0, 1 + log(one->weight) / 4);
        x[F_WALKED] = 1;
        x[F_VALUE] = one->kind == RELATED_VALUE;
        x[F_CONDITION] = one->kind == RELATED_CONDITION;
        x[F_CALL] = one->kind == RELATED_CALL;
    }
    if (head < 0) return;
    x[F_DEPTH] = w->depth[head] ? fmin(1, w->depth[head] / 10.0) : 1;
    x[F_REACHED] = w->depth[head] > 0;
    x[F_TESTED] = w->depth[head] == 1;
    x[F_TRUSTED] = w->trusted[head];
}

static bool has_parameter(const struct suspects_walk *w,
                          const struct c_statement *s) {
    const struct tried *t = &w->ask->outcome->tried;
    struct parameters usual;
    bool found = false;
    if (!t->function) return false;
    parameters_usual(&usual);
#define X(name, ...)                                                           \
    found |= signature_takes(t->function->signature, PARAMETER_##name) &&      \
             t->parameters.value[PARAMETER_##name] !=                          \
                 usual.value[PARAMETER_##name] &&                              \
             suspects_has(w, s, WORDS(#name));
#include "parameters.def"
#undef X
    return found;
}

static bool has_fact(const struct outcome *o, enum fact_row row) {
    for (size_t i = 0; i < o->n_facts; i++)
        if (o->facts[i].row == row) return true;
    return false;
}

/* Does the output say that levels or distances are left out, or in another
 * order? */
static bool is_of_levels(const struct diagnosis *d) {
    enum fact_row row = d ? d->shape.row : FACT_NONE;
    return row == FACT_WINDOW || row == FACT_STEPS_FEWER ||
           row == FACT_STEPS_COUNTING || row == FACT_STEPS_FOURS ||
           row == FACT_STEPS_LATER || row == FACT_HALVES ||
           (row >= FACT_TREE_UP_NEVER && row <= FACT_TREE_DOWN_FOURS);
}

/* A loop whose variable doubles, or is halved. */
static bool goes_through_levels(const struct suspects_walk *w,
                                const struct c_statement *s) {
    return s->kind == C_LOOP &&
           suspects_has(w, s, WORDS("*=", "/=", "<<=", ">>="));
}

static bool is_floating(const struct suspects_walk *w, size_t k) {
    char name[16];
    return related_floating(w->ask->file, suspects_first(w, k), name,
                            sizeof name);
}

static bool has_id(const struct diagnosis *d, const char *const *ids) {
    const char *id = d ? fact_id(d->shape.row) : "";
    for (const char *const *i = ids; *i; i++)
        if (strcmp(id, *i) == 0) return true;
    return false;
}

static bool is_counted(const struct suspects_walk *w, int counter) {
    const struct measured *m = w->ask->measured;
    for (size_t i = 0; m && i < m->n_bounds; i++)
        if (!m->bounds[i].holds && m->bounds[i].bound->counter == counter)
            return true;
    return false;
}

/* What is said of the answer names the kind of statement that makes it. */
static void look_at_cause(const struct suspects_walk *w, size_t k, double *x) {
    const struct outcome *o = w->ask->outcome;
    const struct diagnosis *d = o->difference;
    const struct finding *f = o->finding;
    const struct c_statement *s = suspects_at(w, k);
    bool leaks =
        has_fact(o, FACT_HOST_LEAK) || (f && f->kind == VGPU_FINDING_LEAK);
    bool of_parts =
        has_id(d, WORDS("restarts-every-block", "carry-wrong-per-block",
                        "carry-lacks", "part-edge"));
    x[F_PARTS_CALL] = of_parts && x[F_HOST] && x[F_CALLS] && !x[F_LAUNCH];
    x[F_AGAIN_STATIC] =
        has_id(d, WORDS("only-again")) && suspects_has(w, s, WORDS("static"));
    x[F_CHANGES_MEMORY] =
        has_id(d, WORDS("changes-from-run-to-run")) && x[F_MEMORY];
    x[F_LEAK_FREE] =
        leaks && (x[F_RETURN] || suspects_has(w, s, WORDS("free")) ||
                  suspects_begins(w, s, WORDS("cudaFree")));
    x[F_SORTED_HOST] = has_id(d, WORDS("wrong-order")) && x[F_HOST];
    x[F_CHAIN_ORDER] =
        is_counted(w, VGPU_COUNT_LONGEST_CHAIN) && (x[F_ORDER] || x[F_BARRIER]);
}

/* What kind of outcome looks at what kind of statement. */
static void look_at_outcome(const struct suspects_walk *w, size_t k,
                            double *x) {
    const struct outcome *o = w->ask->outcome;
    const struct diagnosis *d = o->difference;
    const struct finding *f = o->finding;
    const struct c_statement *s = suspects_at(w, k);
    bool bound = o->kind == OUTCOME_BOUND;
    bool race = f && (f->kind == VGPU_FINDING_GLOBAL_RACE ||
                      f->kind == VGPU_FINDING_SHARED_RACE);
    x[F_PARAMETER] = has_parameter(w, s);
    x[F_STORE_MISSING] = d && d->state == FIRST_NOT_WRITTEN &&
                         (x[F_STORE] || x[F_IF] || x[F_LOOP]);
    x[F_BOUND_ORDER] = bound && (x[F_ORDER] || x[F_BARRIER]);
    x[F_BOUND_SEED] = bound && x[F_SEED];
    x[F_RACE_ORDER] = race && (x[F_ORDER] || x[F_BARRIER]);
    x[F_RACE_INDEX] = race && x[F_INDEX];
    x[F_LEVELS] = is_of_levels(d) && goes_through_levels(w, s);
    x[F_FLOATING] = !bound && !race && is_floating(w, k);
    x[F_FINDING_VALUE] = f && !race && x[F_VALUE];
    x[F_FINDING_SUM] = f && !race && x[F_SUM];
    x[F_FINDING_SEED] = f && x[F_SEED];
    x[F_FINDING_MEMORY] = f && (x[F_MEMORY] || x[F_COPIES]);
    x[F_WRONG_SEED] = d && !f && x[F_SEED];
    x[F_WRONG_SUM] = d && !f && x[F_SUM];
    bool refuses = has_fact(o, FACT_RETURNED_REFUSAL);
    x[F_ERROR_RETURN] =
        (refuses || has_fact(o, FACT_RETURNED_ERROR)) &&
        (suspects_begins(w, s, WORDS("cudaErr")) ||
         (x[F_IF] && k + 1 < w->ask->file->statements.n &&
          suspects_at(w, k + 1)->parent == (int32_t)k &&
          suspects_begins(w, suspects_at(w, k + 1), WORDS("cudaErr"))));
    x[F_REFUSES] = refuses && x[F_ERROR_RETURN];
}

double suspects_weigh(const struct suspects_walk *w, size_t k) {
    double x[N_FEATURES] = {0}, sum = 0;
    look_at_text(w, suspects_at(w, k), x);
    look_at_run(w, k, x);
    look_at_seeds(w, k, x);
    look_at_walk(w, k, x);
    look_at_outcome(w, k, x);
    look_at_cause(w, k, x);
    suspects_look_at_kind(w, k, x);
    for (int i = 0; i < N_FEATURES; i++) sum += weights[i] * x[i];
    return sum;
}
