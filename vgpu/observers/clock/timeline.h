/* SPDX-License-Identifier: MIT
 *
 * timeline.h: what happened when, and where: spans of the host, of the queue,
 * of blocks on multiprocessors and of warps' phases, and messages as arrows
 * between blocks, for pictures. It is kept only with vgpu_options.timeline, and
 * of each kind only the first so many.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct clock;
struct clock_warp;
struct block;
struct why_warp;

/* The host's call, which began at `host`, has ended; before the call the queue
 * had work until `queue`. name: is not copied. */
void timeline_called(struct clock *, const char *name, uint64_t host,
                     uint64_t queue);
void timeline_launch_ends(struct clock *);
void timeline_block_starts(struct clock *, uint32_t slot, const struct block *,
                           uint64_t time);
void timeline_block_ends(struct clock *, const struct clock_warp *first,
                         uint64_t time);
/* From `from` to `to` the warp issues, or waits for `cause`; at: in the
 * instruction with this number (clock_instruction). */
void timeline_phase(struct clock *, struct why_warp *, int cause, uint32_t at,
                    uint64_t from, uint64_t to);
void timeline_warp_ends(struct clock *, struct why_warp *, uint64_t time);
/* The warp has a message at `time`. */
void timeline_message(struct clock *, struct why_warp *, uint64_t time);
void timeline_clear(struct clock *);
void timeline_free(struct clock *);
