/* SPDX-License-Identifier: MIT
 *
 * diagnose_ways.c: slips in the algorithm that the lab asks for (ways.def).
 * Each is a model, the algorithm with this one slip. A model is only named when
 * it makes every element of the failed output; of few elements also every one
 * of a longer input, for which the function runs again. So what is said holds:
 * exactly this comes out.
 */
#include "diagnose_parts.h"

#include <stdlib.h>
#include <string.h>

#include "inputs.h"

enum {
    MANY = 16,        /* so many elements agree with no other model by chance */
    MOST = 1 << 20,   /* elements */
    PROBE_MOST = 4096 /* of a longer input */
};

/* One call of a model. */
struct tried_on {
    const struct diagnose_case *c;
    const uint32_t *in;
    size_t n, leaves;      /* n, rounded up to a power of two */
    uint32_t *out, *spare; /* [leaves] */
};

struct model {
    enum way way;
    enum fact_row row;
    /* The output with a slip of size k; k counts from 1. false: no such. */
    bool (*make)(const struct tried_on *, size_t k);
};

static size_t levels_of(size_t leaves) {
    size_t levels = 0;
    while ((size_t)1 << levels < leaves) levels++;
    return levels;
}

/* ---- steps ---- */

struct steps {
    size_t times;    /* elements from times * distance on add */
    bool more;       /* those behind the distance only */
    bool neighbour;  /* each step adds the neighbour at 1 */
    bool counting;   /* distances 1, 2, 3, ... */
    bool from_input; /* each step reads the input */
    size_t fewer;    /* steps that are left out */
    size_t later;    /* steps at the shortest distances that are left out */
    unsigned factor; /* by which a distance is longer than the last; 0: 2 */
};

/* Of one part that is scanned by itself. */
static void step_through(const struct steps *s, const uint32_t *in,
                         uint32_t *out, uint32_t *spare, size_t n) {
    size_t k = 1, factor = s->factor ? s->factor : 2;
    memcpy(out, in, n * sizeof *out);
    for (size_t d = (size_t)1 << s->later; d << s->fewer < n;
         d *= factor, k++) {
        const uint32_t *from = s->from_input ? in : spare;
        size_t by = s->counting ? k : d;
        memcpy(spare, out, n * sizeof *out);
        for (size_t i = 0; i < n; i++) {
            bool adds = s->more ? i > by : i >= s->times * by;
            out[i] = from[i] + (adds ? from[i - (s->neighbour ? 1 : by)] : 0);
        }
    }
}

static bool steps(const struct tried_on *t, size_t k, struct steps s) {
    size_t part = t->c->oracle == ORACLE_sums_of_32 ? 32 : t->n;
    if (k > 1 + s.fewer + s.later || (t->c->oracle != ORACLE_inclusive_sum &&
                                      t->c->oracle != ORACLE_sums_of_32))
        return false;
    for (size_t at = 0; at < t->n; at += part)
        step_through(&s, t->in + at, t->out + at, t->spare,
                     at + part < t->n ? part : t->n - at);
    return true;
}

static bool steps_twice(const struct tried_on *t, size_t k) {
    return steps(t, k, (struct steps){.times = 2});
}

static bool steps_more(const struct tried_on *t, size_t k) {
    return steps(t, k, (struct steps){.more = true});
}

static bool steps_neighbour(const struct tried_on *t, size_t k) {
    return steps(t, k, (struct steps){.times = 1, .neighbour = true});
}

static bool steps_counting(const struct tried_on *t, size_t k) {
    return steps(t, k, (struct steps){.times = 1, .counting = true});
}

static bool steps_input(const struct tried_on *t, size_t k) {
    return steps(t, k, (struct steps){.times = 1, .from_input = true});
}

static bool steps_fours(const struct tried_on *t, size_t k) {
    return steps(t, k, (struct steps){.times = 1, .factor = 4});
}

static bool steps_later(const struct tried_on *t, size_t k) {
    return k < 5 && steps(t, k, (struct steps){.times = 1, .later = k});
}

/* Of a whole scan the shape says it, FACT_WINDOW. */
static bool steps_fewer(const struct tried_on *t, size_t k) {
    return t->c->oracle == ORACLE_sums_of_32 && k < 5 &&
           steps(t, k, (struct steps){.times = 1, .fewer = k});
}

/* A thread's elements lie side by side, and steps go from lane to lane: row
 * after row of 32 lanes takes every size-th element. */
static bool steps_stretch(const struct tried_on *t, size_t k) {
    size_t size = k + 1;
    if (t->c->oracle != ORACLE_sums_of_32 || k == 32) return false;
    for (size_t i = 0; i < t->n; i++) {
        bool first = i % (32 * size) < size;
        t->out[i] = t->in[i] + (first ? 0 : t->out[i - size]);
    }
    return true;
}

/* ---- a tree ---- */

/* A way through the tree's levels, which count from the leaves: 1, 2, ... */
struct levels {
    size_t top, bottom; /* levels that it leaves out there */
    bool turned;        /* it goes through them in the other order */
    size_t step;        /* it does each step-th one only; 0: all */
};

struct tree {
    struct levels up, down;
    size_t most_nodes; /* of a level that are done; 0: all */
    bool root_kept, own_twice, swapped;
    bool zero_ends; /* the way down leaves out nodes with a left sum of 0 */
};

/* The `at`-th level of the way, at = 0, 1, ...; 0: there are no more. */
static size_t level_at(const struct levels *s, size_t levels, size_t at,
                       bool down) {
    size_t step = s->step ? s->step : 1;
    if (s->top + s->bottom >= levels) return 0;
    size_t left = levels - s->top - s->bottom;
    if (at * step >= left) return 0;
    return down != s->turned ? levels - s->top - at * step
                             : 1 + s->bottom + at * step;
}

static void go_up(const struct tree *s, uint32_t *tree, size_t leaves) {
    size_t levels = levels_of(leaves), m;
    for (size_t at = 0; (m = level_at(&s->up, levels, at, false)); at++)
        for (size_t x = 0; x < leaves >> m; x++) {
            size_t right = ((x + 1) << m) - 1, left = right - (1u << (m - 1));
            if (s->most_nodes && x >= s->most_nodes) break;
            tree[right] += tree[s->own_twice ? right : left];
        }
}

static void go_down(const struct tree *s, uint32_t *tree, size_t leaves) {
    size_t levels = levels_of(leaves), m;
    for (size_t at = 0; (m = level_at(&s->down, levels, at, true)); at++)
        for (size_t x = 0; x < leaves >> m; x++) {
            size_t right = ((x + 1) << m) - 1, left = right - (1u << (m - 1));
            uint32_t before = tree[right], sum = before + tree[left];
            if (s->most_nodes && x >= s->most_nodes) break;
            if (s->zero_ends && tree[left] == 0) continue;
            tree[left] = s->swapped ? sum : before;
            tree[right] = s->swapped ? before : sum;
        }
}

static bool is_plain(const struct diagnose_case *c) {
    return c->parameters && c->parameters->value[PARAMETER_map] == 0;
}

static bool tree(const struct tried_on *t, struct tree s) {
    enum oracle oracle = (enum oracle)t->c->oracle;
    bool up = oracle == ORACLE_up_sweep && is_plain(t->c);
    bool cleared = oracle == ORACLE_tree_swept_up;
    bool whole = oracle == ORACLE_exclusive_sum;
    bool of_down = s.down.top || s.down.bottom || s.down.turned ||
                   s.down.step || s.root_kept || s.swapped || s.zero_ends;
    if (!(up || cleared || whole) || (of_down && !whole)) return false;
    memset(t->out, 0, t->leaves * sizeof *t->out);
    memcpy(t->out, t->in, t->n * sizeof *t->out);
    go_up(&s, t->out, t->leaves);
    if (!up && !s.root_kept) t->out[t->leaves - 1] = 0;
    if (whole) go_down(&s, t->out, t->leaves);
    return true;
}

static bool tree_up_never(const struct tried_on *t, size_t k) {
    size_t levels = levels_of(t->leaves);
    return k == 1 && tree(t, (struct tree){.up.top = levels});
}

static bool tree_down_never(const struct tried_on *t, size_t k) {
    size_t levels = levels_of(t->leaves);
    return k == 1 && levels && tree(t, (struct tree){.down.top = levels});
}

static bool tree_up_top(const struct tried_on *t, size_t k) {
    return k <= levels_of(t->leaves) && tree(t, (struct tree){.up.top = k});
}

static bool tree_up_bottom(const struct tried_on *t, size_t k) {
    return k <= levels_of(t->leaves) && tree(t, (struct tree){.up.bottom = k});
}

static bool tree_down_top(const struct tried_on *t, size_t k) {
    return k <= levels_of(t->leaves) && tree(t, (struct tree){.down.top = k});
}

static bool tree_down_bottom(const struct tried_on *t, size_t k) {
    return k <= levels_of(t->leaves) &&
           tree(t, (struct tree){.down.bottom = k});
}

static bool tree_up_turned(const struct tried_on *t, size_t k) {
    return k == 1 && tree(t, (struct tree){.up.turned = true});
}

static bool tree_down_turned(const struct tried_on *t, size_t k) {
    return k == 1 && tree(t, (struct tree){.down.turned = true});
}

static bool tree_up_fours(const struct tried_on *t, size_t k) {
    return k == 1 && tree(t, (struct tree){.up.step = 2});
}

static bool tree_down_fours(const struct tried_on *t, size_t k) {
    return k == 1 && tree(t, (struct tree){.down.step = 2});
}

/* Of 1, 2, 4, ... nodes. */
static bool tree_most_nodes(const struct tried_on *t, size_t k) {
    return k <= levels_of(t->leaves) &&
           tree(t, (struct tree){.most_nodes = (size_t)1 << (k - 1)});
}

static bool tree_root_kept(const struct tried_on *t, size_t k) {
    return k == 1 && tree(t, (struct tree){.root_kept = true});
}

static bool tree_own_twice(const struct tried_on *t, size_t k) {
    return k == 1 && tree(t, (struct tree){.own_twice = true});
}

static bool tree_swapped(const struct tried_on *t, size_t k) {
    return k == 1 && tree(t, (struct tree){.swapped = true});
}

static bool tree_zero_ends(const struct tried_on *t, size_t k) {
    return k == 1 && tree(t, (struct tree){.zero_ends = true});
}

/* ---- halves ---- */

/* The sum of a tile's inputs of every 2^k-th thread: those of the others would
 * have come in with the last k additions. A thread has `each` inputs in a row.
 */
static bool halves(const struct tried_on *t, size_t k, size_t each) {
    enum { TILE = 2048, THREADS_BITS = 8 };
    if (t->c->oracle != ORACLE_tile_total || k > THREADS_BITS) return false;
    memset(t->out, 0, t->n * sizeof *t->out);
    for (size_t i = 0; i < t->n; i++)
        if (i / each % ((size_t)1 << k) == 0) t->out[i / TILE] += t->in[i];
    return true;
}

static bool halves_in_turns(const struct tried_on *t, size_t k) {
    return halves(t, k, 1);
}

static bool halves_in_rows(const struct tried_on *t, size_t k) {
    return halves(t, k, 8);
}

/* ---- which of them ---- */

static const struct model models[] = {
    {WAY_steps, FACT_STEPS_TWICE, steps_twice},
    {WAY_steps, FACT_STEPS_MORE, steps_more},
    {WAY_steps, FACT_STEPS_NEIGHBOUR, steps_neighbour},
    {WAY_steps, FACT_STEPS_COUNTING, steps_counting},
    {WAY_steps, FACT_STEPS_INPUT, steps_input},
    {WAY_steps, FACT_STEPS_FEWER, steps_fewer},
    {WAY_steps, FACT_STEPS_STRETCH, steps_stretch},
    {WAY_steps, FACT_STEPS_FOURS, steps_fours},
    {WAY_steps, FACT_STEPS_LATER, steps_later},
    {WAY_tree, FACT_TREE_ROOT_KEPT, tree_root_kept},
    {WAY_tree, FACT_TREE_OWN_TWICE, tree_own_twice},
    {WAY_tree, FACT_TREE_SWAPPED, tree_swapped},
    {WAY_tree, FACT_TREE_ZERO_ENDS, tree_zero_ends},
    {WAY_tree, FACT_TREE_UP_NEVER, tree_up_never},
    {WAY_tree, FACT_TREE_DOWN_NEVER, tree_down_never},
    {WAY_tree, FACT_TREE_UP_TOP, tree_up_top},
    {WAY_tree, FACT_TREE_UP_BOTTOM, tree_up_bottom},
    {WAY_tree, FACT_TREE_DOWN_TOP, tree_down_top},
    {WAY_tree, FACT_TREE_DOWN_BOTTOM, tree_down_bottom},
    {WAY_tree, FACT_TREE_UP_TURNED, tree_up_turned},
    {WAY_tree, FACT_TREE_DOWN_TURNED, tree_down_turned},
    {WAY_tree, FACT_TREE_UP_FOURS, tree_up_fours},
    {WAY_tree, FACT_TREE_DOWN_FOURS, tree_down_fours},
    {WAY_tree, FACT_TREE_MOST_NODES, tree_most_nodes},
    {WAY_halves, FACT_HALVES, halves_in_turns},
    {WAY_halves, FACT_HALVES, halves_in_rows}};

/* An input and what the function made of it. */
struct seen {
    const int32_t *in, *got;
    size_t n;
};

static bool makes(const struct diagnose_case *c, const struct model *m,
                  size_t k, const struct seen *s, uint32_t *work) {
    struct tried_on t = {.c = c, .in = (const uint32_t *)s->in, .n = s->n};
    size_t compared = s->n;
    for (t.leaves = 1; t.leaves < s->n;) t.leaves *= 2;
    t.out = work;
    t.spare = work + t.leaves;
    if (c->oracle == ORACLE_tile_total) compared = (s->n + 2047) / 2048;
    return m->make(&t, k) &&
           memcmp(t.out, s->got, compared * sizeof *t.out) == 0;
}

size_t diagnose_longer(const struct diagnose_case *c) {
    size_t best = 0;
    for (size_t i = 0; i < c->n_sizes; i++)
        if (c->sizes[i] > c->n && c->sizes[i] <= PROBE_MOST &&
            c->sizes[i] > best)
            best = c->sizes[i];
    return best;
}

bool diagnose_look_at(const struct diagnose_case *c, size_t n,
                      int32_t *buffer) {
    inputs_fill(INPUT_random, inputs_mix(c->seed, n), buffer, n);
    return c->run(c->user, buffer, buffer + n, n);
}

/* Of the slips that have no size. */
static struct fact fact_alone(enum fact_row row, size_t also) {
    switch (row) {
    case FACT_STEPS_TWICE: return FACT(STEPS_TWICE, {V(also)});
    case FACT_STEPS_MORE: return FACT(STEPS_MORE, {V(also)});
    case FACT_STEPS_NEIGHBOUR: return FACT(STEPS_NEIGHBOUR, {V(also)});
    case FACT_STEPS_COUNTING: return FACT(STEPS_COUNTING, {V(also)});
    case FACT_STEPS_INPUT: return FACT(STEPS_INPUT, {V(also)});
    case FACT_STEPS_FOURS: return FACT(STEPS_FOURS, {V(also)});
    case FACT_TREE_ROOT_KEPT: return FACT(TREE_ROOT_KEPT, {V(also)});
    case FACT_TREE_OWN_TWICE: return FACT(TREE_OWN_TWICE, {V(also)});
    case FACT_TREE_SWAPPED: return FACT(TREE_SWAPPED, {V(also)});
    case FACT_TREE_ZERO_ENDS: return FACT(TREE_ZERO_ENDS, {V(also)});
    case FACT_TREE_UP_NEVER: return FACT(TREE_UP_NEVER, {V(also)});
    case FACT_TREE_DOWN_NEVER: return FACT(TREE_DOWN_NEVER, {V(also)});
    case FACT_TREE_UP_TURNED: return FACT(TREE_UP_TURNED, {V(also)});
    case FACT_TREE_DOWN_TURNED: return FACT(TREE_DOWN_TURNED, {V(also)});
    case FACT_TREE_UP_FOURS: return FACT(TREE_UP_FOURS, {V(also)});
    case FACT_TREE_DOWN_FOURS: return FACT(TREE_DOWN_FOURS, {V(also)});
    default: return FACT(NONE);
    }
}

/* size: of the slip; also: how long the other input is, 0: there is none. */
static struct fact fact_of(enum fact_row row, size_t also, size_t size) {
    switch (row) {
    case FACT_STEPS_FEWER: return FACT(STEPS_FEWER, {V(also), V(size)});
    case FACT_STEPS_LATER: return FACT(STEPS_LATER, {V(also), V(size)});
    case FACT_STEPS_STRETCH: return FACT(STEPS_STRETCH, {V(also), V(size + 1)});
    case FACT_TREE_UP_TOP: return FACT(TREE_UP_TOP, {V(also), V(size)});
    case FACT_TREE_UP_BOTTOM: return FACT(TREE_UP_BOTTOM, {V(also), V(size)});
    case FACT_TREE_DOWN_TOP: return FACT(TREE_DOWN_TOP, {V(also), V(size)});
    case FACT_TREE_DOWN_BOTTOM:
        return FACT(TREE_DOWN_BOTTOM, {V(also), V(size)});
    case FACT_TREE_MOST_NODES: return FACT(TREE_MOST_NODES, {V(also), V(size)});
    case FACT_HALVES: return FACT(HALVES, {V(also), V(size)});
    default: return fact_alone(row, also);
    }
}

static bool name_model(const struct diagnose_case *c, const struct seen *s,
                       size_t n_seen, uint32_t *work, struct diagnosis *d) {
    size_t also = n_seen > 1 ? s[1].n : 0;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t k = 1; k <= 32 && models[m].way == c->way; k++) {
            if (!makes(c, &models[m], k, &s[0], work) ||
                (n_seen > 1 && !makes(c, &models[m], k, &s[1], work)))
                continue;
            size_t size =
                models[m].make == tree_most_nodes ? (size_t)1 << (k - 1) : k;
            fact_free(&d->shape);
            d->shape = fact_of(models[m].row, also, size);
            return true;
        }
    return false;
}

/* The models, and the buffers here, are of one array of words. */
static bool one_array(const struct diagnose_case *c) {
    return signature_in_words(c->signature, 1) == 1 &&
           signature_out_words(c->signature, 1) == 1;
}

bool diagnose_way(const struct diagnose_case *c, struct diagnosis *d) {
    bool few = c->n < MANY || c->oracle == ORACLE_tile_total;
    size_t also = few ? diagnose_longer(c) : 0,
           most = c->n > also ? c->n : also;
    bool found = false;
    if (c->way == WAY_any || !c->n || c->n > MOST || (few && !c->run) ||
        !one_array(c))
        return false;
    /* Two arrays of twice as much, for numbers that are no power of two. */
    uint32_t *work = calloc(4 * most, sizeof *work);
    int32_t *buffer = calloc(2 * also + 1, sizeof *buffer);
    struct seen seen[] = {{c->in, c->got, c->n}, {buffer, buffer + also, also}};
    if (work && buffer &&
        (!few || (also && diagnose_look_at(c, also, buffer) && ++d->runs)))
        found = name_model(c, seen, few ? 2 : 1, work, d);
    free(work);
    free(buffer);
    return found;
}
