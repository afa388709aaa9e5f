/* SPDX-License-Identifier: MIT
 *
 * timeline.h: what happened when, and where: spans of the host, of the queue,
 * of blocks on multiprocessors and of warps' phases, and messages as arrows
 * between blocks, for pictures. Nothing is kept unless somebody asked for it;
 * of each kind only the first so many are.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct clock;
struct clock_warp;
struct block;
struct why_warp;

/* The host's call has ended, which began at `host`; the queue was done at
 * `queue` before it. name: stays. */
void timeline_called(struct clock *, const char *name, uint64_t host,
                     uint64_t queue);
void timeline_launch_ends(struct clock *);
void timeline_block_starts(struct clock *, uint32_t slot, const struct block *,
                           uint64_t time);
void timeline_block_ends(struct clock *, const struct clock_warp *first,
                         uint64_t time);
/* The warp does this from `from` to `to`, or waits for it. */
void timeline_phase(struct clock *, struct why_warp *, int cause, uint64_t from,
                    uint64_t to);
void timeline_warp_ends(struct clock *, struct why_warp *, uint64_t time);
/* The warp has a message at `time`. */
void timeline_message(struct clock *, struct why_warp *, uint64_t time);
void timeline_clear(struct clock *);
void timeline_free(struct clock *);
