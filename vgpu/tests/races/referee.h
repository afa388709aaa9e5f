/* SPDX-License-Identifier: MIT
 *
 * referee.h: which accesses of one execution race, by vgpu/docs/race-model.md,
 * with a vector clock for every thread and nothing that is not exact.
 */
#pragma once

#include "event.h"

struct rules {
    uint64_t global;   /* address of the program's words */
    uint32_t shared;   /* of a block's words in its shared memory */
    bool reads_return; /* reads_want_release is off */
    bool sc;           /* who reads finds what was written last */
};

/* Two accesses that race; the later one first. */
struct race {
    enum space space;
    uint32_t launch, word, op, thread, other_op, other_thread;
    uint32_t order; /* of the later access in the execution */
    bool need_not;  /* racecheck may be silent ("Halves") */
};

struct referee;
struct referee *referee_new(const struct program *, const struct events *,
                            struct rules);
void referee_free(struct referee *);
/* Whether some thread has waited for what the copy of this operation and thread
 * reads, or writes, in the last launch. */
bool referee_was_waited_for(const struct referee *, uint32_t op,
                            uint32_t thread);
/* The run has too many writes of a word to be judged exactly in seconds. */
bool referee_gave_up(const struct referee *);
/* In the order of the races' later accesses. */
size_t referee_races(const struct referee *, const struct race **);
