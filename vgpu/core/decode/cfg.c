/* SPDX-License-Identifier: MIT
 *
 * cfg.c: where divergent ways meet: immediate post-dominators.
 *
 * Each instruction is a node (kernels are small, and it keeps the graph and the
 * code the same thing); node n is the exit. The algorithm is Cooper, Harvey and
 * Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reversed
 * graph, restricted to block leaders so that straight-line code costs nothing.
 */
#include <stdlib.h>

#include "decode.h"

static bool ends_block(const struct ptx_insn *i) {
    switch (i->op) {
    case PTX_OP_bra:
    case PTX_OP_brx:
    case PTX_OP_ret:
    case PTX_OP_exit:
    case PTX_OP_trap: return true;
    default: return false;
    }
}

const struct ptx_target_list *cfg_targets(const struct ptx_module *m,
                                          const struct ptx_insn *i) {
    if (i->op != PTX_OP_brx || i->n_operands < 2) return NULL;
    for (uint32_t k = 0; k < m->n_target_lists; k++)
        if (m->target_lists[k].name == i->operands[1].symbol)
            return &m->target_lists[k];
    return NULL;
}

/* Calls see(user, block) for each successor of a block. */
typedef void see_fn(void *, uint32_t from, uint32_t to);
static void successors(const struct graph *g, uint32_t block, see_fn *see,
                       void *user) {
    const struct ptx_insn *i = &g->f->insns[g->last[block]];
    bool falls = true;
    if (program_is_late(g->program, 1)) return;
    if (i->op == PTX_OP_bra) {
        uint32_t t = i->operands[0].target;
        see(user, block, t < g->f->n_insns ? g->block_of[t] : g->n_blocks);
        falls = i->guard >= 0;
    } else if (i->op == PTX_OP_brx) {
        const struct ptx_target_list *l = cfg_targets(g->module, i);
        program_is_late(g->program, g->module->n_target_lists);
        for (uint32_t k = 0; l && k < l->n; k++)
            see(user, block,
                l->targets[k] < g->f->n_insns ? g->block_of[l->targets[k]]
                                              : g->n_blocks);
        falls = i->guard >= 0;
    } else if (ends_block(i)) {
        see(user, block, g->n_blocks);
        falls = i->guard >= 0;
    }
    if (falls)
        see(user, block,
            g->last[block] + 1 < g->f->n_insns ? g->block_of[g->last[block] + 1]
                                               : g->n_blocks);
}

/* Of all indirect branches of a function: each may have any list, and a list
 * may be as long as a text. With them an edge's number fits 32 bits. */
enum { MOST_WAYS = 1 << 20 };

static bool find_blocks(struct graph *g) {
    uint32_t n = g->f->n_insns;
    bool *leads = calloc(n + 1, sizeof *leads);
    if (!leads) return false;
    uint64_t ways = 0;
    leads[0] = true;
    for (uint32_t k = 0; k < n; k++) {
        const struct ptx_insn *i = &g->f->insns[k];
        if (!ends_block(i)) continue;
        if (i->op == PTX_OP_brx &&
            program_is_late(g->program, g->module->n_target_lists))
            break;
        leads[k + 1] = true;
        if (i->op == PTX_OP_bra && i->operands[0].target < n)
            leads[i->operands[0].target] = true;
        const struct ptx_target_list *l = cfg_targets(g->module, i);
        ways += l ? l->n : 0;
        if (ways > MOST_WAYS) break;
        for (uint32_t t = 0; l && t < l->n; t++)
            if (l->targets[t] < n) leads[l->targets[t]] = true;
    }
    g->has_too_many = ways > MOST_WAYS;
    if (g->has_too_many || g->program->stopped) {
        free(leads);
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (leads[k]) g->first[g->n_blocks++] = k;
        g->block_of[k] = g->n_blocks - 1;
        g->last[g->n_blocks - 1] = k;
    }
    free(leads);
    return true;
}

struct edges {
    uint32_t *count, *start, *list;
};
static void count_edge(void *user, uint32_t from, uint32_t to) {
    (void)from;
    ((struct edges *)user)->count[to]++;
}
static void store_edge(void *user, uint32_t from, uint32_t to) {
    struct edges *e = user;
    e->list[e->start[to] + --e->count[to]] = from;
}

static bool find_predecessors(struct graph *g) {
    uint32_t nodes = g->n_blocks + 1;
    struct edges e = {calloc(nodes + 1, sizeof(uint32_t)),
                      calloc(nodes + 1, sizeof(uint32_t)), NULL};
    bool ok = e.count && e.start;
    if (ok) {
        for (uint32_t b = 0; b < g->n_blocks; b++)
            successors(g, b, count_edge, &e);
        for (uint32_t b = 0; b < nodes; b++)
            e.start[b + 1] = e.start[b] + e.count[b];
        e.list = calloc(e.start[nodes] + 1, sizeof(uint32_t));
        ok = e.list != NULL;
    }
    if (ok)
        for (uint32_t b = 0; b < g->n_blocks; b++)
            successors(g, b, store_edge, &e);
    free(e.count);
    g->pred_start = e.start;
    g->pred = e.list;
    return ok && !g->program->stopped;
}

/* Depth first from the exit along predecessors, without recursion. */
static bool number_blocks(struct graph *g) {
    uint32_t nodes = g->n_blocks + 1;
    uint32_t *stack = calloc(nodes, sizeof *stack);
    uint32_t *next = calloc(nodes, sizeof *next);
    if (!stack || !next) {
        free(stack);
        free(next);
        return false;
    }
    for (uint32_t b = 0; b < nodes; b++) g->order[b] = NO_TARGET;
    uint32_t depth = 0;
    stack[depth++] = g->n_blocks;
    g->order[g->n_blocks] = NO_TARGET - 1; /* seen */
    while (depth) {
        uint32_t b = stack[depth - 1];
        if (next[b] < g->pred_start[b + 1] - g->pred_start[b]) {
            uint32_t p = g->pred[g->pred_start[b] + next[b]++];
            if (g->order[p] == NO_TARGET) {
                g->order[p] = NO_TARGET - 1;
                stack[depth++] = p;
            }
        } else {
            g->order[b] = g->n_ordered;
            g->by_order[g->n_ordered++] = b;
            depth--;
        }
    }
    free(stack);
    free(next);
    return true;
}

struct meet {
    struct graph *g;
    uint32_t dom;
};

/* A block that never reaches the exit (an endless loop) has no post-dominator;
 * such successors are left out of the meet. */
static void meet_edge(void *user, uint32_t from, uint32_t to) {
    (void)from;
    struct meet *m = user;
    struct graph *g = m->g;
    if (g->program->stopped) return;
    if (g->order[to] == NO_TARGET || g->idom[to] == NO_TARGET) return;
    if (m->dom == NO_TARGET) {
        m->dom = to;
        return;
    }
    uint32_t a = m->dom, b = to, steps = 1;
    while (a != b) {
        for (; g->order[a] < g->order[b]; steps++) a = g->idom[a];
        for (; g->order[b] < g->order[a]; steps++) b = g->idom[b];
    }
    program_is_late(g->program, steps);
    m->dom = a;
}

static void find_dominators(struct graph *g) {
    for (uint32_t b = 0; b <= g->n_blocks; b++) g->idom[b] = NO_TARGET;
    g->idom[g->n_blocks] = g->n_blocks;
    for (bool changed = true; changed && !g->program->stopped;) {
        changed = false;
        for (uint32_t k = g->n_ordered; k-- > 0;) {
            uint32_t b = g->by_order[k];
            if (b == g->n_blocks) continue;
            struct meet m = {g, NO_TARGET};
            successors(g, b, meet_edge, &m);
            if (m.dom != g->idom[b]) {
                g->idom[b] = m.dom;
                changed = true;
            }
        }
    }
}

/* Threads that return do not wait for one another: those of the warp that still
 * run may stand at a barrier, which counts only them. */
static bool leaves_kernel(const struct ptx_insn *i) {
    return i->guard < 0 && (i->op == PTX_OP_ret || i->op == PTX_OP_exit);
}

bool cfg_make(struct graph *g) {
    uint32_t n = g->f->n_insns;
    g->block_of = calloc(n + 1, sizeof(uint32_t));
    g->first = calloc(n + 2, sizeof(uint32_t));
    g->last = calloc(n + 2, sizeof(uint32_t));
    return g->block_of && g->first && g->last &&
           (!n || (find_blocks(g) && find_predecessors(g)));
}

void cfg_free(struct graph *g) {
    free(g->block_of);
    free(g->first);
    free(g->last);
    free(g->pred_start);
    free(g->pred);
}

static void set_joins(const struct graph *g, uint32_t *join) {
    uint32_t n = g->f->n_insns;
    for (uint32_t b = 0; b < g->n_blocks; b++) {
        const struct ptx_insn *i = &g->f->insns[g->last[b]];
        if (i->op != PTX_OP_brx && (i->op != PTX_OP_bra || i->guard < 0))
            continue;
        uint32_t d = g->idom[b];
        bool none =
            d == NO_TARGET || d == g->n_blocks ||
            (g->f->is_entry && leaves_kernel(&g->f->insns[g->first[d]]));
        join[g->last[b]] = none ? n : g->first[d];
    }
}

bool cfg_joins(struct graph *g, uint32_t *join) {
    uint32_t n = g->f->n_insns;
    for (uint32_t k = 0; k < n; k++) join[k] = NO_TARGET;
    if (!n) return true;
    g->order = calloc(n + 2, sizeof(uint32_t));
    g->by_order = calloc(n + 2, sizeof(uint32_t));
    g->idom = calloc(n + 2, sizeof(uint32_t));
    bool ok = g->order && g->by_order && g->idom && number_blocks(g);
    if (ok) find_dominators(g);
    ok = ok && !g->program->stopped;
    if (ok) set_joins(g, join);
    free(g->order);
    free(g->by_order);
    free(g->idom);
    return ok;
}
