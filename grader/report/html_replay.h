/* SPDX-License-Identifier: MIT
 *
 * html_replay.h: what a page replays of a call (html_replay.c has its form).
 */
#pragma once

#include <jansson.h>

#include "grade.h"

struct replay_frames { /* first to end - 1; open: the one that is looked at */
    uint32_t first, end, open;
};
/* grade: whose sources are shown beside it; NULL: none. */
json_t *html_replay(const struct steps_view *, struct replay_frames,
                    const struct grade *);
