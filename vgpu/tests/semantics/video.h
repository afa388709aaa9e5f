/* SPDX-License-Identifier: MIT
 *
 * video.h: what test_video.c compares the virtual GPU's video instructions
 * with. The two readings share the names of forms with each other, and nothing
 * with the virtual GPU.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { VIDEO_LONGEST = 96 };

struct form { /* "vadd.u32.u32.u32.sat", and per operand "-" and a selector */
    char text[VIDEO_LONGEST];
    char operand[4][8];
    unsigned n;
};

bool form_has(const struct form *, const char *modifier);
unsigned form_parts(const struct form *); /* 1, 2 or 4 */
/* The type-th type that stands in the text. */
bool form_signed(const struct form *, unsigned type);
const char *form_selector(const struct form *, unsigned operand);

/* By the text of the ISA. */
uint32_t video_isa(const struct form *, const uint32_t in[3]);
/* By the machine code that ptxas 13.0 makes: what an H200 computes. */
uint32_t video_ptxas(const struct form *, const uint32_t in[3]);
/* Of a class where the two are known to differ for some operands. */
bool video_differs(const struct form *);
/* vadd2 ... vset4: one reading, there the two agree. */
uint32_t video_parts(const struct form *, unsigned n, const uint32_t in[3]);
