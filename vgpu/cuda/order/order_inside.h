/* SPDX-License-Identifier: MIT
 *
 * order_inside.h: what the files of order.h share.
 */
#pragma once

#include "order.h"

struct order_stream {
    uint64_t id; /* 0: of a node */
    uint64_t label;
    bool is_blocking, is_used, is_legacy;
    unsigned gpu;
    uint64_t seq; /* of its last operation */
    struct order_clock clock;
};

/* One use of a page's bytes. */
struct order_entry {
    struct order_use use;
    uint64_t *bits; /* ORDER_WORDS; NULL: all of the page */
};

struct order_page {
    uint64_t number; /* address / ORDER_PAGE */
    bool is_shared;
    uint32_t n, capacity;
    struct order_entry *entries; /* oldest first */
};

struct order_range {
    uint64_t from, to;
};

struct order {
    order_told *told;
    void *user;
    bool is_incomplete, keeps;
    struct order_stream *streams; /* ORDER_STREAMS; the first n_streams */
    uint32_t n_streams;
    uint32_t legacy[VGPU_MOST_GPUS]; /* each GPU's: number + 1; 0: none */
    uint32_t *stream_of;             /* by id: number + 1; 0: none */
    uint64_t n_ids;
    struct order_clock *events; /* by id */
    uint64_t n_events;
    struct order_clock host, at_launch; /* at_launch: of a graph */
    const struct order_op *host_function;
    uint32_t graph_stream; /* its number */
    /* order_pages.c: by number, open addressing; index + 1 */
    uint32_t *slots;
    uint32_t n_slots, n_pages, pages_capacity;
    struct order_page **pages;
    struct order_range *shared;
    size_t n_shared, shared_capacity;
};

static inline uint64_t order_clock_at(const struct order_clock *c,
                                      uint32_t stream) {
    return stream < c->n ? c->at[stream] : 0;
}
/* An operation whose knowledge is `c` comes after the other. */
static inline bool order_knows(const struct order_clock *c,
                               const struct order_op *op) {
    return order_clock_at(c, op->stream) >= op->seq;
}
void order_short(struct order *); /* of memory */
void order_pages_free(struct order *);
