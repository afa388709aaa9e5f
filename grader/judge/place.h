/* SPDX-License-Identifier: MIT
 *
 * place.h: from addresses in a submission's library to a line of its source.
 */
#pragma once

#include "outcome.h"

struct walled;

/* Sets file and line of an empty place for the first offset that lies in code
 * of `source` (a base name), inlined code counted to its caller's line there.
 * It stays empty when none of them does, or addr2line is not installed. The
 * library is the submission's, so addr2line reads it inside walls; NULL: not at
 * all. */
void place_find(const struct walled *, const char *library, const char *source,
                const uint64_t *offsets, size_t n, struct place *);
