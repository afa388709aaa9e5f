/* SPDX-License-Identifier: MIT
 *
 * vectors.h: operand values that find mistakes: the edges of every type, and
 * random ones shaped so that comparisons are often equal, shifts often in range
 * and floats often near one another.
 */
#pragma once

#include <stdint.h>

/* xorshift64*; state is never 0 */
uint64_t vectors_random(uint64_t *state);
/* One lane's raw bits for a register of class 'w', 'd' or 'p' (0 or 1). form
 * hints at the type: "add.f32" gets floats more often than patterns. */
uint64_t vectors_value(uint64_t *state, const char *form, char class);
