/* SPDX-License-Identifier: MIT
 *
 * tags.h: which sectors of 32 bytes are in the caches. Both caches put an
 * address in one place only. L1 has lines of 128 bytes; L2 has pieces of 4 KiB
 * with a bit for each sector, so that an array of its size fits exactly.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "charges.h"

enum { LINE_SHIFT = 7, SECTOR_SHIFT = 5, SECTOR = 32 };

struct l1 {
    uint64_t *lines; /* line << 4 | sectors; NULL: nothing was read yet */
    uint32_t n, launch;
};

struct l2_piece {
    uint64_t number;
    uint64_t has[2], written[2]; /* a bit for each sector */
};

struct l2 {
    struct l2_piece *pieces;
    uint32_t n;
};

/* Loads these sectors of the line; returns those that were not there yet. */
uint32_t l1_take(struct l1 *, uint64_t line, uint32_t sectors);
/* The same for L2. written: the sectors are stored, and so need not be fetched.
 * *evicted: written bytes that go to DRAM to make room. */
uint32_t l2_take(struct l2 *, uint64_t line, uint32_t sectors, bool written,
                 uint64_t *evicted);
bool l1_make(struct l1 *, uint64_t bytes, struct charges *);
bool l2_make(struct l2 *, uint64_t bytes, struct charges *);
