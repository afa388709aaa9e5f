/* SPDX-License-Identifier: MIT
 *
 * diagnose_alone.c: a scan that is wrong for one element. What came says
 * nothing about why: 0, or in[0], is left by many mistakes. A longer input of
 * the same check tells whether the function is another kind of scan, or right
 * but for n = 1.
 */
#include <stdlib.h>

#include "diagnose_parts.h"

/* Turns the answer into that of the other kind: with in[i], or without. */
static void turn(const int32_t *in, int32_t *answer, size_t n, size_t own) {
    for (size_t i = 0; i < n; i++) {
        uint32_t now = (uint32_t)answer[i], item = (uint32_t)in[i];
        answer[i] = (int32_t)(own ? now - item : now + item);
    }
}

static bool other_kind(size_t n, size_t own, struct diagnosis *d) {
    return shape_is(d, own ? FACT(EXCLUSIVE_ONE, {V(n)})
                           : FACT(INCLUSIVE_ONE, {V(n)}));
}

bool diagnose_alone(const struct diagnose_case *c, size_t own,
                    struct diagnosis *d) {
    size_t n = diagnose_longer(c);
    bool other = c->got[0] == (own ? 0 : c->in[0]), found = false;
    int32_t *buffer = calloc(3 * n + 1, sizeof *buffer);
    if (buffer && c->run && n > 1 && ++d->runs &&
        diagnose_look_at(c, n, buffer)) {
        int32_t *answer = buffer + 2 * n;
        oracle_apply_rule(c->oracle, c->rule, c->parameters, buffer, n, answer);
        found = diagnose_equal(buffer + n, answer, n) &&
                shape_is(d, FACT(WRONG_ALONE, {V(n)}));
        turn(buffer, answer, n, own);
        if (!found && other && diagnose_equal(buffer + n, answer, n))
            found = other_kind(n, own, d);
    }
    free(buffer);
    return found;
}
