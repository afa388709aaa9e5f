/* SPDX-License-Identifier: MIT
 *
 * suspects_carry.c: see suspects_features.h: a part takes over the wrong sums
 * of those before it. The loop that goes from part to part decides which: one
 * around a loop that waits for another thread's word.
 */
#include <string.h>

#include "suspects_features.h"

static bool is_loop(const struct suspects_walk *w, int32_t k) {
    return k >= 0 && suspects_at(w, (size_t)k)->kind == C_LOOP;
}

/* In a loop, or the head of one, that stands in loop `k`. */
static bool waits_in(const struct suspects_walk *w, size_t i, size_t k) {
    int32_t loop =
        is_loop(w, (int32_t)i) ? (int32_t)i : suspects_at(w, i)->parent;
    while (loop >= 0 && !is_loop(w, loop))
        loop = suspects_at(w, (size_t)loop)->parent;
    if (loop < 0 || (size_t)loop == k) return false;
    for (int32_t up = suspects_at(w, (size_t)loop)->parent; up >= 0;
         up = suspects_at(w, (size_t)up)->parent)
        if ((size_t)up == k) return true;
    return false;
}

static bool is_walk(const struct suspects_walk *w, size_t k) {
    enum { INSIDE = 32 };
    size_t n = w->ask->file->statements.n;
    for (size_t i = k + 1; is_loop(w, (int32_t)k) && i < n && i < k + INSIDE;
         i++)
        if (waits_in(w, i, k) && w->listens[i]) return true;
    return false;
}

static bool is_of_carry(const struct diagnosis *d) {
    static const char *const ids[] = {"carry-again",     "carry-lacks",
                                      "carry-exchanged", "carry-alone",
                                      "carry-no-prefix", "carry-nothing"};
    const char *id = d ? fact_id(d->shape.row) : "";
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(id, ids[i]) == 0) return true;
    return false;
}

void suspects_look_at_carry(const struct suspects_walk *w, size_t k,
                            double *x) {
    const struct outcome *o = w->ask->outcome;
    const struct c_statement *s = suspects_at(w, k);
    if (!is_of_carry(o->difference) || o->finding) return;
    x[F_CARRY_WALK] = is_walk(w, k);
    x[F_CARRY_STEP] = s->kind == C_PLAIN && x[F_ASSIGN] &&
                      is_loop(w, s->parent) && is_walk(w, (size_t)s->parent);
}
