/* SPDX-License-Identifier: MIT
 *
 * nearest.h: "did you mean": the known name that a mistyped one is closest to.
 */
#pragma once

#include <stddef.h>

/* The name with the fewest edits (insert, delete, change, swap neighbours), at
 * most a third of its length; NULL: none. */
const char *nearest_name(const char *given, const char *const *names, size_t n);
