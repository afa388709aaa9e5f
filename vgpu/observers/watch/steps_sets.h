/* SPDX-License-Identifier: MIT
 *
 * steps_sets.h: sets of writes: from which writes a value was computed, and how
 * often each was added. Each set is stored once and has a number, and that is
 * what a register's lane holds. Set 0 is empty: a constant, an index.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu_steps.h"

enum set_join {
    SET_SUM,
    SET_DIFFERENCE,
    SET_EITHER /* any other operation: of a write that is in both, the greater
              of its two numbers */
};

struct feed_set {
    uint32_t first, n, next; /* next of its hash */
};
enum { SET_BUCKETS = 1 << 14, SETS_MOST = 1 << 19, SET_JOINED = 1 << 12 };

struct feed_sets {
    struct vgpu_feed *feeds;
    struct feed_set *sets;
    uint32_t n_feeds, n_sets, feeds_room, sets_room;
    uint32_t *buckets;
    struct joined {
        uint32_t a, b, is;
        enum set_join how;
    } * joined; /* what was made last */
    bool is_full;
};

bool sets_open(struct feed_sets *);
void sets_close(struct feed_sets *);
void sets_clear(struct feed_sets *);
uint32_t set_of_one(struct feed_sets *, uint32_t write);
uint32_t set_join(struct feed_sets *, uint32_t a, uint32_t b, enum set_join);
