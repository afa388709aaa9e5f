/* SPDX-License-Identifier: MIT
 *
 * why.h: why model time is what it is.
 *
 * How to read this: every time that the clock keeps (of a warp, of a register,
 * of a message, of the launch's end) is the end of a *step*. A step has a
 * predecessor: the step whose end it waited for last, and so the one at whose
 * end it begins. The chain of predecessors of a time leads back to the launch's
 * start; each step has its cause, instruction and block. A variable that holds
 * a step (an index; 0: none) counts as a reference, and a step without
 * references is reused: only steps that may still become part of the critical
 * path are kept.
 *
 * Code that sets a time calls one of the functions below right afterwards; the
 * clock computes the same times without them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "vgpu.h"

struct clock;
struct clock_op;
struct clock_warp;
struct message;
struct machine;
struct block;
struct context;
struct function;
struct insn;

/* ---- a launch (path.c) ---- */
/* False: there is no memory for it, and nothing is recorded. */
bool why_begins(struct machine *, struct clock *);
void why_free(struct clock *);

/* ---- warps (why_warps.c) ---- */
/* The block in this slot has started at this time. */
void why_starts(struct clock *, uint32_t slot, const struct block *,
                uint64_t time);
/* The warp has ended; `time` is when the last of its block's warps has. */
void why_ends(struct clock *, const struct clock_warp *, uint64_t time);
/* The warp leaves a barrier, for which `last` was the last to come. */
void why_goes_on(struct clock *, const struct clock_warp *,
                 const struct clock_warp *last);
/* Called before messages are looked up: none has been found yet. */
void why_looks(struct clock *);
/* A warp that slept while it polled goes on at warp.time, because of the
 * message that was found, if one was. */
void why_wakes(struct clock *, const struct clock_warp *);

/* ---- the instruction of the warp that runs (why_issue.c) ---- */
/* It waits for its registers. */
void why_waited(struct clock *, const struct insn *, const struct function *,
                const struct clock_op *);
/* It waits for its registers, and the warp does not: before its times are
 * taken, and with them. */
void why_passed(struct clock *, const struct insn *, const struct function *,
                const struct clock_op *);
void why_moved(struct clock *, const struct clock_op *, uint64_t slot,
               uint64_t unit);
/* It costs nothing: its results are there when its operands are. */
void why_passes(struct clock *, const struct clock_op *);
/* It issues: its scheduler had a slot at `slot`, its unit at `unit`. */
void why_issues(struct clock *, const struct clock_op *, uint64_t slot,
                uint64_t unit);
/* warp.time has become later, for this reason; by the instruction's class. */
void why_later(struct clock *, vgpu_cause);
void why_goes_by(struct clock *, const struct clock_op *);
/* Its results are there at `time`. */
void why_results(struct clock *, const struct clock_op *, uint64_t time);
/* Steps: it is one. */
void why_counts(struct context *, const struct insn *);

/* What its access goes through; `done` is the last step of that. */
void why_accesses(struct clock *);
void why_until(struct clock *, vgpu_cause, uint64_t time);
/* Its registers have what it read; until then `rest`. */
void why_read(struct clock *, const struct insn *, uint64_t time,
              vgpu_cause rest);
/* It is a read of memory, or of a message, which was later; the cause of what
 * of its way has none yet. */
vgpu_cause why_waits(struct clock *, bool message);
/* L2 has what the warp stored last at warp.stored. */
void why_stored(struct clock *, vgpu_cause);
/* It writes what others see at `time`; *step is that of the message. */
void why_sends(struct clock *, uint64_t time);
void why_sent(struct clock *, uint32_t *step);
/* It reads what another block wrote; of several, the last one counts. */
void why_reads(struct clock *, const struct message *);
/* Steps: a message or a poll has set warp.time. */
void why_sets(struct clock *);
/* The warp's poll begins (back: goes back to where it began). */
void why_polls(struct clock *, bool back);
