/* SPDX-License-Identifier: MIT
 *
 * why_words.h: what why.c and chain.c share.
 */
#pragma once

#include "lines.h"

enum { WHY_TIME = 24 };
/* "480 ns", "12.3 us", "1.20 ms"; "12 steps" */
void why_time(char out[WHY_TIME], const struct vgpu_why *, uint64_t ps);
void chain_print(FILE *, const struct vgpu_why *, const struct lines_options *);
