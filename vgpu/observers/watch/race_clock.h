/* SPDX-License-Identifier: MIT
 *
 * race_clock.h: vector clocks. A clock has a stamp for each thread of the grid:
 * the thread's accesses with a smaller stamp happened before.
 *
 * How to read this: a clock is a tree over thread numbers (block << 10 |
 * thread), five bits to a level: blocks, then warps of a block, then lanes. A
 * subtree whose threads all have one stamp is stored as that stamp, so a block
 * that met at a barrier costs a word. Equal clocks share nodes; a function that
 * changes a node with several references copies it first.
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
    uint64_t bytes, most_bytes; /* that nodes take; that they may take */
    unsigned top;               /* bits of a thread's number, minus five */
    bool lacks; /* there was no memory, so some clocks have too small stamps */
};

/* Widths of what clock_raise raises: a lane, its warp, its block. */
enum { CLOCK_LANE = 0, CLOCK_WARP = 5, CLOCK_BLOCK = 10 };

void clock_pool_init(struct clock_pool *, uint64_t n_blocks,
                     uint64_t most_bytes, struct charges *);
void clock_pool_free(struct clock_pool *); /* after all clocks were dropped */

clock_tree clock_keep(clock_tree);
void clock_drop(struct clock_pool *, clock_tree *);
/* The thread's stamp in the clock. */
uint64_t clock_of(const struct clock_pool *, clock_tree, uint64_t thread);
/* Raises each stamp of *at to that of `more`, where that is greater. The caller
 * owns *at; `more` does not change. */
void clock_join(struct clock_pool *, clock_tree *at, clock_tree more);
/* Raises the stamp of the thread, or of all threads of its warp or block. */
void clock_raise(struct clock_pool *, clock_tree *at, uint64_t thread,
                 unsigned width, uint64_t stamp);
