/* SPDX-License-Identifier: MIT
 *
 * live_wire.h: what `scanlab watch --serve` writes to the standard input of
 * scanlab-serve: heads, and after each head its bytes.
 * scanlab-serve ends when its input ends. It writes one line back, the page's
 * address; if it cannot serve, it prints a message instead.
 */
#pragma once

#include <stdint.h>

enum live_kind {
    LIVE_GRADING, /* something was saved and is being graded; its bytes: which
                     lab, and how far: "naive ppF..." */
    LIVE_PAGE     /* what came of it */
};

enum { LIVE_MOST_BYTES = 4 << 20, LIVE_STATE_BYTES = 512 };

struct live_head {
    uint32_t kind, bytes;
    uint64_t version; /* of the page, which knows it too */
};
