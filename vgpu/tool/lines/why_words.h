/* SPDX-License-Identifier: MIT
 *
 * why_words.h: what shows where time went, in words.
 */
#pragma once

#include "lines.h"

enum { WHY_TIME = 24 };
/* "480 ns", "12.3 us", "1.20 ms"; "12 steps" */
void why_time(char out[WHY_TIME], const struct vgpu_why *, uint64_t ps);
/* Of times by cause: all of them, and the words of the cause that has most of
 * them ("": there are none). */
uint64_t why_sum(const uint64_t *times);
const char *why_most(const uint64_t *times);
void chain_print(FILE *, const struct vgpu_why *, const struct lines_options *);
