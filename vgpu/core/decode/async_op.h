/* SPDX-License-Identifier: MIT
 *
 * async_op.h: what decoding makes of cp.async, cp.async.bulk and mbarrier
 * instructions: the `extra` of KIND_ASYNC and KIND_MBARRIER.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* An address operand: a register (NO_REGISTER: none) and an offset. */
struct async_place {
    uint32_t base;
    bool wide, shared; /* shared: an address of the shared window */
    int64_t offset;
};

enum async_verb {
    ASYNC_BULK_LOAD,  /* global or shared to shared, tells an mbarrier */
    ASYNC_BULK_STORE, /* shared to global, in a bulk group */
    ASYNC_SMALL,      /* cp.async of 4, 8 or 16 bytes per thread */
    ASYNC_SMALL_ARRIVE,
    ASYNC_SMALL_COMMIT,
    ASYNC_SMALL_WAIT,
    ASYNC_BULK_COMMIT,
    ASYNC_BULK_WAIT,
    ASYNC_BULK_WAIT_READ,
    ASYNC_PROXY_FENCE
};

struct async_op {
    enum async_verb verb;
    struct async_place to, from, barrier;
    uint32_t size;    /* register: bulk: bytes; cp.async: bytes of the source */
    uint32_t bytes;   /* cp.async: written */
    uint32_t ignore;  /* cp.async: predicate register, or NO_REGISTER */
    uint32_t at_most; /* wait: groups that may be left */
    bool noinc;       /* cp.async.mbarrier.arrive */
    bool fence_global; /* proxy fence: global memory too */
};

enum mbarrier_verb {
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_EXPECT_TX,
    MBARRIER_COMPLETE_TX,
    MBARRIER_ARRIVE,
    MBARRIER_ARRIVE_TX, /* expect_tx, then arrive once */
    MBARRIER_TEST_WAIT,
    MBARRIER_TRY_WAIT,
    MBARRIER_PENDING_COUNT
};
struct mbarrier_op {
    enum mbarrier_verb verb;
    bool drop, no_complete, parity;
    uint32_t count; /* register, or NO_REGISTER: 1 */
};
