/* SPDX-License-Identifier: MIT
 *
 * suspects_links.c: see suspects_parts.h. Which statements set, declare or use
 * the names that stand in the statements that an outcome names. Whoever writes
 * a file decides how many there are, so the looks have a bound.
 */
#include <stdlib.h>

#include "spots.h"
#include "suspects_parts.h"

enum { LOOKS = 20000000, SEEDS_MOST = 24 };

struct linking {
    struct suspects_walk *w;
    const struct c_statement *seed;
    int32_t head; /* of its function */
    bool is_here;
    size_t left; /* tokens that may be looked at */
};

static bool is_place(int kind) {
    return kind == SPOT_HERE || kind == SPOT_STEP || kind == SPOT_JOINED ||
           kind == SPOT_EARLIER || kind == SPOT_CALLED || kind == SPOT_INDEX ||
           kind == SPOT_VALUE || kind == SPOT_WRITER || kind == SPOT_READ;
}

static bool is_declaration(const struct looking *l,
                           const struct c_statement *s) {
    for (size_t k = s->first; k < s->end; k++)
        if (related_assigns(l, k) || related_is(l, k, "(")) return false;
    return s->kind == C_PLAIN;
}

static bool is_member(const struct looking *l, size_t k) {
    return k && (related_is(l, k - 1, ".") || related_is(l, k - 1, "->"));
}

/* The name at token `at` of the seed, in statement k. */
static void link_name(struct linking *n, size_t at, bool seed_gives, size_t k) {
    const struct looking *l = &n->w->l;
    const struct c_token *name = related_token(l, at);
    const struct c_statement *s = suspects_at(n->w, k);
    struct suspects_link *to = &n->w->links[k];
    bool near = suspects_head(n->w, k) == n->head;
    bool far = is_member(l, at) || related_is(l, at + 1, "[");
    size_t cost = s->end - s->first;
    if ((!near && !far) || n->left < cost || s == n->seed) return;
    n->left -= cost;
    if (!related_mentions(l, s, name)) return;
    bool gives = related_gives(l, s, name);
    to->names |= far;
    to->gives |= near && gives;
    to->gives_here |= near && gives && n->is_here;
    to->far |= !near && gives;
    to->declares |= near && is_declaration(l, s);
    to->uses |= near && seed_gives;
}

void suspects_find_links(struct suspects_walk *w) {
    const struct suspects_ask *a = w->ask;
    struct linking n = {.w = w, .left = LOOKS};
    for (size_t i = 0; i < a->n_seeds && i < SEEDS_MOST; i++) {
        if (w->seeds[i] < 0 || !is_place(a->seeds[i].kind)) continue;
        n.seed = suspects_at(w, (size_t)w->seeds[i]);
        n.head = suspects_head(w, (size_t)w->seeds[i]);
        n.is_here = i == 0;
        size_t end = n.seed->end;
        if (end - n.seed->first > RELATED_NAMES)
            end = n.seed->first + RELATED_NAMES;
        for (size_t at = n.seed->first; at < end; at++) {
            const struct c_token *name = related_token(&w->l, at);
            if (name->kind != C_NAME || related_is(&w->l, at + 1, "("))
                continue;
            bool gives = related_gives(&w->l, n.seed, name);
            for (size_t k = 0; k < a->file->statements.n; k++)
                link_name(&n, at, gives, k);
        }
    }
}
