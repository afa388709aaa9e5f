/* SPDX-License-Identifier: MIT
 *
 * race_clock.h: vector clocks. A clock says, for each thread of the grid, up to
 * which stamp the thread's accesses are known: those with a smaller stamp
 * happened before.
 *
 * How to read this: a clock is a tree over thread numbers (block << 10 |
 * thread), five bits to a level: blocks, then warps of a block, then lanes. A
 * whole subtree that has one stamp is that stamp, so a block that met at a
 * barrier costs a word. Trees are shared by all who know the same: whoever
 * changes a node that others hold, too, copies it.
 *
 *   0          nothing is known
 *   odd        stamp << 1 | 1, of all threads below
 *   else       a node
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct charges;
typedef uintptr_t clock_tree;

/* Where nodes come from: of one launch. */
struct clock_pool {
    struct clock_node *free;
    struct charges *charges;
    uint64_t bytes, most_bytes; /* held by nodes; may be */
    unsigned top;               /* bits of a thread's number, but for five */
    bool lacks; /* there was no memory: clocks know too little */
};

/* Widths of what clock_raise raises: a lane, its warp, its block. */
enum { CLOCK_LANE = 0, CLOCK_WARP = 5, CLOCK_BLOCK = 10 };

void clock_pool_init(struct clock_pool *, uint64_t n_blocks,
                     uint64_t most_bytes, struct charges *);
void clock_pool_free(struct clock_pool *); /* all clocks have been dropped */

clock_tree clock_keep(clock_tree);
void clock_drop(struct clock_pool *, clock_tree *);
/* The stamp up to which the thread is known. */
uint64_t clock_of(const struct clock_pool *, clock_tree, uint64_t thread);
/* *at is the caller's; the other clock stays its owner's. */
void clock_join(struct clock_pool *, clock_tree *at, clock_tree more);
/* The thread, or all of its warp or block, is known up to the stamp. */
void clock_raise(struct clock_pool *, clock_tree *at, uint64_t thread,
                 unsigned width, uint64_t stamp);
