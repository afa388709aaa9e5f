/* SPDX-License-Identifier: MIT
 *
 * plan.h: who is timed on what. Performers are functions: a peer, or a lab's
 * function with an oracle that is one of the operations. A group is a type and
 * a size: all performers' cells of it are timed in turns, round after round.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "timed.h"

struct performer {
    char who[BENCH_NAME]; /* "cub", "reference/lookback" */
    size_t worker;        /* which process */
    uint32_t library;     /* number in it */
    int operation, type;
    int most_order;
    int least_tuple, most_tuple;
    struct bench_turn turn; /* but for cell and calls */
    bool gone;              /* crashed or not written: not asked again */
};

struct performers {
    struct performer *items;
    size_t n, room;
};

bool performers_add(struct performers *, const struct performer *);
void performers_free(struct performers *);

/* What a peer computes as a performer. */
void performer_of_peer(struct performer *, const struct bench_peer *,
                       int number);
/* The same for a function of a lab; false: it is none of the operations, or
 * its type is none of ours, or it is untimed. */
bool performer_of_function(struct performer *, const struct lab_function *);

/* timing/fast has sam_scan_f32 for double, too, which is not among the lab's
 * functions: what it computes, from the performer of the former. false: another
 * function. */
bool performer_of_double(struct performer *, const struct performer *);

struct group {
    int type;
    size_t n;
    bool whole; /* all orders and tuples; else 1 */
};
struct groups {
    struct group *items;
    size_t n;
};

struct plan_filter {
    bool full;
    int operation, type; /* -1: all */
    const size_t *sizes; /* none: the suite's */
    size_t n_sizes;
};

/* The groups of a suite, largest first: these take the least number of rounds
 * there is, the small ones share the time that is left. */
bool groups_plan(struct groups *, const struct plan_filter *);
void groups_free(struct groups *);

/* Orders and tuples of a suite that a group times, in ascending order. */
size_t plan_widths(const struct plan_filter *, const struct group *,
                   int widths[8]);

/* Timed calls of one turn: more of them where one is short. */
int plan_calls(size_t bytes);
