/* SPDX-License-Identifier: MIT
 *
 * mbarrier.h: what mbarrier.c offers to the instructions (mbarrier_ops.c);
 * async.h has what copies use. False: a finding was reported, and the launch is
 * over.
 */
#pragma once

#include "async.h"

enum { MOST_ARRIVALS = (1 << 20) - 1 };

/* NULL: out of memory, and the launch ends. */
struct mbarrier *mbarrier_add(struct block *, uint64_t at);
void mbarrier_remove(struct async_block *, struct mbarrier *);
/* The counts have changed: begins the next phase if this one is complete. */
void mbarrier_settle(struct block *, struct mbarrier *);
/* Announces bytes, or less than 0: they have come. mbarrier_settle follows. */
bool mbarrier_add_tx(struct context *, struct mbarrier *, uint32_t lane,
                     int64_t bytes);
/* Reports wrong use of the mbarrier at this byte. Always false. */
bool mbarrier_misused(struct context *, uint32_t lane, uint64_t at,
                      const char *format, ...)
    __attribute__((format(printf, 4, 5)));
uint32_t mbarrier_line(const struct block *, const struct insn *);

/* What a program reads from the object's 8 bytes. */
static inline uint64_t mbarrier_word(const struct mbarrier *b) {
    uint64_t x = (uint64_t)b->expected << 1 | (uint64_t)b->pending << 21 |
                 (uint64_t)(uint32_t)(b->tx & 0x1fffff) << 41;
    return x | (b->phase & 1) | 1ull << 63;
}
