/* SPDX-License-Identifier: MIT
 *
 * race_clock.c: vector clocks as trees that are shared.
 */
#include "race_clock.h"

#include "machine.h"

#include <stdlib.h>
#include <string.h>

enum { LEVEL_BITS = 5, CHILDREN = 1 << LEVEL_BITS };

struct clock_node {
    uint64_t references;
    uint64_t stamp; /* of all threads below, at least */
    clock_tree child[CHILDREN];
};

static bool is_stamp(clock_tree c) {
    return c & 1;
}
static clock_tree of_stamp(uint64_t stamp) {
    return (clock_tree)stamp << 1 | 1;
}
static uint64_t stamp_of(clock_tree c) {
    return c >> 1;
}
static struct clock_node *node_of(clock_tree c) {
    return (struct clock_node *)c;
}
static bool is_node(clock_tree c) {
    return c && !is_stamp(c);
}

/* ---- nodes ---- */

void clock_pool_init(struct clock_pool *p, uint64_t n_blocks,
                     uint64_t most_bytes, struct charges *charges) {
    *p = (struct clock_pool){
        .charges = charges, .most_bytes = most_bytes, .top = CLOCK_WARP};
    while (p->top < 60 && (n_blocks - 1) << 10 >> p->top >= CHILDREN)
        p->top += LEVEL_BITS;
}

void clock_pool_free(struct clock_pool *p) {
    while (p->free) {
        struct clock_node *n = p->free;
        p->free = node_of(n->child[0]);
        charges_free(p->charges, n);
    }
}

static struct clock_node *node_new(struct clock_pool *p) {
    struct clock_node *n = p->free;
    if (n) {
        p->free = node_of(n->child[0]);
    } else {
        n = p->bytes < p->most_bytes
                ? charges_zeroed(p->charges, sizeof *n, NULL)
                : NULL;
        if (!n) {
            p->lacks = true;
            return NULL;
        }
        p->bytes += sizeof *n;
    }
    n->references = 1;
    return n;
}

clock_tree clock_keep(clock_tree c) {
    if (is_node(c)) node_of(c)->references++;
    return c;
}

void clock_drop(struct clock_pool *p, clock_tree *at) {
    clock_tree c = *at;
    *at = 0;
    if (!is_node(c) || --node_of(c)->references) return;
    struct clock_node *n = node_of(c);
    for (int k = 0; k < CHILDREN; k++)
        if (n->child[k]) clock_drop(p, &n->child[k]);
    n->child[0] = (clock_tree)p->free;
    p->free = n;
}

/* Makes *at a node that only *at holds. NULL: no memory, *at is as it was. */
static struct clock_node *own_node(struct clock_pool *p, clock_tree *at) {
    if (is_node(*at) && node_of(*at)->references == 1) return node_of(*at);
    struct clock_node *n = node_new(p);
    if (!n) return NULL;
    if (is_node(*at)) {
        const struct clock_node *old = node_of(*at);
        n->stamp = old->stamp;
        for (int k = 0; k < CHILDREN; k++)
            n->child[k] = clock_keep(old->child[k]);
        clock_drop(p, at);
    } else {
        n->stamp = *at ? stamp_of(*at) : 0;
        memset(n->child, 0, sizeof n->child);
    }
    *at = (clock_tree)n;
    return n;
}

/* ---- what they know ---- */

uint64_t clock_of(const struct clock_pool *p, clock_tree c, uint64_t thread) {
    uint64_t known = 0;
    for (unsigned shift = p->top; c; shift -= LEVEL_BITS) {
        uint64_t stamp = is_stamp(c) ? stamp_of(c) : node_of(c)->stamp;
        if (stamp > known) known = stamp;
        if (is_stamp(c)) break;
        c = node_of(c)->child[thread >> shift & (CHILDREN - 1)];
    }
    return known;
}

/* a knows nothing that b does not. True where that is cheap to see. */
static bool is_within(clock_tree a, clock_tree b) {
    if (a == b || !a) return true;
    if (!is_stamp(a) || !b) return false;
    return stamp_of(a) <= (is_stamp(b) ? stamp_of(b) : node_of(b)->stamp);
}

static void raise_all(struct clock_pool *p, clock_tree *at, uint64_t stamp) {
    if (is_within(of_stamp(stamp), *at)) return;
    if (!is_node(*at)) {
        *at = of_stamp(stamp);
        return;
    }
    struct clock_node *n = own_node(p, at);
    if (!n) return;
    n->stamp = stamp;
    for (int k = 0; k < CHILDREN; k++)
        if (is_stamp(n->child[k]) && stamp_of(n->child[k]) <= stamp)
            n->child[k] = 0;
}

/* What b knows beyond a, where both are nodes: a stays shared as long as that
 * is nothing. */
static bool adds(clock_tree a, clock_tree b);

static bool adds_nodes(const struct clock_node *a, const struct clock_node *b) {
    if (b->stamp > a->stamp) return true;
    for (int k = 0; k < CHILDREN; k++)
        if (b->child[k] && b->child[k] != a->child[k] &&
            !(is_stamp(b->child[k]) && stamp_of(b->child[k]) <= a->stamp) &&
            adds(a->child[k], b->child[k]))
            return true;
    return false;
}

static bool adds(clock_tree a, clock_tree b) {
    if (is_within(b, a)) return false;
    if (!is_node(a) || !is_node(b)) return true;
    return adds_nodes(node_of(a), node_of(b));
}

void clock_join(struct clock_pool *p, clock_tree *at, clock_tree more) {
    if (is_within(more, *at)) return;
    if (is_within(*at, more)) {
        clock_keep(more);
        clock_drop(p, at);
        *at = more;
        return;
    }
    if (is_stamp(more)) {
        raise_all(p, at, stamp_of(more));
        return;
    }
    if (is_node(*at) && node_of(*at)->references > 1) {
        if (!adds(*at, more)) return;
        if (!adds(more, *at)) {
            clock_keep(more);
            clock_drop(p, at);
            *at = more;
            return;
        }
    }
    const struct clock_node *b = node_of(more);
    struct clock_node *n = own_node(p, at);
    if (!n) return;
    if (b->stamp > n->stamp) n->stamp = b->stamp;
    for (int k = 0; k < CHILDREN; k++)
        if (b->child[k] != n->child[k] && b->child[k])
            clock_join(p, &n->child[k], b->child[k]);
}

void clock_raise(struct clock_pool *p, clock_tree *at, uint64_t thread,
                 unsigned width, uint64_t stamp) {
    if (clock_of(p, *at, thread) >= stamp && width == CLOCK_LANE) return;
    for (unsigned shift = p->top + LEVEL_BITS; shift > width;) {
        struct clock_node *n = own_node(p, at);
        if (!n) return;
        shift -= LEVEL_BITS;
        at = &n->child[thread >> shift & (CHILDREN - 1)];
    }
    raise_all(p, at, stamp);
}
