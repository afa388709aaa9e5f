/* SPDX-License-Identifier: MIT
 *
 * live_wire.h: what `scanlab watch --serve` writes to scanlab-serve, on its
 * standard input: heads, and behind that of a page its bytes. The end of the
 * input ends scanlab-serve. The other way goes one line, the page's address;
 * where there is none, a message has been printed.
 */
#pragma once

#include <stdint.h>

enum live_kind {
    LIVE_GRADING, /* something was saved and is being graded */
    LIVE_PAGE     /* what came of it */
};

enum { LIVE_MOST_BYTES = 4 << 20 };

struct live_head {
    uint32_t kind, bytes;
    uint64_t version; /* of the page, which knows it too */
};
